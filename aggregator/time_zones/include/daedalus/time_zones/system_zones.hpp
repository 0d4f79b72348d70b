// The machine's database of time zones: a folder of files, as Debian's package tzdata has it.
//
// Decides which names there are, whatever their case, and reads a zone's file once, when it is first asked for. Refuses
// to know what offsets mean: see semantics' time_zone.hpp.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "daedalus/semantics/time_zone.hpp"

namespace daedalus::time_zones {

constexpr const char* kSystemFolder = "/usr/share/zoneinfo";
/// The most zones that are known, if a folder has more; Debian's has 1,200.
constexpr size_t kZonesMax = 4'096;
constexpr size_t kFileSizeMax = 64u << 10;

/// Thread-safe. What it knows is what the folder had when it was first looked at.
class SystemZones final : public semantics::TimeZones {
 public:
  /// Reads the folder. Where it is missing there are no zones, and the version is empty.
  explicit SystemZones(const std::filesystem::path& folder = kSystemFolder);

  [[nodiscard]] const semantics::ZoneTable* find(std::string_view name) const override;
  [[nodiscard]] const std::string& version() const override { return version_; }

 private:
  struct Entry {
    std::filesystem::path file;
    std::string name;  ///< As it is spelled.
    bool is_read = false;
    std::unique_ptr<const semantics::ZoneTable> zone;  ///< Null: the file is none of a zone.
  };

  std::string version_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Entry, std::less<>> entries_;  ///< By name in lower case.
};

}  // namespace daedalus::time_zones

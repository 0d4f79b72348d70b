#include "daedalus/time_zones/system_zones.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "zone_file.hpp"

namespace daedalus::time_zones {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return made;
}

/// At most one byte more than a file may have.
std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kFileSizeMax + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

/// tzdata says it in the first line of its source: "# version 2025b".
std::string read_version(const fs::path& folder) {
  constexpr std::string_view kHead = "# version ";
  constexpr size_t kSizeMax = 32;
  std::string line;
  std::ifstream source(folder / "tzdata.zi");
  std::getline(source, line);
  if (!line.starts_with(kHead)) {
    return "unknown";
  }
  return line.substr(kHead.size(), kSizeMax);
}

}  // namespace

SystemZones::SystemZones(const fs::path& folder) {
  std::error_code problem;
  fs::recursive_directory_iterator each(folder, problem);
  for (; !problem && each != fs::recursive_directory_iterator(); each.increment(problem)) {
    const std::string name = each->path().lexically_relative(folder).generic_string();
    if (name == "right") {
      each.disable_recursion_pending();  // They count leap seconds, which nothing here does.
      continue;
    }
    std::error_code no_file;
    if (entries_.size() < kZonesMax && each->is_regular_file(no_file)) {
      entries_.emplace(lower(name), Entry{each->path(), name, false, nullptr});
    }
  }
  if (!entries_.empty()) {
    version_ = read_version(folder);
  }
}

const semantics::ZoneTable* SystemZones::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(lower(name));
  if (found == entries_.end()) {
    return nullptr;
  }
  Entry& entry = found->second;
  if (!entry.is_read) {
    entry.is_read = true;
    const std::string bytes = read_file(entry.file);
    std::optional<semantics::ZoneTable> zone = bytes.size() > kFileSizeMax ? std::nullopt : read_zone_file(bytes);
    if (zone) {
      zone->name = entry.name;
    }
    entry.zone = zone ? std::make_unique<const semantics::ZoneTable>(std::move(*zone)) : nullptr;
  }
  return entry.zone.get();
}

}  // namespace daedalus::time_zones

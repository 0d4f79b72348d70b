// A folder of the machine's file system as a Disk.
#pragma once

#include <string>

#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

class PosixDisk final : public Disk {
 public:
  /// `root`: the data directory; make_folder("") makes it where it is missing.
  explicit PosixDisk(std::string root) : root_(std::move(root)) {}

  [[nodiscard]] Result<std::unique_ptr<File>> create(const std::string& name) override;
  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& name) override;
  [[nodiscard]] Result<bool> exists(const std::string& name) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder) override;
  [[nodiscard]] Result<void> make_folder(const std::string& folder) override;
  [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<void> remove(const std::string& name) override;
  [[nodiscard]] Result<void> sync_folder(const std::string& folder) override;

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const;

  std::string root_;
};

}  // namespace daedalus::durability

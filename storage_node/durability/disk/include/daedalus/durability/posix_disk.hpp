// A folder of the machine's file system as a Disk.
#pragma once

#include <string>

#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

class PosixDisk : public Disk {
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
  [[nodiscard]] std::string path_of(const std::string& name) const override;

 private:
  std::string root_;
};

/// While it is held, no other process takes it: two on one directory would write over each other. A process that dies
/// holds nothing.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  /// Makes the directory where it is missing. Errors: 55006 another process has it; the disk's.
  [[nodiscard]] Result<void> take(PosixDisk& disk);

 private:
  int descriptor_ = -1;
};

}  // namespace daedalus::durability

// Defines what durability needs of a file system, and no more: so that a simulated disk can stand in for the real one.
//
// Decides nothing. Every call may block for as long as the disk takes: never call it from a scan or network thread.
// Names are relative to the data directory; folders are separated by '/'. Errors carry SQLSTATE 58030, or 53100 where
// there is no room left, and name the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::durability {

/// SQLSTATEs of a disk's errors.
constexpr const char* kDiskFull = "53100";
constexpr const char* kIoError = "58030";
/// This tells a reader what to do about a damaged file: no other node has the rows of this one.
constexpr const char* kDamagedHint =
    "look at the disk; put back a copy of this node's data directory, or, where there is none, start the cluster "
    "afresh "
    "and load the table again";
/// The content of the disk cannot be what was written.
constexpr const char* kDataCorrupted = "XX001";

class File {
 public:
  virtual ~File() = default;

  /// Writes all of `bytes` there; the file grows where it has to.
  [[nodiscard]] virtual Result<void> write(uint64_t offset, std::string_view bytes) = 0;
  /// Makes everything written outlive a loss of power. After an error nothing is known of what was written since the
  /// last success, and calling it again would not tell: the file must be given up.
  [[nodiscard]] virtual Result<void> sync() = 0;
  /// Up to `size` bytes from there; less only where the file ends.
  [[nodiscard]] virtual Result<std::string> read(uint64_t offset, uint64_t size) const = 0;
  [[nodiscard]] virtual Result<uint64_t> size() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
};

class Disk {
 public:
  virtual ~Disk() = default;

  /// A new, empty file. Error: there is one of that name.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> create(const std::string& name) = 0;
  /// A file that is there, to be read and written.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(const std::string& name) = 0;
  [[nodiscard]] virtual Result<bool> exists(const std::string& name) = 0;
  /// Names of the files in a folder, without the folder, ascending. Nothing where there is no such folder.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
  /// Makes the folder and those above it, where they are missing, and syncs what holds them.
  [[nodiscard]] virtual Result<void> make_folder(const std::string& folder) = 0;
  /// Atomic; replaces what has the name. Both are in one folder, which has to be synced for it to last.
  [[nodiscard]] virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  /// No error where there is no such file. The folder has to be synced for it to last.
  [[nodiscard]] virtual Result<void> remove(const std::string& name) = 0;
  /// Returns what the file is called outside, for errors. "": the data directory itself.
  [[nodiscard]] virtual std::string path_of(const std::string& name) const = 0;
  /// Names made, replaced and removed in the folder outlive a loss of power. "": the data directory itself.
  [[nodiscard]] virtual Result<void> sync_folder(const std::string& folder) = 0;
};

/// The whole of a file.
[[nodiscard]] Result<std::string> read_file(Disk& disk, const std::string& name);
/// Makes `content` what the file of that name holds, all at once: written beside it, synced, renamed; when it returns,
/// it outlives a loss of power.
[[nodiscard]] Result<void> replace_file(Disk& disk, const std::string& name, std::string_view content);
/// The folder a name lies in; "" for the data directory.
[[nodiscard]] std::string folder_of(const std::string& name);

}  // namespace daedalus::durability

#include "daedalus/durability/posix_disk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace daedalus::durability {

namespace {

/// Returns what went wrong with a path, by errno.
Error system_error(const std::string& path, const char* action) {
  const int code = errno;
  const bool is_full = code == ENOSPC || code == EDQUOT;
  const char* const hint = is_full         ? "make room on that file system"
                           : code == EFBIG ? "the limit of a file's size is met: raise it (ulimit -f, LimitFSIZE)"
                                           : "check the disk and data_dir";
  return Error{ErrorCategory::kRetry, is_full ? kDiskFull : kIoError,
               fmt::format("cannot {} {}: {}", action, path, std::strerror(code)), hint, 0};
}

class PosixFile final : public File {
 public:
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixFile() override { ::close(descriptor_); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Result<void> write(uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written <= 0) {
        return system_error(path_, "write to");
      }
      offset += static_cast<uint64_t>(written);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
  }

  Result<void> sync() override {
    if (::fdatasync(descriptor_) != 0) {
      return system_error(path_, "sync");
    }
    return {};
  }

  Result<std::string> read(uint64_t offset, uint64_t size) const override {
    std::string bytes(size, '\0');
    uint64_t filled = 0;
    while (filled < size) {
      const ssize_t got =
          ::pread(descriptor_, bytes.data() + filled, size - filled, static_cast<off_t>(offset + filled));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return system_error(path_, "read");
      }
      if (got == 0) {
        break;
      }
      filled += static_cast<uint64_t>(got);
    }
    bytes.resize(filled);
    return bytes;
  }

  Result<uint64_t> size() const override {
    struct stat found {};
    if (::fstat(descriptor_, &found) != 0) {
      return system_error(path_, "look at");
    }
    return static_cast<uint64_t>(found.st_size);
  }

  const std::string& name() const override { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

Result<void> sync_directory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return system_error(path, "open the folder");
  }
  Result<void> synced;
  if (::fsync(descriptor) != 0) {
    synced = system_error(path, "sync the folder");
  }
  ::close(descriptor);
  return synced;
}

}  // namespace

Result<std::unique_ptr<File>> PosixDisk::create(const std::string& name) {
  const std::string path = path_of(name);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return system_error(path, "create");
  }
  return std::unique_ptr<File>(std::make_unique<PosixFile>(descriptor, path));
}

Result<std::unique_ptr<File>> PosixDisk::open(const std::string& name) {
  const std::string path = path_of(name);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    return system_error(path, "open");
  }
  return std::unique_ptr<File>(std::make_unique<PosixFile>(descriptor, path));
}

Result<bool> PosixDisk::exists(const std::string& name) {
  const std::string path = path_of(name);
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    return true;
  }
  if (errno == ENOENT || errno == ENOTDIR) {
    return false;
  }
  return system_error(path, "look at");
}

Result<std::vector<std::string>> PosixDisk::list(const std::string& folder) {
  const std::string path = path_of(folder);
  DIR* const directory = ::opendir(path.c_str());
  std::vector<std::string> names;
  if (directory == nullptr) {
    if (errno == ENOENT) {
      return names;
    }
    return system_error(path, "list");
  }
  errno = 0;
  while (const dirent* const entry = ::readdir(directory)) {
    if (entry->d_type != DT_DIR) {
      names.emplace_back(entry->d_name);
    }
    errno = 0;
  }
  const bool is_whole = errno == 0;
  Error failed = is_whole ? Error{} : system_error(path, "list");
  ::closedir(directory);
  if (!is_whole) {
    return failed;
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> PosixDisk::make_folder(const std::string& folder) {
  const std::string path = path_of(folder);
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
    return {};
  }
  const size_t slash = path.find_last_of('/');
  const std::string above = slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
  if (above != path && ::stat(above.c_str(), &found) != 0) {
    // Above the data directory, too: whoever names one that is not there wants it made.
    if (auto made = PosixDisk(above).make_folder(""); !made) {
      return made;
    }
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error(path, "make the folder");
  }
  return sync_directory(above);
}

Result<void> PosixDisk::rename(const std::string& from, const std::string& to) {
  if (::rename(path_of(from).c_str(), path_of(to).c_str()) != 0) {
    return system_error(path_of(from), "rename");
  }
  return {};
}

Result<void> PosixDisk::remove(const std::string& name) {
  if (::unlink(path_of(name).c_str()) != 0 && errno != ENOENT) {
    return system_error(path_of(name), "remove");
  }
  return {};
}

Result<void> PosixDisk::sync_folder(const std::string& folder) { return sync_directory(path_of(folder)); }

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<void> DirectoryLock::take(PosixDisk& disk) {
  if (auto made = disk.make_folder(""); !made) {
    return made;
  }
  const std::string path = disk.path_of("");
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) {
    return system_error(path, "open the folder");
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCategory::kFatal, "55006", path + ": another process works with this data directory",
                 "stop it first, or name another data_dir", 0};
  }
  return {};
}

std::string PosixDisk::path_of(const std::string& name) const { return name.empty() ? root_ : root_ + "/" + name; }

}  // namespace daedalus::durability

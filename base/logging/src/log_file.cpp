#include "daedalus/logging/log_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <string>

namespace daedalus {
namespace {

bool is_appended_file(int descriptor) {
  struct stat file {};
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_APPEND) != 0 && ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode);
}

/// Returns where the file behind a descriptor is; the words that the kernel adds to the name of a deleted one lead to
/// no file.
std::string path_of(int descriptor) {
  std::array<char, PATH_MAX> path{};
  const auto link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return length > 0 && static_cast<size_t>(length) < path.size() ? std::string(path.data(), static_cast<size_t>(length))
                                                                 : std::string();
}

}  // namespace

LogFile::LogFile(int descriptor, uint64_t bytes_max)
    : descriptor_(descriptor), bytes_max_(bytes_max), is_ours_(is_appended_file(descriptor)) {}

void LogFile::make_room(uint64_t bytes) const {
  struct stat file {};
  if (!is_ours_ || ::fstat(descriptor_, &file) != 0 || file.st_size == 0 ||
      static_cast<uint64_t>(file.st_size) + bytes <= bytes_max_) {
    return;
  }
  if (!rotate()) {
    [[maybe_unused]] const int emptied = ::ftruncate(descriptor_, 0);  // Whatever it says, there is nothing else to do.
  }
}

bool LogFile::rotate() const {
  const std::string path = path_of(descriptor_);
  if (path.empty() || std::rename(path.c_str(), (path + ".1").c_str()) != 0) {
    return false;
  }
  const int fresh = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fresh < 0) {
    return false;
  }
  const bool is_taken = ::dup2(fresh, descriptor_) >= 0;
  ::close(fresh);
  return is_taken;
}

}  // namespace daedalus

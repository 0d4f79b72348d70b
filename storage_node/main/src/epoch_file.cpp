#include "epoch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "daedalus/node/epoch_keeper.hpp"
#include "daedalus/semantics/placement.hpp"
#include "daedalus/wire/v1/operations.pb.h"

namespace daedalus::node {

namespace {

// The file: sixteen hexadecimal digits (XXH3-64 of the rest), a line feed, an EpochBody.
constexpr size_t kDigestSize = 16;

Error io_error(const std::string& path, const std::string& what) {
  return Error{ErrorCategory::kFatal, "58030", fmt::format("{}: {}", path, what), "check the disk and data_dir", 0};
}

Error system_error(const std::string& path, const char* action) {
  return io_error(path, fmt::format("cannot {}: {}", action, std::strerror(errno)));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0640)) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Result<void> write_and_sync(const std::string& path, const std::string& content) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.get() < 0) {
    return system_error(path, "create");
  }
  size_t written = 0;
  while (written < content.size()) {
    const ssize_t size = ::write(file.get(), content.data() + written, content.size() - written);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size <= 0) {
      return system_error(path, "write");
    }
    written += static_cast<size_t>(size);
  }
  if (::fsync(file.get()) != 0) {
    return system_error(path, "sync");
  }
  return {};
}

Result<void> sync_folder(const std::string& path) {
  const Descriptor folder(path, O_RDONLY | O_DIRECTORY);
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) {
    return system_error(path, "sync the folder");
  }
  return {};
}

}  // namespace

Result<std::optional<EpochRecord>> EpochFile::read() const {
  std::error_code ignored;
  if (!std::filesystem::exists(path(), ignored)) {
    return std::optional<EpochRecord>();
  }
  std::ifstream in(path(), std::ios::binary);
  std::ostringstream bytes;
  if (!in || !(bytes << in.rdbuf())) {
    return io_error(path(), "cannot be read");
  }
  const std::string content = bytes.str();
  wire::v1::EpochBody body;
  const bool is_sound =
      content.size() > kDigestSize && content[kDigestSize] == '\n' &&
      content.substr(0, kDigestSize) == fmt::format("{:016x}", semantics::digest(content.substr(kDigestSize + 1))) &&
      body.ParseFromString(content.substr(kDigestSize + 1)) && body.epoch() > 0;
  if (!is_sound) {
    return io_error(path(), "is damaged");
  }
  if (body.epoch() > EpochKeeper::kEpochMax) {
    return Error{ErrorCategory::kFatal, "XX001",
                 fmt::format("{}: holds epoch {}, which no writer can have raised", path(), body.epoch()),
                 "start the cluster afresh: remove data_dir on all nodes, and load the table again", 0};
  }
  return std::optional(EpochRecord{Epoch{body.epoch()}, body.holder(), body.endpoint()});
}

Result<void> EpochFile::write(const EpochRecord& record) const {
  wire::v1::EpochBody body;
  body.set_epoch(raw(record.epoch));
  body.set_holder(record.holder);
  body.set_endpoint(record.endpoint);
  const std::string bytes = body.SerializeAsString();
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) {
    return io_error(folder_, fmt::format("cannot be made: {}", failed.message()));
  }
  const std::string temporary = path() + ".new";
  if (auto written = write_and_sync(temporary, fmt::format("{:016x}\n", semantics::digest(bytes)) + bytes); !written) {
    return written.error();
  }
  if (::rename(temporary.c_str(), path().c_str()) != 0) {
    return system_error(path(), "rename");
  }
  return sync_folder(folder_);
}

}  // namespace daedalus::node

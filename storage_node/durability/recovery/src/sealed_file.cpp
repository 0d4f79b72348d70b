#include "sealed_file.hpp"

#include <fmt/format.h>

#include "daedalus/base/planted_faults.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::durability {

namespace {

constexpr size_t kDigits = 16;

std::string seal(const std::string& content) { return fmt::format("{:016x}\n", semantics::digest(content)); }

}  // namespace

Result<std::optional<std::string>> read_sealed(Disk& disk, const std::string& name) {
  const auto exists = disk.exists(name);
  if (!exists) {
    return exists.error();
  }
  if (!*exists) {
    return std::optional<std::string>();
  }
  auto bytes = read_file(disk, name);
  if (!bytes) {
    return bytes.error();
  }
  if (bytes->size() <= kDigits) {
    return damaged_file(disk, name);
  }
  std::string content = bytes->substr(kDigits + 1);
  if (bytes->substr(0, kDigits + 1) != seal(content)) {
    return damaged_file(disk, name);
  }
  return std::optional(std::move(content));
}

Result<void> write_sealed(Disk& disk, const std::string& name, const std::string& content) {
  if (is_planted(Fault::kEpochGrantedUnsynced)) {
    auto file = disk.remove(name) ? disk.create(name) : Result<std::unique_ptr<File>>(damaged_file(disk, name));
    return file ? (*file)->write(0, seal(content) + content) : Result<void>(file.error());
  }
  return replace_file(disk, name, seal(content) + content);
}

Error damaged_file(const Disk& disk, const std::string& name) {
  return Error{ErrorCategory::kFatal, kDataCorrupted, fmt::format("{}: is damaged", disk.path_of(name)), kDamagedHint,
               0};
}

}  // namespace daedalus::durability

#include "daedalus/durability/simulated_disk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::durability {

namespace {

constexpr uint64_t kSector = 512;

Error no_such(const std::string& name) {
  return Error{ErrorCategory::kRetry, kIoError, fmt::format("cannot open {}: there is no such file", name), "", 0};
}

Error no_power() { return Error{ErrorCategory::kRetry, kIoError, "the disk has lost its power", "", 0}; }

void put(std::string& bytes, uint64_t offset, std::string_view written) {
  if (bytes.size() < offset + written.size()) {
    bytes.resize(offset + written.size(), '\0');
  }
  std::copy(written.begin(), written.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

struct SimulatedDisk::Content {
  struct Write {
    uint64_t offset = 0;
    std::string bytes;
  };
  std::string seen;             ///< As it reads.
  std::string durable;          ///< As it was when it was synced.
  std::vector<Write> unsynced;  ///< Since then.
};

class SimulatedDisk::OpenFile final : public File {
 public:
  OpenFile(SimulatedDisk& disk, std::string name, std::shared_ptr<Content> content)
      : disk_(disk), name_(std::move(name)), content_(std::move(content)), life_(disk.life_) {}

  Result<void> write(uint64_t offset, std::string_view bytes) override {
    if (auto changed = usable(DiskOperation::kWrite); !changed) {
      return changed;
    }
    const uint64_t end = offset + bytes.size();
    const uint64_t growth = end > content_->seen.size() ? end - content_->seen.size() : 0;
    if (disk_.room_ && disk_.bytes() + growth > *disk_.room_) {
      // A part of it may have found room.
      const std::string_view part = bytes.substr(0, disk_.below_(bytes.size() + 1));
      if (offset + part.size() <= content_->seen.size()) {
        put_seen(offset, part);
      }
      return Error{ErrorCategory::kRetry, kDiskFull, fmt::format("cannot write to {}: no room is left", name_),
                   "make room on that file system", 0};
    }
    if (std::exchange(disk_.misdirects_next_, false) && content_->seen.size() > bytes.size()) {
      offset = disk_.below_((content_->seen.size() - bytes.size()) / kSector + 1) * kSector;
    }
    put_seen(offset, bytes);
    return disk_.pass(DiskOperation::kWrite, Moment::kAfter, name_);
  }

  Result<void> sync() override {
    if (auto changed = usable(DiskOperation::kSync); !changed) {
      return changed;
    }
    if (disk_.failing_syncs_ > 0) {
      --disk_.failing_syncs_;
      // As real ones do: the pages are dropped or marked clean, and the next sync would succeed.
      disk_.lose_unsynced(*content_);
      return Error{ErrorCategory::kRetry, kIoError, fmt::format("cannot sync {}: input/output error", name_), "", 0};
    }
    content_->durable = content_->seen;
    content_->unsynced.clear();
    return disk_.pass(DiskOperation::kSync, Moment::kAfter, name_);
  }

  Result<std::string> read(uint64_t offset, uint64_t size) const override {
    if (life_ != disk_.life_ || disk_.is_down_) {
      return no_power();
    }
    return offset >= content_->seen.size() ? std::string() : content_->seen.substr(offset, size);
  }
  Result<uint64_t> size() const override { return content_->seen.size(); }
  const std::string& name() const override { return name_; }

 private:
  [[nodiscard]] Result<void> usable(DiskOperation operation) {
    if (life_ != disk_.life_) {
      return no_power();
    }
    auto passed = disk_.pass(operation, Moment::kBefore, name_);
    return passed ? disk_.change() : passed;
  }
  void put_seen(uint64_t offset, std::string_view bytes) {
    put(content_->seen, offset, bytes);
    content_->unsynced.push_back({offset, std::string(bytes)});
  }

  SimulatedDisk& disk_;
  std::string name_;
  std::shared_ptr<Content> content_;
  uint64_t life_;
};

SimulatedDisk::SimulatedDisk(Below below) : below_(std::move(below)) {}
SimulatedDisk::~SimulatedDisk() = default;

Result<void> SimulatedDisk::change() {
  if (is_down_) {
    return no_power();
  }
  if (crash_at_ && changes_ >= *crash_at_) {
    crash_at_.reset();
    crash();
    return no_power();
  }
  ++changes_;
  return {};
}

Result<void> SimulatedDisk::pass(DiskOperation operation, Moment moment, const std::string& name) {
  if (!is_down_ && observer_ && observer_(operation, moment, name)) {
    crash();
    return no_power();
  }
  return {};
}

void SimulatedDisk::name(const std::string& name, std::shared_ptr<Content> content) {
  unsynced_.push_back({folder_of(name), name, content});
  if (content == nullptr) {
    names_.erase(name);
  } else {
    names_[name] = std::move(content);
  }
}

Result<std::unique_ptr<File>> SimulatedDisk::create(const std::string& file) {
  if (auto passed = pass(DiskOperation::kCreate, Moment::kBefore, file); !passed) {
    return passed.error();
  }
  if (auto changed = change(); !changed) {
    return changed.error();
  }
  if (names_.contains(file) || (!folder_of(file).empty() && !folders_.contains(folder_of(file)))) {
    return Error{ErrorCategory::kRetry, kIoError, fmt::format("cannot create {}", file), "", 0};
  }
  auto content = std::make_shared<Content>();
  name(file, content);
  if (auto passed = pass(DiskOperation::kCreate, Moment::kAfter, file); !passed) {
    return passed.error();
  }
  return std::unique_ptr<File>(std::make_unique<OpenFile>(*this, file, content));
}

Result<std::unique_ptr<File>> SimulatedDisk::open(const std::string& file) {
  if (is_down_) {
    return no_power();
  }
  const auto found = names_.find(file);
  if (found == names_.end()) {
    return no_such(file);
  }
  return std::unique_ptr<File>(std::make_unique<OpenFile>(*this, file, found->second));
}

Result<bool> SimulatedDisk::exists(const std::string& file) {
  return is_down_ ? Result<bool>(no_power()) : Result<bool>(names_.contains(file));
}

Result<std::vector<std::string>> SimulatedDisk::list(const std::string& folder) {
  if (is_down_) {
    return no_power();
  }
  std::vector<std::string> found;
  for (const auto& [file, content] : names_) {
    if (folder_of(file) == folder) {
      found.push_back(folder.empty() ? file : file.substr(folder.size() + 1));
    }
  }
  return found;
}

Result<void> SimulatedDisk::make_folder(const std::string& folder) {
  if (auto changed = change(); !changed) {
    return changed;
  }
  for (std::string made = folder; !made.empty(); made = folder_of(made)) {
    folders_.insert(made);
  }
  return {};
}

Result<void> SimulatedDisk::rename(const std::string& from, const std::string& to) {
  if (auto passed = pass(DiskOperation::kRename, Moment::kBefore, to); !passed) {
    return passed;
  }
  if (auto changed = change(); !changed) {
    return changed;
  }
  const auto found = names_.find(from);
  if (found == names_.end()) {
    return no_such(from);
  }
  // One change, or a crash could keep half of it.
  auto content = found->second;
  names_.erase(found);
  names_[to] = content;
  unsynced_.push_back({folder_of(to), to, content});
  unsynced_.push_back({folder_of(from) + "/\n", from, nullptr});
  return pass(DiskOperation::kRename, Moment::kAfter, to);
}

Result<void> SimulatedDisk::remove(const std::string& file) {
  const bool is_there = names_.contains(file);
  if (auto passed = is_there ? pass(DiskOperation::kRemove, Moment::kBefore, file) : Result<void>(); !passed) {
    return passed;
  }
  if (auto changed = change(); !changed) {
    return changed;
  }
  if (!is_there) {
    return {};
  }
  name(file, nullptr);
  return pass(DiskOperation::kRemove, Moment::kAfter, file);
}

Result<void> SimulatedDisk::sync_folder(const std::string& folder) {
  if (auto passed = pass(DiskOperation::kSyncFolder, Moment::kBefore, folder); !passed) {
    return passed;
  }
  if (auto changed = change(); !changed) {
    return changed;
  }
  // A journalling file system: with a folder everything that happened before in any folder lasts.
  synced_names_ = names_;
  unsynced_.clear();
  return pass(DiskOperation::kSyncFolder, Moment::kAfter, folder);
}

void SimulatedDisk::crash() {
  size_t kept = below_(unsynced_.size() + 1);
  if (kept < unsynced_.size() && unsynced_[kept].folder.ends_with('\n')) {
    ++kept;  // The second half of a rename.
  }
  names_ = synced_names_;
  for (size_t i = 0; i < kept; ++i) {
    if (unsynced_[i].content == nullptr) {
      names_.erase(unsynced_[i].name);
    } else {
      names_[unsynced_[i].name] = unsynced_[i].content;
    }
  }
  for (auto& [file, content] : names_) {
    lose_unsynced(*content);
    content->durable = content->seen;
    content->unsynced.clear();
  }
  synced_names_ = names_;
  unsynced_.clear();
  ++life_;
  is_down_ = true;
}

void SimulatedDisk::crash_after(uint64_t changes) { crash_at_ = changes_ + changes; }

void SimulatedDisk::lose_unsynced(Content& content) {
  std::string left = content.durable;
  for (const Content::Write& write : content.unsynced) {
    bool is_any_left = false;
    bool is_any_lost = false;
    for (uint64_t at = 0; at < write.bytes.size();) {
      const uint64_t size = std::min<uint64_t>(kSector - (write.offset + at) % kSector, write.bytes.size() - at);
      if (below_(2) == 0) {
        put(left, write.offset + at, std::string_view(write.bytes).substr(at, size));
        is_any_left = true;
      } else {
        is_any_lost = true;
      }
      at += size;
    }
    torn_writes_ += is_any_left && is_any_lost ? 1 : 0;
  }
  content.seen = std::move(left);
  content.unsynced.clear();
}

void SimulatedDisk::flip(const std::string& file, uint64_t bit) {
  const auto found = names_.find(file);
  CHECK(found != names_.end() && bit / 8 < found->second->seen.size());
  for (std::string* bytes : {&found->second->seen, &found->second->durable}) {
    if (bit / 8 < bytes->size()) {
      (*bytes)[bit / 8] = static_cast<char>((*bytes)[bit / 8] ^ (1 << (bit % 8)));
    }
  }
}

uint64_t SimulatedDisk::bytes() const {
  uint64_t sum = 0;
  for (const auto& [file, content] : names_) {
    sum += content->seen.size();
  }
  return sum;
}

std::vector<std::string> SimulatedDisk::names() const {
  std::vector<std::string> all;
  for (const auto& [file, content] : names_) {
    all.push_back(file);
  }
  return all;
}

std::string SimulatedDisk::content(const std::string& file) const { return names_.at(file)->seen; }

std::map<std::string, std::string> SimulatedDisk::image() const {
  std::map<std::string, std::string> made;
  for (const auto& [file, content] : names_) {
    made[file] = content->seen;
  }
  return made;
}

void SimulatedDisk::put_back(const std::map<std::string, std::string>& image) {
  names_.clear();
  for (const auto& [file, bytes] : image) {
    auto content = std::make_shared<Content>();
    content->seen = bytes;
    content->durable = bytes;
    names_[file] = std::move(content);
  }
  synced_names_ = names_;
  unsynced_.clear();
  ++life_;
}

}  // namespace daedalus::durability

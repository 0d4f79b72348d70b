#include "daedalus/durability/record_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::durability {

namespace {

/// Written at a time: enough for a group of thousands, little beside the memory of a node.
constexpr size_t kWriteBytes = 1u << 20;

}  // namespace

RecordLog::RecordLog(Disk& disk, RecordLogOptions options, LogEnd end)
    : disk_(disk),
      options_(std::move(options)),
      number_max_(end.number_max),
      newest_(end.newest),
      previous_number_(end.number),
      previous_end_(end.end),
      former_(std::move(end.files)),
      appended_(end.last),
      written_(end.last),
      durable_(end.last),
      last_durable_record_(end.last_record) {}

void RecordLog::append(Timestamp last, std::string payload) {
  CHECK(last > appended_);
  appended_ = last;
  kept_.push_back(Kept{last, std::move(payload)});
}

Result<void> RecordLog::write() {
  while (has_unwritten()) {
    if (file_ != nullptr && used_ >= options_.file_bytes) {
      if (auto ended = end_full_file(); !ended) {
        return ended;
      }
    }
    if (file_ == nullptr) {
      if (auto opened = open_file(); !opened) {
        return opened;
      }
    }
    if (auto written = write_group(); !written) {
      return written;
    }
  }
  return {};
}

Result<void> RecordLog::end_full_file() {
  // The next file names this one's end, which has to be true before it is said.
  if (auto synced = sync(); !synced) {
    return synced;
  }
  former_.push_back(LogFile{log_file_name(options_.folder, number_), durable_, used_});
  previous_number_ = number_;
  previous_end_ = used_;
  file_.reset();
  return {};
}

Result<void> RecordLog::write_group() {
  std::string bytes;
  size_t next = next_unwritten_;
  while (next < kept_.size() && bytes.size() < kWriteBytes && used_ + bytes.size() < options_.file_bytes) {
    encode_record({options_.kind, number_}, {used_ + bytes.size(), synced_}, kept_[next].last, kept_[next].payload,
                  bytes);
    ++next;
  }
  if (auto written = file_->write(used_, bytes); !written) {
    // Part of it may be there, and another part may follow without it: only a file without such a past is sound.
    give_up_file();
    return written;
  }
  used_ += bytes.size();
  next_unwritten_ = next;
  written_ = kept_[next - 1].last;
  return {};
}

Result<void> RecordLog::sync() {
  if (!has_unsynced()) {
    return {};
  }
  if (auto synced = file_->sync(); !synced) {
    give_up_file();
    return synced;
  }
  synced_ = used_;
  durable_ = written_;
  last_durable_record_ = written_;
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(next_unwritten_));
  next_unwritten_ = 0;
  return {};
}

void RecordLog::give_up_file() {
  const bool has_records = synced_ > kLogHeaderSize;
  former_.push_back(LogFile{log_file_name(options_.folder, number_), has_records ? durable_ : Timestamp{}, synced_});
  if (has_records) {
    previous_number_ = number_;
    previous_end_ = synced_;
  }
  file_.reset();
  next_unwritten_ = 0;
  written_ = durable_;
}

Result<void> RecordLog::open_file() {
  const uint64_t number = number_max_ + 1;
  const std::string name = log_file_name(options_.folder, number);
  auto file = next_file(name);
  if (!file) {
    return file.error();
  }
  number_max_ = number;  // Whatever becomes of it, the name has been used.
  auto done =
      (*file)->write(0, encode_header({options_.kind, number, previous_number_, previous_end_, last_durable_record_}));
  if (done) {
    done = (*file)->sync();
  }
  if (done) {
    done = disk_.sync_folder(options_.folder);
  }
  if (!done) {
    former_.push_back(LogFile{name, Timestamp{}, 0});
    return done;
  }
  file_ = std::move(*file);
  number_ = number;
  newest_ = number;
  used_ = kLogHeaderSize;
  synced_ = kLogHeaderSize;
  return {};
}

Result<std::unique_ptr<File>> RecordLog::next_file(const std::string& name) {
  if (prepared_ == nullptr) {
    return disk_.create(name);
  }
  std::unique_ptr<File> file = std::move(prepared_);
  if (auto renamed = disk_.rename(prepared_name(), name); !renamed) {
    return renamed.error();
  }
  return file;
}

Result<void> RecordLog::release(Timestamp through) {
  bool is_any_removed = false;
  // Who reads the log has to find out where it ends. Files behind the newest were given up before they had a header: a
  // full disk leaves many of those.
  const std::string newest = file_ == nullptr ? log_file_name(options_.folder, newest_) : "";
  while (!former_.empty() && former_.front().last <= through && former_.front().name != newest) {
    if (auto removed = disk_.remove(former_.front().name); !removed) {
      return removed;
    }
    former_.pop_front();
    is_any_removed = true;
  }
  return is_any_removed ? disk_.sync_folder(options_.folder) : Result<void>{};
}

uint64_t RecordLog::bytes() const {
  uint64_t sum = file_ == nullptr ? 0 : used_;
  for (const LogFile& file : former_) {
    sum += file.bytes;
  }
  return sum;
}

namespace {

Result<void> fill_with_zeros(File& file, uint64_t bytes) {
  const std::string zeros(std::min<uint64_t>(bytes, kWriteBytes), '\0');
  for (uint64_t written = 0; written < bytes; written += zeros.size()) {
    if (auto done = file.write(written, std::string_view(zeros).substr(0, bytes - written)); !done) {
      return done;
    }
  }
  return file.sync();
}

}  // namespace

Result<std::unique_ptr<File>> prepare_file(Disk& disk, const std::string& name, uint64_t bytes) {
  if (auto removed = disk.remove(name); !removed) {
    return removed.error();
  }
  auto file = disk.create(name);
  if (!file) {
    return file;
  }
  if (auto filled = fill_with_zeros(**file, bytes); !filled) {
    static_cast<void>(disk.remove(name));  // All room there is belongs to records.
    return filled.error();
  }
  return file;
}

std::string log_file_name(const std::string& folder, uint64_t number) {
  return fmt::format("{}/{:020}.log", folder, number);
}

uint64_t log_file_number(const std::string& name) {
  constexpr size_t kDigits = 20;
  uint64_t number = 0;
  if (name.size() != kDigits + 4 || !name.ends_with(".log")) {
    return 0;
  }
  const auto [end, error] = std::from_chars(name.data(), name.data() + kDigits, number);
  return error == std::errc{} && end == name.data() + kDigits ? number : 0;
}

}  // namespace daedalus::durability

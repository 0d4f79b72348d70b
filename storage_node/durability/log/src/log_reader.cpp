#include "daedalus/durability/log_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace daedalus::durability {

namespace {

Error damaged(const std::string& file, uint64_t offset, const std::string& what) {
  return Error{ErrorCategory::kFatal, kDataCorrupted, fmt::format("{} is damaged at byte {}: {}", file, offset, what),
               kDamagedHint, 0};
}

/// One file of the log as it lies on disk.
struct FoundFile {
  std::string name;
  uint64_t number = 0;
  std::string bytes;
  std::optional<LogFileHeader> header;
};

class LogReader {
 public:
  LogReader(Disk& disk, const ReadLogOptions& options, const TakeRecord& take)
      : disk_(disk), options_(options), take_(take) {}

  Result<LogEnd> read();

 private:
  [[nodiscard]] Result<FoundFile> load(uint64_t number) const;
  /// Reads the header of the file with that number; returns nothing where the file was given up before it had one.
  [[nodiscard]] Result<std::optional<LogFileHeader>> header_of(uint64_t number) const;
  [[nodiscard]] Result<void> choose_chain();
  [[nodiscard]] Result<void> read_file(const FoundFile& file, std::optional<uint64_t> end);
  [[nodiscard]] Result<void> check_tail(const FoundFile& file, uint64_t offset) const;
  [[nodiscard]] bool has_record(const FoundFile& file, uint64_t from, uint64_t synced_above) const;
  void list_files();
  [[nodiscard]] LogFileId id_of(const FoundFile& file) const { return {options_.kind, file.number}; }

  struct Link {
    uint64_t number = 0;
    std::optional<uint64_t> end;  ///< As the file after it says; none: it is the last.
  };

  Disk& disk_;
  const ReadLogOptions& options_;
  const TakeRecord& take_;
  std::vector<uint64_t> numbers_;  ///< Holds the numbers of all files, ascending.
  std::vector<Link> chain_;        ///< Oldest first.
  bool reaches_back_ = false;
  Timestamp seen_{};  ///< Records that come next end later than this.
  LogEnd end_;
};

Result<LogEnd> LogReader::read() {
  const auto names = disk_.list(options_.folder);
  if (!names) {
    return names.error();
  }
  for (const std::string& name : *names) {
    if (const uint64_t number = log_file_number(name); number != 0) {
      numbers_.push_back(number);
    }
  }
  end_.number_max = numbers_.empty() ? 0 : numbers_.back();
  end_.last = options_.after;
  if (auto chosen = choose_chain(); !chosen) {
    return chosen.error();
  }
  for (const Link& link : chain_) {
    const auto file = load(link.number);
    if (!file) {
      return file.error();
    }
    if (auto done = read_file(*file, link.end); !done) {
      return done.error();
    }
  }
  list_files();
  return std::move(end_);
}

/// All files there are, in order: those of the chain as they were read, and those that hold nothing that counts.
void LogReader::list_files() {
  std::deque<LogFile> all;
  for (const uint64_t number : numbers_) {
    const std::string name = log_file_name(options_.folder, number);
    if (!end_.files.empty() && end_.files.front().name == name) {
      all.push_back(std::move(end_.files.front()));
      end_.files.pop_front();
    } else {
      all.push_back(LogFile{name, Timestamp{}, 0});
    }
  }
  end_.files = std::move(all);
}

Result<FoundFile> LogReader::load(uint64_t number) const {
  FoundFile file{log_file_name(options_.folder, number), number, {}, {}};
  auto bytes = daedalus::durability::read_file(disk_, file.name);
  if (!bytes) {
    return bytes.error();
  }
  file.bytes = std::move(*bytes);
  file.header = decode_header(file.bytes);
  if (file.header && (file.header->kind != options_.kind || file.header->number != number)) {
    return damaged(file.name, 0, "it is the file of another log");
  }
  if (!file.header && has_record(file, kLogHeaderSize, 0)) {
    return damaged(file.name, 0, "its header is not valid, records behind it are");
  }
  return file;
}

Result<std::optional<LogFileHeader>> LogReader::header_of(uint64_t number) const {
  auto file = disk_.open(log_file_name(options_.folder, number));
  if (!file) {
    return file.error();
  }
  const auto bytes = (*file)->read(0, kLogHeaderSize);
  if (!bytes) {
    return bytes.error();
  }
  if (auto header = decode_header(*bytes)) {
    return header;
  }
  const auto whole = load(number);  // Finds out whether it ever had records.
  return whole ? Result<std::optional<LogFileHeader>>(whole->header) : whole.error();
}

/// From the newest file that was begun, back over what each says of the one before it. Files that nothing leads to were
/// given up before a record of them counted, or lie before what is wanted.
Result<void> LogReader::choose_chain() {
  std::optional<Link> next;
  for (auto number = numbers_.rbegin(); number != numbers_.rend() && !next; ++number) {
    const auto header = header_of(*number);
    if (!header) {
      return header.error();
    }
    if (*header) {
      next = Link{*number, std::nullopt};
      end_.newest = *number;
    }
  }
  while (next) {
    const bool is_there = std::binary_search(numbers_.begin(), numbers_.end(), next->number);
    if (!is_there && reaches_back_) {
      break;
    }
    const std::string name = log_file_name(options_.folder, next->number);
    if (!is_there) {
      return damaged(name, 0,
                     fmt::format("the file is missing, and the log is wanted from {}", raw(options_.after) + 1));
    }
    const auto header = header_of(next->number);
    if (!header) {
      return header.error();
    }
    if (!*header) {
      return damaged(name, 0, "its header is not valid, and the file after it names it");
    }
    if ((*header)->previous_number >= next->number) {
      return damaged(name, 0, fmt::format("it says that file {} comes before it", (*header)->previous_number));
    }
    chain_.insert(chain_.begin(), *next);
    end_.first_after = (*header)->after;
    end_.last_record = std::max(end_.last_record, (*header)->after);  // The files before it are gone.
    reaches_back_ = (*header)->after <= options_.after;
    if (reaches_back_ && !options_.is_older_wanted) {
      break;
    }
    if ((*header)->previous_number == 0 && !reaches_back_) {
      return damaged(name, 0,
                     fmt::format("the log begins after {}, and is wanted from {}", raw((*header)->after),
                                 raw(options_.after) + 1));
    }
    next = (*header)->previous_number == 0 ? std::nullopt
                                           : std::optional(Link{(*header)->previous_number, (*header)->previous_end});
  }
  return {};
}

Result<void> LogReader::read_file(const FoundFile& file, std::optional<uint64_t> end) {
  uint64_t offset = kLogHeaderSize;
  Timestamp last{};
  std::string_view last_payload;
  const std::string_view bytes(file.bytes);
  const bool is_first = file.number == chain_.front().number;
  if (!is_first && file.header->after != seen_) {
    return damaged(
        file.name, 0,
        fmt::format("it goes on after {}, and the log before it ends at {}", raw(file.header->after), raw(seen_)));
  }
  seen_ = file.header->after;
  while (!end || offset < *end) {
    const auto record = offset < bytes.size() ? decode_record(id_of(file), offset, bytes.substr(offset)) : std::nullopt;
    if (!record) {
      if (end) {
        return damaged(file.name, offset, fmt::format("a record is not valid, and the log goes on to byte {}", *end));
      }
      if (auto tail = check_tail(file, offset); !tail) {
        return tail;
      }
      break;
    }
    if (record->last <= seen_) {
      return damaged(file.name, offset, "a record is out of order");
    }
    seen_ = record->last;
    if (record->last > options_.after || options_.is_older_wanted) {
      if (auto taken = take_(record->last, record->payload); !taken) {
        Error error = taken.error();
        error.message = fmt::format("{} at byte {}: {}", file.name, offset, error.message);
        return error;
      }
      end_.last = std::max(end_.last, record->last);
    }
    last = record->last;
    last_payload = record->payload;
    offset += record->size;
  }
  if (last > Timestamp{} || end) {
    end_.number = file.number;
    end_.end = offset;
  }
  if (last > Timestamp{}) {
    end_.last_payload = last_payload;
    end_.last_record = std::max(end_.last_record, last);
  }
  end_.files.push_back(LogFile{file.name, last, offset});
  return {};
}

/// Checks what follows the last valid record, which a crash may have left of the last writes; not so where a later
/// record knew it to be durable.
Result<void> LogReader::check_tail(const FoundFile& file, uint64_t offset) const {
  if (has_record(file, offset, offset)) {
    return damaged(file.name, offset, "a record is not valid although it had been synced: others follow it");
  }
  return {};
}

/// Returns whether a valid record begins at or behind `from` that knew more than `synced_above` bytes to be durable.
bool LogReader::has_record(const FoundFile& file, uint64_t from, uint64_t synced_above) const {
  const std::string_view bytes(file.bytes);
  for (uint64_t offset = from; offset + kRecordHeaderSize <= bytes.size(); offset += kRecordAlignment) {
    const auto record = decode_record(id_of(file), offset, bytes.substr(offset));
    if (record && record->synced > synced_above) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<LogEnd> read_log(Disk& disk, const ReadLogOptions& options, const TakeRecord& take) {
  return LogReader(disk, options, take).read();
}

}  // namespace daedalus::durability

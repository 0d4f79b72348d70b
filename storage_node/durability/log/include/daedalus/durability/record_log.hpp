// A log: records appended in order to numbered files, made durable a group at a time.
//
// Decides where records lie, when a file ends, and what becomes of records whose sync failed: they are written again,
// to a new file that says where the failed one ends. Refuses to know what records mean, threads and time: the owner
// calls write() and sync() on a thread that may wait for the disk.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/durability/log_format.hpp"

namespace daedalus::durability {

struct RecordLogOptions {
  LogKind kind = LogKind::kUpdates;
  std::string folder;               ///< There already.
  uint64_t file_bytes = 16u << 20;  ///< A file that has so many gets no further record.
};

/// A file that a log was read from.
struct LogFile {
  std::string name;
  Timestamp last{};  ///< The stamp of its last record; 0: it has none.
  uint64_t bytes = 0;
};

/// Says where a log that was read ends (read_log()), and a new one goes on.
struct LogEnd {
  uint64_t number_max = 0;    ///< The highest file number in use, valid or not; 0: none.
  uint64_t newest = 0;        ///< The newest file with a valid header: what is older is found through it; 0: none.
  uint64_t number = 0;        ///< The file with the last record; 0: there is none.
  uint64_t end = 0;           ///< Behind that record.
  Timestamp first_after{};    ///< All records later than this are there.
  Timestamp last{};           ///< The last that was wanted; where there was none, what was asked for.
  Timestamp last_record{};    ///< The stamp of the last record, wanted or not, still there or gone.
  std::string last_payload;   ///< The payload of that record, wanted or not.
  std::deque<LogFile> files;  ///< All there are, oldest first.
};

class RecordLog {
 public:
  /// Goes on after `end`, in a new file.
  RecordLog(Disk& disk, RecordLogOptions options, LogEnd end);

  /// Takes a record; it is kept until it is durable. Precondition (CHECKed): `last` is above that of the one before.
  void append(Timestamp last, std::string payload);
  /// Writes what was appended. After an error nothing is lost: call it again when there may be room.
  [[nodiscard]] Result<void> write();
  /// Makes everything written outlive a loss of power. After an error it is to be written again, to another file:
  /// write().
  [[nodiscard]] Result<void> sync();
  /// Removes the files that hold nothing later than `through`, but for the newest one: the log ends there. Errors leave
  /// them; they are tried again.
  [[nodiscard]] Result<void> release(Timestamp through);

  /// A file for what comes when this one is full, made by prepare_file() on any thread.
  void give_prepared(std::unique_ptr<File> file) { prepared_ = std::move(file); }
  [[nodiscard]] bool wants_prepared() const {
    return prepared_ == nullptr && (file_ == nullptr || used_ > options_.file_bytes / 4);
  }
  [[nodiscard]] std::string prepared_name() const { return options_.folder + "/next"; }
  [[nodiscard]] uint64_t file_bytes() const { return options_.file_bytes; }

  [[nodiscard]] Timestamp appended() const { return appended_; }
  [[nodiscard]] Timestamp written() const { return written_; }
  [[nodiscard]] Timestamp durable() const { return durable_; }
  /// Names the last record that is durable: whoever reads the log must find it. Never above durable().
  [[nodiscard]] Timestamp last_durable_record() const { return last_durable_record_; }
  [[nodiscard]] bool has_unwritten() const { return next_unwritten_ < kept_.size(); }
  [[nodiscard]] bool has_unsynced() const { return next_unwritten_ > 0; }
  /// Adds up all its files.
  [[nodiscard]] uint64_t bytes() const;

 private:
  struct Kept {
    Timestamp last{};
    std::string payload;
  };

  [[nodiscard]] Result<void> open_file();
  [[nodiscard]] Result<std::unique_ptr<File>> next_file(const std::string& name);
  [[nodiscard]] Result<void> write_group();
  [[nodiscard]] Result<void> end_full_file();
  void give_up_file();
  [[nodiscard]] std::string name_of(uint64_t number) const;

  Disk& disk_;
  RecordLogOptions options_;
  uint64_t number_max_;  ///< The highest file number ever used.
  uint64_t newest_;      ///< The newest file whose header is durable, be it given up; 0: none.
  // ---- the file being written; none: the next write opens one ----
  std::unique_ptr<File> file_;
  uint64_t number_ = 0;
  uint64_t used_ = 0;    ///< Bytes of it that hold records.
  uint64_t synced_ = 0;  ///< Bytes of it that are durable.
  // ---- what comes before the file being written, or the next ----
  uint64_t previous_number_;
  uint64_t previous_end_;
  std::deque<LogFile> former_;

  std::unique_ptr<File> prepared_;
  std::deque<Kept> kept_;      ///< Appended and not durable.
  size_t next_unwritten_ = 0;  ///< In kept_.
  Timestamp appended_;
  Timestamp written_;
  Timestamp durable_;
  Timestamp last_durable_record_;
};

/// A file of `bytes` zeros, durable: writing into it later changes no more than its content. Replaces one of that name.
[[nodiscard]] Result<std::unique_ptr<File>> prepare_file(Disk& disk, const std::string& name, uint64_t bytes);

/// The name of a log's file; its number from its name, 0 where it is none.
[[nodiscard]] std::string log_file_name(const std::string& folder, uint64_t number);
[[nodiscard]] uint64_t log_file_number(const std::string& name);

}  // namespace daedalus::durability

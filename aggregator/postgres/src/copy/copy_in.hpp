// A COPY … FROM STDIN while it is under way: what its client sends is gathered, converted by another thread, and
// becomes one update, or several that follow each other.
//
//          256 KiB have come, or all           rows
//   bytes ───────────────────────────► convert ────► one update, with whatever else comes up to Sync;
//     ▲                                   │          or a batch, which leaves once the one before it is confirmed
//     └───────────────────────────────────┘
//
// Decides what is to be done next, and what is said of a COPY that fails. It ends once nothing of it is under way.
// Refuses to know frames, workers and the writer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "copy_reader.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "failure.hpp"

namespace daedalus::postgres {

/// Rows as an update that inserts them.
[[nodiscard]] wire::v1::UpdateBody insert_of(std::string rows, uint32_t row_count);

class CopyIn {
 public:
  /// So many bytes are converted at once; fewer at the end.
  static constexpr size_t kPieceSize = 256u << 10;
  /// An update of a COPY in batches has so many rows or bytes, and at most a portion of the reader's more.
  static constexpr uint32_t kBatchRows = 16'384;
  static constexpr size_t kBatchBytes = 1u << 20;

  /// The session does this next.
  enum class Next : uint8_t {
    kTakeBytes,        ///< feed() or end(), as soon as its client sends more.
    kConvert,          ///< take_piece() is for a worker.
    kAwaitConversion,  ///< on_converted() is to come.
    kSubmit,           ///< A batch is full: begin_batch(), and submit update().
    kAwaitOutcome,     ///< on_submitted() is to come.
    kFail,             ///< take_failure().
    kFinish,           ///< All its rows are there: take_rows(), unless they are in.
  };
  /// Rows that go together, and the last line they came from.
  struct Batch {
    std::string rows;
    uint32_t row_count = 0;
    uint64_t last_line = 0;

    [[nodiscard]] bool is_full() const { return row_count >= kBatchRows || rows.size() >= kBatchBytes; }
  };

  CopyIn(std::shared_ptr<CopyReader> reader, bool is_in_batches, Instant deadline)
      : reader_(std::move(reader)), is_in_batches_(is_in_batches), deadline_(deadline) {}

  /// To be asked after each of the calls below.
  [[nodiscard]] Next next() const;

  void feed(std::string_view bytes) { bytes_.append(bytes); }
  /// Its client has sent all.
  void end();
  [[nodiscard]] Work::Convert take_piece();
  void on_converted(CopyRows rows);
  /// The first failure stays.
  void fail(Failure failure);
  [[nodiscard]] Failure take_failure();
  [[nodiscard]] Batch take_rows() { return std::exchange(rows_, {}); }

  // ---- in batches ----
  [[nodiscard]] bool is_in_batches() const { return is_in_batches_; }
  void begin_batch();
  [[nodiscard]] const wire::v1::UpdateBody& update() const { return update_; }
  /// The update has failed with this; nothing: it is in.
  void on_submitted(std::optional<Failure> failure);
  /// Counts the rows of updates that were confirmed.
  [[nodiscard]] uint64_t rows_in() const { return rows_in_; }

  /// When it takes too long; never once it has failed.
  [[nodiscard]] Instant deadline() const { return failure_ ? kNever : deadline_; }
  [[nodiscard]] uint64_t kept_bytes() const { return bytes_.size() + rows_.rows.size(); }

 private:
  [[nodiscard]] bool has_batch() const;
  /// Says for an error how many rows are in.
  [[nodiscard]] std::string progress() const;

  const std::shared_ptr<CopyReader> reader_;
  const bool is_in_batches_;
  const Instant deadline_;
  std::string bytes_;  ///< That have not been converted yet.
  bool has_ended_ = false;
  bool is_drained_ = true;  ///< Nothing is to be converted before more bytes have come.
  bool is_converting_ = false;
  Batch rows_;  ///< Converted, and not submitted.
  std::optional<Failure> failure_;

  // ---- in batches ----
  bool is_in_flight_ = false;    ///< An update is at the writer; there is never a second one.
  wire::v1::UpdateBody update_;  ///< That update.
  uint32_t flight_rows_ = 0;
  uint64_t flight_line_ = 0;
  bool has_flight_failed_ = false;
  uint64_t rows_in_ = 0;
  uint64_t line_in_ = 0;  ///< Their last line.
};

}  // namespace daedalus::postgres

// What a session keeps of a COPY … FROM STDIN while it is under way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "copy_reader.hpp"
#include "session.hpp"

namespace daedalus::postgres {

struct PgSession::CopyIn {
  /// So many bytes are converted at once; fewer at the end.
  static constexpr size_t kPieceSize = 256u << 10;
  /// An update of a COPY in batches has so many rows or bytes, and at most a portion of the reader's more.
  static constexpr uint32_t kBatchRows = 16'384;
  static constexpr size_t kBatchBytes = 1u << 20;

  /// Rows that go together, and the last line they came from.
  struct Batch {
    std::string rows;
    uint32_t row_count = 0;
    uint64_t last_line = 0;

    [[nodiscard]] bool is_full() const { return row_count >= kBatchRows || rows.size() >= kBatchBytes; }
  };

  std::shared_ptr<CopyReader> reader;
  bool is_in_batches = false;
  bool has_ended = false;  ///< Its client has sent all.
  bool is_drained = true;  ///< The reader needs more bytes.
  std::string bytes;       ///< That have not been converted yet.
  Batch next;              ///< Converted, and not submitted.
  Instant deadline = kNever;
  std::optional<Failure> failure;  ///< It ends once what is under way is done.

  // ---- in batches ----
  bool is_in_flight = false;  ///< An update is at the writer; there is never a second one.
  wire::v1::UpdateBody body;  ///< That update.
  uint32_t flight_rows = 0;
  uint64_t flight_line = 0;
  bool has_flight_failed = false;
  uint64_t rows_in = 0;  ///< Of updates that were confirmed.
  uint64_t line_in = 0;  ///< Their last line.
};

/// What a COPY begins with.
struct PgSession::CopyStart {
  std::shared_ptr<CopyReader> reader;
  CopyFormat format = CopyFormat::kText;
  size_t column_count = 0;
};

/// Rows as an update that inserts them.
[[nodiscard]] wire::v1::UpdateBody insert_of(std::string rows, uint32_t row_count);

}  // namespace daedalus::postgres

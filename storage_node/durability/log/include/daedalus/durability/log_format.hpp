// The bytes of a log's files (docs/durability.md): headers, records, and what makes either valid.
//
// A file is a header and records behind it, each at a multiple of eight bytes; behind the last are zeros. A record says
// where it lies and is checked with its log and its file's number, so that one that was written to another place is no
// record there. Refuses to know what records mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/units.hpp"

namespace daedalus::durability {

/// Which log a file belongs to.
enum class LogKind : uint32_t { kUpdates = 1, kOutcomes = 2 };

struct LogFileHeader {
  LogKind kind{};
  uint64_t number = 0;           ///< The number of this file; numbers ascend, not all are there.
  uint64_t previous_number = 0;  ///< The file whose records come before those of this one; 0: none.
  uint64_t previous_end = 0;     ///< Says where those end: what lies behind in that file never happened.
  Timestamp after{};             ///< Every record of this file ends later than this.
};

constexpr uint32_t kLogVersion = 1;
constexpr uint64_t kLogHeaderSize = 64;
constexpr uint64_t kRecordHeaderSize = 32;
constexpr uint64_t kRecordAlignment = 8;
/// More than any update a node takes; what claims to be longer is none.
constexpr uint32_t kRecordPayloadMax = 64u << 20;

struct LogFileId {
  LogKind kind{};
  uint64_t number = 0;
};

/// A record as it lies in a file. `payload` points into what was read.
struct RecordView {
  Timestamp last{};     ///< The highest timestamp it is about.
  uint64_t synced = 0;  ///< So many bytes of the file were durable when it was written.
  std::string_view payload;
  uint64_t size = 0;  ///< In the file, padding included.
};

[[nodiscard]] std::string encode_header(const LogFileHeader& header);
/// Nothing where it is no valid header.
[[nodiscard]] std::optional<LogFileHeader> decode_header(std::string_view bytes);

/// Says where a record is to lie, and how much before it is durable.
struct RecordPlace {
  uint64_t offset = 0;
  uint64_t synced = 0;
};
[[nodiscard]] uint64_t record_size(uint64_t payload_size);
/// Appends one record to `bytes`, padding included.
void encode_record(LogFileId file, RecordPlace place, Timestamp last, std::string_view payload, std::string& bytes);
/// The record at `offset`, where `bytes` begin; nothing where no valid one begins there or it is cut short.
[[nodiscard]] std::optional<RecordView> decode_record(LogFileId file, uint64_t offset, std::string_view bytes);

}  // namespace daedalus::durability

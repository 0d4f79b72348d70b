#include "daedalus/durability/node_records.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "daedalus/durability/disk.hpp"
#include "daedalus/durability/log_format.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::durability {

namespace {

using node::LogRecord;
using node::OutcomeRecord;

/// Kind, epoch, first timestamp, digest, chain: eight bytes each.
constexpr size_t kUpdateHead = 40;
constexpr uint64_t kUpdate = 1;
constexpr uint64_t kNoOpRange = 2;
/// No node has so many segments.
constexpr uint64_t kSegmentsMax = 1u << 20;
/// It stands in place of the number of outcomes, which is never that: it follows, and outcomes have rows that failed.
/// Twice: they have rows by parts, too.
constexpr uint64_t kWithMore = 0;
constexpr uint64_t kVarintSizeMax = 10;
/// Counts the numbers of a segment's outcome, beside slots, failed rows and rows by parts.
constexpr uint64_t kSegmentNumbers = 8;
constexpr size_t kSqlstateSize = 5;
constexpr uint64_t kSqlstateBase = 36;
constexpr uint64_t kSqlstateNumberMax =
    kSqlstateBase * kSqlstateBase * kSqlstateBase * kSqlstateBase * kSqlstateBase - 1;

void put_u64(std::string& bytes, uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }

uint64_t get_u64(std::string_view bytes, size_t offset) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void put_varint(std::string& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
}

/// Takes numbers off the front of some bytes; once there is one too few, nothing more comes.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  /// 0 when there is none, or one beyond `max`: then is_sound() is false from now on.
  uint64_t next(uint64_t max = UINT64_MAX) {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        is_sound_ = is_sound_ && value <= max;
        return is_sound_ ? value : 0;
      }
    }
    is_sound_ = false;
    return 0;
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  [[nodiscard]] size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool is_sound_ = true;
};

Error senseless(const char* what) { return Error{ErrorCategory::kFatal, kDataCorrupted, what, "", 0}; }

void put_segment(std::string& bytes, node::SegmentIndex segment, const engine::UpdateOutput& output) {
  put_varint(bytes, raw(segment));
  put_varint(bytes, output.rows_matched);
  put_varint(bytes, output.rows_applied);
  put_varint(bytes, output.refused_no_room);
  put_varint(bytes, output.refused_overflow);
  put_varint(bytes, output.slots.size());
  for (const engine::SlotRun& run : output.slots) {
    put_varint(bytes, run.first);
    put_varint(bytes, run.count);
  }
}

/// A SQLSTATE is five characters, each a digit or a capital letter: the digits of a number to the base 36, at most
/// 60,466,175.
uint64_t number_of(std::string_view sqlstate) {
  uint64_t number = 0;
  for (const char letter : sqlstate) {
    number = number * kSqlstateBase + static_cast<uint64_t>(letter <= '9' ? letter - '0' : letter - 'A' + 10);
  }
  return number;
}

std::string sqlstate_of(uint64_t number) {
  std::string sqlstate(kSqlstateSize, '0');
  for (size_t at = kSqlstateSize; at-- > 0; number /= kSqlstateBase) {
    const auto digit = static_cast<char>(number % kSqlstateBase);
    sqlstate[at] = static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10);
  }
  return sqlstate;
}

void put_failed(std::string& bytes, const engine::UpdateOutput& output) {
  put_varint(bytes, output.failed.size());
  for (const engine::FailedRows& failed : output.failed) {
    put_varint(bytes, number_of(failed.sqlstate));
    put_varint(bytes, failed.row_count);
  }
}

void get_failed(Numbers& numbers, engine::UpdateOutput& output) {
  const uint64_t count = numbers.next(numbers.left());  // Each takes two bytes at least.
  for (uint64_t i = 0; i < count && numbers.is_sound(); ++i) {
    std::string sqlstate = sqlstate_of(numbers.next(kSqlstateNumberMax));
    output.failed.push_back({std::move(sqlstate), numbers.next()});
  }
}

void put_parts(std::string& bytes, const engine::UpdateOutput& output) {
  put_varint(bytes, output.part_rows.size());
  for (const uint64_t rows : output.part_rows) {
    put_varint(bytes, rows);
  }
}

void get_parts(Numbers& numbers, engine::UpdateOutput& output) {
  const uint64_t count = numbers.next(numbers.left());  // Each takes a byte at least.
  for (uint64_t i = 0; i < count && numbers.is_sound(); ++i) {
    output.part_rows.push_back(numbers.next());
  }
}

std::pair<node::SegmentIndex, engine::UpdateOutput> get_segment(Timestamp timestamp, Numbers& numbers) {
  const node::SegmentIndex segment{static_cast<uint32_t>(numbers.next(kSegmentsMax))};
  engine::UpdateOutput output;
  output.timestamp = timestamp;
  output.rows_matched = numbers.next();
  output.rows_applied = numbers.next();
  output.refused_no_room = numbers.next();
  output.refused_overflow = numbers.next();
  const uint64_t runs = numbers.next(numbers.left());  // Each takes two bytes at least.
  for (uint64_t i = 0; i < runs && numbers.is_sound(); ++i) {
    const auto first = static_cast<uint32_t>(numbers.next(UINT32_MAX));
    output.slots.push_back({first, static_cast<uint32_t>(numbers.next(UINT32_MAX - first))});
  }
  return {segment, std::move(output)};
}

/// Holds what a record has behind the numbers of each segment. With parts it has failed rows, too.
struct Form {
  bool has_failed = false;
  bool has_parts = false;
};

Form form_of(std::span<const OutcomeRecord> outcomes) {
  Form form;
  for (const OutcomeRecord& outcome : outcomes) {
    for (const auto& [segment, output] : outcome.segments) {
      form.has_parts = form.has_parts || !output.part_rows.empty();
      form.has_failed = form.has_failed || form.has_parts || !output.failed.empty();
    }
  }
  return form;
}

uint64_t numbers_in(const OutcomeRecord& outcome) {
  uint64_t numbers = 2;
  for (const auto& [segment, output] : outcome.segments) {
    numbers += kSegmentNumbers + 2 * output.slots.size() + 2 * output.failed.size() + output.part_rows.size();
  }
  return numbers;
}

}  // namespace

Chain next_chain(Chain before, const LogRecord& record) {
  std::string bytes;
  put_u64(bytes, before);
  put_u64(bytes, record.body == nullptr ? kNoOpRange : kUpdate);
  put_u64(bytes, raw(record.epoch));
  put_u64(bytes, raw(record.range.first));
  put_u64(bytes, raw(record.range.last));
  put_u64(bytes, record.identity.digest);
  return semantics::digest(bytes);
}

std::string encode_update(const LogRecord& record, Chain before) {
  std::string bytes;
  bytes.reserve(kUpdateHead + (record.body == nullptr ? 0 : record.body->size()));
  put_u64(bytes, record.body == nullptr ? kNoOpRange : kUpdate);
  put_u64(bytes, raw(record.epoch));
  put_u64(bytes, raw(record.range.first));
  put_u64(bytes, record.identity.digest);
  put_u64(bytes, before);
  if (record.body != nullptr) {
    bytes += *record.body;
  }
  return bytes;
}

Result<DecodedUpdate> decode_update(Timestamp last, std::string_view payload) {
  if (payload.size() < kUpdateHead) {
    return senseless("a record of an update is cut short");
  }
  const uint64_t kind = get_u64(payload, 0);
  const Timestamp first{get_u64(payload, 16)};
  const std::string_view body = payload.substr(kUpdateHead);
  const bool is_update = kind == kUpdate && first == last && semantics::digest(body) == get_u64(payload, 24);
  const bool is_range = kind == kNoOpRange && first <= last && raw(first) > 0 && body.empty();
  if (!is_update && !is_range) {
    return senseless("a record is neither an update nor a no-op range");
  }
  LogRecord record{Epoch{get_u64(payload, 8)},
                   {first, last},
                   {.is_no_op = is_range, .digest = get_u64(payload, 24)},
                   is_update ? std::make_shared<const std::string>(body) : nullptr};
  return DecodedUpdate{std::move(record), get_u64(payload, 32)};
}

std::string encode_outcomes(std::span<const OutcomeRecord> outcomes) {
  std::string bytes;
  const Form form = form_of(outcomes);
  if (form.has_failed) {
    put_varint(bytes, kWithMore);
  }
  if (form.has_parts) {
    put_varint(bytes, kWithMore);
  }
  put_varint(bytes, outcomes.size());
  for (const OutcomeRecord& outcome : outcomes) {
    put_varint(bytes, raw(outcome.last));
    put_varint(bytes, outcome.segments.size());
    for (const auto& [segment, output] : outcome.segments) {
      put_segment(bytes, segment, output);
      if (form.has_failed) {
        put_failed(bytes, output);
      }
      if (form.has_parts) {
        put_parts(bytes, output);
      }
    }
  }
  return bytes;
}

size_t outcomes_that_fit(std::span<const OutcomeRecord> outcomes) {
  uint64_t bytes = 0;
  size_t count = 0;
  while (count < outcomes.size()) {
    bytes += kVarintSizeMax * numbers_in(outcomes[count]);
    if (count > 0 && bytes > kRecordPayloadMax / 2) {
      break;
    }
    ++count;
  }
  return count;
}

Result<std::vector<OutcomeRecord>> decode_outcomes(std::string_view payload) {
  Numbers numbers(payload);
  std::vector<OutcomeRecord> outcomes;
  Form form;
  uint64_t count = numbers.next(payload.size());
  for (bool* const has_more : {&form.has_failed, &form.has_parts}) {
    if (count == kWithMore && numbers.left() > 0) {
      *has_more = true;
      count = numbers.next(payload.size());
    }
  }
  Timestamp before{};
  for (uint64_t i = 0; i < count && numbers.is_sound(); ++i) {
    OutcomeRecord& outcome = outcomes.emplace_back();
    outcome.last = Timestamp{numbers.next()};
    if (outcome.last <= before) {
      return senseless("outcomes are out of order");
    }
    before = outcome.last;
    const uint64_t segments = numbers.next(numbers.left());
    for (uint64_t j = 0; j < segments && numbers.is_sound(); ++j) {
      outcome.segments.push_back(get_segment(outcome.last, numbers));
      if (form.has_failed) {
        get_failed(numbers, outcome.segments.back().second);
      }
      if (form.has_parts) {
        get_parts(numbers, outcome.segments.back().second);
      }
    }
  }
  if (!numbers.is_sound() || numbers.left() > 0) {
    return senseless("a record of outcomes is no such record");
  }
  return outcomes;
}

}  // namespace daedalus::durability

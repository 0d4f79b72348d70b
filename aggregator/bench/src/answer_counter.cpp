#include "answer_counter.hpp"

#include <optional>

namespace daedalus::aggregator::bench {

namespace {

constexpr uint64_t kResultsField = 1;  ///< ResultBatch.results
/// The number of Result's field `rows`; the ends of Result are the fields behind it.
constexpr uint64_t kRowsField = 2;
constexpr uint64_t kEndField = 3;
constexpr uint64_t kRowCountField = 3;  ///< The number of QueryRows's field `row_count`.
constexpr uint64_t kLastEndField = 9;
constexpr uint32_t kVarint = 0;
constexpr uint32_t kLengthDelimited = 2;
constexpr uint32_t kVarintBitsMax = 64;

/// Takes a varint off the front; nothing when there is none.
std::optional<uint64_t> take_varint(std::string_view& bytes) noexcept {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < kVarintBitsMax && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

struct Field {
  uint64_t number;
  uint64_t value;          ///< The value of a varint; for another field its length.
  std::string_view bytes;  ///< The contents of a field with a length.
};

/// Takes a field off the front; nothing when its bytes are not all there or its type is unknown.
std::optional<Field> take_field(std::string_view& bytes) noexcept {
  const auto tag = take_varint(bytes);
  if (!tag) {
    return std::nullopt;
  }
  const auto value = take_varint(bytes);
  if (!value) {
    return std::nullopt;
  }
  Field field{*tag >> 3, *value, {}};
  switch (*tag & 7) {
    case kVarint:
      return field;
    case kLengthDelimited:
      if (*value > bytes.size()) {
        return std::nullopt;
      }
      field.bytes = bytes.substr(0, *value);
      bytes.remove_prefix(*value);
      return field;
    default:
      return std::nullopt;
  }
}

uint64_t row_count(std::string_view query_rows) noexcept {
  uint64_t count = 0;
  while (const auto field = take_field(query_rows)) {
    count = field->number == kRowCountField ? field->value : count;
  }
  return count;
}

}  // namespace

Endings count_endings(std::string_view payload) noexcept {
  Endings endings;
  while (!payload.empty()) {
    const auto result = take_field(payload);
    if (!result || result->number != kResultsField) {
      endings.is_whole = false;
      return endings;
    }
    for (std::string_view rest = result->bytes; !rest.empty();) {
      const auto field = take_field(rest);
      if (!field) {
        endings.is_whole = false;
        return endings;
      }
      if (field->number == kRowsField) {
        endings.rows += row_count(field->bytes);
      } else if (field->number == kEndField) {
        ++endings.answered;
      } else if (field->number > kRowsField && field->number <= kLastEndField) {
        ++endings.failed;
      }
    }
  }
  return endings;
}

}  // namespace daedalus::aggregator::bench

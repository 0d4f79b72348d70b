// Walks the bytes of packed values and rows without decoding them: shared by checks, decoders, codecs and merges.
#pragma once

#include <cstdint>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Bytes of a packed value whose size its type alone decides; 0 for strings and numeric without bound.
[[nodiscard]] constexpr uint32_t packed_width(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return 1;
    case TypeKind::kSmallint:
      return 2;
    case TypeKind::kInt:
    case TypeKind::kReal:
    case TypeKind::kDate:
      return 4;
    case TypeKind::kBigint:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      return 8;
    case TypeKind::kInterval:
    case TypeKind::kUuid:
      return 16;
    case TypeKind::kNumeric:
      return type.precision == 0 ? 0 : type.precision <= 18 ? 8 : 16;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return 0;
  }
  return 0;
}

/// Most bytes that a value takes in a packed row.
[[nodiscard]] constexpr uint64_t packed_bytes_max(const Type& type) {
  if (type.kind == TypeKind::kChar || type.kind == TypeKind::kVarchar || type.kind == TypeKind::kText) {
    return sizeof(uint16_t) + length_max(type);
  }
  constexpr uint64_t kNumericHead = 3;  // Size and scale.
  const uint32_t width = packed_width(type);
  return width == 0 ? kNumericHead + kDecimalBytesMax : width;
}

/// Cuts one value's bytes off the front of `rest`: for strings without their length, otherwise all of them. False when
/// `rest` is too short.
[[nodiscard]] inline bool take_packed(const Type& type, std::string_view& rest, std::string_view& value) {
  size_t size = packed_width(type);
  size_t skipped = 0;
  if (size == 0 && is_string(type.kind)) {
    if (rest.size() < 2) {
      return false;
    }
    size = static_cast<uint8_t>(rest[0]) | static_cast<size_t>(static_cast<uint8_t>(rest[1])) << 8;
    skipped = 2;
  } else if (size == 0) {
    if (rest.empty()) {
      return false;
    }
    size = 3 + static_cast<size_t>(static_cast<uint8_t>(rest[0]));
  }
  if (rest.size() < skipped + size) {
    return false;
  }
  value = rest.substr(skipped, size);
  rest.remove_prefix(skipped + size);
  return true;
}

/// Outcome of walk_packed_row().
enum class WalkEnd : uint8_t { kComplete, kCutShort, kTooLong, kStrayNullBits, kStopped };

/// Visits every column of a row (bytes after its u32 size) in order.
///
/// type_at(c)               const Type& of column c
/// visit(c, is_null, bytes) bytes as take_packed() gives them, empty for NULL; false stops the walk (kStopped)
/// Cost                     one pass; no allocation.
template <typename TypeAt, typename Visit>
[[nodiscard]] WalkEnd walk_packed_row(size_t column_count, std::string_view row, TypeAt type_at, Visit visit) {
  const size_t bitmap_size = (column_count + 7) / 8;
  if (row.size() < bitmap_size) {
    return WalkEnd::kCutShort;
  }
  if (column_count % 8 != 0 && (static_cast<uint8_t>(row[bitmap_size - 1]) >> (column_count % 8)) != 0) {
    return WalkEnd::kStrayNullBits;
  }
  std::string_view rest = row.substr(bitmap_size);
  for (size_t column = 0; column < column_count; ++column) {
    std::string_view value;
    const bool null = ((static_cast<uint8_t>(row[column / 8]) >> (column % 8)) & 1) != 0;
    if (!null && !take_packed(type_at(column), rest, value)) {
      return WalkEnd::kCutShort;
    }
    if (!visit(column, null, value)) {
      return WalkEnd::kStopped;
    }
  }
  return rest.empty() ? WalkEnd::kComplete : WalkEnd::kTooLong;
}

/// The error 08P01 for a walk that did not complete (nor was stopped).
[[nodiscard]] Error malformed_row(WalkEnd end);

/// Decodes one value from the bytes take_packed() gave. Errors: 08P01, 22021 for text that is not UTF-8.
[[nodiscard]] Result<Value> decode_packed(const Type& type, std::string_view bytes);

}  // namespace daedalus::semantics

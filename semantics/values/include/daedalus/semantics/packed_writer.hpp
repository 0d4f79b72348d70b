// Packed rows (docs/wire.md) put together from values as they lie in column planes.
//
// Decides how size, NULL bits and values of a row follow each other; whoever encodes rows in bulk
// writes them through it. Refuses to know where values come from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "daedalus/schema/abi.h"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Packing has to know this of a column.
struct PackedColumn {
  uint16_t width = 0;  ///< Bytes of a value, its tail included; strings end in zeros that are not part of them.
  bool is_text = false;

  /// Says whether values lie in two planes: eight bytes of each in the column's, the rest in one of tails.
  [[nodiscard]] bool has_tail() const { return is_text && width > DAEDALUS_STRING_PREFIX_SIZE; }
  /// Bytes of a value in its column's plane.
  [[nodiscard]] uint32_t stride() const { return has_tail() ? DAEDALUS_STRING_PREFIX_SIZE : width; }
  [[nodiscard]] uint32_t tail_width() const { return width - stride(); }
};

[[nodiscard]] inline PackedColumn packed_column(const Type& type) {
  return {static_cast<uint16_t>(plane_width(type)), is_string(type.kind)};
}

/// Bytes before the values of a packed row: its size and its NULL bits.
[[nodiscard]] constexpr uint32_t packed_head_size(uint32_t column_count) {
  return static_cast<uint32_t>(sizeof(uint32_t)) + (column_count + 7) / 8;
}

/// Most bytes that a value takes in a packed row.
[[nodiscard]] constexpr uint32_t packed_size_max(PackedColumn column) {
  return column.width + (column.is_text ? static_cast<uint32_t>(sizeof(uint16_t)) : 0);
}

/// Bytes of a string before the zeros that fill its place: text has no NUL, so the first zero ends it.
[[nodiscard]] inline uint32_t text_size(const uint8_t* value, uint32_t width) {
  const void* zero = std::memchr(value, 0, width);
  return zero == nullptr ? width : static_cast<uint32_t>(static_cast<const uint8_t*>(zero) - value);
}

/// Bytes behind a row that its writer may write.
constexpr uint32_t kPackedSlack = 16;

/// One row. put() is called for each of its columns in order, then finish(). Touches more than what belongs to values
/// and row, so that most values are written without a branch: the cache line that a value ends in may be read,
/// kPackedSlack bytes behind a row are written.
class PackedRowWriter {
 public:
  /// Precondition: `row` has room for the largest row of these columns, and kPackedSlack bytes.
  PackedRowWriter(uint8_t* row, uint32_t column_count)
      : row_(row), null_bits_(row + sizeof(uint32_t)), at_(row + packed_head_size(column_count)) {}

  /// `value` is only read where it is not NULL. Precondition: its bytes follow each other, as those of a column without
  /// tails do. Cost: 1 to 2 ns up to eight bytes, whatever they are.
  void put(PackedColumn column, const uint8_t* value, bool is_null) {
    note_null(is_null);
    if (column.width <= sizeof(uint64_t)) {
      put_short(column, value, is_null);
    } else if (!is_null) {
      put_long(column, value);
    }
  }

  /// Puts a value of a column with tails. `tail` is only read where the string is longer than its prefix.
  void put(PackedColumn column, const uint8_t* prefix, const uint8_t* tail, bool is_null) {
    note_null(is_null);
    if (is_null) {
      return;
    }
    uint64_t word;
    std::memcpy(&word, prefix, sizeof word);
    const uint32_t in_prefix = text_bytes(word);
    const uint32_t in_tail = in_prefix < kPrefix ? 0 : text_size(tail, column.tail_width());
    const auto length = static_cast<uint16_t>(in_prefix + in_tail);
    std::memcpy(at_, &length, sizeof length);
    std::memcpy(at_ + sizeof length, &word, sizeof word);
    std::memcpy(at_ + sizeof length + in_prefix, tail, in_tail);
    at_ += sizeof length + length;
  }

  void put_null() { note_null(true); }

  /// A value that is not NULL, in its packed form already.
  void put_packed(const uint8_t* bytes, uint32_t size) {
    note_null(false);
    std::memcpy(at_, bytes, size);
    at_ += size;
  }

  /// Bytes so far.
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(at_ - row_); }

  /// The row is complete; its bytes, size included.
  [[nodiscard]] uint32_t finish() {
    write_nulls((put_count_ % kNullGroup + 7) / 8);
    const uint32_t behind = size() - static_cast<uint32_t>(sizeof(uint32_t));
    std::memcpy(row_, &behind, sizeof behind);
    return size();
  }

 private:
  static constexpr uint32_t kNullGroup = 64;
  static constexpr uint64_t kNoValue = 0;
  static constexpr uint32_t kPrefix = DAEDALUS_STRING_PREFIX_SIZE;
  static_assert(kPrefix == sizeof(uint64_t));

  /// Counts the bytes of a string that a word begins with, zeros behind it.
  [[nodiscard]] static uint32_t text_bytes(uint64_t word) {
    return word == 0 ? 0 : 8 - static_cast<uint32_t>(__builtin_clzll(word)) / 8;
  }

  void note_null(bool is_null) {
    nulls_ |= uint64_t{is_null} << (put_count_ % kNullGroup);
    if (++put_count_ % kNullGroup == 0) {
      write_nulls(kNullGroup / 8);
    }
  }

  void write_nulls(uint32_t bytes) {
    for (uint32_t byte = 0; byte < bytes; ++byte) {
      *null_bits_++ = static_cast<uint8_t>(nulls_ >> (8 * byte));
    }
    nulls_ = 0;
  }

  /// The value, zeros behind it. Of neighbouring cache lines only those are read that it lies in: the next one may not
  /// be in any cache.
  [[nodiscard]] static uint64_t load_short(const uint8_t* value, uint32_t width) {
    constexpr uint32_t kLine = 64;
    const auto in_line = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(value) % kLine);
    const uint32_t beyond = std::max(in_line, kLine - 8) - (kLine - 8);
    const uint32_t before = std::min(beyond, 8 - width);
    uint64_t word;
    std::memcpy(&word, value - before, sizeof word);
    return (word >> (8 * before)) & (~uint64_t{0} >> (64 - 8 * width));
  }

  /// Writes whole words and goes on as far as the value reaches: what it is, how long and whether NULL cannot be
  /// predicted, so nothing branches on it.
  void put_short(PackedColumn column, const uint8_t* value, bool is_null) {
    const uint64_t word = load_short(is_null ? reinterpret_cast<const uint8_t*>(&kNoValue) : value, column.width);
    const uint32_t bytes = column.is_text ? text_bytes(word) : column.width;
    const uint32_t prefix = column.is_text ? static_cast<uint32_t>(sizeof(uint16_t)) : 0;
    const auto length = static_cast<uint16_t>(bytes);
    std::memcpy(at_, &length, sizeof length);
    std::memcpy(at_ + prefix, &word, sizeof word);
    at_ += is_null ? 0 : prefix + bytes;
  }

  void put_long(PackedColumn column, const uint8_t* value) {
    if (column.is_text) {
      const auto length = static_cast<uint16_t>(text_size(value, column.width));
      std::memcpy(at_, &length, sizeof length);
      std::memcpy(at_ + sizeof length, value, length);
      at_ += sizeof length + length;
    } else {
      std::memcpy(at_, value, column.width);
      at_ += column.width;
    }
  }

  uint8_t* row_;
  uint8_t* null_bits_;  ///< They are those of the columns put since the last whole group.
  uint8_t* at_;
  uint64_t nulls_ = 0;
  uint32_t put_count_ = 0;
};

}  // namespace daedalus::semantics

// How values lie in column planes, and the order of PostgreSQL on them.
//
// Decides the native form of every type and of every constant compared with it. Refuses to know chunks, queries and
// updates.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed_writer.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::engine {

using Int128 = __int128;
using UInt128 = unsigned __int128;

/// The element of a column plane. kBytes: strings, zero-padded to the declared length (no string holds a NUL). Of those
/// beyond eight bytes the first eight are in the column's plane, dense, the others in a plane of tails.
/// kDecimal: a numeric without a bound on its digits, which is computed and lies in no plane (ColumnVector::boxed).
/// kInterval: computed only, too; microseconds, days, months, as in a packed row.
enum class Native : uint8_t { kBool, kInt16, kInt32, kInt64, kInt128, kFloat, kDouble, kBytes, kDecimal, kInterval };

/// How a value as it lies in a plane becomes a code (codes.hpp).
struct CodeRule {
  uint64_t flip = 0;    ///< The sign bit of signed numbers, at the top.
  uint32_t shift = 0;   ///< Moves narrow values to the top of the code.
  uint32_t offset = 0;  ///< Says where in the value its high bytes begin.
  bool is_text = false;
  bool is_floating = false;
  bool is_exact = true;

  /// The lowest difference between the codes of two values, for those that are no floating numbers.
  [[nodiscard]] uint64_t step() const { return uint64_t{1} << shift; }
};

struct ColumnLayout {
  Native native = Native::kInt32;
  uint32_t width = 0;   ///< Bytes of one value.
  uint32_t stride = 0;  ///< Bytes of one value in its plane; the rest is its tail, in a plane of tails.
  bool nullable = true;
  CodeRule code;
  semantics::Type type;

  [[nodiscard]] uint32_t tail_width() const { return width - stride; }
};

/// A value where it lies: in a plane and, if its column has tails, in a plane of those.
struct StoredValue {
  const uint8_t* bytes = nullptr;  ///< `stride` of them.
  const uint8_t* tail = nullptr;   ///< `tail_width()` of them.
};

/// A value whose bytes follow each other: a constant, or one that was copied.
[[nodiscard]] inline StoredValue contiguous(const ColumnLayout& layout, const uint8_t* value) {
  return {value, value + layout.stride};
}

[[nodiscard]] CodeRule code_rule(Native native, uint32_t width);

/// How values of a type lie in a plane, or would.
[[nodiscard]] ColumnLayout column_layout(const semantics::Type& type, bool nullable);

/// A table as the engine sees it. Schema and codec are borrowed.
struct TableLayout {
  TableLayout(const semantics::Schema& table_schema, semantics::RowCodec row_codec);

  const semantics::Schema* schema;
  semantics::RowCodec codec;
  std::vector<ColumnLayout> columns;
  std::vector<semantics::PackedColumn> packed;  ///< By column: all that encoding rows wants to know, close together.

  /// Planes of a chunk: by column, then those of tails by column.
  [[nodiscard]] size_t plane_count() const { return 2 * columns.size(); }
  [[nodiscard]] size_t tail_plane(uint32_t column) const { return columns.size() + column; }
};

/// Calls use(std::type_identity<T>) with the C++ type of a scalar plane. Precondition: one of the numbers, or kBool.
template <typename Use>
decltype(auto) with_native(Native native, Use&& use) {
  switch (native) {
    case Native::kBool:
      return use(std::type_identity<uint8_t>{});
    case Native::kInt16:
      return use(std::type_identity<int16_t>{});
    case Native::kInt32:
      return use(std::type_identity<int32_t>{});
    case Native::kInt64:
      return use(std::type_identity<int64_t>{});
    case Native::kInt128:
      return use(std::type_identity<Int128>{});
    case Native::kFloat:
      return use(std::type_identity<float>{});
    case Native::kDouble:
      return use(std::type_identity<double>{});
    case Native::kBytes:
    case Native::kDecimal:
    case Native::kInterval:
      break;
  }
  check_failed("a scalar plane", __FILE__, __LINE__);
}

/// Reads a value that may lie anywhere.
template <typename T>
T load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// The value as it travels and lies in planes: the quiet NaN for every NaN. What a processor makes of ∞ − ∞ is another.
template <typename T>
T with_one_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value != value ? std::numeric_limits<T>::quiet_NaN() : value;
  } else {
    return value;
  }
}

/// The one representative of a class of equal values: 0.0 for −0.0, the quiet NaN for every NaN.
template <typename T>
T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value == T{0} ? T{0} : with_one_nan(value);
  } else {
    return value;
  }
}

/// Total order: NaN equals NaN and is above everything, −0.0 equals 0.0. Negative, zero or positive.
template <typename T>
int compare_scalars(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool left_nan = left != left;
    const bool right_nan = right != right;
    if (left_nan || right_nan) {
      return static_cast<int>(left_nan) - static_cast<int>(right_nan);
    }
  }
  return static_cast<int>(left > right) - static_cast<int>(left < right);
}

/// Orders two values that are not NULL, of a type that columns have. Tails are read where nothing else decides.
[[nodiscard]] int compare_native(const ColumnLayout& layout, StoredValue left, StoredValue right);
/// Does the same for values whose bytes follow each other.
[[nodiscard]] int compare_native(const ColumnLayout& layout, const uint8_t* left, const uint8_t* right);

/// Copies one value so that its bytes follow each other.
void copy_value(const ColumnLayout& layout, StoredValue value, uint8_t* out);

/// Constants in native form, in memory that whoever compiles an operation hands out.
using NativeBytes = std::pmr::vector<uint8_t>;

/// Says where a constant lies against what a plane can hold.
enum class Fit : uint8_t {
  kInside,
  kBelow,   ///< Below every value of the plane.
  kAbove,   ///< Above every value of the plane.
  kBeyond,  ///< A string longer than the column: just above the value that its first bytes make.
};

/// Appends the bytes of `value`, one after the other (for kBeyond: its first bytes; for kBelow and kAbove: zeros).
/// Precondition: not NULL, and of the alternative the type calls for; a decimal has at most the column's scale.
Fit append_native(const ColumnLayout& layout, const semantics::Value& value, NativeBytes& out);

/// Writes `width` bytes that follow each other. Precondition: a value that is not NULL and fits the type.
void write_native(const ColumnLayout& layout, const semantics::Value& value, uint8_t* out);

/// The value whose bytes follow each other at `bytes`.
[[nodiscard]] semantics::Value to_value(const ColumnLayout& layout, const uint8_t* bytes);

[[nodiscard]] semantics::BigInt to_big(Int128 value);

/// A decimal's unscaled value at a column's scale. Precondition: the decimal's scale is not above it.
[[nodiscard]] semantics::BigInt rescaled(const semantics::Decimal& decimal, uint32_t scale);

/// Two's complement of `value`. Precondition: |value| < 2^127.
[[nodiscard]] Int128 to_int128(const semantics::BigInt& value);

/// Copies one value of a plane; the common widths without a call.
inline void copy_value(uint8_t* target, const uint8_t* value, uint32_t width) {
  switch (width) {
    case 1:
      *target = *value;
      return;
    case 2:
      std::memcpy(target, value, 2);
      return;
    case 4:
      std::memcpy(target, value, 4);
      return;
    case 8:
      std::memcpy(target, value, 8);
      return;
    default:
      std::memcpy(target, value, width);
  }
}

[[nodiscard]] inline bool test_bit(const uint64_t* bitmap, uint32_t index) {
  return ((bitmap[index / 64] >> (index % 64)) & 1) != 0;
}

inline void set_bit(uint64_t* bitmap, uint32_t index) { bitmap[index / 64] |= uint64_t{1} << (index % 64); }

inline void clear_bit(uint64_t* bitmap, uint32_t index) { bitmap[index / 64] &= ~(uint64_t{1} << (index % 64)); }

inline void write_bit(uint64_t* bitmap, uint32_t index, bool bit) {
  bitmap[index / 64] = (bitmap[index / 64] & ~(uint64_t{1} << (index % 64))) | (uint64_t{bit} << (index % 64));
}

/// Calls use(index) for every set bit, in ascending order.
template <typename Use>
void for_each_bit(const uint64_t* bitmap, uint32_t word_count, Use&& use) {
  for (uint32_t word = 0; word < word_count; ++word) {
    for (uint64_t bits = bitmap[word]; bits != 0; bits &= bits - 1) {
      use(word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
    }
  }
}

}  // namespace daedalus::engine

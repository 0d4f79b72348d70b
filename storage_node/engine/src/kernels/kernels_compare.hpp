// Comparison of a whole column with constants: plain values in, a bitmap of rows out. NULLs are the caller's business.
//
// Every kernel writes bitmap_words(row_count) words of `matches`; bits beyond the last row are 0. row_count 0 is legal.
// None allocates, throws or reads beyond the last value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "daedalus/base/check.hpp"

namespace daedalus::engine {

enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

/// Returns whether something that orders like `order` (as memcmp says it) against a constant is `op` it.
[[nodiscard]] constexpr bool holds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessOrEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterOrEqual:
      return order >= 0;
  }
  check_failed("a known comparison", __FILE__, __LINE__);
}

/// Marks the rows where `values[r] op constant`, in the order of compare_scalars (NaN greatest and equal to itself).
///
/// values  row_count values, aligned to their type. T: uint8_t (bool), int16_t, int32_t, int64_t, __int128, float,
/// double. Cost    one pass over row_count · sizeof(T) bytes.
template <typename T>
void compare_column(const T* values, uint32_t row_count, CompareOp op, T constant, uint64_t* matches) noexcept;

/// Marks the rows whose value is one of `constants`: constant_count values, ascending by compare_scalars, distinct.
/// Cost: one pass, log2(constant_count) comparisons a row.
template <typename T>
void in_column(const T* values, uint32_t row_count, const T* constants, uint32_t constant_count,
               uint64_t* matches) noexcept;

/// Tells whether a value is one of `count` ascending members: order_of(m) orders member m against it, like memcmp.
/// Cost: log2(count) calls.
template <typename OrderOf>
[[nodiscard]] bool has_member(uint32_t count, OrderOf&& order_of) {
  uint32_t low = 0;
  uint32_t high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const int order = order_of(middle);
    if (order == 0) {
      return true;
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

/// A plane of values of `width` bytes each.
struct BytesPlane {
  const uint8_t* values = nullptr;
  uint32_t width = 0;
};

}  // namespace daedalus::engine

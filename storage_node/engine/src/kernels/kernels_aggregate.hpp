// Sums and extremes of a column: of all its values, or of those that a bitmap selects.
//
// None allocates or throws. The instruction set is chosen once, at run time; each has a plain twin in `scalar`, and
// gives the same bits on every instruction set.
#pragma once

#include <cstdint>

#include "codes.hpp"
#include "kernels_compare.hpp"
#include "native.hpp"

namespace daedalus::engine {

// All kernels here have in common:
//
// values      64 · word_count of them, aligned to their type; eight bytes behind the last may be read.
// selection   word_count words: value r counts when bit r % 64 of word r / 64 is set. Null: all count.
// word_count  0 is legal; at most 2^20, so that no partial sum overflows.
// Cost        one pass over the column, bound by memory where nothing else is said.

/// T: int16_t, int32_t or int64_t.
template <typename T>
[[nodiscard]] Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;

/// An exact sum of 192 bits, two's complement.
struct ExactSum {
  UInt128 low = 0;
  int64_t high = 0;

  void add(Int128 value) noexcept {
    const auto addend = static_cast<UInt128>(value);
    low += addend;
    high += (value < 0 ? -1 : 0) + (low < addend ? 1 : 0);
  }
  void add(const ExactSum& other) noexcept {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
  }
  friend bool operator==(const ExactSum&, const ExactSum&) = default;
};

[[nodiscard]] ExactSum sum_wide(const Int128* values, const uint64_t* selection, uint32_t word_count) noexcept;

/// A column is read in this many places at a time, each going through one part of it: the memory then answers with
/// 23 GB/s instead of 16 (one core of a Xeon of 2023, 8 of 1, 2, 4, 8 and 16 places, planes of 16,384 rows).
constexpr uint32_t kReadParts = 8;
[[nodiscard]] constexpr uint32_t words_of_part(uint32_t word_count) {
  return (word_count + kReadParts - 1) / kReadParts;
}

/// The lowest (highest) code of a selected value; the highest (lowest) of all codes when none is selected. Bits below
/// the rule's step are 0. For values whose code is not exact this is the code only, not the value.
///
/// Cost  about a ns a row for widths other than 1, 2, 4 and 8.
[[nodiscard]] uint64_t lowest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection,
                                   uint32_t word_count) noexcept;
[[nodiscard]] uint64_t highest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection,
                                    uint32_t word_count) noexcept;

namespace scalar {
template <typename T>
[[nodiscard]] Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;
[[nodiscard]] ExactSum sum_wide(const Int128* values, const uint64_t* selection, uint32_t word_count) noexcept;
[[nodiscard]] uint64_t lowest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection,
                                   uint32_t word_count) noexcept;
[[nodiscard]] uint64_t highest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection,
                                    uint32_t word_count) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

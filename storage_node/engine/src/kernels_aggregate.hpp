// Sums and extremes of the selected values of an integer column.
//
// None allocates or throws. The instruction set is chosen once, at run time; each has a plain twin in `scalar`.
#pragma once

#include <cstdint>

#include "native.hpp"

namespace daedalus::engine {

/// T: int16_t, int32_t or int64_t.
///
/// values      64 · word_count of them, aligned to their type.
/// selection   word_count words: value r counts when bit r % 64 of word r / 64 is set.
/// word_count  0 is legal; at most 2^24, so that no partial sum overflows.
/// Cost        one pass over the column.
template <typename T>
[[nodiscard]] Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;

/// The lowest (highest) selected value; INT64_MAX (INT64_MIN) when none is.
template <typename T>
[[nodiscard]] int64_t min_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;
template <typename T>
[[nodiscard]] int64_t max_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;

namespace scalar {
template <typename T>
[[nodiscard]] Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;
template <typename T>
[[nodiscard]] int64_t min_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;
template <typename T>
[[nodiscard]] int64_t max_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

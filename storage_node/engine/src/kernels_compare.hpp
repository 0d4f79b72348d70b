// Comparison of a whole column with constants: plain values in, a bitmap of rows out. NULLs are the caller's business.
//
// Every kernel writes bitmap_words(row_count) words of `matches`; bits beyond the last row are 0. row_count 0 is legal.
// None allocates, throws or reads beyond the last value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace daedalus::engine {

enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

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

/// Whether a value is one of `count` ascending members: order_of(m) orders member m against it, like memcmp.
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

/// Zero-padded strings: the first bytes of each in one plane, the rest in another. tails.width 0: there is no rest.
struct TextPlanes {
  BytesPlane first;
  BytesPlane tails;

  [[nodiscard]] uint32_t width() const { return first.width + tails.width; }
  [[nodiscard]] const uint8_t* bytes(uint32_t row) const { return first.values + size_t{row} * first.width; }
  [[nodiscard]] const uint8_t* tail(uint32_t row) const { return tails.values + size_t{row} * tails.width; }
};

/// Marks the rows where the string, compared as unsigned bytes, is `op constant`. constant: width() bytes, zero-padded.
void compare_texts(const TextPlanes& planes, uint32_t row_count, CompareOp op, const uint8_t* constant,
                   uint64_t* matches) noexcept;

/// Marks the rows whose string is one of `constants`: constant_count times width() bytes, ascending, distinct.
void in_texts(const TextPlanes& planes, uint32_t row_count, const uint8_t* constants, uint32_t constant_count,
              uint64_t* matches) noexcept;

/// What a string is to begin with: `fixed_size` bytes, then `blank_count` bytes each of which is a blank or padding
/// (char(n) counts its padding as blanks; for varchar blank_count is 0).
struct Prefix {
  const uint8_t* fixed = nullptr;  ///< May be null when fixed_size is 0.
  uint32_t fixed_size = 0;
  uint32_t blank_count = 0;
};

/// Whether the zero-padded string of a row begins with `prefix`. Precondition: the prefix is not longer than the
/// column.
[[nodiscard]] bool starts_with(const TextPlanes& planes, uint32_t row, Prefix prefix) noexcept;

/// Marks the rows whose string begins with `prefix`.
void starts_with_texts(const TextPlanes& planes, uint32_t row_count, Prefix prefix, uint64_t* matches) noexcept;

}  // namespace daedalus::engine

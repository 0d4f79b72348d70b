// Comparisons of whole columns of strings: a bitmap of rows out. NULLs are the caller's business.
//
// Decides that codes come first: what the first eight bytes say of a block of rows is found by vectors, and a string is
// looked at only where they leave it open. Every kernel writes bitmap_words(row_count) words of `matches`; bits beyond
// the last row are 0. row_count 0 is legal. None allocates or throws.
#pragma once

#include "kernels_range.hpp"

namespace daedalus::engine {

/// Zero-padded strings: up to eight bytes of each in one plane, with eight readable bytes behind the last, and those
/// that are left in another. tails.width 0: none is left.
struct TextPlanes {
  BytesPlane first;
  BytesPlane tails;

  [[nodiscard]] uint32_t width() const { return first.width + tails.width; }
  [[nodiscard]] const uint8_t* bytes(uint32_t row) const { return first.values + size_t{row} * first.width; }
  [[nodiscard]] const uint8_t* tail(uint32_t row) const { return tails.values + size_t{row} * tails.width; }
};

/// Marks the rows where the string, compared as unsigned bytes, is `op constant`. constant: width() bytes, zero-padded.
/// Cost: two passes over the first bytes, and a look at the tail of each string whose first bytes are the constant's.
void compare_texts(const TextPlanes& planes, uint32_t row_count, CompareOp op, const uint8_t* constant,
                   uint64_t* matches) noexcept;

/// Marks the rows whose string is one of `constants`: constant_count times width() bytes, ascending, distinct.
/// Cost: a pass over the first bytes, log2(constant_count) comparisons for each that lies between those of constants.
void in_texts(const TextPlanes& planes, uint32_t row_count, const uint8_t* constants, uint32_t constant_count,
              uint64_t* matches) noexcept;

/// Holds what a string is to begin with: `fixed_size` bytes, then `blank_count` bytes each of which is a blank or
/// padding (char(n) counts its padding as blanks; for varchar blank_count is 0).
struct Prefix {
  const uint8_t* fixed = nullptr;  ///< May be null when fixed_size is 0.
  uint32_t fixed_size = 0;
  uint32_t blank_count = 0;
};

/// Codes of strings that begin with the fixed part of `prefix`; of others, too, where that is longer than a code's
/// bytes.
[[nodiscard]] CodeRange codes_of(Prefix prefix) noexcept;

/// Returns whether the zero-padded string of a row begins with `prefix`. Precondition: the prefix is not longer than
/// the column.
[[nodiscard]] bool starts_with(const TextPlanes& planes, uint32_t row, Prefix prefix) noexcept;

/// Marks the rows whose string begins with `prefix`. Cost: a pass over the first bytes, and a look at each that agrees.
void starts_with_texts(const TextPlanes& planes, uint32_t row_count, Prefix prefix, uint64_t* matches) noexcept;

}  // namespace daedalus::engine

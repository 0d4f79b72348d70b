// Bitmaps of rows: row r is bit r % 64 of word r / 64.
#pragma once

#include <cstdint>

namespace daedalus::engine {

/// Words that hold `row_count` bits.
constexpr uint32_t bitmap_words(uint32_t row_count) { return (row_count + 63) / 64; }

/// target &= source. No errors; one pass.
void and_into(uint64_t* target, const uint64_t* source, uint32_t word_count) noexcept;
/// target |= source.
void or_into(uint64_t* target, const uint64_t* source, uint32_t word_count) noexcept;
/// target &= ~source.
void and_not_into(uint64_t* target, const uint64_t* source, uint32_t word_count) noexcept;
/// Turns every bit round, those beyond the last row included.
void invert(uint64_t* target, uint32_t word_count) noexcept;
/// How many bits are set. The instruction set is chosen at run time: the least one counts by a call a word.
[[nodiscard]] uint32_t count_bits(const uint64_t* bitmap, uint32_t word_count) noexcept;
/// Writes the indices of set bits in ascending order and returns how many; `rows` has room for all bits.
uint32_t list_rows(const uint64_t* bitmap, uint32_t word_count, uint32_t* rows) noexcept;

namespace scalar {
[[nodiscard]] uint32_t count_bits(const uint64_t* bitmap, uint32_t word_count) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

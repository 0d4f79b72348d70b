#include "kernels_bitmap.hpp"

namespace daedalus::engine {

void and_into(uint64_t* target, const uint64_t* source, uint32_t word_count) noexcept {
  for (uint32_t word = 0; word < word_count; ++word) {
    target[word] &= source[word];
  }
}

void or_into(uint64_t* target, const uint64_t* source, uint32_t word_count) noexcept {
  for (uint32_t word = 0; word < word_count; ++word) {
    target[word] |= source[word];
  }
}

void and_not_into(uint64_t* target, const uint64_t* source, uint32_t word_count) noexcept {
  for (uint32_t word = 0; word < word_count; ++word) {
    target[word] &= ~source[word];
  }
}

void invert(uint64_t* target, uint32_t word_count) noexcept {
  for (uint32_t word = 0; word < word_count; ++word) {
    target[word] = ~target[word];
  }
}

uint32_t count_bits(const uint64_t* bitmap, uint32_t word_count) noexcept {
  uint32_t count = 0;
  for (uint32_t word = 0; word < word_count; ++word) {
    count += static_cast<uint32_t>(__builtin_popcountll(bitmap[word]));
  }
  return count;
}

uint32_t list_rows(const uint64_t* bitmap, uint32_t word_count, uint32_t* rows) noexcept {
  uint32_t count = 0;
  for (uint32_t word = 0; word < word_count; ++word) {
    // Where few rows are left, most stretches are empty.
    while (word + 4 < word_count && (bitmap[word] | bitmap[word + 1] | bitmap[word + 2] | bitmap[word + 3]) == 0) {
      word += 4;
    }
    for (uint64_t bits = bitmap[word]; bits != 0; bits &= bits - 1) {
      rows[count++] = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
    }
  }
  return count;
}

}  // namespace daedalus::engine

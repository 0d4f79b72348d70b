#include "kernels_bitmap.hpp"

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_bitmap.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_ATTR uint32_t count_vectors(const uint64_t* bitmap, uint32_t word_count) {
  const hn::ScalableTag<uint64_t> d;
  constexpr auto kLanes = static_cast<uint32_t>(hn::MaxLanes(d));
  auto counts = hn::Zero(d);
  uint32_t word = 0;
  for (; word + kLanes <= word_count; word += kLanes) {
    counts = hn::Add(counts, hn::PopulationCount(hn::LoadU(d, bitmap + word)));
  }
  return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d, counts))) +
         scalar::count_bits(bitmap + word, word_count - word);
}

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(count_vectors);

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
  return HWY_DYNAMIC_DISPATCH(count_vectors)(bitmap, word_count);
}

uint32_t list_rows(const uint64_t* bitmap, uint32_t word_count, uint32_t* rows) noexcept {
  uint32_t count = 0;
  for (uint32_t word = 0; word < word_count; ++word) {
    // If few rows are left, most stretches are empty.
    while (word + 4 < word_count && (bitmap[word] | bitmap[word + 1] | bitmap[word + 2] | bitmap[word + 3]) == 0) {
      word += 4;
    }
    for (uint64_t bits = bitmap[word]; bits != 0; bits &= bits - 1) {
      rows[count++] = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
    }
  }
  return count;
}

namespace scalar {

uint32_t count_bits(const uint64_t* bitmap, uint32_t word_count) noexcept {
  uint32_t count = 0;
  for (uint32_t word = 0; word < word_count; ++word) {
    count += static_cast<uint32_t>(__builtin_popcountll(bitmap[word]));
  }
  return count;
}

}  // namespace scalar
}  // namespace daedalus::engine
#endif  // HWY_ONCE

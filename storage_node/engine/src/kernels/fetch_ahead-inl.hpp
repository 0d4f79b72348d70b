// Memory asked for ahead of its turn, for kernels that go through a column in several places at a time. Compiled once
// for each instruction set, with whoever includes it.
#if defined(DAEDALUS_FETCH_AHEAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DAEDALUS_FETCH_AHEAD_INL
#undef DAEDALUS_FETCH_AHEAD_INL
#else
#define DAEDALUS_FETCH_AHEAD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels_aggregate.hpp"

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

/// Asks for the values of the word that a part comes to kWordsAhead steps later: the hardware's prefetchers begin anew
/// with each page, and a part of a chunk is a page or two. Behind a part's end that is the same part of the chunk that
/// lies behind this one, as those of a segment's column do.
template <typename T>
struct FetchAhead {
  static constexpr uint32_t kWordsAhead = 2;

  const T* values;
  uint32_t word_count;

  HWY_INLINE HWY_ATTR void operator()(uint32_t part, size_t word) const {
    const uint32_t part_words = words_of_part(word_count);
    const size_t at = word + kWordsAhead;
    const bool is_inside = at < std::min((part + 1) * part_words, word_count);
    const T* from = values + (is_inside ? at : at + word_count - part_words) * 64;
    for (size_t line = 0; line < sizeof(T); ++line) {  // 64 values are as many lines as one has bytes.
      __builtin_prefetch(reinterpret_cast<const uint8_t*>(from) + line * 64);
    }
  }
};

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DAEDALUS_FETCH_AHEAD_INL

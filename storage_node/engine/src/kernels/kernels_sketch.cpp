#include "kernels_sketch.hpp"

#include <algorithm>

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_sketch.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
void mark_above_vectors(const uint8_t* bytes, uint8_t bound, uint64_t* above) {
  scalar::mark_above(bytes, bound, above);
}
void mark_equal_vectors(const uint8_t* bytes, uint8_t bucket, uint64_t* equal) {
  scalar::mark_equal(bytes, bucket, equal);
}
#else

struct IsAbove {
  template <class D, class V>
  HWY_ATTR auto operator()(D, V bytes, V bounds) const {
    return hn::Gt(bytes, bounds);
  }
};

struct IsEqual {
  template <class D, class V>
  HWY_ATTR auto operator()(D, V bytes, V buckets) const {
    return hn::Eq(bytes, buckets);
  }
};

/// Bit r of the block: test(bytes[r], constant).
template <class Test>
HWY_ATTR void mark_block(const uint8_t* bytes, uint8_t constant, uint64_t* words, Test test) {
  const hn::ScalableTag<uint8_t> d;
  constexpr size_t kBytes = hn::MaxLanes(d);
  static_assert(kBytes <= 64);
  const auto constants = hn::Set(d, constant);
  for (uint32_t word = 0; word < kSketchWords; ++word) {
    if constexpr (kBytes == 64) {
      const auto passes = test(d, hn::LoadU(d, bytes + word * 64), constants);
      hn::StoreMaskBits(d, passes, reinterpret_cast<uint8_t*>(words + word));
      continue;
    }
    uint64_t marked = 0;
    for (uint32_t lane = 0; lane < 64; lane += static_cast<uint32_t>(kBytes)) {
      uint64_t bits = 0;
      const auto passes = test(d, hn::LoadU(d, bytes + word * 64 + lane), constants);
      hn::StoreMaskBits(d, passes, reinterpret_cast<uint8_t*>(&bits));
      marked |= bits << lane;
    }
    words[word] = marked;
  }
}

HWY_ATTR void mark_above_vectors(const uint8_t* bytes, uint8_t bound, uint64_t* above) {
  mark_block(bytes, bound, above, IsAbove());
}

HWY_ATTR void mark_equal_vectors(const uint8_t* bytes, uint8_t bucket, uint64_t* equal) {
  mark_block(bytes, bucket, equal, IsEqual());
}

#endif

using Words = hn::ScalableTag<uint64_t>;

constexpr uint32_t kLanes = static_cast<uint32_t>(hn::MaxLanes(Words()));
constexpr uint32_t kVectors = kSketchWords / kLanes;

/// A whole block at a time: its words stay in registers over all bitmaps.
HWY_INLINE HWY_ATTR void choose_block(const uint64_t* from, const BitmapChoice& choice,
                                      hn::Vec<Words> (&left)[kVectors]) {
  const Words d;
  for (uint32_t part = 0; part < kVectors; ++part) {
    left[part] = hn::LoadU(d, from + part * kLanes);
  }
  for (uint32_t number = 0; number < choice.without_count; ++number) {
    const uint64_t* bitmap = choice.bitmaps + size_t{choice.without[number]} * kSketchWords;
    for (uint32_t part = 0; part < kVectors; ++part) {
      left[part] = hn::AndNot(hn::LoadU(d, bitmap + part * kLanes), left[part]);
    }
  }
  for (uint32_t number = 0; number < choice.within_count; ++number) {
    const uint64_t* bitmap = choice.bitmaps + size_t{choice.within[number]} * kSketchWords;
    for (uint32_t part = 0; part < kVectors; ++part) {
      left[part] = hn::And(hn::LoadU(d, bitmap + part * kLanes), left[part]);
    }
  }
}

HWY_ATTR void choose_vectors(const uint64_t* from, const BitmapChoice& choice, uint64_t* rows) {
  hn::Vec<Words> left[kVectors];
  choose_block(from, choice, left);
  for (uint32_t part = 0; part < kVectors; ++part) {
    hn::StoreU(left[part], Words(), rows + part * kLanes);
  }
}

HWY_ATTR uint32_t list_vectors(const uint64_t* from, const BitmapChoice& choice, uint32_t first_row, uint32_t* rows) {
  const Words d;
  hn::Vec<Words> left[kVectors];
  choose_block(from, choice, left);
  HWY_ALIGN uint64_t words[kLanes];
  uint32_t count = 0;
  for (uint32_t part = 0; part < kVectors; ++part) {
    uint64_t lanes = 0;  // If few rows are left, most words are empty.
    hn::StoreMaskBits(d, hn::Ne(left[part], hn::Zero(d)), reinterpret_cast<uint8_t*>(&lanes));
    if (lanes == 0) {
      continue;
    }
    hn::Store(left[part], d, words);
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<uint32_t>(__builtin_ctzll(lanes));
      for (uint64_t bits = words[lane]; bits != 0; bits &= bits - 1) {
        rows[count++] = first_row + (part * kLanes + lane) * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
      }
    }
  }
  return count;
}

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(mark_above_vectors);
HWY_EXPORT(mark_equal_vectors);
HWY_EXPORT(choose_vectors);
HWY_EXPORT(list_vectors);

void mark_above(const uint8_t* bytes, uint8_t bound, uint64_t* above) noexcept {
  HWY_DYNAMIC_DISPATCH(mark_above_vectors)(bytes, bound, above);
}

void mark_equal(const uint8_t* bytes, uint8_t bucket, uint64_t* equal) noexcept {
  HWY_DYNAMIC_DISPATCH(mark_equal_vectors)(bytes, bucket, equal);
}

void choose_rows(const uint64_t* from, const BitmapChoice& choice, uint64_t* rows) noexcept {
  HWY_DYNAMIC_DISPATCH(choose_vectors)(from, choice, rows);
}

uint32_t list_chosen_rows(const uint64_t* from, const BitmapChoice& choice, uint32_t first_row,
                          uint32_t* rows) noexcept {
  return HWY_DYNAMIC_DISPATCH(list_vectors)(from, choice, first_row, rows);
}

namespace scalar {
namespace {

template <typename Test>
void mark(const uint8_t* bytes, uint64_t* words, Test test) noexcept {
  for (uint32_t word = 0; word < kSketchWords; ++word) {
    uint64_t bits = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      bits |= uint64_t{test(bytes[word * 64 + bit])} << bit;
    }
    words[word] = bits;
  }
}

}  // namespace

void mark_above(const uint8_t* bytes, uint8_t bound, uint64_t* above) noexcept {
  mark(bytes, above, [bound](uint8_t byte) { return byte > bound; });
}

void mark_equal(const uint8_t* bytes, uint8_t bucket, uint64_t* equal) noexcept {
  mark(bytes, equal, [bucket](uint8_t byte) { return byte == bucket; });
}

void choose_rows(const uint64_t* from, const BitmapChoice& choice, uint64_t* rows) noexcept {
  std::copy_n(from, kSketchWords, rows);
  for (uint32_t number = 0; number < choice.within_count; ++number) {
    and_into(rows, choice.bitmaps + size_t{choice.within[number]} * kSketchWords, kSketchWords);
  }
  for (uint32_t number = 0; number < choice.without_count; ++number) {
    and_not_into(rows, choice.bitmaps + size_t{choice.without[number]} * kSketchWords, kSketchWords);
  }
}

uint32_t list_chosen_rows(const uint64_t* from, const BitmapChoice& choice, uint32_t first_row,
                          uint32_t* rows) noexcept {
  uint64_t words[kSketchWords];
  scalar::choose_rows(from, choice, words);
  const uint32_t count = list_rows(words, kSketchWords, rows);
  std::for_each(rows, rows + count, [first_row](uint32_t& row) { row += first_row; });
  return count;
}

}  // namespace scalar
}  // namespace daedalus::engine
#endif  // HWY_ONCE

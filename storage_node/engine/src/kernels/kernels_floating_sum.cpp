#include "kernels_floating_sum.hpp"

#include <algorithm>
#include <iterator>

#include "kernels_aggregate.hpp"

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_floating_sum.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#include "fetch_ahead-inl.hpp"

#ifndef DAEDALUS_KERNELS_FLOATING_SUM_ONCE
#define DAEDALUS_KERNELS_FLOATING_SUM_ONCE
namespace daedalus::engine {
using semantics::FloatingSum;
constexpr uint64_t kWholeWord = ~uint64_t{0};
}  // namespace daedalus::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
// Without vectors of a known size everything is left to the plain twin.
void add_floats(const float* values, const uint64_t* selection, uint32_t words, FloatingSum& sum) {
  scalar::add_to_sum(values, selection, words, sum);
}
void add_doubles(const double* values, const uint64_t* selection, uint32_t words, FloatingSum& sum) {
  scalar::add_to_sum(values, selection, words, sum);
}
#else

using Doubles = hn::ScalableTag<double>;
using Bits = hn::RebindToUnsigned<Doubles>;
using Magnitudes = hn::RebindToSigned<Doubles>;

template <typename T>
HWY_INLINE HWY_ATTR auto load_doubles(const T* values) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return hn::LoadU(Doubles(), values);
  } else {
    return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<T, Doubles>(), values));
  }
}

/// Calls use(vector) with the 64 values of a word, 0.0 in place of those that do not count; not at all where none does.
template <typename T, typename Use>
HWY_INLINE HWY_ATTR void for_each_double(const T* values, uint64_t bits, Use&& use) {
  constexpr size_t kLanes = hn::MaxLanes(Doubles());
  if (bits == kWholeWord) {
    for (size_t lane = 0; lane < 64; lane += kLanes) {
      use(load_doubles(values + lane));
    }
  } else if (bits != 0) {
    for (size_t lane = 0; lane < 64; lane += kLanes) {
      const uint64_t shifted = bits >> lane;
      const auto mask = hn::LoadMaskBits(Doubles(), reinterpret_cast<const uint8_t*>(&shifted));
      use(hn::IfThenElseZero(mask, load_doubles(values + lane)));
    }
  }
}

/// Values of a column, a block at a time: a word of each part.
template <typename T>
struct Blocks {
  const T* values;
  const uint64_t* selection;
  uint32_t word_count;

  /// Calls use(part, word, its bits) for every word of a block.
  template <typename Use>
  HWY_INLINE HWY_ATTR void for_each_word_of(uint32_t block, Use&& use) const {
    const uint32_t part_words = words_of_part(word_count);
    for (uint32_t part = 0; part < kReadParts; ++part) {
      const uint32_t word = part * part_words + block;
      if (word < word_count) {
        use(part, size_t{word}, selection == nullptr ? kWholeWord : selection[word]);
      }
    }
  }
};

/// The bits of the largest magnitude of a block's values.
template <typename T>
HWY_INLINE HWY_ATTR uint64_t largest_magnitude(const Blocks<T>& blocks, uint32_t block) {
  const Magnitudes d;
  const auto no_sign = hn::Set(d, INT64_MAX);
  const FetchAhead<T> fetch{blocks.values, blocks.word_count};
  auto largest = hn::Zero(d);
  blocks.for_each_word_of(block, [&](uint32_t part, size_t word, uint64_t bits) HWY_ATTR {
    fetch(part, word);
    for_each_double(blocks.values + word * 64, bits, [&](auto doubles) HWY_ATTR {
      largest = hn::Max(largest, hn::And(no_sign, hn::BitCast(d, doubles)));
    });
  });
  HWY_ALIGN int64_t lanes[hn::MaxLanes(Magnitudes())];
  hn::Store(largest, d, lanes);
  return static_cast<uint64_t>(*std::max_element(std::begin(lanes), std::end(lanes)));
}

/// Digits of the four places of a sum, and how many were added up in all lanes together.
struct DigitLanes {
  hn::Vec<Bits> first;
  hn::Vec<Bits> second;
  hn::Vec<Bits> third;
  hn::Vec<Bits> fourth;
  uint64_t count;
};

HWY_INLINE HWY_ATTR void clear(DigitLanes& lanes) {
  const auto zero = hn::Zero(Bits());
  lanes = {zero, zero, zero, zero, 0};
}

/// Adds up what each value comes to with the place's shifter, bits of the shifter and all; flush() takes these away
/// again.
template <typename T>
HWY_INLINE HWY_ATTR void add_digits(const Blocks<T>& blocks, uint32_t block, uint32_t top, DigitLanes& lanes) {
  const Doubles d;
  const auto shifter = [&](uint32_t below)
                           HWY_ATTR { return hn::BitCast(d, hn::Set(Bits(), FloatingSum::shifter(top, below))); };
  const auto first = shifter(0);
  const auto second = shifter(1);
  const auto third = shifter(2);
  const auto fourth = shifter(3);
  DigitLanes sums = lanes;
  blocks.for_each_word_of(block, [&](uint32_t, size_t word, uint64_t bits) HWY_ATTR {
    sums.count += bits == 0 ? 0 : 64;
    for_each_double(blocks.values + word * 64, bits, [&](auto rest) HWY_ATTR {
      auto shifted = hn::Add(rest, first);
      sums.first = hn::Add(sums.first, hn::BitCast(Bits(), shifted));
      rest = hn::Sub(rest, hn::Sub(shifted, first));
      shifted = hn::Add(rest, second);
      sums.second = hn::Add(sums.second, hn::BitCast(Bits(), shifted));
      rest = hn::Sub(rest, hn::Sub(shifted, second));
      shifted = hn::Add(rest, third);
      sums.third = hn::Add(sums.third, hn::BitCast(Bits(), shifted));
      rest = hn::Sub(rest, hn::Sub(shifted, third));
      sums.fourth = hn::Add(sums.fourth, hn::BitCast(Bits(), hn::Add(rest, fourth)));
    });
  });
  lanes = sums;
}

/// Gives the digits to the sum, whose `top` is still the one they were cut for.
HWY_INLINE HWY_ATTR void flush(DigitLanes& lanes, FloatingSum& sum) {
  if (lanes.count == 0) {
    return;
  }
  const auto total = [&](auto place, uint32_t below) HWY_ATTR {
    return hn::GetLane(hn::SumOfLanes(Bits(), place)) - lanes.count * FloatingSum::shifter(sum.top(), below);
  };
  sum.add_counters({total(lanes.first, 0), total(lanes.second, 1), total(lanes.third, 2), total(lanes.fourth, 3)});
  clear(lanes);
}

/// Value by value: what vectors cannot cut, and zeros, of which those matter that are not −0.0.
template <typename T>
HWY_ATTR void add_one_by_one(const Blocks<T>& blocks, uint32_t block, FloatingSum& sum) {
  blocks.for_each_word_of(block, [&](uint32_t, size_t word, uint64_t bits) HWY_ATTR {
    for_each_bit(&bits, 1, [&](uint32_t row) { sum.add(static_cast<double>(blocks.values[word * 64 + row])); });
  });
}

template <typename T>
HWY_ATTR void add_floating(const T* values, const uint64_t* selection, uint32_t word_count, FloatingSum& sum) {
  const Blocks<T> blocks{values, selection, word_count};
  DigitLanes lanes;
  clear(lanes);
  for (uint32_t block = 0; block < words_of_part(word_count); ++block) {
    const uint64_t magnitude = largest_magnitude(blocks, block);
    const uint32_t top = FloatingSum::top_of(magnitude);
    if (top > sum.top() || sum.top() > FloatingSum::kTopDirect) {
      flush(lanes, sum);
    }
    if (std::max(top, sum.top()) > FloatingSum::kTopDirect) {
      add_one_by_one(blocks, block, sum);
    } else if (magnitude != 0) {
      sum.raise(top);
      add_digits(blocks, block, sum.top(), lanes);
    } else if (!sum.has_other_than_minus_zero() && lanes.count == 0) {
      add_one_by_one(blocks, block, sum);
    }
  }
  flush(lanes, sum);
}

HWY_ATTR void add_floats(const float* values, const uint64_t* selection, uint32_t words, FloatingSum& sum) {
  add_floating(values, selection, words, sum);
}
HWY_ATTR void add_doubles(const double* values, const uint64_t* selection, uint32_t words, FloatingSum& sum) {
  add_floating(values, selection, words, sum);
}

#endif

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);

template <typename T>
void add_to_sum(const T* values, const uint64_t* selection, uint32_t word_count, FloatingSum& sum) noexcept {
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(add_floats)(values, selection, word_count, sum);
  } else {
    HWY_DYNAMIC_DISPATCH(add_doubles)(values, selection, word_count, sum);
  }
}

namespace scalar {

template <typename T>
void add_to_sum(const T* values, const uint64_t* selection, uint32_t word_count, FloatingSum& sum) noexcept {
  const auto add = [&](uint32_t row) { sum.add(static_cast<double>(values[row])); };
  if (selection != nullptr) {
    return for_each_bit(selection, word_count, add);
  }
  for (uint32_t row = 0; row < word_count * 64; ++row) {
    add(row);
  }
}

}  // namespace scalar

#define DAEDALUS_FLOATING(T)                                                               \
  template void add_to_sum<T>(const T*, const uint64_t*, uint32_t, FloatingSum&) noexcept; \
  template void scalar::add_to_sum<T>(const T*, const uint64_t*, uint32_t, FloatingSum&) noexcept;
DAEDALUS_FLOATING(float)
DAEDALUS_FLOATING(double)
#undef DAEDALUS_FLOATING

}  // namespace daedalus::engine
#endif  // HWY_ONCE

#include "kernels_aggregate.hpp"

#include <algorithm>

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_aggregate.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#include "fetch_ahead-inl.hpp"

#ifndef DAEDALUS_KERNELS_AGGREGATE_ONCE
#define DAEDALUS_KERNELS_AGGREGATE_ONCE
namespace daedalus::engine {
constexpr uint64_t kAllRows = ~uint64_t{0};
}  // namespace daedalus::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
// Without vectors of a known size everything is left to the plain twins.
Int128 sum_int16(const int16_t* values, const uint64_t* selection, uint32_t words) {
  return scalar::sum_selected(values, selection, words);
}
Int128 sum_int32(const int32_t* values, const uint64_t* selection, uint32_t words) {
  return scalar::sum_selected(values, selection, words);
}
Int128 sum_int64(const int64_t* values, const uint64_t* selection, uint32_t words) {
  return scalar::sum_selected(values, selection, words);
}
ExactSum sum_int128(const Int128* values, const uint64_t* selection, uint32_t words) {
  return scalar::sum_wide(values, selection, words);
}
uint64_t extreme_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection, uint32_t words, bool is_max) {
  return is_max ? scalar::highest_code(plane, rule, selection, words)
                : scalar::lowest_code(plane, rule, selection, words);
}
#else

/// Calls use(part, word, its bits) for every word, a word of each part in turn.
template <typename Use>
HWY_INLINE HWY_ATTR void for_each_word(const uint64_t* selection, uint32_t word_count, Use&& use) {
  const uint32_t part_words = words_of_part(word_count);
  for (uint32_t step = 0; step < part_words; ++step) {
    for (uint32_t part = 0; part < kReadParts; ++part) {
      const uint32_t word = part * part_words + step;
      if (word < word_count) {
        use(part, size_t{word}, selection == nullptr ? kAllRows : selection[word]);
      }
    }
  }
}

/// Calls all(first row of a vector) where every value of a word counts, some(first row, which lanes do) elsewhere.
template <class D, typename Fetch, typename All, typename Some>
HWY_INLINE HWY_ATTR void for_each_vector(D d, const uint64_t* selection, uint32_t word_count, Fetch&& fetch, All&& all,
                                         Some&& some) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  for_each_word(selection, word_count, [&](uint32_t part, size_t word, uint64_t bits) HWY_ATTR {
    fetch(part, word);
    if (bits == kAllRows) {
      for (size_t lane = 0; lane < 64; lane += kLanes) {
        all(word * 64 + lane);
      }
    } else if (bits != 0) {
      for (size_t lane = 0; lane < 64; lane += kLanes) {
        const uint64_t shifted = bits >> lane;
        some(word * 64 + lane, hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&shifted)));
      }
    }
  });
}

using Wide = hn::ScalableTag<int64_t>;

template <typename T>
HWY_INLINE HWY_ATTR auto load_wide(const T* values) {
  if constexpr (sizeof(T) == sizeof(int64_t)) {
    return hn::LoadU(Wide(), values);
  } else {
    const hn::Rebind<int32_t, Wide> middle;
    if constexpr (sizeof(T) == sizeof(int16_t)) {
      return hn::PromoteTo(Wide(), hn::PromoteTo(middle, hn::LoadU(hn::Rebind<T, Wide>(), values)));
    } else {
      return hn::PromoteTo(Wide(), hn::LoadU(middle, values));
    }
  }
}

/// Values of up to 32 bits: 2^26 of them cannot overflow 64.
template <typename T>
HWY_ATTR Int128 sum_narrow(const T* values, const uint64_t* selection, uint32_t word_count) {
  const Wide d;
  auto sum = hn::Zero(d);
  for_each_vector(
      d, selection, word_count, FetchAhead<T>{values, word_count},
      [&](size_t row) HWY_ATTR { sum = hn::Add(sum, load_wide(values + row)); },
      [&](size_t row, auto mask) HWY_ATTR { sum = hn::Add(sum, hn::IfThenElseZero(mask, load_wide(values + row))); });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

HWY_ATTR Int128 sum_int16(const int16_t* values, const uint64_t* selection, uint32_t words) {
  return sum_narrow(values, selection, words);
}
HWY_ATTR Int128 sum_int32(const int32_t* values, const uint64_t* selection, uint32_t words) {
  return sum_narrow(values, selection, words);
}

/// The low and the high 32 bits of every value are added up apart.
HWY_ATTR Int128 sum_int64(const int64_t* values, const uint64_t* selection, uint32_t word_count) {
  const Wide d;
  const auto low_bits = hn::Set(d, int64_t{0xffffffff});
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  const auto add = [&](auto counted) HWY_ATTR {
    low = hn::Add(low, hn::And(counted, low_bits));
    high = hn::Add(high, hn::ShiftRight<32>(counted));
  };
  for_each_vector(
      d, selection, word_count, FetchAhead<int64_t>{values, word_count},
      [&](size_t row) HWY_ATTR { add(hn::LoadU(d, values + row)); },
      [&](size_t row, auto mask) HWY_ATTR { add(hn::IfThenElseZero(mask, hn::LoadU(d, values + row))); });
  return static_cast<Int128>(hn::GetLane(hn::SumOfLanes(d, high))) * (Int128{1} << 32) +
         static_cast<Int128>(static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(d, low))));
}

/// Even lanes are low halves of values, odd ones high halves; of each, 32 bits at a time are added up.
HWY_ATTR ExactSum sum_int128(const Int128* values, const uint64_t* selection, uint32_t word_count) {
  const Wide d;
  constexpr size_t kLanes = hn::MaxLanes(Wide());
  constexpr size_t kLanesOfWord = 2 * 64;
  const auto* halves = reinterpret_cast<const int64_t*>(values);
  const auto low_bits = hn::Set(d, int64_t{0xffffffff});
  const auto high_bits = hn::OddEven(hn::Set(d, int64_t{-1}), low_bits);  // The top half has a sign.
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  ExactSum sum;
  for_each_word(selection, word_count, [&](uint32_t, size_t word, uint64_t bits) HWY_ATTR {
    if (bits == kAllRows) {
      for (size_t lane = 0; lane < kLanesOfWord; lane += kLanes) {
        const auto half = hn::LoadU(d, halves + word * kLanesOfWord + lane);
        low = hn::Add(low, hn::And(half, low_bits));
        high = hn::Add(high, hn::And(hn::ShiftRight<32>(half), high_bits));
      }
    } else {
      for_each_bit(&bits, 1, [&](uint32_t row) { sum.add(values[word * 64 + row]); });
    }
  });
  HWY_ALIGN int64_t lows[kLanes];
  HWY_ALIGN int64_t highs[kLanes];
  hn::Store(low, d, lows);
  hn::Store(high, d, highs);
  for (size_t lane = 0; lane < kLanes; lane += 2) {
    sum.add(static_cast<Int128>(static_cast<uint64_t>(lows[lane])));
    sum.add(static_cast<Int128>(highs[lane]) << 32);
    sum.add(static_cast<Int128>(static_cast<uint64_t>(lows[lane + 1])) << 64);
    // A word that goes up by 96 bits reaches beyond 128: the top 32 of the 64 bits belong to the high word.
    const int64_t top = highs[lane + 1];
    sum.add(ExactSum{static_cast<UInt128>(static_cast<uint64_t>(top)) << 96, top >> 32});
  }
  return sum;
}

// How values become unsigned numbers of their width that keep their order: the tops of their codes.

struct NumberOrder {
  template <class D, class V>
  HWY_ATTR V operator()(D d, V v) const {
    return hn::Xor(v, hn::Set(d, static_cast<hn::TFromD<D>>(flip)));
  }
  uint64_t flip = 0;
};

/// Bytes of every lane in the opposite order, because the first byte of a string counts most.
struct TextOrder {
  template <class D, class V>
  HWY_ATTR V operator()(D d, V v) const {
    constexpr size_t kWidth = sizeof(hn::TFromD<D>);
    if constexpr (kWidth == 1) {
      return v;
    } else {
      const hn::Repartition<uint8_t, D> bytes;
      HWY_ALIGN static constexpr uint8_t kPlaces[3][16] = {{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
                                                           {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
                                                           {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}};
      const auto places = hn::LoadDup128(bytes, kPlaces[kWidth == 2 ? 0 : kWidth == 4 ? 1 : 2]);
      return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), places));
    }
  }
};

struct FloatingOrder {
  template <class D, class V>
  HWY_ATTR V operator()(D d, V v) const {
    using Bits = hn::TFromD<D>;
    constexpr bool kIsFloat = sizeof(Bits) == 4;
    const hn::RebindToSigned<D> ds;
    const auto sign = hn::Set(d, static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1)));
    const auto infinity = hn::Set(d, static_cast<Bits>(kIsFloat ? 0x7f800000u : 0x7ff0000000000000u));
    const auto nan = hn::Set(d, static_cast<Bits>(kIsFloat ? 0x7fc00000u : 0x7ff8000000000000u));
    const auto magnitude = hn::AndNot(sign, v);
    const auto is_nan = hn::Gt(hn::BitCast(ds, magnitude), hn::BitCast(ds, infinity));
    const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
    v = hn::IfThenZeroElse(is_zero, hn::IfThenElse(hn::RebindMask(d, is_nan), nan, v));
    return hn::Xor(v, hn::Or(hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(ds, v))), sign));
  }
};

template <typename T, bool kIsMax, class Order>
HWY_ATTR uint64_t extreme_of(const uint8_t* values, const uint64_t* selection, uint32_t word_count, Order order) {
  const hn::ScalableTag<T> d;
  const hn::Repartition<uint8_t, hn::ScalableTag<T>> bytes;
  const auto neutral = hn::Set(d, kIsMax ? T{0} : static_cast<T>(~T{0}));
  auto best = neutral;
  const auto take = [&](auto lanes) HWY_ATTR {
    if constexpr (kIsMax) {
      best = hn::Max(best, lanes);
    } else {
      best = hn::Min(best, lanes);
    }
  };
  const auto load_ordered = [&](size_t row) HWY_ATTR {
    return order(d, hn::BitCast(d, hn::LoadU(bytes, values + row * sizeof(T))));
  };
  for_each_vector(
      d, selection, word_count, [](uint32_t, size_t) {}, [&](size_t row) HWY_ATTR { take(load_ordered(row)); },
      [&](size_t row, auto mask) HWY_ATTR { take(hn::IfThenElse(mask, load_ordered(row), neutral)); });
  HWY_ALIGN T lanes[hn::MaxLanes(hn::ScalableTag<T>())];
  hn::Store(best, d, lanes);
  T extreme = lanes[0];
  for (const T lane : lanes) {
    extreme = kIsMax ? std::max(extreme, lane) : std::min(extreme, lane);
  }
  return uint64_t{extreme} << (64 - 8 * sizeof(T));
}

template <typename T, class Order>
HWY_ATTR uint64_t extreme_either(const uint8_t* values, const uint64_t* selection, uint32_t words, bool is_max,
                                 Order order) {
  return is_max ? extreme_of<T, true>(values, selection, words, order)
                : extreme_of<T, false>(values, selection, words, order);
}

template <typename T>
HWY_ATTR uint64_t extreme_of_width(const uint8_t* values, const CodeRule& rule, const uint64_t* selection,
                                   uint32_t words, bool is_max) {
  if constexpr (sizeof(T) >= 4) {
    if (rule.is_floating) {
      return extreme_either<T>(values, selection, words, is_max, FloatingOrder());
    }
  }
  if (rule.is_text) {
    return extreme_either<T>(values, selection, words, is_max, TextOrder());
  }
  return extreme_either<T>(values, selection, words, is_max, NumberOrder{rule.flip >> rule.shift});
}

/// Precondition: a width of 1, 2, 4 or 8, and a code that begins with the value's first byte or ends with it.
HWY_ATTR uint64_t extreme_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection, uint32_t words,
                               bool is_max) {
  switch (plane.width) {
    case 1:
      return extreme_of_width<uint8_t>(plane.values, rule, selection, words, is_max);
    case 2:
      return extreme_of_width<uint16_t>(plane.values, rule, selection, words, is_max);
    case 4:
      return extreme_of_width<uint32_t>(plane.values, rule, selection, words, is_max);
    default:
      return extreme_of_width<uint64_t>(plane.values, rule, selection, words, is_max);
  }
}

#endif

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(sum_int16);
HWY_EXPORT(sum_int32);
HWY_EXPORT(sum_int64);
HWY_EXPORT(sum_int128);
HWY_EXPORT(extreme_code);

namespace {

bool has_vector_order(BytesPlane plane, const CodeRule& rule) {
  return rule.offset == 0 && (plane.width == 1 || plane.width == 2 || plane.width == 4 || plane.width == 8);
}

/// Calls use(row) for every row that counts, ascending.
template <typename Use>
void for_each_selected(const uint64_t* selection, uint32_t word_count, Use&& use) {
  if (selection != nullptr) {
    return for_each_bit(selection, word_count, use);
  }
  for (uint32_t row = 0; row < word_count * 64; ++row) {
    use(row);
  }
}

}  // namespace

template <typename T>
Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  if constexpr (sizeof(T) == sizeof(int16_t)) {
    return HWY_DYNAMIC_DISPATCH(sum_int16)(values, selection, word_count);
  } else if constexpr (sizeof(T) == sizeof(int32_t)) {
    return HWY_DYNAMIC_DISPATCH(sum_int32)(values, selection, word_count);
  } else {
    return HWY_DYNAMIC_DISPATCH(sum_int64)(values, selection, word_count);
  }
}

ExactSum sum_wide(const Int128* values, const uint64_t* selection, uint32_t word_count) noexcept {
  return HWY_DYNAMIC_DISPATCH(sum_int128)(values, selection, word_count);
}

uint64_t lowest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection, uint32_t word_count) noexcept {
  return has_vector_order(plane, rule) ? HWY_DYNAMIC_DISPATCH(extreme_code)(plane, rule, selection, word_count, false)
                                       : scalar::lowest_code(plane, rule, selection, word_count);
}

uint64_t highest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection, uint32_t word_count) noexcept {
  return has_vector_order(plane, rule) ? HWY_DYNAMIC_DISPATCH(extreme_code)(plane, rule, selection, word_count, true)
                                       : scalar::highest_code(plane, rule, selection, word_count);
}

namespace scalar {

template <typename T>
Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  Int128 sum = 0;
  for_each_selected(selection, word_count, [&](uint32_t row) { sum += values[row]; });
  return sum;
}

ExactSum sum_wide(const Int128* values, const uint64_t* selection, uint32_t word_count) noexcept {
  ExactSum sum;
  for_each_selected(selection, word_count, [&](uint32_t row) { sum.add(values[row]); });
  return sum;
}

uint64_t lowest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection, uint32_t word_count) noexcept {
  uint64_t best = ~(rule.step() - 1);
  for_each_selected(selection, word_count, [&](uint32_t row) {
    best = std::min(best, code_of(rule, plane.values + size_t{row} * plane.width));
  });
  return best & ~(rule.step() - 1);
}

uint64_t highest_code(BytesPlane plane, const CodeRule& rule, const uint64_t* selection, uint32_t word_count) noexcept {
  uint64_t best = 0;
  for_each_selected(selection, word_count, [&](uint32_t row) {
    best = std::max(best, code_of(rule, plane.values + size_t{row} * plane.width));
  });
  return best & ~(rule.step() - 1);
}

}  // namespace scalar

#define DAEDALUS_INTEGER(T)                                                      \
  template Int128 sum_selected<T>(const T*, const uint64_t*, uint32_t) noexcept; \
  template Int128 scalar::sum_selected<T>(const T*, const uint64_t*, uint32_t) noexcept;
DAEDALUS_INTEGER(int16_t)
DAEDALUS_INTEGER(int32_t)
DAEDALUS_INTEGER(int64_t)
#undef DAEDALUS_INTEGER

}  // namespace daedalus::engine
#endif  // HWY_ONCE

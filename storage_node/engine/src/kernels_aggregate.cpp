#include "kernels_aggregate.hpp"

#include <algorithm>

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_aggregate.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#ifndef DAEDALUS_KERNELS_AGGREGATE_ONCE
#define DAEDALUS_KERNELS_AGGREGATE_ONCE
namespace daedalus::engine {
/// What one pass brings: sums of the values' low and high 32 bits, or an extreme.
struct PassResult {
  uint64_t low = 0;
  int64_t high = 0;
};
enum class PassKind : uint8_t { kSum, kMin, kMax };
}  // namespace daedalus::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

/// Calls use(lanes, which of them count) for every vector of the column.
template <typename T, typename Use>
HWY_INLINE HWY_ATTR void for_each_vector(const T* values, const uint64_t* selection, uint32_t word_count, Use&& use) {
  const Wide d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  for (uint32_t word = 0; word < word_count; ++word) {
    const uint64_t bits = selection[word];
    if (bits == 0) {
      continue;
    }
    for (size_t lane = 0; lane < 64; lane += kLanes) {
      const uint64_t shifted = bits >> lane;
      const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&shifted));
      use(load_wide(values + size_t{word} * 64 + lane), mask);
    }
  }
}

template <typename T>
HWY_ATTR PassResult pass(const T* values, const uint64_t* selection, uint32_t word_count, PassKind kind) {
  const Wide d;
  if (kind == PassKind::kSum) {
    const auto low_bits = hn::Set(d, int64_t{0xffffffff});
    auto low = hn::Zero(d);
    auto high = hn::Zero(d);
    for_each_vector(values, selection, word_count, [&](auto lanes, auto mask) HWY_ATTR {
      const auto counted = hn::IfThenElseZero(mask, lanes);
      low = hn::Add(low, hn::And(counted, low_bits));
      high = hn::Add(high, hn::ShiftRight<32>(counted));
    });
    return {static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(d, low))), hn::GetLane(hn::SumOfLanes(d, high))};
  }
  const bool is_min = kind == PassKind::kMin;
  const auto neutral = hn::Set(d, is_min ? hwy::HighestValue<int64_t>() : hwy::LowestValue<int64_t>());
  auto best = neutral;
  if (is_min) {
    for_each_vector(values, selection, word_count, [&](auto lanes, auto mask) HWY_ATTR {
      best = hn::Min(best, hn::IfThenElse(mask, lanes, neutral));
    });
    return {0, hn::GetLane(hn::MinOfLanes(d, best))};
  }
  for_each_vector(values, selection, word_count,
                  [&](auto lanes, auto mask) HWY_ATTR { best = hn::Max(best, hn::IfThenElse(mask, lanes, neutral)); });
  return {0, hn::GetLane(hn::MaxOfLanes(d, best))};
}

HWY_ATTR PassResult pass_int16(const int16_t* values, const uint64_t* selection, uint32_t words, PassKind kind) {
  return pass(values, selection, words, kind);
}
HWY_ATTR PassResult pass_int32(const int32_t* values, const uint64_t* selection, uint32_t words, PassKind kind) {
  return pass(values, selection, words, kind);
}
HWY_ATTR PassResult pass_int64(const int64_t* values, const uint64_t* selection, uint32_t words, PassKind kind) {
  return pass(values, selection, words, kind);
}

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(pass_int16);
HWY_EXPORT(pass_int32);
HWY_EXPORT(pass_int64);

namespace {

template <typename T>
PassResult dispatch(const T* values, const uint64_t* selection, uint32_t word_count, PassKind kind) noexcept {
  if constexpr (sizeof(T) == sizeof(int16_t)) {
    return HWY_DYNAMIC_DISPATCH(pass_int16)(values, selection, word_count, kind);
  } else if constexpr (sizeof(T) == sizeof(int32_t)) {
    return HWY_DYNAMIC_DISPATCH(pass_int32)(values, selection, word_count, kind);
  } else {
    return HWY_DYNAMIC_DISPATCH(pass_int64)(values, selection, word_count, kind);
  }
}

}  // namespace

template <typename T>
Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  const PassResult sums = dispatch(values, selection, word_count, PassKind::kSum);
  return static_cast<Int128>(sums.high) * (Int128{1} << 32) + static_cast<Int128>(sums.low);
}

template <typename T>
int64_t min_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  return dispatch(values, selection, word_count, PassKind::kMin).high;
}

template <typename T>
int64_t max_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  return dispatch(values, selection, word_count, PassKind::kMax).high;
}

namespace scalar {

template <typename T>
Int128 sum_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  Int128 sum = 0;
  for_each_bit(selection, word_count, [&](uint32_t row) { sum += values[row]; });
  return sum;
}

template <typename T>
int64_t min_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  int64_t best = INT64_MAX;
  for_each_bit(selection, word_count, [&](uint32_t row) { best = std::min<int64_t>(best, values[row]); });
  return best;
}

template <typename T>
int64_t max_selected(const T* values, const uint64_t* selection, uint32_t word_count) noexcept {
  int64_t best = INT64_MIN;
  for_each_bit(selection, word_count, [&](uint32_t row) { best = std::max<int64_t>(best, values[row]); });
  return best;
}

}  // namespace scalar

#define DAEDALUS_INSTANTIATE(T)                                                           \
  template Int128 sum_selected<T>(const T*, const uint64_t*, uint32_t) noexcept;          \
  template int64_t min_selected<T>(const T*, const uint64_t*, uint32_t) noexcept;         \
  template int64_t max_selected<T>(const T*, const uint64_t*, uint32_t) noexcept;         \
  template Int128 scalar::sum_selected<T>(const T*, const uint64_t*, uint32_t) noexcept;  \
  template int64_t scalar::min_selected<T>(const T*, const uint64_t*, uint32_t) noexcept; \
  template int64_t scalar::max_selected<T>(const T*, const uint64_t*, uint32_t) noexcept;
DAEDALUS_INSTANTIATE(int16_t)
DAEDALUS_INSTANTIATE(int32_t)
DAEDALUS_INSTANTIATE(int64_t)
#undef DAEDALUS_INSTANTIATE

}  // namespace daedalus::engine
#endif  // HWY_ONCE

#include "kernels_range.hpp"

#include "kernels_bitmap.hpp"

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_range.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Without vectors everything is left to the plain twins: no row is done here.
uint32_t mark_code_words(BytesPlane, uint32_t, const CodeRule&, CodeRange, uint64_t*) { return 0; }
#else

/// Bit r of each word: turned(values[r]) − low <= span, unsigned. Whole words only; returns the rows done.
template <typename T, typename Turn>
HWY_ATTR uint32_t mark_words(const uint8_t* values, uint32_t row_count, T low, T span, uint64_t* matches, Turn turn) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  static_assert(kLanes <= 64);
  const auto lows = hn::Set(d, low);
  const auto spans = hn::Set(d, span);
  uint32_t row = 0;
  for (; row + 64 <= row_count; row += 64) {
    uint64_t word = 0;
    for (uint32_t lane = 0; lane < 64; lane += static_cast<uint32_t>(kLanes)) {
      const auto bytes = hn::LoadU(hn::Repartition<uint8_t, decltype(d)>(), values + (size_t{row} + lane) * sizeof(T));
      const auto shifted = hn::Sub(turn(d, hn::BitCast(d, bytes)), lows);
      uint64_t bits = 0;
      hn::StoreMaskBits(d, hn::Eq(hn::Min(shifted, spans), shifted), reinterpret_cast<uint8_t*>(&bits));
      word |= bits << lane;
    }
    matches[row / 64] = word;
  }
  return row;
}

struct FlipBits {
  template <class D, class V>
  HWY_ATTR V operator()(D d, V v) const {
    return hn::Xor(v, hn::Set(d, static_cast<hn::TFromD<D>>(flip)));
  }
  uint64_t flip = 0;
};

/// The first byte of a string counts most.
struct TurnBytes {
  template <class D, class V>
  HWY_ATTR V operator()(D d, V v) const {
    const hn::Repartition<uint8_t, D> bytes;
    constexpr size_t kWidth = sizeof(hn::TFromD<D>);
    alignas(16) static constexpr auto kOrder = [] {
      struct Order {
        uint8_t at[16] = {};
      } order;
      for (size_t byte = 0; byte < 16; ++byte) {
        order.at[byte] = static_cast<uint8_t>(byte / kWidth * kWidth + kWidth - 1 - byte % kWidth);
      }
      return order;
    }();
    return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), hn::LoadDup128(bytes, kOrder.at)));
  }
};

template <typename T>
HWY_ATTR uint32_t mark_of_width(BytesPlane plane, uint32_t row_count, const CodeRule& rule, CodeRange codes,
                                uint64_t* matches) {
  const uint64_t below = rule.step() - 1;
  const T low = static_cast<T>((codes.low >> rule.shift) + ((codes.low & below) != 0 ? 1 : 0));
  const T high = static_cast<T>(codes.high >> rule.shift);
  const T span = static_cast<T>(high - low);
  if (rule.is_text && sizeof(T) > 1) {
    return mark_words<T>(plane.values, row_count, low, span, matches, TurnBytes());
  }
  return mark_words<T>(plane.values, row_count, low, span, matches, FlipBits{rule.flip >> rule.shift});
}

HWY_ATTR uint32_t mark_code_words(BytesPlane plane, uint32_t row_count, const CodeRule& rule, CodeRange codes,
                                  uint64_t* matches) {
  switch (plane.width) {
    case 1:
      return mark_of_width<uint8_t>(plane, row_count, rule, codes, matches);
    case 2:
      return mark_of_width<uint16_t>(plane, row_count, rule, codes, matches);
    case 4:
      return mark_of_width<uint32_t>(plane, row_count, rule, codes, matches);
    case 8:
      return mark_of_width<uint64_t>(plane, row_count, rule, codes, matches);
    default:
      return 0;
  }
}

#endif

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(mark_code_words);

CodeRange range_of(CompareOp op, uint64_t code, bool exact) noexcept {
  switch (op) {
    case CompareOp::kEqual:
    case CompareOp::kNotEqual:
      return {code, code};
    case CompareOp::kLess:
      if (exact) {
        return code == 0 ? CodeRange{1, 0} : CodeRange{0, code - 1};
      }
      return {0, code};
    case CompareOp::kLessOrEqual:
      return {0, code};
    case CompareOp::kGreater:
      if (exact) {
        return code == UINT64_MAX ? CodeRange{1, 0} : CodeRange{code + 1, UINT64_MAX};
      }
      return {code, UINT64_MAX};
    case CompareOp::kGreaterOrEqual:
      return {code, UINT64_MAX};
  }
  check_failed("a known comparison", __FILE__, __LINE__);
}

void mark_code_range(BytesPlane plane, uint32_t row_count, const CodeRule& rule, CodeRange codes,
                     uint64_t* matches) noexcept {
  if (holds_no_value(rule, codes)) {
    return scalar::mark_code_range(plane, row_count, rule, {1, 0}, matches);
  }
  const uint32_t done = rule.is_floating || rule.offset != 0
                            ? 0
                            : HWY_DYNAMIC_DISPATCH(mark_code_words)(plane, row_count, rule, codes, matches);
  if (done < row_count) {
    scalar::mark_code_range({plane.values + size_t{done} * plane.width, plane.width}, row_count - done, rule, codes,
                            matches + done / 64);
  }
}

namespace scalar {

namespace {

template <typename Test>
void mark(uint32_t row_count, uint64_t* matches, Test test) noexcept {
  for (uint32_t first = 0; first < row_count; first += 64) {
    uint64_t word = 0;
    for (uint32_t bit = 0; bit < 64 && first + bit < row_count; ++bit) {
      word |= static_cast<uint64_t>(test(first + bit)) << bit;
    }
    matches[first / 64] = word;
  }
}

}  // namespace

void mark_code_range(BytesPlane plane, uint32_t row_count, const CodeRule& rule, CodeRange codes,
                     uint64_t* matches) noexcept {
  mark(row_count, matches, [=](uint32_t row) {
    const uint64_t code = code_of(rule, plane.values + size_t{row} * plane.width);
    return codes.low <= code && code <= codes.high;
  });
}

}  // namespace scalar
}  // namespace daedalus::engine
#endif  // HWY_ONCE

#include "kernels_window.hpp"

#include "prefetch.hpp"

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_window.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
uint32_t keep_candidates(RowSketches sketches, const SketchWindow* windows, Candidate* candidates, uint32_t count) {
  return scalar::keep_within(sketches, windows, candidates, count);
}
uint32_t keep_rows(RowSketches sketches, const SketchWindow& window, uint32_t* rows, uint32_t count) {
  return scalar::keep_within(sketches, window, rows, count);
}
#else

template <uint32_t kBytes>
HWY_INLINE HWY_ATTR bool is_within(const uint8_t* row, const SketchWindow& window) {
  const hn::CappedTag<uint8_t, kBytes> d;
  bool within = true;
  for (uint32_t at = 0; at < kBytes; at += static_cast<uint32_t>(hn::MaxLanes(d))) {
    const auto offset = hn::Sub(hn::LoadU(d, row + at), hn::LoadU(d, window.low + at));
    within &= hn::AllTrue(d, hn::Eq(hn::Min(offset, hn::LoadU(d, window.span + at)), offset));
  }
  return within;
}

/// row_of(item) and window_of(item) say where to look.
template <uint32_t kBytes, typename Item, typename RowOf, typename WindowOf>
HWY_INLINE HWY_ATTR uint32_t keep(RowSketches sketches, Item* items, uint32_t count, RowOf&& row_of,
                                  WindowOf&& window_of) {
  uint32_t kept = 0;
  for (uint32_t position = 0; position < count; ++position) {
    const Item& ahead = items[std::min(position + kValuesInFlight, count - 1)];
    __builtin_prefetch(sketches.bytes + size_t{row_of(ahead)} * sketches.row_bytes);
    const Item item = items[position];
    items[kept] = item;
    kept += is_within<kBytes>(sketches.bytes + size_t{row_of(item)} * sketches.row_bytes, window_of(item)) ? 1 : 0;
  }
  return kept;
}

template <typename Item, typename RowOf, typename WindowOf>
HWY_INLINE HWY_ATTR uint32_t keep_by_width(RowSketches sketches, Item* items, uint32_t count, RowOf&& row_of,
                                           WindowOf&& window_of) {
  switch (sketches.row_bytes) {
    case 64:
      return keep<64>(sketches, items, count, row_of, window_of);
    case 32:
      return keep<32>(sketches, items, count, row_of, window_of);
    default:
      // Everything read of later rows is within any window.
      return keep<16>(sketches, items, count, row_of, window_of);
  }
}

HWY_ATTR uint32_t keep_candidates(RowSketches sketches, const SketchWindow* windows, Candidate* candidates,
                                  uint32_t count) {
  return keep_by_width(
      sketches, candidates, count, [](const Candidate& candidate) { return candidate.row; },
      [windows](const Candidate& candidate) -> const SketchWindow& { return windows[candidate.query]; });
}

HWY_ATTR uint32_t keep_rows(RowSketches sketches, const SketchWindow& window, uint32_t* rows, uint32_t count) {
  return keep_by_width(
      sketches, rows, count, [](uint32_t row) { return row; },
      [&window](uint32_t) -> const SketchWindow& { return window; });
}

#endif

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(keep_candidates);
HWY_EXPORT(keep_rows);

uint32_t keep_within(RowSketches sketches, const SketchWindow* windows, Candidate* candidates,
                     uint32_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(keep_candidates)(sketches, windows, candidates, count);
}

uint32_t keep_within(RowSketches sketches, const SketchWindow& window, uint32_t* rows, uint32_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(keep_rows)(sketches, window, rows, count);
}

namespace scalar {
namespace {

bool is_within(RowSketches sketches, uint32_t row, const SketchWindow& window) {
  const uint8_t* buckets = sketches.bytes + size_t{row} * sketches.row_bytes;
  for (uint32_t column = 0; column < sketches.row_bytes; ++column) {
    if (static_cast<uint8_t>(buckets[column] - window.low[column]) > window.span[column]) {
      return false;
    }
  }
  return true;
}

}  // namespace

uint32_t keep_within(RowSketches sketches, const SketchWindow* windows, Candidate* candidates,
                     uint32_t count) noexcept {
  return static_cast<uint32_t>(std::remove_if(candidates, candidates + count,
                                              [&](const Candidate& candidate) {
                                                return !is_within(sketches, candidate.row, windows[candidate.query]);
                                              }) -
                               candidates);
}

uint32_t keep_within(RowSketches sketches, const SketchWindow& window, uint32_t* rows, uint32_t count) noexcept {
  return static_cast<uint32_t>(
      std::remove_if(rows, rows + count, [&](uint32_t row) { return !is_within(sketches, row, window); }) - rows);
}

}  // namespace scalar
}  // namespace daedalus::engine
#endif  // HWY_ONCE

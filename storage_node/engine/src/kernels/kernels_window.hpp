// All sketches of a row at a look: whether each of its columns is in a bucket that a query wants.
//
// None allocates or throws. The instruction set is chosen once, at run time; each has a plain twin in `scalar`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace daedalus::engine {

/// Columns whose sketches also lie side by side, row by row: the first so many.
constexpr uint32_t kRowSketchColumnsMax = 64;

/// The buckets that a query wants, by column: a row is within if bucket − low <= span, unsigned, in each.
struct alignas(64) SketchWindow {
  SketchWindow() { std::fill_n(span, kRowSketchColumnsMax, 255); }

  /// Narrows one column to what is also from `first` to `last`. False when nothing is: the window is as before.
  [[nodiscard]] bool narrow(uint32_t column, uint8_t first, uint8_t last) {
    const uint8_t from = std::max(low[column], first);
    const uint8_t to = std::min(static_cast<uint8_t>(low[column] + span[column]), last);
    if (from > to) {
      return false;
    }
    low[column] = from;
    span[column] = static_cast<uint8_t>(to - from);
    return true;
  }

  uint8_t low[kRowSketchColumnsMax] = {};
  uint8_t span[kRowSketchColumnsMax];  ///< 255: any.
};

/// A row that a query may take.
struct Candidate {
  uint32_t row = 0;
  uint32_t query = 0;
};

/// Sketches of rows: row r's begin at r · row_bytes, one a column. 16 bytes may be read where a row begins.
struct RowSketches {
  const uint8_t* bytes = nullptr;  ///< Null: there are none.
  uint32_t row_bytes = 0;          ///< A power of two, at most 64.

  [[nodiscard]] const uint8_t* of(uint32_t row) const {
    return bytes == nullptr ? nullptr : bytes + size_t{row} * row_bytes;
  }
};

/// Keeps, in order, the candidates whose row is within their query's window. Returns how many.
/// Cost: 5 ns each where sketches and windows are in the caches; sketches are fetched some candidates ahead.
[[nodiscard]] uint32_t keep_within(RowSketches sketches, const SketchWindow* windows, Candidate* candidates,
                                   uint32_t count) noexcept;

/// Does the same for rows of one query.
[[nodiscard]] uint32_t keep_within(RowSketches sketches, const SketchWindow& window, uint32_t* rows,
                                   uint32_t count) noexcept;

namespace scalar {
[[nodiscard]] uint32_t keep_within(RowSketches sketches, const SketchWindow* windows, Candidate* candidates,
                                   uint32_t count) noexcept;
[[nodiscard]] uint32_t keep_within(RowSketches sketches, const SketchWindow& window, uint32_t* rows,
                                   uint32_t count) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

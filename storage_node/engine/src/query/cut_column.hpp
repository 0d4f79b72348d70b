// A column cut into intervals by the bounds of several queries.
//
// Decides which interval a value lies in: interval i holds the codes from cut i − 1 on and below cut i, and NULL is an
// interval of its own, the last one. Refuses to know queries.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "chunk_store.hpp"
#include "codes.hpp"

namespace daedalus::engine {

/// Intervals first to last, both included.
struct IntervalRange {
  uint32_t first = 0;
  uint32_t last = 0;
};

class CutColumn {
 public:
  /// `layout` outlives this object.
  CutColumn(const TableLayout& layout, uint32_t column) : layout_(&layout.columns[column]), column_(column) {}

  [[nodiscard]] uint32_t column() const { return column_; }
  /// NULL's included.
  [[nodiscard]] uint32_t interval_count() const { return static_cast<uint32_t>(cuts_.size()) + 2; }
  [[nodiscard]] IntervalRange all() const { return {0, interval_count() - 1}; }

  /// How many more intervals there are once this range of codes is made of whole ones.
  [[nodiscard]] uint32_t missing(CodeRange codes) const;
  /// Makes it so. Cost: a place in a sorted list.
  void add(CodeRange codes);

  /// Ends the adding. One interval more is `weight` more in a cell's number.
  void end(uint32_t weight);
  /// The intervals that a range makes up which was added. Precondition: end() was called.
  [[nodiscard]] IntervalRange intervals(CodeRange codes) const;

  /// Returns whether the cell with this number lies within intervals of this column.
  [[nodiscard]] bool lies_within(uint32_t cell, IntervalRange intervals) const {
    const uint32_t interval = cell / weight_ % interval_count();
    return intervals.first <= interval && interval <= intervals.last;
  }
  [[nodiscard]] uint32_t weight() const { return weight_; }

  /// Adds what this column's intervals are worth to the numbers of `count` rows from row `first` on, both multiples
  /// of 64. room: as many. Cost: 1 to 2 ns a row; some ns where its cuts lie far apart.
  void number(const ChunkView& chunk, uint32_t first, uint32_t count, uint32_t* room, uint32_t* cells) const;

 private:
  /// Returns where the values begin that lie in a range, and where those that lie above it; zero: there is no such cut.
  [[nodiscard]] std::pair<uint64_t, uint64_t> ends_of(CodeRange codes) const;
  [[nodiscard]] uint32_t interval_of(uint64_t code) const;
  template <typename CodeOf>
  void number_values(const uint8_t* values, uint32_t count, CodeOf&& code, uint32_t* numbers) const;

  const ColumnLayout* layout_;
  uint32_t column_;
  std::vector<uint64_t> cuts_;  ///< Codes, ascending.
  uint32_t weight_ = 1;
  /// Holds what a value is worth that lies so many steps above the first cut but one step; the last serves all above.
  /// Empty: cuts lie too far apart, and are searched.
  std::vector<uint32_t> worths_;
};

}  // namespace daedalus::engine

// A grouping of one query: one way of grouping rows, or several at once.
//
// Decides that rows are given to each set of GROUPING SETS, and to each list that an aggregate is made of, in turn.
#pragma once

#include <deque>

#include "aggregation.hpp"

namespace daedalus::engine {

class SetAggregation {
 public:
  /// As Aggregation's. Each set may have as many groups as one alone.
  SetAggregation(const TableLayout& layout, const ChunkStore& store, const Query& query, uint64_t answer_bytes_max,
                 Groupings& groupings);

  [[nodiscard]] Result<void> take(uint32_t chunk, const uint32_t* rows, uint32_t row_count);
  [[nodiscard]] Result<void> take_selection(uint32_t chunk, const uint64_t* selection);
  /// Returns what the rows taken so far have come to; null where they are in groups, or in sets.
  [[nodiscard]] AggregateStates* states() { return sets_.size() == 1 ? sets_.front().states() : nullptr; }
  /// Rows of one set after those of another.
  [[nodiscard]] Result<AnswerRows> finish() const;

 private:
  AnswerMemory* memory_;
  std::deque<Aggregation> sets_;
};

}  // namespace daedalus::engine

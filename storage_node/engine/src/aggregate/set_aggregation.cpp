#include "set_aggregation.hpp"

#include <utility>
#include <vector>

namespace daedalus::engine {

SetAggregation::SetAggregation(const TableLayout& layout, const ChunkStore& store, const Query& query,
                               uint64_t answer_bytes_max, Groupings& groupings)
    : memory_(&groupings.memory()) {
  const semantics::Grouping& grouping = *query.selection->grouping;
  if (!grouping.has_sets()) {
    sets_.emplace_back(layout, store, query, answer_bytes_max, groupings);
    return;
  }
  uint32_t number = 0;
  for (semantics::GroupSet& set : semantics::group_sets(grouping)) {
    sets_.emplace_back(store, plan_of(layout, grouping, {std::move(set), number++}, groupings.expressions()),
                       answer_bytes_max, groupings);
  }
}

Result<void> SetAggregation::take(uint32_t chunk, const uint32_t* rows, uint32_t row_count) {
  for (Aggregation& set : sets_) {
    if (Result<void> taken = set.take(chunk, rows, row_count); !taken) {
      return taken;
    }
  }
  return {};
}

Result<void> SetAggregation::take_selection(uint32_t chunk, const uint64_t* selection) {
  for (Aggregation& set : sets_) {
    if (Result<void> taken = set.take_selection(chunk, selection); !taken) {
      return taken;
    }
  }
  return {};
}

Result<AnswerRows> SetAggregation::finish() const {
  AnswerRows rows;
  MemoryShare memory(*memory_);
  for (const Aggregation& set : sets_) {
    if (Result<void> finished = set.finish(rows, memory); !finished) {
      return finished.error();
    }
  }
  rows.lease = memory.hand_over();
  return rows;
}

}  // namespace daedalus::engine

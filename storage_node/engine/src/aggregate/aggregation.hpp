// The groups of one aggregating query within one segment, accumulated from column vectors.
//
// Decides partial aggregates (docs/wire.md, "Partial aggregates"): rows of a batch become group numbers, column by
// column, and then every aggregate takes its column of values with them. Without groups whole columns are taken.
// Equal group keys are one group, reported as its first row has them: −0.0 joins 0.0.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregate_states.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/semantics/answer.hpp"
#include "group_finder.hpp"

namespace daedalus::engine {

class Aggregation {
 public:
  /// Groups and their keys and states take at most 4 · answer_bytes_max bytes and kGroupsMax groups, and what the
  /// memory of `groupings` has left; `groupings` are those of the cycle and outlive this object.
  Aggregation(const ChunkStore& store, AggregationPlan plan, uint64_t answer_bytes_max, Groupings& groupings);
  /// Aggregates for a query, which shares its groups with others of the cycle where that is possible.
  Aggregation(const TableLayout& layout, const ChunkStore& store, const Query& query, uint64_t answer_bytes_max,
              Groupings& groupings);

  ~Aggregation();
  Aggregation(const Aggregation&) = delete;
  Aggregation& operator=(const Aggregation&) = delete;

  /// Takes rows of one chunk, ascending. Errors: 54000 too many groups, or more memory than one query may have, 53200
  /// no memory for more at present.
  [[nodiscard]] Result<void> take(uint32_t chunk, const uint32_t* rows, uint32_t row_count);

  /// Does the same for the rows that a bitmap marks: by whole columns where there are no groups.
  [[nodiscard]] Result<void> take_selection(uint32_t chunk, const uint64_t* selection);

  /// Packed partial rows, keys before aggregates, groups in the order of their first row. Errors: 54000 too large,
  /// 53200 no memory for them.
  [[nodiscard]] Result<AnswerRows> finish() const;
  /// Does the same behind other rows, for which `memory` answers.
  [[nodiscard]] Result<void> finish(AnswerRows& rows, MemoryShare& memory) const;

  /// Returns what the rows taken so far have come to; null where they are in groups.
  [[nodiscard]] AggregateStates* states() { return finder_ == nullptr && !frame_ ? &states_ : nullptr; }

 private:
  /// Describes the partial rows of all groups.
  struct RowShape {
    uint32_t columns = 0;
    uint32_t bytes_max = 0;  ///< And what their writer may write behind them.
  };

  /// `finder` is null where there are no keys.
  Aggregation(const ChunkStore& store, AggregationPlan plan, std::shared_ptr<GroupFinder> finder,
              uint64_t answer_bytes_max, Groupings& groupings);

  void append_keys(uint32_t group, semantics::PackedRowWriter& row) const;
  [[nodiscard]] Result<void> take_batch(RowBatch batch);
  [[nodiscard]] Result<const uint32_t*> find_groups(const RowBatch& batch);
  /// Makes states for so many groups at least.
  [[nodiscard]] bool make_states(uint32_t groups);
  [[nodiscard]] uint32_t key_count() const;
  [[nodiscard]] RowShape row_shape() const;
  /// Returns the row's bytes.
  [[nodiscard]] uint32_t write_row(uint32_t group, const RowShape& shape, uint8_t* bytes) const;
  [[nodiscard]] Result<void> take_listed(const ChunkView& chunk);

  const ChunkStore* store_;
  uint64_t answer_bytes_max_;
  AnswerMemory* memory_;
  BatchScratch* scratch_;
  std::optional<PartialRowFrame> frame_;
  std::shared_ptr<GroupFinder> finder_;
  FindProgress progress_;
  uint32_t batch_rows_;
  uint32_t groups_max_ = 1;
  AggregateStates states_;
  uint32_t states_made_ = 0;  ///< Groups that have states, those still to come included.
  MemoryShare states_memory_;
};

}  // namespace daedalus::engine

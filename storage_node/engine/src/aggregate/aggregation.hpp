// The groups of one aggregating query within one segment, accumulated from column vectors.
//
// Decides partial aggregates (docs/wire.md, "Partial aggregates"): rows of a batch become group numbers, column by
// column, and then every aggregate takes its column of values with them. Without groups whole columns are taken.
// Equal group keys are one group, reported as its first row has them: −0.0 joins 0.0.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "accumulators.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/semantics/answer.hpp"
#include "group_finder.hpp"

namespace daedalus::engine {

/// Where the columns of a partial row stand that has more of them than keys and states.
struct PartialRowFrame {
  int64_t set = 0;
  std::vector<std::optional<uint32_t>> keys;  ///< Places among the keys of the plan; nothing: NULL.
  uint32_t nulls_before = 0;                  ///< Columns of states that are not there, before those that are,
  uint32_t nulls_behind = 0;                  ///< and behind them.
};

/// What an aggregating query computes, whether from columns of the table or from computed ones.
struct AggregationPlan {
  struct Aggregate {
    semantics::AggregateFunction function{};
    ColumnSource source;  ///< Not read for count(*).
  };

  std::vector<ColumnSource> keys;  ///< GROUP BY; none: one group, even of no rows.
  std::vector<Aggregate> aggregates;
  std::optional<PartialRowFrame> frame;
};

/// The plan of a grouping without sets.
[[nodiscard]] AggregationPlan plan_of(const TableLayout& layout, const semantics::Grouping& grouping,
                                      ExpressionPool& expressions);

/// Which of a grouping's sets is meant, and its number.
struct NumberedSet {
  semantics::GroupSet set;
  uint32_t number = 0;
};

/// The plan of one of its sets.
[[nodiscard]] AggregationPlan plan_of(const TableLayout& layout, const semantics::Grouping& grouping,
                                      const NumberedSet& numbered, ExpressionPool& expressions);

class Aggregation {
 public:
  /// Groups and their keys and states take at most 4 · answer_bytes_max bytes and kGroupsMax groups, and what the
  /// memory of `groupings` has left; `groupings` are those of the cycle and outlive this object.
  Aggregation(const ChunkStore& store, AggregationPlan plan, uint64_t answer_bytes_max, Groupings& groupings);
  /// Of a query, which shares its groups with others of the cycle where that is possible.
  Aggregation(const TableLayout& layout, const ChunkStore& store, const Query& query, uint64_t answer_bytes_max,
              Groupings& groupings);

  /// Takes rows of one chunk, ascending. Errors: 54000 too many groups, 53200 no memory for more at present.
  [[nodiscard]] Result<void> take(uint32_t chunk, const uint32_t* rows, uint32_t row_count);

  /// The same for the rows that a bitmap marks: by whole columns where there are no groups.
  [[nodiscard]] Result<void> take_selection(uint32_t chunk, const uint64_t* selection);

  /// Packed partial rows, keys before aggregates, groups in the order of their first row. Errors: 54000 too large,
  /// 53200 no memory for them.
  [[nodiscard]] Result<AnswerRows> finish() const;
  /// The same behind other rows, for which `memory` answers.
  [[nodiscard]] Result<void> finish(AnswerRows& rows, MemoryShare& memory) const;

 private:
  struct Aggregate {
    semantics::AggregateFunction function{};
    ColumnSource source;
    Accumulator states;
    bool is_exact = false;  ///< Takes the source as exact numbers.
  };

  /// Of the partial rows of all groups.
  struct RowShape {
    uint32_t columns = 0;
    uint32_t bytes_max = 0;  ///< And what their writer may write behind them.
  };

  /// `finder` is null where there are no keys.
  Aggregation(const ChunkStore& store, AggregationPlan plan, std::shared_ptr<GroupFinder> finder,
              uint64_t answer_bytes_max, Groupings& groupings);

  void append_keys(uint32_t group, semantics::PackedRowWriter& row) const;
  void take_columns(const ChunkView& chunk, const uint64_t* selection);
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
  std::vector<Aggregate> aggregates_;
  bool has_computed_ = false;  ///< Of them at least one takes what is computed.
  std::optional<PartialRowFrame> frame_;
  std::shared_ptr<GroupFinder> finder_;
  FindProgress progress_;
  uint32_t batch_rows_;
  uint32_t groups_max_ = 1;
  uint64_t state_bytes_ = 0;  ///< Of one group, all aggregates.
  uint32_t states_ = 0;       ///< Groups that have states, those still to come included.
  MemoryShare states_memory_;
};

}  // namespace daedalus::engine

// The states of a query's aggregates, one a group: values of rows in, parts of partial rows out.
//
// Decides how an aggregate's column is read and which states add it up. Refuses to know how rows are found and which
// group they belong to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accumulators.hpp"
#include "aggregation_plan.hpp"
#include "batch_scratch.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::engine {

class AggregateStates {
 public:
  /// is_grouped: there may be more groups than one. Then none has states before resize().
  AggregateStates(std::vector<PlannedAggregate> aggregates, bool is_grouped);

  /// Some aggregate takes what is computed.
  [[nodiscard]] bool has_computed() const { return has_computed_; }
  [[nodiscard]] size_t count() const { return aggregates_.size(); }
  /// Counts the bytes of all aggregates of one group.
  [[nodiscard]] uint64_t state_bytes() const { return state_bytes_; }
  /// Makes room; new states have seen nothing. Never fewer than before.
  void resize(uint32_t groups);

  /// Takes a batch, groups[p] being the group of position p. An error is that of a computed column; earlier aggregates
  /// have then taken the batch.
  [[nodiscard]] Result<void> take(const RowBatch& batch, const uint32_t* groups, BatchScratch& scratch);
  /// Returns whether nothing that take() would compute of this batch is an error. What is computed once is not computed
  /// again.
  [[nodiscard]] bool can_take(const RowBatch& batch, BatchScratch& scratch) const;
  /// Takes the rows of a chunk that a bitmap marks into group 0, by whole columns. Precondition: nothing is computed.
  void take_columns(const ChunkView& chunk, const uint64_t* selection, BatchScratch& scratch);

  /// Returns whether what a group has seen can be told from states alone, in whatever order they are put together.
  [[nodiscard]] bool can_merge() const;
  /// Puts groups of `other` to this one: as if it had taken their rows. Precondition: both have the same aggregates,
  /// and can_merge(). Cost: a few ns a group and aggregate.
  void merge(uint32_t group, const AggregateStates& other, std::span<const uint32_t> groups);

  /// Counts a group's columns in a partial row.
  [[nodiscard]] uint32_t columns() const;
  [[nodiscard]] uint32_t append_bytes_max() const;
  void append(uint32_t group, PartialRow& row) const;

 private:
  struct Aggregate {
    semantics::AggregateFunction function{};
    ColumnSource source;
    Accumulator states;
    bool is_exact = false;  ///< Takes the source as exact numbers.
  };

  std::vector<Aggregate> aggregates_;
  bool has_computed_ = false;
  uint64_t state_bytes_ = 0;
};

}  // namespace daedalus::engine

// One query on its way through one cycle: it takes the rows that qualify and ends in one last output.
//
// Decides when a query has enough, has too much, is no longer wanted, or has rows that may leave before the others.
// Refuses to know how rows were found.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>

#include "compiled_predicate.hpp"
#include "computed_top_rows.hpp"
#include "daedalus/engine/operation.hpp"
#include "recent_rows.hpp"
#include "residual_filter.hpp"
#include "row_encoder.hpp"
#include "set_aggregation.hpp"
#include "sketches.hpp"
#include "top_rows.hpp"

namespace daedalus::engine {

/// Holds what the queries of one cycle share.
struct CycleShared {
  std::pmr::memory_resource& memory;  ///< Has what is compiled.
  Groupings& groupings;
  SharedRowOutputs& outputs;
  const Sketches& sketches;
  RecentRows& recent;
};

/// Holds what queries aggregate that want the same of the same rows. One of them, the first, takes rows for all.
struct SharedAggregation {
  SetAggregation sets;
  std::optional<Error> error = std::nullopt;  ///< The error that taking them ended with.
};

class QueryRun {
 public:
  /// Starts ended, with an error, when the query's deadline has passed or it was aborted.
  /// It is number `number` of the queries that share `flow`, which outlives this object, as does `shared`.
  QueryRun(const TableLayout& layout, const ChunkStore& store, Query query, uint32_t number, AnswerFlow& flow,
           CycleShared& shared);

  /// Returns whether more rows can change the answer.
  [[nodiscard]] bool is_active() const { return active_; }
  [[nodiscard]] const CompiledPredicate& predicate() const { return predicate_; }
  /// Returns what is computed of the rows that it takes.
  [[nodiscard]] const semantics::Selection& selection() const { return *query_.selection; }
  /// Returns what predicate() was compiled from.
  [[nodiscard]] const semantics::Predicate& condition() const { return query_.predicate(); }

  /// Returns what its entries in the cycle's indexes may take, beyond some hundred bytes.
  [[nodiscard]] size_t entry_bytes() const;
  /// Returns the tree of what predicate() was compiled from.
  [[nodiscard]] const semantics::Condition& tree() const { return query_.predicate().tree; }

  /// Ends the query when it has been aborted or its deadline has passed.
  void check_aborted();

  /// Fetches what take() will read of a row.
  void prefetch(const ChunkView& chunk, uint32_t row, const RowSketches& sketches) const {
    if (encoder_.has_value() && !top_.has_value() && computed_top_ == nullptr) {
      encoder_->prefetch(chunk, row, sketches);
    }
  }

  /// Fetches what prefetch() and take() read of this object: of thousands of queries none is in the caches.
  void prefetch_self() const {
    constexpr size_t kLine = 64;
    const auto* object = reinterpret_cast<const uint8_t*>(this);
    for (size_t at = 0; at < sizeof(QueryRun); at += kLine) {
      fetch_ahead(object + at);
    }
  }
  void prefetch_outputs() const {
    if (encoder_.has_value()) {
      encoder_->prefetch_outputs();
    }
  }

  /// Returns the moment that it is to be answered at; nothing: the prefix of its cycle.
  [[nodiscard]] std::optional<Timestamp> at() const { return query_.at; }
  /// It sees this one of the cycle's moments. has_recent: rows of recent chunks follow those of the table.
  void see(uint32_t moment, bool has_recent) {
    moment_ = moment;
    has_recent_ = has_recent;
  }

  /// No row of the chunk satisfies the condition.
  void pass_by(uint32_t chunk) { passed_by_ = chunk; }
  /// Returns whether rows of the chunk can be in the answer.
  [[nodiscard]] bool reaches(uint32_t chunk) const {
    return chunk != passed_by_ && (slice_ == nullptr || store_->is_recent(chunk) || slice_reaches(chunk));
  }
  /// Returns whether its answer is a piece of the segment: a slice, or what Query::piece_bytes let through.
  [[nodiscard]] bool is_piece() const { return piece_bytes_ != UINT64_MAX; }
  /// The chunk was swept; it and those before have so many recent rows, which follow. Returns beyond how many of them
  /// the piece has to be told again. Precondition: is_piece().
  [[nodiscard]] uint64_t end_chunk_of_piece(uint32_t chunk, uint64_t recent_rows);
  /// Returns whether no part of its rows may leave: some may have to be taken back.
  [[nodiscard]] bool is_held_back() const { return slice_ != nullptr && slice_->cut.has_value(); }
  /// Returns whether it holds slots of rows that it will read when the sweep has ended.
  [[nodiscard]] bool holds_slots() const { return top_.has_value() || computed_top_ != nullptr; }
  /// Marks the rows of a chunk that it may read then. Precondition: holds_slots().
  void mark_held(uint32_t chunk, std::span<uint64_t> rows) {
    top_.has_value() ? top_->mark_held(chunk, rows) : computed_top_->mark_held(chunk, rows);
  }

  /// Takes qualifying rows of one chunk, ascending; chunks ascend too. `sketches` are those of the chunk, if whoever
  /// found the rows has them. Precondition: active.
  void take(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches = {});

  /// Returns whether take_selection() spares a list of rows.
  [[nodiscard]] bool takes_selections() const {
    return residual_ != nullptr || aggregation_ != nullptr || top_.has_value();
  }
  /// Takes the rows of one chunk that a bitmap marks. Precondition: active, and takes_selections().
  void take_selection(uint32_t chunk, const uint64_t* selection);

  /// Returns what it aggregates, and what its rows have come to so far, for whoever takes rows for several queries at
  /// once. Null: it has groups, wants rows themselves, or computes a part of its condition.
  [[nodiscard]] const semantics::Grouping* grouping() const {
    return aggregation_ != nullptr && residual_ == nullptr ? &*query_.selection->grouping : nullptr;
  }
  [[nodiscard]] AggregateStates* states() { return aggregation_ != nullptr ? aggregation_->sets.states() : nullptr; }
  [[nodiscard]] bool is_aggregating() const { return aggregation_ != nullptr; }
  /// Its rows are found by somebody else: it needs no plan.
  void join_cells() { needs_plan_ = false; }
  /// Returns whether both aggregate the same rows in the same way.
  [[nodiscard]] bool is_twin_of(const QueryRun& other) const;
  /// From now on `first` takes rows for both, to the end of the cycle, whatever becomes of its own client.
  /// Precondition: twins, both active, and none has taken rows.
  void follow(QueryRun& first);
  /// Returns whether it wants rows that nobody finds for it.
  [[nodiscard]] bool needs_plan() const { return active_ && needs_plan_; }
  /// Returns whether rows may wait to be tested.
  [[nodiscard]] bool has_residual() const { return residual_ != nullptr; }
  /// Takes rows that wait to be tested. When all have been found.
  void take_what_waits() {
    if (active_ && residual_ != nullptr && !residual_->is_empty()) {
      const DeadlineCheck::Work work = work_for_client();
      take_waiting();
    }
  }
  /// Past it nobody wants the rows that it takes.
  [[nodiscard]] Instant waits_until() const { return waits_until_; }
  /// How long it may compute.
  [[nodiscard]] int64_t compute_ns_allowed() const { return time_ != nullptr ? time_->allowed_ns : INT64_MAX; }
  /// Returns whether an error is all that its client gets, at once.
  [[nodiscard]] bool is_lost() const { return error_.has_value() && !is_finished_; }

  /// Ends the query; the first error counts.
  void fail(Error error);
  /// Fails its followers, too: the condition or what is computed cannot be evaluated.
  void fail_all(Error error);
  [[nodiscard]] bool has_failed() const { return error_.has_value(); }

  /// Rows so far, ahead of the rest: not the last output. Precondition: active, and listed in AnswerFlow::ready.
  [[nodiscard]] QueryOutput take_part(Timestamp prefix);

  /// Returns what is left of the answer: the last output. Nothing more is taken.
  [[nodiscard]] QueryOutput finish(Timestamp prefix);
  [[nodiscard]] bool is_finished() const { return is_finished_; }

 private:
  void become_ready();
  /// From now on memory is asked for, and rows are computed, for its client; rows until what it gives goes.
  [[nodiscard]] DeadlineCheck::Work work_for_client();
  void take_rows(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches);
  /// Does the same where a part of the condition is computed.
  void take_narrowed(uint32_t chunk, const uint64_t* selection);
  /// Rows that a bitmap marks, all of which qualify.
  void take_marked(uint32_t chunk, const uint64_t* selection);
  /// Has the rows that wait tested, and takes those that pass.
  void take_waiting();
  /// Rows that qualify.
  void take_tested(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches);
  void take_encoded(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches);
  /// Takes those rows among them that belong to the slice, until it has enough bytes.
  void take_of_slice(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches);
  /// Takes rows of a recent chunk that belong in its slots. Those before a cut are taken whatever room they take; those
  /// behind it may end the piece.
  void take_recent_of_slice(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches);
  /// Encodes rows of any chunks, ascending.
  void take_slots(const std::vector<uint32_t>& slots);
  [[nodiscard]] Result<AnswerRows> finish_rows();

  /// Recent rows come last, and nobody knows before how many of them a piece wants. Once there are so many that they
  /// might take too much room, the piece notes a slot at which it can still be made to end: its cut.
  struct Cut {
    uint64_t slot = 0;
    RowEncoder::Position position;               ///< The rows of the table's chunks before the slot end here.
    std::optional<RowEncoder::Position> recent;  ///< Recent rows begin here,
    std::optional<RowEncoder::Position> beyond;  ///< and those among them that belong behind the slot begin here.
  };
  struct SliceRun {
    uint64_t first_slot = 0;
    uint64_t recent_before = 0;         ///< Chunks before it have so many recent rows, or more.
    std::optional<uint64_t> next_slot;  ///< It has enough bytes: where the next slice begins.
    std::optional<Cut> cut;             ///< It is there once many rows are recent.
  };

  [[nodiscard]] bool slice_reaches(uint32_t chunk) const {
    return !slice_->next_slot && (uint64_t{chunk} + 1) * store_->chunk_rows() > slice_->first_slot;
  }
  /// Returns the slots whose rows it wants.
  [[nodiscard]] SlotRange slots() const;
  [[nodiscard]] uint64_t bytes_left_of_piece() const;
  void end_slice(uint64_t next_slot);
  /// Returns whether with so many more rows it might have more than so many bytes.
  [[nodiscard]] bool may_exceed(uint64_t bytes, uint64_t row_count) const {
    return encoder_->total_bytes() + row_count * encoder_->row_size_max() > bytes;
  }
  /// From now on it is the slice from the first slot on, unless it is a slice.
  void make_slice();
  /// Ends the piece at this slot, whose recent row would be the next one, or at the cut where it has other rows behind
  /// that: it takes them back.
  void end_before_recent(uint64_t slot);

  const ChunkStore* store_;
  Query query_;
  CompiledPredicate predicate_;
  uint32_t number_;
  Instant waits_until_;  ///< The last deadline of all for whom it takes rows.
  AnswerFlow* flow_;
  RecentRows* recent_;
  uint64_t rows_max_ = UINT64_MAX;   ///< Enough rows: more cannot change the answer.
  uint64_t piece_bytes_;             ///< Enough bytes: a slice has what follows. UINT64_MAX: the answer is whole.
  uint32_t passed_by_ = UINT32_MAX;  ///< A chunk.
  uint32_t moment_ = 0;              ///< Numbers the one that it sees among those of its cycle.
  bool active_ = true;
  bool is_ready_ = false;  ///< Listed in flow_->ready.
  bool is_finished_ = false;
  bool needs_plan_ = true;
  bool has_followers_ = false;
  bool has_recent_ = false;
  std::optional<Error> error_;
  std::unique_ptr<ComputeTime> time_;               ///< Null: it computes nothing.
  std::vector<uint32_t> listed_;                    ///< The rows of a bitmap, listed. Rare.
  std::unique_ptr<ResidualFilter> residual_;        ///< Rare.
  std::shared_ptr<SharedAggregation> aggregation_;  ///< Large, and rare.
  std::unique_ptr<SliceRun> slice_;                 ///< A piece has it once it might have enough bytes. Rare.
  std::optional<TopRows> top_;
  std::unique_ptr<ComputedTopRows> computed_top_;  ///< Rare.
  std::optional<RowEncoder> encoder_;
};

}  // namespace daedalus::engine

// From rows to group numbers; and how queries of one cycle that group the same rows by the same columns find groups
// once.
//
// Decides when the numbers found for one query serve another. They always may: a row's group is a function of the row
// and of the order in which keys were first seen, which queries with the same predicate have in common.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daedalus/engine/operation.hpp"
#include "deadline_check.hpp"
#include "expression_column.hpp"
#include "group_keys.hpp"
#include "group_table.hpp"

namespace daedalus::engine {

/// How far a query is within the chunk whose groups are being found.
struct FindProgress {
  uint64_t contents = kNoContents;  ///< The chunk's.
  uint32_t batches = 0;
};

/// For one cycle: it relies on chunks not changing between the queries that share it.
class GroupFinder {
 public:
  using Found = GroupTable::Found;

  /// Precondition: at least one key. What its table takes counts once, however many queries share it.
  GroupFinder(std::vector<ColumnSource> keys, AnswerMemory& memory);

  [[nodiscard]] const GroupKeys& keys() const { return keys_; }
  [[nodiscard]] uint32_t size() const { return table_.size(); }
  /// Tells the query that asks, once there was no memory, what was missing, and what it uses that another one is
  /// counted for.
  [[nodiscard]] uint64_t wanted_in_vain() const;
  /// Puts what column number `column` of the keys is in the first row of a group: of its zeros that one.
  void append(uint32_t group, uint32_t column, semantics::PackedRowWriter& row) const;

  /// One more query asks, and has room for so many groups.
  void join(uint32_t groups_max);
  /// One asks no more.
  void leave() { --queries_; }

  struct Groups {
    Found found = Found::kAll;
    const uint32_t* numbers =
        nullptr;  ///< Has the number of every position; they stay until the next call. Null unless all are found.
  };

  /// The groups of a batch. Once there would be more than any query has room for, or no memory for more, it stays like
  /// that: all of them take the same rows. Cost: that of GroupTable; comparing rows where another query has asked for
  /// this batch before.
  /// An error is that of a computed key; it stays, too.
  [[nodiscard]] Result<Groups> find(const RowBatch& batch, FindProgress& progress, BatchScratch& scratch);

 private:
  struct KnownBatch {
    bool is_list = false;
    uint32_t first = 0;
    uint32_t count = 0;
    size_t place = 0;  ///< In groups_, and in rows_ for a list.
  };

  [[nodiscard]] bool is_known(const RowBatch& batch, const FindProgress& progress) const;
  [[nodiscard]] uint32_t* make_room(const RowBatch& batch, const FindProgress& progress, BatchScratch& scratch);
  [[nodiscard]] bool can_remember(uint32_t rows);
  /// Notes for the groups from number `first` on, which this batch made, where their keys are −0.0. False when there is
  /// no memory for it.
  [[nodiscard]] bool note_minus_zeros(const RowBatch& batch, const uint32_t* groups, uint32_t first,
                                      BatchScratch& scratch);

  /// A floating column of the keys, and the groups whose first row has −0.0 there, ascending.
  struct MinusZeros {
    uint32_t column = 0;
    std::vector<uint32_t> groups;
  };

  AnswerMemory* memory_;
  GroupKeys keys_;
  GroupTable table_;
  std::vector<MinusZeros> minus_zeros_;
  MemoryShare minus_zeros_memory_;
  MemoryShare known_memory_;
  uint32_t groups_max_ = 0;
  uint32_t queries_ = 0;
  Found found_ = Found::kAll;  ///< By the last call.
  uint64_t refused_bytes_ = 0;
  std::optional<Error> error_;
  uint64_t contents_ = kNoContents;  ///< The contents of the chunk at hand.
  std::vector<KnownBatch> batches_;  ///< That chunk's batches, in the order in which every query asks for them.
  std::vector<uint32_t> rows_;
  std::vector<uint32_t> groups_;
};

/// The groupings of one cycle, and what all its aggregating queries work with.
class Groupings {
 public:
  /// memory: asked before anything grows with the groups; outlives this object.
  /// patience: of whoever computes; outlives it, too.
  explicit Groupings(AnswerMemory& memory, DeadlineCheck* deadline_check = nullptr)
      : memory_(&memory), expressions_(deadline_check) {}

  [[nodiscard]] AnswerMemory& memory() const { return *memory_; }
  [[nodiscard]] BatchScratch& scratch() { return scratch_; }
  /// Returns the pool of what is computed in the cycle.
  [[nodiscard]] ExpressionPool& expressions() { return expressions_; }

  /// The finder for a query that groups, whose selection and predicate stay where they are until clear(). Shared with
  /// an earlier query of the same moment, condition and GROUP BY if that is among the last few and not all who share it
  /// have ended; so the cost is bounded whatever queries there are.
  [[nodiscard]] std::shared_ptr<GroupFinder> finder(const TableLayout& layout, const Query& query);
  void clear() {
    recent_.clear();
    expressions_.clear();
  }

 private:
  struct Grouping {
    const std::vector<semantics::BoundExpression>* group_by = nullptr;
    const semantics::Predicate* predicate = nullptr;
    const std::vector<semantics::BoundExpression>* residuals = nullptr;
    std::optional<Timestamp> at;
    std::weak_ptr<GroupFinder> finder;  ///< Its memory goes with the last query that uses it.
  };
  AnswerMemory* memory_;
  BatchScratch scratch_;
  ExpressionPool expressions_;
  std::vector<Grouping> recent_;  ///< A ring once it is full.
  size_t next_ = 0;
};

}  // namespace daedalus::engine

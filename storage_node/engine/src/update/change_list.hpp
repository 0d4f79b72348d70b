// The modifications and deletes of one cycle, compiled and indexed, in the order of their timestamps.
//
// Decides how each finds its rows: through an index over changes when it names values, else by passes over its
// columns. Refuses to know chunks and what has happened to a row so far. Kept from cycle to cycle, so that a change
// costs no allocation.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "change_index.hpp"
#include "computed_row.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "key_choice.hpp"
#include "predicate_shapes.hpp"
#include "row_changes.hpp"
#include "row_test.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

/// One change as it is probed: all that most rows need, in one cache line.
struct alignas(64) Change {
  static constexpr uint32_t kTestsInside = 2;

  RowTest tests[kTestsInside];  ///< The first ones, those that most rows fail before others.
  uint32_t update = 0;          ///< The position of its update in the cycle.
  uint32_t more_tests = 0;      ///< Says where the others begin.
  uint32_t first_write = 0;
  uint32_t write_count : 11 = 0;
  uint32_t test_count : 9 = 0;
  uint32_t is_delete : 1 = 0;
  uint32_t touches_keys : 1 = 0;   ///< Gives rows another key: other changes may ask for that.
  uint32_t has_residuals : 1 = 0;  ///< A row that passes the tests is asked more.
  uint32_t is_counted : 1 = 0;     ///< Its update tells its parts apart.

  [[nodiscard]] Modifications::Part writes() const { return {first_write, write_count}; }
};
static_assert(sizeof(Change) == 64);
static_assert(semantics::kColumnsMax < (1u << 11) && semantics::kClausesMax + 1 < (1u << 9));  // And a tree.

class ChangeList {
 public:
  /// memory: what predicates are compiled into; given back by whoever owns it after clear().
  ChangeList(const TableLayout& layout, Sketches& sketches, std::pmr::memory_resource& memory, AccessPaths paths);

  /// Says where a change comes from. Sequences ascend from change to change.
  struct Source {
    uint32_t sequence = 0;
    uint32_t update = 0;
    bool is_counted = false;
  };
  void add_delete(Source source, const semantics::DeletePart& part);
  void add_modification(Source source, const semantics::ModifyPart& part);

  /// Plans for all that were added.
  void index();
  void clear();

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(changes_.size()); }
  [[nodiscard]] const Change& operator[](uint32_t change) const { return changes_[change]; }
  [[nodiscard]] const CompiledPredicate& predicate(uint32_t change) const { return predicates_[change]; }
  [[nodiscard]] uint32_t sequence(uint32_t change) const { return sequences_[change]; }
  /// The first change that comes after a place in the sequence.
  [[nodiscard]] uint32_t first_after(uint32_t sequence) const;
  /// The first change of an update or of one after it.
  [[nodiscard]] uint32_t first_of(uint32_t update) const;
  [[nodiscard]] Modifications& modifications() { return modifications_; }
  [[nodiscard]] uint64_t assigned_bytes() const { return modifications_.kept_bytes(); }

  /// Changes that no index finds rows for, ascending.
  [[nodiscard]] std::span<const uint32_t> scans() const { return scans_; }
  [[nodiscard]] const std::vector<ChangeIndex>& indexes() const { return indexes_; }

  /// Returns whether a live row that matches satisfies what is computed of a change's condition. Errors: those of that.
  [[nodiscard]] Result<bool> satisfies(uint32_t change, const ChunkView& view, uint32_t row);

  /// Returns whether a live row satisfies a change's predicate.
  [[nodiscard]] bool matches(uint32_t change, const ChunkView& view, uint32_t row) const;

  /// Fetches what matches() and, with `writes`, a modification will look at.
  void prefetch_tests(uint32_t change, const ChunkView& view, uint32_t row) const;
  void prefetch_writes(uint32_t change, const ChunkView& view, uint32_t row) const;

 private:
  /// Changes of one shape. The first so many are weighed; the others take what those were found.
  static constexpr uint32_t kLeadersMax = 64;
  struct Shape {
    uint32_t changes = 0;
    uint32_t leaders[kLeadersMax];    ///< In leaders_.
    std::optional<KeyChoice> choice;  ///< The choice of the first leader that has one.
  };

  [[nodiscard]] bool add(Source source, const semantics::Predicate& predicate, const semantics::Residuals& residuals);
  void choose_leaders();
  /// The key of the change's shape, unless the values that it asks for are common.
  [[nodiscard]] std::optional<KeyChoice> choice_of_follower(uint32_t change);
  void keep_tests(uint32_t change, std::span<const WeighedClause> clauses);
  void mark_key_touches();
  /// A list of values that is worth an index of its own: searching it for every row costs much more than the pass over
  /// a column that choose_keys compares with, and it may be longer than what keys are chosen from.
  [[nodiscard]] std::optional<KeyChoice> list_key(uint32_t change, std::span<const WeighedClause> clauses);
  [[nodiscard]] uint32_t index_on(uint32_t column);

  const TableLayout* layout_;
  Sketches* sketches_;
  std::pmr::memory_resource* memory_;
  AccessPaths paths_;

  std::vector<Change> changes_;
  std::vector<CompiledPredicate> predicates_;  ///< By change, as are sequences_.
  std::vector<uint32_t> sequences_;
  std::vector<RowTest> more_tests_;
  /// Holds what of a condition is computed, for those changes that have such.
  struct Computed {
    uint32_t change = 0;
    semantics::Residuals residuals;
  };
  std::vector<Computed> computed_;  ///< By change.
  ComputedRow computed_row_;
  Modifications modifications_;
  std::vector<ChangeIndex> indexes_;
  std::vector<uint32_t> scans_;
  PredicateShapes known_shapes_;
  std::vector<Shape> shapes_;
  std::vector<uint32_t> shape_of_;  ///< By change.
  std::vector<KeyedOperation> leaders_;
  std::vector<uint32_t> leader_of_;  ///< By change, in leaders_: what it has in common with its shape.
  std::vector<WeighedClause> weighed_;
  std::vector<WeighedClause> own_;
  uint32_t list_keys_left_ = 0;
};

}  // namespace daedalus::engine

// Random operations that get into each other's way: queries that share predicates, updates of what the next queries ask
// for, constants beside, at and far from the values that rows hold.
//
// Decides what is likely to break an engine that shares work between operations. Refuses to know how it shares.
#pragma once

#include <deque>
#include <vector>

#include "test_table.hpp"

namespace daedalus::engine::test {

class OperationMix {
 public:
  /// Draws how the table looks: how many values each column has, which of them operations like best, where NULLs are.
  explicit OperationMix(Random& random);

  /// From now on columns have many values, and queries many clauses, hardly two the same. Before the first row.
  void crowd();
  /// From now on there are few keys, and nearly every query asks for some of them. Before the first row.
  void herd();

  /// Draws choices from it from now on.
  void draw_from(Random& random) { random_ = &random; }

  /// A row of the table.
  [[nodiscard]] Row row();
  [[nodiscard]] semantics::Predicate query_predicate();
  /// Draws the predicate of a part of an update: mostly selective, so that the table lives on.
  [[nodiscard]] semantics::Predicate update_predicate();
  [[nodiscard]] semantics::Selection selection();
  /// Draws the assignments of a modification: at least one.
  [[nodiscard]] std::vector<semantics::Assignment> assignments();

  /// One part: an insert, a modification or a delete.
  [[nodiscard]] UpdatePart part();
  /// Parts that each depend on what those before them did to the same rows.
  [[nodiscard]] std::vector<UpdatePart> chain();
  /// Deletes by age or all at once.
  [[nodiscard]] UpdatePart purge();
  [[nodiscard]] InsertRows insertion(uint64_t row_count);

 private:
  [[nodiscard]] semantics::Residuals some_residuals();
  [[nodiscard]] UpdatePart removal(semantics::Predicate predicate);
  [[nodiscard]] Value pooled_value(uint32_t column);
  [[nodiscard]] Value value_or_null(uint32_t column);
  /// A constant to compare with: a value of some row, one beside it, or anything.
  [[nodiscard]] Value constant(uint32_t column);
  [[nodiscard]] uint32_t some_column();
  [[nodiscard]] semantics::Literal literal(uint32_t of_column);
  [[nodiscard]] semantics::Literal list_literal(uint32_t of_column);
  [[nodiscard]] semantics::Literal prefix_literal(uint32_t of_column);
  [[nodiscard]] semantics::Clause fresh_clause();
  [[nodiscard]] semantics::Clause clause();
  void add_same_number_clauses();
  [[nodiscard]] semantics::Clause equality(uint32_t of_column);
  /// A condition that often names its values.
  void add_key(semantics::Predicate& predicate, uint32_t column);
  /// Adds a condition that does not come to few clauses, now and then with what follows from it beside it.
  void add_tree(semantics::Predicate& predicate);
  /// Values of different columns, any of which will do: in one clause, or in alternatives of several each.
  void add_disjunction(semantics::Predicate& predicate);
  [[nodiscard]] semantics::Condition thicket(uint32_t depth, bool is_and);
  /// Alternatives that name values of one column, and something more.
  [[nodiscard]] semantics::Condition alternatives();
  /// Lets the next operations ask for what was just assigned.
  void note(const std::vector<semantics::Assignment>& assigned);
  [[nodiscard]] semantics::SelectItem some_aggregate();
  /// Selects every row: some of their columns, or groups of them.
  [[nodiscard]] semantics::Selection rows();
  [[nodiscard]] semantics::Selection groups();
  [[nodiscard]] semantics::Selection another_selection();

  std::optional<semantics::Selection> last_;  ///< Now and then it is asked again.
  Random* random_;
  std::vector<std::vector<Value>> pools_;  ///< By column: the values of rows.
  std::vector<uint32_t> null_chances_;     ///< By column: one in so many is NULL; 0: none, 1: all.
  std::vector<uint32_t> liked_columns_;
  std::vector<semantics::Clause> clauses_;  ///< That operations share.
  std::deque<semantics::Clause> hot_;       ///< About values that were just written.
  uint32_t clauses_max_ = 0;                ///< Bounds the clauses of a query, but for those that name keys and ranges.
  uint32_t key_chance_ = 4;                 ///< One query in so many names a key.
  bool is_clustered_ = false;               ///< Dates grow with rows.
  int64_t next_id_ = 1;
};

}  // namespace daedalus::engine::test

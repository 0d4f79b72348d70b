// Aggregates without a state of their own, made at the last level of lists of values.
//
// Decides which aggregates of a group a value is given to, and the order of values within it. Refuses to know how
// groups came together.
#pragma once

#include <string>
#include <vector>

#include "answer_merge.hpp"
#include "group_store.hpp"
#include "list_values.hpp"
#include "row_sorter.hpp"

namespace daedalus::semantics {

class ListFold {
 public:
  /// Both outlive this object.
  ListFold(const MergePlan& plan, GroupStore& groups);

  /// Takes a partial row of a list of the group number `owner`. Returns how many values the list has.
  uint32_t add(uint32_t owner, uint32_t list, std::span<const Value> row);
  [[nodiscard]] uint32_t size(uint32_t list) const { return values_[list].size(); }
  /// A value as a partial row, for the next level up.
  void make_partial_row(uint32_t list, uint32_t number, std::vector<Value>& row) const;

  /// Gives values to the aggregates that are made of them, until the budget is spent or none is left (true).
  /// Precondition: all have been taken. Error 54000: texts larger than an answer may be.
  [[nodiscard]] Result<bool> step(WorkBudget& budget);

  [[nodiscard]] uint64_t memory_bytes() const;
  /// Counts bytes of values alone.
  [[nodiscard]] uint64_t values_bytes() const { return values_bytes_; }
  /// Frees a piece of what is kept; true when nothing is left.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  [[nodiscard]] Result<bool> step_in_order(WorkBudget& budget);
  [[nodiscard]] Result<void> take(uint32_t list, uint32_t number, WorkBudget& budget);
  /// Has a value wait for its place in the order.
  [[nodiscard]] Result<void> put_in_order(uint32_t list, uint32_t number, WorkBudget& budget);
  [[nodiscard]] Result<void> add_in_order(uint32_t list, uint32_t number);
  /// Appends texts for string_agg.
  void append_texts(uint32_t list, uint32_t number, AggregateState& state);
  /// Reads a value of a list to list_values_.
  void read(uint32_t list, uint32_t number) { values_[list].read(number, list_values_); }
  /// Gives an argument of the value that was read.
  [[nodiscard]] const Value& argument(uint32_t list, size_t number) const {
    return list_values_[plan_.lists[list].values[number]];
  }
  [[nodiscard]] bool is_ordered(uint32_t list) const;

  const MergePlan& plan_;
  GroupStore& groups_;
  std::vector<ListValues> values_;  ///< By list.
  std::vector<RowSorter> sorters_;  ///< By list.
  uint32_t next_value_list_ = 0;    ///< Whose values are given to aggregates,
  uint32_t next_value_ = 0;         ///< from this one on.
  uint32_t next_sorted_list_ = 0;
  uint64_t values_bytes_ = 0;
  uint64_t text_bytes_ = 0;  ///< It counts all texts that were put together, their ends included that are too long.
  std::vector<Value> list_values_;
  std::string key_;
  std::string packed_;
};

}  // namespace daedalus::semantics

// Aggregates without a state of their own, made at the last level: of lists of values, which are groups like others.
//
// Decides which group a value belongs to, and the order of values within it. Refuses to know how groups came together.
#pragma once

#include <string>
#include <vector>

#include "answer_merge.hpp"
#include "group_store.hpp"
#include "row_sorter.hpp"

namespace daedalus::semantics {

class ListFold {
 public:
  /// Both outlive this object. Precondition: all groups are in the store, and the plan has sets.
  ListFold(const MergePlan& plan, GroupStore& groups) : plan_(plan), groups_(groups), sorters_(plan.lists.size()) {}

  /// Gives values to the aggregates that are made of them, until the budget is spent or none is left (true).
  /// Errors: 08P01 a list of a group that is not there, 54000 texts larger than an answer may be.
  [[nodiscard]] Result<bool> step(WorkBudget& budget);

  [[nodiscard]] uint64_t memory_bytes() const;
  /// Frees a piece of what is kept; true when nothing is left.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  [[nodiscard]] Result<uint32_t> owner_of(uint32_t group);
  [[nodiscard]] Result<void> take(uint32_t group, WorkBudget& budget);
  /// Has a group of a list wait for its place in the order.
  [[nodiscard]] Result<void> put_in_order(uint32_t group, uint32_t list, WorkBudget& budget);
  void add_in_order(uint32_t group, uint32_t owner, uint32_t list);
  [[nodiscard]] const Value& list_value(uint32_t group, uint32_t list, size_t argument);
  [[nodiscard]] bool is_ordered(uint32_t list) const;

  const MergePlan& plan_;
  GroupStore& groups_;
  std::vector<RowSorter> sorters_;  ///< By list.
  uint32_t next_group_ = 0;
  uint32_t next_list_ = 0;
  uint64_t text_bytes_ = 0;  ///< Of all texts that were put together, their ends included that are too long.
  std::vector<Value> owner_key_;
  std::string key_;
  std::string packed_;
};

}  // namespace daedalus::semantics

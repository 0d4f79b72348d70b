// Keys of groups and of orders that are chars with blanks of their own, which do not count there.
//
// Decides what takes their places. Refuses to know clauses.
#pragma once

#include "outputs.hpp"
#include "sort_group.hpp"

namespace daedalus::aggregator::sql {

/// Makes SELECT DISTINCT show such chars without blanks: one stands for several equal ones.
[[nodiscard]] Result<void> show_without_blanks(Outputs& outputs);

/// A group's key is the text without blanks, and is shown so.
[[nodiscard]] Result<void> group_without_blanks(Outputs& outputs, SortGroup& result);

/// Orders rows by the text without blanks, which is a hidden output.
[[nodiscard]] Result<void> order_without_blanks(Outputs& outputs, std::vector<semantics::OrderKey>& order_by);

}  // namespace daedalus::aggregator::sql

// Keys of groups and of orders that are chars with blanks of their own, which do not count there.
//
// Decides what takes their places. Refuses to know clauses.
#pragma once

#include "outputs.hpp"
#include "sort_group.hpp"

namespace daedalus::aggregator::sql {

/// What SELECT DISTINCT shows of such chars is without blanks: one of several equal ones.
[[nodiscard]] Result<void> show_without_blanks(Outputs& outputs);

/// A group's key is the text without blanks, and is shown so.
[[nodiscard]] Result<void> group_without_blanks(Outputs& outputs, SortGroup& result);

/// What rows are ordered by is the text without blanks, a hidden output.
[[nodiscard]] Result<void> order_without_blanks(Outputs& outputs, std::vector<semantics::OrderKey>& order_by);

}  // namespace daedalus::aggregator::sql

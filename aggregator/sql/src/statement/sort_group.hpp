// GROUP BY, ORDER BY and DISTINCT.
//
// Decides what their items mean by PostgreSQL's rules (GROUP BY looks for a column of the table first, ORDER BY for an
// output), adds the hidden outputs they need, and checks that every output is one value per group.
#pragma once

#include <optional>
#include <vector>

#include "daedalus/semantics/selection.hpp"
#include "outputs.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

struct SortGroup {
  std::vector<semantics::BoundExpression> group_by;  ///< Each once.
  std::vector<std::vector<uint32_t>> grouping_sets;  ///< By places in group_by; none: one of all.
  std::optional<semantics::BoundExpression> having;
  std::vector<semantics::OrderKey> order_by;  ///< Over outputs, visible and hidden.
  uint32_t ties_by = 0;                       ///< Keys that ORDER BY itself has.
  /// The number of keys by which rows count as equal, and only the first of them is shown; 0: all rows are shown.
  uint32_t distinct_by = 0;
};

/// Errors: 42P10 an ordinal that is not in the list, or DISTINCT and ORDER BY that do not go together; 42601 another
/// constant, 42702 ambiguous, 42703, 42803 neither grouped nor aggregated, 0A000 USING, too many sets.
[[nodiscard]] Result<SortGroup> compile_sort_group(Scope& scope, const grammar::SelectStatement& select,
                                                   Outputs* outputs);

}  // namespace daedalus::aggregator::sql

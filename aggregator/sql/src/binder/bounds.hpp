// LIMIT and OFFSET of a SELECT.
#pragma once

#include "daedalus/semantics/selection.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Puts LIMIT and OFFSET, and WITH TIES by so many keys of the order, into the selection. PostgreSQL's planner computes
/// both before its executor looks at their signs, at OFFSET's first. Errors: those of fold(), 42P10 a column, 42804 no
/// number, 2201W and 2201X negative ones.
[[nodiscard]] Result<void> compile_bounds(Scope& scope, const grammar::SelectStatement& select, uint32_t ties_by,
                                          semantics::Selection& selection);

}  // namespace daedalus::aggregator::sql

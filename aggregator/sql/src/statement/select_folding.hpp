// Computes the parts of a SELECT that depend on no row, in the order in which PostgreSQL's planner computes them: so of
// several mistakes the same one is told.
#pragma once

#include "daedalus/semantics/selection.hpp"
#include "where.hpp"

namespace daedalus::aggregator::sql {

/// Outputs and keys, then WHERE, then HAVING, of which what says nothing of aggregates becomes a condition on rows.
/// Nothing else may be wrong with the statement any more. `where`: that on rows; null: it is computed
/// elsewhere. Errors: those of what is computed.
[[nodiscard]] Result<void> fold_constants(const Scope& scope, semantics::SelectList& list, Where* where);

}  // namespace daedalus::aggregator::sql

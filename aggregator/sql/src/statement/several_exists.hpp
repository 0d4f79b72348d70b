// Statements that ask several EXISTS of the table, or some beside aggregates of it: one SELECT of aggregates, of one
// scan, answers all of them. Each EXISTS becomes a count with the query's condition in its FILTER.
//
// Decides which statements are such. Refuses those of which a query is more than a condition: groups, OFFSET, a query
// in FROM.
#pragma once

#include "select_parts.hpp"

namespace daedalus::aggregator::sql {

/// Returns whether the statement is such.
[[nodiscard]] bool is_of_several_exists(const grammar::SelectStatement& select);

/// Returns the SELECT that answers the statement; what is made for it lies in the arena. Errors: those of NodeRewriter.
/// Precondition: is_of_several_exists().
[[nodiscard]] Result<grammar::SelectStatement> with_filters(const grammar::SelectStatement& select, Arena& arena);

/// Reads that SELECT. Errors: those of read_select(), for the statement and for each of its queries. Precondition:
/// is_of_several_exists().
[[nodiscard]] Result<ReadSelect> read_several_exists(Scope& scope, const grammar::SelectStatement& select);

}  // namespace daedalus::aggregator::sql

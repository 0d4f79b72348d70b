// Statements that want no rows of a query, but their number: EXISTS where no table stands beside it, and count(*) over
// a query in FROM that is not one with what is around it, because of its DISTINCT, its groups or its LIMIT.
//
// Decides which statements are such, and how little of the query nodes have to say. Refuses to know who counts.
#pragma once

#include "arena.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Says whether the statement is such, and its query is the only one.
[[nodiscard]] bool is_of_number(const grammar::SelectStatement& select);

/// The query as it is sent, and beside it the statement over one row that is the number of the query's rows. Errors:
/// those of both. Precondition: is_of_number().
[[nodiscard]] Result<CompiledSelect> compile_number(Scope& scope, const contract::PartitionMap& map,
                                                    const grammar::SelectStatement& select);

/// The query. Precondition: is_of_number().
[[nodiscard]] const grammar::SelectStatement& counted_query(const grammar::SelectStatement& select);

/// The statement without the query: its number has any value. What is made lies in the arena. Precondition:
/// is_of_number().
[[nodiscard]] Result<grammar::SelectStatement> without_query(const grammar::SelectStatement& select, Arena& arena);

}  // namespace daedalus::aggregator::sql

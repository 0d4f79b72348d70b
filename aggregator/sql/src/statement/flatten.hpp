// Queries in FROM and in WITH: one SELECT over the table that means the same, where there is one.
//
// Decides which may be put into one: expressions of the inner query take the place of its columns' names in the outer
// one. Refuses to know the table's columns, but for a star.
#pragma once

#include "arena.hpp"
#include "grammar.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Says whether what it puts out is of groups.
[[nodiscard]] bool is_grouped(const grammar::SelectStatement& select);

/// Returns whether the SELECT has WITH, or a query as its one item of FROM.
[[nodiscard]] bool has_inner_query(const grammar::SelectStatement& select);

/// The SELECT without queries in FROM and without WITH; what is made for it lies in the arena, and names in the scope's
/// schema. An inner ORDER BY holds where the outer query says none, also for string_agg(). Errors: 42702, 42703, 42P01,
/// 42P10; 0A000 with the name of what keeps the queries apart.
[[nodiscard]] Result<const grammar::SelectStatement*> flattened(const Scope& scope,
                                                                const grammar::SelectStatement& select, Arena& arena);

}  // namespace daedalus::aggregator::sql

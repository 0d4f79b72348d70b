// EXISTS among the expressions of a statement: finds its queries, and puts something else in its place.
//
// Refuses to know who answers whether a query has rows.
#pragma once

#include <vector>

#include "arena.hpp"
#include "grammar.hpp"
#include "node_rewriter.hpp"

namespace daedalus::aggregator::sql {

[[nodiscard]] bool is_exists(const grammar::Node& node);

/// The queries of all EXISTS in the list, WHERE, HAVING and ORDER BY, as they come.
[[nodiscard]] std::vector<const grammar::SelectStatement*> queries_of_exists(const grammar::SelectStatement& select);

/// The query with something in its list, which may be empty: EXISTS does not ask what it is.
[[nodiscard]] const grammar::SelectStatement& with_list(const grammar::SelectStatement& query, Arena& arena);

/// `number > 0`.
[[nodiscard]] grammar::Node is_more_than_none(Arena& arena, const grammar::Node& number, int32_t location);

/// The statement with other nodes in the place of those that `instead` knows, in its list, WHERE, HAVING and ORDER BY;
/// its outputs are called as they were. Errors: those of NodeRewriter.
[[nodiscard]] Result<grammar::SelectStatement> replaced(const grammar::SelectStatement& select, Arena& arena,
                                                        const NodeRewriter::Replacement& instead);

}  // namespace daedalus::aggregator::sql

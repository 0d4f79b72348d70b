// unnest() in FROM, where a statement brings its rows itself: arrays side by side are the columns of a table.
//
// Decides the rows, names and types of that table. Refuses to know clauses: select.cpp does; and who may select from
// it: an INSERT does (insert_select.cpp), and a SELECT of its own is the catalogue's.
#pragma once

#include <vector>

#include "values.hpp"

namespace daedalus::aggregator::sql {

/// Says whether the query has unnest() and nothing else in FROM.
[[nodiscard]] bool is_of_unnest(const grammar::SelectStatement& select);

/// The arrays, in their order. Precondition: is_of_unnest().
[[nodiscard]] std::vector<grammar::Node> unnested_arrays(const grammar::SelectStatement& select);

/// The query over its rows; shorter arrays are filled up with NULL. Errors: 42725 and 42883 of what is no array, 42P10
/// more names than columns, 0A000 WITH ORDINALITY and lists of columns with types, 54000 more rows than an update has,
/// those of a SELECT; of each row what evaluating it meets.
[[nodiscard]] Result<CompiledSelect> compile_unnest(Scope& scope, const contract::PartitionMap& map,
                                                    const grammar::SelectStatement& select);

}  // namespace daedalus::aggregator::sql

// VALUES, as a statement and in FROM: rows that the statement itself brings.
//
// Decides their types, and which statement about them is meant. Refuses to know clauses: select.cpp does.
#pragma once

#include <memory>
#include <vector>

#include "column_names.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Rows of constants, and what stands for their table.
struct ValuesTable {
  std::shared_ptr<const semantics::Schema> schema;
  std::vector<std::vector<semantics::Value>> rows;
};

/// Returns whether the query is VALUES, or has VALUES and nothing else in FROM, itself or as the one query of WITH.
[[nodiscard]] bool is_of_values(const grammar::SelectStatement& select);

/// The query over its rows. Errors: 42601 rows of several lengths, 42804 types that do not go together, 42P10 more
/// names than columns, those of a SELECT; of each row what evaluating it meets.
[[nodiscard]] Result<CompiledSelect> compile_values(Scope& scope, const contract::PartitionMap& map,
                                                    const grammar::SelectStatement& select);

/// A SELECT whose scope is that of the table, computed. Its FROM is not looked at (select.cpp).
[[nodiscard]] Result<CompiledSelect> compile_over(Scope& scope, const contract::PartitionMap& map,
                                                  const grammar::SelectStatement& select, const ValuesTable& table);

}  // namespace daedalus::aggregator::sql

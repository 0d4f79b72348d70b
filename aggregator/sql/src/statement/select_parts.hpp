// A SELECT, read: for those who make something else of it than rows of the table.
#pragma once

#include "daedalus/semantics/selection.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A checked selection, and what its predicate was made of.
struct ReadSelect {
  semantics::Selection selection;
  semantics::Condition condition;
};

/// A SELECT about the table, or about nothing; queries in its FROM are put into one with it. Errors: those of
/// Compiler::compile().
[[nodiscard]] Result<ReadSelect> read_select(Scope& scope, const grammar::SelectStatement& select);

/// A SELECT about rows that its scope is made for, whatever its FROM says; WHERE is among its residuals.
[[nodiscard]] Result<semantics::Selection> select_over(Scope& scope, const grammar::SelectStatement& select);

/// Refuses what may not stand in a SELECT without FROM, which has no row to ask. Errors: 42601 a star, 42703 a column,
/// 0A000 groups.
[[nodiscard]] Result<void> check_without_from(Scope& scope, const grammar::SelectStatement& select);

}  // namespace daedalus::aggregator::sql

// WHERE to a condition.
//
// Decides which conditions are supported and what they mean: each becomes comparisons of one column with constants
// under AND and OR, with exactly its three-valued result; NOT goes to the comparisons. Refuses to know normal forms and
// columns' domains: semantics does.
#pragma once

#include "daedalus/semantics/expression.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Compiles a condition to one that is simplified. What comes out has AND and OR over comparisons of a column with
/// constants of the column's own type: nothing is left in it that could fail on its way.
///
/// Errors carry positions: 42703, 42883, 42804, 42803 (an aggregate), those of constants, 54001 and 54000 beyond the
/// bounds of predicates, 0A000 with the name of what is not supported.
[[nodiscard]] Result<semantics::Condition> compile_condition(Scope& scope, const grammar::Node& where);

}  // namespace daedalus::aggregator::sql

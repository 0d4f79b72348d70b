// Bound conditions and expressions as SQL: what a person reads who asks how a statement is carried out.
//
// Decides where parentheses, quotes and casts stand, as PostgreSQL's EXPLAIN does. Refuses to know whose expressions
// they are.
#pragma once

#include <string>

#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/selection.hpp"

namespace daedalus::aggregator::sql {

/// A name as a statement has to write it.
[[nodiscard]] std::string identifier_text(std::string_view name);

/// An expression over columns of the table, and over aggregates of such.
[[nodiscard]] std::string text_of(const semantics::Schema& schema, const semantics::BoundExpression& expression);

/// A disjunction of comparisons.
[[nodiscard]] std::string text_of(const semantics::Schema& schema, const semantics::Clause& clause);
[[nodiscard]] std::string text_of(const semantics::Schema& schema, const semantics::Condition& condition);

}  // namespace daedalus::aggregator::sql

// Finds what a sweep can look up in a bound condition.
//
// Decides which bound expressions say of one column what a comparison with constants says, under any AND, OR and NOT.
// Refuses to know SQL's text: everything in them is bound, and folded.
#pragma once

#include <optional>

#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/predicate.hpp"

namespace daedalus::aggregator::sql {

/// The condition that is true of the same rows as the expression, or, negated, of those of which it is false.
/// Nothing: it has to be computed. Precondition: it is a boolean over columns of the schema's table.
[[nodiscard]] std::optional<semantics::Condition> indexable(const semantics::Schema& schema,
                                                            const semantics::BoundExpression& expression,
                                                            bool is_negated = false);

}  // namespace daedalus::aggregator::sql

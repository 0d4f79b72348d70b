// Calls of aggregate functions in a statement.
#pragma once

#include "daedalus/semantics/aggregate.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Returns whether the call names a supported aggregate.
[[nodiscard]] bool is_aggregate(const grammar::FunctionCall& call);

/// The function of a call of a supported aggregate, whose arguments have the number that it takes: none for
/// kCountRows and kMode, two for kStringAgg, else one. Errors: 42883 not for this number of arguments, 42809, 0A000
/// OVER.
[[nodiscard]] Result<semantics::AggregateFunction> resolve_aggregate(const Scope& scope,
                                                                     const grammar::FunctionCall& call);

}  // namespace daedalus::aggregator::sql

// Calls of aggregate functions in a statement.
#pragma once

#include <optional>

#include "daedalus/semantics/aggregate.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A resolved call: a function over a column, or over rows.
struct AggregateCall {
  semantics::AggregateFunction function = semantics::AggregateFunction::kCountRows;
  uint32_t column = 0;  ///< Unused for kCountRows.

  friend bool operator==(const AggregateCall&, const AggregateCall&) = default;
};

/// Whether the call's name is that of a supported aggregate.
[[nodiscard]] bool is_aggregate(const grammar::FunctionCall& call);

/// Resolves a call of a supported aggregate: its argument is `*`, a column, or for count a constant.
/// Errors: 42883 not for this type or number of arguments, 42809, 0A000 DISTINCT, FILTER, ORDER BY, OVER and
/// expressions.
[[nodiscard]] Result<AggregateCall> resolve_aggregate(Scope& scope, const grammar::FunctionCall& call);

}  // namespace daedalus::aggregator::sql

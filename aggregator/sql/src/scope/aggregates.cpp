#include "aggregates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::AggregateFunction;

std::optional<AggregateFunction> find_aggregate(const grammar::FunctionCall& call) {
  const std::string_view name = plain_name(call.name);
  const auto* const found =
      std::find_if(semantics::kAggregates.begin(), semantics::kAggregates.end(), [&](const auto& aggregate) {
        return aggregate.is_called && !name.empty() && (aggregate.name == name || aggregate.other_name == name);
      });
  return found == semantics::kAggregates.end() ? std::nullopt : std::optional(found->function);
}

/// Refuses what may stand in and behind the parentheses of an aggregate, but is not supported.
Result<void> check_modifiers(const Scope& scope, const grammar::FunctionCall& call, std::string_view name) {
  const bool is_ordered_set = semantics::entry_of(*find_aggregate(call)).is_ordered_set;
  if (call.has_over) {
    return scope.refuse(fmt::format("window function {}() OVER", name), call.location,
                        "use an aggregate with GROUP BY");
  }
  if (is_ordered_set && !call.is_within_group) {
    return scope.error("42883", fmt::format("function {}() without WITHIN GROUP does not exist", name), call.location,
                       "write WITHIN GROUP (ORDER BY …) behind it");
  }
  if (call.is_within_group && !is_ordered_set) {
    return scope.refuse(fmt::format("WITHIN GROUP of {}()", name), call.location);
  }
  if (call.variadic) {
    return scope.refuse(fmt::format("VARIADIC in {}()", name), call.location);
  }
  return {};
}

}  // namespace

bool is_aggregate(const grammar::FunctionCall& call) { return find_aggregate(call).has_value(); }

Result<AggregateFunction> resolve_aggregate(const Scope& scope, const grammar::FunctionCall& call) {
  const AggregateFunction function = *find_aggregate(call);
  const std::string_view name = plain_name(call.name);
  if (auto checked = check_modifiers(scope, call, name); !checked) {
    return checked.error();
  }
  if (call.star) {
    if (function == AggregateFunction::kCount) {
      return AggregateFunction::kCountRows;
    }
    return scope.error("42883", fmt::format("function {}() does not exist", name), call.location);
  }
  const bool has_order = !call.is_within_group || call.order.size() == 1;
  if (has_order && call.arguments.size() == semantics::entry_of(function).argument_count) {
    return function;
  }
  if (function == AggregateFunction::kCount && call.arguments.empty()) {
    return scope.error("42809", "count(*) must be used to call a parameterless aggregate function", call.location);
  }
  return scope.error("42883",
                     fmt::format("function {}() with {} arguments does not exist", name, call.arguments.size()),
                     call.location);
}

}  // namespace daedalus::aggregator::sql

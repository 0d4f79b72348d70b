#include "aggregates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::AggregateFunction;

struct NamedAggregate {
  std::string_view name;
  AggregateFunction function;
};

/// As statements call them; one may have several names.
constexpr std::array kAggregates{
    NamedAggregate{"count", AggregateFunction::kCount},
    NamedAggregate{"sum", AggregateFunction::kSum},
    NamedAggregate{"min", AggregateFunction::kMin},
    NamedAggregate{"max", AggregateFunction::kMax},
    NamedAggregate{"avg", AggregateFunction::kAvg},
    NamedAggregate{"bool_and", AggregateFunction::kBoolAnd},
    NamedAggregate{"every", AggregateFunction::kBoolAnd},
    NamedAggregate{"bool_or", AggregateFunction::kBoolOr},
    NamedAggregate{"bit_and", AggregateFunction::kBitAnd},
    NamedAggregate{"bit_or", AggregateFunction::kBitOr},
    NamedAggregate{"bit_xor", AggregateFunction::kBitXor},
    NamedAggregate{"var_pop", AggregateFunction::kVarPop},
    NamedAggregate{"var_samp", AggregateFunction::kVarSamp},
    NamedAggregate{"variance", AggregateFunction::kVarSamp},
    NamedAggregate{"stddev_pop", AggregateFunction::kStddevPop},
    NamedAggregate{"stddev_samp", AggregateFunction::kStddevSamp},
    NamedAggregate{"stddev", AggregateFunction::kStddevSamp},
    NamedAggregate{"string_agg", AggregateFunction::kStringAgg},
    NamedAggregate{"percentile_cont", AggregateFunction::kPercentileCont},
    NamedAggregate{"percentile_disc", AggregateFunction::kPercentileDisc},
    NamedAggregate{"mode", AggregateFunction::kMode},
};

std::optional<AggregateFunction> find_aggregate(const grammar::FunctionCall& call) {
  const std::string_view name = plain_name(call.name);
  const auto* const found = std::find_if(kAggregates.begin(), kAggregates.end(),
                                         [&](const NamedAggregate& aggregate) { return aggregate.name == name; });
  return found == kAggregates.end() ? std::nullopt : std::optional(found->function);
}

/// Refuses what may stand in and behind the parentheses of an aggregate, but is not supported.
Result<void> check_modifiers(const Scope& scope, const grammar::FunctionCall& call, std::string_view name) {
  const bool is_ordered_set = semantics::is_ordered_set(*find_aggregate(call));
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

/// In the parentheses.
size_t argument_count(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kStringAgg:
      return 2;
    case AggregateFunction::kMode:
      return 0;
    default:
      return 1;
  }
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
  if (has_order && call.arguments.size() == argument_count(function)) {
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

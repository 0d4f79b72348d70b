// Calls of aggregates within expressions: what they are given, and what FILTER leaves of it.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "aggregates.hpp"
#include "bound_lists.hpp"
#include "expression_binder.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::AggregateFunction;
using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// The only kind, or the preferred one, that the function takes of a literal without a type; nothing where PostgreSQL
/// finds several.
std::optional<TypeKind> kind_of_unknown(AggregateFunction function) {
  if (semantics::is_spread(function)) {
    return TypeKind::kDouble;
  }
  switch (function) {
    case AggregateFunction::kBoolAnd:
    case AggregateFunction::kBoolOr:
      return TypeKind::kBool;
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      return TypeKind::kText;
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<BoundExpression> ExpressionBinder::aggregated(AggregateFunction function, std::string_view name, Typed argument,
                                                     int32_t location) {
  if (!argument.is_unknown || scope_.is_described()) {
    return settled(std::move(argument));
  }
  if (function == AggregateFunction::kCount) {
    return std::move(argument.expression);
  }
  const std::optional<TypeKind> kind = kind_of_unknown(function);
  if (!kind) {
    return scope_.error("42725", fmt::format("function {}(unknown) is not unique", name), location,
                        "add an explicit cast");
  }
  return coerced(std::move(argument), *kind);
}

ExpressionBinder::Bound ExpressionBinder::aggregate_call(const grammar::FunctionCall& node) {
  if (is_in_aggregate_) {
    return scope_.error("42803", "aggregate function calls cannot be nested", node.location);
  }
  if (!place_.takes_aggregates) {
    return scope_.error("42803", fmt::format("aggregate functions are not allowed in {}", place_.clause),
                        node.location);
  }
  auto function = resolve_aggregate(scope_, node);
  if (!function) {
    return function.error();
  }
  is_in_aggregate_ = true;
  auto arguments = bind_all(node.arguments);
  auto filter = node.filter.is_present() ? bind(node.filter) : Bound(Typed());
  is_in_aggregate_ = false;
  if (!arguments || !filter) {
    return !arguments ? arguments.error() : filter.error();
  }
  std::vector<BoundExpression> taken;
  for (Typed& one : *arguments) {
    auto typed = aggregated(*function, node.name.back(), std::move(one), node.location);
    if (!typed) {
      return typed.error();
    }
    taken.push_back(std::move(*typed));
  }
  const bool counts_rows = *function == AggregateFunction::kCount && taken[0].is_constant() &&
                           (scope_.is_described() || !semantics::is_null(taken[0].value));
  if (counts_rows) {
    function = AggregateFunction::kCountRows;
    taken.clear();
  }
  if (node.filter.is_present()) {
    auto filtered = filter_arguments(*function, taken, std::move(*filter), node.location);
    if (!filtered) {
      return filtered.error();
    }
  }
  auto made = semantics::make_aggregate(*function, std::move(taken));
  if (!made) {
    return scope_.located(made.error(), node.location);
  }
  return Typed{std::move(*made), false, node.location};
}

Result<void> ExpressionBinder::filter_arguments(AggregateFunction& function, std::vector<BoundExpression>& arguments,
                                                Typed filter, int32_t location) {
  auto truth = as_boolean(std::move(filter), "FILTER");
  if (!truth) {
    return truth.error();
  }
  if (arguments.empty()) {
    function = AggregateFunction::kCount;
    arguments.push_back(semantics::make_constant(Type{TypeKind::kBool}, Value(true)));
  }
  // What a row that is filtered out is for an aggregate, NULL is, too.
  const Type type = arguments[0].type;
  std::vector<BoundExpression> arms = list_of(std::move(*truth));
  arms.push_back(std::move(arguments[0]));
  arms.push_back(semantics::make_constant(type, Value()));
  auto kept = call(FunctionId::kCase, std::move(arms), location);
  if (!kept) {
    return kept.error();
  }
  arguments[0] = std::move(kept->expression);
  return {};
}

}  // namespace daedalus::aggregator::sql

// Calls of aggregates within expressions: what they are given, and what FILTER leaves of it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "aggregates.hpp"
#include "blanks.hpp"
#include "bound_lists.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

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
  switch (semantics::entry_of(function).types) {
    case semantics::AggregateTypes::kSpread:
      return TypeKind::kDouble;
    case semantics::AggregateTypes::kBoolToItself:
      return TypeKind::kBool;
    case semantics::AggregateTypes::kOrderedToItself:
      return TypeKind::kText;
    default:
      return std::nullopt;
  }
}

/// Returns the place that PostgreSQL gives an expression once it is read: that of `DATE 'x'` is where its text begins.
int32_t location_of_value(const grammar::Node& node) {
  if (node.kind() == grammar::Node::kCast) {
    return location_of_value(node.cast().argument);
  }
  if (node.kind() == grammar::Node::kNullTest) {
    return location_of_value(node.null_test().argument);
  }
  if (node.kind() == grammar::Node::kBooleanTest) {
    return location_of_value(node.boolean_test().argument);
  }
  const bool starts_with_left = node.has_operator_expression() && node.operator_expression().left.is_present() &&
                                node.operator_expression().kind != grammar::OperatorKind::kNullIf;
  return starts_with_left ? location_of_value(node.operator_expression().left) : location_of(node);
}

/// True when `taken` is the expression, as it is or cast to the type that the aggregate takes.
bool is_taken_as(const BoundExpression& expression, const BoundExpression& taken) {
  return taken == expression || (taken.is_call(FunctionId::kCast) && taken.arguments[0] == expression);
}

}  // namespace

Result<BoundExpression> ExpressionBinder::aggregated(AggregateFunction function, std::string_view name, Typed argument,
                                                     int32_t location) {
  if (function == AggregateFunction::kStringAgg) {
    return joined_text(std::move(argument), name, location);
  }
  if (function == AggregateFunction::kCount && argument.is_unknown) {
    return std::move(argument.expression);
  }
  const bool is_sum = function == AggregateFunction::kSum || function == AggregateFunction::kAvg;
  if (is_sum && argument.expression.type.kind == TypeKind::kTime) {
    return coerced(std::move(argument), TypeKind::kInterval);  // PostgreSQL adds up times as the spans since midnight.
  }
  if (argument.is_array) {
    return scope_.refuse("an array in this place", argument.location);
  }
  if (!argument.is_unknown) {
    auto taken = settled(std::move(argument));
    // Equal values are one to it, whatever blanks they have.
    return taken && semantics::has_own_blanks(taken->type) ? char_without_blanks(std::move(*taken)) : taken;
  }
  const std::optional<TypeKind> kind = kind_of_unknown(function);
  if (!kind) {
    return scope_.error("42725", fmt::format("function {}(unknown) is not unique", name), location,
                        "add an explicit cast");
  }
  return coerced(std::move(argument), *kind);
}

Result<BoundExpression> ExpressionBinder::joined_text(Typed argument, std::string_view name, int32_t location) {
  const TypeKind kind = argument.expression.type.kind;
  if (!argument.is_unknown && !semantics::is_string(kind)) {
    return scope_.error("42883", fmt::format("function {}({}, …) does not exist", name, semantics::kind_name(kind)),
                        location, "cast it to text");
  }
  return coerced(std::move(argument), TypeKind::kText);
}

ExpressionBinder::Bound ExpressionBinder::aggregate_call(const grammar::FunctionCall& node) {
  auto function = resolve_aggregate(scope_, node);
  if (!function) {
    return function.error();
  }
  const bool is_nested = std::exchange(is_in_aggregate_, true);
  auto parts = bind_aggregate_parts(*function, node);
  is_in_aggregate_ = is_nested;
  if (!parts) {
    return parts.error();
  }
  std::vector<BoundExpression>& taken = parts->arguments;
  const bool counts_rows = *function == AggregateFunction::kCount && !node.distinct && taken[0].is_constant() &&
                           (scope_.is_described() || !semantics::is_null(taken[0].value));
  if (counts_rows) {
    function = AggregateFunction::kCountRows;
    taken.clear();
  }
  if (parts->filter) {
    auto filtered = filter_arguments(*function, taken, std::move(*parts->filter), node.location);
    if (!filtered) {
      return filtered.error();
    }
  }
  auto made = semantics::make_aggregate(*function, std::move(taken), {node.distinct, std::move(parts->order)});
  if (!made) {
    return scope_.located(made.error(), node.location);
  }
  // PostgreSQL reports mistakes in the arguments before it reports that the aggregate may not stand here.
  if (auto placed = check_place("aggregate functions are", "aggregate function calls cannot be nested", node.location);
      !placed) {
    return placed.error();
  }
  return Typed{std::move(*made), false, node.location};
}

Result<void> ExpressionBinder::check_place(std::string_view what, std::string_view nested, int32_t location) {
  places_.aggregate = places_.aggregate < 0 ? location : places_.aggregate;
  if (!place_.takes_aggregates) {
    return scope_.error("42803", fmt::format("{} not allowed in {}", what, place_.clause), location);
  }
  return is_in_aggregate_ ? Result<void>(scope_.error("42803", std::string(nested), location)) : Result<void>();
}

Result<std::vector<Typed>> ExpressionBinder::counts_whole_rows(AggregateFunction function,
                                                               const grammar::FunctionCall& node) {
  std::vector<Typed> counted;
  const bool is_count = function == AggregateFunction::kCount && node.arguments.size() == 1;
  if (is_count && node.arguments[0].kind() == grammar::Node::kRow) {
    auto text = text_of_row(node.arguments[0]);
    if (!text) {
      return text.error();
    }
    counted.push_back(std::move(*text));
    return counted;
  }
  if (!is_count || node.distinct || !node.arguments[0].has_column()) {
    return counted;
  }
  auto is_star = scope_.is_star(node.arguments[0].column());
  if (!is_star) {
    return is_star.error();
  }
  if (*is_star) {  // No row is NULL.
    counted.push_back(Typed{semantics::make_constant(Type{TypeKind::kBool}, Value(true)), false, node.location});
  }
  return counted;
}

ExpressionBinder::Bound ExpressionBinder::text_of_row(const grammar::Node& row) {
  std::vector<Typed> parts;
  parts.push_back(Typed{semantics::make_constant(Type{TypeKind::kText}, std::string(","))});
  for (const grammar::Node& item : row.row().items) {
    const int32_t location = location_of(item);
    auto typed = value(item);
    auto told = typed ? told_apart(std::move(*typed), location) : typed.error();
    auto text = told ? call(FunctionId::kCast, list_of(std::move(told->expression)), location, Type{TypeKind::kText})
                     : told.error();
    auto quoted = text ? resolved("quote_nullable", false, {std::move(*text)}, location) : text;
    if (!quoted) {
      return quoted;
    }
    parts.push_back(std::move(*quoted));
  }
  return resolved("concat_ws", false, std::move(parts), location_of(row));
}

ExpressionBinder::Bound ExpressionBinder::told_apart(BoundExpression value, int32_t location) {
  const TypeKind kind = value.type.kind;
  if (kind == TypeKind::kInterval) {
    return scope_.refuse("an interval in a row that is counted", location, "count its parts");
  }
  Typed typed{std::move(value), false, location};
  if (semantics::is_floating(kind)) {  // There are two zeros.
    return resolved("+", true, pair_of(std::move(typed), Typed{semantics::make_constant(Type{TypeKind::kDouble}, 0.0)}),
                    location);
  }
  return kind == TypeKind::kNumeric ? resolved("trim_scale", false, {std::move(typed)}, location) : Bound(typed);
}

Result<ExpressionBinder::AggregateParts> ExpressionBinder::bind_aggregate_parts(AggregateFunction function,
                                                                                const grammar::FunctionCall& node) {
  if (semantics::entry_of(function).is_ordered_set) {
    return bind_ordered_set(function, node);
  }
  AggregateParts parts;
  auto arguments = counts_whole_rows(function, node);
  if (arguments && arguments->empty()) {
    arguments = bind_all(node.arguments);
  }
  if (!arguments) {
    return arguments.error();
  }
  for (Typed& one : *arguments) {
    auto typed = aggregated(function, node.name.back(), std::move(one), node.location);
    if (!typed) {
      return typed.error();
    }
    parts.arguments.push_back(std::move(*typed));
  }
  const size_t argument_count = parts.arguments.size();
  for (const grammar::Node& item : node.order) {
    if (auto added = add_order(item.sort(), argument_count, node.distinct, parts); !added) {
      return added.error();
    }
  }
  if (function != AggregateFunction::kStringAgg) {
    parts.arguments.resize(argument_count);  // The order changes the result of string_agg only.
    parts.order.clear();
  }
  if (auto added = add_filter(node, parts); !added) {
    return added.error();
  }
  return parts;
}

Result<void> ExpressionBinder::add_order(const grammar::SortBy& sort, size_t argument_count, bool is_distinct,
                                         AggregateParts& parts) {
  if (sort.direction == grammar::SortDirection::kUsing) {
    return scope_.refuse("ORDER BY ... USING", sort.location, "use ASC or DESC");
  }
  auto key = value(sort.expression);
  if (!key) {
    return key.error();
  }
  if (is_distinct) {
    const auto end = parts.arguments.begin() + static_cast<std::ptrdiff_t>(argument_count);
    const auto argument = std::find_if(parts.arguments.begin(), end,
                                       [&](const BoundExpression& taken) { return is_taken_as(*key, taken); });
    if (argument == end) {
      return scope_.error("42P10", "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                          location_of(sort.expression));
    }
    *key = BoundExpression(*argument);
  }
  if (semantics::has_own_blanks(key->type)) {
    key = without_blanks(std::move(*key));
    if (!key) {
      return key.error();
    }
  }
  if (!key->is_constant()) {
    parts.arguments.push_back(std::move(*key));
    parts.order.push_back(order_of(sort));
  }
  return {};
}

Result<void> ExpressionBinder::filter_arguments(AggregateFunction& function, std::vector<BoundExpression>& arguments,
                                                BoundExpression filter, int32_t location) {
  if (arguments.empty()) {
    function = AggregateFunction::kCount;
    arguments.push_back(semantics::make_constant(Type{TypeKind::kBool}, Value(true)));
  }
  // An aggregate skips a NULL as it skips a row that is filtered out.
  for (size_t number = 0; number < arguments.size(); ++number) {
    BoundExpression& argument = arguments[number];
    if (number > 0 && argument.is_constant()) {
      continue;
    }
    const Type type = argument.type;
    std::vector<BoundExpression> arms;
    if (!has_column(argument) && !semantics::has_stable(argument) && semantics::can_fail(argument)) {
      // PostgreSQL computes what is constant, whatever the filter leaves.
      auto test = computed_first(BoundExpression(argument), false, location);
      if (!test) {
        return test.error();
      }
      arms.push_back(std::move(test->expression));
      arms.push_back(semantics::make_constant(type, Value()));
    }
    arms.push_back(BoundExpression(filter));
    arms.push_back(std::move(argument));
    arms.push_back(semantics::make_constant(type, Value()));
    auto kept = call(FunctionId::kCase, std::move(arms), location);
    if (!kept) {
      return kept.error();
    }
    argument = std::move(kept->expression);
  }
  return {};
}

ExpressionBinder::Bound ExpressionBinder::grouping_function(const grammar::GroupingFunction& node) {
  constexpr size_t kArgumentsMax = 31;
  if (node.arguments.size() > kArgumentsMax) {
    return scope_.error("54023", "GROUPING must have fewer than 32 arguments", node.location);
  }
  auto arguments = bind_all(node.arguments);
  if (!arguments) {
    return arguments.error();
  }
  std::vector<BoundExpression> keys;
  for (size_t number = 0; number < arguments->size(); ++number) {
    auto key = settled(std::move((*arguments)[number]));
    if (!key) {
      return key.error();
    }
    places_.grouping.emplace_back(*key, location_of_value(node.arguments[number]));
    keys.push_back(std::move(*key));
  }
  auto made = semantics::make_aggregate(AggregateFunction::kGrouping, std::move(keys));
  if (!made) {
    return scope_.located(made.error(), node.location);
  }
  if (auto placed = check_place("grouping operations are", "aggregate function calls cannot be nested", node.location);
      !placed) {
    return placed.error();
  }
  return Typed{std::move(*made), false, node.location};
}

}  // namespace daedalus::aggregator::sql

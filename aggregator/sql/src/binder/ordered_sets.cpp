// Calls of aggregates of values in their order: percentile_cont, percentile_disc and mode, WITHIN GROUP (ORDER BY …).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "aggregates.hpp"
#include "blanks.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

using semantics::AggregateFunction;
using semantics::BoundExpression;
using semantics::TypeKind;

Result<ExpressionBinder::AggregateParts> ExpressionBinder::bind_ordered_set(AggregateFunction function,
                                                                            const grammar::FunctionCall& node) {
  AggregateParts parts;
  std::string kind;
  auto arguments = bind_all(node.arguments);
  if (!arguments) {
    return arguments.error();
  }
  if (!arguments->empty()) {
    kind = arguments->front().is_unknown ? "unknown" : semantics::kind_name(arguments->front().expression.type.kind);
  }
  auto value = ordered_value(function, node, kind);
  if (!value) {
    return value.error();
  }
  parts.arguments.push_back(*value);
  if (function == AggregateFunction::kPercentileDisc && kind == "unknown") {
    return scope_.error(
        "42725",
        fmt::format("function {}(unknown, {}) is not unique", node.name.back(), semantics::kind_name(value->type.kind)),
        node.location, "add an explicit cast");
  }
  if (!arguments->empty()) {
    auto fraction = fraction_of(std::move(arguments->front()), node.name.back());
    if (!fraction) {
      return fraction.error();
    }
    parts.arguments.push_back(std::move(*fraction));
  }
  parts.arguments.push_back(std::move(*value));
  parts.order.push_back(order_of(node.order[0].sort()));
  if (auto added = add_filter(node, parts); !added) {
    return added.error();
  }
  return parts;
}

Result<BoundExpression> ExpressionBinder::ordered_value(AggregateFunction function, const grammar::FunctionCall& node,
                                                        std::string_view fraction) {
  const grammar::SortBy& sort = node.order[0].sort();
  if (sort.direction == grammar::SortDirection::kUsing) {
    return scope_.refuse("ORDER BY ... USING", sort.location, "use ASC or DESC");
  }
  auto typed = bind(sort.expression);
  if (!typed) {
    return typed.error();
  }
  if (typed->is_array) {
    return scope_.refuse("an array in this place", typed->location);
  }
  if (function != AggregateFunction::kPercentileCont) {
    auto value = settled(std::move(*typed));
    return value && semantics::has_own_blanks(value->type) ? char_without_blanks(std::move(*value)) : value;
  }
  const TypeKind kind = typed->expression.type.kind;
  if (!typed->is_unknown && kind == TypeKind::kInterval) {
    return settled(std::move(*typed));
  }
  if (!typed->is_unknown && !semantics::is_numeric(kind)) {
    return scope_.error(
        "42883",
        fmt::format("function {}({}, {}) does not exist", node.name.back(), fraction, semantics::kind_name(kind)),
        node.location);
  }
  return coerced(std::move(*typed), TypeKind::kDouble);
}

Result<BoundExpression> ExpressionBinder::fraction_of(Typed argument, std::string_view name) {
  const int32_t location = argument.location;
  if (argument.is_array) {
    return scope_.refuse("an array in this place", location);
  }
  if (!argument.is_unknown && !semantics::is_numeric(argument.expression.type.kind)) {
    return scope_.error(
        "42883",
        fmt::format("function {}({}, …) does not exist", name, semantics::kind_name(argument.expression.type.kind)),
        location);
  }
  auto bound = coerced(std::move(argument), TypeKind::kDouble);
  auto folded = bound ? semantics::fold(std::move(*bound)) : bound;
  if (!folded) {
    return folded;
  }
  if (!folded->is_constant()) {
    return scope_.refuse(fmt::format("{}() of a fraction that is no constant", name), location);
  }
  if (const auto* fraction = std::get_if<double>(&folded->value)) {
    if (auto checked = semantics::check_fraction(*fraction); !checked && !scope_.leaves_mistakes()) {
      return checked.error();
    }
  }
  return folded;
}

Result<void> ExpressionBinder::add_filter(const grammar::FunctionCall& node, AggregateParts& parts) {
  if (!node.filter.is_present()) {
    return {};
  }
  auto filter = bind(node.filter);
  if (!filter) {
    return filter.error();
  }
  auto truth = as_boolean(std::move(*filter), "FILTER");
  if (!truth) {
    return truth.error();
  }
  parts.filter = std::move(*truth);
  return {};
}

}  // namespace daedalus::aggregator::sql

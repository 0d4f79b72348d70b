// Lists of bound expressions, moved and never copied, as those of an initializer list would be.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "expression_binder.hpp"

namespace daedalus::aggregator::sql {

[[nodiscard]] inline semantics::ArgumentKind kind_of(const Typed& value) {
  return {value.expression.type.kind, value.is_unknown};
}

[[nodiscard]] inline std::vector<semantics::ArgumentKind> kinds_of(const std::vector<Typed>& values) {
  std::vector<semantics::ArgumentKind> kinds;
  kinds.reserve(values.size());
  std::transform(values.begin(), values.end(), std::back_inserter(kinds), kind_of);
  return kinds;
}

[[nodiscard]] inline std::vector<Typed> pair_of(Typed left, Typed right) {
  std::vector<Typed> pair;
  pair.reserve(2);
  pair.push_back(std::move(left));
  pair.push_back(std::move(right));
  return pair;
}

[[nodiscard]] inline std::vector<semantics::BoundExpression> list_of(semantics::BoundExpression first) {
  std::vector<semantics::BoundExpression> list;
  list.push_back(std::move(first));
  return list;
}

[[nodiscard]] inline bool has_column(const semantics::BoundExpression& expression) {
  bool found = false;
  semantics::for_each_input(expression, [&](uint32_t) { found = true; });
  return found;
}

/// True when computing the expression may fail on some row, and PostgreSQL's planner does not meet that error.
[[nodiscard]] inline bool may_fail(const semantics::BoundExpression& expression) {
  return semantics::can_fail(expression) && (has_column(expression) || semantics::has_stable(expression));
}

/// True when computing the expression fails, whatever the row.
[[nodiscard]] inline bool fails_always(const semantics::BoundExpression& expression) {
  return semantics::can_fail(expression) && !has_column(expression) &&
         !semantics::fold(semantics::BoundExpression(expression));
}

/// True when a NULL among its constants makes the expression NULL, so that nothing else in it is computed.
[[nodiscard]] inline bool is_null_for_all(const semantics::BoundExpression& expression) {
  const auto folded = semantics::fold(semantics::BoundExpression(expression));
  return folded && folded->is_constant() && semantics::is_null(folded->value);
}

/// True when `comparison` compares two values, of which one is NULL for all rows.
[[nodiscard]] inline bool is_null_of_two(const semantics::BoundExpression& comparison) {
  return comparison.arguments.size() == 2 && is_null_for_all(comparison);
}

}  // namespace daedalus::aggregator::sql

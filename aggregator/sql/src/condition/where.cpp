#include "where.hpp"

#include <algorithm>
#include <utility>

#include "blanks.hpp"
#include "condition.hpp"
#include "expression_binder.hpp"

namespace daedalus::aggregator::sql {

namespace {

using ConditionKind = semantics::Condition::Kind;

constexpr const char* kNotSupported = "0A000";

/// What is joined by AND, however it is bracketed.
void add_conjuncts(const grammar::Node& node, std::vector<const grammar::Node*>& conjuncts) {
  const grammar::BooleanExpression& expression = node.boolean_expression();
  if (node.kind() != grammar::Node::kBooleanExpression || expression.op != grammar::BooleanOperator::kAnd) {
    conjuncts.push_back(&node);
    return;
  }
  for (const grammar::Node& argument : expression.arguments) {
    add_conjuncts(argument, conjuncts);
  }
}

/// A condition whose constants could not be computed. All of it is bound before anything is computed, so another
/// mistake comes first; and where PostgreSQL's planner does not meet this one, it waits for a row (nothing).
Result<std::optional<semantics::Condition>> met_later(Scope& scope, const grammar::Node& node, Error met) {
  const bool is_of_evaluation = met.sqlstate.starts_with("22") || met.sqlstate == "54000";
  if (!is_of_evaluation) {
    return met;
  }
  auto bound = ExpressionBinder(scope, {"WHERE"}).condition(node);
  if (!bound) {
    return bound.error().sqlstate == kNotSupported ? met : bound.error();
  }
  const auto folded = semantics::fold(std::move(*bound));
  return folded ? Result<std::optional<semantics::Condition>>(std::nullopt) : met;
}

/// Compiles a condition; nothing when only a computation can say whether it holds. `waits` becomes true where there is
/// a mistake in it that waits for a row.
Result<std::optional<semantics::Condition>> looked_up(Scope& scope, const grammar::Node& node, bool& waits) {
  ParameterPlaces before = scope.places();
  auto condition = compile_condition(scope, node);
  if (condition) {
    return std::optional(std::move(*condition));
  }
  if (condition.error().sqlstate != kNotSupported) {
    auto later = met_later(scope, node, condition.error());
    if (!later) {
      return later;
    }
    waits = true;
  }
  scope.places() = std::move(before);
  return std::optional<semantics::Condition>();
}

/// Whether the planner sees that no row holds: it computes constants from left to right, and nothing after one that is
/// false. What is a mistake for itself may stand behind it.
bool holds_nowhere(Scope& scope, const grammar::Node& node) {
  ParameterPlaces before = scope.places();
  if (auto bound = ExpressionBinder(scope, {"WHERE"}).condition(node)) {
    const auto folded = semantics::fold(std::move(*bound));
    if (folded && folded->is_constant() && folded->value != semantics::Value(true)) {
      return true;
    }
  }
  scope.places() = std::move(before);
  return false;
}

}  // namespace

Result<Where> compile_where(Scope& scope, const grammar::Node& node) {
  Where where;
  bool waits = false;
  auto whole = looked_up(scope, node, waits);
  if (!whole) {
    return whole.error();
  }
  if (whole->has_value()) {
    where.condition = std::move(**whole);
    return where;
  }
  std::vector<const grammar::Node*> conjuncts;
  if (waits) {
    conjuncts.push_back(&node);  // What hides the mistake may stand beside it.
  } else {
    add_conjuncts(node, conjuncts);
  }
  if (conjuncts.size() > 1 && holds_nowhere(scope, node)) {
    where.condition = {.kind = ConditionKind::kNever, .literal = {}, .children = {}};
    scope.places().see(where.condition);
    return where;
  }
  std::vector<semantics::Condition> conditions;
  for (const grammar::Node* conjunct : conjuncts) {
    auto condition = looked_up(scope, *conjunct, waits);
    if (!condition) {
      return condition.error();
    }
    if (condition->has_value()) {
      conditions.push_back(std::move(**condition));
      continue;
    }
    auto residual = ExpressionBinder(scope, {"WHERE"}).condition(*conjunct);
    if (!residual) {
      return residual.error();
    }
    where.residuals.push_back(std::move(*residual));
  }
  if (!conditions.empty()) {
    where.condition = semantics::simplified(semantics::join(ConditionKind::kAnd, std::move(conditions)));
  }
  scope.places().see(where.condition);
  return where;
}

Result<void> fold_residuals(Where& where) {
  std::vector<semantics::BoundExpression> kept;
  for (semantics::BoundExpression& residual : where.residuals) {
    auto texts = choose_texts(residual);
    auto folded = texts ? semantics::fold(std::move(residual)) : texts.error();
    if (!folded) {
      return folded.error();
    }
    if (!folded->is_constant()) {
      kept.push_back(std::move(*folded));
    } else if (folded->value != semantics::Value(true)) {
      where.condition = {.kind = ConditionKind::kNever, .literal = {}, .children = {}};
    }
  }
  where.residuals = std::move(kept);
  std::stable_partition(where.residuals.begin(), where.residuals.end(),
                        [](const semantics::BoundExpression& residual) { return !semantics::can_fail(residual); });
  return {};
}

}  // namespace daedalus::aggregator::sql

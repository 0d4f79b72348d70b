#include "where.hpp"

#include <algorithm>
#include <utility>

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

/// All of a condition is bound before anything of it is computed: where a constant could not be computed, another
/// mistake comes first.
Error earlier_mistake(Scope& scope, const grammar::Node& node, Error met) {
  const bool is_of_evaluation = met.sqlstate.starts_with("22") || met.sqlstate == "54000";
  if (!is_of_evaluation) {
    return met;
  }
  auto bound = ExpressionBinder(scope, {"WHERE"}).condition(node);
  return bound || bound.error().sqlstate == kNotSupported ? met : bound.error();
}

/// Compiles a condition; nothing when only a computation can say whether it holds.
Result<std::optional<semantics::Condition>> looked_up(Scope& scope, const grammar::Node& node) {
  ParameterPlaces before = scope.places();
  auto condition = compile_condition(scope, node);
  if (condition) {
    return std::optional(std::move(*condition));
  }
  if (condition.error().sqlstate != kNotSupported) {
    return earlier_mistake(scope, node, condition.error());
  }
  scope.places() = std::move(before);
  return std::optional<semantics::Condition>();
}

}  // namespace

Result<Where> compile_where(Scope& scope, const grammar::Node& node) {
  Where where;
  auto whole = looked_up(scope, node);
  if (!whole) {
    return whole.error();
  }
  if (whole->has_value()) {
    where.condition = std::move(**whole);
    return where;
  }
  std::vector<const grammar::Node*> conjuncts;
  add_conjuncts(node, conjuncts);
  std::vector<semantics::Condition> conditions;
  for (const grammar::Node* conjunct : conjuncts) {
    auto condition = looked_up(scope, *conjunct);
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
    auto folded = semantics::fold(std::move(residual));
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

#include "where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blanks.hpp"
#include "condition.hpp"
#include "daedalus/semantics/folding.hpp"
#include "expression_binder.hpp"
#include "indexable.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using ConditionKind = semantics::Condition::Kind;

/// Levels of AND within OR within AND that are sent: each takes two levels of messages, and readers of messages take a
/// hundred.
constexpr uint32_t kConditionDepthMax = 40;

uint32_t depth_of(const semantics::Condition& condition) {
  uint32_t deepest = 0;
  for (const semantics::Condition& child : condition.children) {
    deepest = std::max(deepest, depth_of(child));
  }
  return deepest + 1;
}

/// Splits a condition into the parts that AND joins, however they are bracketed.
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

/// The condition, if it is plain; otherwise nothing was noted down. Of a statement that is described only types are
/// asked for, which the binder notes down.
std::optional<PlainCondition> plain(Scope& scope, const grammar::Node& node) {
  if (scope.is_described()) {
    return std::nullopt;
  }
  ParameterPositions before = scope.places();
  auto read = ConditionReader(scope).read(node);
  if (!read) {
    scope.places() = std::move(before);
  }
  return read;
}

/// The condition as it is sent. Errors: 54001.
Result<semantics::Condition> simple(const Scope& scope, semantics::Condition condition,
                                    const semantics::ExpressionSize& size, int32_t location) {
  if (auto checked = semantics::check_size(size, condition); !checked) {
    return scope.located(checked.error(), location);
  }
  scope.places().see(condition);
  semantics::Condition made = semantics::simplified(std::move(condition));
  if (depth_of(made) > kConditionDepthMax) {
    return scope.error("54001",
                       fmt::format("the condition is too complex: more than {} levels of nesting", kConditionDepthMax),
                       location);
  }
  return made;
}

/// Says whether a NOT is left in it.
bool is_negated(const BoundExpression& expression) {
  return expression.is_call(FunctionId::kNot) ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(), is_negated);
}

/// The conjuncts, each read at once if it is plain, else bound.
Result<Where> compile_conjuncts(Scope& scope, const grammar::Node& node) {
  std::vector<const grammar::Node*> conjuncts;
  add_conjuncts(node, conjuncts);
  Where where;
  semantics::ExpressionSize size{0, 1};
  for (const grammar::Node* conjunct : conjuncts) {
    if (auto condition = plain(scope, *conjunct)) {
      size = {size.comparisons + condition->size.comparisons, std::max(size.depth, condition->size.depth + 1)};
      where.conjuncts.push_back(std::move(condition->condition));
      continue;
    }
    const char* const construct = conjuncts.size() > 1 ? "AND" : "WHERE";
    auto residual =
        ExpressionBinder(scope, {.clause = "WHERE", .compares_beyond = true}).condition(*conjunct, construct);
    if (!residual) {
      return residual.error();
    }
    where.residuals.push_back(std::move(*residual));
    where.conjuncts.push_back({.kind = ConditionKind::kAlways, .literal = {}, .children = {}});
  }
  auto made = simple(scope, semantics::join(ConditionKind::kAnd, where.conjuncts), size, location_of(node));
  if (!made) {
    return made.error();
  }
  where.condition = std::move(*made);
  return where;
}

/// The condition that says the same, if a sweep can look it up.
std::optional<semantics::Condition> find_condition(const Scope& scope, const BoundExpression& residual) {
  auto found = indexable(scope.schema(), residual);
  if (found) {
    scope.places().add_leaf(*found);
    if (is_negated(residual)) {
      scope.places().mark_lost();  // indexable() replaces the operator of a negated comparison.
    }
  }
  return found;
}

/// Computes what is constant in a residual. Errors: those of its functions.
Result<semantics::Folded> folded_residual(BoundExpression residual) {
  auto texts = choose_texts(residual);
  return texts ? semantics::folded(std::move(residual)) : texts.error();
}

/// Conjuncts that cannot fail come first.
void put_failing_last(std::vector<BoundExpression>& residuals) {
  std::stable_partition(residuals.begin(), residuals.end(),
                        [](const BoundExpression& residual) { return !semantics::can_fail(residual); });
}

}  // namespace

Result<Where> compile_where(Scope& scope, const grammar::Node& node) {
  auto whole = plain(scope, node);
  if (!whole) {
    return compile_conjuncts(scope, node);
  }
  auto made = simple(scope, std::move(whole->condition), whole->size, location_of(node));
  return made ? Result<Where>(Where{std::move(*made)}) : made.error();
}

Result<void> fold_where(const Scope& scope, Where& where) {
  std::vector<BoundExpression> kept;
  auto place = where.conjuncts.begin();
  bool holds_nowhere = false;
  for (BoundExpression& residual : where.residuals) {
    auto made = folded_residual(std::move(residual));
    if (!made) {
      return made.error();
    }
    holds_nowhere = made->is_known() && made->is_truth(false);
    place =
        std::find_if(place, where.conjuncts.end(), [](const auto& it) { return it.kind == ConditionKind::kAlways; });
    if (auto found = find_condition(scope, made->expression)) {
      *place = std::move(*found);
    } else {
      kept.push_back(std::move(made->expression));
    }
    ++place;
    if (holds_nowhere) {
      break;  // PostgreSQL's planner computes nothing that stands behind it.
    }
  }
  if (where.residuals.empty()) {
    return {};
  }
  where.residuals = holds_nowhere ? std::vector<BoundExpression>() : std::move(kept);
  put_failing_last(where.residuals);
  constexpr int32_t kNowhere = -1;
  auto made = simple(scope, semantics::join(ConditionKind::kAnd, std::move(where.conjuncts)), {}, kNowhere);
  if (!made) {
    return made.error();
  }
  where.condition = std::move(*made);
  where.conjuncts.clear();
  return {};
}

Result<void> fold_residuals(Where& where) {
  std::vector<BoundExpression> kept;
  for (BoundExpression& residual : where.residuals) {
    auto made = folded_residual(std::move(residual));
    if (!made) {
      return made.error();
    }
    if (!made->expression.is_constant()) {
      kept.push_back(std::move(made->expression));
    } else if (!made->is_truth(true)) {
      where.condition = {.kind = ConditionKind::kNever, .literal = {}, .children = {}};
    }
  }
  where.residuals = std::move(kept);
  put_failing_last(where.residuals);
  return {};
}

}  // namespace daedalus::aggregator::sql

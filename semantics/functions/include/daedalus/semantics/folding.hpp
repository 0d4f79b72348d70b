// Folding an expression, and whether PostgreSQL's planner knows as much of it.
#pragma once

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/bound_expression.hpp"

namespace daedalus::semantics {

/// An expression with its constants computed, and whether a stable function has a part in it: such a value PostgreSQL's
/// planner does not know, so it decides nothing about what stands behind it.
struct Folded {
  BoundExpression expression;
  bool is_stable = false;

  /// Says whether PostgreSQL's planner knows the value, too.
  [[nodiscard]] bool is_known() const { return expression.is_constant() && !is_stable; }
  [[nodiscard]] bool is_truth(bool truth) const {
    return expression.is_constant() && !is_null(expression.value) && std::get<bool>(expression.value) == truth;
  }
  [[nodiscard]] bool is_null_constant() const { return expression.is_constant() && is_null(expression.value); }
};

/// As fold(). Errors: those of evaluate().
[[nodiscard]] Result<Folded> folded(BoundExpression expression);

}  // namespace daedalus::semantics

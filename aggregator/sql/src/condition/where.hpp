// WHERE: what a sweep can look up, and what has to be computed for each row that is left.
//
// Decides it in PostgreSQL's order: all of it is bound, then what is constant is computed, and then what can be looked
// up is found. What is plain (condition.hpp) is read at once: nothing can be wrong with it.
#pragma once

#include <vector>

#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/selection.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Both have to hold. Conjuncts that cannot fail come before those that can: WHERE means that the others are asked only
/// where all those hold, in the order in which they are written.
struct Where {
  semantics::Condition condition{.kind = semantics::Condition::Kind::kAlways, .literal = {}, .children = {}};
  std::vector<semantics::BoundExpression> residuals = {};
  /// The parts that AND joins, in the order of the text, until fold_where() joins them; a condition that is always true
  /// stands for each residual. Empty when there is no residual.
  std::vector<semantics::Condition> conjuncts = {};
};

/// Binds it; the residuals are to be folded. Errors: those of ExpressionBinder, and 54001 beyond the bounds of
/// predicates.
[[nodiscard]] Result<Where> compile_where(Scope& scope, const grammar::Node& where);

/// Computes what is constant in the residuals, and looks up what can be. Errors: those of its functions.
[[nodiscard]] Result<void> fold_where(const Scope& scope, Where& where);

/// Computes what is constant in the residuals; one that is the same for every row is none any more. Errors: those of
/// its functions.
[[nodiscard]] Result<void> fold_residuals(Where& where);

}  // namespace daedalus::aggregator::sql

// WHERE: what a sweep can look up, and what has to be computed for each row that is left.
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
};

/// Errors: those of compile_condition() and of ExpressionBinder.
[[nodiscard]] Result<Where> compile_where(Scope& scope, const grammar::Node& where);

/// Computes what is constant in the residuals; one that is the same for every row is none any more. Errors: those of
/// its functions.
[[nodiscard]] Result<void> fold_residuals(Where& where);

}  // namespace daedalus::aggregator::sql

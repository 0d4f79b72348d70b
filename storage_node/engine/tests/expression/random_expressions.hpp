// Expressions over the test table, drawn evenly from the whole table of functions, the forms and the casts.
#pragma once

#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

/// Makes one of any type; at most so many calls deep.
[[nodiscard]] semantics::BoundExpression random_expression(Random& random, uint32_t depth);
/// Makes one of this kind.
[[nodiscard]] semantics::BoundExpression random_expression(Random& random, semantics::TypeKind kind, uint32_t depth);
/// A call of this function.
[[nodiscard]] Result<semantics::BoundExpression> random_call(Random& random, const semantics::ScalarFunction& function,
                                                             uint32_t depth);

}  // namespace daedalus::engine::test

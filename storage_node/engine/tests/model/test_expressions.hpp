// Expressions over columns of the test table, for tests that write them out.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::engine::test {

/// A call of an operator.
[[nodiscard]] inline semantics::BoundExpression call(std::string_view name, semantics::BoundExpression left,
                                                     semantics::BoundExpression right) {
  const std::vector<semantics::ArgumentKind> kinds = {{left.type.kind, false}, {right.type.kind, false}};
  return *semantics::make_call((*semantics::resolve_function(name, true, kinds))->id,
                               {std::move(left), std::move(right)}, {});
}

/// A constant integer.
[[nodiscard]] inline semantics::BoundExpression number(int64_t value) {
  return semantics::make_constant(semantics::Type{semantics::TypeKind::kInt}, value);
}

}  // namespace daedalus::engine::test

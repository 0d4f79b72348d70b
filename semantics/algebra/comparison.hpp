// PostgreSQL's comparison of two typed values: which pairs of types compare, and as what.
#pragma once

#include <compare>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/expression.hpp"

namespace daedalus::semantics {

[[nodiscard]] bool is_comparison(Operator op);  ///< kEqual .. kGreaterOrEqual

struct TypedValue {
  Type type;
  Value value;
};

/// Checks that values of the two types compare, untyped literals aside. Error 42883.
[[nodiscard]] Result<void> check_comparable(Operator op, const Type& left, const Type& right);

/// Gives an untyped literal the type it takes beside `other`; leaves other constants alone. Errors as parse_text().
[[nodiscard]] Result<TypedValue> resolve_literal(const Type& other, const Type& type, const Value& value);

/// The cast to double precision that a comparison with a floating value applies. NULL passes. Error 22003 when a
/// numeric overflows.
[[nodiscard]] Result<double> floating_operand(const Value& value);

/// Orders two values that are not NULL and whose types compare (and are no untyped literals). Precondition:
/// floating_operand() accepts both.
[[nodiscard]] std::strong_ordering compare_typed(const TypedValue& left, const TypedValue& right);

}  // namespace daedalus::semantics

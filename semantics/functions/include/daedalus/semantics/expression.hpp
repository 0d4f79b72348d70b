// Expressions as they arrive: a recursive tree, checked for shape and size at the border.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// The numbers are those of the wire.
enum class Operator : uint8_t {
  kEqual = 1,
  kNotEqual = 2,
  kLess = 3,
  kLessOrEqual = 4,
  kGreater = 5,
  kGreaterOrEqual = 6,
  kIn = 7,
  kNotIn = 8,
  kStartsWith = 9,
  kNotStartsWith = 10,
  kIsNull = 11,
  kIsNotNull = 12,
  kAnd = 13,
  kOr = 14,
  kNot = 15,
  kAdd = 16,
  kSubtract = 17,
};

/// "=", "<>", … "~~" for prefixes.
[[nodiscard]] std::string_view operator_sign(Operator op);
/// Returns whether a comparison is true of two values in this order. Precondition: kEqual .. kGreaterOrEqual.
[[nodiscard]] bool holds(Operator op, std::strong_ordering ordering);

/// Returns the comparison with its sides exchanged: a < b is b > a.
[[nodiscard]] Operator flipped(Operator op);
/// Returns the opposite of an operator that tests one column: NOT (a < b) is a >= b.
[[nodiscard]] Operator negated(Operator op);

struct Expression {
  enum class Kind : uint8_t { kColumn, kConstant, kCall };

  Kind kind = Kind::kConstant;
  uint32_t column = 0;                ///< kColumn
  Type type;                          ///< kConstant
  Value value;                        ///< kConstant
  Operator op = Operator::kAnd;       ///< kCall
  std::vector<Expression> arguments;  ///< kCall

  [[nodiscard]] static Expression make_column(uint32_t position);
  [[nodiscard]] static Expression make_constant(Type type, Value value);
  [[nodiscard]] static Expression make_call(Operator op, std::vector<Expression> arguments);
};

}  // namespace daedalus::semantics

// + - * / % on numbers, and days on dates, as PostgreSQL's int.c, float.c, numeric.c and date.c have them.
#include <cmath>
#include <limits>

#include "adder.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

using Int128 = __int128;

enum class Sign : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo };

constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "%"};

// ---- integers ----

template <TypeKind kKind, Sign kSign>
Result<Value> integers(Arguments arguments, const BoundExpression&) {
  const Int128 left = integer(arguments[0]);
  const Int128 right = integer(arguments[1]);
  if constexpr (kSign == Sign::kDivide || kSign == Sign::kModulo) {
    if (right == 0) {
      return division_by_zero();
    }
  }
  switch (kSign) {
    case Sign::kAdd:
      return fit_integer(kKind, left + right);
    case Sign::kSubtract:
      return fit_integer(kKind, left - right);
    case Sign::kMultiply:
      return fit_integer(kKind, left * right);
    case Sign::kDivide:
      return fit_integer(kKind, left / right);
    case Sign::kModulo:
      return fit_integer(kKind, left % right);
  }
  return Value();
}

template <TypeKind kKind>
Result<Value> negated_integer(Arguments arguments, const BoundExpression&) {
  return fit_integer(kKind, -Int128{integer(arguments[0])});
}

Result<Value> same(Arguments arguments, const BoundExpression&) { return arguments[0]; }

// ---- floating numbers ----

/// In the precision of Number; a result that leaves it is an error, unless an operand was infinite already.
template <typename Number, Sign kSign>
Result<Value> floatings(Arguments arguments, const BoundExpression&) {
  const auto left = static_cast<Number>(floating(arguments[0]));
  const auto right = static_cast<Number>(floating(arguments[1]));
  if (kSign == Sign::kDivide && right == 0 && !std::isnan(left)) {
    return division_by_zero();
  }
  const Number result = kSign == Sign::kAdd        ? left + right
                        : kSign == Sign::kSubtract ? left - right
                        : kSign == Sign::kMultiply ? left * right
                                                   : left / right;
  const bool is_left_infinite = std::isinf(left);
  if (std::isinf(result) && !is_left_infinite && (kSign == Sign::kDivide || !std::isinf(right))) {
    return floating_overflow();
  }
  if (result == 0 && kSign == Sign::kMultiply && left != 0 && right != 0) {
    return floating_underflow();
  }
  if (result == 0 && kSign == Sign::kDivide && left != 0 && !std::isinf(right)) {
    return floating_underflow();
  }
  return Value(static_cast<double>(result));
}

Result<Value> negated_floating(Arguments arguments, const BoundExpression&) { return Value(-floating(arguments[0])); }

// ---- numeric ----

template <Sign kSign>
Result<Value> numerics(Arguments arguments, const BoundExpression&) {
  const Decimal& left = decimal(arguments[0]);
  const Decimal& right = decimal(arguments[1]);
  if constexpr (kSign == Sign::kDivide || kSign == Sign::kModulo) {
    if (right.unscaled.is_zero()) {
      return division_by_zero();
    }
  }
  switch (kSign) {
    case Sign::kAdd:
      return fit_numeric(add(left, right));
    case Sign::kSubtract:
      return fit_numeric(add(left, Decimal{BigInt(-right.unscaled), right.scale}));
    case Sign::kMultiply:
      return fit_numeric(multiply(left, right));
    case Sign::kDivide:
      return fit_numeric(divide(left, right));
    case Sign::kModulo:
      return fit_numeric(remainder(left, right));
  }
  return Value();
}

Result<Value> negated_numeric(Arguments arguments, const BoundExpression&) {
  const Decimal& value = decimal(arguments[0]);
  return Value(Decimal{BigInt(-value.unscaled), value.scale});
}

uint64_t integer_digits(const Type& type) { return type.precision - type.scale; }

/// Adds one digit to those that the longer operand of a sum or a difference has before its point; gives a product the
/// digits of both; makes a remainder as small as the divisor. An operand without bound makes a result without bound.
template <Sign kSign>
Type type_of(Expressions arguments) {
  const Type& left = arguments[0].type;
  const Type& right = arguments[1].type;
  if (left.precision == 0 || right.precision == 0) {
    return {TypeKind::kNumeric};
  }
  const uint64_t before = integer_digits(left);
  const uint64_t others = integer_digits(right);
  const uint64_t behind = std::max(left.scale, right.scale);
  return kSign == Sign::kMultiply ? numeric_of(before + others, uint64_t{left.scale} + right.scale)
         : kSign == Sign::kModulo ? numeric_of(others, behind)
                                  : numeric_of(std::max(before, others) + 1, behind);
}

// ---- dates ----

Result<Value> fit_date(Int128 days) {
  if (days < kComputedDaysMin || days > kDateDaysMax) {
    return rejected("22008", "date out of range");
  }
  return Value(static_cast<int64_t>(days));
}

/// A date so many days later; infinity stays.
Result<Value> moved_by_days(int64_t date, int64_t days) {
  return is_infinite_date(date) ? Result<Value>(Value(date)) : fit_date(Int128{date} + days);
}

Result<Value> date_plus_days(Arguments arguments, const BoundExpression&) {
  return moved_by_days(integer(arguments[0]), integer(arguments[1]));
}

Result<Value> days_plus_date(Arguments arguments, const BoundExpression&) {
  return moved_by_days(integer(arguments[1]), integer(arguments[0]));
}

Result<Value> date_minus_days(Arguments arguments, const BoundExpression&) {
  return moved_by_days(integer(arguments[0]), -integer(arguments[1]));
}

Result<Value> days_between(Arguments arguments, const BoundExpression&) {
  if (is_infinite_date(integer(arguments[0])) || is_infinite_date(integer(arguments[1]))) {
    return rejected("22008", "cannot subtract infinite dates");
  }
  return fit_integer(TypeKind::kInt, Int128{integer(arguments[0])} - integer(arguments[1]));
}

// ---- the list ----

/// Numbers of one kind's operators follow each other: five of two operands, then the two signs.
class ArithmeticAdder : public Adder {
 public:
  using Adder::Adder;

  template <TypeKind kKind>
  void add_integers(uint16_t first) {
    add_operator(first, kSigns[0], {kKind, kKind}, kKind, integers<kKind, Sign::kAdd>);
    add_operator(first + 1, kSigns[1], {kKind, kKind}, kKind, integers<kKind, Sign::kSubtract>);
    add_operator(first + 2, kSigns[2], {kKind, kKind}, kKind, integers<kKind, Sign::kMultiply>);
    add_operator(first + 3, kSigns[3], {kKind, kKind}, kKind, integers<kKind, Sign::kDivide>);
    add_operator(first + 4, kSigns[4], {kKind, kKind}, kKind, integers<kKind, Sign::kModulo>);
    add_operator(first + 5, "-", {kKind}, kKind, negated_integer<kKind>);
    add_operator(first + 6, "+", {kKind}, kKind, same, nullptr, false);
  }

  template <typename Number>
  void add_floatings(uint16_t first, TypeKind left, TypeKind right, TypeKind result) {
    add_operator(first, kSigns[0], {left, right}, result, floatings<Number, Sign::kAdd>);
    add_operator(first + 1, kSigns[1], {left, right}, result, floatings<Number, Sign::kSubtract>);
    add_operator(first + 2, kSigns[2], {left, right}, result, floatings<Number, Sign::kMultiply>);
    add_operator(first + 3, kSigns[3], {left, right}, result, floatings<Number, Sign::kDivide>);
  }
};

void add_numerics(Adder& adder) {
  adder.add_operator(180, kSigns[0], {kNumeric, kNumeric}, kNumeric, numerics<Sign::kAdd>, type_of<Sign::kAdd>);
  adder.add_operator(181, kSigns[1], {kNumeric, kNumeric}, kNumeric, numerics<Sign::kSubtract>,
                     type_of<Sign::kSubtract>);
  adder.add_operator(182, kSigns[2], {kNumeric, kNumeric}, kNumeric, numerics<Sign::kMultiply>,
                     type_of<Sign::kMultiply>);
  adder.add_operator(183, kSigns[3], {kNumeric, kNumeric}, kNumeric, numerics<Sign::kDivide>);
  adder.add_operator(184, kSigns[4], {kNumeric, kNumeric}, kNumeric, numerics<Sign::kModulo>, type_of<Sign::kModulo>);
  adder.add_operator(185, "-", {kNumeric}, kNumeric, negated_numeric, type_of_first, false);
  adder.add_operator(186, "+", {kNumeric}, kNumeric, same, type_of_first, false);
}

}  // namespace

void add_arithmetic(Functions& functions) {
  ArithmeticAdder adder(functions);
  adder.add_integers<TypeKind::kSmallint>(100);
  adder.add_integers<TypeKind::kInt>(110);
  adder.add_integers<TypeKind::kBigint>(120);
  adder.add_floatings<float>(130, TypeKind::kReal, TypeKind::kReal, TypeKind::kReal);
  adder.add_floatings<double>(140, TypeKind::kDouble, TypeKind::kDouble, TypeKind::kDouble);
  adder.add_floatings<double>(150, TypeKind::kReal, TypeKind::kDouble, TypeKind::kDouble);
  adder.add_floatings<double>(160, TypeKind::kDouble, TypeKind::kReal, TypeKind::kDouble);
  adder.add_operator(170, "-", {TypeKind::kReal}, TypeKind::kReal, negated_floating, nullptr, false);
  adder.add_operator(171, "+", {TypeKind::kReal}, TypeKind::kReal, same, nullptr, false);
  adder.add_operator(172, "-", {TypeKind::kDouble}, TypeKind::kDouble, negated_floating, nullptr, false);
  adder.add_operator(173, "+", {TypeKind::kDouble}, TypeKind::kDouble, same, nullptr, false);
  add_numerics(adder);
  adder.add_operator(190, "+", {TypeKind::kDate, TypeKind::kInt}, TypeKind::kDate, date_plus_days);
  adder.add_operator(191, "+", {TypeKind::kInt, TypeKind::kDate}, TypeKind::kDate, days_plus_date);
  adder.add_operator(192, "-", {TypeKind::kDate, TypeKind::kInt}, TypeKind::kDate, date_minus_days);
  adder.add_operator(193, "-", {TypeKind::kDate, TypeKind::kDate}, TypeKind::kInt, days_between);
}

}  // namespace daedalus::semantics::scalar

// Functions of whole numbers and numerics that lose no digit: divisors, digits, buckets.
#include <cmath>
#include <limits>

#include "adder.hpp"
#include "daedalus/semantics/decimal.hpp"

namespace daedalus::semantics::scalar {
namespace {

using Int128 = __int128;

using enum TypeKind;

// ---- divisors ----

Int128 divisor_of(Int128 left, Int128 right) {
  while (right != 0) {
    const Int128 rest = left % right;
    left = right;
    right = rest;
  }
  return left < 0 ? -left : left;
}

template <TypeKind kKind>
Result<Value> greatest_divisor(Arguments arguments, const BoundExpression&) {
  return fit_integer(kKind, divisor_of(integer(arguments[0]), integer(arguments[1])));
}

template <TypeKind kKind>
Result<Value> least_multiple(Arguments arguments, const BoundExpression&) {
  const Int128 left = integer(arguments[0]);
  const Int128 right = integer(arguments[1]);
  if (left == 0 || right == 0) {
    return Value(int64_t{0});
  }
  const Int128 made = left / divisor_of(left, right) * right;
  return fit_integer(kKind, made < 0 ? -made : made);
}

/// Both at the scale of the longer, where they are whole numbers.
struct SameScale {
  BigInt left;
  BigInt right;
  int32_t scale;
};

SameScale same_scale(Arguments arguments) {
  const Decimal& left = decimal(arguments[0]);
  const Decimal& right = decimal(arguments[1]);
  const int32_t scale = std::max(left.scale, right.scale);
  return {rescale(left, scale).unscaled, rescale(right, scale).unscaled, scale};
}

Result<Value> greatest_divisor_of_numerics(Arguments arguments, const BoundExpression&) {
  const SameScale both = same_scale(arguments);
  return Value(Decimal{BigInt(boost::multiprecision::gcd(both.left, both.right)), both.scale});
}

Result<Value> least_multiple_of_numerics(Arguments arguments, const BoundExpression&) {
  const SameScale both = same_scale(arguments);
  if (both.left.is_zero() || both.right.is_zero()) {
    return Value(Decimal{0, both.scale});
  }
  const BigInt made = both.left / boost::multiprecision::gcd(both.left, both.right) * both.right;
  return Value(Decimal{BigInt(boost::multiprecision::abs(made)), both.scale});
}

Result<Value> factorial(Arguments arguments, const BoundExpression&) {
  const int64_t value = integer(arguments[0]);
  if (value < 0) {
    return rejected("22003", "factorial of a negative number is undefined");
  }
  // More digits than are kept (evaluation.cpp).
  constexpr int64_t kFactorialMax = 200;
  if (value > kFactorialMax) {
    return rejected("22003", "value overflows numeric format");
  }
  BigInt made = 1;
  for (int64_t number = 2; number <= value; ++number) {
    made *= number;
  }
  return Value(Decimal{made, 0});
}

// ---- digits ----

Result<Value> scale_of(Arguments arguments, const BoundExpression&) {
  return Value(int64_t{decimal(arguments[0]).scale});
}

Result<Value> least_scale_of(Arguments arguments, const BoundExpression&) {
  return Value(int64_t{without_trailing_zeros(decimal(arguments[0])).scale});
}

Result<Value> trim_scale(Arguments arguments, const BoundExpression&) {
  return Value(without_trailing_zeros(decimal(arguments[0])));
}

// ---- buckets ----

Error no_bucket(const char* message) { return rejected("2201G", message); }

/// Which of `count` equal parts between two bounds a value lies in: 0 before the first, count + 1 behind the last.
Result<Value> bucket_of_numeric(Arguments arguments, const BoundExpression&) {
  const int64_t count = integer(arguments[3]);
  if (count <= 0) {
    return no_bucket("count must be greater than zero");
  }
  Decimal value = decimal(arguments[0]);
  Decimal low = decimal(arguments[1]);
  Decimal high = decimal(arguments[2]);
  const int order = compare_decimals(low, high);
  if (order == 0) {
    return no_bucket("lower bound cannot equal upper bound");
  }
  if (order > 0) {
    for (Decimal* each : {&value, &low, &high}) {
      each->unscaled = -each->unscaled;
    }
  }
  if (compare_decimals(value, low) < 0) {
    return Value(int64_t{0});
  }
  if (compare_decimals(value, high) >= 0) {
    return fit_integer(kInt, Int128{count} + 1);
  }
  low.unscaled = -low.unscaled;
  const Decimal quotient = divide(multiply(add(value, low), {count, 0}), add(high, low));
  const BigInt whole = divide_floor(quotient.unscaled, power_of_ten(static_cast<uint32_t>(quotient.scale)));
  // Rounded, the last part's end may be the one behind it, as in PostgreSQL.
  return fit_integer(kInt, Int128{static_cast<int64_t>(whole)} + 1);
}

Result<Value> bucket_of_floating(Arguments arguments, const BoundExpression&) {
  const int64_t count = integer(arguments[3]);
  double value = floating(arguments[0]);
  double low = floating(arguments[1]);
  double high = floating(arguments[2]);
  if (count <= 0) {
    return no_bucket("count must be greater than zero");
  }
  if (std::isnan(value) || std::isnan(low) || std::isnan(high)) {
    return no_bucket("operand, lower bound, and upper bound cannot be NaN");
  }
  if (std::isinf(low) || std::isinf(high)) {
    return no_bucket("lower and upper bounds must be finite");
  }
  if (low == high) {
    return no_bucket("lower bound cannot equal upper bound");
  }
  if (low > high) {
    value = -value;
    low = -low;
    high = -high;
  }
  if (value < low) {
    return Value(int64_t{0});
  }
  if (value >= high) {
    return fit_integer(kInt, Int128{count} + 1);
  }
  // Between bounds further apart than a number can say, PostgreSQL divides by infinity. What its conversion makes of a
  // result that is no integer of its size is the lowest one.
  const double place = static_cast<double>(count) * (value - low) / (high - low) + 1;
  const bool fits = place >= std::numeric_limits<int32_t>::min() && place < 0x1p31;
  return Value(fits ? static_cast<int64_t>(place) : int64_t{std::numeric_limits<int32_t>::min()});
}

}  // namespace

void add_exact_numbers(Functions& functions) {
  Adder adder(functions);
  adder.add(1000, "gcd", {kInt, kInt}, kInt, greatest_divisor<kInt>);
  adder.add(1001, "gcd", {kBigint, kBigint}, kBigint, greatest_divisor<kBigint>);
  adder.add(1002, "gcd", {kNumeric, kNumeric}, kNumeric, greatest_divisor_of_numerics);
  adder.add(1003, "lcm", {kInt, kInt}, kInt, least_multiple<kInt>);
  adder.add(1004, "lcm", {kBigint, kBigint}, kBigint, least_multiple<kBigint>);
  adder.add(1005, "lcm", {kNumeric, kNumeric}, kNumeric, least_multiple_of_numerics);
  adder.add(1006, "factorial", {kBigint}, kNumeric, factorial);
  adder.add(1020, "scale", {kNumeric}, kInt, scale_of, nullptr, false);
  adder.add(1021, "min_scale", {kNumeric}, kInt, least_scale_of, nullptr, false);
  adder.add(1022, "trim_scale", {kNumeric}, kNumeric, trim_scale, nullptr, false);
  adder.add(1023, "width_bucket", {kNumeric, kNumeric, kNumeric, kInt}, kInt, bucket_of_numeric);
  adder.add(1024, "width_bucket", {kDouble, kDouble, kDouble, kInt}, kInt, bucket_of_floating);
}

}  // namespace daedalus::semantics::scalar

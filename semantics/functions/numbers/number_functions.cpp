// Functions of numbers, as PostgreSQL's float.c, int.c and numeric.c have them.
#include <cmath>
#include <limits>
#include <numbers>

#include "adder.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "numeric_powers.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics::scalar {
namespace {

using Int128 = __int128;

using enum TypeKind;

// ---- absolute values and signs ----

template <TypeKind kKind>
Result<Value> absolute_integer(Arguments arguments, const BoundExpression&) {
  const Int128 value = integer(arguments[0]);
  return fit_integer(kKind, value < 0 ? -value : value);
}

Result<Value> absolute_floating(Arguments arguments, const BoundExpression&) {
  return Value(std::fabs(floating(arguments[0])));
}

Result<Value> absolute_numeric(Arguments arguments, const BoundExpression&) {
  const Decimal& value = decimal(arguments[0]);
  return Value(Decimal{BigInt(boost::multiprecision::abs(value.unscaled)), value.scale});
}

Result<Value> sign_of_floating(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  return Value(value > 0 ? 1.0 : value < 0 ? -1.0 : 0.0);
}

Result<Value> sign_of_numeric(Arguments arguments, const BoundExpression&) {
  return Value(Decimal{decimal(arguments[0]).unscaled.sign(), 0});
}

Type type_of_sign(Expressions) { return numeric_of(1, 0); }

// ---- whole numbers ----

template <double (*kFunction)(double)>
Result<Value> plain(Arguments arguments, const BoundExpression&) {
  return Value(kFunction(floating(arguments[0])));
}

Result<Value> floor_of_numeric(Arguments arguments, const BoundExpression&) {
  const Decimal& value = decimal(arguments[0]);
  return Value(Decimal{divide_floor(value.unscaled, power_of_ten(static_cast<uint32_t>(value.scale))), 0});
}

Result<Value> ceiling_of_numeric(Arguments arguments, const BoundExpression&) {
  const Decimal& value = decimal(arguments[0]);
  const BigInt floor = divide_floor(BigInt(-value.unscaled), power_of_ten(static_cast<uint32_t>(value.scale)));
  return Value(Decimal{BigInt(-floor), 0});
}

/// Digits before the point, and one more that rounding may bring.
Type type_of_whole(Expressions arguments) {
  const Type& type = arguments[0].type;
  return type.precision == 0 ? Type{kNumeric} : numeric_of(uint64_t{type.precision} - type.scale + 1, 0);
}

/// Rounds half away from zero, or cuts; digits may be negative.
Value at_digits(const Decimal& value, int64_t digits, bool is_cut) {
  constexpr int64_t kDigitsMax = 2000;
  const auto wanted = static_cast<int32_t>(std::clamp(digits, -kDigitsMax, kDigitsMax));
  if (wanted >= value.scale) {
    return Value(rescale(value, std::min(wanted, kDecimalScaleMax)));
  }
  const BigInt unit = power_of_ten(static_cast<uint32_t>(value.scale - wanted));
  const BigInt units = is_cut ? BigInt(value.unscaled / unit) : divide_rounded(value.unscaled, unit);
  if (wanted >= 0) {
    return Value(Decimal{units, wanted});
  }
  return Value(Decimal{BigInt(units * power_of_ten(static_cast<uint32_t>(-wanted))), 0});
}

template <bool kIsCut>
Result<Value> at_digits_of(Arguments arguments, const BoundExpression&) {
  return at_digits(decimal(arguments[0]), arguments.size() > 1 ? integer(arguments[1]) : 0, kIsCut);
}

Result<Value> quotient_of_numerics(Arguments arguments, const BoundExpression&) {
  const Decimal& left = decimal(arguments[0]);
  const Decimal& right = decimal(arguments[1]);
  if (right.unscaled.is_zero()) {
    return division_by_zero();
  }
  const int32_t scale = std::max(left.scale, right.scale);
  return Value(Decimal{BigInt(rescale(left, scale).unscaled / rescale(right, scale).unscaled), 0});
}

template <TypeKind kKind>
Result<Value> modulo_of_integers(Arguments arguments, const BoundExpression&) {
  if (integer(arguments[1]) == 0) {
    return division_by_zero();
  }
  return fit_integer(kKind, Int128{integer(arguments[0])} % integer(arguments[1]));
}

Result<Value> modulo_of_numerics(Arguments arguments, const BoundExpression&) {
  if (decimal(arguments[1]).unscaled.is_zero()) {
    return division_by_zero();
  }
  return Value(remainder(decimal(arguments[0]), decimal(arguments[1])));
}

// ---- bits ----

enum class Bits : uint8_t { kAnd, kOr, kXor };

template <Bits kBits>
Result<Value> bits_of(Arguments arguments, const BoundExpression&) {
  const int64_t left = integer(arguments[0]);
  const int64_t right = integer(arguments[1]);
  return Value(kBits == Bits::kAnd ? left & right : kBits == Bits::kOr ? left | right : left ^ right);
}

Result<Value> complement(Arguments arguments, const BoundExpression&) { return Value(~integer(arguments[0])); }

/// As the machine shifts a number of this size: by the count's lowest bits, and bits that leave it are lost.
template <typename Number, bool kIsLeft>
Result<Value> shifted(Arguments arguments, const BoundExpression&) {
  // Numbers of two bytes are shifted as numbers of four.
  constexpr unsigned kCounts = sizeof(Number) == 8 ? 63 : 31;
  const auto count = static_cast<unsigned>(integer(arguments[1])) & kCounts;
  const int64_t value = integer(arguments[0]);
  if (kIsLeft) {
    return Value(static_cast<int64_t>(static_cast<Number>(static_cast<uint64_t>(value) << count)));
  }
  return Value(value >> count);
}

// ---- roots, powers, logarithms ----

Error out_of_domain(const char* message) { return rejected("2201F", message); }

Result<Value> square_root(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  return value < 0 ? Result<Value>(out_of_domain("cannot take square root of a negative number"))
                   : Value(std::sqrt(value));
}

/// PostgreSQL's scale: sixteen significant digits, and never fewer fractional ones than there were.
Result<Value> square_root_of_numeric(Arguments arguments, const BoundExpression&) {
  const Decimal& value = decimal(arguments[0]);
  if (value.unscaled.sign() < 0) {
    return out_of_domain("cannot take square root of a negative number");
  }
  constexpr int32_t kSignificantDigits = 16;
  const int32_t digits = (leading_weight(value) + 1) * 4 / 2 - 1;
  const int32_t scale = std::min(std::max({kSignificantDigits - digits, value.scale, 0}), kDecimalScaleMax);
  // One digit more than is wanted, then rounded: the root of a number that is no square never lies half way.
  const int32_t inner = scale + 1;
  BigInt radicand = value.unscaled;
  const int32_t shift = 2 * inner - value.scale;
  radicand *= power_of_ten(static_cast<uint32_t>(shift));
  const BigInt root = boost::multiprecision::sqrt(radicand);
  return Value(Decimal{divide_rounded(root, 10), scale});
}

Result<Value> cube_root(Arguments arguments, const BoundExpression&) {
  return Value(std::cbrt(floating(arguments[0])));
}

Result<Value> power(Arguments arguments, const BoundExpression&) {
  const double base = floating(arguments[0]);
  const double exponent = floating(arguments[1]);
  if (std::isnan(base)) {
    return Value(exponent == 0 ? 1.0 : base);
  }
  if (std::isnan(exponent)) {
    return Value(base == 1 ? 1.0 : exponent);
  }
  if (base == 0 && exponent < 0) {
    return out_of_domain("zero raised to a negative power is undefined");
  }
  if (base < 0 && std::isfinite(exponent) && std::floor(exponent) != exponent) {
    return out_of_domain("a negative number raised to a non-integer power yields a complex result");
  }
  const double result = std::pow(base, exponent);
  if (std::isfinite(base) && std::isfinite(exponent)) {
    if (std::isinf(result)) {
      return floating_overflow();
    }
    if (result == 0 && base != 0) {
      return floating_underflow();
    }
  }
  return Value(result);
}

Result<Value> exponential(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  const double result = std::exp(value);
  if (std::isfinite(value) && std::isinf(result)) {
    return floating_overflow();
  }
  return std::isfinite(value) && result == 0 ? Result<Value>(floating_underflow()) : Value(result);
}

/// Checks that a number of this sign has a logarithm. Errors 2201E.
Result<void> check_logarithm(int sign) {
  if (sign == 0) {
    return rejected("2201E", "cannot take logarithm of zero");
  }
  if (sign < 0) {
    return rejected("2201E", "cannot take logarithm of a negative number");
  }
  return {};
}

template <double (*kFunction)(double)>
Result<Value> logarithm(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  const auto checked = check_logarithm(value < 0 ? -1 : value == 0 ? 0 : 1);
  return checked ? Result<Value>(Value(kFunction(value))) : checked.error();
}

Result<Value> as_value(Result<Decimal> made) { return made ? Result<Value>(Value(std::move(*made))) : made.error(); }

Result<Value> numeric_logarithm(Arguments arguments, const BoundExpression&) {
  const Decimal& value = decimal(arguments[0]);
  const auto checked = check_logarithm(value.unscaled.sign());
  return checked ? Result<Value>(Value(natural_logarithm(value))) : checked.error();
}

/// To a base, and to ten where none is given.
Result<Value> numeric_logarithm_to(Arguments arguments, const BoundExpression&) {
  const Decimal base = arguments.size() > 1 ? decimal(arguments[0]) : Decimal{10, 0};
  const Decimal& value = decimal(arguments.back());
  for (const Decimal* each : {&base, &value}) {
    if (const auto checked = check_logarithm(each->unscaled.sign()); !checked) {
      return checked.error();
    }
  }
  return as_value(logarithm_to(base, value));
}

Result<Value> numeric_exponential(Arguments arguments, const BoundExpression&) {
  return as_value(exponential_of(decimal(arguments[0])));
}

Result<Value> numeric_power(Arguments arguments, const BoundExpression&) {
  return as_value(power_of(decimal(arguments[0]), decimal(arguments[1])));
}

// ---- angles ----

/// Computes sine, cosine and tangent, which infinity has none of.
template <double (*kFunction)(double)>
Result<Value> of_finite(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  return std::isinf(value) ? Result<Value>(rejected("22003", "input is out of range")) : Value(kFunction(value));
}

/// Computes arc sine and arc cosine.
template <double (*kFunction)(double)>
Result<Value> of_unit(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  return value < -1 || value > 1 ? Result<Value>(rejected("22003", "input is out of range")) : Value(kFunction(value));
}

Result<Value> arc_tangent_of_two(Arguments arguments, const BoundExpression&) {
  return Value(std::atan2(floating(arguments[0]), floating(arguments[1])));
}

// ---- hyperbolas ----

Result<Value> arc_cosine_of_hyperbola(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  return value < 1 ? Result<Value>(rejected("22003", "input is out of range")) : Value(std::acosh(value));
}

Result<Value> cotangent(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  return std::isinf(value) ? Result<Value>(rejected("22003", "input is out of range")) : Value(1.0 / std::tan(value));
}

Result<Value> degrees(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  const double result = value / kRadiansPerDegree;
  return std::isinf(result) && !std::isinf(value) ? Result<Value>(floating_overflow()) : Value(result);
}

Result<Value> radians(Arguments arguments, const BoundExpression&) {
  return Value(floating(arguments[0]) * kRadiansPerDegree);
}

Result<Value> pi(Arguments, const BoundExpression&) { return Value(std::numbers::pi); }

void add_integers(Adder& adder) {
  adder.add(900, "abs", {TypeKind::kSmallint}, TypeKind::kSmallint, absolute_integer<TypeKind::kSmallint>);
  adder.add(901, "abs", {TypeKind::kInt}, TypeKind::kInt, absolute_integer<TypeKind::kInt>);
  adder.add(902, "abs", {TypeKind::kBigint}, TypeKind::kBigint, absolute_integer<TypeKind::kBigint>);
  adder.add(903, "abs", {TypeKind::kReal}, TypeKind::kReal, absolute_floating, nullptr, false);
  adder.add(904, "abs", {kDouble}, kDouble, absolute_floating, nullptr, false);
  adder.add(905, "abs", {kNumeric}, kNumeric, absolute_numeric, type_of_first, false);
  adder.add(906, "mod", {TypeKind::kSmallint, TypeKind::kSmallint}, TypeKind::kSmallint,
            modulo_of_integers<TypeKind::kSmallint>);
  adder.add(907, "mod", {kInt, kInt}, kInt, modulo_of_integers<TypeKind::kInt>);
  adder.add(908, "mod", {TypeKind::kBigint, TypeKind::kBigint}, TypeKind::kBigint,
            modulo_of_integers<TypeKind::kBigint>);
  adder.add(909, "mod", {kNumeric, kNumeric}, kNumeric, modulo_of_numerics);
  for (const auto& [first, kind] : {NumberedKind{910, kSmallint}, {914, kInt}, {918, kBigint}}) {
    adder.add_operator(first, "&", {kind, kind}, kind, bits_of<Bits::kAnd>, nullptr, false);
    adder.add_operator(first + 1, "|", {kind, kind}, kind, bits_of<Bits::kOr>, nullptr, false);
    adder.add_operator(first + 2, "#", {kind, kind}, kind, bits_of<Bits::kXor>, nullptr, false);
    adder.add_operator(first + 3, "~", {kind}, kind, complement, nullptr, false);
  }
  adder.add_operator(922, "<<", {TypeKind::kSmallint, kInt}, TypeKind::kSmallint, shifted<int16_t, true>, nullptr,
                     false);
  adder.add_operator(923, "<<", {kInt, kInt}, kInt, shifted<int32_t, true>, nullptr, false);
  adder.add_operator(924, "<<", {TypeKind::kBigint, kInt}, TypeKind::kBigint, shifted<int64_t, true>, nullptr, false);
  adder.add_operator(925, ">>", {TypeKind::kSmallint, kInt}, TypeKind::kSmallint, shifted<int16_t, false>, nullptr,
                     false);
  adder.add_operator(926, ">>", {kInt, kInt}, kInt, shifted<int32_t, false>, nullptr, false);
  adder.add_operator(927, ">>", {TypeKind::kBigint, kInt}, TypeKind::kBigint, shifted<int64_t, false>, nullptr, false);
}

void add_wholes(Adder& adder) {
  adder.add(940, "sign", {kDouble}, kDouble, sign_of_floating, nullptr, false);
  adder.add(941, "sign", {kNumeric}, kNumeric, sign_of_numeric, type_of_sign, false);
  adder.add(942, "floor", {kDouble}, kDouble, plain<std::floor>, nullptr, false);
  adder.add(943, "floor", {kNumeric}, kNumeric, floor_of_numeric, type_of_whole, false);
  adder.add(944, "ceil", {kDouble}, kDouble, plain<std::ceil>, nullptr, false);
  adder.add(945, "ceil", {kNumeric}, kNumeric, ceiling_of_numeric, type_of_whole, false);
  adder.add(946, "ceiling", {kDouble}, kDouble, plain<std::ceil>, nullptr, false);
  adder.add(947, "ceiling", {kNumeric}, kNumeric, ceiling_of_numeric, type_of_whole, false);
  adder.add(948, "round", {kDouble}, kDouble, plain<std::rint>, nullptr, false);
  adder.add(949, "round", {kNumeric}, kNumeric, at_digits_of<false>, type_of_whole, false);
  adder.add(950, "round", {kNumeric, kInt}, kNumeric, at_digits_of<false>);
  adder.add(951, "trunc", {kDouble}, kDouble, plain<std::trunc>, nullptr, false);
  adder.add(952, "trunc", {kNumeric}, kNumeric, at_digits_of<true>, type_of_whole, false);
  adder.add(953, "trunc", {kNumeric, kInt}, kNumeric, at_digits_of<true>);
  adder.add(954, "div", {kNumeric, kNumeric}, kNumeric, quotient_of_numerics);
}

void add_transcendental(Adder& adder) {
  adder.add(960, "sqrt", {kDouble}, kDouble, square_root);
  adder.add(961, "sqrt", {kNumeric}, kNumeric, square_root_of_numeric);
  adder.add(962, "cbrt", {kDouble}, kDouble, cube_root, nullptr, false);
  adder.add_operator(963, "^", {kDouble, kDouble}, kDouble, power);
  adder.add_operator(964, "^", {kNumeric, kNumeric}, kNumeric, numeric_power);
  adder.add(965, "power", {kDouble, kDouble}, kDouble, power);
  adder.add(966, "power", {kNumeric, kNumeric}, kNumeric, numeric_power);
  adder.add(967, "pow", {kDouble, kDouble}, kDouble, power);
  adder.add(968, "pow", {kNumeric, kNumeric}, kNumeric, numeric_power);
  adder.add(969, "exp", {kDouble}, kDouble, exponential);
  adder.add(970, "exp", {kNumeric}, kNumeric, numeric_exponential);
  adder.add(971, "ln", {kDouble}, kDouble, logarithm<std::log>);
  adder.add(972, "ln", {kNumeric}, kNumeric, numeric_logarithm);
  adder.add(973, "log", {kDouble}, kDouble, logarithm<std::log10>);
  adder.add(974, "log", {kNumeric}, kNumeric, numeric_logarithm_to);
  adder.add(975, "log10", {kDouble}, kDouble, logarithm<std::log10>);
  adder.add(976, "log10", {kNumeric}, kNumeric, numeric_logarithm_to);
  adder.add(977, "log", {kNumeric, kNumeric}, kNumeric, numeric_logarithm_to);
  adder.add(980, "sin", {kDouble}, kDouble, of_finite<std::sin>);
  adder.add(981, "cos", {kDouble}, kDouble, of_finite<std::cos>);
  adder.add(982, "tan", {kDouble}, kDouble, of_finite<std::tan>);
  adder.add(983, "asin", {kDouble}, kDouble, of_unit<std::asin>);
  adder.add(984, "acos", {kDouble}, kDouble, of_unit<std::acos>);
  adder.add(985, "atan", {kDouble}, kDouble, plain<std::atan>, nullptr, false);
  adder.add(986, "atan2", {kDouble, kDouble}, kDouble, arc_tangent_of_two, nullptr, false);
  adder.add(987, "degrees", {kDouble}, kDouble, degrees);
  adder.add(988, "radians", {kDouble}, kDouble, radians, nullptr, false);
  adder.add(989, "pi", {}, kDouble, pi, nullptr, false);
  adder.add(990, "sinh", {kDouble}, kDouble, plain<std::sinh>, nullptr, false);
  adder.add(991, "cosh", {kDouble}, kDouble, plain<std::cosh>, nullptr, false);
  adder.add(992, "tanh", {kDouble}, kDouble, plain<std::tanh>, nullptr, false);
  adder.add(993, "asinh", {kDouble}, kDouble, plain<std::asinh>, nullptr, false);
  adder.add(994, "acosh", {kDouble}, kDouble, arc_cosine_of_hyperbola);
  adder.add(995, "atanh", {kDouble}, kDouble, of_unit<std::atanh>);
  adder.add(996, "cot", {kDouble}, kDouble, cotangent);
}

}  // namespace

void add_numbers(Functions& functions) {
  Adder adder(functions);
  add_integers(adder);
  add_wholes(adder);
  add_transcendental(adder);
  adder.add_operator(997, "|/", {kDouble}, kDouble, square_root);
  adder.add_operator(998, "||/", {kDouble}, kDouble, cube_root, nullptr, false);
}

}  // namespace daedalus::semantics::scalar

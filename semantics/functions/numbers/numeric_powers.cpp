#include "numeric_powers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "daedalus/semantics/decimal.hpp"
#include "decimal_digits.hpp"
#include "families.hpp"
#include "int128.hpp"
#include "numeric_series.hpp"

namespace daedalus::semantics::scalar {
namespace {

constexpr int32_t kSignificantDigitsMin = 16;
constexpr double kLogarithmOfTen = 2.302585092994046;
constexpr double kTenthLogarithmOfE = 0.434294481903252;
/// Beyond so many digits before the point nothing is kept (evaluation.cpp), so nothing is computed.
constexpr double kResultDigitsMax = 320;
/// Digits that are computed beyond those that are shown.
constexpr int32_t kGuardDigits = 12;
constexpr uint32_t kGuardBits = 48;

Error too_large() { return rejected("22003", "value overflows numeric format"); }

// ---- what PostgreSQL's estimates look at ----

constexpr int32_t kDigitsPerGroup = DecimalGroups::kDigits;

/// About the place of the first decimal digit of ln(value): numeric.c's estimate_ln_dweight().
int32_t place_of_logarithm(const Decimal& value) {
  if (value.unscaled.sign() <= 0) {
    return 0;
  }
  if (compare_decimals(value, {9, 1}) >= 0 && compare_decimals(value, {11, 1}) <= 0) {
    const DecimalGroups beyond_one(add(value, {-1, 0}));
    return beyond_one.empty() ? 0
                              : beyond_one.weight() * kDigitsPerGroup + static_cast<int32_t>(std::log10(beyond_one[0]));
  }
  const DecimalGroups groups(value);
  double first = groups[0];
  int32_t place = groups.weight() * kDigitsPerGroup;
  if (groups.size() > 1) {
    first = first * 10'000 + groups[1];
    place -= kDigitsPerGroup;
  }
  return static_cast<int32_t>(std::log10(std::fabs(std::log(first) + place * kLogarithmOfTen)));
}

int32_t shown_scale(int32_t wanted, std::initializer_list<int32_t> scales) {
  return std::clamp(std::max(wanted, std::max(scales)), 0, kDecimalScaleMax);
}

double as_double(const Decimal& value) {
  const std::optional<double> made = to_double(value);
  if (made) {
    return *made;
  }
  const bool is_large = boost::multiprecision::abs(value.unscaled) > power_of_ten(static_cast<uint32_t>(value.scale));
  return is_large ? std::copysign(HUGE_VAL, value.unscaled.sign()) : 0;
}

// ---- series, to as many bits as they want ----

uint32_t bits_of(int32_t decimal_digits) {
  return static_cast<uint32_t>(std::max(decimal_digits, 0) * 3.3219281 + 1) + kGuardBits;
}

/// e to the power of what is near 0. As in numeric.c, the power itself is added whole and only what follows is rounded:
/// where 1 + x is all but half way between two results, it is x alone that says which.
Decimal exponential_near_one(const Decimal& value, int32_t scale) {
  constexpr int32_t kMore = 8;
  const int32_t series_scale = scale + kMore;
  Decimal sum = add({1, 0}, value);
  Decimal term = value;
  for (int32_t number = 2; !term.unscaled.is_zero(); ++number) {
    term = rescale(multiply(term, value), series_scale);
    term.unscaled = divide_rounded(term.unscaled, number);
    sum = add(sum, term);
  }
  return rescale(sum, scale);
}

Decimal logarithm_at(const Decimal& value, int32_t scale) {
  const uint32_t bits = bits_of(scale + kGuardDigits);
  return is_narrow(bits, {&value}) ? logarithm_of<NarrowInt>(value, bits, scale)
                                   : logarithm_of<BigInt>(value, bits, scale);
}

// ---- powers ----

/// |base|^|exponent|, exactly.
BigInt whole_power(const BigInt& base, uint32_t exponent) {
  return boost::multiprecision::pow(BigInt(boost::multiprecision::abs(base)), exponent);
}

/// Whole powers whose digits are few enough to be computed one and all.
constexpr double kExactDigitsMax = 4'000;

/// base to a power, through logarithms. Precondition: base > 0. `digits`: about those before the point.
Decimal power_by_logarithm(const Decimal& base, const Decimal& exponent, double digits, int32_t scale) {
  const auto exponent_digits = static_cast<int32_t>(DecimalDigits(exponent.unscaled).size()) + 1;
  const auto result_digits = static_cast<int32_t>(std::max(digits, 0.0)) + scale;
  const uint32_t bits = bits_of(result_digits + exponent_digits + 2 * kGuardDigits);
  return is_narrow(bits, {&base, &exponent}) ? power_of<NarrowInt>(base, exponent, bits, scale)
                                             : power_of<BigInt>(base, exponent, bits, scale);
}

/// Below this numeric.c takes the series of e as it is, without halving.
constexpr double kNearOne = 0.01;

/// base to a power whose logarithm is near 0, with the digits of it that PostgreSQL has. Precondition: base > 0.
Decimal power_near_one(const Decimal& base, const Decimal& exponent, int32_t scale) {
  constexpr int32_t kMore = 8;
  const int32_t logarithm_scale = std::max(scale - place_of_logarithm(base) + kMore, 0);
  const Decimal product = multiply(logarithm_at(base, logarithm_scale), exponent);
  return exponential_near_one(rescale(product, logarithm_scale), scale);
}

/// A power that 128 bits hold, with all its digits.
std::optional<Decimal> small_power(const Decimal& base, int64_t exponent) {
  constexpr int64_t kExponentMax = 30;
  if (exponent < 0 || exponent > kExponentMax || !fits_int128(base.unscaled)) {
    return std::nullopt;
  }
  const Int128 factor = to_int128(base.unscaled);
  Int128 made = 1;
  for (int64_t times = exponent; times > 0; --times) {
    if (__builtin_mul_overflow(made, factor, &made)) {
      return std::nullopt;
    }
  }
  return Decimal{to_big(made), static_cast<int32_t>(base.scale * exponent)};
}

/// numeric.c's power_var_int(): sixteen fractional digits at least, whatever the size.
Result<Decimal> power_of_whole(const Decimal& base, int64_t exponent) {
  if (const std::optional<Decimal> small = small_power(base, exponent)) {
    return rescale(*small, shown_scale(kSignificantDigitsMin, {base.scale}));
  }
  double digits = 0;  // About so many before the point.
  if (!base.unscaled.is_zero()) {
    const DecimalGroups groups(base);
    double first = groups[0];
    int32_t place = groups.weight() * kDigitsPerGroup;
    for (size_t at = 1; at < groups.size() && at * kDigitsPerGroup < 16; ++at) {
      first = first * 10'000 + groups[at];
      place -= kDigitsPerGroup;
    }
    digits = static_cast<double>(exponent) * (std::log10(first) + place);
  }
  if (digits > kResultDigitsMax) {
    return too_large();
  }
  const int32_t scale = shown_scale(kSignificantDigitsMin, {base.scale});
  if (digits + 1 < -scale) {
    return Decimal{0, scale};
  }
  if (base.unscaled.is_zero()) {
    return exponent == 0 ? rescale({1, 0}, scale) : Decimal{0, scale};
  }
  const auto times = static_cast<uint32_t>(std::abs(exponent));
  const bool is_negative = base.unscaled.sign() < 0 && exponent % 2 != 0;
  Decimal made;
  const size_t base_digits = std::max(DecimalDigits(base.unscaled).size(), static_cast<size_t>(base.scale));
  if (times * static_cast<double>(base_digits) < kExactDigitsMax) {
    const BigInt numerator = whole_power(base.unscaled, times);
    const BigInt denominator = power_of_ten(static_cast<uint32_t>(base.scale) * times);
    const BigInt unit = power_of_ten(static_cast<uint32_t>(scale));
    made = exponent >= 0 ? Decimal{divide_rounded(numerator * unit, denominator), scale}
                         : Decimal{divide_rounded(denominator * unit, numerator), scale};
  } else {
    made = power_by_logarithm({BigInt(boost::multiprecision::abs(base.unscaled)), base.scale}, {exponent, 0}, digits,
                              scale);
  }
  if (is_negative) {
    made.unscaled = -made.unscaled;
  }
  return made;
}

}  // namespace

Decimal natural_logarithm(const Decimal& value) {
  return logarithm_at(value, shown_scale(kSignificantDigitsMin - place_of_logarithm(value), {value.scale}));
}

Result<Decimal> logarithm_to(const Decimal& base, const Decimal& value) {
  const int32_t base_place = place_of_logarithm(base);
  const int32_t value_place = place_of_logarithm(value);
  const int32_t place = value_place - base_place;
  const int32_t scale = shown_scale(kSignificantDigitsMin - place, {base.scale, value.scale});
  // As PostgreSQL rounds them, so that the quotient is its.
  constexpr int32_t kMore = 8;
  const Decimal dividend = logarithm_at(value, std::max(scale + place - value_place + kMore, 0));
  const Decimal divisor = logarithm_at(base, std::max(scale + place - base_place + kMore, 0));
  if (divisor.unscaled.is_zero()) {
    return division_by_zero();
  }
  const int32_t shift = scale + divisor.scale - dividend.scale;
  BigInt numerator = dividend.unscaled;
  BigInt denominator = divisor.unscaled;
  (shift >= 0 ? numerator : denominator) *= power_of_ten(static_cast<uint32_t>(std::abs(shift)));
  if (denominator.sign() < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  return Decimal{divide_rounded(numerator, denominator), scale};
}

Result<Decimal> exponential_of(const Decimal& value) {
  constexpr double kPlaceMax = 2'000;
  const double place = std::clamp(as_double(value) * kTenthLogarithmOfE, -kPlaceMax, kPlaceMax);
  if (place > kResultDigitsMax) {
    return too_large();
  }
  const int32_t scale = shown_scale(kSignificantDigitsMin - static_cast<int32_t>(place), {value.scale});
  if (place < -kDecimalScaleMax - 1) {
    return Decimal{0, scale};
  }
  const uint32_t bits = bits_of(static_cast<int32_t>(std::max(place, 0.0)) + scale + 2 * kGuardDigits);
  return is_narrow(bits, {&value}) ? exponential_of<NarrowInt>(value, bits, scale)
                                   : exponential_of<BigInt>(value, bits, scale);
}

Result<Decimal> power_of(const Decimal& base, const Decimal& exponent) {
  const BigInt unit = power_of_ten(static_cast<uint32_t>(exponent.scale));
  const bool is_whole = exponent.unscaled % unit == 0;
  const int sign = base.unscaled.sign();
  if (sign == 0 && exponent.unscaled.sign() < 0) {
    return rejected("2201F", "zero raised to a negative power is undefined");
  }
  if (sign < 0 && !is_whole) {
    return rejected("2201F", "a negative number raised to a non-integer power yields a complex result");
  }
  const BigInt whole = exponent.unscaled / unit;
  if (is_whole && whole >= std::numeric_limits<int32_t>::min() && whole <= std::numeric_limits<int32_t>::max()) {
    return power_of_whole(base, static_cast<int64_t>(whole));
  }
  if (sign == 0) {
    return Decimal{0, kSignificantDigitsMin};
  }
  const Decimal positive{BigInt(boost::multiprecision::abs(base.unscaled)), base.scale};
  // PostgreSQL's estimate of the place of the first digit: a product of some eight digits.
  const int32_t rough = std::max(8 - place_of_logarithm(positive), 0);
  const Decimal product = rescale(multiply(logarithm_at(positive, rough), exponent), rough);
  const double place = as_double(product) * kTenthLogarithmOfE;
  if (place > kResultDigitsMax) {
    return too_large();
  }
  if (place < -kDecimalScaleMax - 1) {
    return Decimal{0, kDecimalScaleMax};
  }
  const int32_t scale = shown_scale(kSignificantDigitsMin - static_cast<int32_t>(place), {base.scale, exponent.scale});
  Decimal made = std::fabs(as_double(product)) > kNearOne ? power_by_logarithm(positive, exponent, place, scale)
                                                          : power_near_one(positive, exponent, scale);
  const bool is_negative = sign < 0 && whole % 2 != 0;
  if (is_negative) {
    made.unscaled = -made.unscaled;
  }
  return made;
}

}  // namespace daedalus::semantics::scalar

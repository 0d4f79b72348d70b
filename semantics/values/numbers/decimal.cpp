#include "daedalus/semantics/decimal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "daedalus/base/check.hpp"
#include "decimal_digits.hpp"
#include "int128.hpp"

namespace daedalus::semantics {
namespace {

// ---- in 128 bits: where digits fit, which nearly all do, nothing needs memory ----

/// 10^38 is the greatest power that a number of 128 bits holds.
constexpr uint32_t kSmallPowers = 39;

constexpr std::array<Int128, kSmallPowers> kSmallPower = [] {
  std::array<Int128, kSmallPowers> powers{};
  powers[0] = 1;
  for (uint32_t i = 1; i < kSmallPowers; ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}();

Int128 magnitude_of(Int128 value) { return value < 0 ? -value : value; }

/// The unscaled value at a scale that is not below its own; nothing: it does not fit.
std::optional<Int128> small_at(const Decimal& value, int32_t scale) {
  const auto more = static_cast<uint32_t>(scale - value.scale);
  Int128 scaled = 0;
  const bool fits = fits_int128(value.unscaled) && more < kSmallPowers &&
                    !__builtin_mul_overflow(to_int128(value.unscaled), kSmallPower[more], &scaled);
  return fits ? std::optional(scaled) : std::nullopt;
}

/// Two values at the scale of the longer.
struct SmallPair {
  SmallPair(const Decimal& left_value, const Decimal& right_value)
      : scale(std::max(left_value.scale, right_value.scale)),
        left(small_at(left_value, scale)),
        right(small_at(right_value, scale)) {}

  [[nodiscard]] bool fits() const { return left && right; }

  int32_t scale;
  std::optional<Int128> left;
  std::optional<Int128> right;
};

Int128 small_divide_rounded(Int128 numerator, Int128 denominator) {
  const Int128 quotient = numerator / denominator;
  const Int128 rest = magnitude_of(numerator - quotient * denominator);  // Dividing again takes as long.
  const bool is_up = rest >= denominator - rest;
  return !is_up ? quotient : numerator < 0 ? quotient - 1 : quotient + 1;
}

// ---- beyond ----

constexpr uint32_t kPowersKept = 77;

std::array<BigInt, kPowersKept> make_powers() {
  std::array<BigInt, kPowersKept> powers;
  powers[0] = 1;
  for (uint32_t i = 1; i < kPowersKept; ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}

const BigInt& kept_power(uint32_t exponent) {
  static const std::array<BigInt, kPowersKept> powers = make_powers();
  return powers[exponent];
}

template <typename Float>
std::optional<Float> to_floating(const Decimal& value) {
  if (value.unscaled.is_zero()) {
    return Float{0};
  }
  const DecimalDigits digits(value.unscaled);
  constexpr size_t kExponentSize = 16;
  std::array<char, kDecimalDigitsMax + kExponentSize> room;
  std::string many;
  char* text = room.data();
  if (digits.size() + kExponentSize > room.size()) {
    many.resize(digits.size() + kExponentSize);
    text = many.data();
  }
  char* end = std::copy(digits.text().begin(), digits.text().end(), text);
  *end++ = 'e';
  end = std::to_chars(end, end + kExponentSize - 1, -int64_t{value.scale}).ptr;
  Float result{};
  const auto parsed = std::from_chars(text, end, result);
  if (parsed.ec != std::errc{} || std::isinf(result) || result == Float{0}) {
    return std::nullopt;
  }
  return value.unscaled.sign() < 0 ? -result : result;
}

/// How many decimal digits a value has that is greater than zero.
int32_t small_digit_count(Int128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  const auto bits =
      high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(value));  // 0.30103 digits each.
  const int32_t least = bits * 1'233 >> 12;
  return value >= kSmallPower[static_cast<size_t>(least)] ? least + 1 : least;
}

/// A quotient's digits hang on the first digit of a number as numeric.c keeps it; both are 0 for zero.
struct LeadingDigit {
  explicit LeadingDigit(const Decimal& value) {
    if (value.unscaled.is_zero()) {
      return;
    }
    if (!fits_int128(value.unscaled)) {
      const DecimalGroups groups(value);
      weight = groups.weight();
      digit = groups[0];
      return;
    }
    const Int128 magnitude = magnitude_of(to_int128(value.unscaled));
    const int32_t digits = small_digit_count(magnitude);
    const int32_t exponent = digits - 1 - value.scale;
    weight = DecimalGroups::weight_of(exponent);
    const int32_t behind = digits - (exponent - DecimalGroups::kDigits * weight + 1);
    digit = static_cast<int32_t>(behind >= 0 ? magnitude / kSmallPower[static_cast<size_t>(behind)]
                                             : magnitude * kSmallPower[static_cast<size_t>(-behind)]);
  }

  int32_t weight = 0;
  int32_t digit = 0;
};

/// numerator · 10^digits / denominator, as one divides by hand: some digits at a time. All are positive. Nothing: the
/// quotient has too many.
std::optional<Int128> long_quotient(Int128 numerator, uint32_t digits, uint64_t denominator) {
  constexpr uint32_t kDigitsAtOnce = 18;  // Behind a rest of 64 bits.
  Int128 quotient = numerator / denominator;
  Int128 rest = numerator - quotient * denominator;
  while (digits > 0) {
    const uint32_t taken = std::min(digits, kDigitsAtOnce);
    rest *= kSmallPower[taken];
    const Int128 more = rest / denominator;
    if (__builtin_mul_overflow(quotient, kSmallPower[taken], &quotient) ||
        __builtin_add_overflow(quotient, more, &quotient)) {
      return std::nullopt;
    }
    rest -= more * denominator;
    digits -= taken;
  }
  return quotient + (rest >= denominator - rest ? 1 : 0);
}

/// left / right at a scale that is not below left's.
std::optional<Int128> small_quotient(const Decimal& left, const Decimal& right, int32_t scale) {
  if (!fits_int128(left.unscaled) || !fits_int128(right.unscaled)) {
    return std::nullopt;
  }
  const Int128 denominator = to_int128(right.unscaled);
  if (const std::optional<Int128> numerator = small_at(left, scale + right.scale)) {
    return denominator < 0 ? small_divide_rounded(-*numerator, -denominator)
                           : small_divide_rounded(*numerator, denominator);
  }
  const Int128 dividend = to_int128(left.unscaled);
  const Int128 divisor = magnitude_of(denominator);
  if (divisor > UINT64_MAX) {
    return std::nullopt;
  }
  const std::optional<Int128> quotient = long_quotient(
      magnitude_of(dividend), static_cast<uint32_t>(scale - left.scale + right.scale), static_cast<uint64_t>(divisor));
  return quotient && (dividend < 0) != (denominator < 0) ? std::optional(-*quotient) : quotient;
}

}  // namespace

BigInt power_of_ten(uint32_t exponent) {
  if (exponent < kPowersKept) {
    return kept_power(exponent);
  }
  return boost::multiprecision::pow(BigInt(10), exponent);
}

bool is_equal(uint64_t digits, int decimal_exponent, int64_t mantissa, int binary_exponent) {
  // Fives on the one side or the other, and twos: both sides have so few bits that they have few fives.
  constexpr int kFivesMax = 27;
  if (std::abs(decimal_exponent) > kFivesMax) {
    return false;
  }
  Uint128 left = digits;
  auto right = static_cast<Uint128>(mantissa);
  Uint128& raised = decimal_exponent > 0 ? left : right;
  for (int fives = std::abs(decimal_exponent); fives > 0; --fives) {
    if (raised > ~Uint128{0} / 5) {
      return false;
    }
    raised *= 5;
  }
  int twos = decimal_exponent - binary_exponent;
  for (; twos > 0 && right % 2 == 0; --twos) {
    right /= 2;
  }
  for (; twos < 0 && left % 2 == 0; ++twos) {
    left /= 2;
  }
  return twos == 0 && left == right;
}

BigInt divide_rounded(const BigInt& numerator, const BigInt& denominator) {
  if (fits_int128(numerator) && fits_int128(denominator)) {
    return to_big(small_divide_rounded(to_int128(numerator), to_int128(denominator)));
  }
  BigInt quotient;
  BigInt remainder;
  boost::multiprecision::divide_qr(numerator, denominator, quotient, remainder);  // Truncates towards zero.
  if (boost::multiprecision::abs(remainder) * 2 >= denominator) {
    quotient += numerator.sign() < 0 ? -1 : 1;
  }
  return quotient;
}

BigInt divide_floor(const BigInt& numerator, const BigInt& denominator) {
  if (fits_int128(numerator) && fits_int128(denominator)) {
    const Int128 number = to_int128(numerator);
    const Int128 by = to_int128(denominator);
    const Int128 quotient = number / by;
    return to_big(number < quotient * by ? quotient - 1 : quotient);
  }
  BigInt quotient;
  BigInt remainder;
  boost::multiprecision::divide_qr(numerator, denominator, quotient, remainder);
  if (remainder.sign() < 0) {
    quotient -= 1;
  }
  return quotient;
}

Decimal rescale(const Decimal& value, int32_t scale) {
  if (scale == value.scale) {
    return value;
  }
  if (scale > value.scale) {
    if (const std::optional<Int128> small = small_at(value, scale)) {
      return Decimal{to_big(*small), scale};
    }
    return Decimal{BigInt(value.unscaled * power_of_ten(static_cast<uint32_t>(scale - value.scale))), scale};
  }
  return Decimal{divide_rounded(value.unscaled, power_of_ten(static_cast<uint32_t>(value.scale - scale))), scale};
}

Decimal add(const Decimal& left, const Decimal& right) {
  Int128 sum = 0;
  if (const SmallPair small(left, right); small.fits() && !__builtin_add_overflow(*small.left, *small.right, &sum)) {
    return Decimal{to_big(sum), small.scale};
  }
  const int32_t scale = std::max(left.scale, right.scale);
  if (left.scale == right.scale) {
    return Decimal{BigInt(left.unscaled + right.unscaled), scale};
  }
  return Decimal{BigInt(rescale(left, scale).unscaled + rescale(right, scale).unscaled), scale};
}

Decimal multiply(const Decimal& left, const Decimal& right) {
  Int128 product = 0;
  if (fits_int128(left.unscaled) && fits_int128(right.unscaled) &&
      !__builtin_mul_overflow(to_int128(left.unscaled), to_int128(right.unscaled), &product)) {
    return Decimal{to_big(product), left.scale + right.scale};
  }
  return Decimal{BigInt(left.unscaled * right.unscaled), left.scale + right.scale};
}

Decimal divide(const Decimal& left, const Decimal& right) {
  constexpr int32_t kSignificantDigitsMin = 16;
  const LeadingDigit dividend(left);
  const LeadingDigit divisor(right);
  const int32_t quotient_weight = dividend.weight - divisor.weight - (dividend.digit <= divisor.digit ? 1 : 0);
  const int32_t scale =
      std::clamp(std::max({kSignificantDigitsMin - quotient_weight * 4, left.scale, right.scale}), 0, kDecimalScaleMax);
  if (const std::optional<Int128> small = small_quotient(left, right, scale)) {
    return Decimal{to_big(*small), scale};
  }
  const bool is_negative = right.unscaled.sign() < 0;
  BigInt numerator = is_negative ? BigInt(-left.unscaled) : left.unscaled;
  BigInt denominator = boost::multiprecision::abs(right.unscaled);
  const int32_t shift = scale - left.scale + right.scale;  // Not negative: the scale is not below left's.
  numerator *= power_of_ten(static_cast<uint32_t>(shift));
  return Decimal{divide_rounded(numerator, denominator), scale};
}

int32_t leading_weight(const Decimal& value) { return LeadingDigit(value).weight; }

Decimal remainder(const Decimal& left, const Decimal& right) {
  if (const SmallPair small(left, right); small.fits()) {
    return Decimal{to_big(*small.left % *small.right), small.scale};
  }
  const int32_t scale = std::max(left.scale, right.scale);
  return Decimal{BigInt(rescale(left, scale).unscaled % rescale(right, scale).unscaled), scale};
}

int compare_decimals(const Decimal& left, const Decimal& right) {
  if (left.scale == right.scale) {
    return left.unscaled.compare(right.unscaled);
  }
  const int left_sign = left.unscaled.sign();
  const int right_sign = right.unscaled.sign();
  if (left_sign != right_sign) {
    return left_sign < right_sign ? -1 : 1;
  }
  if (const SmallPair small(left, right); small.fits()) {
    return *small.left < *small.right ? -1 : *small.left > *small.right ? 1 : 0;
  }
  const int32_t scale = std::max(left.scale, right.scale);
  return rescale(left, scale).unscaled.compare(rescale(right, scale).unscaled);
}

bool fits_precision(const Decimal& value, uint32_t precision) {
  // 2^bits ≤ 10^precision where bits ≤ precision · log2(10), which nearly every value is far below.
  constexpr uint64_t kBitsOfLimb = 64;
  if (value.unscaled.backend().size() * kBitsOfLimb * 1000 <= uint64_t{precision} * 3321) {
    return true;
  }
  if (precision < kSmallPowers) {
    return fits_int128(value.unscaled) && magnitude_of(to_int128(value.unscaled)) < kSmallPower[precision];
  }
  return boost::multiprecision::abs(value.unscaled) < power_of_ten(precision);
}

Decimal without_trailing_zeros(Decimal value) {
  while (value.scale > 0 && value.unscaled % 10 == 0) {
    value.unscaled /= 10;
    --value.scale;
  }
  return value;
}

void append_decimal(const Decimal& value, std::string& out) {
  const DecimalDigits written(value.unscaled);
  const std::string_view digits = written.text();
  const auto scale = static_cast<size_t>(value.scale);
  out.append(value.unscaled.sign() < 0 ? 1 : 0, '-');
  const size_t whole = digits.size() > scale ? digits.size() - scale : 0;
  out.append(whole > 0 ? digits.substr(0, whole) : "0");
  if (scale > 0) {
    out += '.';
    out.append(scale - (digits.size() - whole), '0');
    out.append(digits.substr(whole));
  }
}

std::string format_decimal(const Decimal& value) {
  std::string text;
  append_decimal(value, text);
  return text;
}

std::optional<double> to_double(const Decimal& value) { return to_floating<double>(value); }

std::optional<float> to_float(const Decimal& value) { return to_floating<float>(value); }

}  // namespace daedalus::semantics

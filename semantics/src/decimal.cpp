#include "daedalus/semantics/decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "daedalus/base/check.hpp"

namespace daedalus::semantics {
namespace {

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
  const std::string text = value.unscaled.str() + "e-" + std::to_string(value.scale);
  Float result{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result);
  if (parsed.ec != std::errc{} || std::isinf(result) || result == Float{0}) {
    return std::nullopt;
  }
  return result;
}

/// Weight and first digit of a number written in base 10000, as numeric.c keeps it; both 0 for zero.
struct LeadingDigit {
  int32_t weight = 0;
  int32_t digit = 0;
};

LeadingDigit leading_digit(const Decimal& value) {
  if (value.unscaled.is_zero()) {
    return {};
  }
  const std::string digits = BigInt(boost::multiprecision::abs(value.unscaled)).str();
  const auto exponent = static_cast<int32_t>(digits.size()) - 1 - value.scale;  // Of the first decimal digit.
  const int32_t weight = exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4);
  std::string first = digits.substr(0, static_cast<size_t>(exponent - 4 * weight + 1));
  first.resize(static_cast<size_t>(exponent - 4 * weight + 1), '0');
  return {weight, std::stoi(first)};
}

}  // namespace

BigInt power_of_ten(uint32_t exponent) {
  if (exponent < kPowersKept) {
    return kept_power(exponent);
  }
  return boost::multiprecision::pow(BigInt(10), exponent);
}

bool is_equal(const std::string& digits, int decimal_exponent, int64_t mantissa, int binary_exponent) {
  BigInt left(digits);
  BigInt right = mantissa;
  if (decimal_exponent > 0) {
    left *= power_of_ten(static_cast<uint32_t>(decimal_exponent));
  } else {
    right *= power_of_ten(static_cast<uint32_t>(-decimal_exponent));
  }
  if (binary_exponent > 0) {
    right <<= static_cast<uint32_t>(binary_exponent);
  } else {
    left <<= static_cast<uint32_t>(-binary_exponent);
  }
  return left == right;
}

BigInt divide_rounded(const BigInt& numerator, const BigInt& denominator) {
  BigInt quotient;
  BigInt remainder;
  boost::multiprecision::divide_qr(numerator, denominator, quotient, remainder);  // Truncates towards zero.
  if (boost::multiprecision::abs(remainder) * 2 >= denominator) {
    quotient += numerator.sign() < 0 ? -1 : 1;
  }
  return quotient;
}

BigInt divide_floor(const BigInt& numerator, const BigInt& denominator) {
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
    return Decimal{BigInt(value.unscaled * power_of_ten(static_cast<uint32_t>(scale - value.scale))), scale};
  }
  return Decimal{divide_rounded(value.unscaled, power_of_ten(static_cast<uint32_t>(value.scale - scale))), scale};
}

Decimal add(const Decimal& left, const Decimal& right) {
  const int32_t scale = std::max(left.scale, right.scale);
  if (left.scale == right.scale) {
    return Decimal{BigInt(left.unscaled + right.unscaled), scale};
  }
  return Decimal{BigInt(rescale(left, scale).unscaled + rescale(right, scale).unscaled), scale};
}

Decimal multiply(const Decimal& left, const Decimal& right) {
  return Decimal{BigInt(left.unscaled * right.unscaled), left.scale + right.scale};
}

Decimal divide(const Decimal& left, const Decimal& right) {
  constexpr int32_t kSignificantDigitsMin = 16;
  const LeadingDigit dividend = leading_digit(left);
  const LeadingDigit divisor = leading_digit(right);
  const int32_t quotient_weight = dividend.weight - divisor.weight - (dividend.digit <= divisor.digit ? 1 : 0);
  const int32_t scale =
      std::clamp(std::max({kSignificantDigitsMin - quotient_weight * 4, left.scale, right.scale}), 0, kDecimalScaleMax);
  const bool is_negative = right.unscaled.sign() < 0;
  BigInt numerator = is_negative ? BigInt(-left.unscaled) : left.unscaled;
  BigInt denominator = boost::multiprecision::abs(right.unscaled);
  const int32_t shift = scale - left.scale + right.scale;  // Not negative: the scale is not below left's.
  numerator *= power_of_ten(static_cast<uint32_t>(shift));
  return Decimal{divide_rounded(numerator, denominator), scale};
}

Decimal remainder(const Decimal& left, const Decimal& right) {
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
  const int32_t scale = std::max(left.scale, right.scale);
  return rescale(left, scale).unscaled.compare(rescale(right, scale).unscaled);
}

bool fits_precision(const Decimal& value, uint32_t precision) {
  // 2^bits ≤ 10^precision where bits ≤ precision · log2(10), which nearly every value is far below.
  if (value.unscaled.is_zero() || (boost::multiprecision::msb(boost::multiprecision::abs(value.unscaled)) + 1) * 1000 <=
                                      uint64_t{precision} * 3321) {
    return true;
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

std::string format_decimal(const Decimal& value) {
  std::string digits = BigInt(boost::multiprecision::abs(value.unscaled)).str();
  if (value.scale > 0) {
    const auto scale = static_cast<size_t>(value.scale);
    if (digits.size() <= scale) {
      digits.insert(0, scale + 1 - digits.size(), '0');
    }
    digits.insert(digits.size() - scale, 1, '.');
  }
  if (value.unscaled.sign() < 0) {
    digits.insert(0, 1, '-');
  }
  return digits;
}

std::optional<double> to_double(const Decimal& value) { return to_floating<double>(value); }

std::optional<float> to_float(const Decimal& value) { return to_floating<float>(value); }

}  // namespace daedalus::semantics

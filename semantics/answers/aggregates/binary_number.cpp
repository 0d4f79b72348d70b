#include "binary_number.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::semantics {
namespace {

/// Says whether something lies between a number and the one that is meant.
enum class Rest { kNone, kSome };

int bit_count(const BigInt& magnitude) { return static_cast<int>(msb(magnitude)) + 1; }

/// Precondition: magnitude > 0; where there is a rest, it has more bits than the format.
std::optional<double> nearest_magnitude(const BigInt& magnitude, int exponent, const BinaryFormat& format, Rest rest) {
  const int lowest = std::max(exponent + bit_count(magnitude) - format.bits, format.lowest);
  const int cut = lowest - exponent;
  double kept = 0;
  if (cut <= 0) {
    kept = std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude)), exponent);
  } else {
    const BigInt whole = magnitude >> static_cast<unsigned>(cut);
    const BigInt lost = magnitude - (whole << static_cast<unsigned>(cut));
    const BigInt half = BigInt(1) << static_cast<unsigned>(cut - 1);
    auto units = static_cast<uint64_t>(whole);
    const bool is_up = lost > half || (lost == half && (rest == Rest::kSome || units % 2 == 1));
    units += is_up ? 1 : 0;
    kept = std::ldexp(static_cast<double>(units), lowest);
  }
  return kept >= std::ldexp(1.0, format.end) ? std::nullopt : std::optional(kept);
}

std::optional<double> signed_as(const BigInt& number, std::optional<double> magnitude) {
  return magnitude && number.sign() < 0 ? -*magnitude : magnitude;
}

}  // namespace

BinaryNumber exact(const FloatingSum& sum) {
  BigInt total;
  for (const uint64_t counter : sum.counters()) {
    total <<= FloatingSum::kPlaceBits;
    total += static_cast<int64_t>(counter);
  }
  constexpr int kLowest = -1074;
  const auto place = static_cast<int>(sum.top() - FloatingSum::kTopMin);
  return {std::move(total), kLowest + static_cast<int>(FloatingSum::kPlaceBits) * place};
}

BinaryNumber exact(const FloatingSquares& squares) {
  BigInt total;
  for (const uint64_t counter : squares.counters()) {
    total <<= FloatingSquares::kPlaceBits;
    total += counter;
  }
  constexpr int kLowest = -2148;
  const auto place = static_cast<int>(squares.top() - FloatingSquares::kTopMin);
  return {std::move(total), kLowest + static_cast<int>(FloatingSquares::kPlaceBits) * place};
}

BinaryNumber difference(const BinaryNumber& left, const BinaryNumber& right) {
  const int exponent = std::min(left.exponent, right.exponent);
  const BigInt above = left.mantissa << static_cast<unsigned>(left.exponent - exponent);
  const BigInt below = right.mantissa << static_cast<unsigned>(right.exponent - exponent);
  return {above - below, exponent};
}

std::optional<double> nearest(const BinaryNumber& number, const BinaryFormat& format) {
  if (number.mantissa.is_zero()) {
    return 0.0;
  }
  return signed_as(number.mantissa, nearest_magnitude(abs(number.mantissa), number.exponent, format, Rest::kNone));
}

std::optional<double> nearest_quotient(const BinaryNumber& number, const BigInt& divisor) {
  if (number.mantissa.is_zero()) {
    return 0.0;
  }
  constexpr int kQuotientBits = 64;  // More than a double has, whatever the divisor.
  const BigInt magnitude = abs(number.mantissa);
  const int more = std::max(0, kQuotientBits + 1 + bit_count(divisor) - bit_count(magnitude));
  BigInt quotient;
  BigInt remainder;
  divide_qr(BigInt(magnitude << static_cast<unsigned>(more)), divisor, quotient, remainder);
  return signed_as(number.mantissa, nearest_magnitude(quotient, number.exponent - more, kDoubleFormat,
                                                      remainder.is_zero() ? Rest::kNone : Rest::kSome));
}

}  // namespace daedalus::semantics

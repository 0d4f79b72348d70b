// Logarithms and exponentials of numbers with so many binary digits behind the point, the last few of which are wrong.
//
// Decides in which integers they are computed: ordinary ones fit a width that lies on the stack, all others take
// BigInt. Refuses to know which digits are shown.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/value.hpp"
#include "int128.hpp"

namespace daedalus::semantics::scalar {

/// Holds products of what has kNarrowBits behind the point, and some digits before it.
using NarrowInt = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    1'024, 1'024, boost::multiprecision::signed_magnitude, boost::multiprecision::unchecked, void>>;
constexpr uint32_t kNarrowBits = 480;

/// Says whether NarrowInt does for these numbers, and for 10^scale.
[[nodiscard]] inline bool is_narrow(uint32_t bits, std::initializer_list<const Decimal*> values) {
  constexpr int32_t kScaleMax = 38;
  for (const Decimal* value : values) {
    if (!fits_int128(value->unscaled) || value->scale > kScaleMax) {
      return false;
    }
  }
  return bits <= kNarrowBits;
}

template <typename Integer>
[[nodiscard]] Integer ten_to(int32_t exponent) {
  return Integer(power_of_ten(static_cast<uint32_t>(exponent)));
}

/// The greatest integer not above numerator / denominator. denominator > 0.
template <typename Integer>
[[nodiscard]] Integer floor_quotient(const Integer& numerator, const Integer& denominator) {
  Integer quotient;
  Integer rest;
  boost::multiprecision::divide_qr(numerator, denominator, quotient, rest);
  if (rest.sign() < 0) {
    --quotient;
  }
  return quotient;
}

/// value / 2^bits, rounded half away from zero.
template <typename Integer>
[[nodiscard]] BigInt rounded_shift(const Integer& value, uint32_t bits) {
  Integer magnitude = boost::multiprecision::abs(value);
  // The half of what is far too small would be the longer number.
  if (bits == 0 || value.is_zero() || bits > boost::multiprecision::msb(magnitude) + 1) {
    return bits == 0 ? BigInt(value) : BigInt(0);
  }
  magnitude += Integer(1) << (bits - 1);
  magnitude >>= bits;
  const BigInt made(magnitude);
  return value.sign() < 0 ? BigInt(-made) : made;
}

/// z + z³/3 + z⁵/5 + …
template <typename Integer>
[[nodiscard]] Integer area_tangent(const Integer& z, uint32_t bits) {
  Integer square = z * z;
  square >>= bits;
  Integer power = z;
  Integer term;
  Integer sum = z;
  for (uint64_t odd = 3; !power.is_zero() && power != -1; odd += 2) {
    power *= square;
    power >>= bits;
    term = power;
    term /= odd;
    sum += term;
  }
  return sum;
}

template <typename Integer>
[[nodiscard]] Integer computed_logarithm_of_two(uint32_t bits) {
  const Integer third = (Integer(1) << bits) / 3;
  return area_tangent(third, bits) * 2;
}

/// That of 2 is asked for with each number: it is kept with as many bits as nearly all want.
template <typename Integer>
[[nodiscard]] Integer logarithm_of_two(uint32_t bits) {
  constexpr uint32_t kKeptBits = std::is_same_v<Integer, NarrowInt> ? kNarrowBits : 2'048;
  static const Integer kept = computed_logarithm_of_two<Integer>(kKeptBits);
  return bits <= kKeptBits ? Integer(kept >> (kKeptBits - bits)) : computed_logarithm_of_two<Integer>(bits);
}

/// ln(value). Precondition: value > 0.
template <typename Integer>
[[nodiscard]] Integer fixed_logarithm(const Decimal& value, uint32_t bits) {
  const Integer numerator(value.unscaled);
  const auto denominator = ten_to<Integer>(value.scale);
  auto power = static_cast<int64_t>(boost::multiprecision::msb(numerator)) -
               static_cast<int64_t>(boost::multiprecision::msb(denominator));
  const int64_t shift = static_cast<int64_t>(bits) - power;
  Integer rest = shift >= 0 ? Integer((numerator << static_cast<uint64_t>(shift)) / denominator)
                            : Integer(numerator / (denominator << static_cast<uint64_t>(-shift)));
  // Between 0.7 and 1.4, where the series is short; what lies near 1 stays there.
  const Integer one = Integer(1) << bits;
  const Integer most = one * 14;
  for (; rest * 10 > most; ++power) {
    rest >>= 1;
  }
  const Integer least = one * 7;
  for (; rest * 10 < least; --power) {
    rest <<= 1;
  }
  const Integer z = ((rest - one) << bits) / (rest + one);
  return power * logarithm_of_two<Integer>(bits) + 2 * area_tangent(z, bits);
}

/// e to the power of a fixed number, at a scale.
template <typename Integer>
[[nodiscard]] Decimal exponential_of_fixed(const Integer& value, uint32_t bits, int32_t scale) {
  const auto two = logarithm_of_two<Integer>(bits);
  const Integer whole = floor_quotient(value, two);
  // The series of a 256th of what is left, and its square eight times.
  constexpr uint32_t kHalvings = 8;
  const Integer part = Integer(value - whole * two) >> kHalvings;
  Integer sum = Integer(1) << bits;
  Integer term = sum;
  for (uint64_t number = 1; !term.is_zero(); ++number) {
    term *= part;
    term >>= bits;
    term /= number;
    sum += term;
  }
  for (uint32_t number = 0; number < kHalvings; ++number) {
    sum *= sum;
    sum >>= bits;
  }
  const int64_t shift = static_cast<int64_t>(bits) - static_cast<int64_t>(whole);
  sum *= ten_to<Integer>(scale);
  return {shift >= 0 ? rounded_shift(sum, static_cast<uint32_t>(shift)) : BigInt(sum << static_cast<uint64_t>(-shift)),
          scale};
}

/// ln(value) at a scale.
template <typename Integer>
[[nodiscard]] Decimal logarithm_of(const Decimal& value, uint32_t bits, int32_t scale) {
  const Integer scaled = fixed_logarithm<Integer>(value, bits) * ten_to<Integer>(scale);
  return {rounded_shift(scaled, bits), scale};
}

/// e to the power of value, at a scale.
template <typename Integer>
[[nodiscard]] Decimal exponential_of(const Decimal& value, uint32_t bits, int32_t scale) {
  const Integer moved = Integer(value.unscaled) << bits;
  return exponential_of_fixed(floor_quotient(moved, ten_to<Integer>(value.scale)), bits, scale);
}

/// base to the power of exponent, at a scale. Precondition: base > 0.
template <typename Integer>
[[nodiscard]] Decimal power_of(const Decimal& base, const Decimal& exponent, uint32_t bits, int32_t scale) {
  const Integer product = fixed_logarithm<Integer>(base, bits) * Integer(exponent.unscaled);
  return exponential_of_fixed(floor_quotient(product, ten_to<Integer>(exponent.scale)), bits, scale);
}

}  // namespace daedalus::semantics::scalar

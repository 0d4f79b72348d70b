// Exact decimal arithmetic: what numeric values need beyond BigInt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// The most fractional digits a numeric carries (PostgreSQL's NUMERIC_MAX_DISPLAY_SCALE).
constexpr int32_t kDecimalScaleMax = 1000;
/// The most bytes an unbounded numeric's unscaled value takes in the packed layout.
constexpr uint32_t kDecimalBytesMax = 255;
/// As many decimal digits always fit into kDecimalBytesMax.
constexpr uint32_t kDecimalDigitsMax = 612;

/// 10^exponent. Cheap up to 76; linear in the exponent beyond.
[[nodiscard]] BigInt power_of_ten(uint32_t exponent);

/// Says whether digits · 10^decimal_exponent is mantissa · 2^binary_exponent, exactly. Exponents may be negative.
/// Precondition: 0 < digits < 10^19, 0 < mantissa < 2^55.
[[nodiscard]] bool is_equal(uint64_t digits, int decimal_exponent, int64_t mantissa, int binary_exponent);

/// numerator / denominator, rounded half away from zero. denominator > 0.
[[nodiscard]] BigInt divide_rounded(const BigInt& numerator, const BigInt& denominator);
/// The greatest integer not above numerator / denominator. denominator > 0.
[[nodiscard]] BigInt divide_floor(const BigInt& numerator, const BigInt& denominator);

/// The value at another scale, rounded half away from zero where digits are lost.
[[nodiscard]] Decimal rescale(const Decimal& value, int32_t scale);

[[nodiscard]] Decimal add(const Decimal& left, const Decimal& right);  ///< At the larger scale.

[[nodiscard]] Decimal multiply(const Decimal& left, const Decimal& right);  ///< With the fractional digits of both.

/// Rounded half away from zero at the scale that PostgreSQL chooses (numeric.c, select_div_scale): some sixteen
/// significant digits, and never fewer fractional ones than either has. right is not zero.
[[nodiscard]] Decimal divide(const Decimal& left, const Decimal& right);

/// Gives what division towards zero leaves, with the sign of `left`, at the larger scale. right is not zero.
[[nodiscard]] Decimal remainder(const Decimal& left, const Decimal& right);

/// -1, 0 or 1 by value, whatever the scales.
[[nodiscard]] int compare_decimals(const Decimal& left, const Decimal& right);

/// The weight of the first digit in base 10000, as numeric.c keeps a number; 0 for zero.
[[nodiscard]] int32_t leading_weight(const Decimal& value);

/// Says whether |value| at its scale is below 10^precision, as numeric(precision, scale) demands.
[[nodiscard]] bool fits_precision(const Decimal& value, uint32_t precision);

/// Gives the same value at the least scale that holds it.
[[nodiscard]] Decimal without_trailing_zeros(Decimal value);

/// Digits with sign and point: "-0.05", "120".
[[nodiscard]] std::string format_decimal(const Decimal& value);
void append_decimal(const Decimal& value, std::string& out);

/// The nearest double or float (ties to even), as PostgreSQL casts numeric to double precision and real; nothing when
/// it overflows or a value other than zero vanishes.
[[nodiscard]] std::optional<double> to_double(const Decimal& value);
[[nodiscard]] std::optional<float> to_float(const Decimal& value);

}  // namespace daedalus::semantics

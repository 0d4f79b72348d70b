// Exact binary numbers, and the floating ones nearest to them: what states of floating values come to in the end.
#pragma once

#include <optional>

#include "daedalus/semantics/floating_moments.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// mantissa · 2^exponent
struct BinaryNumber {
  BigInt mantissa;
  int exponent = 0;
};

/// Which numbers a floating type has: so many bits at most, the lowest at least 2^lowest, and all below 2^end.
struct BinaryFormat {
  int bits = 0;
  int lowest = 0;
  int end = 0;
};
constexpr BinaryFormat kDoubleFormat = {.bits = 53, .lowest = -1074, .end = 1024};
constexpr BinaryFormat kRealFormat = {.bits = 24, .lowest = -149, .end = 128};

/// Adds up the counters.
[[nodiscard]] BinaryNumber exact(const FloatingSum& sum);
[[nodiscard]] BinaryNumber exact(const FloatingSquares& squares);

[[nodiscard]] BinaryNumber difference(const BinaryNumber& left, const BinaryNumber& right);

/// The nearest number of the format, ties to even; nothing when it is beyond the range.
[[nodiscard]] std::optional<double> nearest(const BinaryNumber& number, const BinaryFormat& format);
/// The double nearest to a quotient. Precondition: divisor > 0.
[[nodiscard]] std::optional<double> nearest_quotient(const BinaryNumber& number, const BigInt& divisor);

}  // namespace daedalus::semantics

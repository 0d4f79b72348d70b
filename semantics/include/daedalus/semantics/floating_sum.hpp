// Sums of doubles that may leave the range of doubles on their way.
//
// PostgreSQL adds row by row and fails (22003) as soon as a sum of finite values is infinite; which order the rows are
// in decides whether that happens. Here rows are added in several places at once, so that only the whole sum can
// decide: it fails if that is beyond the range, whatever the sums of parts are.
#pragma once

#include <cmath>
#include <optional>

namespace daedalus::semantics {

/// low + high · 2^128. Infinite and NaN values make `low` what they make of any sum; `high` is made of finite ones
/// alone.
struct FloatingSum {
  static constexpr int kHighExponent = 128;

  double low = -0.0;  ///< The sum of no values: what is added to it stays what it is, even −0.0.
  double high = 0.0;

  void add(double value) {
    const double sum = low + value;
    if (std::isfinite(sum)) [[likely]] {
      low = sum;
    } else {
      add_beyond(value);
    }
  }

  void add(const FloatingSum& other) {
    add(other.low);
    high += other.high;
  }

  /// The sum; nothing if it is beyond the range of doubles although all values are within.
  [[nodiscard]] std::optional<double> total() const {
    if (high == 0.0 || !std::isfinite(low)) {
      return low;
    }
    const double sum = std::ldexp(high + std::ldexp(low, -kHighExponent), kHighExponent);
    return std::isinf(sum) ? std::nullopt : std::optional(sum);
  }

 private:
  void add_beyond(double value) {
    if (!std::isfinite(low) || !std::isfinite(value)) {
      low += value;
      return;
    }
    high += std::ldexp(low, -kHighExponent);
    low = value;
  }
};

}  // namespace daedalus::semantics

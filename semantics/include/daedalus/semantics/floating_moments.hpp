// Count, sum and squared deviations of floating values: what variances are made of.
//
// Youngs and Cramer's way (Some results relevant to choice of sum and sum-of-product algorithms, Technometrics 13,
// 1971), as PostgreSQL has it: squares of differences are added up, so that nothing is lost where values are close
// together. Two states make a third one, whatever values each has seen; but for rounding that is associative, and
// whoever merges does it in a fixed order, so that answers repeat.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace daedalus::semantics {

struct FloatingMoments {
  int64_t count = 0;
  double sum = 0.0;
  double squares =
      0.0;  ///< Of the differences from the average. Infinite: beyond the range; NaN: some value was not finite.

  void add(double value) { add(FloatingMoments{1, value, std::isfinite(value) ? 0.0 : kNaN}); }

  void add(const FloatingMoments& other) {
    if (other.count == 0) {
      return;
    }
    if (count == 0) {
      *this = other;
      return;
    }
    const auto here = static_cast<double>(count);
    const auto there = static_cast<double>(other.count);
    const bool is_finite = std::isfinite(squares) && std::isfinite(other.squares);
    const bool is_beyond = std::isinf(squares) || std::isinf(other.squares);
    // A single value is told apart from the new average, as PostgreSQL does; several by their average.
    const double added = other.count == 1 ? added_by_one(other.sum, here) : added_by_many(other, here, there);
    // Counts come from peers, too: theirs must not make this undefined.
    count = static_cast<int64_t>(static_cast<uint64_t>(count) + static_cast<uint64_t>(other.count));
    sum += other.sum;
    squares += other.squares + added;
    if (is_beyond || (is_finite && !(std::isfinite(sum) && std::isfinite(squares)))) {
      squares = std::numeric_limits<double>::infinity();
    }
  }

 private:
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  [[nodiscard]] double added_by_one(double value, double here) const {
    const double difference = value * (here + 1) - (sum + value);
    return difference * difference / ((here + 1) * here);
  }
  [[nodiscard]] double added_by_many(const FloatingMoments& other, double here, double there) const {
    const double difference = sum / here - other.sum / there;
    return here * there * difference * difference / (here + there);
  }
};

}  // namespace daedalus::semantics

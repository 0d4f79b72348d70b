#include "daedalus/semantics/floating_sum.hpp"

#include <limits>

#include "binary_number.hpp"

namespace daedalus::semantics {

void FloatingSum::add_wide(double value) {
  if (!std::isfinite(value)) {
    flags_ |= kSeen | kOther | (std::isnan(value) ? kNaN : value > 0 ? kInfinite : kMinusInfinite);
    return;
  }
  const auto bits = std::bit_cast<uint64_t>(value);
  flags_ |= bits == kSignBit ? kSeen : kSeen | kOther;
  raise(top_of(bits & kMagnitude));
  if (top() <= kTopDirect) {
    cut(value, shifter(top()));
  } else {
    // A number that is too small to be scaled exactly has no digits so high up.
    cut(value * kScale, shifter(top() - kScaledPlaces));
  }
}

double FloatingSum::of_no_numbers() const {
  using Limits = std::numeric_limits<double>;
  switch (flags_ & kNotFinite) {
    case kInfinite:
      return Limits::infinity();
    case kMinusInfinite:
      return -Limits::infinity();
    default:
      return Limits::quiet_NaN();
  }
}

std::optional<double> FloatingSum::total() const {
  if (!is_finite()) {
    return of_no_numbers();
  }
  return has_other_than_minus_zero() ? nearest(exact(*this), kDoubleFormat) : -0.0;
}

std::optional<double> FloatingSum::total_real() const {
  if (!is_finite()) {
    return of_no_numbers();
  }
  return has_other_than_minus_zero() ? nearest(exact(*this), kRealFormat) : -0.0;
}

std::optional<double> FloatingSum::average(int64_t count) const {
  if (!is_finite()) {
    return of_no_numbers();
  }
  const BinaryNumber sum = exact(*this);
  return nearest(sum, kDoubleFormat) ? nearest_quotient(sum, BigInt(count)) : std::nullopt;
}

}  // namespace daedalus::semantics

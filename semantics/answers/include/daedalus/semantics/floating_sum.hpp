// Sums of doubles that come out the same to the last bit, whatever the order and however parts of them are put
// together.
//
// A finite value x is cut at the places of one grid: place p counts units of 2^(26p − 1074), and the digit of x there
// is what is left of x by higher places, divided by that unit and rounded to an integer, ties to even. A state adds up
// the digits of four places, each in a counter of its own: of the place `top`, the least that has a unit large enough
// for every value so far (|x| ≤ half a unit of the next place), and of the three below it. What lies lower is left out.
//
// Why order is of no consequence: the digit of x at p is 0 wherever |x| is at most half a unit of p, so it does not
// matter from how high up cutting begins, and digits are a function of x and p alone. `top` is the maximum over the
// values. A counter that is there in the end has been there whenever a value had a digit at its place, because `top`
// only rises: while the place was above `top`, no value had one. So the counters are sums of integers, one for each of
// the last places, over all values; these are associative and commutative as long as nothing is carried from one to
// another, and nothing is before the end.
//
// What is lost: of each value less than half a unit of the lowest place, 2^-78 of the largest value; nothing where all
// values are within a factor of 2^25 of each other. PostgreSQL, which adds row by row, loses 2^-53 of the sum so far
// with each. A counter holds 2^37 values.
//
// Only the whole sum decides about its range: PostgreSQL fails (22003) as soon as a sum of finite values is infinite on
// its way, which depends on the order of rows; here the sum fails if it is beyond the range when all is added up.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace daedalus::semantics {

class FloatingSum {
 public:
  static constexpr uint32_t kPlaceBits = 26;
  static constexpr uint32_t kPlaces = 4;
  static constexpr uint32_t kTopMin = kPlaces - 1;  ///< The lowest unit is that of the subnormal numbers.
  static constexpr uint32_t kTopMax = 80;           ///< Holds the largest double.
  /// Up to this place values are cut as they are; above, their shifters would be beyond the range.
  static constexpr uint32_t kTopDirect = 78;
  static constexpr uint32_t kColumns = 1 + kPlaces;  ///< A partial row has so many: head() and counters.

  static constexpr uint32_t kFractionBits = 52;  ///< A double has so many.

  /// Two's complement; that of `top` first.
  using Counters = std::array<uint64_t, kPlaces>;

  FloatingSum() = default;
  /// Takes what head() and counters() gave, or whatever a peer sent.
  FloatingSum(int64_t head, const Counters& counters)
      : counters_(counters),
        raised_(std::clamp(static_cast<uint32_t>(head) & 0xff, kTopMin, kTopMax) - kTopMin),
        flags_((static_cast<uint32_t>(head) >> 8 & kAllFlags) | kSeen) {}

  void add(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    if ((bits & kMagnitude) > limit(top()) || top() > kTopDirect) [[unlikely]] {
      return add_wide(value);
    }
    flags_ |= bits == kSignBit ? kSeen : kSeen | kOther;
    cut(value, shifter(top()));
  }

  void add(const FloatingSum& other) {
    raise(other.top());
    const uint32_t below = top() - other.top();
    for (uint32_t place = below; place < kPlaces; ++place) {
      counters_[place] += other.counters_[place - below];
    }
    flags_ |= other.flags_;
  }

  [[nodiscard]] bool is_empty() const { return flags_ == 0; }
  /// Says whether all values are.
  [[nodiscard]] bool is_finite() const { return (flags_ & kNotFinite) == 0; }
  /// Says whether a value is not −0.0, whose sum with itself alone has its sign.
  [[nodiscard]] bool has_other_than_minus_zero() const { return (flags_ & kOther) != 0; }

  /// The nearest double, ties to even; nothing if that is beyond the range although all values are within. Infinite
  /// values and NaN make of it what they make of any sum.
  [[nodiscard]] std::optional<double> total() const;
  /// Gives the total for real: rounded once, to a float.
  [[nodiscard]] std::optional<double> total_real() const;
  /// The double nearest to the sum divided by the count; nothing if total() is. Precondition: count > 0.
  [[nodiscard]] std::optional<double> average(int64_t count) const;

  // ---- what a state is made of, for whoever sends one or adds up many values at once ----

  [[nodiscard]] uint32_t top() const { return kTopMin + raised_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// In one number: `top`, and what was seen.
  [[nodiscard]] int64_t head() const { return int64_t{flags_} << 8 | top(); }

  /// The least `top` for a value with these bits, its sign left out. Above kTopMax for infinity and NaN.
  [[nodiscard]] static constexpr uint32_t top_of(uint64_t magnitude) {
    const auto exponent = static_cast<uint32_t>(magnitude >> kFractionBits);
    const uint32_t needed = exponent + ((magnitude & kFraction) != 0 ? 1 : 0) + kPlaceBits;
    return exponent == kExponentOfNoNumber ? kTopMax + 1 : std::max((needed + kPlaceBits - 1) / kPlaceBits, kTopMin);
  }

  /// The bits of 1.5 · 2^52 units of the place so many below `top`. A sum with that number is rounded to whole units,
  /// as long as these are fewer than 2^51, and how many they are is the difference of the bits of the two.
  [[nodiscard]] static constexpr uint64_t shifter(uint32_t top, uint32_t below = 0) {
    return (uint64_t{kPlaceBits * (top - below) + 1} << kFractionBits) | uint64_t{1} << (kFractionBits - 1);
  }
  /// From the shifter of one place to that of the place below.
  static constexpr uint64_t kShifterStep = uint64_t{kPlaceBits} << kFractionBits;

  void raise(uint32_t top) {
    if (top <= this->top()) {
      return;
    }
    const uint32_t by = top - this->top();
    for (uint32_t place = kPlaces; place-- > 0;) {
      counters_[place] = place >= by ? counters_[place - by] : 0;
    }
    raised_ = top - kTopMin;
  }
  /// Adds up digits of finite values that are not all zero. Precondition: they are of the places from top() down.
  void add_counters(const Counters& digits) {
    for (uint32_t place = 0; place < kPlaces; ++place) {
      counters_[place] += digits[place];
    }
    flags_ |= kSeen | kOther;
  }

 private:
  static constexpr uint64_t kFraction = (uint64_t{1} << kFractionBits) - 1;
  static constexpr uint64_t kSignBit = uint64_t{1} << 63;
  static constexpr uint64_t kMagnitude = ~kSignBit;
  static constexpr uint32_t kExponentOfNoNumber = 2047;
  /// Above kTopDirect values are cut ten places lower, where they are exact if they have digits at all.
  static constexpr uint32_t kScaledPlaces = 10;
  static constexpr double kScale = 0x1p-260;

  static constexpr uint32_t kSeen = 1;   ///< Some value.
  static constexpr uint32_t kOther = 2;  ///< One that is not −0.0.
  static constexpr uint32_t kInfinite = 4;
  static constexpr uint32_t kMinusInfinite = 8;
  static constexpr uint32_t kNaN = 16;
  static constexpr uint32_t kNotFinite = kInfinite | kMinusInfinite | kNaN;
  static constexpr uint32_t kAllFlags = 31;

  /// The bits of half a unit of the place above: what is not greater may be cut from `top` on.
  [[nodiscard]] static constexpr uint64_t limit(uint32_t top) {
    return uint64_t{kPlaceBits * top - kPlaceBits} << kFractionBits;
  }

  void cut(double rest, uint64_t shifter) {
    for (uint64_t& counter : counters_) {
      const auto unit = std::bit_cast<double>(shifter);
      const double shifted = rest + unit;
      counter += std::bit_cast<uint64_t>(shifted) - shifter;
      rest -= shifted - unit;
      shifter -= kShifterStep;
    }
  }

  void add_wide(double value);
  /// Gives what infinite values and NaN make of the sum. Precondition: there are some.
  [[nodiscard]] double of_no_numbers() const;

  Counters counters_{};
  uint32_t raised_ = 0;  ///< top − kTopMin, so that a new state is all zeros.
  uint32_t flags_ = 0;
};

}  // namespace daedalus::semantics

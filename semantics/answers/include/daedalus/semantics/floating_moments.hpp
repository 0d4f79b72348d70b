// Count, sum and sum of squares of floating values: what variances are made of, the same to the last bit in any order.
//
// The square of a double has at most 106 bits. It is cut at a grid of its own, whose place p counts units of
// 2^(26p − 2148): its digit there are the 26 bits that it has there. Six places are kept, down from the highest in
// which any square has a bit; why order is of no consequence is said in floating_sum.hpp, and simpler here, because
// squares have no sign and are cut without rounding. Of each less than 2^-130 of the largest is lost, and nothing where
// all values are within a factor of 2^12 of each other: then N · Σx² − (Σx)² is exact, however close to each other they
// are.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "daedalus/semantics/floating_sum.hpp"

namespace daedalus::semantics {

/// The sum of the squares of finite doubles. A counter holds 2^37 of them.
class FloatingSquares {
 public:
  static constexpr uint32_t kPlaceBits = 26;
  static constexpr uint32_t kPlaces = 6;
  static constexpr uint32_t kTopMin = kPlaces - 1;
  static constexpr uint32_t kTopMax = 161;  ///< Holds the square of the largest double.

  using Counters = std::array<uint64_t, kPlaces>;

  FloatingSquares() = default;
  /// Takes what top() and counters() gave, or whatever a peer sent.
  FloatingSquares(uint32_t top, const Counters& counters)
      : counters_(counters), raised_(std::clamp(top, kTopMin, kTopMax) - kTopMin) {}

  /// Precondition: the value is finite.
  void add(double value) {
    const auto bits = std::bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63);
    if (bits == 0) {
      return;
    }
    const uint64_t biased = bits >> FloatingSum::kFractionBits;
    const uint64_t one = uint64_t{1} << FloatingSum::kFractionBits;
    const uint64_t mantissa = (bits & (one - 1)) | (biased != 0 ? one : 0);
    const auto exponent =
        static_cast<uint32_t>(biased != 0 ? biased - 1 : 0);  // The value is mantissa · 2^(this − 1074).
    cut(Wide{mantissa} * mantissa, 2 * exponent / kPlaceBits, 2 * exponent % kPlaceBits);
  }

  void add(const FloatingSquares& other) {
    raise(other.top());
    const uint32_t below = top() - other.top();
    for (uint32_t place = below; place < kPlaces; ++place) {
      counters_[place] += other.counters_[place - below];
    }
  }

  [[nodiscard]] uint32_t top() const { return kTopMin + raised_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr uint64_t kDigit = (uint64_t{1} << kPlaceBits) - 1;
  static constexpr uint32_t kDigits = 5;  ///< They hold 106 bits that begin anywhere, on an even bit, in the lowest.

  /// Adds square · 2^shift units of the place `lowest`. Precondition: the square is not zero, shift is even.
  void cut(Wide square, uint32_t lowest, uint32_t shift) {
    const auto high = static_cast<uint64_t>(square >> 64);
    const uint32_t bits = shift + (high != 0 ? 64 + bit_width(high) : bit_width(static_cast<uint64_t>(square)));
    raise(lowest + (bits - 1) / kPlaceBits);
    add_digit(lowest, static_cast<uint64_t>(square) << shift & kDigit);
    square >>= kPlaceBits - shift;
    for (uint32_t place = 1; place < kDigits; ++place) {
      add_digit(lowest + place, static_cast<uint64_t>(square) & kDigit);
      square >>= kPlaceBits;
    }
  }

  /// Digits above `top` are zero, those below the last place are left out: either way there is no counter.
  void add_digit(uint32_t place, uint64_t digit) {
    if (const uint32_t below = top() - place; below < kPlaces) {
      counters_[below] += digit;
    }
  }

  void raise(uint32_t top) {
    if (top <= this->top()) [[likely]] {
      return;
    }
    const uint32_t by = top - this->top();
    for (uint32_t place = kPlaces; place-- > 0;) {
      counters_[place] = place >= by ? counters_[place - by] : 0;
    }
    raised_ = top - kTopMin;
  }

  [[nodiscard]] static uint32_t bit_width(uint64_t number) { return static_cast<uint32_t>(std::bit_width(number)); }

  Counters counters_{};  ///< That of `top` first.
  uint32_t raised_ = 0;  ///< top − kTopMin, so that a new state is all zeros.
};

struct FloatingMoments {
  /// A partial row has so many columns.
  static constexpr uint32_t kColumns = FloatingSum::kColumns + FloatingSquares::kPlaces + 1;

  int64_t count = 0;
  FloatingSum sum;
  FloatingSquares squares;  ///< The squares of the finite values.

  void add(double value) {
    ++count;
    sum.add(value);
    add_square(value);
  }
  void add_square(double value) {
    if (std::isfinite(value)) {
      squares.add(value);
    }
  }
  void add(const FloatingMoments& other) {
    // Counts come from peers, too: theirs must not make this undefined.
    count = static_cast<int64_t>(static_cast<uint64_t>(count) + static_cast<uint64_t>(other.count));
    sum.add(other.sum);
    squares.add(other.squares);
  }

  /// The head of the sum, and where the squares begin.
  [[nodiscard]] int64_t head() const { return sum.head() | int64_t{squares.top()} << kSquaresShift; }
  [[nodiscard]] static uint32_t squares_top(int64_t head) {
    return static_cast<uint32_t>(static_cast<uint64_t>(head) >> kSquaresShift) & 0xff;
  }

 private:
  static constexpr uint32_t kSquaresShift = 16;
};

}  // namespace daedalus::semantics

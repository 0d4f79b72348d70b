// The decimal digits of great integers, and numerics as PostgreSQL keeps them, in digits of base 10,000.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// An integer's digits without sign, in `room_` if they fit there, as those of every value do; "0" has one.
class DecimalDigits {
 public:
  explicit DecimalDigits(const BigInt& value);
  DecimalDigits(const DecimalDigits&) = delete;
  DecimalDigits& operator=(const DecimalDigits&) = delete;

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] size_t size() const { return text_.size(); }

 private:
  static constexpr size_t kLimbs = 33;
  static constexpr size_t kRoom = 640;  ///< So many limbs have room.

  std::array<char, kRoom> room_;
  std::string many_;
  std::string_view text_;
};

/// A number in digits of base 10,000 without zeros at either end, as numeric.c keeps it. Zero has none.
class DecimalGroups {
 public:
  static constexpr int32_t kDigits = 4;

  explicit DecimalGroups(const Decimal& value);
  /// Gives the weight of a number that has its first decimal digit at so many powers of ten.
  [[nodiscard]] static int32_t weight_of(int32_t exponent) {
    return exponent >= 0 ? exponent / kDigits : -((kDigits - 1 - exponent) / kDigits);
  }

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Gives the weight of the first digit, as a power of 10,000; 0 for zero.
  [[nodiscard]] int32_t weight() const { return weight_; }
  [[nodiscard]] int32_t operator[](size_t place) const;

 private:
  DecimalDigits digits_;
  size_t first_ = 0;  ///< How many decimal digits the first one has.
  size_t size_ = 0;
  int32_t weight_ = 0;
};

}  // namespace daedalus::semantics

// The fields of an interval on their way from text: added up with an eye on their range, fractions handed down.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// A number of a text: what stands before its point and behind, both with its sign.
struct IntervalNumber {
  int64_t whole = 0;
  double fraction = 0;
};

/// Each function returns false where a field leaves its range.
class IntervalFields {
 public:
  [[nodiscard]] bool add_time(const IntervalNumber& number, int64_t unit_micros) {
    return add_product(number.whole, unit_micros, micros_) && add_time_fraction(number.fraction, unit_micros);
  }
  [[nodiscard]] bool add_days(const IntervalNumber& number, int32_t unit_days) {
    return add_product(number.whole, unit_days, days_) && add_day_fraction(number.fraction, unit_days);
  }
  /// A day that is none of several: what is behind its point is time at once.
  [[nodiscard]] bool add_day(const IntervalNumber& number) {
    return add_product(number.whole, 1, days_) && add_time_fraction(number.fraction, kMicrosPerDay);
  }
  [[nodiscard]] bool add_months(const IntervalNumber& number) {
    return add_product(number.whole, 1, months_) && add_day_fraction(number.fraction, kDaysPerMonth);
  }
  [[nodiscard]] bool add_years(const IntervalNumber& number, int32_t unit_years) {
    const auto months = static_cast<int32_t>(std::rint(number.fraction * unit_years * kMonthsPerYear));
    return add_product(number.whole, unit_years, years_) && add_product(months, 1, months_);
  }
  /// In place of what there is.
  void set_time(int64_t micros) { micros_ = micros; }

  [[nodiscard]] bool negate_time() { return negated(micros_); }
  [[nodiscard]] bool negate() { return negated(years_) && negated(months_) && negated(days_) && negated(micros_); }

  /// Months and years together: they may be more than an interval has.
  [[nodiscard]] int64_t months() const { return int64_t{years_} * kMonthsPerYear + months_; }
  [[nodiscard]] int32_t days() const { return days_; }
  [[nodiscard]] int64_t micros() const { return micros_; }

 private:
  static constexpr int32_t kMonthsPerYear = 12;
  static constexpr int32_t kDaysPerMonth = 30;

  /// Number and product have to fit the field by themselves, too.
  template <typename Field>
  static bool add_product(int64_t number, int64_t unit, Field& field) {
    Field added = 0;
    return number == static_cast<Field>(number) && !__builtin_mul_overflow(number, unit, &added) &&
           !__builtin_add_overflow(field, added, &field);
  }

  template <typename Field>
  static bool negated(Field& field) {
    return !__builtin_sub_overflow(Field{0}, field, &field);
  }

  /// Halves are rounded towards zero.
  bool add_time_fraction(double fraction, int64_t unit_micros) {
    const double micros = fraction * static_cast<double>(unit_micros);
    const auto whole = static_cast<int64_t>(micros);
    const double left = micros - static_cast<double>(whole);
    return add_product(whole + (left > 0.5 ? 1 : left < -0.5 ? -1 : 0), 1, micros_);
  }

  bool add_day_fraction(double fraction, int32_t unit_days) {
    const double days = fraction * unit_days;
    const auto whole = static_cast<int32_t>(days);
    return add_product(whole, 1, days_) && add_time_fraction(days - whole, kMicrosPerDay);
  }

  int32_t years_ = 0;
  int32_t months_ = 0;
  int32_t days_ = 0;
  int64_t micros_ = 0;
};

}  // namespace daedalus::semantics

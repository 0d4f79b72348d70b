#include "interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/types.hpp"
#include "text_parts.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {
namespace {

using Int128 = __int128;

constexpr int64_t kSecond = 1'000'000;

Error out_of_range() { return rejected("22008", "interval out of range"); }

/// A sum of parts, wider than an interval.
struct Parts {
  Int128 months = 0;
  Int128 days = 0;
  Int128 micros = 0;
};

template <typename Number>
bool fits(Int128 value) {
  return value >= std::numeric_limits<Number>::min() && value <= std::numeric_limits<Number>::max();
}

std::optional<Interval> fitted(const Parts& parts) {
  if (!fits<int32_t>(parts.months) || !fits<int32_t>(parts.days) || !fits<int64_t>(parts.micros)) {
    return std::nullopt;
  }
  return Interval{static_cast<int32_t>(parts.months), static_cast<int32_t>(parts.days),
                  static_cast<int64_t>(parts.micros)};
}

/// "1 year", "-2 mons", "+3 days": a plus where what stands before is negative.
class PartsWriter {
 public:
  explicit PartsWriter(std::string& out) : out_(out), begin_(out.size()) {}

  void append(int64_t value, std::string_view unit) {
    if (value != 0) {
      out_.append(blank()).append(is_before_ && value > 0 ? "+" : "");
      append_integer(value, out_);
      out_.append(1, ' ').append(unit).append(value == 1 ? "" : "s");
      is_before_ = value < 0;
    }
  }
  [[nodiscard]] bool has_none() const { return out_.size() == begin_; }
  [[nodiscard]] bool is_before() const { return is_before_; }
  [[nodiscard]] std::string_view blank() const { return has_none() ? "" : " "; }

 private:
  std::string& out_;
  size_t begin_;
  bool is_before_ = false;
};

double rounded_micros(double seconds) { return std::rint(seconds * kSecond) / kSecond; }

/// Months, days and time as they come out, what is left of each passed on to the next.
Result<Interval> spread(double months, double days, double micros) {
  // False for NaN, too.
  const auto fits_below = [](double value, double limit) { return value >= -limit && value < limit; };
  constexpr double kInt32Limit = 0x1p31;
  if (!fits_below(months, kInt32Limit) || !fits_below(days, kInt32Limit)) {
    return out_of_range();
  }
  const double whole_months = std::trunc(months);
  double whole_days = std::trunc(days);
  const double days_left = rounded_micros((months - whole_months) * static_cast<double>(kDaysPerMonth));
  double seconds_left = rounded_micros((days - whole_days + days_left - std::trunc(days_left)) * 86'400);
  if (std::fabs(seconds_left) >= 86'400) {
    const double more = std::trunc(seconds_left / 86'400);
    whole_days += more;
    seconds_left -= more * 86'400;
  }
  whole_days += std::trunc(days_left);
  const double time = std::rint(micros + seconds_left * kSecond);
  if (!fits_below(time, 0x1p63) || !fits_below(whole_days, kInt32Limit)) {
    return out_of_range();
  }
  return make_interval(static_cast<int64_t>(whole_months), static_cast<int64_t>(whole_days),
                       static_cast<int64_t>(time));
}

}  // namespace

void append_interval(const Interval& interval, std::string& out) {
  PartsWriter parts(out);
  parts.append(interval.months / 12, "year");
  parts.append(interval.months % 12, "mon");
  parts.append(interval.days, "day");
  if (interval.micros == 0 && !parts.has_none()) {
    return;
  }
  const bool is_negative = interval.micros < 0;
  const uint64_t micros =
      is_negative ? 0 - static_cast<uint64_t>(interval.micros) : static_cast<uint64_t>(interval.micros);
  const uint64_t seconds = micros / kSecond;
  const std::string_view sign = is_negative ? "-" : parts.is_before() ? "+" : "";
  fmt::format_to(std::back_inserter(out), "{}{}{:02}:{:02}:{:02}", parts.blank(), sign, seconds / 3'600,
                 seconds / 60 % 60, seconds % 60);
  if (const uint64_t fraction = micros % kSecond; fraction != 0) {
    fmt::format_to(std::back_inserter(out), ".{:06}", fraction);
    out.erase(out.find_last_not_of('0') + 1);
  }
}

std::string format_interval(const Interval& interval) {
  std::string text;
  append_interval(interval, text);
  return text;
}

Int128 interval_micros(const Interval& interval) {
  return (Int128{interval.months} * kDaysPerMonth + interval.days) * kMicrosPerDay + interval.micros;
}

namespace {

/// Says whether a part of an interval led out of what PostgreSQL's timestamps reach, from where no other part leads
/// back.
bool is_lost(int64_t days) { return days < kComputedDaysMin || days > kPostgresTimestampDaysMax; }

Error timestamp_out_of_range() { return rejected("22008", "timestamp out of range"); }

}  // namespace

Result<int64_t> add_interval(int64_t timestamp_micros, const Interval& interval) {
  if (is_infinite_timestamp(timestamp_micros)) {
    return timestamp_micros;
  }
  int64_t days = floor_div(timestamp_micros, kMicrosPerDay);
  const int64_t time = timestamp_micros - days * kMicrosPerDay;
  if (interval.months != 0) {
    CivilDate date = civil_from_days(days);
    const int64_t month = date.year * 12 + date.month - 1 + interval.months;
    date.year = floor_div(month, 12);
    date.month = static_cast<uint32_t>(month - date.year * 12) + 1;
    date.day = std::min(date.day, days_in_month(date.year, date.month));
    days = days_from_civil(date);
  }
  if (is_lost(days) || is_lost(days + interval.days)) {
    return timestamp_out_of_range();
  }
  const Int128 moved = (Int128{days} + interval.days) * kMicrosPerDay + time + interval.micros;
  if (moved < kComputedMicrosMin || moved > kTimestampMicrosMax) {
    return timestamp_out_of_range();
  }
  return static_cast<int64_t>(moved);
}

Result<Interval> make_interval(Int128 months, Int128 days, Int128 micros) {
  const std::optional<Interval> interval = fitted({months, days, micros});
  return interval ? Result<Interval>(*interval) : out_of_range();
}

Result<Interval> add_intervals(const Interval& left, const Interval& right) {
  return make_interval(Int128{left.months} + right.months, Int128{left.days} + right.days,
                       Int128{left.micros} + right.micros);
}

Result<Interval> negated(const Interval& interval) {
  return make_interval(-Int128{interval.months}, -Int128{interval.days}, -Int128{interval.micros});
}

Result<Interval> multiplied(const Interval& interval, double factor) {
  return spread(interval.months * factor, interval.days * factor, static_cast<double>(interval.micros) * factor);
}

Result<Interval> divided(const Interval& interval, double divisor) {
  if (divisor == 0) {
    return rejected("22012", "division by zero");
  }
  return spread(interval.months / divisor, interval.days / divisor, static_cast<double>(interval.micros) / divisor);
}

}  // namespace daedalus::semantics

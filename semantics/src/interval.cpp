#include "interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "calendar.hpp"
#include "daedalus/semantics/types.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

using Int128 = __int128;

constexpr int64_t kDaysPerMonth = 30;
constexpr int64_t kSecond = 1'000'000;

Error out_of_range() { return rejected("22008", "interval out of range"); }

enum class Unit : uint8_t { kMicros, kDays, kMonths };

struct NamedUnit {
  std::string_view name;
  Unit unit;
  int64_t size;  ///< Microseconds, days or months.
};

constexpr std::array kUnits{
    NamedUnit{"microsecond", Unit::kMicros, 1},
    NamedUnit{"microseconds", Unit::kMicros, 1},
    NamedUnit{"us", Unit::kMicros, 1},
    NamedUnit{"usec", Unit::kMicros, 1},
    NamedUnit{"usecs", Unit::kMicros, 1},
    NamedUnit{"millisecond", Unit::kMicros, 1'000},
    NamedUnit{"milliseconds", Unit::kMicros, 1'000},
    NamedUnit{"ms", Unit::kMicros, 1'000},
    NamedUnit{"msec", Unit::kMicros, 1'000},
    NamedUnit{"msecs", Unit::kMicros, 1'000},
    NamedUnit{"second", Unit::kMicros, kSecond},
    NamedUnit{"seconds", Unit::kMicros, kSecond},
    NamedUnit{"s", Unit::kMicros, kSecond},
    NamedUnit{"sec", Unit::kMicros, kSecond},
    NamedUnit{"secs", Unit::kMicros, kSecond},
    NamedUnit{"minute", Unit::kMicros, 60 * kSecond},
    NamedUnit{"minutes", Unit::kMicros, 60 * kSecond},
    NamedUnit{"m", Unit::kMicros, 60 * kSecond},
    NamedUnit{"min", Unit::kMicros, 60 * kSecond},
    NamedUnit{"mins", Unit::kMicros, 60 * kSecond},
    NamedUnit{"hour", Unit::kMicros, 3'600 * kSecond},
    NamedUnit{"hours", Unit::kMicros, 3'600 * kSecond},
    NamedUnit{"h", Unit::kMicros, 3'600 * kSecond},
    NamedUnit{"hr", Unit::kMicros, 3'600 * kSecond},
    NamedUnit{"hrs", Unit::kMicros, 3'600 * kSecond},
    NamedUnit{"day", Unit::kDays, 1},
    NamedUnit{"days", Unit::kDays, 1},
    NamedUnit{"d", Unit::kDays, 1},
    NamedUnit{"week", Unit::kDays, 7},
    NamedUnit{"weeks", Unit::kDays, 7},
    NamedUnit{"w", Unit::kDays, 7},
    NamedUnit{"month", Unit::kMonths, 1},
    NamedUnit{"months", Unit::kMonths, 1},
    NamedUnit{"mon", Unit::kMonths, 1},
    NamedUnit{"mons", Unit::kMonths, 1},
    NamedUnit{"year", Unit::kMonths, 12},
    NamedUnit{"years", Unit::kMonths, 12},
    NamedUnit{"y", Unit::kMonths, 12},
    NamedUnit{"yr", Unit::kMonths, 12},
    NamedUnit{"yrs", Unit::kMonths, 12},
    NamedUnit{"decade", Unit::kMonths, 120},
    NamedUnit{"decades", Unit::kMonths, 120},
    NamedUnit{"century", Unit::kMonths, 1'200},
    NamedUnit{"centuries", Unit::kMonths, 1'200},
    NamedUnit{"millennium", Unit::kMonths, 12'000},
};

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

Result<Interval> in_range(const Parts& parts) {
  const std::optional<Interval> interval = fitted(parts);
  return interval ? Result<Interval>(*interval) : out_of_range();
}

class IntervalReader {
 public:
  explicit IntervalReader(std::string_view text) : rest_(text) {}

  /// False: malformed.
  bool read() {
    bool has_any = false;
    for (skip_blanks(); !rest_.empty(); skip_blanks()) {
      const bool is_end = take_word("ago");
      if (is_end) {
        skip_blanks();
        parts_ = {-parts_.months, -parts_.days, -parts_.micros};
        return has_any && rest_.empty();
      }
      if (!has_any && rest_[0] == '@') {
        rest_.remove_prefix(1);
        continue;
      }
      if (!read_part()) {
        return false;
      }
      has_any = true;
    }
    return has_any;
  }

  [[nodiscard]] const Parts& parts() const { return parts_; }

 private:
  struct Number {
    bool is_negative = false;
    int64_t whole = 0;
    double fraction = 0;
  };

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n' || rest_[0] == ',')) {
      rest_.remove_prefix(1);
    }
  }

  std::string next_word() const {
    std::string word;
    for (const char c : rest_) {
      if (!is_letter(c)) {
        break;
      }
      word += static_cast<char>(c | 0x20);
    }
    return word;
  }

  bool take_word(std::string_view wanted) {
    if (next_word() != wanted) {
      return false;
    }
    rest_.remove_prefix(wanted.size());
    return true;
  }

  std::optional<int64_t> take_digits() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || rest_.empty() || !is_digit(rest_[0])) {
      return std::nullopt;
    }
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  double take_fraction() {
    size_t size = 1;
    while (size < rest_.size() && is_digit(rest_[size])) {
      ++size;
    }
    const std::string digits = "0" + std::string(rest_.substr(0, size)) + "0";
    rest_.remove_prefix(size);
    return std::strtod(digits.c_str(), nullptr);
  }

  std::optional<Number> take_number() {
    Number number;
    if (rest_[0] == '-' || rest_[0] == '+') {
      number.is_negative = rest_[0] == '-';
      rest_.remove_prefix(1);
    }
    const bool has_whole = !rest_.empty() && is_digit(rest_[0]);
    if (has_whole) {
      const auto whole = take_digits();
      if (!whole) {
        return std::nullopt;
      }
      number.whole = *whole;
    }
    if (!rest_.empty() && rest_[0] == '.') {
      if (!has_whole && (rest_.size() < 2 || !is_digit(rest_[1]))) {
        return std::nullopt;
      }
      number.fraction = take_fraction();
    } else if (!has_whole) {
      return std::nullopt;
    }
    return number;
  }

  bool read_part() {
    const auto number = take_number();
    if (!number) {
      return false;
    }
    if (!rest_.empty() && rest_[0] == ':') {
      return number->fraction == 0 && read_time(*number);
    }
    skip_blanks();
    const std::string word = next_word();
    if (word.empty() || word == "ago") {
      // A number alone is seconds, and only as the last part.
      if (word.empty() && !rest_.empty()) {
        return false;
      }
      add(*number, {"second", Unit::kMicros, kSecond});
      return true;
    }
    const auto unit =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const NamedUnit& each) { return each.name == word; });
    if (unit == kUnits.end()) {
      return false;
    }
    rest_.remove_prefix(word.size());
    add(*number, *unit);
    return true;
  }

  /// hours:minutes[:seconds[.fraction]], behind the hours.
  bool read_time(const Number& hours) {
    rest_.remove_prefix(1);
    const auto minutes = take_digits();
    if (!minutes || *minutes > 59) {
      return false;
    }
    Int128 micros = (Int128{hours.whole} * 60 + *minutes) * 60 * kSecond;
    if (!rest_.empty() && rest_[0] == ':') {
      rest_.remove_prefix(1);
      const auto seconds = take_digits();
      if (!seconds || *seconds > 59) {
        return false;
      }
      micros += Int128{*seconds} * kSecond;
      if (!rest_.empty() && rest_[0] == '.') {
        micros += static_cast<int64_t>(std::rint(take_fraction() * kSecond));
      }
    }
    parts_.micros += hours.is_negative ? -micros : micros;
    return true;
  }

  /// What a fraction leaves of a year is months, of a month and a week days, of a day time.
  void add(const Number& number, const NamedUnit& unit) {
    const double sign = number.is_negative ? -1 : 1;
    const Int128 whole = (number.is_negative ? -Int128{number.whole} : Int128{number.whole}) * unit.size;
    const double fraction = sign * number.fraction * static_cast<double>(unit.size);
    switch (unit.unit) {
      case Unit::kMicros:
        parts_.micros += whole + static_cast<int64_t>(std::rint(fraction));
        return;
      case Unit::kDays:
        parts_.days += whole;
        add_days(fraction);
        return;
      case Unit::kMonths:
        parts_.months += whole;
        if (unit.size > 1) {
          parts_.months += static_cast<int64_t>(std::rint(fraction));
        } else {
          add_days(fraction * kDaysPerMonth);
        }
        return;
    }
  }

  void add_days(double days) {
    const double whole = std::trunc(days);
    parts_.days += static_cast<int64_t>(whole);
    parts_.micros += static_cast<int64_t>(std::rint((days - whole) * static_cast<double>(kMicrosPerDay)));
  }

  std::string_view rest_;
  Parts parts_;
};

/// "1 year", "-2 mons", "+3 days": a plus where what stands before is negative.
void append_part(std::string& text, int64_t value, std::string_view unit, bool& is_before) {
  if (value == 0) {
    return;
  }
  text += fmt::format("{}{}{} {}{}", text.empty() ? "" : " ", is_before && value > 0 ? "+" : "", value, unit,
                      value == 1 ? "" : "s");
  is_before = value < 0;
}

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
  return in_range({static_cast<int64_t>(whole_months), static_cast<int64_t>(whole_days), static_cast<int64_t>(time)});
}

}  // namespace

Result<Value> parse_interval(std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (trimmed.starts_with('P') || trimmed.starts_with('p')) {
    return rejected("0A000", "intervals in the spelling of ISO 8601 are not supported",
                    "write it as '1 year 2 mons 3 days 04:05:06'");
  }
  IntervalReader reader(trimmed);
  if (!reader.read()) {
    return rejected("22007", fmt::format("invalid input syntax for type interval: \"{}\"", text));
  }
  const std::optional<Interval> interval = fitted(reader.parts());
  if (!interval) {
    return rejected("22008", fmt::format("interval field value out of range: \"{}\"", text));
  }
  return Value(*interval);
}

std::string format_interval(const Interval& interval) {
  std::string text;
  bool is_before = false;
  append_part(text, interval.months / 12, "year", is_before);
  append_part(text, interval.months % 12, "mon", is_before);
  append_part(text, interval.days, "day", is_before);
  if (interval.micros == 0 && !text.empty()) {
    return text;
  }
  const bool is_negative = interval.micros < 0;
  const uint64_t micros =
      is_negative ? 0 - static_cast<uint64_t>(interval.micros) : static_cast<uint64_t>(interval.micros);
  const uint64_t seconds = micros / kSecond;
  text += fmt::format("{}{}{:02}:{:02}:{:02}", text.empty() ? "" : " ",
                      is_negative ? "-"
                      : is_before ? "+"
                                  : "",
                      seconds / 3'600, seconds / 60 % 60, seconds % 60);
  if (const uint64_t fraction = micros % kSecond; fraction != 0) {
    std::string digits = fmt::format(".{:06}", fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += digits;
  }
  return text;
}

Int128 interval_micros(const Interval& interval) {
  return (Int128{interval.months} * kDaysPerMonth + interval.days) * kMicrosPerDay + interval.micros;
}

Result<int64_t> add_interval(int64_t timestamp_micros, const Interval& interval) {
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
  const Int128 moved = (Int128{days} + interval.days) * kMicrosPerDay + time + interval.micros;
  if (moved < kTimestampMicrosMin || moved > kTimestampMicrosMax) {
    return rejected("22008", "timestamp out of range");
  }
  return static_cast<int64_t>(moved);
}

Result<Interval> add_intervals(const Interval& left, const Interval& right) {
  return in_range(
      {Int128{left.months} + right.months, Int128{left.days} + right.days, Int128{left.micros} + right.micros});
}

Result<Interval> negated(const Interval& interval) {
  return in_range({-Int128{interval.months}, -Int128{interval.days}, -Int128{interval.micros}});
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

#include "daedalus/semantics/interval_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "interval.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {
namespace {

/// An interval by its units, which all of a part have the sign of that part. Seconds are microseconds.
struct Units {
  int64_t years;
  int64_t months;
  int64_t days;
  int64_t hours;
  int64_t minutes;
  int64_t micros;

  explicit Units(const Interval& interval)
      : years(interval.months / kMonthsPerYear),
        months(interval.months % kMonthsPerYear),
        days(interval.days),
        hours(interval.micros / kMicrosPerHour),
        minutes(interval.micros / kMicrosPerMinute % 60),
        micros(interval.micros % kMicrosPerMinute) {}
};

uint64_t magnitude(int64_t number) {
  return number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

/// Seconds without a sign, with as many digits of their fraction as there are; `width` digits before it at least.
std::string seconds_text(int64_t micros, int width) {
  constexpr uint64_t second = kMicrosPerSecond;
  const uint64_t size = magnitude(micros);
  std::string text = fmt::format("{:0{}}", size / second, width);
  if (size % second != 0) {
    text += fmt::format(".{:06}", size % second);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

// ---- postgres_verbose ----

/// "@ 1 year 2 mons ago": the first part says whether all is ago, and parts of the other sign have a minus.
class VerboseWriter {
 public:
  explicit VerboseWriter(std::string& out) : out_(out) { out_ += '@'; }

  void add(int64_t value, std::string_view unit) {
    if (value != 0) {
      is_ago_ = has_none_ ? value < 0 : is_ago_;
      const bool is_one = magnitude(value) == 1 && (value < 0) == is_ago_;  // A number that is shown as -1 is not.
      add(value < 0, fmt::format("{}", magnitude(value)), fmt::format("{}{}", unit, is_one ? "" : "s"));
    }
  }
  void add_seconds(int64_t micros) {
    if (micros != 0) {
      add(micros < 0, seconds_text(micros, 1), magnitude(micros) == kMicrosPerSecond ? "sec" : "secs");
    }
  }
  void finish() { out_.append(has_none_ ? " 0" : "").append(is_ago_ ? " ago" : ""); }

 private:
  void add(bool is_negative, const std::string& number, std::string_view unit) {
    is_ago_ = has_none_ ? is_negative : is_ago_;
    has_none_ = false;
    fmt::format_to(std::back_inserter(out_), " {}{} {}", is_negative != is_ago_ ? "-" : "", number, unit);
  }

  std::string& out_;
  bool has_none_ = true;
  bool is_ago_ = false;
};

void append_verbose(const Units& units, std::string& out) {
  VerboseWriter writer(out);
  writer.add(units.years, "year");
  writer.add(units.months, "mon");
  writer.add(units.days, "day");
  writer.add(units.hours, "hour");
  writer.add(units.minutes, "min");
  writer.add_seconds(units.micros);
  writer.finish();
}

// ---- sql_standard ----

std::string clock_text(const Interval& interval) {
  const uint64_t minutes = magnitude(interval.micros) / kMicrosPerMinute;
  return fmt::format("{}:{:02}:{}", minutes / 60, minutes % 60, seconds_text(interval.micros % kMicrosPerMinute, 2));
}

/// One sign for all, and either years and months or days and time; what the standard has no form for has all of them,
/// each with a sign.
void append_standard(const Interval& interval, std::string& out) {
  const auto is_negative = [](int64_t part) { return part < 0; };
  const auto is_positive = [](int64_t part) { return part > 0; };
  const std::array<int64_t, 3> parts{interval.months, interval.days, interval.micros};
  const bool has_negative = std::any_of(parts.begin(), parts.end(), is_negative);
  const bool has_positive = std::any_of(parts.begin(), parts.end(), is_positive);
  const bool has_time = interval.days != 0 || interval.micros != 0;
  const uint64_t months = magnitude(interval.months);
  const std::string years = fmt::format("{}-{}", months / kMonthsPerYear, months % kMonthsPerYear);
  if (!has_negative && !has_positive) {
    out += '0';
    return;
  }
  if ((has_negative && has_positive) || (interval.months != 0 && has_time)) {
    const auto sign = [](int64_t part) { return part < 0 ? '-' : '+'; };
    fmt::format_to(std::back_inserter(out), "{}{} {}{} {}{}", sign(interval.months), years, sign(interval.days),
                   magnitude(interval.days), sign(interval.micros), clock_text(interval));
    return;
  }
  out.append(has_negative ? "-" : "");
  if (interval.months != 0) {
    out += years;
  } else if (interval.days != 0) {
    fmt::format_to(std::back_inserter(out), "{} {}", magnitude(interval.days), clock_text(interval));
  } else {
    out += clock_text(interval);
  }
}

// ---- iso_8601 ----

void append_iso(const Units& units, std::string& out) {
  const auto add = [&](int64_t value, char unit) {
    if (value != 0) {
      fmt::format_to(std::back_inserter(out), "{}{}", value, unit);
    }
  };
  const size_t begin = out.size();
  out += 'P';
  add(units.years, 'Y');
  add(units.months, 'M');
  add(units.days, 'D');
  if (units.hours != 0 || units.minutes != 0 || units.micros != 0) {
    out += 'T';
  }
  add(units.hours, 'H');
  add(units.minutes, 'M');
  if (units.micros != 0) {
    out.append(units.micros < 0 ? "-" : "").append(seconds_text(units.micros, 1)).append("S");
  }
  if (out.size() == begin + 1) {
    out += "T0S";
  }
}

}  // namespace

IntervalStyle interval_style_of(std::string_view name) {
  constexpr std::array kStyles{std::pair(std::string_view("postgres_verbose"), IntervalStyle::kPostgresVerbose),
                               std::pair(std::string_view("sql_standard"), IntervalStyle::kSqlStandard),
                               std::pair(std::string_view("iso_8601"), IntervalStyle::kIso8601)};
  const auto* const found =
      std::find_if(kStyles.begin(), kStyles.end(), [&](const auto& style) { return style.first == name; });
  return found == kStyles.end() ? IntervalStyle::kPostgres : found->second;
}

void append_interval_in(IntervalStyle style, const Interval& interval, std::string& out) {
  switch (style) {
    case IntervalStyle::kPostgres:
      return append_interval(interval, out);
    case IntervalStyle::kPostgresVerbose:
      return append_verbose(Units(interval), out);
    case IntervalStyle::kSqlStandard:
      return append_standard(interval, out);
    case IntervalStyle::kIso8601:
      return append_iso(Units(interval), out);
  }
}

bool is_read_otherwise_in_sql_standard(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  constexpr std::string_view kDigits = "0123456789";
  const size_t sign = text.find_first_not_of(kBlanks);
  if (sign == std::string_view::npos || text[sign] != '-') {
    return false;
  }
  const size_t number = text.find_first_of(kDigits, sign);
  const size_t behind = text.find_first_not_of("0123456789:.-", number);  // Years and months, and times, are one field.
  if (behind == std::string_view::npos || text.find_first_of(kDigits, behind) == std::string_view::npos) {
    return false;
  }
  for (size_t at = behind; at + 1 < text.size(); ++at) {
    if (kBlanks.find(text[at]) != std::string_view::npos && (text[at + 1] == '-' || text[at + 1] == '+')) {
      return false;  // A second sign says that each field has its own.
    }
  }
  return true;
}

}  // namespace daedalus::semantics

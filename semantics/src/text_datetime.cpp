#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "calendar.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;

/// Consumes what it recognises from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

  bool take(char c) {
    if (!at(c)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  /// Between digits_min and digits_max decimal digits (at most 9), not followed by another one.
  struct Digits {
    size_t min;
    size_t max;
  };
  std::optional<int64_t> number(Digits digits) {
    const size_t count = digit_count();
    if (count < digits.min || count > digits.max) {
      return std::nullopt;
    }
    int64_t value = 0;
    std::from_chars(rest_.data(), rest_.data() + count, value);
    rest_.remove_prefix(count);
    return value;
  }

  /// Digits after a decimal point, as microseconds; PostgreSQL rounds the binary fraction half to even.
  std::optional<int64_t> fraction() {
    const size_t count = digit_count();
    const std::string text = fmt::format("0.{}", rest_.substr(0, count));
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    rest_.remove_prefix(count);
    return static_cast<int64_t>(std::rint(value * static_cast<double>(kMicrosPerSecond)));
  }

  bool blanks() {
    const bool any = at(' ');
    while (take(' ')) {
    }
    return any;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  [[nodiscard]] size_t digit_count() const {
    size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') {
      ++count;
    }
    return count;
  }

  std::string_view rest_;
};

enum class Fault : uint8_t { kNone, kSyntax, kField, kZone, kEra };

struct Moment {
  int64_t days = 0;
  int64_t micros_of_day = 0;
};

Fault scan_date(Scanner& in, Moment& moment) {
  const auto year = in.number({4, 7});
  if (!year || !in.take('-')) {
    return Fault::kSyntax;
  }
  const auto month = in.number({1, 2});
  if (!month || !in.take('-')) {
    return Fault::kSyntax;
  }
  const auto day = in.number({1, 2});
  if (!day) {
    return Fault::kSyntax;
  }
  if (*year < 1 || *month < 1 || *month > 12 || *day < 1 ||
      *day > days_in_month(*year, static_cast<uint32_t>(*month))) {
    return Fault::kField;
  }
  moment.days = days_from_civil({*year, static_cast<uint32_t>(*month), static_cast<uint32_t>(*day)});
  return Fault::kNone;
}

Fault scan_time(Scanner& in, Moment& moment) {
  const auto hour = in.number({1, 2});
  if (!hour || !in.take(':')) {
    return Fault::kSyntax;
  }
  const auto minute = in.number({2, 2});
  if (!minute) {
    return Fault::kSyntax;
  }
  std::optional<int64_t> second = 0;
  std::optional<int64_t> micros = 0;
  if (in.take(':')) {
    second = in.number({2, 2});
    if (!second) {
      return Fault::kSyntax;
    }
    if (in.take('.')) {
      micros = in.fraction();
    }
  }
  // 24:00:00 is midnight of the next day, 60 seconds the next minute: so says ISO 8601, and PostgreSQL.
  const bool is_midnight = *hour == 24 && *minute == 0 && *second == 0 && *micros == 0;
  if ((*hour > 23 && !is_midnight) || *minute > 59 || *second > 60) {
    return Fault::kField;
  }
  moment.micros_of_day = ((*hour * 60 + *minute) * 60 + *second) * kMicrosPerSecond + *micros;
  return Fault::kNone;
}

/// What may follow date and time: nothing, Z, or what is refused by name.
Fault scan_end(Scanner& in) {
  in.blanks();
  if (in.take('Z') || in.take('z')) {
    in.blanks();
  }
  if (in.at_end()) {
    return Fault::kNone;
  }
  if (in.at('+') || in.at('-') || in.rest() == "UTC" || in.rest() == "GMT") {
    return Fault::kZone;
  }
  return in.rest() == "BC" || in.rest() == "bc" ? Fault::kEra : Fault::kSyntax;
}

Fault scan_moment(std::string_view text, Moment& moment) {
  Scanner in(text);
  if (const Fault fault = scan_date(in, moment); fault != Fault::kNone) {
    return fault;
  }
  const bool has_letter = in.take('T') || in.take('t');
  const bool has_blanks = !has_letter && in.blanks();
  if (has_letter || (has_blanks && !in.at_end() && in.rest().front() >= '0' && in.rest().front() <= '9')) {
    if (const Fault fault = scan_time(in, moment); fault != Fault::kNone) {
      return fault;
    }
  }
  return scan_end(in);
}

std::string_view short_name(const Type& type) { return type.kind == TypeKind::kDate ? "date" : "timestamp"; }

Error fault_error(const Type& type, Fault fault, std::string_view text) {
  switch (fault) {
    case Fault::kField:
      return rejected("22008", fmt::format("date/time field value out of range: \"{}\"", text));
    case Fault::kZone:
      return rejected("0A000", fmt::format("time zones are not supported: \"{}\"", text),
                      "convert to UTC and write a trailing Z or nothing");
    case Fault::kEra:
      return rejected("0A000", fmt::format("dates before the year 1 are not supported: \"{}\"", text));
    case Fault::kNone:
    case Fault::kSyntax:
      break;
  }
  return rejected("22007", fmt::format("invalid input syntax for type {}: \"{}\"", short_name(type), text));
}

std::string format_civil(const CivilDate& date) {
  const int64_t year = date.year > 0 ? date.year : 1 - date.year;
  return fmt::format("{:04}-{:02}-{:02}", year, date.month, date.day);
}

}  // namespace

Result<Value> parse_datetime(const Type& type, std::string_view text) {
  const std::string_view trimmed = trim(text);
  std::string lower(trimmed);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (lower == "infinity" || lower == "-infinity") {
    return rejected("0A000", fmt::format("{} {} is not supported", short_name(type), lower));
  }
  Moment moment;
  if (const Fault fault = scan_moment(trimmed, moment); fault != Fault::kNone) {
    return fault_error(type, fault, text);
  }
  if (type.kind == TypeKind::kDate) {
    if (moment.days > kDateDaysMax) {
      return rejected("22008", fmt::format("date out of range: \"{}\"", text));
    }
    return Value(moment.days);
  }
  if (moment.days > kTimestampMicrosMax / kMicrosPerDay ||
      moment.days * kMicrosPerDay > kTimestampMicrosMax - moment.micros_of_day) {
    return rejected("22008", fmt::format("timestamp out of range: \"{}\"", text));
  }
  return Value(moment.days * kMicrosPerDay + moment.micros_of_day);
}

std::string format_date(int64_t days) {
  const CivilDate date = civil_from_days(days);
  return format_civil(date) + (date.year > 0 ? "" : " BC");
}

std::string format_timestamp(int64_t micros) {
  const int64_t days = floor_div(micros, kMicrosPerDay);
  const int64_t of_day = micros - days * kMicrosPerDay;
  const CivilDate date = civil_from_days(days);
  const int64_t seconds = of_day / kMicrosPerSecond;
  const int64_t fraction = of_day % kMicrosPerSecond;
  std::string text =
      fmt::format("{} {:02}:{:02}:{:02}", format_civil(date), seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (fraction != 0) {
    std::string digits = fmt::format(".{:06}", fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += digits;
  }
  return text + (date.year > 0 ? "" : " BC");
}

}  // namespace daedalus::semantics

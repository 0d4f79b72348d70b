#include "posix_zone.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "characters.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {
namespace {

constexpr int32_t kDefaultRuleSeconds = 7'200;

/// Takes pieces off the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  [[nodiscard]] bool is_next(char c) const { return rest_.starts_with(c); }
  bool take(char c) {
    if (!is_next(c)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  /// Takes what clocks call a time: letters up to an offset, or anything in angle brackets. Gives its size; nothing:
  /// they have no end.
  std::optional<size_t> take_name() {
    if (take('<')) {
      const size_t end = rest_.find('>');
      if (end == std::string_view::npos) {
        return std::nullopt;
      }
      rest_.remove_prefix(end + 1);
      return end;
    }
    const size_t size = std::min(rest_.find_first_of("0123456789,-+"), rest_.size());
    rest_.remove_prefix(size);
    return size;
  }

  std::optional<int32_t> take_number(int32_t low, int32_t high) {
    if (rest_.empty() || !is_digit(rest_.front())) {
      return std::nullopt;
    }
    int32_t number = 0;
    while (!rest_.empty() && is_digit(rest_.front())) {
      number = number * 10 + (rest_.front() - '0');
      if (number > high) {
        return std::nullopt;
      }
      rest_.remove_prefix(1);
    }
    return number >= low ? std::optional(number) : std::nullopt;
  }

  /// [+-]h[:m[:s]], in seconds.
  std::optional<int32_t> take_offset() {
    constexpr int32_t kHoursMax = 167;
    const bool is_negative = take('-');
    if (!is_negative) {
      take('+');
    }
    const std::optional<int32_t> hours = take_number(0, kHoursMax);
    std::optional<int32_t> minutes = 0;
    std::optional<int32_t> seconds = 0;
    if (hours && take(':')) {
      minutes = take_number(0, 59);
      if (minutes && take(':')) {
        seconds = take_number(0, 60);
      }
    }
    if (!hours || !minutes || !seconds) {
      return std::nullopt;
    }
    const int32_t offset = (*hours * 60 + *minutes) * 60 + *seconds;
    return is_negative ? -offset : offset;
  }

  std::optional<YearlyRule> take_rule() {
    std::optional<YearlyRule> rule = take_day();
    if (rule && take('/')) {
      const std::optional<int32_t> seconds = take_offset();
      if (!seconds) {
        return std::nullopt;
      }
      rule->seconds = *seconds;
    }
    return rule;
  }

 private:
  std::optional<YearlyRule> take_day() {
    YearlyRule rule{.seconds = kDefaultRuleSeconds};
    if (take('M')) {
      const std::optional<int32_t> month = take_number(1, 12);
      const std::optional<int32_t> week = month && take('.') ? take_number(1, 5) : std::nullopt;
      const std::optional<int32_t> day = week && take('.') ? take_number(0, 6) : std::nullopt;
      if (!day) {
        return std::nullopt;
      }
      rule.month = static_cast<uint8_t>(*month);
      rule.week = static_cast<uint8_t>(*week);
      rule.day = static_cast<uint16_t>(*day);
      return rule;
    }
    const bool is_julian = take('J');
    rule.kind = is_julian ? YearlyRule::Kind::kJulianDay : YearlyRule::Kind::kZeroBasedDay;
    const std::optional<int32_t> day = take_number(is_julian ? 1 : 0, 365);
    rule.day = static_cast<uint16_t>(day.value_or(0));
    return day ? std::optional(rule) : std::nullopt;
  }

  std::string_view rest_;
};

bool is_leap(int64_t year) { return days_in_month(year, 2) == 29; }

/// Days of the year before the rule's.
int64_t day_of_year(const YearlyRule& rule, int64_t year) {
  if (rule.kind == YearlyRule::Kind::kZeroBasedDay) {
    return rule.day;
  }
  if (rule.kind == YearlyRule::Kind::kJulianDay) {
    constexpr uint16_t kFirstOfMarch = 60;
    return rule.day - 1 + (is_leap(year) && rule.day >= kFirstOfMarch ? 1 : 0);
  }
  const int64_t first = days_from_civil({year, rule.month, 1});
  const int64_t weekday = first + 4 - floor_div(first + 4, 7) * 7;  // 0 is Sunday.
  int64_t day = (rule.day - weekday + 7) % 7 + (rule.week - 1) * 7;
  while (day >= days_in_month(year, rule.month)) {
    day -= 7;
  }
  return first + day - days_from_civil({year, 1, 1});
}

PosixZone with_fault(PosixZoneFault fault) { return {fault, {}}; }

}  // namespace

int64_t timestamp_in_year(const YearlyRule& rule, int64_t year) {
  return (days_from_civil({year, 1, 1}) + day_of_year(rule, year)) * kSecondsPerDay + rule.seconds;
}

bool has_both_times(const ZoneFooter& footer, int64_t year) {
  const ZoneFooter::Daylight& daylight = *footer.daylight;
  const int64_t begin = timestamp_in_year(daylight.begin, year) - footer.standard;
  const int64_t end = timestamp_in_year(daylight.end, year) - daylight.offset;
  const int64_t year_seconds = (is_leap(year) ? 366 : 365) * kSecondsPerDay;
  return end < begin || (begin < end && end - begin < year_seconds + daylight.offset - footer.standard);
}

std::optional<ZoneFooter> read_zone_rule(std::string_view text) {
  const PosixZone read = read_posix_zone(text);
  return read.fault == PosixZoneFault::kNone ? std::optional(read.footer) : std::nullopt;
}

PosixZone read_posix_zone(std::string_view text) {
  constexpr int32_t kHour = 3'600;
  Reader reader(text);
  if (!reader.take_name() || reader.is_at_end()) {
    return with_fault(PosixZoneFault::kSyntax);
  }
  const std::optional<int32_t> west = reader.take_offset();
  if (!west) {
    return with_fault(PosixZoneFault::kSyntax);
  }
  PosixZone made{PosixZoneFault::kNone, {.standard = -*west, .daylight = {}}};
  if (reader.is_at_end()) {
    return made;
  }
  if (reader.take_name().value_or(0) == 0) {
    return with_fault(PosixZoneFault::kSyntax);
  }
  ZoneFooter::Daylight daylight{.offset = made.footer.standard + kHour, .begin = {}, .end = {}};
  if (!reader.is_at_end() && !reader.is_next(',') && !reader.is_next(';')) {
    const std::optional<int32_t> daylight_west = reader.take_offset();
    if (!daylight_west) {
      return with_fault(PosixZoneFault::kSyntax);
    }
    daylight.offset = -*daylight_west;
  }
  if (reader.is_at_end()) {
    return with_fault(PosixZoneFault::kNoRules);
  }
  const std::optional<YearlyRule> begin =
      reader.take(',') || reader.take(';') ? reader.take_rule() : std::optional<YearlyRule>();
  const std::optional<YearlyRule> end = begin && reader.take(',') ? reader.take_rule() : std::nullopt;
  if (!end || !reader.is_at_end()) {
    return with_fault(PosixZoneFault::kSyntax);
  }
  daylight.begin = *begin;
  daylight.end = *end;
  made.footer.daylight = daylight;
  constexpr int64_t kSomeYear = 2'001;
  if (!has_both_times(made.footer, kSomeYear) && !has_both_times(made.footer, kSomeYear + 3)) {
    made.footer = {.standard = daylight.offset, .daylight = {}};
  }
  return made;
}

}  // namespace daedalus::semantics

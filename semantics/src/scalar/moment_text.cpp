// to_char() of moments: what a template of dates and times says, as PostgreSQL's formatting.c reads it under the C
// locale.
//
// A template is patterns, with a modifier before or behind them, and everything else, which stands for itself. Patterns
// are found in the order of the list below, so that the longer of two comes first. Refuses by name what PostgreSQL also
// formats: intervals and numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "../calendar.hpp"
#include "adder.hpp"
#include "daedalus/semantics/characters.hpp"
#include "time_fields.hpp"

namespace daedalus::semantics::scalar {
namespace {

constexpr TypeKind kText = TypeKind::kText;
constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
constexpr int64_t kJulianDayOf1970 = 2'440'588;

enum class Item : uint8_t {
  kEraDots,
  kEra,
  kMeridianDots,
  kMeridian,
  kCentury,
  kDayName,
  kDayShort,
  kDayOfYear,
  kDay,
  kDayOfWeek,
  kFraction1,
  kFraction2,
  kFraction3,
  kFraction4,
  kFraction5,
  kFraction6,
  kNothing,  ///< FX is of reading only.
  kHour24,
  kHour12,
  kIsoDayOfYear,
  kIsoDayOfWeek,
  kIsoWeek,
  kIsoYear,
  kIsoYear3,
  kIsoYear2,
  kIsoYear1,
  kJulian,
  kMinute,
  kMonth,
  kMonthName,
  kMonthShort,
  kZoneOffset,
  kQuarter,
  kMonthRoman,
  kSecondOfDay,
  kSecond,
  kZoneHours,
  kZoneMinutes,
  kZoneName,
  kWeek,
  kWeekOfMonth,
  kYearComma,
  kYear,
  kYear3,
  kYear2,
  kYear1,
};

enum class Letters : uint8_t { kUpper, kFirst, kLower };

struct Pattern {
  std::string_view name;
  Item item;
  Letters letters = Letters::kUpper;  ///< Of what it shows, where that is a word.
};

/// Of those that begin with the same letter the first that fits is meant.
constexpr Pattern kPatterns[] = {
    {"A.D.", Item::kEraDots},
    {"A.M.", Item::kMeridianDots},
    {"AD", Item::kEra},
    {"AM", Item::kMeridian},
    {"B.C.", Item::kEraDots},
    {"BC", Item::kEra},
    {"CC", Item::kCentury},
    {"DAY", Item::kDayName},
    {"DDD", Item::kDayOfYear},
    {"DD", Item::kDay},
    {"DY", Item::kDayShort},
    {"Day", Item::kDayName, Letters::kFirst},
    {"Dy", Item::kDayShort, Letters::kFirst},
    {"D", Item::kDayOfWeek},
    {"FF1", Item::kFraction1},
    {"FF2", Item::kFraction2},
    {"FF3", Item::kFraction3},
    {"FF4", Item::kFraction4},
    {"FF5", Item::kFraction5},
    {"FF6", Item::kFraction6},
    {"FX", Item::kNothing},
    {"HH24", Item::kHour24},
    {"HH12", Item::kHour12},
    {"HH", Item::kHour12},
    {"IDDD", Item::kIsoDayOfYear},
    {"ID", Item::kIsoDayOfWeek},
    {"IW", Item::kIsoWeek},
    {"IYYY", Item::kIsoYear},
    {"IYY", Item::kIsoYear3},
    {"IY", Item::kIsoYear2},
    {"I", Item::kIsoYear1},
    {"J", Item::kJulian},
    {"MI", Item::kMinute},
    {"MM", Item::kMonth},
    {"MONTH", Item::kMonthName},
    {"MON", Item::kMonthShort},
    {"MS", Item::kFraction3},
    {"Month", Item::kMonthName, Letters::kFirst},
    {"Mon", Item::kMonthShort, Letters::kFirst},
    {"OF", Item::kZoneOffset},
    {"P.M.", Item::kMeridianDots},
    {"PM", Item::kMeridian},
    {"Q", Item::kQuarter},
    {"RM", Item::kMonthRoman},
    {"SSSSS", Item::kSecondOfDay},
    {"SSSS", Item::kSecondOfDay},
    {"SS", Item::kSecond},
    {"TZH", Item::kZoneHours},
    {"TZM", Item::kZoneMinutes},
    {"TZ", Item::kZoneName},
    {"US", Item::kFraction6},
    {"WW", Item::kWeek},
    {"W", Item::kWeekOfMonth},
    {"Y,YYY", Item::kYearComma},
    {"YYYY", Item::kYear},
    {"YYY", Item::kYear3},
    {"YY", Item::kYear2},
    {"Y", Item::kYear1},
};

constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kWeekdays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::string_view kRomans[] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};
constexpr size_t kShortName = 3;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char raised(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }
char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string with_letters(std::string_view word, Letters letters) {
  std::string made(word);
  if (letters != Letters::kFirst) {
    std::transform(made.begin(), made.end(), made.begin(), letters == Letters::kUpper ? raised : lowered);
  }
  return made;
}

/// Whether the template goes on with a pattern: as it is written, or all of it in small letters.
bool is_next(std::string_view text, std::string_view name, bool is_small) {
  return text.size() >= name.size() && std::equal(name.begin(), name.end(), text.begin(), [&](char wanted, char c) {
           return (is_small ? lowered(wanted) : wanted) == c;
         });
}

/// Compares by the first letter alone.
struct ByLetter {
  bool operator()(const Pattern& pattern, char letter) const { return pattern.name.front() < letter; }
  bool operator()(char letter, const Pattern& pattern) const { return letter < pattern.name.front(); }
};

/// The pattern that a text begins with; an empty one: none.
Pattern pattern_of(std::string_view text) {
  const bool is_small = is_lower(text.front());
  const auto [begin, end] =
      std::equal_range(std::begin(kPatterns), std::end(kPatterns), raised(text.front()), ByLetter());
  for (const Pattern& pattern : std::span(begin, end)) {
    // Names with small letters are spelled once as they are shown, and have no second spelling.
    const bool is_mixed = pattern.letters == Letters::kFirst;
    if (!(is_small && is_mixed) && is_next(text, pattern.name, is_small)) {
      return {pattern.name, pattern.item, is_small ? Letters::kLower : pattern.letters};
    }
  }
  return {{}, Item::kNothing};
}

/// A moment in parts, as a clock and a calendar show it.
struct Shown {
  explicit Shown(int64_t micros, bool has_zone_name)
      : days(floor_div(micros, kMicrosPerDay)),
        date(civil_from_days(days)),
        of_day((micros - days * kMicrosPerDay) / kMicrosPerSecond),
        fraction((micros - days * kMicrosPerDay) % kMicrosPerSecond),
        has_zone(has_zone_name) {}

  int64_t days;
  CivilDate date;
  int64_t of_day;    ///< Seconds.
  int64_t fraction;  ///< Microseconds.
  bool has_zone;

  [[nodiscard]] int64_t year() const { return of_era(date.year); }
  [[nodiscard]] int64_t iso_year() const { return of_era(iso_year_of(days, date.year)); }
  [[nodiscard]] int64_t day_of_year() const { return days - days_from_civil({date.year, 1, 1}) + 1; }
  /// The year 0 is 1 BC, and shown as 1.
  [[nodiscard]] static int64_t of_era(int64_t year) { return year > 0 ? year : 1 - year; }
};

/// Behind a number: st, nd, rd or th.
std::string_view ordinal_of(std::string_view number) {
  const bool is_teen = number.size() > 1 && number[number.size() - 2] == '1';
  switch (is_teen ? '0' : number.back()) {
    case '1':
      return "st";
    case '2':
      return "nd";
    case '3':
      return "rd";
    default:
      return "th";
  }
}

class Writer {
 public:
  /// room: an empty text, which it writes to.
  Writer(const Shown& shown, std::string room) : shown_(shown), made_(std::move(room)) {}

  [[nodiscard]] std::string written(std::string_view text) {
    while (!text.empty() && made_.size() <= kStringLengthMax) {
      take(text);
    }
    return std::move(made_);
  }

 private:
  /// Takes a pattern with its modifiers, a text in quotes, or one character.
  void take(std::string_view& text) {
    const bool is_localised = is_next(text, "TM", is_lower(text.front()));
    is_bare_ = is_next(text, "FM", is_lower(text.front())) || is_localised;
    // FM drops what fills a width, TM only blanks.
    is_filled_ = !is_bare_ || is_localised;
    text.remove_prefix(is_bare_ ? 2 : 0);
    if (text.empty()) {
      return;
    }
    if (const Pattern pattern = pattern_of(text); !pattern.name.empty()) {
      text.remove_prefix(pattern.name.size());
      const size_t begin = made_.size();
      const bool is_number = put(pattern);
      take_ordinal(text, begin, is_number);
    } else if (text.front() == '"') {
      take_quoted(text);
    } else {
      text.remove_prefix(text.starts_with("\\\"") ? 1 : 0);
      take_character(text);
    }
  }

  void take_character(std::string_view& text) {
    const size_t size = std::min(character_size(text.front()), text.size());
    made_.append(text.substr(0, size));
    text.remove_prefix(size);
  }

  void take_quoted(std::string_view& text) {
    text.remove_prefix(1);
    while (!text.empty() && text.front() != '"') {
      text.remove_prefix(text.front() == '\\' && text.size() > 1 ? 1 : 0);
      take_character(text);
    }
    text.remove_prefix(text.empty() ? 0 : 1);
  }

  void take_ordinal(std::string_view& text, size_t begin, bool is_number) {
    const bool is_large = text.starts_with("TH");
    if (!is_large && !text.starts_with("th")) {
      text.remove_prefix(text.starts_with("SP") ? 2 : 0);  // To be spelled, which PostgreSQL does not do either.
      return;
    }
    text.remove_prefix(2);
    if (is_number) {
      made_ +=
          with_letters(ordinal_of(std::string_view(made_).substr(begin)), is_large ? Letters::kUpper : Letters::kLower);
    }
  }

  /// With zeros before it, a sign among what is as wide.
  void put_number(int64_t value, int width) {
    constexpr size_t kDigitsMax = 20;
    std::array<char, kDigitsMax> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(value));
    const auto size = static_cast<int>(end.ptr - digits.data()) + (value < 0 ? 1 : 0);
    made_.append(value < 0 ? "-" : "").append(static_cast<size_t>(std::max(width - size, 0)), '0');
    made_.append(digits.data(), end.ptr);
  }
  /// Whether that is a number, which may be an ordinal one.
  bool number(int64_t value, int width) {
    put_number(value, is_filled_ ? width : 1);
    return true;
  }
  bool word(std::string_view name, Letters letters, size_t width = 0) {
    made_ += with_letters(name, letters);
    made_.append(width - std::min(width, name.size()), ' ');
    return false;
  }

  bool put(const Pattern& pattern) {
    switch (pattern.item) {
      case Item::kEraDots:
        return word(shown_.date.year > 0 ? "A.D." : "B.C.", pattern.letters);
      case Item::kEra:
        return word(shown_.date.year > 0 ? "AD" : "BC", pattern.letters);
      case Item::kMeridianDots:
        return word(hour() >= 12 ? "P.M." : "A.M.", pattern.letters);
      case Item::kMeridian:
        return word(hour() >= 12 ? "PM" : "AM", pattern.letters);
      case Item::kDayName:
        return word(kWeekdays[day_of_week(shown_.days)], pattern.letters, is_bare_ ? 0 : kLongNameWidth);
      case Item::kDayShort:
        return word(kWeekdays[day_of_week(shown_.days)].substr(0, kShortName), pattern.letters);
      case Item::kMonthName:
        return word(kMonths[shown_.date.month - 1], pattern.letters, is_bare_ ? 0 : kLongNameWidth);
      case Item::kMonthShort:
        return word(kMonths[shown_.date.month - 1].substr(0, kShortName), pattern.letters);
      case Item::kMonthRoman:
        return word(kRomans[shown_.date.month - 1], pattern.letters, is_filled_ ? kRomanWidth : 0);
      case Item::kZoneName:
        return word(shown_.has_zone ? "UTC" : "", pattern.letters);
      case Item::kZoneOffset:
        made_ += is_filled_ ? "+00" : "+0";  // The session's, which is UTC.
        return false;
      case Item::kZoneHours:
        made_ += "+00";
        return false;
      case Item::kZoneMinutes:
        made_ += "00";
        return false;
      case Item::kNothing:
        return false;
      default:
        return put_of_time(pattern.item) || put_of_date(pattern.item) || put_of_year(pattern.item);
    }
  }

  [[nodiscard]] int64_t hour() const { return shown_.of_day / 3'600; }

  bool put_of_time(Item item) {
    switch (item) {
      case Item::kFraction1:
        return fraction(1);
      case Item::kFraction2:
        return fraction(2);
      case Item::kFraction3:
        return fraction(3);
      case Item::kFraction4:
        return fraction(4);
      case Item::kFraction5:
        return fraction(5);
      case Item::kFraction6:
        return fraction(6);
      case Item::kHour24:
        return number(hour(), 2);
      case Item::kHour12:
        return number(hour() % 12 == 0 ? 12 : hour() % 12, 2);
      case Item::kMinute:
        return number(shown_.of_day / 60 % 60, 2);
      case Item::kSecond:
        return number(shown_.of_day % 60, 2);
      case Item::kSecondOfDay:
        return number(shown_.of_day, 1);
      default:
        return false;
    }
  }

  /// So many digits of the second's fraction, whatever is before the pattern.
  bool fraction(int digits) {
    int64_t value = shown_.fraction;
    for (int dropped = 6; dropped > digits; --dropped) {
      value /= 10;
    }
    put_number(value, digits);
    return true;
  }

  bool put_of_date(Item item) {
    switch (item) {
      case Item::kDay:
        return number(shown_.date.day, 2);
      case Item::kDayOfYear:
        return number(shown_.day_of_year(), 3);
      case Item::kDayOfWeek:
        return number(day_of_week(shown_.days) + 1, 1);
      case Item::kIsoDayOfWeek:
        return number(day_of_week(shown_.days) == 0 ? 7 : day_of_week(shown_.days), 1);
      case Item::kIsoDayOfYear:
        return number(shown_.days - iso_year_start(iso_year_of(shown_.days, shown_.date.year)) + 1, 3);
      case Item::kIsoWeek:
        return number((shown_.days - iso_year_start(iso_year_of(shown_.days, shown_.date.year))) / 7 + 1, 2);
      case Item::kJulian:
        return number(shown_.days + kJulianDayOf1970, 1);
      case Item::kMonth:
        return number(shown_.date.month, 2);
      case Item::kQuarter:
        return number((shown_.date.month - 1) / 3 + 1, 1);
      case Item::kWeek:
        return number((shown_.day_of_year() - 1) / 7 + 1, 2);
      case Item::kWeekOfMonth:
        return number((shown_.date.day - 1) / 7 + 1, 1);
      default:
        return false;
    }
  }

  bool put_of_year(Item item) {
    const int64_t year = shown_.year();
    switch (item) {
      case Item::kCentury:
        return century();
      case Item::kYearComma:
        fmt::format_to(std::back_inserter(made_), "{},{:03}", year / 1'000, year % 1'000);
        return true;
      case Item::kYear:
        return number(year, 4);
      case Item::kYear3:
        return number(year % 1'000, 3);
      case Item::kYear2:
        return number(year % 100, 2);
      case Item::kYear1:
        return number(year % 10, 1);
      case Item::kIsoYear:
        return number(shown_.iso_year(), 4);
      case Item::kIsoYear3:
        return number(shown_.iso_year() % 1'000, 3);
      case Item::kIsoYear2:
        return number(shown_.iso_year() % 100, 2);
      default:
        return number(shown_.iso_year() % 10, 1);
    }
  }

  /// Negative before Christ, with a sign that takes a place of its own.
  bool century() {
    const int64_t year = shown_.date.year;
    return year > 0 ? number((year - 1) / 100 + 1, 2) : number(year / 100 - 1, 3);
  }

  static constexpr size_t kLongNameWidth = 9;
  static constexpr size_t kRomanWidth = 4;

  const Shown& shown_;
  std::string made_;
  bool is_bare_ = false;   ///< Of the pattern at hand: names without blanks behind them,
  bool is_filled_ = true;  ///< numbers with zeros before them.
};

template <bool kHasZone>
Result<Value> moment_as_text(Arguments arguments, const BoundExpression&) {
  const std::string& format = text(arguments[1]);
  if (format.empty()) {
    return Value();  // As PostgreSQL says it.
  }
  std::string made = Writer(Shown(integer(arguments[0]), kHasZone), arguments.spare_text()).written(format);
  return made.size() <= kStringLengthMax ? Result<Value>(Value(std::move(made))) : too_long();
}

/// What a constant template can come to: what it says of a long name's day, and more digits and letters where other
/// moments have them, two for a character at most.
Type type_of_written(Expressions arguments) {
  constexpr int64_t kWednesdayInSeptember = 1'790'812'799'999'999;
  const BoundExpression& format = arguments[1];
  if (!format.is_constant() || is_null(format.value)) {
    return text_of(kStringLengthMax);
  }
  const std::string& given = text(format.value);
  return text_of(Writer(Shown(kWednesdayInSeptember, true), {}).written(given).size() + 2 * given.size());
}

}  // namespace

void add_moment_text(Functions& functions) {
  Adder adder(functions);
  adder.start(1350);
  adder.add("to_char", {TypeKind::kTimestamp, kText}, kText, moment_as_text<false>, type_of_written);
  adder.is_stable();
  adder.add("to_char", {TypeKind::kTimestampTz, kText}, kText, moment_as_text<true>, type_of_written);
  adder.is_stable();
  adder.start(1360);
  for (const TypeKind kind : {TypeKind::kInterval, TypeKind::kNumeric, TypeKind::kInt, TypeKind::kBigint,
                              TypeKind::kReal, TypeKind::kDouble}) {
    adder.refuse("to_char", {kind, kText}, kText);
    adder.is_stable();
  }
}

}  // namespace daedalus::semantics::scalar

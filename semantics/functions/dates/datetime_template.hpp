// Templates of dates and times, as to_char(), to_date() and to_timestamp() take them: patterns, with a modifier before
// or behind them, and everything else, which stands for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "template_text.hpp"

namespace daedalus::semantics::scalar {

enum class DatetimeItem : uint8_t {
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

struct DatetimePattern {
  std::string_view name;
  DatetimeItem item;
  Letters letters = Letters::kUpper;  ///< It shows a word in these letters, where it shows one.
};

inline constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                               "July",    "August",   "September", "October", "November", "December"};
inline constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                 "Thursday", "Friday", "Saturday"};
inline constexpr std::string_view kRomans[] = {"I",   "II",   "III", "IV", "V",  "VI",
                                               "VII", "VIII", "IX",  "X",  "XI", "XII"};
inline constexpr size_t kShortName = 3;

void append_with_letters(std::string_view word, Letters letters, std::string& out);
/// With zeros before it, a sign among what is as wide.
void append_padded(int64_t value, int width, std::string& out);

enum class DatetimeRole : uint8_t { kField, kSeparator, kSpace, kLetter };

struct DatetimePiece {
  DatetimeRole role;
  DatetimePattern pattern{};
  std::string_view text;      ///< As it stands in the template.
  bool is_bare = false;       ///< FM before it, or
  bool is_localised = false;  ///< TM;
  std::string_view ordinal;   ///< TH or th behind it.
};

/// Says what a character is in a template and in a text that is read by one.
[[nodiscard]] DatetimeRole role_of(char c);

/// A template piece by piece; it has to outlive them.
class DatetimePieces {
 public:
  explicit DatetimePieces(std::string_view text) : text_(text) {}

  /// Nothing: there are no more.
  [[nodiscard]] std::optional<DatetimePiece> next();

 private:
  DatetimePiece taken(const DatetimePattern& pattern);

  TemplateText text_;
};

}  // namespace daedalus::semantics::scalar

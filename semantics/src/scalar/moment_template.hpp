// Templates of dates and times, as to_char(), to_date() and to_timestamp() take them: patterns, with a modifier before
// or behind them, and everything else, which stands for itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::semantics::scalar {

enum class MomentItem : uint8_t {
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

struct MomentPattern {
  std::string_view name;
  MomentItem item;
  Letters letters = Letters::kUpper;  ///< Of what it shows, where that is a word.
};

inline constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                               "July",    "August",   "September", "October", "November", "December"};
inline constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                 "Thursday", "Friday", "Saturday"};
inline constexpr std::string_view kRomans[] = {"I",   "II",   "III", "IV", "V",  "VI",
                                               "VII", "VIII", "IX",  "X",  "XI", "XII"};
inline constexpr size_t kShortName = 3;

[[nodiscard]] inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

[[nodiscard]] std::string with_letters(std::string_view word, Letters letters);
/// Whether the template goes on with a pattern: as it is written, or all of it in small letters.
[[nodiscard]] bool is_next(std::string_view text, std::string_view name, bool is_small);
/// The pattern that a text begins with; an empty one: none.
[[nodiscard]] MomentPattern pattern_of(std::string_view text);

enum class MomentRole : uint8_t { kField, kSeparator, kSpace, kLetter };

struct MomentPiece {
  MomentRole role;
  MomentPattern pattern{};
  std::string_view text;     ///< As it stands in the template.
  bool is_bare = false;      ///< FM before it,
  std::string_view ordinal;  ///< TH or th behind it.
};

/// What a character is in a template and in a text that is read by one.
[[nodiscard]] MomentRole role_of(char c);
/// A template piece by piece; it has to outlive them.
[[nodiscard]] std::vector<MomentPiece> moment_pieces_of(std::string_view text);

}  // namespace daedalus::semantics::scalar

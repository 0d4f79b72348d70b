// The words of PostgreSQL's dates and times, and the names of time zones.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace daedalus::semantics {

/// A label says what the number behind it is.
enum class DatetimeLabel : uint8_t {
  kNone,
  kYear,
  kMonth,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kJulianDay,
  kIsoTime,
  kOther
};

struct DatetimeWord {
  enum class Kind : uint8_t {
    kIgnored,
    kMonth,    ///< value: 1 .. 12
    kWeekday,  ///< Checked against nothing.
    kMorning,
    kAfternoon,
    kAfterChrist,
    kBeforeChrist,
    kLabel,
    kIsoTime,  ///< The T of ISO 8601.
    kNow,
    kDay,  ///< value: days from today
    kMidnight,
    kEpoch,
    kLate,
    kEarly,
    kDaylightModifier,
  };
  Kind kind = Kind::kIgnored;
  int value = 0;
  DatetimeLabel label = DatetimeLabel::kNone;
};

/// The word, in lower case, if it is one.
[[nodiscard]] std::optional<DatetimeWord> find_datetime_word(std::string_view text);

/// Says whether a name that is no abbreviation stands for a time zone, and for which kind. Names are in lower case.
enum class ZoneName : uint8_t {
  kNone,
  kWord,      ///< A zone whose name is one word, or says what its offset is.
  kLocation,  ///< It begins like "europe/…"; whether there is such a place is not known here.
};
[[nodiscard]] ZoneName find_zone(std::string_view name);

}  // namespace daedalus::semantics

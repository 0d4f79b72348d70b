// Fields of dates, timestamps and intervals, by the names that EXTRACT and its kin take.
#pragma once

#include <cstdint>
#include <string>

#include "families.hpp"

namespace daedalus::semantics::scalar {

enum class Field : uint8_t {
  kMicroseconds,
  kMilliseconds,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kMillennium,
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kIsoYear,
  kEpoch,
  kJulian,
  kTimezone,
  kTimezoneHour,
  kTimezoneMinute,
};

/// The field that a text names, of values of this kind. Errors: 22023 there is no such field; 0A000 one that no value
/// of the kind has.
[[nodiscard]] Result<Field> field_of(const Value& unit, TypeKind kind);

/// A field that values of this kind do not have. Error 0A000.
[[nodiscard]] Error field_not_supported(const Value& unit, TypeKind kind);

/// The Monday of the first week of an ISO year: the one that has the fourth of January.
[[nodiscard]] int64_t iso_year_start(int64_t year);
/// The ISO year of a day of this year.
[[nodiscard]] int64_t iso_year_of(int64_t days, int64_t year);
/// 0 is Sunday.
[[nodiscard]] int64_t day_of_week(int64_t days);

}  // namespace daedalus::semantics::scalar

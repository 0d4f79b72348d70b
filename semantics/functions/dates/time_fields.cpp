#include "time_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "characters.hpp"
#include "daedalus/semantics/calendar.hpp"

namespace daedalus::semantics::scalar {
namespace {

struct NamedField {
  std::string_view name;
  Field field;
};

constexpr std::array kFields{
    NamedField{"microseconds", Field::kMicroseconds},
    NamedField{"microsecond", Field::kMicroseconds},
    NamedField{"us", Field::kMicroseconds},
    NamedField{"milliseconds", Field::kMilliseconds},
    NamedField{"millisecond", Field::kMilliseconds},
    NamedField{"ms", Field::kMilliseconds},
    NamedField{"second", Field::kSecond},
    NamedField{"seconds", Field::kSecond},
    NamedField{"sec", Field::kSecond},
    NamedField{"s", Field::kSecond},
    NamedField{"minute", Field::kMinute},
    NamedField{"minutes", Field::kMinute},
    NamedField{"min", Field::kMinute},
    NamedField{"m", Field::kMinute},
    NamedField{"hour", Field::kHour},
    NamedField{"hours", Field::kHour},
    NamedField{"h", Field::kHour},
    NamedField{"day", Field::kDay},
    NamedField{"days", Field::kDay},
    NamedField{"d", Field::kDay},
    NamedField{"week", Field::kWeek},
    NamedField{"weeks", Field::kWeek},
    NamedField{"w", Field::kWeek},
    NamedField{"month", Field::kMonth},
    NamedField{"months", Field::kMonth},
    NamedField{"mon", Field::kMonth},
    NamedField{"quarter", Field::kQuarter},
    NamedField{"qtr", Field::kQuarter},
    NamedField{"year", Field::kYear},
    NamedField{"years", Field::kYear},
    NamedField{"y", Field::kYear},
    NamedField{"decade", Field::kDecade},
    NamedField{"decades", Field::kDecade},
    NamedField{"century", Field::kCentury},
    NamedField{"centuries", Field::kCentury},
    NamedField{"millennium", Field::kMillennium},
    NamedField{"dow", Field::kDayOfWeek},
    NamedField{"isodow", Field::kIsoDayOfWeek},
    NamedField{"doy", Field::kDayOfYear},
    NamedField{"isoyear", Field::kIsoYear},
    NamedField{"epoch", Field::kEpoch},
    NamedField{"julian", Field::kJulian},
    NamedField{"timezone", Field::kTimezone},
    NamedField{"timezone_h", Field::kTimezoneHour},
    NamedField{"timezone_hour", Field::kTimezoneHour},
    NamedField{"timezone_m", Field::kTimezoneMinute},
    NamedField{"timezone_minute", Field::kTimezoneMinute},
};

Error not_recognized(const std::string& unit, TypeKind kind) {
  return rejected("22023", fmt::format("unit \"{}\" not recognized for type {}", unit, kind_name(kind)));
}

Error not_supported(const std::string& unit, TypeKind kind) {
  return rejected("0A000", fmt::format("unit \"{}\" not supported for type {}", unit, kind_name(kind)));
}

}  // namespace

Result<Field> field_of(const Value& unit, TypeKind kind) {
  const std::string name = in_small_letters(text(unit));
  const auto found =
      std::find_if(kFields.begin(), kFields.end(), [&](const NamedField& each) { return each.name == name; });
  if (found == kFields.end()) {
    return not_recognized(name, kind);
  }
  if (found->field >= Field::kTimezone && kind != TypeKind::kTimestampTz) {
    return not_supported(name, kind);
  }
  return found->field;
}

Error field_not_supported(const Value& unit, TypeKind kind) {
  return not_supported(in_small_letters(text(unit)), kind);
}

int64_t iso_year_start(int64_t year) {
  const int64_t fourth = days_from_civil({year, 1, 4});
  return fourth - floor_div(fourth + 3, 1) + floor_div(fourth + 3, 7) * 7;
}

int64_t iso_year_of(int64_t days, int64_t year) {
  if (days < iso_year_start(year)) {
    return year - 1;
  }
  return days >= iso_year_start(year + 1) ? year + 1 : year;
}

int64_t day_of_week(int64_t days) { return days + 4 - floor_div(days + 4, 7) * 7; }

}  // namespace daedalus::semantics::scalar

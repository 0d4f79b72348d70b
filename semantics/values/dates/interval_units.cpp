#include "interval_units.hpp"

#include <algorithm>
#include <array>

namespace daedalus::semantics {
namespace {

using Unit = IntervalUnit;

struct NamedUnit {
  std::string_view name;
  Unit unit;
};

constexpr size_t kLettersMax = 10;

constexpr std::array kUnits{
    NamedUnit{"c", Unit::kCentury},
    NamedUnit{"cent", Unit::kCentury},
    NamedUnit{"centuries", Unit::kCentury},
    NamedUnit{"century", Unit::kCentury},
    NamedUnit{"d", Unit::kDay},
    NamedUnit{"day", Unit::kDay},
    NamedUnit{"days", Unit::kDay},
    NamedUnit{"dec", Unit::kDecade},
    NamedUnit{"decade", Unit::kDecade},
    NamedUnit{"decades", Unit::kDecade},
    NamedUnit{"decs", Unit::kDecade},
    NamedUnit{"h", Unit::kHour},
    NamedUnit{"hour", Unit::kHour},
    NamedUnit{"hours", Unit::kHour},
    NamedUnit{"hr", Unit::kHour},
    NamedUnit{"hrs", Unit::kHour},
    NamedUnit{"m", Unit::kMinute},
    NamedUnit{"microsecon", Unit::kMicrosecond},
    NamedUnit{"mil", Unit::kMillennium},
    NamedUnit{"millennia", Unit::kMillennium},
    NamedUnit{"millennium", Unit::kMillennium},
    NamedUnit{"millisecon", Unit::kMillisecond},
    NamedUnit{"mils", Unit::kMillennium},
    NamedUnit{"min", Unit::kMinute},
    NamedUnit{"mins", Unit::kMinute},
    NamedUnit{"minute", Unit::kMinute},
    NamedUnit{"minutes", Unit::kMinute},
    NamedUnit{"mon", Unit::kMonth},
    NamedUnit{"mons", Unit::kMonth},
    NamedUnit{"month", Unit::kMonth},
    NamedUnit{"months", Unit::kMonth},
    NamedUnit{"ms", Unit::kMillisecond},
    NamedUnit{"msec", Unit::kMillisecond},
    NamedUnit{"msecond", Unit::kMillisecond},
    NamedUnit{"mseconds", Unit::kMillisecond},
    NamedUnit{"msecs", Unit::kMillisecond},
    NamedUnit{"qtr", Unit::kUnusable},
    NamedUnit{"quarter", Unit::kUnusable},
    NamedUnit{"s", Unit::kSecond},
    NamedUnit{"sec", Unit::kSecond},
    NamedUnit{"second", Unit::kSecond},
    NamedUnit{"seconds", Unit::kSecond},
    NamedUnit{"secs", Unit::kSecond},
    NamedUnit{"timezone", Unit::kUnusable},
    NamedUnit{"us", Unit::kMicrosecond},
    NamedUnit{"usec", Unit::kMicrosecond},
    NamedUnit{"usecond", Unit::kMicrosecond},
    NamedUnit{"useconds", Unit::kMicrosecond},
    NamedUnit{"usecs", Unit::kMicrosecond},
    NamedUnit{"w", Unit::kWeek},
    NamedUnit{"week", Unit::kWeek},
    NamedUnit{"weeks", Unit::kWeek},
    NamedUnit{"y", Unit::kYear},
    NamedUnit{"year", Unit::kYear},
    NamedUnit{"years", Unit::kYear},
    NamedUnit{"yr", Unit::kYear},
    NamedUnit{"yrs", Unit::kYear},
};

}  // namespace

std::optional<IntervalUnit> find_interval_unit(std::string_view name) {
  const std::string_view letters = name.substr(0, kLettersMax);
  const auto* const found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const NamedUnit& each) { return each.name == letters; });
  return found == kUnits.end() ? std::nullopt : std::optional(found->unit);
}

bool add_to(IntervalFields& fields, const IntervalNumber& number, IntervalUnit unit) {
  switch (unit) {
    case Unit::kMicrosecond:
      return fields.add_time(number, 1);
    case Unit::kMillisecond:
      return fields.add_time(number, kMicrosPerSecond / 1'000);
    case Unit::kSecond:
      return fields.add_time(number, kMicrosPerSecond);
    case Unit::kMinute:
      return fields.add_time(number, kMicrosPerMinute);
    case Unit::kHour:
      return fields.add_time(number, kMicrosPerHour);
    case Unit::kDay:
      return fields.add_day(number);
    case Unit::kWeek:
      return fields.add_days(number, 7);
    case Unit::kMonth:
      return fields.add_months(number);
    case Unit::kYear:
      return fields.add_years(number, 1);
    case Unit::kDecade:
      return fields.add_years(number, 10);
    case Unit::kCentury:
      return fields.add_years(number, 100);
    case Unit::kMillennium:
      return fields.add_years(number, 1'000);
    case Unit::kUnusable:
      break;
  }
  return false;
}

}  // namespace daedalus::semantics

#include "daedalus/semantics/interval_modifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interval.hpp"
#include "interval_reader.hpp"
#include "interval_units.hpp"

namespace daedalus::semantics {
namespace {

constexpr int32_t kNoPrecision = 0xffff;
constexpr uint32_t kFieldsShift = 16;

/// INTERVAL may be followed by one of these.
constexpr std::array kFieldLists{
    kYearField,
    kMonthField,
    kYearField | kMonthField,
    kDayField,
    kHourField,
    kMinuteField,
    kSecondField,
    kDayField | kHourField,
    kDayField | kHourField | kMinuteField,
    kDayField | kHourField | kMinuteField | kSecondField,
    kHourField | kMinuteField,
    kHourField | kMinuteField | kSecondField,
    kMinuteField | kSecondField,
    kAllIntervalFields,
};

/// The smallest part of the time that is kept.
int64_t kept_micros(uint32_t fields) {
  return (fields & kSecondField) != 0 ? 1 : (fields & kMinuteField) != 0 ? kMicrosPerMinute : kMicrosPerHour;
}

Interval with_fields(const Interval& interval, uint32_t fields) {
  if (fields == kYearField) {
    return {interval.months / 12 * 12, 0, 0};
  }
  if ((fields & ~(kYearField | kMonthField)) == 0) {
    return {interval.months, 0, 0};
  }
  if (fields == kDayField) {
    return {interval.months, interval.days, 0};
  }
  const int64_t unit = kept_micros(fields);
  return {interval.months, interval.days, interval.micros / unit * unit};
}

/// Halves away from zero.
__int128 rounded(int64_t micros, int32_t precision) {
  int64_t unit = 1;
  for (int32_t digit = precision; digit < kIntervalPrecisionMax; ++digit) {
    unit *= 10;
  }
  const __int128 half = unit / 2;
  return micros >= 0 ? (micros + half) / unit * unit : -((-__int128{micros} + half) / unit * unit);
}

}  // namespace

int32_t number_of(IntervalModifier modifier) {
  return modifier.is_none()
             ? -1
             : static_cast<int32_t>(modifier.fields << kFieldsShift) | modifier.precision.value_or(kNoPrecision);
}

Result<IntervalModifier> interval_modifier(int32_t number) {
  if (number < 0) {
    return IntervalModifier{};
  }
  IntervalModifier made{static_cast<uint32_t>(number) >> kFieldsShift, number & kNoPrecision};
  if (std::find(kFieldLists.begin(), kFieldLists.end(), made.fields) == kFieldLists.end()) {
    return rejected("22023", "invalid INTERVAL type modifier");
  }
  if (made.precision == kNoPrecision) {
    made.precision = std::nullopt;
  } else if (*made.precision > kIntervalPrecisionMax) {
    return rejected("22023", fmt::format("interval({}) precision must be between 0 and {}", *made.precision,
                                         kIntervalPrecisionMax));
  }
  return made;
}

Result<Value> parse_interval(std::string_view text, IntervalModifier modifier) {
  const Result<Interval> read = read_interval(text, modifier);
  const Result<Interval> made = read ? restricted(*read, modifier) : read;
  return made ? Result<Value>(Value(*made)) : made.error();
}

Result<Interval> restricted(const Interval& interval, IntervalModifier modifier) {
  const Interval kept = modifier.fields == kAllIntervalFields ? interval : with_fields(interval, modifier.fields);
  return modifier.precision ? make_interval(kept.months, kept.days, rounded(kept.micros, *modifier.precision))
                            : Result<Interval>(kept);
}

}  // namespace daedalus::semantics

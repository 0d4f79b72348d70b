#include "interval_functions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/interval_modifier.hpp"
#include "interval.hpp"
#include "time_fields.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using Int128 = __int128;

using enum TypeKind;

// ---- fields ----

/// An interval's fields, each with the interval's sign.
struct Fields {
  int64_t year;
  int64_t month;
  int64_t day;
  int64_t hour;
  int64_t minute;
  int64_t micros;  ///< Within the minute.
};

Fields fields_of(const Interval& interval) {
  const int64_t minutes = interval.micros / (60 * kMicrosPerSecond);
  return {interval.months / 12, interval.months % 12, interval.days,
          minutes / 60,         minutes % 60,         interval.micros % (60 * kMicrosPerSecond)};
}

/// A field that is a whole number; nothing for those that intervals do not have.
std::optional<int64_t> whole_field(Field field, const Fields& fields) {
  switch (field) {
    case Field::kMicroseconds:
      return fields.micros;
    case Field::kMinute:
      return fields.minute;
    case Field::kHour:
      return fields.hour;
    case Field::kDay:
      return fields.day;
    case Field::kMonth:
      return fields.month;
    case Field::kQuarter:
      return fields.month / 3 + 1;
    case Field::kYear:
      return fields.year;
    case Field::kDecade:
      return fields.year / 10;
    case Field::kCentury:
      return fields.year / 100;
    case Field::kMillennium:
      return fields.year / 1'000;
    default:
      return std::nullopt;
  }
}

/// A year has 365.25 days here, a month 30.
BigInt epoch_micros(const Interval& interval) {
  const int64_t quarter_days =
      int64_t{1'461} * (interval.months / 12) + 4 * kDaysPerMonth * (interval.months % 12) + int64_t{4} * interval.days;
  return BigInt(quarter_days) * (kMicrosPerDay / 4) + interval.micros;
}

double epoch_seconds(const Interval& interval) {
  double result = static_cast<double>(interval.micros) / 1'000'000.0;
  result += 365.25 * 86'400 * (interval.months / 12);
  result += 30.0 * 86'400 * (interval.months % 12);
  return result + 86'400.0 * interval.days;
}

/// Gives a field as numeric, with the digits that PostgreSQL gives it, or in double precision.
template <bool kIsNumeric>
Result<Value> field_of_interval(const Value& unit, const Interval& interval) {
  const Result<Field> field = field_of(unit, kInterval);
  if (!field) {
    return field.error();
  }
  const Fields fields = fields_of(interval);
  const int64_t seconds = fields.micros / kMicrosPerSecond;
  const auto micros = static_cast<double>(fields.micros % kMicrosPerSecond);
  const auto made = [](const Decimal& exact, double rounded) { return kIsNumeric ? Value(exact) : Value(rounded); };
  switch (*field) {
    case Field::kMilliseconds:
      return made({fields.micros, 3}, static_cast<double>(seconds) * 1'000.0 + micros / 1'000.0);
    case Field::kSecond:
      return made({fields.micros, 6}, static_cast<double>(seconds) + micros / 1'000'000.0);
    case Field::kEpoch:
      return kIsNumeric ? Value(Decimal{epoch_micros(interval), 6}) : Value(epoch_seconds(interval));
    default:
      break;
  }
  const std::optional<int64_t> whole = whole_field(*field, fields);
  return whole ? Result<Value>(made({*whole, 0}, static_cast<double>(*whole))) : field_not_supported(unit, kInterval);
}

// ---- truncation ----

Interval cut_months(const Interval& interval, int32_t unit) { return {interval.months / unit * unit, 0, 0}; }
Interval cut_time(const Interval& interval, int64_t unit) {
  return {interval.months, interval.days, interval.micros / unit * unit};
}

// ---- full days and months ----

Result<Value> fitted(Int128 months, Int128 days, Int128 micros) {
  constexpr auto kMin = std::numeric_limits<int32_t>::min();
  constexpr auto kMax = std::numeric_limits<int32_t>::max();
  if (months < kMin || months > kMax || days < kMin || days > kMax) {
    return rejected("22008", "interval out of range");
  }
  return Value(Interval{static_cast<int32_t>(months), static_cast<int32_t>(days), static_cast<int64_t>(micros)});
}

/// Full units of the smaller go to the larger, and both have the larger one's sign.
void carry(Int128& larger, Int128& smaller, int64_t size) {
  larger += smaller / size;
  smaller %= size;
  if (larger > 0 && smaller < 0) {
    smaller += size;
    --larger;
  } else if (larger < 0 && smaller > 0) {
    smaller -= size;
    ++larger;
  }
}

Result<Value> justify_hours(Arguments arguments, const BoundExpression&) {
  const auto& from = std::get<Interval>(arguments[0]);
  Int128 days = from.days;
  Int128 micros = from.micros;
  carry(days, micros, kMicrosPerDay);
  return fitted(from.months, days, micros);
}

Result<Value> justify_days(Arguments arguments, const BoundExpression&) {
  const auto& from = std::get<Interval>(arguments[0]);
  Int128 months = from.months;
  Int128 days = from.days;
  carry(months, days, kDaysPerMonth);
  return fitted(months, days, from.micros);
}

Result<Value> justify_interval(Arguments arguments, const BoundExpression&) {
  const auto& from = std::get<Interval>(arguments[0]);
  Int128 days = Int128{from.days} + from.micros / kMicrosPerDay;
  Int128 micros = from.micros % kMicrosPerDay;
  Int128 months = from.months + days / kDaysPerMonth;
  days %= kDaysPerMonth;
  if (months > 0 && (days < 0 || (days == 0 && micros < 0))) {
    days += kDaysPerMonth;
    --months;
  } else if (months < 0 && (days > 0 || (days == 0 && micros > 0))) {
    days -= kDaysPerMonth;
    ++months;
  }
  if (days > 0 && micros < 0) {
    micros += kMicrosPerDay;
    --days;
  } else if (days < 0 && micros > 0) {
    micros -= kMicrosPerDay;
    ++days;
  }
  return fitted(months, days, micros);
}

// ---- made of parts ----

/// Years, months, weeks, days, hours, minutes, seconds.
Result<Value> interval_of_parts(Arguments arguments, const BoundExpression&) {
  const auto part = [&](size_t place) { return Int128{integer(arguments[place])}; };
  const double micros = std::rint(floating(arguments[6]) * static_cast<double>(kMicrosPerSecond));
  if (!(micros >= -0x1p63 && micros < 0x1p63)) {
    return rejected("22008", "interval out of range");
  }
  const Result<Interval> made =
      make_interval(part(0) * 12 + part(1), part(2) * 7 + part(3),
                    (part(4) * 60 + part(5)) * 60 * kMicrosPerSecond + static_cast<int64_t>(micros));
  return made ? Result<Value>(Value(*made)) : made.error();
}

/// Leaves of an interval what the fields and the precision of a type's name let stand.
Result<Value> restricted_interval(Arguments arguments, const BoundExpression&) {
  const int64_t number = integer(arguments[1]);
  const Result<IntervalModifier> modifier = interval_modifier(static_cast<int32_t>(number));
  if (!modifier) {
    // A modifier that no type's name can say is a fault of its own there.
    return modifier.error().message.starts_with("invalid")
               ? rejected("XX000", fmt::format("unrecognized interval typmod: {}", number))
               : modifier.error();
  }
  const Result<Interval> made = restricted(std::get<Interval>(arguments[0]), *modifier);
  return made ? Result<Value>(Value(*made)) : made.error();
}

// ---- age ----

/// Years, months, days and time from the earlier SQL timestamp to the later one, by the calendar. Days that are
/// borrowed are those of the earlier SQL timestamp's month.
Interval age_between(int64_t later, int64_t earlier) {
  const int64_t later_days = floor_div(later, kMicrosPerDay);
  const int64_t earlier_days = floor_div(earlier, kMicrosPerDay);
  const CivilDate to = civil_from_days(later_days);
  const CivilDate from = civil_from_days(earlier_days);
  int64_t micros = (later - later_days * kMicrosPerDay) - (earlier - earlier_days * kMicrosPerDay);
  int64_t days = int64_t{to.day} - from.day;
  int64_t months = (to.year - from.year) * 12 + to.month - from.month;
  if (micros < 0) {
    micros += kMicrosPerDay;
    --days;
  }
  while (days < 0) {
    days += days_in_month(from.year, from.month);
    --months;
  }
  return {static_cast<int32_t>(months), static_cast<int32_t>(days), micros};
}

Result<Value> age(Arguments arguments, const BoundExpression&) {
  const int64_t left = integer(arguments[0]);
  const int64_t right = integer(arguments[1]);
  if (is_infinite_timestamp(left) || is_infinite_timestamp(right)) {
    return infinite_age();
  }
  return Value(age_of_clocks(left, right, left < right));
}

}  // namespace

Error infinite_age() { return rejected("22008", "timestamp out of range"); }

Interval age_of_clocks(int64_t left, int64_t right, bool is_earlier) {
  if (!is_earlier) {
    return age_between(left, right);
  }
  const Interval turned = age_between(right, left);
  return {-turned.months, -turned.days, -turned.micros};
}

Result<Value> extract_from_interval(Arguments arguments, const BoundExpression&) {
  return field_of_interval<true>(arguments[0], interval(arguments[1]));
}

Result<Value> part_of_interval(Arguments arguments, const BoundExpression&) {
  return field_of_interval<false>(arguments[0], interval(arguments[1]));
}

Result<Value> truncate_interval(Arguments arguments, const BoundExpression&) {
  const Result<Field> field = field_of(arguments[0], kInterval);
  if (!field) {
    return field.error();
  }
  const auto& from = std::get<Interval>(arguments[1]);
  switch (*field) {
    case Field::kMillennium:
      return Value(cut_months(from, 12'000));
    case Field::kCentury:
      return Value(cut_months(from, 1'200));
    case Field::kDecade:
      return Value(cut_months(from, 120));
    case Field::kYear:
      return Value(cut_months(from, 12));
    case Field::kQuarter:
      return Value(cut_months(from, 3));
    case Field::kMonth:
      return Value(cut_months(from, 1));
    case Field::kDay:
      return Value(Interval{from.months, from.days, 0});
    case Field::kHour:
      return Value(cut_time(from, 3'600 * kMicrosPerSecond));
    case Field::kMinute:
      return Value(cut_time(from, 60 * kMicrosPerSecond));
    case Field::kSecond:
      return Value(cut_time(from, kMicrosPerSecond));
    case Field::kMilliseconds:
      return Value(cut_time(from, 1'000));
    case Field::kMicroseconds:
      return Value(from);
    default:
      return field_not_supported(arguments[0], kInterval);
  }
}

void add_intervals_of(Adder& adder) {
  adder.add(750, "age", {kTimestamp, kTimestamp}, kInterval, age);
  adder.add(751, "justify_hours", {kInterval}, kInterval, justify_hours);
  adder.add(752, "justify_days", {kInterval}, kInterval, justify_days);
  adder.add(753, "justify_interval", {kInterval}, kInterval, justify_interval);
  adder.add(754, "make_interval", {kInt, kInt, kInt, kInt, kInt, kInt, TypeKind::kDouble}, kInterval,
            interval_of_parts);
  adder.add(755, "interval", {kInterval, kInt}, kInterval, restricted_interval);
  adder.add(756, "age", {TypeKind::kTimestampTz, TypeKind::kTimestampTz}, kInterval, age);
}

}  // namespace daedalus::semantics::scalar

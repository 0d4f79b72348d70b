// Functions of dates, timestamps and intervals, as PostgreSQL's date.c and timestamp.c have them.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "adder.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "interval.hpp"
#include "interval_functions.hpp"
#include "time_fields.hpp"
#include "time_of_day.hpp"
#include "timestamptz_functions.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

template <typename Made>
Result<Value> as_value(const Result<Made>& made) {
  return made ? Result<Value>(Value(*made)) : made.error();
}

// ---- arithmetic ----

/// An SQL timestamp in the first argument, or in the second where kIsTurned, moved there or back.
template <bool kIsDate, bool kIsTurned, bool kIsBack>
Result<Value> moved(Arguments arguments, const BoundExpression&) {
  const int64_t from = integer(arguments[kIsTurned ? 1 : 0]);
  const Interval& by = interval(arguments[kIsTurned ? 0 : 1]);
  const Result<int64_t> sql_timestamp = kIsDate ? midnight_of(from) : Result<int64_t>(from);
  const Result<Interval> way = kIsBack ? negated(by) : Result<Interval>(by);
  if (!sql_timestamp || !way) {
    return !sql_timestamp ? sql_timestamp.error() : way.error();
  }
  return as_value(add_interval(*sql_timestamp, *way));
}

Result<Value> between_timestamps(Arguments arguments, const BoundExpression&) {
  if (is_infinite_timestamp(integer(arguments[0])) || is_infinite_timestamp(integer(arguments[1]))) {
    return rejected("22008", "cannot subtract infinite timestamps");
  }
  const __int128 micros = __int128{integer(arguments[0])} - integer(arguments[1]);
  return Value(Interval{0, static_cast<int32_t>(micros / kMicrosPerDay), static_cast<int64_t>(micros % kMicrosPerDay)});
}

Result<Value> sum_of_intervals(Arguments arguments, const BoundExpression&) {
  return as_value(add_intervals(interval(arguments[0]), interval(arguments[1])));
}

Result<Value> difference_of_intervals(Arguments arguments, const BoundExpression&) {
  const Interval& right = interval(arguments[1]);
  const Result<Interval> turned = negated(right);
  return turned ? as_value(add_intervals(interval(arguments[0]), *turned)) : Result<Value>(turned.error());
}

Result<Value> negated_interval(Arguments arguments, const BoundExpression&) {
  return as_value(negated(interval(arguments[0])));
}

Result<Value> interval_times(Arguments arguments, const BoundExpression&) {
  return as_value(multiplied(interval(arguments[0]), floating(arguments[1])));
}

Result<Value> times_interval(Arguments arguments, const BoundExpression&) {
  return as_value(multiplied(interval(arguments[1]), floating(arguments[0])));
}

Result<Value> interval_by(Arguments arguments, const BoundExpression&) {
  return as_value(divided(interval(arguments[0]), floating(arguments[1])));
}

// ---- fields ----

struct SqlTimestamp {
  int64_t days = 0;
  int64_t time = 0;  ///< Microseconds of the day.
  CivilDate date;
};

SqlTimestamp timestamp_of(int64_t micros) {
  const int64_t days = floor_div(micros, kMicrosPerDay);
  return {days, micros - days * kMicrosPerDay, civil_from_days(days)};
}

/// How a year is counted that calendars count from 0 on: 0 is 1 before Christ, which is -1.
int64_t with_sign_of_era(int64_t year) { return year > 0 ? year : year - 1; }

/// Which of the spans of so many years a year is in: the first after Christ is 1, the one before it -1.
int64_t span_of_years(int64_t year, int64_t years) {
  return year > 0 ? (year + years - 1) / years : -((years - year) / years);
}

/// A field that is a whole number. An SQL timestamp's clock may show a time before Christ where its zone is west of
/// UTC.
int64_t whole_field(Field field, const SqlTimestamp& sql_timestamp) {
  const auto year = sql_timestamp.date.year;
  switch (field) {
    case Field::kMinute:
      return sql_timestamp.time / (60 * kMicrosPerSecond) % 60;
    case Field::kHour:
      return sql_timestamp.time / (3'600 * kMicrosPerSecond);
    case Field::kDay:
      return sql_timestamp.date.day;
    case Field::kWeek:
      return (sql_timestamp.days - iso_year_start(iso_year_of(sql_timestamp.days, year))) / 7 + 1;
    case Field::kMonth:
      return sql_timestamp.date.month;
    case Field::kQuarter:
      return (sql_timestamp.date.month - 1) / 3 + 1;
    case Field::kYear:
      return with_sign_of_era(year);
    case Field::kDecade:
      return floor_div(year, 10);
    case Field::kCentury:
      return span_of_years(year, 100);
    case Field::kMillennium:
      return span_of_years(year, 1'000);
    case Field::kDayOfWeek:
      return day_of_week(sql_timestamp.days);
    case Field::kIsoDayOfWeek:
      return day_of_week(sql_timestamp.days) == 0 ? 7 : day_of_week(sql_timestamp.days);
    case Field::kDayOfYear:
      return sql_timestamp.days - days_from_civil({year, 1, 1}) + 1;
    case Field::kIsoYear:
      return with_sign_of_era(iso_year_of(sql_timestamp.days, year));
    case Field::kTimezone:
    case Field::kTimezoneHour:
    case Field::kTimezoneMinute:
      return 0;  // UTC's.
    default:
      return sql_timestamp.time % (60 * kMicrosPerSecond);  // kMicroseconds
  }
}

/// A field of a clock's zone, which is so many seconds east of UTC; nothing: it is another's.
std::optional<int64_t> zone_field(Field field, int64_t offset) {
  switch (field) {
    case Field::kTimezone:
      return offset;
    case Field::kTimezoneHour:
      return offset / 3'600;
    case Field::kTimezoneMinute:
      return offset / 60 % 60;
    default:
      return std::nullopt;
  }
}

/// The time that counts for a field: seconds since 1970 are the same everywhere.
int64_t on_clock(Field field, int64_t sql_timestamp, int64_t offset) {
  return field == Field::kEpoch ? sql_timestamp : sql_timestamp + offset * kMicrosPerSecond;
}

constexpr int64_t kJulianOfEpoch = 2'440'588;

/// Says whether a field grows as time passes, so that infinity has an infinite one. Of others it has none: NULL.
bool grows(Field field) {
  switch (field) {
    case Field::kYear:
    case Field::kDecade:
    case Field::kCentury:
    case Field::kMillennium:
    case Field::kIsoYear:
    case Field::kEpoch:
    case Field::kJulian:
      return true;
    default:
      return false;
  }
}

/// A field of infinity, as double precision.
Value part_of_infinity(Field field, bool is_early) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return grows(field) ? Value(is_early ? -kInfinity : kInfinity) : Value();
}

/// Returns a field of infinity as numeric, which has no infinity here. Error 0A000: the field grows.
Result<Value> extracted_of_infinity(Field field, bool is_early) {
  if (!grows(field)) {
    return Value();
  }
  return rejected("0A000", fmt::format("numeric \"{}Infinity\" is not supported", is_early ? "-" : ""),
                  "date_part() says it as double precision");
}

/// As numeric, with the digits that PostgreSQL gives it.
Decimal extracted(Field field, int64_t micros) {
  const SqlTimestamp sql_timestamp = timestamp_of(micros);
  const int64_t within_minute = sql_timestamp.time % (60 * kMicrosPerSecond);
  switch (field) {
    case Field::kMilliseconds:
      return {within_minute, 3};
    case Field::kSecond:
      return {within_minute, 6};
    case Field::kEpoch:
      return {micros, 6};
    case Field::kJulian: {
      const Decimal fraction = divide({sql_timestamp.time, 0}, {kMicrosPerDay, 0});
      return add({sql_timestamp.days + kJulianOfEpoch, 0}, fraction);
    }
    default:
      return {whole_field(field, sql_timestamp), 0};
  }
}

Result<Value> extract_from_timestamp(Arguments arguments, const BoundExpression& call) {
  const Result<Field> field = field_of(arguments[0], call.arguments[1].type.kind);
  const int64_t micros = integer(arguments[1]);
  if (!field || is_infinite_timestamp(micros)) {
    return field ? extracted_of_infinity(*field, micros < 0) : field.error();
  }
  return Value(extracted(*field, micros));
}

Result<Value> extract_from_date(Arguments arguments, const BoundExpression&) {
  const Result<Field> field = field_of(arguments[0], kDate);
  if (!field) {
    return field.error();
  }
  const int64_t days = integer(arguments[1]);
  switch (*field) {
    case Field::kMicroseconds:
    case Field::kMilliseconds:
    case Field::kSecond:
    case Field::kMinute:
    case Field::kHour:
      return field_not_supported(arguments[0], kDate);
    default:
      break;
  }
  if (is_infinite_date(days)) {
    return extracted_of_infinity(*field, days < 0);
  }
  switch (*field) {
    case Field::kEpoch:
      return Value(Decimal{BigInt(days) * 86'400, 0});
    case Field::kJulian:
      return Value(Decimal{days + kJulianOfEpoch, 0});
    default:
      return Value(Decimal{whole_field(*field, {days, 0, civil_from_days(days)}), 0});
  }
}

/// As PostgreSQL rounds: whole seconds and the fraction of one each by itself.
double parted(Field field, int64_t micros) {
  const SqlTimestamp sql_timestamp = timestamp_of(micros);
  const auto seconds = static_cast<double>(sql_timestamp.time / kMicrosPerSecond % 60);
  const auto fraction = static_cast<double>(sql_timestamp.time % kMicrosPerSecond);
  switch (field) {
    case Field::kMilliseconds:
      return seconds * 1'000.0 + fraction / 1'000.0;
    case Field::kSecond:
      return seconds + fraction / 1'000'000.0;
    case Field::kEpoch:
      return static_cast<double>(micros) / 1'000'000.0;
    case Field::kJulian:
      return static_cast<double>(sql_timestamp.days + kJulianOfEpoch) +
             (static_cast<double>(sql_timestamp.time / kMicrosPerSecond) + fraction / 1'000'000.0) / 86'400.0;
    default:
      return static_cast<double>(whole_field(field, sql_timestamp));
  }
}

}  // namespace

template <bool kIsNumeric>
Result<Value> part_of_clock(const Value& unit, int64_t sql_timestamp, int64_t offset) {
  const Result<Field> field = field_of(unit, kTimestampTz);
  if (!field) {
    return field.error();
  }
  if (is_infinite_timestamp(sql_timestamp)) {
    return kIsNumeric ? extracted_of_infinity(*field, sql_timestamp < 0) : part_of_infinity(*field, sql_timestamp < 0);
  }
  if (const std::optional<int64_t> of_zone = zone_field(*field, offset)) {
    return kIsNumeric ? Value(Decimal{*of_zone, 0}) : Value(static_cast<double>(*of_zone));
  }
  const auto clock = on_clock(*field, sql_timestamp, offset);
  return kIsNumeric ? Value(extracted(*field, clock)) : Value(parted(*field, clock));
}

template Result<Value> part_of_clock<false>(const Value& unit, int64_t sql_timestamp, int64_t offset);
template Result<Value> part_of_clock<true>(const Value& unit, int64_t sql_timestamp, int64_t offset);

namespace {

template <bool kIsDate>
Result<Value> date_part(Arguments arguments, const BoundExpression& call) {
  const Result<int64_t> sql_timestamp =
      kIsDate ? midnight_of(integer(arguments[1])) : Result<int64_t>(integer(arguments[1]));
  if (!sql_timestamp) {
    return sql_timestamp.error();
  }
  const Result<Field> field = field_of(arguments[0], kIsDate ? kTimestamp : call.arguments[1].type.kind);
  if (!field || is_infinite_timestamp(*sql_timestamp)) {
    return field ? Result<Value>(part_of_infinity(*field, *sql_timestamp < 0)) : field.error();
  }
  return Value(parted(*field, *sql_timestamp));
}

// ---- truncation ----

}  // namespace

Result<Value> truncated(const Value& unit, int64_t micros, TypeKind kind) {
  if (is_infinite_timestamp(micros)) {
    return Value(micros);
  }
  const Result<Field> field = field_of(unit, kind);
  if (!field) {
    return field.error();
  }
  const SqlTimestamp sql_timestamp = timestamp_of(micros);
  const auto down = [&](int64_t step) { return Value(micros - sql_timestamp.time % step); };
  const auto from = [](CivilDate date) -> Result<Value> {
    const int64_t start = days_from_civil(date) * kMicrosPerDay;
    return start < kComputedMicrosMin ? Result<Value>(rejected("22008", "timestamp out of range")) : Value(start);
  };
  const int64_t year = sql_timestamp.date.year;
  switch (*field) {
    case Field::kMicroseconds:
      return Value(micros);
    case Field::kMilliseconds:
      return down(1'000);
    case Field::kSecond:
      return down(kMicrosPerSecond);
    case Field::kMinute:
      return down(60 * kMicrosPerSecond);
    case Field::kHour:
      return down(3'600 * kMicrosPerSecond);
    case Field::kDay:
      return down(kMicrosPerDay);
    case Field::kWeek: {
      const int64_t monday = sql_timestamp.days - (day_of_week(sql_timestamp.days) + 6) % 7;
      return from(civil_from_days(monday));
    }
    case Field::kMonth:
      return from({year, sql_timestamp.date.month, 1});
    case Field::kQuarter:
      return from({year, (sql_timestamp.date.month - 1) / 3 * 3 + 1, 1});
    case Field::kYear:
      return from({year, 1, 1});
    case Field::kDecade:
      return from({floor_div(year, 10) * 10, 1, 1});
    case Field::kCentury:
      return from({floor_div(year - 1, 100) * 100 + 1, 1, 1});
    case Field::kMillennium:
      return from({floor_div(year - 1, 1'000) * 1'000 + 1, 1, 1});
    default:
      return field_not_supported(unit, kind);
  }
}

namespace {

Result<Value> date_trunc(Arguments arguments, const BoundExpression& call) {
  return truncated(arguments[0], integer(arguments[1]), call.arguments[1].type.kind);
}

Result<Value> make_date(Arguments arguments, const BoundExpression&) {
  const int64_t year = integer(arguments[0]);
  const int64_t month = integer(arguments[1]);
  const int64_t day = integer(arguments[2]);
  const int64_t counted = year < 0 ? year + 1 : year;  // -1 is the year 1 before Christ, which calendars call 0.
  const bool is_date =
      year != 0 && month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(counted, static_cast<uint32_t>(month));
  if (!is_date) {
    return rejected("22008", fmt::format("date field value out of range: {}-{:02}-{:02}", counted, month, day));
  }
  const int64_t days = days_from_civil({counted, static_cast<uint32_t>(month), static_cast<uint32_t>(day)});
  if (days < kComputedDaysMin || days > kDateDaysMax) {
    return rejected("22008", fmt::format("date out of range: {}-{:02}-{:02}", counted, month, day));
  }
  return Value(days);
}

}  // namespace

Result<Value> make_timestamp(Arguments arguments, const BoundExpression& call) {
  const Result<Value> date = make_date(arguments.first(3), call);
  if (!date) {
    return date;
  }
  const Result<int64_t> time = time_of(integer(arguments[3]), integer(arguments[4]), floating(arguments[5]));
  if (!time) {
    return time.error();
  }
  const Result<int64_t> midnight = midnight_of(integer(*date));
  return midnight ? Result<Value>(Value(*midnight + *time)) : rejected("22008", "timestamp out of range");
}

namespace {

/// The start of the bin of so many days and microseconds, counted from an origin.
Result<Value> date_bin(Arguments arguments, const BoundExpression&) {
  const Interval& stride = interval(arguments[0]);
  if (is_infinite_timestamp(integer(arguments[1]))) {
    return arguments[1];
  }
  if (is_infinite_timestamp(integer(arguments[2]))) {
    return rejected("22008", "origin out of range");
  }
  if (stride.months != 0) {
    return rejected("0A000", "timestamps cannot be binned into intervals containing months or years");
  }
  const __int128 size = __int128{stride.days} * kMicrosPerDay + stride.micros;
  if (size > INT64_MAX || size < INT64_MIN) {
    return rejected("22008", "interval out of range");
  }
  if (size <= 0) {
    return rejected("22008", "stride must be greater than zero");
  }
  const __int128 distance = __int128{integer(arguments[1])} - integer(arguments[2]);
  __int128 bins = distance / size;
  bins -= distance % size < 0 ? 1 : 0;
  const __int128 start = integer(arguments[2]) + bins * size;
  if (start < kComputedMicrosMin || start > kTimestampMicrosMax) {
    return rejected("22008", "timestamp out of range");
  }
  return Value(static_cast<int64_t>(start));
}

/// Intervals are finite.
Result<Value> is_finite(Arguments arguments, const BoundExpression& call) {
  const TypeKind kind = call.arguments[0].type.kind;
  return Value(kind == kInterval || !is_infinite_datetime(kind, integer(arguments[0])));
}

void add_movements(Adder& adder) {
  adder.add_operator(700, "+", {kTimestamp, kInterval}, kTimestamp, moved<false, false, false>);
  adder.add_operator(701, "+", {kInterval, kTimestamp}, kTimestamp, moved<false, true, false>);
  adder.add_operator(702, "-", {kTimestamp, kInterval}, kTimestamp, moved<false, false, true>);
  adder.add_operator(703, "+", {kDate, kInterval}, kTimestamp, moved<true, false, false>);
  adder.add_operator(704, "+", {kInterval, kDate}, kTimestamp, moved<true, true, false>);
  adder.add_operator(705, "-", {kDate, kInterval}, kTimestamp, moved<true, false, true>);
  adder.add_operator(706, "-", {kTimestamp, kTimestamp}, kInterval, between_timestamps);
  adder.add_operator(707, "+", {kInterval, kInterval}, kInterval, sum_of_intervals);
  adder.add_operator(708, "-", {kInterval, kInterval}, kInterval, difference_of_intervals);
  adder.add_operator(709, "-", {kInterval}, kInterval, negated_interval);
  adder.add_operator(710, "*", {kInterval, kDouble}, kInterval, interval_times);
  adder.add_operator(711, "*", {kDouble, kInterval}, kInterval, times_interval);
  adder.add_operator(712, "/", {kInterval, kDouble}, kInterval, interval_by);
}

/// Adds what is computed as for a timestamp where the session's zone is UTC; other zones have entries of their own.
void add_timestamps_in_utc(Adder& adder) {
  adder.add_operator(800, "+", {kTimestampTz, kInterval}, kTimestampTz, moved<false, false, false>);
  adder.is_stable();
  adder.add_operator(801, "+", {kInterval, kTimestampTz}, kTimestampTz, moved<false, true, false>);
  adder.is_stable();
  adder.add_operator(802, "-", {kTimestampTz, kInterval}, kTimestampTz, moved<false, false, true>);
  adder.is_stable();
  adder.add_operator(803, "-", {kTimestampTz, kTimestampTz}, kInterval, between_timestamps);
  adder.add(804, "date_trunc", {kText, kTimestampTz}, kTimestampTz, date_trunc);
  adder.is_stable();
  adder.add(805, "date_part", {kText, kTimestampTz}, kDouble, date_part<false>);
  adder.may_be_null();
  adder.is_stable();
  adder.add(806, "extract", {kText, kTimestampTz}, TypeKind::kNumeric, extract_from_timestamp);
  adder.may_be_null();
  adder.is_stable();
  adder.add(807, "date_bin", {kInterval, kTimestampTz, kTimestampTz}, kTimestampTz, date_bin);
  adder.add(808, "isfinite", {kTimestampTz}, TypeKind::kBool, is_finite, nullptr, false);
}

}  // namespace

void add_time(Functions& functions) {
  Adder adder(functions);
  add_movements(adder);
  adder.add(720, "date_trunc", {kText, kTimestamp}, kTimestamp, date_trunc);
  adder.add(722, "date_trunc", {kText, kInterval}, kInterval, truncate_interval);
  adder.add(723, "date_part", {kText, kTimestamp}, kDouble, date_part<false>);
  adder.may_be_null();
  adder.add(724, "date_part", {kText, kDate}, kDouble, date_part<true>);
  adder.may_be_null();
  adder.add(725, "date_part", {kText, kInterval}, kDouble, part_of_interval);
  adder.add(726, "extract", {kText, kTimestamp}, TypeKind::kNumeric, extract_from_timestamp);
  adder.may_be_null();
  adder.add(727, "extract", {kText, kDate}, TypeKind::kNumeric, extract_from_date);
  adder.may_be_null();
  adder.add(728, "extract", {kText, kInterval}, TypeKind::kNumeric, extract_from_interval);
  adder.add(729, "make_date", {kInt, kInt, kInt}, kDate, make_date);
  adder.add(730, "make_timestamp", {kInt, kInt, kInt, kInt, kInt, kDouble}, kTimestamp, make_timestamp);
  adder.add(731, "date_bin", {kInterval, kTimestamp, kTimestamp}, kTimestamp, date_bin);
  for (const auto& [number, kind] : {NumberedKind{740, kDate}, {741, kTimestamp}, {742, kInterval}}) {
    adder.add(number, "isfinite", {kind}, TypeKind::kBool, is_finite, nullptr, false);
  }
  add_intervals_of(adder);
  add_timestamps_in_utc(adder);
  add_zones(adder);
}

}  // namespace daedalus::semantics::scalar

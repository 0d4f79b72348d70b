// Functions of SQL timestamps and time zones, as PostgreSQL's timestamp.c has them. A zone comes as the text that it is
// bound as: see time_zone.hpp.
#include "timestamptz_functions.hpp"

#include <fmt/format.h>

#include <cmath>

#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "interval.hpp"
#include "time_fields.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

int64_t seconds_of(int64_t micros) { return floor_div(micros, kMicrosPerSecond); }

}  // namespace

int64_t offset_at(const BoundZone& zone, int64_t sql_timestamp) { return zone.offset_at(seconds_of(sql_timestamp)); }

Result<Value> moved_by(int64_t micros, int64_t seconds) {
  if (is_infinite_timestamp(micros)) {
    return Value(micros);
  }
  const int64_t by = seconds * kMicrosPerSecond;
  if (by < 0 ? micros < kComputedMicrosMin - by : micros > kTimestampMicrosMax - by) {
    return rejected("22008", "timestamp out of range");
  }
  return Value(micros + by);
}

Result<Value> clock_in(const Value& zone, int64_t sql_timestamp) {
  const Result<BoundZone> read = BoundZone::read(text(zone));
  return read ? moved_by(sql_timestamp, offset_at(*read, sql_timestamp)) : read.error();
}

Result<Value> timestamptz_of_clock(const Value& zone, int64_t clock) {
  const Result<BoundZone> read = BoundZone::read(text(zone));
  return read ? moved_by(clock, -read->offset_of_local(seconds_of(clock))) : read.error();
}

namespace {

/// timestamptz AT TIME ZONE: what a clock on the wall shows there.
Result<Value> clock_at_zone(Arguments arguments, const BoundExpression&) {
  return clock_in(arguments[0], integer(arguments[1]));
}

/// timestamp AT TIME ZONE: when a clock on the wall shows that.
Result<Value> timestamptz_at_zone(Arguments arguments, const BoundExpression&) {
  return timestamptz_of_clock(arguments[0], integer(arguments[1]));
}

/// A zone as an interval, in one direction or the other.
template <int kDirection>
Result<Value> at_interval(Arguments arguments, const BoundExpression&) {
  if (is_infinite_timestamp(integer(arguments[1]))) {
    return arguments[1];
  }
  const auto& zone = std::get<Interval>(arguments[0]);
  if (zone.months != 0 || zone.days != 0) {
    return rejected("22023",
                    fmt::format("interval time zone \"{}\" must not include months or days", format_interval(zone)));
  }
  const int64_t seconds = zone.micros / kMicrosPerSecond;
  constexpr int64_t kSecondsMax = kTimestampMicrosMax / kMicrosPerSecond;
  if (seconds > kSecondsMax || seconds < -kSecondsMax) {
    return rejected("22008", "timestamp out of range");
  }
  return moved_by(integer(arguments[1]), kDirection * seconds);
}

/// From a day on the zone's offset is the one that it has at the day's beginning; within it stays what it is.
bool is_of_calendar(const Value& unit) {
  const Result<Field> field = field_of(unit, kTimestampTz);
  return field && *field >= Field::kDay;
}

Result<Value> truncated_at_zone(Arguments arguments, const BoundExpression&) {
  const Result<BoundZone> read = BoundZone::read(text(arguments[2]));
  if (!read) {
    return read.error();
  }
  const BoundZone zone = read->of_place();
  const int64_t micros = integer(arguments[1]);
  if (is_infinite_timestamp(micros)) {
    return Value(micros);
  }
  const int64_t offset = offset_at(zone, micros);
  const Result<Value> clock = moved_by(micros, offset);
  const Result<Value> cut = clock ? truncated(arguments[0], integer(*clock), kTimestampTz) : clock;
  if (!cut) {
    return cut;
  }
  const int64_t local = integer(*cut);
  return moved_by(local, -(is_of_calendar(arguments[0]) ? zone.offset_of_local(seconds_of(local)) : offset));
}

Result<Value> make_at_zone(Arguments arguments, const BoundExpression& call) {
  const Result<Value> clock = make_timestamp(arguments.first(6), call);
  const Result<BoundZone> zone = BoundZone::read(text(arguments[6]));
  if (!clock || !zone) {
    return !clock ? clock : zone.error();
  }
  const int64_t local = integer(*clock);
  return moved_by(local, -zone->offset_of_local(seconds_of(local)));
}

/// Seconds since 1970. As PostgreSQL rounds: after it has made them seconds since 2000.
Result<Value> to_timestamp_of_epoch(Arguments arguments, const BoundExpression&) {
  constexpr double kSecondsTo2000 = 946'684'800;
  const double seconds = floating(arguments[0]);
  if (std::isnan(seconds)) {
    return rejected("22008", "timestamp cannot be NaN");
  }
  if (std::isinf(seconds)) {
    return Value(infinity_of(kTimestampTz, seconds < 0));
  }
  const double micros = std::rint((seconds - kSecondsTo2000) * static_cast<double>(kMicrosPerSecond));
  constexpr auto kLow = static_cast<double>(kComputedMicrosMin - kMicrosFrom1970To2000);
  constexpr auto kHigh = static_cast<double>(kTimestampMicrosMax - kMicrosFrom1970To2000);
  if (micros < kLow || micros >= kHigh) {
    return rejected("22008", fmt::format("timestamp out of range: \"{:g}\"", seconds));
  }
  return Value(static_cast<int64_t>(micros) + kMicrosFrom1970To2000);
}

}  // namespace

void add_zones(Adder& adder) {
  adder.add(820, "timezone", {kText, kTimestampTz}, kTimestamp, clock_at_zone);
  adder.takes_zone(0);
  adder.add(821, "timezone", {kText, kTimestamp}, kTimestampTz, timestamptz_at_zone);
  adder.takes_zone(0);
  adder.add(822, "timezone", {kInterval, kTimestampTz}, kTimestamp, at_interval<1>);
  adder.add(823, "timezone", {kInterval, kTimestamp}, kTimestampTz, at_interval<-1>);
  adder.add(824, "date_trunc", {kText, kTimestampTz, kText}, kTimestampTz, truncated_at_zone);
  adder.is_stable();
  adder.takes_zone(2);
  adder.add(825, "make_timestamptz", {kInt, kInt, kInt, kInt, kInt, kDouble}, kTimestampTz, make_timestamp);
  adder.is_stable();
  adder.add(826, "make_timestamptz", {kInt, kInt, kInt, kInt, kInt, kDouble, kText}, kTimestampTz, make_at_zone);
  adder.is_stable();
  adder.takes_zone(6, true);
  adder.add(827, "to_timestamp", {kDouble}, kTimestampTz, to_timestamp_of_epoch);
}

}  // namespace daedalus::semantics::scalar

// Functions of times of day, as PostgreSQL's date.c has them. What takes an interval takes a time, too: it is cast.
#include <fmt/format.h>

#include <cmath>

#include "adder.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "time_fields.hpp"
#include "time_of_day.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {

namespace {

using enum TypeKind;

}  // namespace

Result<int64_t> midnight_of(int64_t days) {
  if (is_infinite_date(days)) {
    return infinity_of(kTimestamp, days < 0);
  }
  if (days > kTimestampMicrosMax / kMicrosPerDay) {
    return rejected("22008", "date out of range for timestamp");
  }
  return days * kMicrosPerDay;
}

Result<Value> clock_of_parts(int64_t days, int64_t time) {
  const Result<int64_t> midnight = midnight_of(days);
  if (!midnight) {
    return midnight.error();
  }
  if (is_infinite_timestamp(*midnight)) {
    return Value(*midnight);
  }
  return *midnight > kTimestampMicrosMax - time ? Result<Value>(rejected("22008", "timestamp out of range"))
                                                : Value(*midnight + time);
}

Result<int64_t> time_of(int64_t hour, int64_t minute, double seconds) {
  const double micros = std::rint(seconds * kMicrosPerSecond);
  const bool is_time =
      hour >= 0 && hour <= 24 && minute >= 0 && minute <= 59 && micros >= 0 && micros <= 60.0 * kMicrosPerSecond;
  const int64_t time =
      is_time ? (hour * 60 + minute) * kMicrosPerMinute + static_cast<int64_t>(micros) : kTimeMicrosMax + 1;
  if (time > kTimeMicrosMax) {
    return rejected("22008", fmt::format("time field value out of range: {}:{:02}:{:02g}", hour, minute, seconds));
  }
  return time;
}

namespace {

// ---- arithmetic ----

/// A time in the first argument, or in the second where kIsTurned, moved there or back within its day: days and months
/// do not count. Beyond 64 bits it goes round, as in PostgreSQL.
template <bool kIsTurned, bool kIsBack>
Result<Value> moved(Arguments arguments, const BoundExpression&) {
  const auto time = static_cast<uint64_t>(integer(arguments[kIsTurned ? 1 : 0]));
  const auto way = static_cast<uint64_t>(std::get<Interval>(arguments[kIsTurned ? 0 : 1]).micros);
  const auto micros = static_cast<int64_t>(kIsBack ? time - way : time + way);
  return Value(floor_mod(micros, kMicrosPerDay));
}

Result<Value> between_times(Arguments arguments, const BoundExpression&) {
  return Value(Interval{0, 0, integer(arguments[0]) - integer(arguments[1])});
}

template <bool kIsTurned>
Result<Value> at_time(Arguments arguments, const BoundExpression&) {
  return clock_of_parts(integer(arguments[kIsTurned ? 1 : 0]), integer(arguments[kIsTurned ? 0 : 1]));
}

Result<Value> make_time(Arguments arguments, const BoundExpression&) {
  const Result<int64_t> time = time_of(integer(arguments[0]), integer(arguments[1]), floating(arguments[2]));
  return time ? Result<Value>(Value(*time)) : time.error();
}

// ---- fields ----

/// Gives a field as numeric, with the digits that PostgreSQL gives it, or in double precision.
template <bool kIsNumeric>
Result<Value> part_of_time(Arguments arguments, const BoundExpression&) {
  const Result<Field> field = field_of(arguments[0], kTime);
  if (!field) {
    return field.error();
  }
  const int64_t time = integer(arguments[1]);
  const int64_t seconds = time % kMicrosPerMinute / kMicrosPerSecond;
  const auto fraction = static_cast<double>(time % kMicrosPerSecond);
  const auto made = [](const Decimal& exact, double rounded) { return kIsNumeric ? Value(exact) : Value(rounded); };
  const auto whole = [&](int64_t number) { return made({number, 0}, static_cast<double>(number)); };
  switch (*field) {
    case Field::kMicroseconds:
      return whole(time % kMicrosPerMinute);
    case Field::kMilliseconds:
      return made({time % kMicrosPerMinute, 3}, static_cast<double>(seconds) * 1'000.0 + fraction / 1'000.0);
    case Field::kSecond:
      return made({time % kMicrosPerMinute, 6}, static_cast<double>(seconds) + fraction / 1'000'000.0);
    case Field::kMinute:
      return whole(time / kMicrosPerMinute % 60);
    case Field::kHour:
      return whole(time / (60 * kMicrosPerMinute));
    case Field::kEpoch:
      return made({time, 6}, static_cast<double>(time) / 1'000'000.0);
    default:
      return field_not_supported(arguments[0], kTime);
  }
}

}  // namespace

void add_time_of_day(Functions& functions) {
  Adder adder(functions);
  adder.add_operator(1300, "+", {kTime, kInterval}, kTime, moved<false, false>, nullptr, false);
  adder.add_operator(1301, "+", {kInterval, kTime}, kTime, moved<true, false>, nullptr, false);
  adder.add_operator(1302, "-", {kTime, kInterval}, kTime, moved<false, true>, nullptr, false);
  adder.add_operator(1303, "-", {kTime, kTime}, kInterval, between_times, nullptr, false);
  adder.add_operator(1304, "+", {kDate, kTime}, kTimestamp, at_time<false>);
  adder.add_operator(1305, "+", {kTime, kDate}, kTimestamp, at_time<true>);
  adder.add(1310, "date_part", {kText, kTime}, kDouble, part_of_time<false>);
  adder.add(1311, "extract", {kText, kTime}, TypeKind::kNumeric, part_of_time<true>);
  adder.add(1312, "make_time", {kInt, kInt, kDouble}, kTime, make_time);
}

}  // namespace daedalus::semantics::scalar

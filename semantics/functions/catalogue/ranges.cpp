// in_range(value, base, offset, is_before, is_less): whether a value is within a window's frame, as PostgreSQL asks for
// RANGE with an offset: at most (is_less) or at least base - offset (is_before) or base + offset.
#include <cmath>

#include "adder.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "interval.hpp"
#include "time_of_day.hpp"
#include "timestamptz_functions.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

bool is_before(Arguments arguments) { return std::get<bool>(arguments[3]); }
bool is_less(Arguments arguments) { return std::get<bool>(arguments[4]); }

Error negative_offset() { return rejected("22013", "invalid preceding or following size in window function"); }

template <typename Number>
Result<Value> held(Arguments arguments, const Number& value, const Number& end) {
  return Value(is_less(arguments) ? value <= end : value >= end);
}

/// Wide enough for any sum.
__int128 moved(Arguments arguments, __int128 base, __int128 offset) {
  return is_before(arguments) ? base - offset : base + offset;
}

Result<Value> integer_in_range(Arguments arguments, const BoundExpression&) {
  if (integer(arguments[2]) < 0) {
    return negative_offset();
  }
  return held(arguments, __int128{integer(arguments[0])},
              moved(arguments, integer(arguments[1]), integer(arguments[2])));
}

/// NaN is above all, and equals itself.
Result<Value> floating_in_range(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  const double base = floating(arguments[1]);
  const double offset = floating(arguments[2]);
  if (std::isnan(offset) || offset < 0) {
    return negative_offset();
  }
  if (std::isnan(value) || std::isnan(base)) {
    return Value(std::isnan(value) && std::isnan(base) ? true : is_less(arguments) == std::isnan(base));
  }
  // From infinity back by infinity lies everything.
  if (std::isinf(offset) && std::isinf(base) && (base > 0) == is_before(arguments)) {
    return Value(true);
  }
  return held(arguments, value, is_before(arguments) ? base - offset : base + offset);
}

Result<Value> numeric_in_range(Arguments arguments, const BoundExpression&) {
  const Decimal& offset = decimal(arguments[2]);
  if (offset.unscaled < 0) {
    return negative_offset();
  }
  const Decimal way = is_before(arguments) ? Decimal{BigInt(-offset.unscaled), offset.scale} : offset;
  return held(arguments, compare_decimals(decimal(arguments[0]), add(decimal(arguments[1]), way)), 0);
}

}  // namespace

Result<Interval> way_to_end(Arguments arguments) {
  const Interval& offset = interval(arguments[2]);
  if (interval_micros(offset) < 0) {
    return negative_offset();
  }
  return is_before(arguments) ? negated(offset) : Result<Interval>(offset);
}

bool is_on_side(Arguments arguments, int64_t value, int64_t end) {
  return is_less(arguments) ? value <= end : value >= end;
}

namespace {

Result<Value> datetime_in_range(Arguments arguments, int64_t value, int64_t base) {
  const Result<Interval> way = way_to_end(arguments);
  const Result<int64_t> end = way ? add_interval(base, *way) : way.error();
  return end ? Value(is_on_side(arguments, value, *end)) : Result<Value>(end.error());
}

Result<Value> timestamp_in_range(Arguments arguments, const BoundExpression&) {
  return datetime_in_range(arguments, integer(arguments[0]), integer(arguments[1]));
}

Result<Value> date_in_range(Arguments arguments, const BoundExpression&) {
  const Result<int64_t> value = midnight_of(integer(arguments[0]));
  const Result<int64_t> base = midnight_of(integer(arguments[1]));
  if (!value || !base) {
    return value ? base.error() : value.error();
  }
  return datetime_in_range(arguments, *value, *base);
}

/// Days and months do not count, and midnight is no end.
Result<Value> time_in_range(Arguments arguments, const BoundExpression&) {
  const int64_t offset = interval(arguments[2]).micros;
  if (offset < 0) {
    return negative_offset();
  }
  return held(arguments, __int128{integer(arguments[0])}, moved(arguments, integer(arguments[1]), offset));
}

Result<Value> interval_in_range(Arguments arguments, const BoundExpression&) {
  const Result<Interval> way = way_to_end(arguments);
  const Result<Interval> end = way ? add_intervals(interval(arguments[1]), *way) : way;
  if (!end) {
    return end.error();
  }
  return held(arguments, interval_micros(interval(arguments[0])), interval_micros(*end));
}

}  // namespace

void add_ranges(Functions& functions) {
  Adder adder(functions);
  adder.start_helpers();
  const auto add = [&](uint16_t number, TypeKind kind, TypeKind offset, ScalarFunction::Evaluate evaluate) {
    adder.add(number, "in_range", {kind, kind, offset, kBool, kBool}, kBool, evaluate);
  };
  add(1480, TypeKind::kSmallint, TypeKind::kSmallint, integer_in_range);
  add(1481, TypeKind::kSmallint, TypeKind::kInt, integer_in_range);
  add(1482, TypeKind::kSmallint, TypeKind::kBigint, integer_in_range);
  add(1483, TypeKind::kInt, TypeKind::kSmallint, integer_in_range);
  add(1484, TypeKind::kInt, TypeKind::kInt, integer_in_range);
  add(1485, TypeKind::kInt, TypeKind::kBigint, integer_in_range);
  add(1486, TypeKind::kBigint, TypeKind::kBigint, integer_in_range);
  add(1487, TypeKind::kReal, kDouble, floating_in_range);
  add(1488, kDouble, kDouble, floating_in_range);
  add(1489, TypeKind::kNumeric, TypeKind::kNumeric, numeric_in_range);
  add(1490, TypeKind::kDate, kInterval, date_in_range);
  add(1491, TypeKind::kTimestamp, kInterval, timestamp_in_range);
  add(1492, TypeKind::kTimestampTz, kInterval, timestamp_in_range);
  adder.is_stable();
  add(1493, TypeKind::kTime, kInterval, time_in_range);
  add(1494, kInterval, kInterval, interval_in_range);
}

}  // namespace daedalus::semantics::scalar

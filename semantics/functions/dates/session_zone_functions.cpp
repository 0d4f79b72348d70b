// These functions compute SQL timestamps in a session whose time zone is not UTC: each entry takes that zone, as
// bind_session_zone() makes it, as its last argument. In sessions of UTC none of them is called.
#include <algorithm>

#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "interval.hpp"
#include "interval_functions.hpp"
#include "time_of_day.hpp"
#include "timestamptz_functions.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {
namespace scalar {
namespace {

using enum TypeKind;
/// 294246-12-31 23:59:59.999999+15:59:59 BC
constexpr uint64_t kTimestamptzTextSize = 40;

// ---- casts ----

Result<Value> to_clock(Arguments arguments, const BoundExpression&) {
  return clock_in(arguments[1], integer(arguments[0]));
}

Result<Value> from_clock(Arguments arguments, const BoundExpression&) {
  return timestamptz_of_clock(arguments[1], integer(arguments[0]));
}

Result<Value> to_text(Arguments arguments, const BoundExpression&) {
  const Result<BoundZone> zone = BoundZone::read(text(arguments[1]));
  if (!zone) {
    return zone.error();
  }
  std::string made = arguments.spare_text();
  append_text(Type{kTimestampTz}, arguments[0], made, &*zone);
  return Value(std::move(made));
}

Result<Value> from_text(Arguments arguments, const BoundExpression&) {
  const Result<BoundZone> zone = BoundZone::read(text(arguments[1]));
  return zone ? parse_text(Type{kTimestampTz}, text(arguments[0]), std::nullopt, nullptr, &*zone) : zone.error();
}

Type type_of_text(Expressions) { return text_of(kTimestamptzTextSize); }

// ---- arithmetic ----

/// A part of an interval by the calendar, on a clock in the zone.
Result<Value> moved_on_clock(const Value& zone, int64_t sql_timestamp, const Interval& by) {
  const Result<Value> clock = clock_in(zone, sql_timestamp);
  if (!clock) {
    return clock;
  }
  const Result<int64_t> moved = add_interval(integer(*clock), by);
  return moved ? timestamptz_of_clock(zone, *moved) : moved.error();
}

/// Months and days by the clock, each by itself, and time as it passes.
Result<Value> moved(int64_t sql_timestamp, const Interval& by, const Value& zone) {
  Result<Value> made = Value(sql_timestamp);
  if (by.months != 0) {
    made = moved_on_clock(zone, sql_timestamp, {by.months, 0, 0});
  }
  if (made && by.days != 0) {
    made = moved_on_clock(zone, integer(*made), {0, by.days, 0});
  }
  if (!made) {
    return made;
  }
  const Result<int64_t> last = add_interval(integer(*made), {0, 0, by.micros});
  return last ? Result<Value>(Value(*last)) : last.error();
}

Result<Value> timestamptz_and_interval(Arguments arguments, const BoundExpression&) {
  return moved(integer(arguments[0]), std::get<Interval>(arguments[1]), arguments[2]);
}

Result<Value> interval_and_timestamptz(Arguments arguments, const BoundExpression&) {
  return moved(integer(arguments[1]), std::get<Interval>(arguments[0]), arguments[2]);
}

Result<Value> timestamptz_less_interval(Arguments arguments, const BoundExpression&) {
  const Result<Interval> back = negated(std::get<Interval>(arguments[1]));
  return back ? moved(integer(arguments[0]), *back, arguments[2]) : back.error();
}

Result<Value> age_at_zone(Arguments arguments, const BoundExpression&) {
  const int64_t left = integer(arguments[0]);
  const int64_t right = integer(arguments[1]);
  if (is_infinite_timestamp(left) || is_infinite_timestamp(right)) {
    return infinite_age();
  }
  const Result<Value> left_clock = clock_in(arguments[2], left);
  const Result<Value> right_clock = clock_in(arguments[2], right);
  if (!left_clock || !right_clock) {
    return !left_clock ? left_clock : right_clock;
  }
  return Value(age_of_clocks(integer(*left_clock), integer(*right_clock), left < right));
}

/// A day and a time of it.
Result<Value> timestamptz_of_parts(Arguments arguments, const BoundExpression&) {
  const Result<Value> clock = clock_of_parts(integer(arguments[0]), integer(arguments[1]));
  return clock ? timestamptz_of_clock(arguments[2], integer(*clock)) : clock;
}

/// Says whether an SQL timestamp is within a window's frame.
Result<Value> in_range(Arguments arguments, const BoundExpression&) {
  const Result<Interval> way = way_to_end(arguments);
  const Result<Value> end = way ? moved(integer(arguments[1]), *way, arguments[5]) : way.error();
  return end ? Value(is_on_side(arguments, integer(arguments[0]), integer(*end))) : end;
}

// ---- fields and texts ----

template <Result<Value> (*kPart)(const Value& unit, int64_t sql_timestamp, int64_t offset)>
Result<Value> part(Arguments arguments, const BoundExpression&) {
  const Result<BoundZone> zone = BoundZone::read(text(arguments[2]));
  const int64_t sql_timestamp = integer(arguments[1]);
  return zone ? kPart(arguments[0], sql_timestamp, offset_at(*zone, sql_timestamp)) : zone.error();
}

Result<Value> to_timestamp_at_zone(Arguments arguments, const BoundExpression&) {
  return read_by_template(arguments, &arguments[2]);
}

Result<Value> to_char(Arguments arguments, const BoundExpression&) {
  const Result<BoundZone> zone = BoundZone::read(text(arguments[2]));
  const int64_t sql_timestamp = integer(arguments[0]);
  if (is_infinite_timestamp(sql_timestamp)) {
    return Value();  // As PostgreSQL says it.
  }
  return zone ? written_at_offset(sql_timestamp, offset_at(*zone, sql_timestamp), text(arguments[1]),
                                  arguments.spare_text())
              : zone.error();
}

}  // namespace

void add_at_session_zone(Functions& functions) {
  Adder adder(functions);
  adder.add_at_zone(1900, kind_name(kTimestamp), false, {kTimestampTz, kText}, kTimestamp, to_clock);
  adder.add_at_zone(1901, kind_name(kTimestampTz), false, {kTimestamp, kText}, kTimestampTz, from_clock);
  adder.add_at_zone(1902, kind_name(kText), false, {kTimestampTz, kText}, kText, to_text, type_of_text);
  adder.add_at_zone(1903, kind_name(kTimestampTz), false, {kText, kText}, kTimestampTz, from_text);
  adder.add_at_zone(1910, "+", true, {kTimestampTz, kInterval, kText}, kTimestampTz, timestamptz_and_interval);
  adder.add_at_zone(1911, "+", true, {kInterval, kTimestampTz, kText}, kTimestampTz, interval_and_timestamptz);
  adder.add_at_zone(1912, "-", true, {kTimestampTz, kInterval, kText}, kTimestampTz, timestamptz_less_interval);
  adder.add_at_zone(1913, "age", false, {kTimestampTz, kTimestampTz, kText}, kInterval, age_at_zone);
  adder.add_at_zone(1914, "timestamptz", false, {TypeKind::kDate, TypeKind::kTime, kText}, kTimestampTz,
                    timestamptz_of_parts);
  adder.add_at_zone(1915, "in_range", false,
                    {kTimestampTz, kTimestampTz, kInterval, TypeKind::kBool, TypeKind::kBool, kText}, TypeKind::kBool,
                    in_range);
  adder.add_at_zone(1920, "date_part", false, {kText, kTimestampTz, kText}, TypeKind::kDouble,
                    part<part_of_clock<false>>);
  adder.may_be_null();
  adder.add_at_zone(1921, "extract", false, {kText, kTimestampTz, kText}, TypeKind::kNumeric,
                    part<part_of_clock<true>>);
  adder.may_be_null();
  adder.add_at_zone(1922, "to_timestamp", false, {kText, kText, kText}, kTimestampTz, to_timestamp_at_zone);
  adder.add_at_zone(1923, "to_char", false, {kTimestampTz, kText, kText}, kText, to_char, type_of_written);
  adder.may_be_null();
}

}  // namespace scalar

namespace {

bool has_datetime(const ScalarFunction& function) {
  const auto& kinds = function.arguments;
  return function.result == TypeKind::kTimestampTz ||
         std::find(kinds.begin(), kinds.end(), TypeKind::kTimestampTz) != kinds.end();
}

/// Finds the function of this name and these arguments, the last one being a zone.
const ScalarFunction* find_at_zone(std::string_view name, bool is_operator, std::span<const TypeKind> arguments) {
  const auto functions = scalar_functions();
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const ScalarFunction& each) {
    const bool takes_zone = each.is_at_zone || each.zone_place == static_cast<int8_t>(arguments.size());
    return takes_zone && each.is_operator == is_operator && each.name == name &&
           each.arguments.size() == arguments.size() + 1 &&
           std::equal(arguments.begin(), arguments.end(), each.arguments.begin());
  });
  return found == functions.end() ? nullptr : &*found;
}

/// The call of an entry for casts.
Result<BoundExpression> converted(BoundExpression value, TypeKind to, const std::string& zone) {
  const TypeKind from = value.type.kind;
  const ScalarFunction* function = find_at_zone(kind_name(to), false, {&from, 1});
  std::vector<BoundExpression> arguments;
  arguments.push_back(std::move(value));
  arguments.push_back(make_constant(Type{TypeKind::kText}, zone));
  return make_call(function->id, std::move(arguments));
}

Result<BoundExpression> cast_plainly(Result<BoundExpression> value, const Type& to) {
  if (!value || value->type == to) {
    return value;
  }
  std::vector<BoundExpression> arguments;
  arguments.push_back(std::move(*value));
  return make_call(FunctionId::kCast, std::move(arguments), to);
}

}  // namespace

bool may_depend_on_zone(const ScalarFunction& function) {
  const ScalarFunction* meant = find_function(function.id);
  return has_datetime(function) || (meant != nullptr && has_datetime(*meant));
}

const ScalarFunction* function_at_zone(const ScalarFunction& function) {
  return has_datetime(function) ? find_at_zone(function.name, function.is_operator, function.arguments) : nullptr;
}

bool is_cast_by_zone(TypeKind from, TypeKind to) {
  return (from == TypeKind::kTimestampTz) != (to == TypeKind::kTimestampTz) && can_cast_explicitly(from, to);
}

Result<BoundExpression> cast_at_zone(BoundExpression value, const Type& to, const std::string& zone) {
  if (value.type.kind == TypeKind::kTimestampTz) {
    const TypeKind between = is_string(to.kind) ? TypeKind::kText : TypeKind::kTimestamp;
    auto shown = converted(std::move(value), between, zone);
    return to.kind == between ? shown : cast_plainly(std::move(shown), to);
  }
  const Type between{is_string(value.type.kind) ? TypeKind::kText : TypeKind::kTimestamp};
  const bool is_there = value.type.kind == between.kind;
  auto brought = is_there ? Result<BoundExpression>(std::move(value)) : cast_plainly(std::move(value), between);
  return brought ? converted(std::move(*brought), to.kind, zone) : brought;
}

}  // namespace daedalus::semantics

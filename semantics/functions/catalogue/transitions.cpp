// The steps of PostgreSQL's aggregates and the distances of its ranges, which its catalogue has as functions.
#include "adder.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "text_parts.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

/// A sum so far, NULL before the first value. Beyond 64 bits it goes round: PostgreSQL does not look there.
Result<Value> sum_of_integers(Arguments arguments, const BoundExpression&) {
  if (is_null(arguments[0]) || is_null(arguments[1])) {
    return is_null(arguments[0]) ? arguments[1] : arguments[0];
  }
  const auto sum = static_cast<uint64_t>(integer(arguments[0])) + static_cast<uint64_t>(integer(arguments[1]));
  return Value(static_cast<int64_t>(sum));
}

Result<Value> sum_of_bigints(Arguments arguments, const BoundExpression&) {
  if (is_null(arguments[1])) {
    return arguments[0];
  }
  const Decimal value{BigInt(integer(arguments[1])), 0};
  return is_null(arguments[0]) ? Result<Value>(Value(value)) : fit_numeric(add(decimal(arguments[0]), value));
}

template <TypeKind kKind, int kStep>
Result<Value> stepped(Arguments arguments, const BoundExpression&) {
  return fit_integer(kKind, __int128{integer(arguments[0])} + kStep);
}

Result<Value> stepped_numeric(Arguments arguments, const BoundExpression&) {
  return fit_numeric(add(decimal(arguments[0]), {1, 0}));
}

template <bool kBoth>
Result<Value> joined(Arguments arguments, const BoundExpression&) {
  const bool left = std::get<bool>(arguments[0]);
  const bool right = std::get<bool>(arguments[1]);
  return Value(kBoth ? left && right : left || right);
}

/// PostgreSQL's number of an SQL timestamp as a double.
double counted(const Value& sql_timestamp, TypeKind kind) {
  return static_cast<double>(since_2000(kind, integer(sql_timestamp)));
}

Result<Value> distance_of_dates(Arguments arguments, const BoundExpression&) {
  return Value(counted(arguments[0], TypeKind::kDate) - counted(arguments[1], TypeKind::kDate));
}

Result<Value> distance(Arguments arguments, const BoundExpression&) {
  return Value(static_cast<double>(integer(arguments[0])) - static_cast<double>(integer(arguments[1])));
}

Result<Value> distance_of_numerics(Arguments arguments, const BoundExpression&) {
  const Decimal& right = decimal(arguments[1]);
  const auto distance = to_double(add(decimal(arguments[0]), {BigInt(-right.unscaled), right.scale}));
  return distance ? Result<Value>(Value(*distance)) : out_of_range(Type{kDouble});
}

Result<Value> distance_of_timestamps(Arguments arguments, const BoundExpression&) {
  const double micros = counted(arguments[0], TypeKind::kTimestamp) - counted(arguments[1], TypeKind::kTimestamp);
  return Value(micros / static_cast<double>(kMicrosPerSecond));
}

}  // namespace

void add_transitions(Functions& functions) {
  Adder adder(functions);
  adder.start_helpers();
  adder.add(1460, "int2_sum", {kBigint, kSmallint}, kBigint, sum_of_integers, nullptr, false);
  adder.takes_nulls();
  adder.add(1461, "int4_sum", {kBigint, kInt}, kBigint, sum_of_integers, nullptr, false);
  adder.takes_nulls();
  adder.add(1462, "int8_sum", {kNumeric, kBigint}, kNumeric, sum_of_bigints);
  adder.takes_nulls();
  adder.add(1463, "int4inc", {kInt}, kInt, stepped<kInt, 1>);
  adder.add(1464, "int8inc", {kBigint}, kBigint, stepped<kBigint, 1>);
  adder.add(1465, "int8dec", {kBigint}, kBigint, stepped<kBigint, -1>);
  adder.add(1466, "int8inc_float8_float8", {kBigint, kDouble, kDouble}, kBigint, stepped<kBigint, 1>);
  adder.add(1467, "numeric_inc", {kNumeric}, kNumeric, stepped_numeric);
  adder.add(1468, "booland_statefunc", {kBool, kBool}, kBool, joined<true>, nullptr, false);
  adder.add(1469, "boolor_statefunc", {kBool, kBool}, kBool, joined<false>, nullptr, false);
  adder.add(1470, "int4range_subdiff", {kInt, kInt}, kDouble, distance, nullptr, false);
  adder.add(1471, "int8range_subdiff", {kBigint, kBigint}, kDouble, distance, nullptr, false);
  adder.add(1472, "numrange_subdiff", {kNumeric, kNumeric}, kDouble, distance_of_numerics);
  adder.add(1473, "daterange_subdiff", {TypeKind::kDate, TypeKind::kDate}, kDouble, distance_of_dates, nullptr, false);
  adder.add(1474, "tsrange_subdiff", {TypeKind::kTimestamp, TypeKind::kTimestamp}, kDouble, distance_of_timestamps,
            nullptr, false);
  adder.add(1475, "tstzrange_subdiff", {TypeKind::kTimestampTz, TypeKind::kTimestampTz}, kDouble,
            distance_of_timestamps, nullptr, false);
}

}  // namespace daedalus::semantics::scalar

// Casts to lengths and precisions by PostgreSQL's type modifiers, the numbers that stand for numeric(10, 2) and its
// like.
#include <fmt/format.h>

#include <algorithm>

#include "adder.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "time_of_day.hpp"
#include "timestamptz_functions.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;
constexpr int64_t kHeader = 4;  ///< Modifiers count the bytes of a header; below there is none.
constexpr int64_t kPrecisionMax = 6;

/// Eleven bits, one of them a sign.
int32_t scale_of(int64_t modifier) { return static_cast<int32_t>(((modifier & 0x7ff) ^ 1'024) - 1'024); }

Result<Value> numeric_as(Arguments arguments, const BoundExpression&) {
  const int64_t modifier = integer(arguments[1]) - kHeader;
  if (modifier < 0) {
    return arguments[0];
  }
  const auto precision = static_cast<int32_t>(modifier >> 16 & 0xffff);
  const int32_t scale = scale_of(modifier);
  Decimal value = decimal(arguments[0]);
  if (scale >= 0) {
    value = rescale(value, scale);
  } else {
    const Decimal tens = rescale({value.unscaled, value.scale - scale}, 0);
    value = {tens.unscaled * power_of_ten(static_cast<uint32_t>(-scale)), 0};
  }
  constexpr int32_t kDigitsMax = 1'400;  // More than any value has before its point, whatever it was rounded to.
  const int32_t digits = std::clamp(precision - scale, 0, kDigitsMax);
  const Decimal limit{power_of_ten(static_cast<uint32_t>(digits)), 0};
  const Decimal size{BigInt(abs(value.unscaled)), value.scale};
  const bool fits = precision - scale >= 0 ? compare_decimals(size, limit) < 0 : value.unscaled.is_zero();
  return fits || value.unscaled.is_zero() ? fit_numeric(value)
                                          : Result<Value>(rejected("22003", "numeric field overflow"));
}

/// So many digits of seconds, halves away from `zero`.
int64_t rounded(int64_t micros, int64_t digits, int64_t zero) {
  int64_t unit = 1;
  for (; digits < kPrecisionMax; ++digits) {
    unit *= 10;
  }
  const __int128 from = __int128{micros} - zero;
  const __int128 half = unit / 2;
  const __int128 made = from >= 0 ? (from + half) / unit * unit : -((-from + half) / unit * unit);
  return static_cast<int64_t>(made + zero);
}

Result<Value> time_as(Arguments arguments, const BoundExpression&) {
  const int64_t digits = integer(arguments[1]);
  return digits < 0 || digits > kPrecisionMax ? arguments[0] : Value(rounded(integer(arguments[0]), digits, 0));
}

Result<Value> timestamp_as(Arguments arguments, const BoundExpression&) {
  const int64_t digits = integer(arguments[1]);
  if (digits == -1 || digits == kPrecisionMax) {
    return arguments[0];
  }
  if (digits < 0 || digits > kPrecisionMax) {
    return rejected("22023", fmt::format("timestamp({}) precision must be between 0 and {}", digits, kPrecisionMax));
  }
  const int64_t micros = integer(arguments[0]);
  if (is_infinite_timestamp(micros)) {
    return arguments[0];
  }
  const int64_t made = rounded(micros, digits, kMicrosFrom1970To2000);
  return made > kTimestampMicrosMax ? Result<Value>(rejected("22008", "timestamp out of range")) : Value(made);
}

Result<Value> timestamp_of(Arguments arguments, const BoundExpression&) {
  return clock_of_parts(integer(arguments[0]), integer(arguments[1]));
}

}  // namespace

void add_typmods(Functions& functions) {
  Adder adder(functions);
  adder.start_helpers();
  adder.add(1580, "numeric", {kNumeric, kInt}, kNumeric, numeric_as);
  adder.add(1581, "time", {kTime, kInt}, kTime, time_as, nullptr, false);
  adder.add(1582, "timestamp", {kTimestamp, kInt}, kTimestamp, timestamp_as);
  adder.add(1583, "timestamptz", {kTimestampTz, kInt}, kTimestampTz, timestamp_as);
  adder.add(1584, "timestamptz", {TypeKind::kDate, kTime}, kTimestampTz, timestamp_of);
  adder.is_stable();
  // Their lengths would hang on values, and whether they are computed on what a planner knows of those.
  adder.refuse(1585, "varchar", {TypeKind::kVarchar, kInt, kBool}, TypeKind::kVarchar);
  adder.refuse(1586, "bpchar", {TypeKind::kChar, kInt, kBool}, TypeKind::kChar);
}

}  // namespace daedalus::semantics::scalar

// Assignment casts: what a value of one type becomes when a column of another takes it.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "int128.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

Error no_cast(const Type& from, const Type& to) {
  return rejected("42804",
                  fmt::format("a value of type {} cannot be assigned to type {}", to_string(from), to_string(to)));
}

template <typename Number>
Result<Value> fit_integer(const Number& value, const Type& to) {
  const IntegerRange range = integer_range(to.kind);
  if (value < range.low || value > range.high) {
    return out_of_range(to);
  }
  return Value(static_cast<int64_t>(value));
}

Result<Value> fit_real(double value) {
  if (std::isnan(value) || std::isinf(value)) {
    return Value(value);
  }
  // Half an ulp above the greatest float is where rounding to nearest reaches infinity.
  constexpr double kOverflow = 0x1.ffffffp+127;
  if (std::fabs(value) >= kOverflow) {
    return floating_overflow();
  }
  const auto narrowed = static_cast<float>(value);
  if (narrowed == 0.0F && value != 0.0) {
    return floating_underflow();
  }
  return Value(static_cast<double>(narrowed));
}

Result<Value> integer_from_floating(double value, const Type& to) {
  if (std::isnan(value) || std::isinf(value)) {
    return out_of_range(to);
  }
  const double whole = std::rint(value);
  return std::fabs(whole) < 0x1p100 ? fit_integer(static_cast<Int128>(whole), to) : out_of_range(to);
}

/// PostgreSQL prints the value with the digits its type guarantees, then reads it as numeric.
Result<Value> numeric_from_floating(const Type& from, double value, const Type& to) {
  if (std::isnan(value) || std::isinf(value)) {
    return rejected("0A000", "numeric NaN and infinity are not supported");
  }
  const int digits =
      from.kind == TypeKind::kReal ? std::numeric_limits<float>::digits10 : std::numeric_limits<double>::digits10;
  std::array<char, 32> text;
  const auto written = fmt::format_to_n(text.data(), text.size(), "{:.{}g}", value, digits);
  return parse_decimal(to, {text.data(), written.size});
}

Result<Value> assign_number(const Type& from, const Value& value, const Type& to) {
  const auto* integer = std::get_if<int64_t>(&value);
  const auto* floating = std::get_if<double>(&value);
  const auto* decimal = std::get_if<Decimal>(&value);
  if (is_integer(to.kind)) {
    return integer != nullptr    ? fit_integer(*integer, to)
           : floating != nullptr ? integer_from_floating(*floating, to)
                                 : fit_integer(rescale(*decimal, 0).unscaled, to);
  }
  if (to.kind == TypeKind::kNumeric) {
    return integer != nullptr    ? fit_decimal(to, Decimal{*integer, 0})
           : floating != nullptr ? numeric_from_floating(from, *floating, to)
                                 : fit_decimal(to, *decimal);
  }
  if (decimal != nullptr) {
    const std::optional<double> converted =
        to.kind == TypeKind::kReal ? std::optional<double>(to_float(*decimal)) : to_double(*decimal);
    if (!converted) {
      return rejected("22003",
                      fmt::format("\"{}\" is out of range for type {}", format_decimal(*decimal), kind_name(to.kind)));
    }
    return Value(*converted);
  }
  if (to.kind == TypeKind::kReal) {
    return integer != nullptr ? Value(static_cast<double>(static_cast<float>(*integer))) : fit_real(*floating);
  }
  return integer != nullptr ? Value(static_cast<double>(*integer)) : Value(*floating);
}

Result<Value> assign_datetime(const Type& from, int64_t value, const Type& to) {
  const bool is_date = from.kind == TypeKind::kDate;
  if (is_infinite_datetime(from.kind, value)) {
    return Value(infinity_of(to.kind, value < 0));
  }
  if (value < (is_date ? kComputedDaysMin : kComputedMicrosMin) ||
      value > (is_date ? kDateDaysMax : kTimestampMicrosMax)) {
    return rejected("22008", is_date ? "date out of range" : "timestamp out of range");
  }
  if (from.kind == to.kind || (is_timestamp(from.kind) && is_timestamp(to.kind))) {
    return Value(value);  // The session's time zone is UTC.
  }
  if (to.kind == TypeKind::kDate) {
    return Value(floor_div(value, kMicrosPerDay));
  }
  if (value > kTimestampMicrosMax / kMicrosPerDay) {
    return rejected("22008", "date out of range for timestamp");
  }
  return Value(value * kMicrosPerDay);
}

/// The time of day of an SQL timestamp, or of a span whose days and months do not count; as a span, the time since
/// midnight. Infinity has none: NULL.
Value assign_time(const Type& from, const Value& value, const Type& to) {
  const auto* interval = std::get_if<Interval>(&value);
  const int64_t micros = interval != nullptr ? interval->micros : std::get<int64_t>(value);
  if (is_infinite_datetime(from.kind, micros)) {
    return {};
  }
  if (to.kind == TypeKind::kInterval) {
    return Interval{0, 0, micros};
  }
  return floor_mod(micros, kMicrosPerDay);
}

}  // namespace

Result<Value> convert(const Type& from, const Value& value, const Type& to) {
  if (is_null(value)) {
    return Value();
  }
  if (is_untyped_literal(from)) {
    return parse_text(to, std::get<std::string>(value));
  }
  if (is_numeric(from.kind) && is_numeric(to.kind)) {
    return assign_number(from, value, to);
  }
  if (is_datetime(from.kind) && is_datetime(to.kind)) {
    return assign_datetime(from, std::get<int64_t>(value), to);
  }
  if (is_cast_of_time(from.kind, to.kind)) {
    return assign_time(from, value, to);
  }
  if (from.kind == to.kind &&
      (from.kind == TypeKind::kBool || from.kind == TypeKind::kTime || from.kind == TypeKind::kUuid)) {
    return value;
  }
  if (is_string(to.kind)) {
    // Anything becomes text on assignment; booleans in full, unlike their output form.
    if (from.kind == TypeKind::kBool) {
      return fit_string(to, std::get<bool>(value) ? "true" : "false");
    }
    if (!is_string(from.kind)) {
      return fit_string(to, format_text(from, value));
    }
    const std::string_view text = std::get<std::string>(value);
    // The blanks of a char are no part of what another column takes.
    return fit_string(to, from.kind == TypeKind::kChar ? text.substr(0, text.find_last_not_of(' ') + 1) : text);
  }
  return no_cast(from, to);
}

Result<Value> assign(const Type& from, const Value& value, const Type& to) {
  Result<Value> made = convert(from, value, to);
  if (!made || is_null(*made) || !is_datetime(to.kind)) {
    return made;
  }
  const bool is_date = to.kind == TypeKind::kDate;
  const auto number = std::get<int64_t>(*made);
  return !is_infinite_datetime(to.kind, number) && number < (is_date ? kDateDaysMin : kTimestampMicrosMin)
             ? rejected("22008", is_date ? "date out of range" : "timestamp out of range")
             : made;
}

}  // namespace daedalus::semantics

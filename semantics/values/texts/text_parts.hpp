// Text input and output by family of types, shared by text.cpp and the casts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/date_order.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

class BoundZone;
class TimeZones;

/// Without surrounding white space, as the C locale's isspace() sees it.
[[nodiscard]] std::string_view trim(std::string_view text);

[[nodiscard]] Error invalid_syntax(const Type& type, std::string_view text);
[[nodiscard]] Error out_of_range(const Type& type);  ///< "integer out of range"
/// Errors 22003: a floating value leaves its range upwards, and downwards.
[[nodiscard]] Error floating_overflow();
[[nodiscard]] Error floating_underflow();
[[nodiscard]] Error value_out_of_range(const Type& type, std::string_view text);

/// Low and high of an integer type.
struct IntegerRange {
  int64_t low;
  int64_t high;
};
[[nodiscard]] IntegerRange integer_range(TypeKind kind);

void append_integer(int64_t value, std::string& out);

[[nodiscard]] Result<Value> parse_decimal(const Type& type, std::string_view text);
/// Rounds to the type's scale and checks its precision; leaves a value alone where the type has no bound.
[[nodiscard]] Result<Value> fit_decimal(const Type& type, const Decimal& value);

[[nodiscard]] Result<Value> parse_floating(const Type& type, std::string_view text);
/// PostgreSQL's float4out and float8out with extra_float_digits = 1.
void append_floating(TypeKind kind, double value, std::string& out);

/// now_us: what "now" and "today" mean; without it they are refused (0A000). zones, zone, order: as parse_text() takes
/// them.
[[nodiscard]] Result<Value> parse_datetime(const Type& type, std::string_view text, std::optional<int64_t> now_us,
                                           const TimeZones* zones, const BoundZone* zone, DateOrder order);
/// A time of day. Errors as of parse_datetime().
[[nodiscard]] Result<Value> parse_time(std::string_view text, std::optional<int64_t> now_us, const BoundZone* zone,
                                       DateOrder order);
void append_date(int64_t days, std::string& out);
void append_timestamp(int64_t micros, std::string& out);
/// By a clock in `zone`; null: UTC.
void append_timestamptz(int64_t micros, std::string& out, const BoundZone* zone);
void append_time(int64_t micros, std::string& out);

/// Strips or refuses what a char or varchar type has no room for. `room`: an empty text, which becomes the value.
[[nodiscard]] Result<Value> fit_string(const Type& type, std::string_view text, std::string room = {});

}  // namespace daedalus::semantics

// A modifier may stand behind INTERVAL in a type's name: the fields that are kept, and digits of seconds.
#pragma once

#include <cstdint>
#include <optional>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// The bits are PostgreSQL's, whose parser says them.
constexpr uint32_t kMonthField = 1u << 1;
constexpr uint32_t kYearField = 1u << 2;
constexpr uint32_t kDayField = 1u << 3;
constexpr uint32_t kHourField = 1u << 10;
constexpr uint32_t kMinuteField = 1u << 11;
constexpr uint32_t kSecondField = 1u << 12;
constexpr uint32_t kAllIntervalFields = 0x7fff;

constexpr int32_t kIntervalPrecisionMax = 6;

struct IntervalModifier {
  uint32_t fields = kAllIntervalFields;
  std::optional<int32_t> precision;  ///< Digits of seconds, 0 to 6; none: all six.

  [[nodiscard]] bool is_none() const { return fields == kAllIntervalFields && !precision; }
};

/// In one number, as PostgreSQL's function interval(interval, integer) takes it; −1: none.
[[nodiscard]] int32_t number_of(IntervalModifier modifier);
/// Error 22023: there is no such combination of fields, or no such precision.
[[nodiscard]] Result<IntervalModifier> interval_modifier(int32_t number);

/// Reads a text as an interval with these fields. Errors: 22007 malformed, 22015 a field out of range, 22008.
[[nodiscard]] Result<Value> parse_interval(std::string_view text, IntervalModifier modifier = {});
/// Restricts an interval: fields below the last one are cut, seconds are rounded. Error 22008.
[[nodiscard]] Result<Interval> restricted(const Interval& interval, IntervalModifier modifier);

}  // namespace daedalus::semantics

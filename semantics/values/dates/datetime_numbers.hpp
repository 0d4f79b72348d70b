// Numbers within dates and times.
#pragma once

#include <cstdint>
#include <string_view>

#include "datetime_decoder.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::datetime {

/// The integer a text begins with, 0 if it begins with none.
struct LeadingInteger {
  int64_t value = 0;
  bool is_too_large = false;  ///< For 32 bits.
  std::string_view rest;
};
[[nodiscard]] LeadingInteger read_integer(std::string_view text);

/// Reads a decimal point and the digits behind it, the rest ignored.
[[nodiscard]] double read_fraction(std::string_view point);
/// Says whether nothing follows the point but digits.
[[nodiscard]] bool is_fraction(std::string_view point);
/// A fraction of a second, rounded half to even: as much as a whole one.
[[nodiscard]] int64_t to_micros(double fraction);

/// The offset of a time zone: a sign and hours, minutes, seconds.
struct ZoneOffset {
  DatetimeFault fault = DatetimeFault::kNone;
  int64_t seconds = 0;  ///< East of UTC.
};
[[nodiscard]] ZoneOffset read_zone_offset(std::string_view text);

[[nodiscard]] constexpr bool is_between(int64_t value, int64_t low, int64_t high) {
  return value >= low && value <= high;
}

}  // namespace daedalus::semantics::datetime

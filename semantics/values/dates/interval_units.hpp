// The units of intervals: their names, and what a number of them adds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "interval_fields.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {

enum class IntervalUnit : uint8_t {
  kMicrosecond,
  kMillisecond,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kYear,
  kDecade,
  kCentury,
  kMillennium,
  kUnusable,  ///< Known, and no number may have it.
};

enum class IntervalFault : uint8_t { kNone, kMalformed, kOutOfRange };

/// A bit for each unit: each may come once, and a time of day is hours, minutes and all parts of seconds.
[[nodiscard]] constexpr uint32_t seen_of(IntervalUnit unit) { return 1u << static_cast<uint32_t>(unit); }
constexpr uint32_t kSeenAllSeconds =
    seen_of(IntervalUnit::kMicrosecond) | seen_of(IntervalUnit::kMillisecond) | seen_of(IntervalUnit::kSecond);
constexpr uint32_t kSeenTime = kSeenAllSeconds | seen_of(IntervalUnit::kMinute) | seen_of(IntervalUnit::kHour);

/// By its name, in lower case, of which ten letters count.
[[nodiscard]] std::optional<IntervalUnit> find_interval_unit(std::string_view name);

/// False: a field leaves its range. Precondition: not kUnusable.
[[nodiscard]] bool add_to(IntervalFields& fields, const IntervalNumber& number, IntervalUnit unit);

/// Adds what is read in the spellings of ISO 8601 to fields that are zero: P1Y2M3DT4H5M6S, P0001-02-03T04:05:06,
/// P00010203T040506.
[[nodiscard]] IntervalFault read_iso_interval(std::string_view text, IntervalFields& fields);

}  // namespace daedalus::semantics

// Zones as POSIX spells them in TZ: UTC+3, EST5EDT,M3.2.0,M11.1.0. Offsets count west of UTC there.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/time_zone.hpp"

namespace daedalus::semantics {

enum class PosixZoneFault : uint8_t { kNone, kSyntax, kNoRules };

struct PosixZone {
  PosixZoneFault fault = PosixZoneFault::kSyntax;
  ZoneFooter footer;
};

/// kNoRules: there is daylight saving time, and the text does not say when.
[[nodiscard]] PosixZone read_posix_zone(std::string_view text);

/// A rule's SQL timestamp in a year, by the clock, in seconds since 1970.
[[nodiscard]] int64_t timestamp_in_year(const YearlyRule& rule, int64_t year);

/// Says whether daylight saving time ends at all in a year; where it does not, that is how PostgreSQL's library knows
/// that it lasts all the year.
[[nodiscard]] bool has_both_times(const ZoneFooter& footer, int64_t year);

}  // namespace daedalus::semantics

// How many of one unit of time make another.
#pragma once

#include <cstdint>

namespace daedalus::semantics {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerMinute = 60 * kMicrosPerSecond;
constexpr int64_t kMicrosPerHour = 60 * kMicrosPerMinute;
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kMicrosFrom1970To2000 = 946'684'800'000'000;
constexpr int64_t kJulianDayOf1970 = 2'440'588;
/// As an interval counts them.
constexpr int64_t kDaysPerMonth = 30;
constexpr int64_t kMonthsPerYear = 12;

}  // namespace daedalus::semantics

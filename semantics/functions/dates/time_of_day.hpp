// Times of day out of what functions are given.
#pragma once

#include "families.hpp"

namespace daedalus::semantics::scalar {

/// The midnight that a date begins with; infinity's is infinite. Error 22008: no timestamp is so late.
[[nodiscard]] Result<int64_t> midnight_of(int64_t days);

/// The timestamp of a date and a time of that day. Error 22008.
[[nodiscard]] Result<Value> clock_of_parts(int64_t days, int64_t time);

/// Microseconds of the day, up to 24:00:00. Error 22008: it is no time.
[[nodiscard]] Result<int64_t> time_of(int64_t hour, int64_t minute, double seconds);

}  // namespace daedalus::semantics::scalar

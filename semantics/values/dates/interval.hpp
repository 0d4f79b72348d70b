// Intervals: writing them, and calendar arithmetic with them.
#pragma once

#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// IntervalStyle postgres.
[[nodiscard]] std::string format_interval(const Interval& interval);
void append_interval(const Interval& interval, std::string& out);

/// As PostgreSQL orders them: months of 30 days, days of 24 hours.
[[nodiscard]] __int128 interval_micros(const Interval& interval);

/// Months by the calendar, a day that a month does not have being its last one; then days, then time.
/// Error 22008 out of range.
[[nodiscard]] Result<int64_t> add_interval(int64_t timestamp_micros, const Interval& interval);

/// Error 22008 out of range.
[[nodiscard]] Result<Interval> make_interval(__int128 months, __int128 days, __int128 micros);
[[nodiscard]] Result<Interval> add_intervals(const Interval& left, const Interval& right);
[[nodiscard]] Result<Interval> negated(const Interval& interval);
/// Multiplies each field; fractions of months become days, and those of days time. Error 22008 out of range.
[[nodiscard]] Result<Interval> multiplied(const Interval& interval, double factor);
/// Errors: 22012 by zero, 22008.
[[nodiscard]] Result<Interval> divided(const Interval& interval, double divisor);

}  // namespace daedalus::semantics

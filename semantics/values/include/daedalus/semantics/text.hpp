// Values from and to text, as PostgreSQL's input and output functions do (DateStyle ISO).
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

/// Reads a quoted literal, parameter or CSV field as `type`.
///
/// Dates and times have every spelling that PostgreSQL reads: `2013-01-01 05:00:00.5`, `20130101T050000`,
/// `June 3, 2013`, `06/30/2013` in the order month, day, year, `J2456474`, `tomorrow`. A timestamptz is in the time
/// zone that it says, otherwise in `zone`; dates and timestamps ignore time zones. `now_us` is what `now` and `today`
/// mean, in microseconds since 1970, on a clock in `zone`; `zones` what places are called, and null where there is
/// nobody to ask. `zone` null: UTC. char(n) loses trailing blanks; numeric rounds half away from zero to its scale.
/// Errors: 22P02 malformed, 22003 out of range, 22001 string too long, 22007/22008 dates, 22009/22023 time zones, 22021
/// not UTF-8 or NUL, 0A000 infinite dates, `now` where it is not known, time zones named by places and unknown here,
/// years before 1 and timestamps after 294246, numeric NaN and infinity.
[[nodiscard]] Result<Value> parse_text(const Type& type, std::string_view text,
                                       std::optional<int64_t> now_us = std::nullopt, const TimeZones* zones = nullptr,
                                       const BoundZone* zone = nullptr, DateOrder order = DateOrder::kMonthDayYear);

/// PostgreSQL's output: `t`/`f`, shortest round-trip floats, `2013-01-01 05:00:00`, `2013-01-01 05:00:00+00`, char(n)
/// padded with blanks. A timestamptz is shown as a clock in `zone` shows it; null: UTC. Precondition: not NULL.
[[nodiscard]] std::string format_text(const Type& type, const Value& value, const BoundZone* zone = nullptr);
/// Appends that text to `out`.
void append_text(const Type& type, const Value& value, std::string& out, const BoundZone* zone = nullptr);

/// Converts a value of type `from` for assignment to a column of type `to` (PostgreSQL's assignment casts among the
/// supported types): integers widen and narrow with a range check, numeric to integer rounds half away from zero,
/// date ↔ timestamp ↔ timestamptz, strings truncate only blanks, anything becomes a string. An untyped literal is read
/// by parse_text(). NULL passes. Errors: 22003, 22001, 22008, 42804 no such cast, 0A000 NaN or infinity to numeric;
/// those of parse_text().
[[nodiscard]] Result<Value> assign(const Type& from, const Value& value, const Type& to);
/// Converts what is computed, and kept in no column: its SQL timestamps may lie before Christ.
[[nodiscard]] Result<Value> convert(const Type& from, const Value& value, const Type& to);

}  // namespace daedalus::semantics

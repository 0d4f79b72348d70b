// Values from and to text, as PostgreSQL's input and output functions do (DateStyle ISO, MDY irrelevant).
#pragma once

#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Reads a quoted literal, parameter or CSV field as `type`.
///
/// Dates and times are ISO 8601 (`2013-01-01`, `2013-01-01 05:00:00.5`, `T` accepted, trailing `Z` accepted). char(n)
/// loses trailing blanks; numeric rounds half away from zero to its scale.
/// Errors: 22P02 malformed, 22003 out of range, 22001 string too long, 22007/22008 dates, 22021 not UTF-8 or NUL, 0A000
/// infinite dates, numeric NaN and infinity, time zones other than Z, years before 1.
[[nodiscard]] Result<Value> parse_text(const Type& type, std::string_view text);

/// PostgreSQL's output: `t`/`f`, shortest round-trip floats, `2013-01-01 05:00:00`, char(n) padded with blanks.
/// Precondition: not NULL.
[[nodiscard]] std::string format_text(const Type& type, const Value& value);

/// Converts a value of type `from` for assignment to a column of type `to` (PostgreSQL's assignment casts among the
/// supported types): integers widen and narrow with a range check, numeric to integer rounds half away from zero,
/// date ↔ timestamp, strings truncate only blanks, anything becomes a string. An untyped literal is read by
/// parse_text(). NULL passes. Errors: 22003, 22001, 22008, 42804 no such cast, 0A000 NaN or infinity to numeric; those
/// of parse_text().
[[nodiscard]] Result<Value> assign(const Type& from, const Value& value, const Type& to);

}  // namespace daedalus::semantics

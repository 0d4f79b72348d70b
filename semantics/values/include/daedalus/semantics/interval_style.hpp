// How a session shows intervals: the four values of PostgreSQL's IntervalStyle.
//
// Decides the text of an interval in each style, and which texts the style sql_standard reads otherwise. Refuses to
// know sessions: an interval that becomes a text within a statement is always of the style postgres.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

enum class IntervalStyle : uint8_t { kPostgres, kPostgresVerbose, kSqlStandard, kIso8601 };

/// Returns the style of this name, in lower case; of any other name kPostgres.
[[nodiscard]] IntervalStyle interval_style_of(std::string_view name);

/// Appends the interval in PostgreSQL 15's words.
void append_interval_in(IntervalStyle style, const Interval& interval, std::string& out);

/// Returns whether the style sql_standard may read this text as another interval than the other styles do: there a
/// minus in front is one of all fields behind it, too, unless one of them has a sign of its own.
[[nodiscard]] bool is_read_otherwise_in_sql_standard(std::string_view text);

}  // namespace daedalus::semantics

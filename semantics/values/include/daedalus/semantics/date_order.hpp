// The order in which a session reads the day, the month and the year of a date: the second half of PostgreSQL's
// DateStyle.
//
// Decides which orders there are, and which texts mean the same in each. Refuses to know sessions: what a node reads is
// always in the order month, day, year.
#pragma once

#include <cstdint>
#include <string_view>

#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

enum class DateOrder : uint8_t { kMonthDayYear, kDayMonthYear, kYearMonthDay };

/// Returns the order that DateStyle calls DMY or YMD; for any other name kMonthDayYear.
[[nodiscard]] DateOrder date_order_of(std::string_view name);

/// Returns the name that DateStyle has for the order.
[[nodiscard]] std::string_view name_of(DateOrder order);

/// Returns whether a text may be another value of the type in another order. It never is where the text has no digits
/// or no date, and where it begins with its year in three digits or more.
[[nodiscard]] bool may_hang_on_date_order(TypeKind kind, std::string_view text);

}  // namespace daedalus::semantics

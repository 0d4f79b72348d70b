// The ticket table as text, for engines that are asked in SQL.
//
// Dates and timestamps leave as numbers: days and microseconds since 1970. Ranges are written with the same numbers.
#pragma once

#include <string>

#include "ticket_mixes.hpp"

namespace daedalus::engine::bench {

/// A column's type in SQL, for a number or a text as written here: `INTEGER`, `DECIMAL(10,2)`, …
[[nodiscard]] std::string sql_type(const ColumnSpec& column);

/// A value as a literal of that type; NULL is empty.
[[nodiscard]] std::string literal_text(const TicketTable& table, uint32_t column, uint32_t ordinal);

/// Writes it as SQL has it: strings in quotes.
[[nodiscard]] std::string quoted_text(const TicketTable& table, uint32_t column, uint32_t ordinal);

/// Writes all rows: first a line of names, then one line a row. An unwritable file ends the program.
void write_csv(const TicketTable& table, const std::string& path);

/// The condition behind WHERE.
[[nodiscard]] std::string where_text(const TicketTable& table, const TicketQuery& query);

}  // namespace daedalus::engine::bench

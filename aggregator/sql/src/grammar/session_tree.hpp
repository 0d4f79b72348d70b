// PostgreSQL's tree of a statement that a session answers itself, read into our own words.
#pragma once

#include <optional>
#include <string>

#include "daedalus/aggregator/session_command.hpp"

namespace daedalus::aggregator::sql {

/// All of such a statement but where its query begins and the texts of an EXECUTE's values. Positions are byte offsets
/// here, from 1. Precondition: the text is UTF-8 without zero bytes, and not too complex. Errors: those of
/// parse_as_postgres(), and read_session_command()'s 42601, 42P11 and 0A000.
[[nodiscard]] Result<SessionCommand> read_session_tree(const std::string& text);

/// A SELECT of nothing but functions of the session; nothing for any other text. The same precondition.
[[nodiscard]] std::optional<SessionQuery> read_session_query(const std::string& text);

/// Returns whether `name` is a function that only the session can answer. `is_called`: with parentheses.
[[nodiscard]] bool is_session_function(std::string_view name, bool is_called);

}  // namespace daedalus::aggregator::sql

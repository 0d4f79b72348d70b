// PostgreSQL's parser and its raw parse tree, read into our own words (grammar.hpp).
//
// The one place that knows PostgreSQL's structures: its source, and no other, includes PostgreSQL's headers. Decides
// which kinds of nodes have names here. Refuses to know how deep or large a text may be: the caller bounds both before,
// because parser and reader walk recursively.
#pragma once

#include <cstdint>
#include <string>

#include "arena.hpp"
#include "daedalus/base/result.hpp"
#include "grammar.hpp"

namespace daedalus::aggregator::sql {

/// The statements of a text, of which only the first is read.
struct PostgresTree {
  uint32_t statement_count = 0;
  grammar::Node first;          ///< Absent, if there is no statement.
  int32_t first_location = 0;   ///< Byte offset at which its text begins, blanks and comments included.
  int32_t second_location = 0;  ///< Byte offset at which the second begins likewise, if there is one.
};

/// Parses a text; what is kept of its tree lies in `arena`. Precondition: the text is UTF-8 without zero bytes.
///
/// Errors are PostgreSQL's, with their position: 42601 syntax; 22021 and 22025 wrong escapes; 0A000 what PostgreSQL
/// itself does not have; 54001 too deep for it. Cost: PostgreSQL's parser and one pass over its tree. Thread-safe: the
/// parser's memory belongs to the thread, is empty again when this returns, and goes with the thread.
[[nodiscard]] Result<PostgresTree> parse_as_postgres(const std::string& text, Arena* arena);

}  // namespace daedalus::aggregator::sql

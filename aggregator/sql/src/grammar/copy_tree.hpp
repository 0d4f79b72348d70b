// PostgreSQL's tree of a COPY, read into our own words.
#pragma once

#include <string>

#include "daedalus/aggregator/copy_statement.hpp"

namespace daedalus::aggregator::sql {

/// All of a COPY but its query's text. Positions are byte offsets here, from 1. Precondition: the text is UTF-8 without
/// zero bytes, and neither too long nor too complex. Errors: those of parse_as_postgres(), 42601 it is no single COPY.
[[nodiscard]] Result<CopyStatement> read_copy_tree(const std::string& text);

}  // namespace daedalus::aggregator::sql

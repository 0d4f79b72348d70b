// The one query that a SELECT is about, in FROM itself or as the one query of WITH.
#pragma once

#include "grammar.hpp"

namespace daedalus::aggregator::sql {

/// The query, and what it is called there. No query: there is none, or something besides.
struct QueryInFrom {
  const grammar::SelectStatement* query = nullptr;
  std::string_view alias;
  grammar::Names columns;
};

[[nodiscard]] QueryInFrom query_in_from(const grammar::SelectStatement& select);

}  // namespace daedalus::aggregator::sql

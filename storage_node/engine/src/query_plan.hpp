// How the queries of one cycle find their rows: through an index over queries, or by whole columns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "access_index.hpp"
#include "query_run.hpp"

namespace daedalus::engine {

struct QueryPlan {
  std::vector<AccessIndex> indexes;
  std::vector<uint32_t> scans;                          ///< Queries that no index finds rows for.
  std::vector<std::optional<uint32_t>> indexed_clause;  ///< By query: the clause its index vouches for.
};

/// Gives every active query one way to its rows. An index is made for a column when several queries ask for single
/// values of it and a small sample of rows says that such a value is rare. The plan decides cost, never the answer.
[[nodiscard]] QueryPlan plan_queries(const TableLayout& layout, const ChunkStore& store,
                                     const std::vector<QueryRun>& queries);

}  // namespace daedalus::engine

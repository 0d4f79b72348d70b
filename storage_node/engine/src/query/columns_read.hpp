// Which columns of the table the queries of one cycle read.
#pragma once

#include <span>

#include "query_run.hpp"
#include "recent_columns.hpp"

namespace daedalus::engine {

/// Returns what conditions read, which is read of rows that no query has taken, and what else queries read of rows that
/// they take: for residuals, outputs, keys and aggregates. Cost: some ns for each column that a condition names, and
/// for each in a selection, which queries that differ in their constants share.
[[nodiscard]] ColumnsRead columns_read(std::span<const QueryRun> queries, const TableLayout& layout);

}  // namespace daedalus::engine

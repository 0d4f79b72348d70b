// A plan as EXPLAIN shows it: lines of text, or one JSON document of PostgreSQL's shape.
//
// Decides names, order and form of what is shown. Refuses to know how it was found out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "daedalus/aggregator/plan.hpp"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::postgres {

/// How many rows the partitions and segments of a plan have.
struct SweptRows {
  uint64_t rows = aggregator::kUnknownTableRows;
  bool is_known = false;  ///< Each concerned partition has told its rows.
};

/// Returns the number of rows that a plan sweeps, by the nodes' status.
[[nodiscard]] SweptRows swept_rows(const aggregator::Plan& plan, const wire::v1::StatusReply& status);

/// The answer's rows, each a text; `table` is the table's name.
[[nodiscard]] std::vector<std::string> explain_lines(const aggregator::Plan& plan, const ExplainOptions& options,
                                                     std::string_view table, const SweptRows& swept);

}  // namespace daedalus::postgres

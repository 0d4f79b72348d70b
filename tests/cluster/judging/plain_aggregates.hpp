// Aggregates of a few rows, from all of their values at once: without states, and without merging any.
#pragma once

#include <memory>
#include <vector>

#include "daedalus/semantics/types.hpp"
#include "question.hpp"

namespace daedalus::testing {

/// NULL, or 0 of a count, where there is no value. The rows come in the order of their ids. Not for GROUPING(), which
/// is no matter of rows. Of numbers: integers, and doubles that are no finer than
/// 2^-70.
[[nodiscard]] semantics::Value plain_aggregate(const semantics::Schema& schema, const PlainOutput& output,
                                               const std::vector<std::shared_ptr<const Row>>& rows);

}  // namespace daedalus::testing

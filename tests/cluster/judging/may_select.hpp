// Which rows a filter may select when only some of their columns are known: which places a question concerns.
#pragma once

#include <set>

#include "question.hpp"

namespace daedalus::testing {

/// Returns whether the filter can select a row that has in the `known` columns what `row` has there, and anything in
/// the others. Where a column is open, every comparison of it may come out either way, each for itself.
[[nodiscard]] bool may_select(const semantics::Schema& schema, const Filter& filter, const Row& row,
                              const std::set<uint32_t>& known);

}  // namespace daedalus::testing

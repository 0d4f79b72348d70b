// Random expressions over the test table: of queries, none of which fails on any row; of updates, which fail on some.
#pragma once

#include "daedalus/semantics/selection.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

/// Computes some of what the selection puts out, groups by and aggregates, and adds conditions that are computed.
/// Precondition: the selection is of columns alone, and has no order by what becomes computed of groups.
void add_expressions(Random& random, semantics::Selection& selection);

/// Returns what a column may be assigned, of the row as it was; of some rows it cannot be computed, and of some it does
/// not fit.
[[nodiscard]] semantics::Assignment computed_assignment(Random& random, uint32_t column);

/// Returns what has to hold of a row besides, now and then more than one; some fail on some rows.
[[nodiscard]] semantics::Residuals computed_condition(Random& random);

/// Groups rows in several ways: by sets of the keys, and by the values of aggregates that want each once.
/// Precondition: the selection has groups.
void add_sets(Random& random, semantics::Selection& selection);

}  // namespace daedalus::engine::test

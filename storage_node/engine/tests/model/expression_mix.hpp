// Random expressions over the test table, none of which fails on any row.
#pragma once

#include "daedalus/semantics/selection.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

/// Computes some of what the selection puts out, groups by and aggregates, and adds conditions that are computed.
/// Precondition: the selection is of columns alone, and has no order by what becomes computed of groups.
void add_expressions(Random& random, semantics::Selection& selection);

}  // namespace daedalus::engine::test

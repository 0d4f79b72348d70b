// Comparisons of rows, written out: what `(a, b) < (c, d)` says of a, b, c and d.
//
// Decides which comparisons of values a comparison of rows is (PostgreSQL's make_row_comparison_op). Refuses to know
// what values are.
#pragma once

#include "arena.hpp"
#include "grammar.hpp"

namespace daedalus::aggregator::sql {

/// Writes a comparison of rows as comparisons of values joined by AND and OR; NULLs have the same effect on both.
/// Absent where the expression does not compare rows of one length.
[[nodiscard]] grammar::Node compared_by_value(Arena& arena, const grammar::OperatorExpression& expression);

/// IS [NOT] NULL of a row: all of its values are, or none is. Absent for anything else.
[[nodiscard]] grammar::Node tested_by_value(Arena& arena, const grammar::NullTest& test);

}  // namespace daedalus::aggregator::sql

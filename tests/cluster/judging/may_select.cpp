#include "may_select.hpp"

#include <algorithm>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::testing {

namespace {

using semantics::Expression;
using semantics::Operator;

/// A row of which only some columns count.
struct KnownRow {
  const semantics::Schema& schema;
  const Row& values;
  const std::set<uint32_t>& columns;
};

/// The values that an expression may come out as.
struct Outcomes {
  bool can_be_true = false;
  bool can_be_false = false;
  bool can_be_null = false;
};

bool is_known(const Expression& expression, const KnownRow& row) {
  if (expression.kind == Expression::Kind::kColumn) {
    return row.columns.contains(expression.column);
  }
  return std::all_of(expression.arguments.begin(), expression.arguments.end(),
                     [&](const Expression& argument) { return is_known(argument, row); });
}

Outcomes leaf_outcomes(const Expression& leaf, const KnownRow& row) {
  if (!is_known(leaf, row)) {
    return {.can_be_true = true, .can_be_false = true, .can_be_null = true};
  }
  if (semantics::evaluate(row.schema, leaf, row.values)) {
    return {.can_be_true = true};
  }
  const bool is_false = semantics::evaluate(row.schema, Expression::make_call(Operator::kNot, {leaf}), row.values);
  return {.can_be_false = is_false, .can_be_null = !is_false};
}

Outcomes outcomes_of(const Expression& expression, const KnownRow& row) {
  const bool is_call = expression.kind == Expression::Kind::kCall;
  if (is_call && expression.op == Operator::kNot) {
    const Outcomes inner = outcomes_of(expression.arguments[0], row);
    return {inner.can_be_false, inner.can_be_true, inner.can_be_null};
  }
  if (!is_call || (expression.op != Operator::kAnd && expression.op != Operator::kOr)) {
    return leaf_outcomes(expression, row);
  }
  const bool is_and = expression.op == Operator::kAnd;
  Outcomes joined = {.can_be_true = is_and, .can_be_false = !is_and, .can_be_null = false};
  for (const Expression& argument : expression.arguments) {
    const Outcomes part = outcomes_of(argument, row);
    const Outcomes before = joined;
    // One argument decides alone: false an AND, true an OR. Otherwise one NULL makes it NULL.
    const bool passes_before = is_and ? before.can_be_true : before.can_be_false;
    const bool passes_part = is_and ? part.can_be_true : part.can_be_false;
    const bool decides = is_and ? before.can_be_false || part.can_be_false : before.can_be_true || part.can_be_true;
    (is_and ? joined.can_be_true : joined.can_be_false) = passes_before && passes_part;
    (is_and ? joined.can_be_false : joined.can_be_true) = decides;
    joined.can_be_null =
        (before.can_be_null && (part.can_be_null || passes_part)) || (passes_before && part.can_be_null);
  }
  return joined;
}

}  // namespace

bool may_select(const semantics::Schema& schema, const Filter& filter, const Row& row,
                const std::set<uint32_t>& known) {
  return !filter || outcomes_of(*filter, {schema, row, known}).can_be_true;
}

}  // namespace daedalus::testing

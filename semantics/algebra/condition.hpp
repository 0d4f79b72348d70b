// The making of conditions: negation-free trees of literals.
#pragma once

#include <cstdint>
#include <vector>

#include "comparison.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/predicate.hpp"

namespace daedalus::semantics {

[[nodiscard]] Condition constant_condition(bool always);
[[nodiscard]] Condition literal_condition(Literal literal);

/// A column of the table, by name and number, for the makers of literals.
struct ColumnRef {
  uint32_t position = 0;
  const Column* column = nullptr;
};

/// `column op constant`, the constant moved into the column's domain. The constant is not NULL and no untyped literal;
/// types compare. Error 22003 when a numeric constant has no double beside a floating column.
[[nodiscard]] Result<Condition> compare_column(ColumnRef column, Operator op, const TypedValue& constant);

/// `column IN (constants)` or, negated, NOT IN. None is NULL.
[[nodiscard]] Result<Condition> column_in(ColumnRef column, const std::vector<TypedValue>& constants, bool negated);

/// `column LIKE 'prefix%'` or, negated, NOT LIKE.
[[nodiscard]] Condition column_starts_with(ColumnRef column, const std::string& prefix, bool negated);

/// IS NULL or IS NOT NULL.
[[nodiscard]] Condition column_null_test(ColumnRef column, bool is_null);

}  // namespace daedalus::semantics

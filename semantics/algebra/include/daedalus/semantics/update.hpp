// An update says what happens to the rows that it finds; it is checked against schema and map.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::semantics {

/// Outcomes of updates with so many parts say what each of them did; those with more have sums alone.
constexpr uint32_t kCountedPartsMax = 4'096;

/// An assignment sets one column, adds to it, or computes it from the row as it was before the update.
struct Assignment {
  enum class Kind : uint8_t { kSet, kAdd, kCompute };

  uint32_t column = 0;
  Kind kind = Kind::kSet;
  Value value;  ///< In the column's domain; NULL allowed for kSet. kAdd: a subtraction is negated already; for date
                ///< columns days, for numeric ones the column's scale; for real a double that is not rounded to float:
                ///< add in double precision, then round. Never for bool, timestamp, strings.
  std::shared_ptr<const BoundExpression> expression = nullptr;  ///< kCompute: what evaluate_for() takes.
};

/// Residuals have to hold besides a predicate: they are computed of each row that satisfies it, one after the other.
/// Null: there are none. Where one fails, the row stays as it is and counts as refused.
using Residuals = std::shared_ptr<const std::vector<BoundExpression>>;

struct ModifyPart {
  std::vector<Assignment> assignments;  ///< Distinct columns.
  Predicate predicate;
  Residuals residuals = nullptr;
};

struct DeletePart {
  Predicate predicate;
  Residuals residuals = nullptr;
};

/// Says whether PostgreSQL lets a column of the kind take a value of another without being asked (assignment casts).
[[nodiscard]] bool can_assign(TypeKind from, TypeKind to);

/// Says whether each machine that evaluates the function comes to the same bits.
[[nodiscard]] bool is_exact(const ScalarFunction& function);

/// Finds a function in the expression that leaves its result to the machine's mathematical library, because an update
/// must compute the same, to the last bit, on each machine that has the row. Null: there is none.
[[nodiscard]] const ScalarFunction* find_inexact(const BoundExpression& expression);

/// Computes what an expression gives a column. Errors: those of evaluate() and assign(), 23502 where it forbids NULL.
/// Precondition: can_assign(), and `row` has a value for each input.
[[nodiscard]] Result<Value> evaluate_for(const Column& column, const BoundExpression& expression,
                                         std::span<const Value> row);

}  // namespace daedalus::semantics

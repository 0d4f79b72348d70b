// WHERE clauses in conjunctive normal form, every constant in its column's own domain: what a scan evaluates.
//
// NOT is pushed to the leaves first; each leaf's negation is again a leaf, so three-valued logic is kept exactly: a row
// qualifies if and only if every clause has a leaf that is true (NULL makes a leaf not true, whichever way it points).
#pragma once

#include <cstdint>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/expression.hpp"

namespace daedalus::semantics {

constexpr uint32_t kClausesMax = 256;
constexpr uint32_t kLiteralsMax = 4096;  ///< Leaves over all clauses, an IN list counting each member.
constexpr uint32_t kExpressionDepthMax = 64;

/// One comparison of one column; never true for NULL unless it is kIsNull.
struct Literal {
  enum class Kind : uint8_t {
    kCompare,     ///< column op values[0]; op is kEqual .. kGreaterOrEqual
    kIn,          ///< column is one of values (sorted by compare(), distinct, at least one)
    kNotIn,       ///< column is none of values
    kStartsWith,  ///< values[0] is the prefix; char(n) counts its padding
    kNotStartsWith,
    kIsNull,
    kIsNotNull,  ///< also what a comparison that holds for every value becomes
    kNever,      ///< what a comparison that holds for no value becomes
  };

  uint32_t column = 0;
  Kind kind = Kind::kNever;
  Operator op = Operator::kEqual;
  std::vector<Value> values;  ///< In the column's domain (see Value): decimals at the column's scale, reals rounded to
                              ///< float, never −0.0, possibly NaN (which compare() puts above all). Strings compared
                              ///< for order may be longer than the column; equalities and prefixes never are.

  friend bool operator==(const Literal&, const Literal&) = default;
};

using Clause = std::vector<Literal>;  ///< A disjunction; never empty.

/// A conjunction. No clauses: every row.
struct Predicate {
  std::vector<Clause> clauses;

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// Brings a boolean expression to normal form against a schema.
///
/// Comparisons take column and constant in either order (constant op column is turned round); a bare boolean column is
/// `column = true`; constants of any PostgreSQL-comparable type are moved into the column's domain (`int < 1.5` becomes
/// `int <= 1`, `smallint < 100000` becomes IS NOT NULL); a NULL constant makes a comparison kNever.
/// A char(n) column beside a constant of a varchar type with a length compares as text: the constant's trailing blanks
/// count (PostgreSQL's `char(n) = text`); beside char(n) and untyped constants none do.
/// Where PostgreSQL compares in double precision (a floating column or constant), the column's values that cast to the
/// same side are found exactly; an equality may then become a list or two bounds. List members are normalised one by
/// one. Errors: 54001 beyond the bounds above (says which), 42883 no such operator for the types, 42703 no such column
/// position, 42804 not boolean, 0A000 two columns compared, arithmetic, or varchar with a char(n) constant; those of
/// parse_text() for untyped literals; 22003 a numeric constant that has no double.
/// Cost: at most kLiteralsMax leaves are ever built.
[[nodiscard]] Result<Predicate> normalise(const Schema& schema, const Expression& expression);

/// The plain twin: three-valued evaluation of the tree on one row of column values; true only if TRUE.
/// Precondition: normalise() accepted the expression.
[[nodiscard]] bool evaluate(const Schema& schema, const Expression& expression, const std::vector<Value>& row);

/// Evaluates a normal form on one row of values.
[[nodiscard]] bool evaluate(const Schema& schema, const Predicate& predicate, const std::vector<Value>& row);

/// The values an operation with this predicate pins on `column`: of a clause that is one kEqual or kIn literal on it.
/// Empty optional: unconstrained. The shortest list wins.
[[nodiscard]] std::optional<std::vector<Value>> pinned_values(const Predicate& predicate, uint32_t column);

}  // namespace daedalus::semantics

// WHERE clauses as a scan evaluates them: a conjunction of disjunctions, and a tree for what does not come to few of
// them; every constant in its column's own domain.
//
// NOT is pushed to the leaves first; each leaf's negation is again a leaf, so three-valued logic is kept exactly: a row
// qualifies if and only if every clause has a leaf that is true (NULL makes a leaf not true, whichever way it points)
// and the tree, which has AND and OR only, is true with "not true" for unknown.
#pragma once

#include <cstdint>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/expression.hpp"

namespace daedalus::semantics {

/// Clauses of a normal form; what does not fit goes to its tree.
constexpr uint32_t kClausesMax = 256;
/// Constants that a condition compares columns with, each member of a list counting; a NULL test counts as one.
constexpr uint32_t kLiteralsMax = 16'384;
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

/// A tree of literals that is true or not; what SQL calls unknown is "not" here, because negations are gone.
struct Condition {
  enum class Kind : uint8_t { kAlways, kNever, kLiteral, kAnd, kOr };

  Kind kind = Kind::kNever;
  Literal literal;                  ///< kLiteral
  std::vector<Condition> children;  ///< kAnd, kOr; at least two

  friend bool operator==(const Condition&, const Condition&) = default;
};

/// A conjunction. No clauses and no tree: every row.
struct Predicate {
  std::vector<Clause> clauses;                          ///< At most kClausesMax. Some may follow from the tree.
  Condition tree = {.kind = Condition::Kind::kAlways};  ///< Has to hold as well. Never kNever.

  [[nodiscard]] bool has_tree() const { return tree.kind != Condition::Kind::kAlways; }

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// Reads a boolean expression against a schema.
///
/// Comparisons take column and constant in either order (constant op column is turned round); a bare boolean column is
/// `column = true`; constants of any PostgreSQL-comparable type are moved into the column's domain (`int < 1.5` becomes
/// `int <= 1`, `smallint < 100000` becomes IS NOT NULL); a NULL constant makes a comparison kNever.
/// A char(n) column beside a constant of a varchar type with a length compares as text: the constant's trailing blanks
/// count (PostgreSQL's `char(n) = text`); beside char(n) and untyped constants none do.
/// Where PostgreSQL compares in double precision (a floating column or constant), the column's values that cast to the
/// same side are found exactly; an equality may then become a list or two bounds. List members are normalised one by
/// one. Errors: 54001 beyond kLiteralsMax and kExpressionDepthMax (says which), 42883 no such operator for the types,
/// 42703 no such column position, 42804 not boolean, 0A000 two columns compared, arithmetic, or varchar with a char(n)
/// constant; those of parse_text() for untyped literals; 22003 a numeric constant that has no double.
/// Cost: linear in the expression, times its depth at worst.
[[nodiscard]] Result<Condition> to_condition(const Schema& schema, const Expression& expression);

/// Makes of `column op constant` alone what to_condition() would, with the same errors. Precondition: the schema has
/// the column, and op is a comparison or, of a string column and a string, kStartsWith or kNotStartsWith.
[[nodiscard]] Result<Condition> to_comparison(const Schema& schema, uint32_t column, Operator op, const Type& type,
                                              const Value& constant);

/// `column IS NULL` or IS NOT NULL. Precondition: the schema has the column.
[[nodiscard]] Condition to_null_test(const Schema& schema, uint32_t column, bool wants_null);

/// AND or OR of conditions: what does not matter is dropped, and what is joined by the same word becomes one list.
[[nodiscard]] Condition join(Condition::Kind kind, std::vector<Condition> children);

/// These measures of an expression are bounded.
struct ExpressionSize {
  uint64_t comparisons = 1;  ///< As kLiteralsMax counts them.
  uint32_t depth = 1;
};

/// Checks the whole of an expression of this size as to_condition() does, for whoever has read its leaves one by one
/// and joined them to `condition`. Errors: 54001 beyond kLiteralsMax and kExpressionDepthMax.
[[nodiscard]] Result<void> check_size(const ExpressionSize& size, const Condition& condition);

/// Says whether to_comparison() of these comes to a literal of that very operator and value, as most do: neither has to
/// be moved into the column's domain, nor may be beyond it. Precondition: as to_comparison(). Allocates nothing.
[[nodiscard]] bool is_plain_comparison(const Type& column, Operator op, const Type& type, const Value& constant);

/// Gives the same condition, in which nothing is said twice. It is never heavier by kLiteralsMax's measure. Cost: n log
/// n.
[[nodiscard]] Condition simplified(Condition condition);

/// Brings a condition to the form that is scanned: simplified; each conjunct that multiplies out to few clauses does,
/// the others make the tree, and clauses about one column that follow from those are added, so that rows are found
/// without looking at all of them: (a = 1 AND b < 2) OR (a = 3 AND c = 4) has a IN (1, 3) beside it. The same condition
/// always gives the same form. Cost: n log n in the condition's weight.
[[nodiscard]] Predicate normal_form(Condition condition);

/// Both of these. Errors: those of to_condition().
[[nodiscard]] Result<Predicate> normalise(const Schema& schema, const Expression& expression);

/// The plain twin: three-valued evaluation of the tree on one row of column values; true only if TRUE.
/// Precondition: normalise() accepted the expression.
[[nodiscard]] bool evaluate(const Schema& schema, const Expression& expression, const std::vector<Value>& row);

/// Evaluates a normal form on one row of values.
[[nodiscard]] bool evaluate(const Schema& schema, const Predicate& predicate, const std::vector<Value>& row);

/// Finds the literal that pins `column` in an operation with this predicate: a clause that is one kEqual or kIn literal
/// on it. Null: unconstrained. The shortest list wins.
[[nodiscard]] const Literal* pinning_literal(const Predicate& predicate, uint32_t column);

/// The values of pinning_literal(). Empty optional: unconstrained.
[[nodiscard]] std::optional<std::vector<Value>> pinned_values(const Predicate& predicate, uint32_t column);

}  // namespace daedalus::semantics

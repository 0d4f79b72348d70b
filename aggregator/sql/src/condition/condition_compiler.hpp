// The compiler of conditions, in three files: condition.cpp has what may stand anywhere and how it is joined,
// condition_in_list.cpp IN and NOT IN, condition_like.cpp LIKE and NOT LIKE.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "constant.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "like_pattern.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A condition that depends on the row, with every NOT around it applied.
struct RowCondition {
  semantics::Condition condition;
  semantics::ExpressionSize size;            ///< As it was written.
  std::optional<semantics::Operator> joint;  ///< AND or OR, where it was written as one.
};

/// A condition that does not depend on the row, as it stands there, or one that does.
using Condition = std::variant<bool, RowCondition>;

/// One side of a comparison.
using Operand = std::variant<uint32_t, Constant>;  // A column's position, or a constant.

/// NULL for every row: a comparison with NULL. Negated it is NULL, too.
[[nodiscard]] Condition always_null();

/// A string among others in a list: of the column's type, but of no length. Whatever else stays as it is.
[[nodiscard]] Constant as_list_member(const semantics::Type& column_type, Constant member);

class ConditionCompiler {
 public:
  explicit ConditionCompiler(Scope& scope) : scope_(scope) {}

  /// Any condition; `place` names the clause around it in messages.
  Result<Condition> compile(const grammar::Node& node, std::string_view place);

 private:
  Error refused(const grammar::Node& node, std::string_view place);
  Result<Condition> boolean_expression(const grammar::BooleanExpression& node);
  Result<Condition> negation(const grammar::BooleanExpression& node);
  /// The column, which has to be a boolean one.
  Result<uint32_t> boolean_operand(const grammar::ColumnReference& node, std::string_view place);
  Result<Condition> boolean_column(const grammar::ColumnReference& node, std::string_view place);
  Result<Condition> boolean_test(const grammar::BooleanTest& node);
  Result<Condition> null_test_of(const grammar::NullTest& node);
  Result<Condition> operator_expression(const grammar::Node& node);
  Result<Condition> plain_operator(const grammar::OperatorExpression& node);
  Result<Condition> between(const grammar::OperatorExpression& node);
  Result<Condition> in_list(const grammar::OperatorExpression& node);
  Result<Condition> array_test(const grammar::OperatorExpression& node);
  Result<std::optional<std::vector<Constant>>> array_elements(const grammar::Node& array,
                                                              const semantics::Type& column);
  Result<std::vector<Constant>> list_members(const grammar::Nodes& items, const semantics::Type& column_type);
  /// PostgreSQL brings column and members of a list to one type: numbers beside real become real, strings beside
  /// char(n) or varchar become that. A single member is compared as by `=`, a number in double precision.
  Result<void> bring_list_to_common_type(const semantics::Type& column_type, std::vector<Constant>& members);
  Result<Condition> like(const grammar::OperatorExpression& node);
  /// A regular expression that says what a pattern of LIKE says; others are refused, and computed.
  Result<Condition> match(const grammar::OperatorExpression& node);
  /// A string, or NULL; anything else is an error at its place.
  Result<Constant> like_operand(const grammar::OperatorExpression& node, const semantics::Type& column_type);
  Result<Condition> like_column(uint32_t column, const LikePattern& pattern, bool is_negated, int32_t location);
  Result<Condition> constant_condition(const Constant& constant, std::string_view place);

  Result<Operand> operand(const grammar::Node& node);
  /// The left side of what takes a column there alone; `name` is what messages call it.
  Result<uint32_t> left_column(const grammar::OperatorExpression& node, std::string_view name);
  Result<Condition> comparison(semantics::Operator op, const Operand& left, const Operand& right, int32_t location);
  /// `column op value`, or what NOT makes of it. Precondition: as semantics::to_comparison().
  Result<Condition> compare_column(semantics::Operator op, uint32_t column, const semantics::Type& type,
                                   const semantics::Value& value, int32_t location);
  /// What a comparison came to; semantics says whether it is one at all, while its place is still known.
  Result<Condition> leaf(Result<semantics::Condition> read, uint64_t comparisons, int32_t location);
  [[nodiscard]] Condition null_test(uint32_t column, bool wants_null) const;
  /// The operator that says the same under the NOTs around it.
  [[nodiscard]] semantics::Operator in_place(semantics::Operator op) const;
  Condition combine(semantics::Operator op, std::vector<Condition> parts) const;

  Scope& scope_;
  bool is_negated_ = false;  ///< By an odd number of NOTs around what is compiled.
};

}  // namespace daedalus::aggregator::sql

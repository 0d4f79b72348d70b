// The compiler of conditions, in three files: condition.cpp has what may stand anywhere and how it is joined,
// condition_in_list.cpp IN and NOT IN, condition_like.cpp LIKE and NOT LIKE.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "constant.hpp"
#include "daedalus/semantics/expression.hpp"
#include "like_pattern.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A condition that does not depend on the row, or a tree that does.
using Condition = std::variant<bool, semantics::Expression>;

/// One side of a comparison.
using Operand = std::variant<uint32_t, Constant>;  // A column's position, or a constant.

/// A comparison of a column with a constant.
[[nodiscard]] semantics::Expression compare_column(semantics::Operator op, uint32_t column, semantics::Type type,
                                                   semantics::Value value);

/// A tree that is NULL for every row: a comparison with NULL.
[[nodiscard]] semantics::Expression always_null(const semantics::Schema& schema, uint32_t column = 0);

/// A string among others in a list: of the column's type, but of no length. Whatever else stays as it is.
[[nodiscard]] Constant as_list_member(const semantics::Type& column_type, Constant member);

class ConditionCompiler {
 public:
  explicit ConditionCompiler(Scope& scope) : scope_(scope) {}

  /// Any condition; `place` names the clause around it in messages.
  Result<Condition> compile(const grammar::Node& node, std::string_view place);

 private:
  Result<Condition> boolean_expression(const grammar::BooleanExpression& node);
  Result<Condition> negation(const grammar::BooleanExpression& node);
  Result<Condition> boolean_column(const grammar::ColumnReference& node, std::string_view place);
  Result<Condition> boolean_test(const grammar::BooleanTest& node);
  Result<Condition> null_test_of(const grammar::NullTest& node);
  Result<Condition> operator_expression(const grammar::Node& node);
  Result<Condition> plain_operator(const grammar::OperatorExpression& node);
  Result<Condition> between(const grammar::OperatorExpression& node);
  Result<Condition> in_list(const grammar::OperatorExpression& node);
  Result<std::vector<Constant>> list_members(const grammar::Nodes& items, const semantics::Type& column_type);
  /// PostgreSQL brings column and members of a list to one type: numbers beside real become real, strings beside
  /// char(n) or varchar become that. A single member is compared as by `=`, a number in double precision.
  Result<void> bring_list_to_common_type(const semantics::Type& column_type, std::vector<Constant>& members);
  Result<Condition> like(const grammar::OperatorExpression& node);
  /// A string, or NULL; anything else is an error at its place.
  Result<Constant> like_operand(const grammar::OperatorExpression& node, const semantics::Type& column_type);
  Result<Condition> like_column(uint32_t column, const LikePattern& pattern, bool is_negated, int32_t location);
  Result<Condition> constant_condition(const Constant& constant, std::string_view place);

  Result<Operand> operand(const grammar::Node& node);
  /// The left side of what takes a column there alone; `name` is what messages call it.
  Result<uint32_t> left_column(const grammar::OperatorExpression& node, std::string_view name);
  Result<Condition> comparison(semantics::Operator op, const Operand& left, const Operand& right, int32_t location);
  Result<Condition> checked(semantics::Expression leaf, int32_t location);
  Condition combine(semantics::Operator op, std::vector<Condition> parts) const;

  Scope& scope_;
};

}  // namespace daedalus::aggregator::sql

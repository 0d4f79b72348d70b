#include "condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <variant>

#include "aggregates.hpp"
#include "arithmetic.hpp"
#include "constant.hpp"
#include "daedalus/contract/normal_form.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/text.hpp"
#include "like_pattern.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// A condition that does not depend on the row, or a tree that does.
using Condition = std::variant<bool, Expression>;

/// One side of a comparison.
using Operand = std::variant<uint32_t, Constant>;  // A column's position, or a constant.

Expression compare_column(Operator op, uint32_t column, Type type, Value value) {
  return Expression::make_call(
      op, {Expression::make_column(column), Expression::make_constant(std::move(type), std::move(value))});
}

Expression null_test(Operator op, uint32_t column) {
  return Expression::make_call(op, {Expression::make_column(column)});
}

/// A tree that is NULL for every row: a comparison with NULL.
Expression always_null(const semantics::Schema& schema, uint32_t column = 0) {
  return compare_column(Operator::kEqual, column, Type{schema.columns[column].type.kind}, Value());
}

/// A string among others in a list: of the column's type, but of no length.
Constant as_list_member(const Type& column_type, Constant member) {
  member.is_text = false;
  if (member.type.kind != column_type.kind) {
    auto* text = std::get_if<std::string>(&member.value);
    const bool has_blanks =
        text != nullptr && (column_type.kind == TypeKind::kChar || member.type.kind == TypeKind::kChar);
    if (has_blanks) {
      text->erase(text->find_last_not_of(' ') + 1);
    }
    member.type = Type{TypeKind::kVarchar};
  }
  return member;
}

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
  /// PostgreSQL brings column and members of a list to one type: numbers beside real become real, strings beside
  /// char(n) or varchar become that. A single member is compared as by `=`, a number in double precision.
  Result<void> bring_list_to_common_type(const Type& column_type, std::vector<Constant>& members);
  Result<Condition> like(const grammar::OperatorExpression& node);
  Result<Condition> like_column(uint32_t column, const LikePattern& pattern, bool is_negated, int32_t location);
  Result<Condition> constant_condition(const Constant& constant, std::string_view place);

  Result<Operand> operand(const grammar::Node& node);
  Result<Condition> comparison(Operator op, const Operand& left, const Operand& right, int32_t location);
  Result<Condition> checked(Expression leaf, int32_t location);
  Condition combine(Operator op, std::vector<Condition> parts) const;

  Scope& scope_;
};

Result<Condition> ConditionCompiler::compile(const grammar::Node& node, std::string_view place) {
  switch (node.kind_case()) {
    case grammar::Node::kBooleanExpression:
      return boolean_expression(node.boolean_expression());
    case grammar::Node::kColumn:
      return boolean_column(node.column(), place);
    case grammar::Node::kBooleanTest:
      return boolean_test(node.boolean_test());
    case grammar::Node::kNullTest:
      return null_test_of(node.null_test());
    default:
      break;
  }
  auto constant = fold(scope_, node);
  if (constant.has_error()) {
    return constant.error();
  }
  if (constant->has_value()) {
    return constant_condition(**constant, place);
  }
  if (node.has_operator_expression()) {
    return operator_expression(node);
  }
  if (node.has_function_call() && is_aggregate(node.function_call())) {
    return scope_.error("42803", fmt::format("aggregate functions are not allowed in {}", place), location_of(node));
  }
  return scope_.refuse(node);
}

Result<Condition> ConditionCompiler::constant_condition(const Constant& constant, std::string_view place) {
  auto truth = resolve_as_boolean(scope_, constant, place);
  if (truth.has_error()) {
    return truth.error();
  }
  return truth->has_value() ? Condition(**truth) : Condition(always_null(scope_.schema()));
}

Result<Condition> ConditionCompiler::boolean_expression(const grammar::BooleanExpression& node) {
  if (node.operator_() == grammar::BOOLEAN_OPERATOR_NOT) {
    return negation(node);
  }
  const bool is_and = node.operator_() == grammar::BOOLEAN_OPERATOR_AND;
  std::vector<Condition> parts;
  for (const grammar::Node& argument : node.arguments()) {
    auto part = compile(argument, is_and ? "AND" : "OR");
    if (part.has_error()) {
      return part.error();
    }
    parts.push_back(std::move(*part));
  }
  return combine(is_and ? Operator::kAnd : Operator::kOr, std::move(parts));
}

Result<Condition> ConditionCompiler::negation(const grammar::BooleanExpression& node) {
  auto argument = compile(node.arguments(0), "NOT");
  if (argument.has_error()) {
    return argument.error();
  }
  if (const bool* truth = std::get_if<bool>(&*argument)) {
    return Condition(!*truth);
  }
  std::vector<Expression> arguments;
  arguments.push_back(std::get<Expression>(std::move(*argument)));
  return Condition(Expression::make_call(Operator::kNot, std::move(arguments)));
}

/// AND or OR of conditions: TRUE and FALSE are folded away, which three-valued logic allows, and what is joined by the
/// same word becomes one list, so that chains are flat however they are bracketed.
Condition ConditionCompiler::combine(Operator op, std::vector<Condition> parts) const {
  const bool dominant = op == Operator::kOr;
  std::vector<Expression> trees;
  for (Condition& part : parts) {
    if (const bool* truth = std::get_if<bool>(&part)) {
      if (*truth == dominant) {
        return dominant;
      }
      continue;
    }
    auto& tree = std::get<Expression>(part);
    if (tree.kind == Expression::Kind::kCall && tree.op == op) {
      std::move(tree.arguments.begin(), tree.arguments.end(), std::back_inserter(trees));
    } else {
      trees.push_back(std::move(tree));
    }
  }
  if (trees.empty()) {
    return !dominant;
  }
  return trees.size() == 1 ? std::move(trees[0]) : Expression::make_call(op, std::move(trees));
}

Result<Condition> ConditionCompiler::boolean_column(const grammar::ColumnReference& node, std::string_view place) {
  auto column = scope_.column(node);
  if (column.has_error()) {
    return column.error();
  }
  const Type& type = scope_.schema().columns[*column].type;
  if (type.kind != TypeKind::kBool) {
    return scope_.error(
        "42804",
        fmt::format("argument of {} must be type boolean, not type {}", place, semantics::kind_name(type.kind)),
        node.location());
  }
  return Condition(compare_column(Operator::kEqual, *column, Type{TypeKind::kBool}, Value(true)));
}

Result<Condition> ConditionCompiler::boolean_test(const grammar::BooleanTest& node) {
  if (!node.argument().has_column()) {
    return scope_.refuse("IS TRUE, IS FALSE or IS UNKNOWN of anything but a boolean column", node.location());
  }
  auto is_true = boolean_column(node.argument().column(), "IS TRUE");
  if (is_true.has_error()) {
    return is_true.error();
  }
  const uint32_t column = std::get<Expression>(*is_true).arguments[0].column;
  const auto equals = [&](bool value) {
    return compare_column(Operator::kEqual, column, Type{TypeKind::kBool}, Value(value));
  };
  // What is TRUE or FALSE even of NULL: the second part decides there.
  const auto never_null = [&](Operator op, bool value, Operator test) {
    return Condition(Expression::make_call(op, {equals(value), null_test(test, column)}));
  };
  switch (node.kind()) {
    case grammar::BOOLEAN_TEST_IS_TRUE:
      return never_null(Operator::kAnd, true, Operator::kIsNotNull);
    case grammar::BOOLEAN_TEST_IS_NOT_TRUE:
      return never_null(Operator::kOr, false, Operator::kIsNull);
    case grammar::BOOLEAN_TEST_IS_FALSE:
      return never_null(Operator::kAnd, false, Operator::kIsNotNull);
    case grammar::BOOLEAN_TEST_IS_NOT_FALSE:
      return never_null(Operator::kOr, true, Operator::kIsNull);
    case grammar::BOOLEAN_TEST_IS_UNKNOWN:
      return Condition(null_test(Operator::kIsNull, column));
    default:
      return Condition(null_test(Operator::kIsNotNull, column));
  }
}

Result<Condition> ConditionCompiler::null_test_of(const grammar::NullTest& node) {
  auto argument = operand(node.argument());
  if (argument.has_error()) {
    return argument.error();
  }
  const bool wants_null = node.kind() == grammar::NULL_TEST_IS_NULL;
  if (const auto* constant = std::get_if<Constant>(&*argument)) {
    return Condition(semantics::is_null(constant->value) == wants_null);
  }
  return Condition(null_test(wants_null ? Operator::kIsNull : Operator::kIsNotNull, std::get<uint32_t>(*argument)));
}

Result<Operand> ConditionCompiler::operand(const grammar::Node& node) {
  if (node.has_column()) {
    auto column = scope_.column(node.column());
    return column.has_error() ? Result<Operand>(column.error()) : Result<Operand>(*column);
  }
  auto constant = fold(scope_, node);
  if (constant.has_error()) {
    return constant.error();
  }
  if (constant->has_value()) {
    return Operand(std::move(**constant));
  }
  if (node.has_function_call() && is_aggregate(node.function_call())) {
    return scope_.error("42803", "aggregate functions are not allowed in WHERE", location_of(node));
  }
  return scope_.refuse(node);
}

/// Asks semantics whether the leaf is one at all, while its place is still known.
Result<Condition> ConditionCompiler::checked(Expression leaf, int32_t location) {
  auto condition = semantics::to_condition(scope_.schema(), leaf);
  if (condition.has_error()) {
    return scope_.located(condition.error(), location);
  }
  return Condition(std::move(leaf));
}

Result<Condition> ConditionCompiler::comparison(Operator op, const Operand& left, const Operand& right,
                                                int32_t location) {
  const auto* left_column = std::get_if<uint32_t>(&left);
  const auto* right_column = std::get_if<uint32_t>(&right);
  if (left_column != nullptr && right_column != nullptr) {
    return scope_.refuse("comparing two columns", location, "compare each column with a constant");
  }
  if (left_column == nullptr && right_column == nullptr) {
    auto truth = compare_constants(scope_, op, std::get<Constant>(left), std::get<Constant>(right), location);
    if (truth.has_error()) {
      return truth.error();
    }
    return truth->has_value() ? Condition(**truth) : Condition(always_null(scope_.schema()));
  }
  const uint32_t column = left_column != nullptr ? *left_column : *right_column;
  auto constant = resolve_for_comparison(scope_, std::get<Constant>(left_column != nullptr ? right : left),
                                         scope_.schema().columns[column].type);
  if (constant.has_error()) {
    return constant.error();
  }
  Expression value = Expression::make_constant(constant->type, std::move(constant->value));
  std::vector<Expression> arguments;
  if (left_column != nullptr) {
    arguments.push_back(Expression::make_column(column));
    arguments.push_back(std::move(value));
  } else {
    arguments.push_back(std::move(value));
    arguments.push_back(Expression::make_column(column));
  }
  return checked(Expression::make_call(op, std::move(arguments)), location);
}

Result<Condition> ConditionCompiler::operator_expression(const grammar::Node& node) {
  const grammar::OperatorExpression& expression = node.operator_expression();
  switch (expression.kind()) {
    case grammar::OPERATOR_EXPRESSION_PLAIN:
      return plain_operator(expression);
    case grammar::OPERATOR_EXPRESSION_BETWEEN:
    case grammar::OPERATOR_EXPRESSION_NOT_BETWEEN:
      return between(expression);
    case grammar::OPERATOR_EXPRESSION_IN:
      return in_list(expression);
    case grammar::OPERATOR_EXPRESSION_LIKE:
      return like(expression);
    default: {
      Construct construct = describe(node);
      return scope_.refuse(std::move(construct.name), expression.location(), std::move(construct.hint));
    }
  }
}

Result<Condition> ConditionCompiler::plain_operator(const grammar::OperatorExpression& node) {
  static constexpr std::array kOperators{Operator::kEqual,       Operator::kNotEqual, Operator::kLess,
                                         Operator::kLessOrEqual, Operator::kGreater,  Operator::kGreaterOrEqual};
  const std::string_view name = plain_name(node.name());
  for (const Operator op : kOperators) {
    if (semantics::operator_sign(op) != name) {
      continue;
    }
    auto left = operand(node.left());
    if (left.has_error()) {
      return left.error();
    }
    auto right = operand(node.right());
    if (right.has_error()) {
      return right.error();
    }
    return comparison(op, *left, *right, node.location());
  }
  return scope_.refuse(fmt::format("operator \"{}\"", name), node.location());
}

Result<Condition> ConditionCompiler::between(const grammar::OperatorExpression& node) {
  const auto& bounds = node.right().list().items();
  if (bounds.size() != 2) {
    return scope_.refuse("BETWEEN of this form", node.location());
  }
  auto value = operand(node.left());
  if (value.has_error()) {
    return value.error();
  }
  const bool is_negated = node.kind() == grammar::OPERATOR_EXPRESSION_NOT_BETWEEN;
  std::vector<Condition> sides;
  for (int i = 0; i < 2; ++i) {
    auto bound = operand(bounds[i]);
    if (bound.has_error()) {
      return bound.error();
    }
    const Operator below = is_negated ? Operator::kLess : Operator::kGreaterOrEqual;
    const Operator above = is_negated ? Operator::kGreater : Operator::kLessOrEqual;
    auto side = comparison(i == 0 ? below : above, *value, *bound, node.location());
    if (side.has_error()) {
      return side.error();
    }
    sides.push_back(std::move(*side));
  }
  return combine(is_negated ? Operator::kOr : Operator::kAnd, std::move(sides));
}

Result<void> ConditionCompiler::bring_list_to_common_type(const Type& column_type, std::vector<Constant>& members) {
  const bool has_double = std::any_of(members.begin(), members.end(),
                                      [](const Constant& member) { return member.type.kind == TypeKind::kDouble; });
  const bool is_real = column_type.kind == TypeKind::kReal && !has_double;
  if (members.size() < 2 || (!is_real && !semantics::is_string(column_type.kind))) {
    return {};
  }
  for (Constant& member : members) {
    if (semantics::is_string(column_type.kind) && semantics::is_string(member.type.kind)) {
      member = as_list_member(column_type, std::move(member));
      continue;
    }
    if (!is_real || !semantics::is_numeric(member.type.kind)) {
      continue;  // No such operator: the comparison says so.
    }
    auto value = semantics::assign(member.type, member.value, column_type);
    if (value.has_error()) {
      return scope_.located(value.error(), member.location);
    }
    member.type = column_type;
    member.value = std::move(*value);
  }
  return {};
}

Result<Condition> ConditionCompiler::in_list(const grammar::OperatorExpression& node) {
  const bool is_negated = plain_name(node.name()) == "<>";
  const char* const name = is_negated ? "NOT IN" : "IN";
  auto value = operand(node.left());
  if (value.has_error()) {
    return value.error();
  }
  const auto* column = std::get_if<uint32_t>(&*value);
  if (column == nullptr) {
    return scope_.refuse(fmt::format("{} of a constant", name), location_of(node.left()),
                         "put a column on its left side");
  }
  const Type& column_type = scope_.schema().columns[*column].type;
  std::vector<Constant> members;
  for (const grammar::Node& item : node.right().list().items()) {
    auto member = operand(item);
    if (member.has_error()) {
      return member.error();
    }
    auto* constant = std::get_if<Constant>(&*member);
    if (constant == nullptr) {
      return scope_.refuse("comparing two columns", location_of(item), "compare each column with a constant");
    }
    auto resolved = resolve_for_comparison(scope_, std::move(*constant), column_type);
    if (resolved.has_error()) {
      return resolved.error();
    }
    members.push_back(std::move(*resolved));
  }
  if (auto common = bring_list_to_common_type(column_type, members); common.has_error()) {
    return common.error();
  }
  std::vector<Expression> arguments{Expression::make_column(*column)};
  for (Constant& member : members) {
    arguments.push_back(Expression::make_constant(member.type, std::move(member.value)));
  }
  return checked(Expression::make_call(is_negated ? Operator::kNotIn : Operator::kIn, std::move(arguments)),
                 node.location());
}

Result<Condition> ConditionCompiler::like(const grammar::OperatorExpression& node) {
  auto value = operand(node.left());
  if (value.has_error()) {
    return value.error();
  }
  const auto* column = std::get_if<uint32_t>(&*value);
  if (column == nullptr) {
    return scope_.refuse("LIKE of a constant", location_of(node.left()), "put a column on its left side");
  }
  auto pattern = operand(node.right());
  if (pattern.has_error()) {
    return pattern.error();
  }
  const auto* constant = std::get_if<Constant>(&*pattern);
  if (constant == nullptr) {
    return scope_.refuse("a column as LIKE pattern", location_of(node.right()));
  }
  const bool is_negated = plain_name(node.name()) == "!~~";
  const Type& type = scope_.schema().columns[*column].type;
  const bool is_text = constant->is_untyped || semantics::is_string(constant->type.kind);
  if (!semantics::is_string(type.kind) || !is_text) {
    return scope_.error(
        "42883",
        fmt::format("operator does not exist: {} {} {}", semantics::kind_name(type.kind), is_negated ? "!~~" : "~~",
                    constant->is_untyped ? "unknown" : semantics::kind_name(constant->type.kind)),
        node.location());
  }
  ask_kind(scope_, *constant, TypeKind::kVarchar);
  if (semantics::is_null(constant->value)) {
    return Condition(always_null(scope_.schema(), *column));
  }
  const auto& text = std::get<std::string>(constant->value);
  if (text.size() > kStringConstantSizeMax) {
    return scope_.error("54000", fmt::format("LIKE pattern too long: at most {} bytes", kStringConstantSizeMax),
                        constant->location);
  }
  auto read = read_like_pattern(text);
  if (read.has_error()) {
    return scope_.located(read.error(), constant->location);
  }
  return like_column(*column, *read, is_negated, node.location());
}

Result<Condition> ConditionCompiler::like_column(uint32_t column, const LikePattern& pattern, bool is_negated,
                                                 int32_t location) {
  const Type& type = scope_.schema().columns[column].type;
  const Type text_type{TypeKind::kVarchar};
  if (pattern.is_prefix) {
    const Operator op = is_negated ? Operator::kNotStartsWith : Operator::kStartsWith;
    return checked(compare_column(op, column, text_type, Value(pattern.text)), location);
  }
  const Operator op = is_negated ? Operator::kNotEqual : Operator::kEqual;
  std::string whole = pattern.text;
  if (type.kind == TypeKind::kChar) {
    // LIKE sees the padding of char(n): only a pattern of the declared length can match. One of another length is
    // replaced by a text that no value of the column equals, so that NULL stays NULL and everything else is decided.
    const bool can_match = whole.size() == type.length;
    whole = can_match ? whole.substr(0, whole.find_last_not_of(' ') + 1) : std::string(type.length + 1, 'x');
  }
  return checked(compare_column(op, column, text_type, Value(std::move(whole))), location);
}

/// Levels of AND within OR within AND that are sent: each takes two levels of messages, and readers of messages take a
/// hundred.
constexpr uint32_t kConditionDepthMax = 40;

uint32_t depth_of(const semantics::Condition& condition) {
  uint32_t deepest = 0;
  for (const semantics::Condition& child : condition.children) {
    deepest = std::max(deepest, depth_of(child));
  }
  return deepest + 1;
}

}  // namespace

Result<std::optional<Expression>> compile_where(Scope& scope, const grammar::Node& where) {
  auto condition = ConditionCompiler(scope).compile(where, "WHERE");
  if (condition.has_error()) {
    return condition.error();
  }
  if (const bool* truth = std::get_if<bool>(&*condition)) {
    return *truth ? std::optional<Expression>() : std::optional<Expression>(always_null(scope.schema()));
  }
  auto read = semantics::to_condition(scope.schema(), std::get<Expression>(*condition));
  if (read.has_error()) {
    return scope.located(read.error(), location_of(where));
  }
  const semantics::Condition simple = semantics::simplified(std::move(*read));
  if (depth_of(simple) > kConditionDepthMax) {
    return scope.error("54001",
                       fmt::format("the condition is too complex: more than {} levels of nesting", kConditionDepthMax),
                       location_of(where));
  }
  return contract::to_expression(scope.schema(), simple);
}

}  // namespace daedalus::aggregator::sql

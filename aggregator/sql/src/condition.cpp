#include "condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <variant>

#include "aggregates.hpp"
#include "arithmetic.hpp"
#include "condition_compiler.hpp"
#include "constant.hpp"
#include "daedalus/contract/normal_form.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/text.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// A call whose arguments are moved, as those of an initializer list are not.
template <typename... Arguments>
Expression call(Operator op, Arguments... arguments) {
  std::vector<Expression> list;
  list.reserve(sizeof...(arguments));
  (list.push_back(std::move(arguments)), ...);
  return Expression::make_call(op, std::move(list));
}

Expression null_test(Operator op, uint32_t column) { return call(op, Expression::make_column(column)); }

}  // namespace

Expression compare_column(Operator op, uint32_t column, Type type, Value value) {
  return call(op, Expression::make_column(column), Expression::make_constant(type, std::move(value)));
}

Expression always_null(const semantics::Schema& schema, uint32_t column) {
  return compare_column(Operator::kEqual, column, Type{schema.columns[column].type.kind}, Value());
}

Result<Condition> ConditionCompiler::compile(const grammar::Node& node, std::string_view place) {
  switch (node.kind()) {
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
  if (!constant) {
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
  if (!truth) {
    return truth.error();
  }
  return truth->has_value() ? Condition(**truth) : Condition(always_null(scope_.schema()));
}

Result<Condition> ConditionCompiler::boolean_expression(const grammar::BooleanExpression& node) {
  if (node.op == grammar::BooleanOperator::kNot) {
    return negation(node);
  }
  const bool is_and = node.op == grammar::BooleanOperator::kAnd;
  std::vector<Condition> parts;
  parts.reserve(node.arguments.size());
  for (const grammar::Node& argument : node.arguments) {
    auto part = compile(argument, is_and ? "AND" : "OR");
    if (!part) {
      return part.error();
    }
    parts.push_back(std::move(*part));
  }
  return combine(is_and ? Operator::kAnd : Operator::kOr, std::move(parts));
}

Result<Condition> ConditionCompiler::negation(const grammar::BooleanExpression& node) {
  scope_.places().lose();  // What is negated is said by another operator.
  auto argument = compile(node.arguments.front(), "NOT");
  if (!argument) {
    return argument.error();
  }
  if (const bool* truth = std::get_if<bool>(&*argument)) {
    return Condition(!*truth);
  }
  return Condition(call(Operator::kNot, std::get<Expression>(std::move(*argument))));
}

/// AND or OR of conditions: TRUE and FALSE are folded away, which three-valued logic allows, and what is joined by the
/// same word becomes one list, so that chains are flat however they are bracketed.
Condition ConditionCompiler::combine(Operator op, std::vector<Condition> parts) const {
  const bool dominant = op == Operator::kOr;
  std::vector<Expression> trees;
  trees.reserve(parts.size());
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
  if (!column) {
    return column.error();
  }
  const Type& type = scope_.schema().columns[*column].type;
  if (type.kind != TypeKind::kBool) {
    return scope_.error(
        "42804",
        fmt::format("argument of {} must be type boolean, not type {}", place, semantics::kind_name(type.kind)),
        node.location);
  }
  return checked(compare_column(Operator::kEqual, *column, Type{TypeKind::kBool}, Value(true)), node.location);
}

Result<Condition> ConditionCompiler::boolean_test(const grammar::BooleanTest& node) {
  if (!node.argument.has_column()) {
    return scope_.refuse("IS TRUE, IS FALSE or IS UNKNOWN of anything but a boolean column", node.location);
  }
  auto is_true = boolean_column(node.argument.column(), "IS TRUE");
  if (!is_true) {
    return is_true.error();
  }
  const uint32_t column = std::get<Expression>(*is_true).arguments[0].column;
  const auto equals = [&](bool value) {
    return compare_column(Operator::kEqual, column, Type{TypeKind::kBool}, Value(value));
  };
  // What is TRUE or FALSE even of NULL: the second part decides there.
  const auto never_null = [&](Operator op, bool value, Operator test) {
    return Condition(call(op, equals(value), null_test(test, column)));
  };
  switch (node.kind) {
    case grammar::BooleanTestKind::kTrue:
      return never_null(Operator::kAnd, true, Operator::kIsNotNull);
    case grammar::BooleanTestKind::kNotTrue:
      return never_null(Operator::kOr, false, Operator::kIsNull);
    case grammar::BooleanTestKind::kFalse:
      return never_null(Operator::kAnd, false, Operator::kIsNotNull);
    case grammar::BooleanTestKind::kNotFalse:
      return never_null(Operator::kOr, true, Operator::kIsNull);
    case grammar::BooleanTestKind::kUnknown:
      return Condition(null_test(Operator::kIsNull, column));
    default:
      return Condition(null_test(Operator::kIsNotNull, column));
  }
}

Result<Condition> ConditionCompiler::null_test_of(const grammar::NullTest& node) {
  auto argument = operand(node.argument);
  if (!argument) {
    return argument.error();
  }
  const bool wants_null = !node.is_negated;
  if (const auto* constant = std::get_if<Constant>(&*argument)) {
    return Condition(semantics::is_null(constant->value) == wants_null);
  }
  return Condition(null_test(wants_null ? Operator::kIsNull : Operator::kIsNotNull, std::get<uint32_t>(*argument)));
}

Result<Operand> ConditionCompiler::operand(const grammar::Node& node) {
  if (node.has_column()) {
    auto column = scope_.column(node.column());
    return !column ? Result<Operand>(column.error()) : Result<Operand>(*column);
  }
  auto constant = fold(scope_, node);
  if (!constant) {
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

Result<uint32_t> ConditionCompiler::left_column(const grammar::OperatorExpression& node, std::string_view name) {
  auto value = operand(node.left);
  if (!value) {
    return value.error();
  }
  const auto* column = std::get_if<uint32_t>(&*value);
  if (column == nullptr) {
    return scope_.refuse(fmt::format("{} of a constant", name), location_of(node.left),
                         "put a column on its left side");
  }
  return *column;
}

/// Asks semantics whether the leaf is one at all, while its place is still known.
Result<Condition> ConditionCompiler::checked(Expression leaf, int32_t location) {
  auto condition = semantics::to_condition(scope_.schema(), leaf);
  if (!condition) {
    return scope_.located(condition.error(), location);
  }
  scope_.places().see_leaf(*condition);
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
    if (!truth) {
      return truth.error();
    }
    return truth->has_value() ? Condition(**truth) : Condition(always_null(scope_.schema()));
  }
  const uint32_t column = left_column != nullptr ? *left_column : *right_column;
  const auto& given = std::get<Constant>(left_column != nullptr ? right : left);
  scope_.places().add({&given.given, 1}, column, left_column != nullptr ? op : flipped(op));
  auto constant = resolve_for_comparison(scope_, given, scope_.schema().columns[column].type);
  if (!constant) {
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
  switch (expression.kind) {
    case grammar::OperatorKind::kPlain:
      return plain_operator(expression);
    case grammar::OperatorKind::kBetween:
    case grammar::OperatorKind::kNotBetween:
      return between(expression);
    case grammar::OperatorKind::kIn:
      return in_list(expression);
    case grammar::OperatorKind::kLike:
      return like(expression);
    default: {
      Construct construct = describe(node);
      return scope_.refuse(std::move(construct.name), expression.location, std::move(construct.hint));
    }
  }
}

Result<Condition> ConditionCompiler::plain_operator(const grammar::OperatorExpression& node) {
  static constexpr std::array kOperators{Operator::kEqual,       Operator::kNotEqual, Operator::kLess,
                                         Operator::kLessOrEqual, Operator::kGreater,  Operator::kGreaterOrEqual};
  const std::string_view name = plain_name(node.name);
  for (const Operator op : kOperators) {
    if (semantics::operator_sign(op) != name) {
      continue;
    }
    auto left = operand(node.left);
    if (!left) {
      return left.error();
    }
    auto right = operand(node.right);
    if (!right) {
      return right.error();
    }
    return comparison(op, *left, *right, node.location);
  }
  return scope_.refuse(fmt::format("operator \"{}\"", name), node.location);
}

Result<Condition> ConditionCompiler::between(const grammar::OperatorExpression& node) {
  const grammar::Nodes bounds = node.right.list().items;
  if (bounds.size() != 2) {
    return scope_.refuse("BETWEEN of this form", node.location);
  }
  auto value = operand(node.left);
  if (!value) {
    return value.error();
  }
  const bool is_negated = node.kind == grammar::OperatorKind::kNotBetween;
  std::vector<Condition> sides;
  for (size_t i = 0; i < 2; ++i) {
    auto bound = operand(bounds[i]);
    if (!bound) {
      return bound.error();
    }
    const Operator below = is_negated ? Operator::kLess : Operator::kGreaterOrEqual;
    const Operator above = is_negated ? Operator::kGreater : Operator::kLessOrEqual;
    auto side = comparison(i == 0 ? below : above, *value, *bound, node.location);
    if (!side) {
      return side.error();
    }
    sides.push_back(std::move(*side));
  }
  return combine(is_negated ? Operator::kOr : Operator::kAnd, std::move(sides));
}

namespace {

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

Result<semantics::Condition> compile_condition(Scope& scope, const grammar::Node& where) {
  auto condition = ConditionCompiler(scope).compile(where, "WHERE");
  if (!condition) {
    return condition.error();
  }
  if (const bool* truth = std::get_if<bool>(&*condition)) {
    using Kind = semantics::Condition::Kind;
    const semantics::Condition decided{.kind = *truth ? Kind::kAlways : Kind::kNever, .literal = {}, .children = {}};
    scope.places().see(decided);
    return decided;
  }
  auto read = semantics::to_condition(scope.schema(), std::get<Expression>(*condition));
  if (!read) {
    return scope.located(read.error(), location_of(where));
  }
  scope.places().see(*read);
  semantics::Condition simple = semantics::simplified(std::move(*read));
  if (depth_of(simple) > kConditionDepthMax) {
    return scope.error("54001",
                       fmt::format("the condition is too complex: more than {} levels of nesting", kConditionDepthMax),
                       location_of(where));
  }
  return simple;
}

Result<std::optional<Expression>> compile_where(Scope& scope, const grammar::Node& where) {
  auto condition = compile_condition(scope, where);
  if (!condition) {
    return condition.error();
  }
  return contract::to_expression(scope.schema(), *condition);
}

}  // namespace daedalus::aggregator::sql

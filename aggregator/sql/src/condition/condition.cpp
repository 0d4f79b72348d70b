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
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

using ConditionKind = semantics::Condition::Kind;

/// Two of them, moved, as those of an initializer list are not.
std::vector<Condition> both(Condition one, Condition other) {
  std::vector<Condition> parts;
  parts.reserve(2);
  parts.push_back(std::move(one));
  parts.push_back(std::move(other));
  return parts;
}

}  // namespace

Condition always_null() {
  return RowCondition{{.kind = ConditionKind::kNever, .literal = {}, .children = {}}, {}, std::nullopt};
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
  return refused(node, place);
}

/// Aggregates are refused where they stand, after what is wrong in their arguments.
Error ConditionCompiler::refused(const grammar::Node& node, std::string_view place) {
  if (node.has_function_call() && is_aggregate(node.function_call())) {
    auto bound = ExpressionBinder(scope_, {place}).value(node);
    if (!bound) {
      return bound.error();
    }
  }
  return scope_.refuse(node);
}

Result<Condition> ConditionCompiler::constant_condition(const Constant& constant, std::string_view place) {
  auto truth = resolve_as_boolean(scope_, constant, place);
  if (!truth) {
    return truth.error();
  }
  return truth->has_value() ? Condition(**truth) : always_null();
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
  is_negated_ = !is_negated_;
  auto argument = compile(node.arguments.front(), "NOT");
  is_negated_ = !is_negated_;
  if (!argument) {
    return argument.error();
  }
  if (const bool* truth = std::get_if<bool>(&*argument)) {
    return Condition(!*truth);
  }
  auto& negated = std::get<RowCondition>(*argument);
  ++negated.size.depth;
  negated.joint.reset();
  return std::move(*argument);
}

/// AND or OR of conditions: TRUE and FALSE are folded away, which three-valued logic allows, and what is joined by the
/// same word becomes one list, so that chains are flat however they are bracketed.
Condition ConditionCompiler::combine(Operator op, std::vector<Condition> parts) const {
  const bool dominant = op == Operator::kOr;
  RowCondition joined{{}, {0, 0}, op};
  std::vector<semantics::Condition> trees;
  trees.reserve(parts.size());
  RowCondition* last = nullptr;
  for (Condition& part : parts) {
    if (const bool* truth = std::get_if<bool>(&part)) {
      if (*truth == dominant) {
        return dominant;
      }
      continue;
    }
    last = &std::get<RowCondition>(part);
    joined.size.comparisons += last->size.comparisons;
    joined.size.depth = std::max(joined.size.depth, last->size.depth + (last->joint == op ? 0 : 1));
    trees.push_back(std::move(last->condition));
  }
  if (trees.empty()) {
    return !dominant;
  }
  if (trees.size() == 1) {
    last->condition = std::move(trees[0]);
    return std::move(*last);
  }
  const bool is_and = (op == Operator::kAnd) != is_negated_;
  joined.condition = semantics::join(is_and ? ConditionKind::kAnd : ConditionKind::kOr, std::move(trees));
  return joined;
}

Result<uint32_t> ConditionCompiler::boolean_operand(const grammar::ColumnReference& node, std::string_view place) {
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
  return column;
}

Result<Condition> ConditionCompiler::boolean_column(const grammar::ColumnReference& node, std::string_view place) {
  const auto column = boolean_operand(node, place);
  if (!column) {
    return column.error();
  }
  return compare_column(Operator::kEqual, *column, Type{TypeKind::kBool}, Value(true), node.location);
}

Result<Condition> ConditionCompiler::boolean_test(const grammar::BooleanTest& node) {
  if (!node.argument.has_column()) {
    return scope_.refuse("IS TRUE, IS FALSE or IS UNKNOWN of anything but a boolean column", node.location);
  }
  const auto column = boolean_operand(node.argument.column(), "IS TRUE");
  if (!column) {
    return column.error();
  }
  // What is TRUE or FALSE even of NULL: the second part decides there.
  const auto never_null = [&](Operator op, bool value, bool wants_null) -> Result<Condition> {
    const int32_t location = node.argument.column().location;
    auto equals = compare_column(Operator::kEqual, *column, Type{TypeKind::kBool}, Value(value), location);
    return equals ? combine(op, both(std::move(*equals), null_test(*column, wants_null))) : std::move(equals);
  };
  switch (node.kind) {
    case grammar::BooleanTestKind::kTrue:
      return never_null(Operator::kAnd, true, false);
    case grammar::BooleanTestKind::kNotTrue:
      return never_null(Operator::kOr, false, true);
    case grammar::BooleanTestKind::kFalse:
      return never_null(Operator::kAnd, false, false);
    case grammar::BooleanTestKind::kNotFalse:
      return never_null(Operator::kOr, true, true);
    case grammar::BooleanTestKind::kUnknown:
      return null_test(*column, true);
    default:
      return null_test(*column, false);
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
  return null_test(std::get<uint32_t>(*argument), wants_null);
}

Result<Operand> ConditionCompiler::operand(const grammar::Node& node) {
  if (node.has_column()) {
    auto column = scope_.column(node.column());
    return !column ? Result<Operand>(column.error()) : Result<Operand>(*column);
  }
  auto constant = fold_compared(scope_, node);
  if (!constant) {
    return constant.error();
  }
  if (constant->has_value() && (*constant)->is_array) {
    return scope_.refuse("an array in this place", (*constant)->location);
  }
  if (constant->has_value()) {
    return Operand(std::move(**constant));
  }
  return refused(node, "WHERE");
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

Operator ConditionCompiler::in_place(Operator op) const { return is_negated_ ? semantics::negated(op) : op; }

Result<Condition> ConditionCompiler::leaf(Result<semantics::Condition> read, uint64_t comparisons, int32_t location) {
  if (!read) {
    return scope_.located(read.error(), location);
  }
  scope_.places().see_leaf(*read);
  return Condition(RowCondition{std::move(*read), {comparisons, 1}, std::nullopt});
}

Result<Condition> ConditionCompiler::compare_column(Operator op, uint32_t column, const Type& type, const Value& value,
                                                    int32_t location) {
  return leaf(semantics::to_comparison(scope_.schema(), column, in_place(op), type, value), 1, location);
}

Condition ConditionCompiler::null_test(uint32_t column, bool wants_null) const {
  return RowCondition{semantics::to_null_test(scope_.schema(), column, wants_null != is_negated_), {}, std::nullopt};
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
    return truth->has_value() ? Condition(**truth) : always_null();
  }
  const uint32_t column = left_column != nullptr ? *left_column : *right_column;
  const auto& given = std::get<Constant>(left_column != nullptr ? right : left);
  const Operator seen_from_column = left_column != nullptr ? op : flipped(op);
  scope_.places().add({&given.given, 1}, column, seen_from_column);
  auto constant = resolve_for_comparison(scope_, given, scope_.schema().columns[column].type);
  if (!constant) {
    return constant.error();
  }
  return compare_column(seen_from_column, column, constant->type, constant->value, location);
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
    case grammar::OperatorKind::kAny:
    case grammar::OperatorKind::kAll:
      return array_test(expression);
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
  if (node.left.is_present() && (name == "~" || name == "!~")) {
    return match(node);
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
    const auto kind = *truth ? ConditionKind::kAlways : ConditionKind::kNever;
    const semantics::Condition decided{.kind = kind, .literal = {}, .children = {}};
    scope.places().see(decided);
    return decided;
  }
  auto& [read, size, joint] = std::get<RowCondition>(*condition);
  if (auto checked = semantics::check_size(size, read); !checked) {
    return scope.located(checked.error(), location_of(where));
  }
  scope.places().see(read);
  semantics::Condition simple = semantics::simplified(std::move(read));
  if (depth_of(simple) > kConditionDepthMax) {
    return scope.error("54001",
                       fmt::format("the condition is too complex: more than {} levels of nesting", kConditionDepthMax),
                       location_of(where));
  }
  return simple;
}

}  // namespace daedalus::aggregator::sql

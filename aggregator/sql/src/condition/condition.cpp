#include "condition.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "arithmetic.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

using ConditionKind = semantics::Condition::Kind;

}  // namespace

PlainCondition joined(Operator op, std::vector<PlainCondition> parts) {
  if (parts.size() == 1) {
    return std::move(parts[0]);
  }
  PlainCondition made{{}, {0, 0}, op};
  std::vector<semantics::Condition> trees;
  trees.reserve(parts.size());
  for (PlainCondition& part : parts) {
    made.size.comparisons += part.size.comparisons;
    made.size.depth = std::max(made.size.depth, part.size.depth + (part.joint == op ? 0 : 1));
    trees.push_back(std::move(part.condition));
  }
  made.condition = semantics::join(op == Operator::kAnd ? ConditionKind::kAnd : ConditionKind::kOr, std::move(trees));
  return made;
}

ConditionReader::Read ConditionReader::read(const grammar::Node& node) {
  switch (node.kind()) {
    case grammar::Node::kBooleanExpression:
      return junction(node.boolean_expression());
    case grammar::Node::kColumn:
      return boolean_column(node.column());
    case grammar::Node::kNullTest:
      return null_test(node.null_test());
    case grammar::Node::kOperatorExpression:
      return operator_expression(node.operator_expression());
    default:
      return std::nullopt;
  }
}

ConditionReader::Read ConditionReader::junction(const grammar::BooleanExpression& node) {
  if (node.op == grammar::BooleanOperator::kNot) {
    return std::nullopt;
  }
  std::vector<PlainCondition> parts;
  parts.reserve(node.arguments.size());
  for (const grammar::Node& argument : node.arguments) {
    auto part = read(argument);
    if (!part) {
      return std::nullopt;
    }
    parts.push_back(std::move(*part));
  }
  return joined(node.op == grammar::BooleanOperator::kAnd ? Operator::kAnd : Operator::kOr, std::move(parts));
}

ConditionReader::Read ConditionReader::boolean_column(const grammar::ColumnReference& node) {
  const auto column = scope_.column(node);
  const Type boolean{TypeKind::kBool};
  if (!column || scope_.schema().columns[*column].type != boolean) {
    return std::nullopt;
  }
  return leaf(semantics::to_comparison(scope_.schema(), *column, Operator::kEqual, boolean, Value(true)), 1);
}

ConditionReader::Read ConditionReader::null_test(const grammar::NullTest& node) {
  const auto column = column_of(node.argument);
  return column ? Read(PlainCondition{
                      semantics::to_null_test(scope_.schema(), *column, !node.is_negated), {}, std::nullopt})
                : std::nullopt;
}

std::optional<uint32_t> ConditionReader::column_of(const grammar::Node& node) const {
  if (!node.has_column()) {
    return std::nullopt;
  }
  const auto column = scope_.column(node.column());
  return column ? std::optional(*column) : std::nullopt;
}

std::optional<Constant> ConditionReader::constant_of(const grammar::Node& node) {
  if (node.has_column()) {
    return std::nullopt;
  }
  auto constant = fold_compared(scope_, node);
  return constant ? std::move(*constant) : std::nullopt;
}

ConditionReader::Read ConditionReader::leaf(Result<semantics::Condition> read, uint64_t comparisons) {
  if (!read) {
    // The caller tells that a condition is too large once all of it is read.
    const bool is_too_large = comparisons > semantics::kLiteralsMax;
    return is_too_large ? Read(PlainCondition{{}, {comparisons, 1}, std::nullopt}) : std::nullopt;
  }
  scope_.places().add_leaf(*read);
  return PlainCondition{std::move(*read), {comparisons, 1}, std::nullopt};
}

ConditionReader::Read ConditionReader::comparison(Operator op, uint32_t column, const Constant& given) {
  scope_.places().add({&given.given, 1}, column, op);
  const auto constant = resolve_for_comparison(scope_, given, scope_.schema().columns[column].type);
  if (!constant) {
    return std::nullopt;
  }
  return leaf(semantics::to_comparison(scope_.schema(), column, op, constant->type, constant->value), 1);
}

ConditionReader::Read ConditionReader::operator_expression(const grammar::OperatorExpression& node) {
  switch (node.kind) {
    case grammar::OperatorKind::kPlain:
      return plain_operator(node);
    case grammar::OperatorKind::kBetween:
    case grammar::OperatorKind::kNotBetween:
      return between(node);
    case grammar::OperatorKind::kIn:
      return in_list(node);
    case grammar::OperatorKind::kAny:
    case grammar::OperatorKind::kAll:
      return array_test(node);
    case grammar::OperatorKind::kLike:
      return like(node);
    default:
      return std::nullopt;
  }
}

ConditionReader::Read ConditionReader::plain_operator(const grammar::OperatorExpression& node) {
  const std::string_view name = plain_name(node.name);
  const auto op = comparison_of(name == "!=" ? "<>" : name);
  if (!op || !node.left.is_present()) {
    return std::nullopt;
  }
  const bool is_turned = node.right.has_column();
  const auto column = column_of(is_turned ? node.right : node.left);
  const auto constant = column ? constant_of(is_turned ? node.left : node.right) : std::nullopt;
  return constant ? comparison(is_turned ? semantics::flipped(*op) : *op, *column, *constant) : std::nullopt;
}

ConditionReader::Read ConditionReader::between(const grammar::OperatorExpression& node) {
  const grammar::Nodes bounds = node.right.list().items;
  const auto column = column_of(node.left);
  if (!column || bounds.size() != 2) {
    return std::nullopt;
  }
  const bool is_negated = node.kind == grammar::OperatorKind::kNotBetween;
  const std::array sides{is_negated ? Operator::kLess : Operator::kGreaterOrEqual,
                         is_negated ? Operator::kGreater : Operator::kLessOrEqual};
  std::vector<PlainCondition> parts;
  parts.reserve(sides.size());
  for (size_t side = 0; side < sides.size(); ++side) {
    const auto bound = constant_of(bounds[side]);
    auto part = bound ? comparison(sides[side], *column, *bound) : std::nullopt;
    if (!part) {
      return std::nullopt;
    }
    parts.push_back(std::move(*part));
  }
  return joined(is_negated ? Operator::kOr : Operator::kAnd, std::move(parts));
}

}  // namespace daedalus::aggregator::sql

// = ANY and <> ALL of an array of constants: what IN and NOT IN say of a list.
#include "condition_compiler.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;

/// The elements as constants; nothing for NULL. Where they have types of their own, they are compared as those: beside
/// real and char(n) only expressions do that.
Result<std::optional<std::vector<Constant>>> ConditionCompiler::array_elements(const grammar::Node& array,
                                                                               const Type& column) {
  using Elements = std::optional<std::vector<Constant>>;
  auto bound = ExpressionBinder(scope_, {"WHERE"}).array_elements_for(column, array);
  if (!bound) {
    return bound.error();
  }
  if (!bound->has_value()) {
    return Elements();
  }
  std::vector<Constant> elements;
  for (Typed& element : **bound) {
    if (element.is_unknown) {
      elements.push_back({Type{TypeKind::kVarchar}, std::move(element.expression.value), true, element.location});
      continue;
    }
    const bool is_brought = column.kind == TypeKind::kReal || column.kind == TypeKind::kChar;
    if (is_brought && element.expression.type.kind != column.kind) {
      return scope_.refuse("an array of this form", element.location);
    }
    auto folded = semantics::fold(std::move(element.expression));
    if (!folded) {
      return folded.error();
    }
    if (!folded->is_constant()) {
      return scope_.refuse("an array of this form", element.location);
    }
    elements.push_back(constant_of(std::move(*folded), element.location));
  }
  return Elements(std::move(elements));
}

Result<Condition> ConditionCompiler::array_test(const grammar::OperatorExpression& node) {
  const bool is_any = node.kind == grammar::OperatorKind::kAny;
  const std::string_view sign = plain_name(node.name);
  const bool is_list = is_any ? sign == "=" : sign == "<>" || sign == "!=";
  if (!is_list || !node.left.has_column() || scope_.is_described()) {
    return scope_.refuse(is_any ? "ANY (array)" : "ALL (array)", node.location);
  }
  const auto column = left_column(node, "ANY (array)");
  if (!column) {
    return column.error();
  }
  const Type& type = scope_.schema().columns[*column].type;
  auto elements = array_elements(node.right, type);
  if (!elements) {
    return scope_.located(elements.error(), node.location);
  }
  if (!elements->has_value()) {
    return always_null();
  }
  if ((*elements)->empty()) {
    return Condition(!is_any);
  }
  std::vector<Expression> arguments;
  arguments.push_back(Expression::make_column(*column));
  for (Constant& element : **elements) {
    auto member = resolve_for_comparison(scope_, std::move(element), type);
    if (!member) {
      return member.error();
    }
    arguments.push_back(Expression::make_constant(member->type, std::move(member->value)));
  }
  const uint64_t comparisons = (*elements)->size();
  const Operator op = in_place(is_any ? Operator::kIn : Operator::kNotIn);
  return leaf(semantics::to_condition(scope_.schema(), Expression::make_call(op, std::move(arguments))), comparisons,
              node.location);
}

}  // namespace daedalus::aggregator::sql

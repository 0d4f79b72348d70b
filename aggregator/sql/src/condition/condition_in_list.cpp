#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "condition_compiler.hpp"
#include "daedalus/semantics/text.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;

/// What the members of a list are as they came, parameters or not.
std::vector<int32_t> parameters_of(const std::vector<Constant>& members) {
  std::vector<int32_t> parameters;
  parameters.reserve(members.size());
  std::transform(members.begin(), members.end(), std::back_inserter(parameters),
                 [](const Constant& member) { return member.given; });
  return parameters;
}

}  // namespace

Constant as_list_member(const Type& column_type, Constant member) {
  if (!semantics::is_string(column_type.kind) || !semantics::is_string(member.type.kind)) {
    return member;
  }
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

Result<Condition> ConditionCompiler::in_list(const grammar::OperatorExpression& node) {
  const bool is_negated = plain_name(node.name) == "<>";
  const auto column = left_column(node, is_negated ? "NOT IN" : "IN");
  if (!column) {
    return column.error();
  }
  auto members = list_members(node.right.list().items, scope_.schema().columns[*column].type);
  if (!members) {
    return members.error();
  }
  if (scope_.schema().columns[*column].type.kind != TypeKind::kReal) {  // What members become there depends on others.
    scope_.places().add(parameters_of(*members), *column, is_negated ? Operator::kNotIn : Operator::kIn);
  }
  const uint64_t comparisons = members->size();
  std::vector<Expression> arguments;
  arguments.reserve(1 + comparisons);
  arguments.push_back(Expression::make_column(*column));
  for (Constant& member : *members) {
    arguments.push_back(Expression::make_constant(member.type, std::move(member.value)));
  }
  const Operator op = in_place(is_negated ? Operator::kNotIn : Operator::kIn);
  return leaf(semantics::to_condition(scope_.schema(), Expression::make_call(op, std::move(arguments))), comparisons,
              node.location);
}

Result<std::vector<Constant>> ConditionCompiler::list_members(const grammar::Nodes& items, const Type& column_type) {
  std::vector<Constant> members;
  members.reserve(items.size());
  for (const grammar::Node& item : items) {
    auto member = operand(item);
    if (!member) {
      return member.error();
    }
    auto* constant = std::get_if<Constant>(&*member);
    if (constant == nullptr) {
      return scope_.refuse("comparing two columns", location_of(item), "compare each column with a constant");
    }
    auto resolved = resolve_for_comparison(scope_, std::move(*constant), column_type);
    if (!resolved) {
      return resolved.error();
    }
    members.push_back(std::move(*resolved));
  }
  if (auto common = bring_list_to_common_type(column_type, members); !common) {
    return common.error();
  }
  return members;
}

Result<void> ConditionCompiler::bring_list_to_common_type(const Type& column_type, std::vector<Constant>& members) {
  const bool has_double = std::any_of(members.begin(), members.end(),
                                      [](const Constant& member) { return member.type.kind == TypeKind::kDouble; });
  const bool is_real = column_type.kind == TypeKind::kReal && !has_double;
  if (members.size() < 2 || (!is_real && !semantics::is_string(column_type.kind))) {
    return {};
  }
  for (Constant& member : members) {
    member = as_list_member(column_type, std::move(member));
    if (!is_real || !semantics::is_numeric(member.type.kind)) {
      continue;  // No such operator: the comparison says so.
    }
    auto value = semantics::assign(member.type, member.value, column_type);
    if (!value) {
      return scope_.located(value.error(), member.location);
    }
    member.type = column_type;
    member.value = std::move(*value);
  }
  return {};
}

}  // namespace daedalus::aggregator::sql

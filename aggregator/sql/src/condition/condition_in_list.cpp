// IN and NOT IN of a list of constants, and what says the same of an array: = ANY and <> ALL.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "condition.hpp"
#include "daedalus/semantics/text.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;

/// Returns for each member of a list the number of the parameter that it came as; 0 for a member that is none.
std::vector<int32_t> parameters_of(const std::vector<Constant>& members) {
  std::vector<int32_t> parameters;
  parameters.reserve(members.size());
  std::transform(members.begin(), members.end(), std::back_inserter(parameters),
                 [](const Constant& member) { return member.given; });
  return parameters;
}

/// PostgreSQL brings column and members of a list to one type: numbers beside real become real, strings beside char(n)
/// or varchar become that. A single member is compared as by `=`, a number in double precision. False: there is no such
/// number.
bool bring_to_common_type(const Type& column_type, std::vector<Constant>& members) {
  const bool has_double = std::any_of(members.begin(), members.end(),
                                      [](const Constant& member) { return member.type.kind == TypeKind::kDouble; });
  const bool is_real = column_type.kind == TypeKind::kReal && !has_double;
  if (members.size() < 2 || (!is_real && !semantics::is_string(column_type.kind))) {
    return true;
  }
  for (Constant& member : members) {
    member = as_list_member(column_type, std::move(member));
    if (!is_real || !semantics::is_numeric(member.type.kind)) {
      continue;  // No such operator: the binder says so.
    }
    auto value = semantics::assign(member.type, member.value, column_type);
    if (!value) {
      return false;
    }
    member.type = column_type;
    member.value = std::move(*value);
  }
  return true;
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

ConditionReader::Read ConditionReader::listed(Operator op, uint32_t column, std::vector<Constant> members) {
  const uint64_t comparisons = members.size();
  std::vector<Expression> arguments;
  arguments.reserve(1 + comparisons);
  arguments.push_back(Expression::make_column(column));
  for (Constant& member : members) {
    arguments.push_back(Expression::make_constant(member.type, std::move(member.value)));
  }
  return leaf(semantics::to_condition(scope_.schema(), Expression::make_call(op, std::move(arguments))), comparisons);
}

ConditionReader::Read ConditionReader::in_list(const grammar::OperatorExpression& node) {
  const auto column = column_of(node.left);
  if (!column) {
    return std::nullopt;
  }
  const Type& type = scope_.schema().columns[*column].type;
  auto members = list_members(node.right.list().items, type);
  if (!members) {
    return std::nullopt;
  }
  const Operator op = plain_name(node.name) == "<>" ? Operator::kNotIn : Operator::kIn;
  if (type.kind != TypeKind::kReal) {  // Beside a real column each member's type depends on the others.
    scope_.places().add(parameters_of(*members), *column, op);
  }
  return listed(op, *column, std::move(*members));
}

std::optional<std::vector<Constant>> ConditionReader::list_members(const grammar::Nodes& items,
                                                                   const Type& column_type) {
  std::vector<Constant> members;
  members.reserve(items.size());
  for (const grammar::Node& item : items) {
    auto member = constant_of(item);
    if (!member) {
      return std::nullopt;
    }
    auto resolved = resolve_for_comparison(scope_, std::move(*member), column_type);
    if (!resolved) {
      return std::nullopt;
    }
    members.push_back(std::move(*resolved));
  }
  return bring_to_common_type(column_type, members) ? std::optional(std::move(members)) : std::nullopt;
}

ConditionReader::Read ConditionReader::array_test(const grammar::OperatorExpression& node) {
  const bool is_any = node.kind == grammar::OperatorKind::kAny;
  const std::string_view sign = plain_name(node.name);
  const bool is_list = is_any ? sign == "=" : sign == "<>" || sign == "!=";
  const auto column = is_list ? column_of(node.left) : std::nullopt;
  if (!column) {
    return std::nullopt;
  }
  const Type& type = scope_.schema().columns[*column].type;
  auto elements = array_elements(node.right, type);
  if (!elements) {
    return std::nullopt;
  }
  for (Constant& element : *elements) {
    auto member = resolve_for_comparison(scope_, std::move(element), type);
    if (!member) {
      return std::nullopt;
    }
    element = std::move(*member);
  }
  return listed(is_any ? Operator::kIn : Operator::kNotIn, *column, std::move(*elements));
}

/// The elements as constants; nothing where there are none. Where they have types of their own, they are compared as
/// those: beside real and char(n) only expressions do that.
std::optional<std::vector<Constant>> ConditionReader::array_elements(const grammar::Node& array, const Type& column) {
  auto bound = ExpressionBinder(scope_, {"WHERE"}).array_elements_for(column, array);
  if (!bound || !bound->has_value() || (*bound)->empty()) {
    return std::nullopt;
  }
  std::vector<Constant> elements;
  for (Typed& element : **bound) {
    if (element.is_unknown) {
      elements.push_back({Type{TypeKind::kVarchar}, std::move(element.expression.value), true, element.location});
      continue;
    }
    const bool is_brought = column.kind == TypeKind::kReal || column.kind == TypeKind::kChar;
    if (is_brought && element.expression.type.kind != column.kind) {
      return std::nullopt;
    }
    auto folded = semantics::fold(std::move(element.expression));
    if (!folded || !folded->is_constant()) {
      return std::nullopt;
    }
    elements.push_back(sql::constant_of(std::move(*folded), element.location));
  }
  return elements;
}

}  // namespace daedalus::aggregator::sql

// LIKE and NOT LIKE of a pattern that is a prefix, or a whole value.
#include <string>
#include <utility>

#include "condition.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

using semantics::Operator;
using semantics::TypeKind;

ConditionReader::Read ConditionReader::like(const grammar::OperatorExpression& node) {
  const auto column = column_of(node.left);
  const auto pattern = column ? constant_of(node.right) : std::nullopt;
  if (!pattern || semantics::is_null(pattern->value) || pattern->is_array ||
      !semantics::is_string(scope_.schema().columns[*column].type.kind) ||
      !(pattern->is_untyped || semantics::is_string(pattern->type.kind))) {
    return std::nullopt;
  }
  std::string_view text = std::get<std::string>(pattern->value);
  if (!pattern->is_untyped && pattern->type.kind == TypeKind::kChar) {
    text = text.substr(0, text.find_last_not_of(' ') + 1);  // As a char becomes the text that a pattern is.
  }
  const auto read = read_like_pattern(text);
  if (!read || text.size() > kStringConstantSizeMax) {
    return std::nullopt;
  }
  const bool is_negated = plain_name(node.name) == "!~~";
  if (read->is_prefix) {
    scope_.places().add({&pattern->given, 1}, *column, is_negated ? Operator::kNotStartsWith : Operator::kStartsWith);
  }
  return leaf(like_condition(scope_.schema(), *column, *read, is_negated), 1);
}

}  // namespace daedalus::aggregator::sql

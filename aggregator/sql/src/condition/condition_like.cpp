#include <fmt/format.h>

#include <string>
#include <utility>

#include "condition_compiler.hpp"
#include "daedalus/semantics/regular_expression.hpp"
#include "daedalus/semantics/text.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

bool is_not_like(const grammar::OperatorExpression& node) { return plain_name(node.name) == "!~~"; }

}  // namespace

Result<Condition> ConditionCompiler::like(const grammar::OperatorExpression& node) {
  const auto column = left_column(node, "LIKE");
  if (!column) {
    return column.error();
  }
  const auto pattern = like_operand(node, scope_.schema().columns[*column].type);
  if (!pattern) {
    return pattern.error();
  }
  if (semantics::is_null(pattern->value)) {
    return always_null();
  }
  std::string_view text = std::get<std::string>(pattern->value);
  if (!pattern->is_untyped && pattern->type.kind == TypeKind::kChar) {
    text = text.substr(0, text.find_last_not_of(' ') + 1);  // As a char becomes the text that a pattern is.
  }
  if (text.size() > kStringConstantSizeMax) {
    return scope_.error("54000", fmt::format("LIKE pattern too long: at most {} bytes", kStringConstantSizeMax),
                        pattern->location);
  }
  auto read = read_like_pattern(text);
  if (!read) {
    return scope_.located(read.error(), pattern->location);
  }
  if (read->is_prefix) {
    scope_.places().add({&pattern->given, 1}, *column,
                        is_not_like(node) ? Operator::kNotStartsWith : Operator::kStartsWith);
  }
  return like_column(*column, *read, is_not_like(node), node.location);
}

Result<Condition> ConditionCompiler::match(const grammar::OperatorExpression& node) {
  const std::string_view sign = plain_name(node.name);
  const auto column = left_column(node, sign);
  if (!column) {
    return column.error();
  }
  const auto pattern = operand(node.right);
  if (!pattern) {
    return pattern.error();
  }
  // What came as a parameter may be another text the next time, and then no pattern of LIKE.
  const auto* constant = std::get_if<Constant>(&*pattern);
  const bool is_text = constant != nullptr && constant->given == 0 && constant->parameter == 0 &&
                       (constant->is_untyped || constant->is_text) && !semantics::is_null(constant->value);
  const auto like = is_text && semantics::is_string(scope_.schema().columns[*column].type.kind)
                        ? semantics::like_pattern_of(std::get<std::string>(constant->value))
                        : std::nullopt;
  if (!like) {
    return scope_.refuse(fmt::format("operator \"{}\"", sign), node.location);
  }
  auto read = read_like_pattern(*like);
  return read ? like_column(*column, *read, sign.starts_with('!'), node.location) : read.error();
}

Result<Constant> ConditionCompiler::like_operand(const grammar::OperatorExpression& node, const Type& column_type) {
  auto pattern = operand(node.right);
  if (!pattern) {
    return pattern.error();
  }
  auto* constant = std::get_if<Constant>(&*pattern);
  if (constant == nullptr) {
    return scope_.refuse("a column as LIKE pattern", location_of(node.right));
  }
  const bool is_text = constant->is_untyped || semantics::is_string(constant->type.kind);
  if (!semantics::is_string(column_type.kind) || !is_text) {
    return scope_.error("42883",
                        fmt::format("operator does not exist: {} {} {}", semantics::kind_name(column_type.kind),
                                    is_not_like(node) ? "!~~" : "~~",
                                    constant->is_untyped ? "unknown" : semantics::kind_name(constant->type.kind)),
                        node.location);
  }
  ask_kind(scope_, *constant, TypeKind::kText);
  return std::move(*constant);
}

Result<Condition> ConditionCompiler::like_column(uint32_t column, const LikePattern& pattern, bool is_negated,
                                                 int32_t location) {
  const Type& type = scope_.schema().columns[column].type;
  const Type text_type{TypeKind::kVarchar};
  if (pattern.is_prefix) {
    const Operator op = is_negated ? Operator::kNotStartsWith : Operator::kStartsWith;
    return compare_column(op, column, text_type, Value(pattern.text), location);
  }
  const Operator op = is_negated ? Operator::kNotEqual : Operator::kEqual;
  std::string whole = pattern.text;
  if (type.kind == TypeKind::kChar) {
    // LIKE sees the padding of char(n): only a pattern of the declared length can match. One of another length is
    // replaced by a text that no value of the column equals, so that NULL stays NULL and everything else is decided.
    const bool can_match = whole.size() == type.length;
    whole = can_match ? whole.substr(0, whole.find_last_not_of(' ') + 1) : std::string(type.length + 1, 'x');
  }
  return compare_column(op, column, text_type, Value(std::move(whole)), location);
}

}  // namespace daedalus::aggregator::sql

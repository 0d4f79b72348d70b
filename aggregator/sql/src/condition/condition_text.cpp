#include "condition_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <vector>

#include "daedalus/semantics/expression.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Literal;

/// So many values of a list are written out.
constexpr size_t kListedMax = 16;

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out.append(c == quote ? 2 : 1, c);
  }
  return out + quote;
}

std::string constant_text(const semantics::Type& type, const semantics::Value& value) {
  if (semantics::is_null(value)) {
    return fmt::format("NULL::{}", semantics::kind_name(type.kind));
  }
  std::string text = semantics::format_text(type, value);
  if (type.kind == semantics::TypeKind::kBool) {
    return text == "t" ? "true" : "false";
  }
  if (semantics::is_numeric(type.kind) && !text.starts_with('-') && std::isdigit(text[0]) != 0) {
    return text;
  }
  return fmt::format("{}::{}", in_quotes(text, '\''), semantics::kind_name(type.kind));
}

std::string list_text(const semantics::Type& type, const std::vector<semantics::Value>& values) {
  std::vector<std::string> texts;
  std::transform(values.begin(), values.begin() + static_cast<ptrdiff_t>(std::min(values.size(), kListedMax)),
                 std::back_inserter(texts), [&](const auto& value) { return constant_text(type, value); });
  if (values.size() > kListedMax) {
    texts.push_back(fmt::format("... {} more", values.size() - kListedMax));
  }
  return fmt::format("({})", fmt::join(texts, ", "));
}

std::string literal_text(const semantics::Schema& schema, const Literal& literal) {
  const semantics::Column& column = schema.columns[literal.column];
  const std::string name = identifier_text(column.name);
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      return fmt::format("({} {} {})", name, semantics::operator_sign(literal.op),
                         constant_text(column.type, literal.values[0]));
    case Literal::Kind::kIn:
      return fmt::format("({} IN {})", name, list_text(column.type, literal.values));
    case Literal::Kind::kNotIn:
      return fmt::format("({} NOT IN {})", name, list_text(column.type, literal.values));
    case Literal::Kind::kStartsWith:
      return fmt::format("({} ^@ {})", name, constant_text(column.type, literal.values[0]));
    case Literal::Kind::kNotStartsWith:
      return fmt::format("(NOT ({} ^@ {}))", name, constant_text(column.type, literal.values[0]));
    case Literal::Kind::kIsNull:
      return fmt::format("({} IS NULL)", name);
    case Literal::Kind::kIsNotNull:
      return fmt::format("({} IS NOT NULL)", name);
    case Literal::Kind::kNever:
      return "false";
  }
  return {};
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  return texts.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, between));
}

std::vector<std::string> texts_of(const semantics::Schema& schema, std::span<const BoundExpression> expressions) {
  std::vector<std::string> texts;
  std::transform(expressions.begin(), expressions.end(), std::back_inserter(texts),
                 [&](const BoundExpression& expression) { return text_of(schema, expression); });
  return texts;
}

std::string aggregate_text(const semantics::Schema& schema, const BoundExpression& expression) {
  const std::span<const BoundExpression> all(expression.arguments);
  const bool counts_rows = expression.aggregate == semantics::AggregateFunction::kCountRows;
  const auto arguments = texts_of(schema, all.first(all.size() - expression.order.size()));
  const auto order = texts_of(schema, all.last(expression.order.size()));
  return fmt::format("{}({}{}{}{})", semantics::entry_of(expression.aggregate).name,
                     expression.is_distinct ? "DISTINCT " : "",
                     counts_rows ? "*" : fmt::format("{}", fmt::join(arguments, ", ")),
                     order.empty() ? "" : " ORDER BY ", fmt::join(order, ", "));
}

std::string case_text(const std::vector<std::string>& parts) {
  std::string text = "CASE";
  for (size_t place = 0; place + 1 < parts.size(); place += 2) {
    text += fmt::format(" WHEN {} THEN {}", parts[place], parts[place + 1]);
  }
  return fmt::format("{} ELSE {} END", text, parts.back());
}

std::string form_text(const BoundExpression& call, const std::vector<std::string>& arguments) {
  switch (call.function) {
    case FunctionId::kAnd:
      return joined(arguments, " AND ");
    case FunctionId::kOr:
      return joined(arguments, " OR ");
    case FunctionId::kNot:
      return fmt::format("(NOT {})", arguments[0]);
    case FunctionId::kIsNull:
      return fmt::format("({} IS NULL)", arguments[0]);
    case FunctionId::kIsNotNull:
      return fmt::format("({} IS NOT NULL)", arguments[0]);
    case FunctionId::kIsTrue:
      return fmt::format("({} IS TRUE)", arguments[0]);
    case FunctionId::kIsNotTrue:
      return fmt::format("({} IS NOT TRUE)", arguments[0]);
    case FunctionId::kIsFalse:
      return fmt::format("({} IS FALSE)", arguments[0]);
    case FunctionId::kIsNotFalse:
      return fmt::format("({} IS NOT FALSE)", arguments[0]);
    case FunctionId::kIsDistinct:
      return fmt::format("({} IS DISTINCT FROM {})", arguments[0], arguments[1]);
    case FunctionId::kIsNotDistinct:
      return fmt::format("({} IS NOT DISTINCT FROM {})", arguments[0], arguments[1]);
    case FunctionId::kCase:
      return case_text(arguments);
    case FunctionId::kCoalesce:
      return fmt::format("COALESCE({})", fmt::join(arguments, ", "));
    case FunctionId::kNullIf:
      return fmt::format("NULLIF({})", fmt::join(arguments, ", "));
    case FunctionId::kGreatest:
      return fmt::format("GREATEST({})", fmt::join(arguments, ", "));
    case FunctionId::kLeast:
      return fmt::format("LEAST({})", fmt::join(arguments, ", "));
    case FunctionId::kIn:
    case FunctionId::kNotIn:
      return fmt::format("({} {} ({}))", arguments[0], call.function == FunctionId::kIn ? "IN" : "NOT IN",
                         fmt::join(arguments.begin() + 1, arguments.end(), ", "));
    case FunctionId::kCast:
      return fmt::format("({})::{}", arguments[0], semantics::kind_name(call.type.kind));
    default:
      return {};
  }
}

std::string call_text(const BoundExpression& call, const std::vector<std::string>& arguments) {
  const semantics::ScalarFunction* const function = semantics::find_function(call.function);
  if (function == nullptr) {
    return form_text(call, arguments);
  }
  if (function->is_operator && arguments.size() == 2) {
    return fmt::format("({} {} {})", arguments[0], function->name, arguments[1]);
  }
  if (function->is_operator && arguments.size() == 1) {
    return fmt::format("({} {})", function->name, arguments[0]);
  }
  return fmt::format("{}({})", function->name, fmt::join(arguments, ", "));
}

}  // namespace

std::string identifier_text(std::string_view name) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  const bool is_bare = !name.empty() && std::isdigit(name[0]) == 0 && std::all_of(name.begin(), name.end(), is_plain);
  return is_bare ? std::string(name) : in_quotes(name, '"');
}

std::string text_of(const semantics::Schema& schema, const BoundExpression& expression) {
  switch (expression.kind) {
    case BoundExpression::Kind::kInput:
      return identifier_text(schema.columns[expression.input].name);
    case BoundExpression::Kind::kConstant:
      return constant_text(expression.type, expression.value);
    case BoundExpression::Kind::kAggregate:
      return aggregate_text(schema, expression);
    case BoundExpression::Kind::kCall:
      return call_text(expression, texts_of(schema, expression.arguments));
  }
  return {};
}

std::string text_of(const semantics::Schema& schema, const semantics::Clause& clause) {
  std::vector<std::string> texts;
  std::transform(clause.begin(), clause.end(), std::back_inserter(texts),
                 [&](const Literal& literal) { return literal_text(schema, literal); });
  return joined(texts, " OR ");
}

std::string text_of(const semantics::Schema& schema, const semantics::Condition& condition) {
  using Kind = semantics::Condition::Kind;
  if (condition.kind == Kind::kLiteral) {
    return literal_text(schema, condition.literal);
  }
  if (condition.kind == Kind::kAlways || condition.kind == Kind::kNever) {
    return condition.kind == Kind::kAlways ? "true" : "false";
  }
  std::vector<std::string> texts;
  std::transform(condition.children.begin(), condition.children.end(), std::back_inserter(texts),
                 [&](const semantics::Condition& child) { return text_of(schema, child); });
  return joined(texts, condition.kind == Kind::kAnd ? " AND " : " OR ");
}

}  // namespace daedalus::aggregator::sql

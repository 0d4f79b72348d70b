#include "sql_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bodies.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::testing {

namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Schema;
using semantics::Value;

/// Strings of the workload have no quotes in them.
std::string literal(const Value& value) {
  if (semantics::is_null(value)) {
    return "NULL";
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return fmt::format("'{}'", *text);
  }
  return fmt::to_string(std::get<int64_t>(value));
}

/// Where constants go that are not written out.
using Parameters = std::vector<wire::v1::Constant>;

std::string condition(const Schema& schema, const Expression& expression, Parameters* parameters);

std::string joined(const Schema& schema, const std::vector<Expression>& arguments, std::string_view sign,
                   Parameters* parameters) {
  std::vector<std::string> parts;
  for (const Expression& argument : arguments) {
    parts.push_back(condition(schema, argument, parameters));
  }
  return fmt::format("({})", fmt::join(parts, sign));
}

std::string constant(const Expression& expression, Parameters* parameters) {
  if (parameters == nullptr || semantics::is_null(expression.value)) {
    return literal(expression.value);
  }
  parameters->push_back(contract::from_value(expression.type, expression.value));
  return fmt::format("${}", parameters->size());
}

std::string call(const Schema& schema, const Expression& expression, Parameters* parameters) {
  const auto& arguments = expression.arguments;
  switch (expression.op) {
    case Operator::kAnd:
      return joined(schema, arguments, " AND ", parameters);
    case Operator::kOr:
      return joined(schema, arguments, " OR ", parameters);
    case Operator::kNot:
      return fmt::format("NOT ({})", condition(schema, arguments[0], parameters));
    case Operator::kIsNull:
      return condition(schema, arguments[0], parameters) + " IS NULL";
    case Operator::kIn:
      return condition(schema, arguments[0], parameters) + " IN " +
             joined(schema, {arguments.begin() + 1, arguments.end()}, ", ", parameters);
    default: {
      CHECK(expression.op >= Operator::kEqual && expression.op <= Operator::kGreaterOrEqual);
      const std::string left = condition(schema, arguments[0], parameters);
      return fmt::format("{} {} {}", left, semantics::operator_sign(expression.op),
                         condition(schema, arguments[1], parameters));
    }
  }
}

std::string condition(const Schema& schema, const Expression& expression, Parameters* parameters) {
  switch (expression.kind) {
    case Expression::Kind::kColumn:
      return schema.columns[expression.column].name;
    case Expression::Kind::kConstant:
      return constant(expression, parameters);
    case Expression::Kind::kCall:
      return call(schema, expression, parameters);
  }
  return {};
}

std::string output_text(const Schema& schema, const PlainOutput& output) {
  if (!output.function) {
    return schema.columns[output.column].name;
  }
  const bool is_of_rows = *output.function == semantics::AggregateFunction::kCountRows;
  return fmt::format("{}({})", semantics::function_name(*output.function),
                     is_of_rows ? "*" : schema.columns[output.column].name);
}

std::string order_text(const Schema& schema, const Question& question, const PlainOrder& order) {
  // What is shown is named by its position: a name could be that of several.
  const std::string by = order.output < question.visible_outputs ? fmt::to_string(order.output + 1)
                                                                 : output_text(schema, question.outputs[order.output]);
  return fmt::format("{} {} NULLS {}", by, order.descending ? "DESC" : "ASC", order.nulls_first ? "FIRST" : "LAST");
}

/// `value` says how the value of a row and a column is written.
template <typename ValueText>
std::string insert_text(const Schema& schema, size_t row_count, const ValueText& value) {
  std::vector<std::string> rows;
  for (size_t row = 0; row < row_count; ++row) {
    std::vector<std::string> values;
    for (size_t column = 0; column < schema.columns.size(); ++column) {
      values.push_back(value(row, column));
    }
    rows.push_back(fmt::format("({})", fmt::join(values, ", ")));
  }
  return fmt::format("INSERT INTO {} VALUES {}", schema.table_name, fmt::join(rows, ", "));
}

std::string part_text(const Schema& schema, const PlainInsert& insert) {
  return insert_text(schema, insert.rows.size(),
                     [&](size_t row, size_t column) { return literal(insert.rows[row][column]); });
}

std::string is_before(int64_t before_us) {
  const std::time_t seconds = before_us / 1'000'000;
  return fmt::format("now() < TIMESTAMP '{:%F %T}'", fmt::gmtime(seconds));
}

std::string asked_text(const Schema& schema, bool asks_quotient) {
  return asks_quotient ? fmt::format(" AND {} / {} >= 0", kDividend, schema.columns[kAmount].name) : "";
}

std::string part_text(const Schema& schema, const PlainModify& modify) {
  const std::string& column = schema.columns[modify.column].name;
  using Form = PlainModify::Form;
  const std::string constant = literal(modify.value);
  const std::string value = modify.form == Form::kSum        ? fmt::format("{} + ({})", column, constant)
                            : modify.form == Form::kQuotient ? fmt::format("{} / {}", constant, column)
                                                             : constant;
  return fmt::format("UPDATE {} SET {} = {} WHERE {}{}", schema.table_name, column, value,
                     condition(schema, modify.filter, nullptr), asked_text(schema, modify.asks_quotient));
}

std::string part_text(const Schema& schema, const PlainDelete& part) {
  return fmt::format("DELETE FROM {} WHERE {}{}", schema.table_name, condition(schema, part.filter, nullptr),
                     asked_text(schema, part.asks_quotient));
}

}  // namespace

std::string select_text(const Schema& schema, const Question& question, std::vector<wire::v1::Constant>* parameters) {
  std::vector<std::string> list;
  for (uint32_t output = 0; output < question.visible_outputs; ++output) {
    list.push_back(output_text(schema, question.outputs[output]));
  }
  std::string text = fmt::format("SELECT {} FROM {}", fmt::join(list, ", "), schema.table_name);
  if (question.filter) {
    text += " WHERE " + condition(schema, *question.filter, parameters);
  }
  if (question.before_us) {
    text += fmt::format(" {} {}", question.filter ? "AND" : "WHERE", is_before(*question.before_us));
  }
  std::vector<std::string> groups;
  for (const uint32_t column : question.group_by) {
    groups.push_back(schema.columns[column].name);
  }
  if (!groups.empty()) {
    text += fmt::format(" GROUP BY {}", fmt::join(groups, ", "));
  }
  std::vector<std::string> orders;
  for (const PlainOrder& order : question.order_by) {
    orders.push_back(order_text(schema, question, order));
  }
  if (!orders.empty()) {
    text += fmt::format(" ORDER BY {}", fmt::join(orders, ", "));
  }
  if (question.limit) {
    text += fmt::format(" LIMIT {}", *question.limit);
  }
  if (question.offset > 0) {
    text += fmt::format(" OFFSET {}", question.offset);
  }
  return text;
}

std::optional<std::string> update_text(const Schema& schema, const std::vector<PlainPart>& parts) {
  if (parts.size() != 1) {
    return std::nullopt;
  }
  return std::visit([&](const auto& part) { return part_text(schema, part); }, parts.front());
}

std::string insert_by_clock_text(const Schema& schema, const PlainInsert& before, const PlainInsert& otherwise,
                                 int64_t before_us) {
  return insert_text(schema, before.rows.size(), [&](size_t row, size_t column) {
    const std::string first = literal(before.rows[row][column]);
    const std::string second = literal(otherwise.rows[row][column]);
    return first == second ? first
                           : fmt::format("CASE WHEN {} THEN {} ELSE {} END", is_before(before_us), first, second);
  });
}

}  // namespace daedalus::testing

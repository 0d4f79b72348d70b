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
  if (const auto* number = std::get_if<double>(&value)) {
    return fmt::to_string(*number);
  }
  return fmt::to_string(std::get<int64_t>(value));
}

/// Constants that are not written out go here.
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

std::string names(const Schema& schema, const std::vector<uint32_t>& columns) {
  std::vector<std::string> names;
  for (const uint32_t column : columns) {
    names.push_back(schema.columns[column].name);
  }
  return fmt::to_string(fmt::join(names, ", "));
}

std::string arguments_text(const Schema& schema, const Question& question, const PlainOutput& output) {
  switch (*output.function) {
    case semantics::AggregateFunction::kCountRows:
      return "*";
    case semantics::AggregateFunction::kGrouping:
      return names(schema, question.group_by);
    case semantics::AggregateFunction::kStringAgg:
      return fmt::format("{}, '{}' ORDER BY {}", schema.columns[output.column].name, kBetween,
                         schema.columns[kId].name);
    default:
      return schema.columns[output.column].name;
  }
}

std::string output_text(const Schema& schema, const Question& question, const PlainOutput& output) {
  if (!output.function) {
    return schema.columns[output.column].name;
  }
  return fmt::format("{}({}{})", semantics::entry_of(*output.function).name, output.is_distinct ? "DISTINCT " : "",
                     arguments_text(schema, question, output));
}

std::string order_key(const Schema& schema, const Question& question, const PlainOrder& order) {
  // Columns that are shown are named by their positions: a name could be that of several.
  return order.output < question.visible_outputs ? fmt::to_string(order.output + 1)
                                                 : output_text(schema, question, question.outputs[order.output]);
}

std::string order_text(const Schema& schema, const Question& question, const PlainOrder& order) {
  return fmt::format("{} {} NULLS {}", order_key(schema, question, order), order.descending ? "DESC" : "ASC",
                     order.nulls_first ? "FIRST" : "LAST");
}

std::string list_text(const Schema& schema, const Question& question) {
  std::vector<std::string> keys;
  for (uint32_t key = 0; key < question.distinct_on; ++key) {
    keys.push_back(order_key(schema, question, question.order_by[key]));
  }
  std::vector<std::string> list;
  for (uint32_t output = 0; output < question.visible_outputs; ++output) {
    list.push_back(output_text(schema, question, question.outputs[output]));
  }
  return (keys.empty() ? "" : fmt::format("DISTINCT ON ({}) ", fmt::join(keys, ", "))) +
         fmt::to_string(fmt::join(list, ", "));
}

std::string is_before(int64_t before_us) {
  const std::time_t seconds = before_us / 1'000'000;
  return fmt::format("now() < TIMESTAMP '{:%F %T}'", fmt::gmtime(seconds));
}

std::string where_text(const Schema& schema, const Question& question, Parameters* parameters) {
  std::vector<std::string> parts;
  if (question.filter) {
    parts.push_back(condition(schema, *question.filter, parameters));
  }
  if (question.remainder) {
    parts.push_back(
        fmt::format("{} % {} = {}", schema.columns[kId].name, PlainRemainder::kDivisor, question.remainder->remainder));
  }
  if (question.before_us) {
    parts.push_back(is_before(*question.before_us));
  }
  return parts.empty() ? "" : fmt::format(" WHERE {}", fmt::join(parts, " AND "));
}

std::string group_text(const Schema& schema, const Question& question) {
  std::string text;
  if (!question.grouping_sets.empty()) {
    std::vector<std::string> sets;
    for (const std::vector<uint32_t>& set : question.grouping_sets) {
      std::vector<uint32_t> columns;
      for (const uint32_t key : set) {
        columns.push_back(question.group_by[key]);
      }
      sets.push_back(fmt::format("({})", names(schema, columns)));
    }
    text = fmt::format(" GROUP BY GROUPING SETS ({})", fmt::join(sets, ", "));
  } else if (!question.group_by.empty()) {
    text = fmt::format(" GROUP BY {}", names(schema, question.group_by));
  }
  if (question.having_more_than) {
    text += fmt::format(" HAVING count(*) > {}", *question.having_more_than);
  }
  return text;
}

std::string limit_text(const Question& question) {
  std::string text = question.offset > 0 ? fmt::format(" OFFSET {}", question.offset) : "";
  if (question.limit) {
    text += question.has_ties ? fmt::format(" FETCH FIRST {} ROWS WITH TIES", *question.limit)
                              : fmt::format(" LIMIT {}", *question.limit);
  }
  return text;
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
  std::string text = fmt::format("SELECT {} FROM {}{}{}", list_text(schema, question), schema.table_name,
                                 where_text(schema, question, parameters), group_text(schema, question));
  std::vector<std::string> orders;
  for (const PlainOrder& order : question.order_by) {
    orders.push_back(order_text(schema, question, order));
  }
  if (!orders.empty()) {
    text += fmt::format(" ORDER BY {}", fmt::join(orders, ", "));
  }
  return text + limit_text(question);
}

std::string returning_text(const Schema& schema, const std::vector<uint32_t>& columns) {
  return columns.empty() ? "" : " RETURNING " + names(schema, columns);
}

std::optional<std::string> update_text(const Schema& schema, const std::vector<PlainPart>& parts,
                                       const std::vector<uint32_t>& returning) {
  if (parts.size() != 1) {
    return std::nullopt;
  }
  return std::visit([&](const auto& part) { return part_text(schema, part); }, parts.front()) +
         returning_text(schema, returning);
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

#include "sql_fixture.hpp"

#include <fmt/format.h>

#include "daedalus/semantics/expression.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::aggregator::testing {

namespace {

using semantics::Column;
using semantics::Literal;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// Appends an item to a list with a separator before all but the first.
void append(std::string* list, std::string_view separator, std::string_view item) {
  list->append(list->empty() ? std::string_view() : separator);
  list->append(item);
}

std::string value_text(const Type& type, const Value& value) {
  if (semantics::is_null(value)) {
    return "-";
  }
  if (semantics::is_string(type.kind)) {
    return fmt::format("'{}'", std::get<std::string>(value));
  }
  return semantics::format_text(type, value);
}

std::string literal_text(const semantics::Schema& schema, const Literal& literal) {
  const Column& column = schema.columns[literal.column];
  std::string values;
  for (const Value& value : literal.values) {
    append(&values, ",", value_text(column.type, value));
  }
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      return fmt::format("{}{}{}", column.name, semantics::operator_sign(literal.op), values);
    case Literal::Kind::kIn:
      return fmt::format("{} in ({})", column.name, values);
    case Literal::Kind::kNotIn:
      return fmt::format("{} not in ({})", column.name, values);
    case Literal::Kind::kStartsWith:
      return fmt::format("{} starts {}", column.name, values);
    case Literal::Kind::kNotStartsWith:
      return fmt::format("{} not starts {}", column.name, values);
    case Literal::Kind::kIsNull:
      return column.name + " null";
    case Literal::Kind::kIsNotNull:
      return column.name + " not null";
    case Literal::Kind::kNever:
      return "never";
  }
  return {};
}

std::string output_text(const semantics::Schema& schema, const semantics::Selection& selection,
                        const semantics::OutputColumn& output) {
  const semantics::BoundExpression expression =
      selection.grouping ? semantics::unbound(output.expression, *selection.grouping) : output.expression;
  return fmt::format("{}:{}", output.name, expression_text(schema, expression));
}

}  // namespace

std::string expression_text(const semantics::Schema& schema, const semantics::BoundExpression& expression) {
  using Kind = semantics::BoundExpression::Kind;
  static constexpr std::string_view kForms[] = {
      "none",        "and",      "or",           "not",         "is_null",         "is_not_null", "is_true",
      "is_not_true", "is_false", "is_not_false", "is_distinct", "is_not_distinct", "case",        "coalesce",
      "nullif",      "greatest", "least",        "in",          "not_in",          "cast"};
  if (expression.kind == Kind::kInput) {
    return schema.columns[expression.input].name;
  }
  if (expression.kind == Kind::kConstant) {
    return semantics::is_null(expression.value) ? "null" : semantics::format_text(expression.type, expression.value);
  }
  std::string arguments;
  for (const semantics::BoundExpression& argument : expression.arguments) {
    arguments += (arguments.empty() ? "" : ",") + expression_text(schema, argument);
  }
  if (expression.kind == Kind::kAggregate) {
    const bool counts_rows = expression.aggregate == semantics::AggregateFunction::kCountRows;
    const std::string_view name = counts_rows ? "count_rows" : semantics::entry_of(expression.aggregate).name;
    return arguments.empty() ? std::string(name) : fmt::format("{}({})", name, arguments);
  }
  const semantics::ScalarFunction* function = semantics::find_function(expression.function);
  const std::string_view name = function != nullptr ? function->name : kForms[static_cast<size_t>(expression.function)];
  const std::string target =
      expression.is_call(semantics::FunctionId::kCast) ? " as " + to_string(expression.type) : "";
  return fmt::format("{}({}{})", name, arguments, target);
}

std::shared_ptr<const semantics::Schema> test_schema() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = std::string("t");
  schema->fingerprint = "test";
  schema->columns = {
      {"b", {TypeKind::kBool}, true, std::nullopt},
      {"s", {TypeKind::kSmallint}, true, std::nullopt},
      {"i", {TypeKind::kInt}, false, std::nullopt},
      {"l", {TypeKind::kBigint}, true, std::nullopt},
      {"r", {TypeKind::kReal}, true, std::nullopt},
      {"d", {TypeKind::kDouble}, true, std::nullopt},
      {"n", {TypeKind::kNumeric, 10, 2}, true, std::nullopt},
      {"h", {TypeKind::kNumeric, 38, 4}, true, std::nullopt},
      {"day", {TypeKind::kDate}, true, std::nullopt},
      {"at", {TypeKind::kTimestamp}, true, std::nullopt},
      {"c", {TypeKind::kChar, 0, 0, 5}, true, std::nullopt},
      {"v", {TypeKind::kVarchar, 0, 0, 10}, true, std::nullopt},
      {"Mixed", {TypeKind::kVarchar, 0, 0, 4}, true, std::nullopt},
      {"k", {TypeKind::kInt}, false, Value(int64_t{7})},
      {"x", {TypeKind::kInt}, false, Value(int64_t{0})},
      {"moment", {TypeKind::kTimestampTz}, true, std::nullopt},
      {"clock", {TypeKind::kTime}, true, std::nullopt},
      {"tag", {TypeKind::kUuid}, true, std::nullopt},
  };
  schema->primary_key = {2};
  return schema;
}

std::shared_ptr<const contract::PartitionMap> test_map() {
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 1;
  map->distribution = semantics::Distribution::kHash;
  map->columns = {2};
  map->grid = {4};
  map->partitions = {{NodeId{0}}, {NodeId{1}}, {NodeId{0}}, {NodeId{1}}};
  map->segment_distribution = semantics::Distribution::kHash;
  map->segment_columns = {1};
  return map;
}

std::string to_text(const semantics::Schema& schema, const semantics::Condition& condition) {
  if (condition.kind == semantics::Condition::Kind::kLiteral) {
    return literal_text(schema, condition.literal);
  }
  std::string text;
  for (const semantics::Condition& child : condition.children) {
    append(&text, condition.kind == semantics::Condition::Kind::kAnd ? " AND " : " OR ", to_text(schema, child));
  }
  return fmt::format("({})", text);
}

std::string to_text(const semantics::Schema& schema, const semantics::Predicate& predicate) {
  if (predicate.clauses.empty() && !predicate.has_tree()) {
    return "all";
  }
  std::string text;
  for (const semantics::Clause& clause : predicate.clauses) {
    std::string literals;
    for (const Literal& literal : clause) {
      append(&literals, " OR ", literal_text(schema, literal));
    }
    append(&text, " AND ", clause.size() > 1 ? fmt::format("({})", literals) : literals);
  }
  if (predicate.has_tree()) {
    append(&text, " AND ", fmt::format("TREE {}", to_text(schema, predicate.tree)));
  }
  return text;
}

std::string to_text(const semantics::Schema& schema, const semantics::Selection& selection) {
  std::string text;
  for (size_t i = 0; i < selection.outputs.size(); ++i) {
    const std::string output = output_text(schema, selection, selection.outputs[i]);
    append(&text, " ", i < selection.visible_outputs ? output : fmt::format("[{}]", output));
  }
  for (size_t i = 0; selection.grouping && i < selection.grouping->keys.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? " group by " : ",", expression_text(schema, selection.grouping->keys[i]));
  }
  for (size_t i = 0; i < selection.order_by.size(); ++i) {
    const semantics::OrderKey& key = selection.order_by[i];
    text += fmt::format("{}{} {} nulls {}", i == 0 ? " order by " : ",", key.output,
                        key.order.descending ? "desc" : "asc", key.order.nulls_first ? "first" : "last");
  }
  text += selection.limit ? fmt::format(" limit {}", *selection.limit) : "";
  text += selection.offset > 0 ? fmt::format(" offset {}", selection.offset) : "";
  text += selection.ties_by > 0 ? fmt::format(" ties by {}", selection.ties_by) : "";
  text += selection.distinct_by > 0 ? fmt::format(" distinct by {}", selection.distinct_by) : "";
  return text;
}

std::string to_text(const semantics::Schema& schema, const std::vector<semantics::Assignment>& assignments) {
  std::string text;
  for (const semantics::Assignment& assignment : assignments) {
    const Column& column = schema.columns[assignment.column];
    if (assignment.kind == semantics::Assignment::Kind::kCompute) {
      append(&text, ", ", fmt::format("{}:={}", column.name, expression_text(schema, *assignment.expression)));
      continue;
    }
    const bool is_add = assignment.kind == semantics::Assignment::Kind::kAdd;
    const Type type = is_add && column.type.kind == TypeKind::kDate ? Type{TypeKind::kInt} : column.type;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", column.name, is_add ? "+=" : "=",
                        value_text(type, assignment.value));
  }
  return text;
}

std::string to_text(const semantics::Schema& schema, const semantics::Residuals& residuals) {
  std::string text;
  for (size_t at = 0; residuals != nullptr && at < residuals->size(); ++at) {
    text += " AND " + expression_text(schema, (*residuals)[at]);
  }
  return text;
}

std::string to_text(const semantics::Schema& schema, const std::vector<semantics::Value>& row) {
  std::string text;
  for (size_t i = 0; i < row.size(); ++i) {
    append(&text, "|", value_text(schema.columns[i].type, row[i]));
  }
  return text;
}

Result<Compiled> SqlTest::compile(std::string_view sql, std::vector<wire::v1::Constant> parameters) {
  wire::v1::StatementBody statement;
  statement.set_sql(std::string(sql));
  for (wire::v1::Constant& parameter : parameters) {
    *statement.add_parameters() = std::move(parameter);
  }
  return compiler_.compile(statement, kNowUs);
}

std::string SqlTest::failure(std::string_view sql, std::vector<wire::v1::Constant> parameters) {
  auto compiled = compile(sql, std::move(parameters));
  if (compiled.has_value()) {
    return "accepted";
  }
  const Error& error = compiled.error();
  return fmt::format("{}@{} {}", error.sqlstate, error.position, error.message);
}

Error SqlTest::error_of(std::string_view sql, std::vector<wire::v1::Constant> parameters) {
  auto compiled = compile(sql, std::move(parameters));
  return !compiled ? compiled.error() : Error{};
}

namespace {

/// The schema of the number of rows, for an answer that is computed of that number and not of rows of the table.
semantics::Schema number_schema() {
  semantics::Schema schema;
  schema.columns = {{"number", {semantics::TypeKind::kBigint}, false, {}}};
  return schema;
}

}  // namespace

std::string SqlTest::sent(const CompiledSelect& select) const {
  if (select.shape == nullptr) {
    return to_text(*schema_, *select.selection);
  }
  const contract::Partitions partitions =
      select.shape_routing == nullptr ? contract::partitions_of(*schema_, map_->partition_rule(), select.routing)
                                      : select.shape_routing->partitions_of(select.values).value();
  std::string made = fmt::format("{}|{}|{} columns|", select.shape->bytes(), select.values, select.columns->size());
  if (select.counted != nullptr) {
    made += to_text(number_schema(), *select.counted) + "|";
  }
  for (const PartitionId partition : partitions) {
    made += fmt::format("{} ", raw(partition));
  }
  return made;
}

std::string SqlTest::outcome(const Result<Compiled>& compiled) const {
  if (!compiled) {
    const Error& error = compiled.error();
    return fmt::format("{} {} {} ({}) at {}", static_cast<int>(error.category), error.sqlstate, error.message,
                       error.hint, error.position);
  }
  if (const auto* select = std::get_if<CompiledSelect>(&*compiled)) {
    return sent(*select);
  }
  const auto& update = std::get<CompiledUpdate>(*compiled);
  std::string made = update.body.SerializeAsString();
  for (const wire::v1::Route& route : update.routes) {
    made += "|" + route.SerializeAsString();
  }
  return made;
}

std::string SqlTest::selection(std::string_view sql, std::vector<wire::v1::Constant> parameters) {
  auto compiled = compile(sql, std::move(parameters));
  if (!compiled) {
    return fmt::format("<{}>", compiled.error().message);
  }
  return to_text(*schema_, *std::get<CompiledSelect>(*compiled).selection);
}

std::string SqlTest::where(std::string_view condition, std::vector<wire::v1::Constant> parameters) {
  auto compiled = compile(fmt::format("SELECT i FROM t WHERE {}", condition), std::move(parameters));
  if (!compiled) {
    return fmt::format("<{}>", compiled.error().message);
  }
  return to_text(*schema_, std::get<CompiledSelect>(*compiled).selection->predicate);
}

namespace {

/// Packed rows of a table, each a line.
std::string lines_of(const semantics::Schema& schema, std::string_view packed, uint64_t row_count) {
  semantics::PackedRows rows(packed);
  std::string text;
  uint64_t seen = 0;
  while (true) {
    auto row = rows.next();
    if (!row || !row->has_value()) {
      break;
    }
    auto values = semantics::read_packed_row(semantics::column_types(schema), **row);
    append(&text, "\n", values.has_value() ? to_text(schema, *values) : "malformed");
    ++seen;
  }
  EXPECT_EQ(seen, row_count) << text;
  return text;
}

std::string columns_text(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    append(&text, ", ",
           fmt::format("{} {}{}", column.name, semantics::to_string(column.type), column.nullable ? "" : " not null"));
  }
  return text;
}

}  // namespace

std::string SqlTest::inserted(std::string_view sql, std::vector<wire::v1::Constant> parameters) {
  auto compiled = compile(sql, std::move(parameters));
  if (!compiled) {
    return fmt::format("<{}>", compiled.error().message);
  }
  const wire::v1::InsertPart& part = std::get<CompiledUpdate>(*compiled).body.parts(0).insert();
  return lines_of(*schema_, part.rows(), part.row_count());
}

std::string SqlTest::returned(std::string_view sql, std::vector<wire::v1::Constant> parameters) {
  auto compiled = compile(sql, std::move(parameters));
  if (!compiled) {
    return fmt::format("<{}>", compiled.error().message);
  }
  const auto& returning = std::get<CompiledUpdate>(*compiled).returning;
  if (!returning) {
    return "nothing";
  }
  semantics::Schema schema;
  schema.columns = *returning->columns;
  return columns_text(schema.columns) + "\n" + lines_of(schema, returning->rows.rows, returning->rows.row_count);
}

std::string SqlTest::described(std::string_view sql) {
  auto description = compiler_.describe(sql);
  if (!description) {
    const Error& error = description.error();
    return fmt::format("{}@{} {}", error.sqlstate, error.position, error.message);
  }
  std::string parameters;
  for (const ParameterKind& parameter : description->parameters) {
    append(&parameters, ", ",
           fmt::format("{}{}", semantics::kind_name(parameter.kind), parameter.is_array ? "[]" : ""));
  }
  const std::string columns = columns_text(description->columns);
  return fmt::format("{} -> {}", parameters.empty() ? "none" : parameters, columns.empty() ? "nothing" : columns);
}

std::string SqlTest::assigned(std::string_view sql, std::vector<wire::v1::Constant> parameters) {
  auto compiled = compile(sql, std::move(parameters));
  if (!compiled) {
    return fmt::format("<{}>", compiled.error().message);
  }
  const std::string body = std::get<CompiledUpdate>(*compiled).body.SerializeAsString();
  auto parts = contract::to_update(*schema_, map_->placement_columns(), body);
  if (!parts) {
    return fmt::format("<to_update: {}>", parts.error().message);
  }
  const auto& part = std::get<contract::ModifyPart>(parts->at(0));
  return fmt::format("{} where {}{}", to_text(*schema_, part.assignments), to_text(*schema_, part.predicate),
                     to_text(*schema_, part.residuals));
}

wire::v1::Constant untyped(std::string_view text) {
  return contract::from_value(Type{TypeKind::kVarchar}, Value(std::string(text)));
}

wire::v1::Constant typed(semantics::Type type, const semantics::Value& value) {
  return contract::from_value(type, value);
}

}  // namespace daedalus::aggregator::testing

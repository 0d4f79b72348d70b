#include "c_operations.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/expression.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_writer.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::engine {
namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Schema;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

Error meaningless(std::string what) { return rejected("08P01", std::move(what)); }

Result<uint32_t> find_column(const Schema& schema, const char* name) {
  if (name == nullptr) {
    return meaningless("a column has no name");
  }
  if (const auto found = schema.find(name)) {
    return *found;
  }
  return rejected("42703", std::string("column \"") + name + "\" does not exist");
}

/// An untyped literal: it takes the type its place asks for. NULL stays NULL.
Expression literal(const char* text) {
  return Expression::make_constant(Type{TypeKind::kVarchar}, text == nullptr ? Value() : Value(std::string(text)));
}

Result<Expression> read_comparison(const Schema& schema, const daedalus_comparison& comparison) {
  const auto column = find_column(schema, comparison.column);
  if (!column) {
    return column.error();
  }
  std::vector<Expression> arguments{Expression::make_column(*column)};
  switch (comparison.op) {
    case DAEDALUS_IS_NULL:
    case DAEDALUS_IS_NOT_NULL:
      break;
    case DAEDALUS_EQUAL:
    case DAEDALUS_NOT_EQUAL:
    case DAEDALUS_LESS:
    case DAEDALUS_LESS_OR_EQUAL:
    case DAEDALUS_GREATER:
    case DAEDALUS_GREATER_OR_EQUAL:
    case DAEDALUS_STARTS_WITH:
      arguments.push_back(literal(comparison.value));
      break;
    default:
      return meaningless("there is no operator number " + std::to_string(static_cast<int>(comparison.op)));
  }
  return Expression::make_call(static_cast<Operator>(comparison.op), std::move(arguments));
}

Result<semantics::Predicate> read_predicate(const Schema& schema, const daedalus_operation& operation) {
  std::vector<Expression> clauses;
  std::vector<Expression> clause;
  if (operation.comparison_count > semantics::kLiteralsMax) {
    return rejected("54001", "a condition has more than " + std::to_string(semantics::kLiteralsMax) + " comparisons");
  }
  for (uint32_t place = 0; place < operation.comparison_count; ++place) {
    Result<Expression> comparison = read_comparison(schema, operation.comparisons[place]);
    if (!comparison) {
      return comparison.error();
    }
    clause.push_back(std::move(*comparison));
    if (operation.comparisons[place].or_next && place + 1 < operation.comparison_count) {
      continue;
    }
    clauses.push_back(clause.size() == 1 ? std::move(clause[0])
                                         : Expression::make_call(Operator::kOr, std::exchange(clause, {})));
    clause.clear();
  }
  if (clauses.empty()) {
    return semantics::Predicate{};
  }
  return semantics::normalise(
      schema, clauses.size() == 1 ? clauses[0] : Expression::make_call(Operator::kAnd, std::move(clauses)));
}

Result<std::vector<semantics::SelectItem>> read_results(const Schema& schema, const daedalus_operation& operation) {
  if (operation.result_count == 0 || operation.result_count > semantics::kColumnsMax) {
    return meaningless("a query has 1 to " + std::to_string(semantics::kColumnsMax) + " results");
  }
  std::vector<semantics::SelectItem> items;
  for (uint32_t place = 0; place < operation.result_count; ++place) {
    const daedalus_result_column& result = operation.results[place];
    if (result.function < DAEDALUS_VALUE || result.function > DAEDALUS_AVG) {
      return meaningless("there is no function number " + std::to_string(static_cast<int>(result.function)));
    }
    semantics::SelectItem item{.name = result.column == nullptr ? "count" : result.column};
    if (result.function != DAEDALUS_VALUE) {
      item.function = static_cast<semantics::AggregateFunction>(result.function);
    }
    if (result.function != DAEDALUS_COUNT_ROWS) {
      const auto column = find_column(schema, result.column);
      if (!column) {
        return column.error();
      }
      item.column = *column;
    }
    items.push_back(std::move(item));
  }
  return items;
}

/// Beside aggregates every other result is a key.
std::vector<uint32_t> keys_among(const std::vector<semantics::SelectItem>& items) {
  std::vector<uint32_t> keys;
  const bool is_grouped =
      std::any_of(items.begin(), items.end(), [](const auto& item) { return item.function.has_value(); });
  for (const semantics::SelectItem& item : items) {
    if (is_grouped && !item.function) {
      keys.push_back(item.column);
    }
  }
  return keys;
}

Result<Value> read_value(const Schema& schema, uint32_t column, const char* text) {
  if (text == nullptr) {
    return Value();
  }
  return semantics::parse_text(schema.columns[column].type, text);
}

Result<InsertRows> read_rows(const Schema& schema, const daedalus_operation& operation) {
  const size_t width = schema.columns.size();
  const std::vector<Type> types = semantics::column_types(schema);
  auto bytes = std::make_shared<std::string>();
  std::vector<Value> values(width);
  std::vector<size_t> starts;
  for (uint32_t row = 0; row < operation.row_count; ++row) {
    for (uint32_t column = 0; column < width; ++column) {
      Result<Value> value = read_value(schema, column, operation.values[row * width + column]);
      if (!value) {
        return value.error();
      }
      values[column] = std::move(*value);
    }
    starts.push_back(bytes->size() + sizeof(uint32_t));
    semantics::append_packed_row(types, values, *bytes);
    if (const auto checked = semantics::check_packed_row(schema, std::string_view(*bytes).substr(starts.back()));
        !checked) {
      return checked.error();
    }
  }
  InsertRows part{.owner = bytes, .rows = {}};
  for (size_t row = 0; row < starts.size(); ++row) {
    const size_t end = row + 1 < starts.size() ? starts[row + 1] - sizeof(uint32_t) : bytes->size();
    part.rows.push_back(std::string_view(*bytes).substr(starts[row], end - starts[row]));
  }
  return part;
}

/// Returns what a value that is added to a column is read as.
Result<Type> addend_type(const semantics::Column& column) {
  switch (column.type.kind) {
    case TypeKind::kReal:
      return Type{TypeKind::kDouble};
    case TypeKind::kDate:
      return Type{TypeKind::kInt};  // Days.
    default:
      if (semantics::is_numeric(column.type.kind)) {
        return column.type;
      }
      return rejected("42883", "nothing can be added to column \"" + column.name + "\"");
  }
}

Result<semantics::Assignment> read_assignment(const Schema& schema, const daedalus_assignment& assignment) {
  const auto column = find_column(schema, assignment.column);
  if (!column) {
    return column.error();
  }
  semantics::Assignment made{.column = *column, .kind = semantics::Assignment::Kind::kSet, .value = {}};
  Result<Value> value = Value();
  if (!assignment.add) {
    value = read_value(schema, *column, assignment.value);
    if (value && semantics::is_null(*value) && !schema.columns[*column].nullable) {
      return rejected("23502", "column \"" + schema.columns[*column].name + "\" must not be null");
    }
  } else if (assignment.value == nullptr) {
    return meaningless("NULL cannot be added");
  } else {
    const Result<Type> type = addend_type(schema.columns[*column]);
    if (!type) {
      return type.error();
    }
    made.kind = semantics::Assignment::Kind::kAdd;
    value = semantics::parse_text(*type, assignment.value);
  }
  if (!value) {
    return value.error();
  }
  made.value = std::move(*value);
  return made;
}

Result<UpdatePart> read_modification(const Schema& schema, const daedalus_operation& operation) {
  auto part = std::make_shared<semantics::ModifyPart>();
  if (operation.assignment_count == 0 || operation.assignment_count > schema.columns.size()) {
    return meaningless("an update assigns to 1 to all columns");
  }
  for (uint32_t place = 0; place < operation.assignment_count; ++place) {
    Result<semantics::Assignment> assignment = read_assignment(schema, operation.assignments[place]);
    if (!assignment) {
      return assignment.error();
    }
    const bool is_twice =
        std::any_of(part->assignments.begin(), part->assignments.end(),
                    [&](const semantics::Assignment& other) { return other.column == assignment->column; });
    if (is_twice) {
      return rejected("42601", "an update assigns twice to column \"" + schema.columns[assignment->column].name + "\"");
    }
    part->assignments.push_back(std::move(*assignment));
  }
  Result<semantics::Predicate> predicate = read_predicate(schema, operation);
  if (!predicate) {
    return predicate.error();
  }
  part->predicate = std::move(*predicate);
  return UpdatePart{std::shared_ptr<const semantics::ModifyPart>(std::move(part))};
}

Result<UpdatePart> read_part(const Schema& schema, const daedalus_operation& operation) {
  if (operation.kind == DAEDALUS_INSERT) {
    Result<InsertRows> rows = read_rows(schema, operation);
    if (!rows) {
      return rows.error();
    }
    return UpdatePart{std::move(*rows)};
  }
  if (operation.kind == DAEDALUS_UPDATE) {
    return read_modification(schema, operation);
  }
  Result<semantics::Predicate> predicate = read_predicate(schema, operation);
  if (!predicate) {
    return predicate.error();
  }
  return UpdatePart{std::make_shared<const semantics::DeletePart>(semantics::DeletePart{std::move(*predicate)})};
}

}  // namespace

Result<Schema> read_schema(const daedalus_column* columns, uint32_t column_count) {
  if (column_count == 0 || column_count > semantics::kColumnsMax) {
    return rejected("42P16", "a table has 1 to " + std::to_string(semantics::kColumnsMax) + " columns");
  }
  Schema schema;
  schema.table_name = "table";
  for (uint32_t place = 0; place < column_count; ++place) {
    const daedalus_column& column = columns[place];
    if (column.name == nullptr || schema.find(column.name).has_value()) {
      return rejected("42P16", "column " + std::to_string(place) + " has no name of its own");
    }
    const Type type{static_cast<TypeKind>(column.type), column.precision, column.scale, column.length};
    if (const auto fault = semantics::type_fault(type)) {
      return rejected("42P16", std::string("column \"") + column.name + "\": " + *fault);
    }
    const bool is_sized =
        semantics::is_string(type.kind) ? type.length > 0 : type.kind != TypeKind::kNumeric || type.precision > 0;
    if (!is_sized) {
      return rejected("42P16", std::string("column \"") + column.name + "\" has no length or precision");
    }
    schema.columns.push_back({column.name, type, !column.not_null, {}});
  }
  if (const uint32_t size = semantics::packed_row_size_max(schema); size > semantics::kRowSizeMax) {
    return rejected("42P16", "a row of the table takes up to " + std::to_string(size) + " bytes, more than " +
                                 std::to_string(semantics::kRowSizeMax));
  }
  return schema;
}

Result<semantics::Selection> read_selection(const Schema& schema, const daedalus_operation& operation) {
  auto items = read_results(schema, operation);
  if (!items) {
    return items.error();
  }
  auto selection = semantics::bind_items(schema, *items, keys_among(*items));
  if (!selection) {
    return selection;
  }
  if (const auto checked = semantics::check_row_size(*selection); !checked) {
    return checked.error();
  }
  for (uint32_t place = 0; place < operation.order_count; ++place) {
    const daedalus_order_key& key = operation.order[place];
    if (key.result_column >= operation.result_count) {
      return meaningless("there is no result " + std::to_string(key.result_column) + " to order by");
    }
    selection->order_by.push_back({key.result_column, {.descending = key.descending, .nulls_first = key.descending}});
  }
  if (operation.limit > 0) {
    selection->limit = operation.limit;
  }
  Result<semantics::Predicate> predicate = read_predicate(schema, operation);
  if (!predicate) {
    return predicate.error();
  }
  selection->predicate = std::move(*predicate);
  return selection;
}

Result<Update> read_update(const Schema& schema, const daedalus_operation& operation) {
  Result<UpdatePart> part = read_part(schema, operation);
  if (!part) {
    return part.error();
  }
  Update update{.timestamp = Timestamp{operation.id}, .parts = {}};
  update.parts.push_back(std::move(*part));
  return update;
}

}  // namespace daedalus::engine

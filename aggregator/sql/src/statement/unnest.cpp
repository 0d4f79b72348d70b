#include "unnest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cast.hpp"
#include "daedalus/contract/translate.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

constexpr const char* kFunction = "unnest";

/// One array: the type of its elements, and the elements.
struct ArrayColumn {
  Type type;
  std::vector<Value> values;
};

const grammar::RangeFunction& range_of(const grammar::SelectStatement& select) {
  return select.from_clause[0].range_function();
}

/// A text has a length here, whatever it is called.
Type with_length(Type type) {
  const bool is_text = type.kind == TypeKind::kText || type.kind == TypeKind::kVarchar;
  return is_text && type.length == 0 ? Type{.kind = TypeKind::kText, .length = semantics::kStringLengthMax} : type;
}

/// The type that an array says of its elements; nothing: it says none.
Result<std::optional<Type>> element_type_of(Scope& scope, const Node& array, const std::vector<Typed>& elements) {
  if (array.kind() == Node::kCast) {
    grammar::TypeName name = array.cast().type_name;
    name.is_array = false;
    auto type = resolve_type(scope, name);
    if (!type) {
      return type.error();
    }
    type->kind = plain_name(name.names) == "text" ? TypeKind::kText : type->kind;
    return std::optional(with_length(*type));
  }
  if (array.kind() == Node::kParameter) {
    auto constant = fold(scope, array);
    if (!constant) {
      return constant.error();
    }
    return (*constant)->is_array ? std::optional(with_length(Type{(*constant)->type.kind})) : std::nullopt;
  }
  const bool has_type = !elements.empty() && !elements[0].is_unknown;
  return has_type ? std::optional(with_length(Type{elements[0].expression.type.kind})) : std::nullopt;
}

Error no_such_function(Scope& scope, const Node& argument, int32_t location) {
  auto value = ExpressionBinder(scope, {kFunction}).value(argument);
  return value ? scope.error("42883",
                             fmt::format("function unnest({}) does not exist", semantics::kind_name(value->type.kind)),
                             location, "cast the argument to an array")
               : value.error();
}

Error too_many(const Scope& scope, int32_t location) {
  return scope.error("54000", fmt::format("INSERT too large: more than {} rows", contract::kUpdateRowsMax), location,
                     "send fewer rows with each INSERT");
}

Result<ArrayColumn> column_of_array(Scope& scope, const Node& array, int32_t location) {
  constexpr std::string_view kNoArray = "42809";
  auto elements = ExpressionBinder(scope, {kFunction}).array_elements(array);
  if (!elements) {
    return elements.error().sqlstate == kNoArray ? no_such_function(scope, array, location)
                                                 : scope.located(elements.error(), location_of(array));
  }
  std::vector<Typed> typed = elements->has_value() ? std::move(**elements) : std::vector<Typed>();
  if (typed.size() > contract::kUpdateRowsMax) {
    return too_many(scope, location);
  }
  const auto type = element_type_of(scope, array, typed);
  if (!type) {
    return type.error();
  }
  if (!type->has_value()) {
    return scope.error("42725", "function unnest(unknown) is not unique", location, "cast the argument to an array");
  }
  ArrayColumn column{**type, {}};
  for (Typed& element : typed) {
    auto value = semantics::evaluate(element.expression, {});
    if (!value && !scope.leaves_mistakes()) {
      return value.error();
    }
    if (auto checked = check_text_length(scope, value ? *value : Value(), element.location); !checked) {
      return checked.error();
    }
    column.values.push_back(value ? std::move(*value) : Value());
  }
  return column;
}

Result<ValuesTable> make_table_of_arrays(Scope& scope, const grammar::SelectStatement& select) {
  const grammar::RangeFunction& range = range_of(select);
  const std::vector<Node> arrays = unnested_arrays(select);
  const std::string name(range.alias.empty() ? std::string_view(kFunction) : range.alias);
  if (range.columns.size() > arrays.size()) {
    return scope.error("42P10",
                       fmt::format("table \"{}\" has {} columns available but {} columns specified", name,
                                   arrays.size(), range.columns.size()),
                       -1);
  }
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = name;
  ValuesTable table;
  for (size_t number = 0; number < arrays.size(); ++number) {
    auto column = column_of_array(scope, arrays[number], range.functions[0].function_call().location);
    if (!column) {
      return column.error();
    }
    const bool is_alone = arrays.size() == 1;
    schema->columns.push_back({number < range.columns.size() ? std::string(range.columns[number])
                               : is_alone                    ? name
                                                             : std::string(kFunction),
                               column->type,
                               true,
                               {}});
    table.rows.resize(std::max(table.rows.size(), column->values.size()));
    for (size_t row = 0; row < table.rows.size(); ++row) {
      table.rows[row].resize(number + 1);
      if (row < column->values.size()) {
        table.rows[row][number] = std::move(column->values[row]);
      }
    }
  }
  table.schema = std::move(schema);
  return table;
}

}  // namespace

bool is_of_unnest(const grammar::SelectStatement& select) {
  if (select.from_clause.size() != 1 || select.from_clause[0].kind() != Node::kRangeFunction) {
    return false;
  }
  const grammar::Nodes functions = range_of(select).functions;
  return std::all_of(functions.begin(), functions.end(), [](const Node& function) {
    const grammar::FunctionCall& call = function.function_call();
    return function.has_function_call() && plain_name(call.name) == kFunction && !call.arguments.empty();
  });
}

std::vector<Node> unnested_arrays(const grammar::SelectStatement& select) {
  std::vector<Node> arrays;
  for (const Node& function : range_of(select).functions) {
    const grammar::Nodes arguments = function.function_call().arguments;
    arrays.insert(arrays.end(), arguments.begin(), arguments.end());
  }
  return arrays;
}

Result<CompiledSelect> compile_unnest(Scope& scope, const contract::PartitionMap& map,
                                      const grammar::SelectStatement& select) {
  const grammar::RangeFunction& range = range_of(select);
  if (range.has_ordinality || range.has_definitions) {
    return scope.refuse(range.has_ordinality ? "unnest() WITH ORDINALITY" : "unnest() with a list of columns and types",
                        range.functions[0].function_call().location, "leave it out");
  }
  auto table = make_table_of_arrays(scope, select);
  if (!table) {
    return table.error();
  }
  const ColumnNames names(table->schema);
  Scope over = scope.over(names);
  auto compiled = compile_over(over, map, select, *table);
  scope.take_back(over);
  return compiled;
}

}  // namespace daedalus::aggregator::sql

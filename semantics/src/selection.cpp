#include "daedalus/semantics/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "packed_walk.hpp"

namespace daedalus::semantics {
namespace {

/// A value that stands at this place of a group's row.
BoundExpression of_group(size_t place, const Type& type, bool nullable) {
  return make_input(static_cast<uint32_t>(place), type, nullable);
}

BoundAggregate aggregate_of(const BoundExpression& call) {
  BoundAggregate made{.function = call.aggregate, .argument = std::nullopt, .type = call.type};
  if (!call.arguments.empty()) {
    made.argument = call.arguments[0];
  }
  return made;
}

BoundExpression call_of(const BoundAggregate& aggregate) {
  BoundExpression made;
  made.kind = BoundExpression::Kind::kAggregate;
  made.aggregate = aggregate.function;
  made.type = aggregate.type;
  if (aggregate.argument) {
    made.arguments.push_back(*aggregate.argument);
  }
  made.nullable =
      aggregate.function != AggregateFunction::kCountRows && aggregate.function != AggregateFunction::kCount;
  return made;
}

std::optional<size_t> place_among(std::span<const BoundExpression> keys, const BoundExpression& expression) {
  const auto found = std::find(keys.begin(), keys.end(), expression);
  return found == keys.end() ? std::nullopt : std::optional(static_cast<size_t>(found - keys.begin()));
}

/// The same over keys and aggregates; those that the grouping does not have yet are added to it.
Result<BoundExpression> bind_to_group(const Schema& schema, BoundExpression expression, Grouping& grouping) {
  if (const auto key = place_among(grouping.keys, expression)) {
    return of_group(*key, expression.type, expression.nullable);
  }
  if (expression.is_input()) {
    return rejected(
        "42803", fmt::format("column \"{}.{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                             schema.table_name, schema.columns[expression.input].name));
  }
  if (expression.kind == BoundExpression::Kind::kAggregate) {
    BoundAggregate aggregate = aggregate_of(expression);
    const auto found = std::find(grouping.aggregates.begin(), grouping.aggregates.end(), aggregate);
    const auto number = static_cast<size_t>(found - grouping.aggregates.begin());
    if (found == grouping.aggregates.end()) {
      grouping.aggregates.push_back(std::move(aggregate));
    }
    return of_group(grouping.keys.size() + number, expression.type, expression.nullable);
  }
  for (BoundExpression& argument : expression.arguments) {
    Result<BoundExpression> bound = bind_to_group(schema, std::move(argument), grouping);
    if (!bound) {
      return bound;
    }
    argument = std::move(*bound);
  }
  return expression;
}

/// Of what rows and groups are made of; within an expression they are fine.
Result<void> refuse_intervals(const SelectList& list) {
  const auto is_interval = [](const BoundExpression& expression) {
    return expression.type.kind == TypeKind::kInterval;
  };
  const bool has_any = std::any_of(list.outputs.begin(), list.outputs.end(),
                                   [&](const NamedExpression& output) { return is_interval(output.expression); }) ||
                       std::any_of(list.group_by.begin(), list.group_by.end(), is_interval);
  if (!has_any) {
    return {};
  }
  return rejected("0A000", "an interval as output or key is not supported",
                  "cast it to text, or take extract(epoch from ...) of its ends");
}

Result<Grouping> make_grouping(std::vector<BoundExpression> group_by) {
  Grouping grouping;
  for (BoundExpression& key : group_by) {
    if (key.type.kind == TypeKind::kNumeric && key.type.precision == 0) {
      return rejected("0A000", "grouping by a numeric without a bound on its digits is not supported",
                      "cast it to numeric(p, s)");
    }
    if (!place_among(grouping.keys, key)) {
      grouping.keys.push_back(std::move(key));
    }
  }
  return grouping;
}

/// Bytes that the values of a row may take, and how many they are.
struct RowSize {
  uint64_t bytes = 0;
  uint64_t columns = 0;

  void add(const Type& type) {
    bytes += packed_bytes_max(type);
    ++columns;
  }
};

RowSize partial_row_size(const Grouping& grouping) {
  RowSize size;
  for (const BoundExpression& key : grouping.keys) {
    size.add(key.type);
  }
  for (const BoundAggregate& aggregate : grouping.aggregates) {
    for (const Type& state : partial_types(aggregate.function, aggregate.argument_type())) {
      size.add(state);
    }
  }
  return size;
}

RowSize outputs_size(const Selection& selection, size_t outputs) {
  RowSize size;
  for (size_t i = 0; i < outputs; ++i) {
    size.add(selection.outputs[i].expression.type);
  }
  return size;
}

Result<void> check_row_size(const RowSize& size) {
  const uint64_t bytes = (size.columns + 7) / 8 + size.bytes;
  if (bytes <= kRowSizeMax) {
    return {};
  }
  return rejected("54000",
                  fmt::format("a row of the answer may take {} bytes with its {} columns, the maximum is {}", bytes,
                              size.columns, kRowSizeMax),
                  "select fewer or shorter columns");
}

}  // namespace

BoundExpression column_of(const Schema& schema, uint32_t column) {
  return make_input(column, schema.columns[column].type, schema.columns[column].nullable);
}

std::optional<uint32_t> ungrouped_column(const BoundExpression& expression, std::span<const BoundExpression> keys) {
  if (expression.kind == BoundExpression::Kind::kAggregate || place_among(keys, expression)) {
    return std::nullopt;
  }
  if (expression.is_input()) {
    return expression.input;
  }
  for (const BoundExpression& argument : expression.arguments) {
    if (const auto column = ungrouped_column(argument, keys)) {
      return column;
    }
  }
  return std::nullopt;
}

BoundExpression unbound(const BoundExpression& of_group, const Grouping& grouping) {
  if (of_group.is_input()) {
    const size_t place = of_group.input;
    return place < grouping.keys.size() ? grouping.keys[place]
                                        : call_of(grouping.aggregates[place - grouping.keys.size()]);
  }
  BoundExpression made = of_group;
  for (BoundExpression& argument : made.arguments) {
    argument = unbound(argument, grouping);
  }
  return made;
}

Result<Selection> bind_select(const Schema& schema, SelectList list) {
  Selection selection;
  const bool has_aggregates = std::any_of(list.outputs.begin(), list.outputs.end(), [](const NamedExpression& output) {
    return has_aggregate(output.expression);
  });
  selection.visible_outputs = static_cast<uint32_t>(list.outputs.size());
  if (const Result<void> checked = refuse_intervals(list); !checked) {
    return checked.error();
  }
  selection.outputs.reserve(list.outputs.size());
  if (!has_aggregates && list.group_by.empty() && !list.having) {
    for (NamedExpression& output : list.outputs) {
      selection.outputs.push_back({std::move(output.name), std::move(output.expression)});
    }
    return selection;
  }
  Result<Grouping> grouping = make_grouping(std::move(list.group_by));
  if (!grouping) {
    return grouping.error();
  }
  for (NamedExpression& output : list.outputs) {
    Result<BoundExpression> bound = bind_to_group(schema, std::move(output.expression), *grouping);
    if (!bound) {
      return bound.error();
    }
    selection.outputs.push_back({std::move(output.name), std::move(*bound)});
  }
  if (list.having) {
    Result<BoundExpression> bound = bind_to_group(schema, std::move(*list.having), *grouping);
    if (!bound) {
      return bound.error();
    }
    selection.having = std::move(*bound);
  }
  selection.grouping = std::move(*grouping);
  return selection;
}

Result<Selection> bind_items(const Schema& schema, std::vector<SelectItem> items,
                             const std::vector<uint32_t>& group_by) {
  SelectList list;
  list.outputs.reserve(items.size());
  for (SelectItem& item : items) {
    if (!item.function) {
      list.outputs.push_back({std::move(item.name), column_of(schema, item.column)});
      continue;
    }
    std::vector<BoundExpression> argument;
    if (*item.function != AggregateFunction::kCountRows) {
      argument.push_back(column_of(schema, item.column));
    }
    Result<BoundExpression> call = make_aggregate(*item.function, std::move(argument));
    if (!call) {
      return call.error();
    }
    list.outputs.push_back({std::move(item.name), std::move(*call)});
  }
  for (const uint32_t column : group_by) {
    list.group_by.push_back(column_of(schema, column));
  }
  return bind_select(schema, std::move(list));
}

std::vector<Type> partial_row_types(const Selection& selection) {
  std::vector<Type> types;
  if (!selection.grouping) {
    for (const OutputColumn& output : selection.outputs) {
      types.push_back(output.expression.type);
    }
    return types;
  }
  for (const BoundExpression& key : selection.grouping->keys) {
    types.push_back(key.type);
  }
  for (const BoundAggregate& aggregate : selection.grouping->aggregates) {
    const std::vector<Type> state = partial_types(aggregate.function, aggregate.argument_type());
    types.insert(types.end(), state.begin(), state.end());
  }
  return types;
}

std::vector<Column> final_columns(const Selection& selection) {
  std::vector<Column> columns;
  columns.reserve(selection.visible_outputs);
  for (uint32_t i = 0; i < selection.visible_outputs; ++i) {
    const OutputColumn& output = selection.outputs[i];
    Column& column = columns.emplace_back();
    column.name = output.name;
    column.type = output.expression.type;
    column.nullable = output.expression.nullable;
  }
  return columns;
}

bool can_stream(const Selection& selection) {
  return !selection.grouping && selection.order_by.empty() && !selection.limit && selection.offset == 0 &&
         selection.visible_outputs == selection.outputs.size();
}

Result<void> check_row_size(const Selection& selection) {
  if (!selection.grouping) {
    return check_row_size(outputs_size(selection, selection.outputs.size()));
  }
  // A group's outputs may show the same value many times.
  const Result<void> checked = check_row_size(partial_row_size(*selection.grouping));
  return checked ? check_row_size(outputs_size(selection, selection.visible_outputs)) : checked;
}

}  // namespace daedalus::semantics

#include "daedalus/semantics/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "packed_walk.hpp"

namespace daedalus::semantics {
namespace {

BoundExpression bind_column(const Schema& schema, uint32_t column) {
  return {.input = column, .type = schema.columns[column].type, .nullable = schema.columns[column].nullable};
}

/// A value that stands at this place of a group's row.
BoundExpression of_group(size_t place, const Type& type, bool nullable) {
  return {.input = static_cast<uint32_t>(place), .type = type, .nullable = nullable};
}

bool is_count(AggregateFunction function) {
  return function == AggregateFunction::kCountRows || function == AggregateFunction::kCount;
}

Result<BoundAggregate> bind_aggregate(const Schema& schema, AggregateFunction function, uint32_t column) {
  BoundAggregate made{.function = function};
  if (function != AggregateFunction::kCountRows) {
    made.argument = bind_column(schema, column);
  }
  const Result<Type> type = aggregate_type(function, made.argument_type());
  if (!type) {
    return type.error();
  }
  made.type = *type;
  return made;
}

Result<BoundExpression> bind_of_group(const Schema& schema, const SelectItem& item, Grouping& grouping) {
  if (!item.function) {
    const BoundExpression wanted = bind_column(schema, item.column);
    const auto key = std::find(grouping.keys.begin(), grouping.keys.end(), wanted);
    if (key == grouping.keys.end()) {
      return rejected("42803",
                      fmt::format("column \"{}.{}\" must appear in the GROUP BY clause or be used in an aggregate "
                                  "function",
                                  schema.table_name, schema.columns[item.column].name));
    }
    return of_group(static_cast<size_t>(key - grouping.keys.begin()), wanted.type, wanted.nullable);
  }
  const Result<BoundAggregate> aggregate = bind_aggregate(schema, *item.function, item.column);
  if (!aggregate) {
    return aggregate.error();
  }
  const auto found = std::find(grouping.aggregates.begin(), grouping.aggregates.end(), *aggregate);
  const auto number = static_cast<size_t>(found - grouping.aggregates.begin());
  if (found == grouping.aggregates.end()) {
    grouping.aggregates.push_back(*aggregate);
  }
  return of_group(grouping.keys.size() + number, aggregate->type, !is_count(*item.function));
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

Result<Selection> bind_items(const Schema& schema, std::vector<SelectItem> items,
                             const std::vector<uint32_t>& group_by) {
  Selection selection;
  const bool has_aggregate =
      std::any_of(items.begin(), items.end(), [](const SelectItem& item) { return item.function.has_value(); });
  if (has_aggregate || !group_by.empty()) {
    selection.grouping.emplace();
    for (const uint32_t column : group_by) {
      const BoundExpression key = bind_column(schema, column);
      std::vector<BoundExpression>& keys = selection.grouping->keys;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  selection.outputs.reserve(items.size());
  for (SelectItem& item : items) {
    if (!selection.grouping) {
      selection.outputs.push_back({std::move(item.name), bind_column(schema, item.column)});
      continue;
    }
    const Result<BoundExpression> bound = bind_of_group(schema, item, *selection.grouping);
    if (!bound) {
      return bound.error();
    }
    selection.outputs.push_back({std::move(item.name), *bound});
  }
  selection.visible_outputs = static_cast<uint32_t>(items.size());
  return selection;
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

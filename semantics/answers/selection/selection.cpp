#include "daedalus/semantics/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "daedalus/semantics/packed_walk.hpp"

namespace daedalus::semantics {
namespace {

/// Bytes that the values of a row may take, and how many they are.
struct RowSize {
  uint64_t bytes = 0;
  uint64_t columns = 0;

  void add(const Type& type) {
    bytes += packed_bytes_max(type);
    ++columns;
  }
};

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
  const Grouping& grouping = *selection.grouping;
  if (grouping.has_sets()) {
    types.emplace_back(TypeKind::kSmallint);
  }
  for (const BoundExpression& key : grouping.keys) {
    types.push_back(key.type);
  }
  for (const BoundExpression& value : grouping.list_values) {
    types.push_back(value.type);
  }
  for (const BoundAggregate& aggregate : grouping.aggregates) {
    const std::vector<Type> state = state_types(aggregate);
    types.insert(types.end(), state.begin(), state.end());
  }
  if (grouping.has_sets()) {
    types.emplace_back(TypeKind::kBigint);
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
    column.modifier = output.modifier;
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
  RowSize partial;
  for (const Type& type : partial_row_types(selection)) {
    partial.add(type);
  }
  const Result<void> checked = check_row_size(partial);
  return checked ? check_row_size(outputs_size(selection, selection.visible_outputs)) : checked;
}

}  // namespace daedalus::semantics

#include <fmt/format.h>

#include <limits>

#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {
namespace {

using semantics::AggregateFunction;
using semantics::Schema;
using semantics::Selection;
using semantics::SelectItem;

/// PostgreSQL's bound on the entries of a target list.
constexpr int kOutputsMax = 1664;
constexpr size_t kOrderKeysMax = 1664;

Error too_many_outputs() {
  return rejected("54011", fmt::format("target lists can have at most {} entries", kOutputsMax));
}

Result<uint32_t> column_of(const Schema& schema, const wire::v1::Expression& expression, std::string_view place) {
  if (expression.node_case() != wire::v1::Expression::kColumn) {
    return rejected("0A000", fmt::format("{} other than a column are not supported", place));
  }
  if (expression.column() >= schema.columns.size()) {
    return rejected("42703", fmt::format("there is no column at position {} in table \"{}\"", expression.column(),
                                         schema.table_name));
  }
  return expression.column();
}

Result<SelectItem> to_item(const Schema& schema, const wire::v1::Output& output) {
  SelectItem made{.name = output.name()};
  if (output.source_case() == wire::v1::Output::kExpression) {
    const Result<uint32_t> column = column_of(schema, output.expression(), "output expressions");
    if (!column) {
      return column.error();
    }
    made.column = *column;
    return made;
  }
  if (output.source_case() != wire::v1::Output::kAggregate) {
    return rejected("08P01", "an output without a source");
  }
  const wire::v1::Aggregate& aggregate = output.aggregate();
  if (aggregate.function() < wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS ||
      aggregate.function() > wire::v1::AGGREGATE_FUNCTION_AVG) {
    return rejected("08P01",
                    fmt::format("there is no aggregate function number {}", static_cast<int>(aggregate.function())));
  }
  made.function = static_cast<AggregateFunction>(aggregate.function());
  if (made.function == AggregateFunction::kCountRows) {
    return aggregate.has_argument() ? Result<SelectItem>(rejected("08P01", "count(*) with an argument")) : made;
  }
  const Result<uint32_t> column = column_of(schema, aggregate.argument(), "arguments of aggregates");
  if (!column) {
    return column.error();
  }
  made.column = *column;
  return made;
}

Result<std::vector<SelectItem>> read_items(const Schema& schema, const wire::v1::SelectBody& body) {
  if (body.outputs_size() > kOutputsMax) {
    return too_many_outputs();
  }
  std::vector<SelectItem> items;
  items.reserve(static_cast<size_t>(body.outputs_size()));
  for (const wire::v1::Output& output : body.outputs()) {
    Result<SelectItem> item = to_item(schema, output);
    if (!item) {
      return std::move(item).error();
    }
    items.push_back(std::move(*item));
  }
  return items;
}

Result<std::vector<uint32_t>> read_groups(const Schema& schema, const wire::v1::SelectBody& body) {
  std::vector<uint32_t> columns;
  for (const wire::v1::Expression& expression : body.group_by()) {
    const Result<uint32_t> column = column_of(schema, expression, "GROUP BY expressions");
    if (!column) {
      return column.error();
    }
    columns.push_back(*column);
  }
  return columns;
}

/// The list and its groups.
Result<Selection> read_outputs(const Schema& schema, const wire::v1::SelectBody& body) {
  Result<std::vector<SelectItem>> items = read_items(schema, body);
  if (!items) {
    return items.error();
  }
  const Result<std::vector<uint32_t>> group_by = read_groups(schema, body);
  if (!group_by) {
    return group_by.error();
  }
  Result<Selection> selection = semantics::bind_items(schema, std::move(*items), *group_by);
  if (selection) {
    selection->visible_outputs = body.visible_outputs();
  }
  return selection;
}

Result<void> check_order(const Selection& selection) {
  if (selection.order_by.size() > kOrderKeysMax) {
    return rejected("54011", fmt::format("ORDER BY can have at most {} keys", kOrderKeysMax));
  }
  for (const semantics::OrderKey& key : selection.order_by) {
    if (key.output >= selection.outputs.size()) {
      return rejected("08P01", fmt::format("ORDER BY position {} of {} outputs", key.output, selection.outputs.size()));
    }
  }
  return {};
}

Result<void> read_order(const wire::v1::SelectBody& body, Selection& selection) {
  for (const wire::v1::OrderKey& key : body.order_by()) {
    selection.order_by.push_back({key.output(), {key.descending(), key.nulls_first()}});
  }
  constexpr uint64_t kCountMax = std::numeric_limits<int64_t>::max();
  if (body.limit() > kCountMax) {
    return rejected("2201W", "LIMIT out of range for type bigint");
  }
  if (body.offset() > kCountMax) {
    return rejected("2201X", "OFFSET out of range for type bigint");
  }
  if (body.has_limit()) {
    selection.limit = body.limit();
  }
  selection.offset = body.offset();
  return {};
}

}  // namespace

Result<void> check_selection(const Selection& selection) {
  if (selection.outputs.empty()) {
    return rejected("08P01", "a SELECT without outputs");
  }
  if (selection.outputs.size() > kOutputsMax) {
    return too_many_outputs();
  }
  if (selection.visible_outputs == 0 || selection.visible_outputs > selection.outputs.size()) {
    return rejected("08P01",
                    fmt::format("{} visible outputs of {}", selection.visible_outputs, selection.outputs.size()));
  }
  if (Result<void> checked = semantics::check_row_size(selection); !checked) {
    return checked;
  }
  if (selection.slice && !semantics::can_stream(selection)) {
    return rejected("0A000", "a slice of the table cannot be aggregated, grouped, ordered or limited");
  }
  return check_order(selection);
}

Result<semantics::Condition> to_condition(const Schema& schema, const wire::v1::SelectBody& body) {
  if (!body.has_filter()) {
    return semantics::Condition{.kind = semantics::Condition::Kind::kAlways, .literal = {}, .children = {}};
  }
  const Result<semantics::Expression> filter = to_expression(body.filter());
  if (!filter) {
    return filter.error();
  }
  return semantics::to_condition(schema, *filter);
}

semantics::Slice to_slice(const wire::v1::Slice& slice) {
  semantics::Slice made{.partition = slice.partition(), .segment = slice.segment(), .first_slot = slice.first_slot()};
  if (slice.answer_bytes() > 0) {
    made.answer_bytes = slice.answer_bytes();
  }
  return made;
}

Result<wire::v1::SelectBody> parse_select(std::string_view body) {
  wire::v1::SelectBody message;
  if (body.size() > static_cast<size_t>(INT_MAX) ||
      !message.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return rejected("08P01", "the body of a SELECT does not parse");
  }
  return message;
}

Result<Selection> to_selection(const Schema& schema, std::string_view body, wire::v1::ResultForm* form_out) {
  const Result<wire::v1::SelectBody> message = parse_select(body);
  return message ? to_selection(schema, *message, form_out) : message.error();
}

Result<Selection> to_selection(const Schema& schema, const wire::v1::SelectBody& message,
                               wire::v1::ResultForm* form_out) {
  if (message.form() != wire::v1::RESULT_FORM_FINAL && message.form() != wire::v1::RESULT_FORM_PARTIAL) {
    return rejected("08P01", fmt::format("there is no result form number {}", static_cast<int>(message.form())));
  }
  if (form_out != nullptr) {
    *form_out = message.form();
  }
  Result<Selection> selection = read_outputs(schema, message);
  if (!selection) {
    return selection;
  }
  if (Result<void> read = read_order(message, *selection); !read) {
    return std::move(read).error();
  }
  if (message.has_slice()) {
    selection->slice = to_slice(message.slice());
  }
  if (Result<void> checked = check_selection(*selection); !checked) {
    return std::move(checked).error();
  }
  Result<semantics::Condition> condition = to_condition(schema, message);
  if (!condition) {
    return std::move(condition).error();
  }
  selection->predicate = semantics::normal_form(std::move(*condition));
  return selection;
}

}  // namespace daedalus::contract

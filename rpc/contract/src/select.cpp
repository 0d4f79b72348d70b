#include <fmt/format.h>

#include <limits>

#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {
namespace {

using semantics::BoundExpression;
using semantics::Schema;
using semantics::Selection;

/// PostgreSQL's bound on the entries of a target list.
constexpr int kOutputsMax = 1664;
constexpr size_t kOrderKeysMax = 1664;

Error too_many_outputs() {
  return rejected("54011", fmt::format("target lists can have at most {} entries", kOutputsMax));
}

Result<BoundExpression> read_output(const Schema& schema, const wire::v1::Output& output) {
  switch (output.source_case()) {
    case wire::v1::Output::kExpression:
      return to_bound(schema, output.expression());
    case wire::v1::Output::kAggregate: {
      wire::v1::Expression call;
      *call.mutable_aggregate() = output.aggregate();
      return to_bound(schema, call);
    }
    default:
      return rejected("08P01", "an output without a source");
  }
}

/// A condition over rows, or over groups.
Result<BoundExpression> read_condition(const Schema& schema, const wire::v1::Expression& expression, bool of_rows) {
  Result<BoundExpression> condition = to_bound(schema, expression);
  if (!condition) {
    return condition;
  }
  if (condition->type.kind != semantics::TypeKind::kBool || (of_rows && semantics::has_aggregate(*condition))) {
    return rejected("08P01", "a condition that is no boolean of its rows");
  }
  return condition;
}

Result<std::vector<BoundExpression>> read_groups(const Schema& schema, const wire::v1::SelectBody& body) {
  std::vector<BoundExpression> keys;
  for (const wire::v1::Expression& expression : body.group_by()) {
    Result<BoundExpression> key = to_bound(schema, expression);
    if (!key) {
      return key.error();
    }
    if (semantics::has_aggregate(*key)) {
      return rejected("42803", "aggregate functions are not allowed in GROUP BY");
    }
    keys.push_back(std::move(*key));
  }
  return keys;
}

Result<std::vector<BoundExpression>> read_residuals(const Schema& schema, const wire::v1::SelectBody& body) {
  if (static_cast<uint32_t>(body.residuals_size()) > semantics::kClausesMax) {
    return rejected("54001", fmt::format("the condition is too complex: more than {} parts that are computed",
                                         semantics::kClausesMax));
  }
  std::vector<BoundExpression> residuals;
  for (const wire::v1::Expression& expression : body.residuals()) {
    Result<BoundExpression> residual = read_condition(schema, expression, /*of_rows=*/true);
    if (!residual) {
      return residual.error();
    }
    residuals.push_back(std::move(*residual));
  }
  return residuals;
}

Result<void> read_grouping_sets(const wire::v1::SelectBody& body, semantics::SelectList& list) {
  if (static_cast<size_t>(body.grouping_sets_size()) > semantics::kGroupSetsMax) {
    return rejected("0A000", fmt::format("more than {} grouping sets are not supported", semantics::kGroupSetsMax));
  }
  for (const wire::v1::GroupingSet& set : body.grouping_sets()) {
    std::vector<uint32_t>& keys = list.grouping_sets.emplace_back();
    for (const uint32_t key : set.keys()) {
      if (key >= list.group_by.size()) {
        return rejected("08P01", fmt::format("a grouping set of key {} of {}", key, list.group_by.size()));
      }
      keys.push_back(key);
    }
  }
  return {};
}

/// The list, its groups, and what of its condition is computed.
Result<Selection> read_outputs(const Schema& schema, const wire::v1::SelectBody& body) {
  if (body.outputs_size() > kOutputsMax) {
    return too_many_outputs();
  }
  semantics::SelectList list;
  list.outputs.reserve(static_cast<size_t>(body.outputs_size()));
  for (const wire::v1::Output& output : body.outputs()) {
    Result<BoundExpression> expression = read_output(schema, output);
    if (!expression) {
      return expression.error();
    }
    list.outputs.push_back({output.name(), std::move(*expression)});
  }
  Result<std::vector<BoundExpression>> group_by = read_groups(schema, body);
  if (!group_by) {
    return group_by.error();
  }
  list.group_by = std::move(*group_by);
  if (Result<void> sets = read_grouping_sets(body, list); !sets) {
    return sets.error();
  }
  if (body.has_having()) {
    Result<BoundExpression> having = read_condition(schema, body.having(), /*of_rows=*/false);
    if (!having) {
      return having.error();
    }
    list.having = std::move(*having);
  }
  Result<std::vector<BoundExpression>> residuals = read_residuals(schema, body);
  if (!residuals) {
    return residuals.error();
  }
  Result<Selection> selection = semantics::bind_select(schema, std::move(list));
  if (selection) {
    selection->visible_outputs = body.visible_outputs();
    selection->residuals = std::move(*residuals);
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
  if (std::max(selection.ties_by, selection.distinct_by) > selection.order_by.size()) {
    return rejected("08P01",
                    fmt::format("rows compared by {} of {} keys", std::max(selection.ties_by, selection.distinct_by),
                                selection.order_by.size()));
  }
  if (selection.ties_by > 0 && !selection.limit) {
    return rejected("08P01", "ties of a limit that there is not");
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
  selection.ties_by = body.ties_by();
  selection.distinct_by = body.distinct_by();
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

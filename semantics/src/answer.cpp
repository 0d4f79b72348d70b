#include "daedalus/semantics/answer.hpp"

#include <fmt/format.h>

#include "answer_merge.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "packed_walk.hpp"

namespace daedalus::semantics {
namespace {

/// The type an aggregate's argument has; any type will do for count(*).
Type argument_type(const Schema& schema, const OutputColumn& output) {
  const bool has_argument = !output.is_aggregate || output.function != AggregateFunction::kCountRows;
  return has_argument ? schema.columns[output.column].type : Type{TypeKind::kBigint};
}

}  // namespace

std::vector<Type> partial_row_types(const Schema& schema, const Selection& selection) {
  std::vector<Type> types;
  for (const OutputColumn& output : selection.outputs) {
    if (!output.is_aggregate) {
      types.push_back(schema.columns[output.column].type);
      continue;
    }
    const std::vector<Type> state = partial_types(output.function, argument_type(schema, output));
    types.insert(types.end(), state.begin(), state.end());
  }
  return types;
}

Result<std::vector<Column>> final_columns(const Schema& schema, const Selection& selection) {
  std::vector<Column> columns;
  for (uint32_t i = 0; i < selection.visible_outputs; ++i) {
    const OutputColumn& output = selection.outputs[i];
    Column column;
    column.name = output.name;
    column.nullable = output.is_aggregate || schema.columns[output.column].nullable;
    column.type = argument_type(schema, output);
    if (output.is_aggregate) {
      const Result<Type> type = aggregate_type(output.function, column.type);
      if (!type) {
        return type.error();
      }
      column.type = *type;
      column.nullable =
          output.function != AggregateFunction::kCountRows && output.function != AggregateFunction::kCount;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

bool can_stream(const Selection& selection) {
  return !selection.is_aggregated && selection.order_by.empty() && !selection.limit && selection.offset == 0 &&
         selection.visible_outputs == selection.outputs.size();
}

MergePlan make_plan(const Schema& schema, const Selection& selection) {
  MergePlan plan;
  plan.selection = selection;
  plan.partial_types = partial_row_types(schema, selection);
  uint32_t first = 0;
  for (const OutputColumn& output : selection.outputs) {
    MergeOutput it;
    it.is_aggregate = output.is_aggregate;
    it.function = output.function;
    it.argument = argument_type(schema, output);
    it.first_partial = first;
    it.partial_count = 1;
    it.type = it.argument;
    if (output.is_aggregate) {
      it.partial_count = static_cast<uint32_t>(partial_types(output.function, it.argument).size());
      const Result<Type> type = aggregate_type(output.function, it.argument);
      CHECK(type.has_value());
      it.type = *type;
    }
    first += it.partial_count;
    plan.outputs.push_back(it);
  }
  for (uint32_t i = 0; i < selection.visible_outputs; ++i) {
    plan.final_types.push_back(plan.outputs[i].type);
  }
  const uint64_t limit = selection.limit.value_or(UINT64_MAX);
  plan.rows_wanted = limit > UINT64_MAX - selection.offset ? UINT64_MAX : limit + selection.offset;
  return plan;
}

std::strong_ordering compare_keys(const std::vector<OrderKey>& order_by, const std::vector<Value>& left,
                                  const std::vector<Value>& right) {
  for (size_t i = 0; i < order_by.size(); ++i) {
    const std::strong_ordering ordering = compare_ordered(left[i], right[i], order_by[i].order);
    if (ordering != 0) {
      return ordering;
    }
  }
  return std::strong_ordering::equal;
}

Error answer_too_large() {
  return rejected("54000", fmt::format("the answer is larger than {} MiB", kAnswerBytesMax >> 20),
                  "ask for fewer rows or columns, or add a LIMIT");
}

struct AnswerMerger::State {
  explicit State(const Schema& schema, const Selection& selection)
      : plan(make_plan(schema, selection)),
        merge(selection.is_aggregated      ? make_group_merge(plan)
              : selection.order_by.empty() ? make_concatenation(plan)
                                           : make_sorted_merge(plan)) {}

  MergePlan plan;
  std::unique_ptr<Merge> merge;
};

AnswerMerger::AnswerMerger(const Schema& schema, const Selection& selection)
    : state_(std::make_unique<State>(schema, selection)) {}

AnswerMerger::~AnswerMerger() = default;

Result<void> AnswerMerger::add(uint32_t part, std::string_view rows) {
  PackedRows split(rows);
  while (true) {
    const Result<std::optional<std::string_view>> row = split.next();
    if (!row) {
      return row.error();
    }
    if (!row->has_value()) {
      return {};
    }
    if (const Result<void> added = state_->merge->add(part, **row); !added) {
      return added;
    }
  }
}

Result<MergedRows> AnswerMerger::finish_partial() { return state_->merge->finish(false); }

Result<MergedRows> AnswerMerger::finish_final() { return state_->merge->finish(true); }

}  // namespace daedalus::semantics

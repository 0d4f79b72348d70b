#include "daedalus/semantics/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "answer_merge.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/base/fifo.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_walk.hpp"

namespace daedalus::semantics {

namespace {

void plan_groups(const Grouping& grouping, MergePlan& plan) {
  plan.own_keys = static_cast<uint32_t>(grouping.keys.size());
  if (grouping.has_sets()) {
    plan.sets = group_sets(grouping);
    plan.lists = grouping.lists;
    plan.first_key = 1;
    plan.list_values = static_cast<uint32_t>(grouping.list_values.size());
  }
  uint32_t first = plan.key_count() + plan.list_values;
  for (const BoundAggregate& aggregate : grouping.aggregates) {
    MergeAggregate& made = plan.aggregates.emplace_back();
    made.function = aggregate.function;
    made.argument = aggregate.argument_type();
    made.first_partial = first;
    made.partial_count = static_cast<uint32_t>(state_types(aggregate).size());
    made.list = aggregate.values;
    for (const BoundExpression& key : aggregate.more) {
      const auto place = std::find(grouping.keys.begin(), grouping.keys.end(), key);
      made.keys.push_back(static_cast<uint32_t>(place - grouping.keys.begin()));
    }
    first += made.partial_count;
  }
}

}  // namespace

MergePlan make_plan(const Selection& selection, AnswerForm form, AnswerLimit limit) {
  MergePlan plan;
  plan.form = form;
  plan.limit = limit;
  if (can_stream(selection)) {
    return plan;  // Nobody looks at rows that pass as they come.
  }
  plan.order_by = selection.order_by;
  plan.partial_types = partial_row_types(selection);
  for (const OutputColumn& output : selection.outputs) {
    plan.outputs.push_back(output.expression);
  }
  plan.having = selection.having;
  for (uint32_t i = 0; i < selection.visible_outputs; ++i) {
    plan.final_types.push_back(plan.outputs[i].type);
  }
  if (selection.grouping) {
    plan_groups(*selection.grouping, plan);
  }
  const uint64_t rows_limit = selection.limit.value_or(UINT64_MAX);
  plan.rows_wanted = rows_limit > UINT64_MAX - selection.offset ? UINT64_MAX : rows_limit + selection.offset;
  plan.rows_skipped = form == AnswerForm::kFinal ? selection.offset : 0;
  plan.ties_by = selection.ties_by;
  plan.distinct_by = selection.distinct_by;
  return plan;
}

namespace {

std::string text_of(uint64_t bytes) {
  constexpr uint64_t kMib = 1u << 20;
  return bytes % kMib == 0 ? fmt::format("{} MiB", bytes / kMib) : fmt::format("{} bytes", bytes);
}

}  // namespace

Error answer_too_large(const AnswerLimit& limit) {
  return rejected("54000",
                  fmt::format("the answer is larger than answer_mib of {}: {}", limit.whose, text_of(limit.bytes_max)),
                  "aggregate, restrict the rows or fetch fewer columns; without ORDER BY, GROUP BY and LIMIT an answer "
                  "has no bound, and `daedalus export` takes a whole table out; the setting answer_mib (`daedalus up "
                  "--answer-mib`; docs/configuration.md) may be up to "
                  "answer_memory_mib");
}

Error answer_takes_too_much_memory(const AnswerLimit& limit) {
  return rejected("54000",
                  fmt::format("the groups and rows of this answer alone take more than answer_memory_mib of {} allows "
                              "one answer: {}",
                              limit.whose, text_of(limit.bytes_max)),
                  "restrict the rows or group by fewer columns; docs/configuration.md says how to raise the setting");
}

Result<void> check_shape(const MergePlan& plan, std::string_view row) {
  const WalkEnd end = walk_packed_row(
      plan.partial_types.size(), row, [&](size_t column) -> const Type& { return plan.partial_types[column]; },
      [](size_t, bool, std::string_view) { return true; });
  return end == WalkEnd::kComplete ? Result<void>() : Result<void>(malformed_row(end));
}

namespace {

std::unique_ptr<Merge> make_merge(const Selection& selection, const MergePlan& plan) {
  if (selection.grouping) {
    return make_group_merge(plan);
  }
  if (!selection.order_by.empty()) {
    return make_sorted_merge(plan);
  }
  return can_stream(selection) ? make_passage(plan) : make_concatenation(plan);
}

}  // namespace

namespace {

/// Rows of one part that nobody has looked at.
struct Pending {
  uint32_t part = 0;
  MergedRows rows;
};

}  // namespace

struct AnswerMerger::State {
  State(const Selection& selection, AnswerForm form, AnswerLimit limit)
      : plan(make_plan(selection, form, limit)), merge(make_merge(selection, plan)), writer(limit) {}

  [[nodiscard]] Result<void> take_pending(WorkBudget& budget);
  [[nodiscard]] bool may_produce() const { return !is_finished && (merge->is_streaming() || has_ended); }
  /// Says whether the next rows are a message as they are.
  [[nodiscard]] bool may_pass(size_t message_bytes_max) {
    return merge->is_streaming() && merge->memory_bytes() == 0 && block == nullptr && !pending.empty() &&
           pending.front().rows.rows.size() <= message_bytes_max;
  }
  [[nodiscard]] Result<MergedRows> pass(WorkBudget& budget);

  MergePlan plan;
  std::unique_ptr<Merge> merge;
  Fifo<Pending> pending;
  RowsBlockPtr block;  ///< Being looked at; counts as pending.
  uint64_t pending_bytes = 0;
  uint64_t pending_memory = 0;
  AnswerWriter writer;
  bool has_ended = false;
  bool is_exhausted = true;  ///< A merge that streams has put out all it was given.
  bool is_finished = false;
};

AnswerMerger::AnswerMerger(const Selection& selection, AnswerForm form, AnswerLimit limit)
    : state_(std::make_unique<State>(selection, form, limit)) {}

AnswerMerger::~AnswerMerger() = default;

bool AnswerMerger::may_restart() const { return state_->merge->is_streaming() && memory_bytes() == 0; }

void AnswerMerger::restart() {
  CHECK(may_restart());
  state_->writer = AnswerWriter(state_->plan.limit);
  state_->merge->restart();
  state_->has_ended = false;
  state_->is_exhausted = true;
  state_->is_finished = false;
}

Result<void> AnswerMerger::add(uint32_t part, MergedRows rows) {
  CHECK(!state_->has_ended);
  if (rows.rows.empty()) {
    return {};
  }
  if (state_->pending_bytes + rows.rows.size() > state_->plan.limit.bytes_max) {
    return answer_too_large(state_->plan.limit);
  }
  state_->pending_bytes += rows.rows.size();
  state_->pending_memory += rows.rows.capacity();
  state_->pending.push_back({part, std::move(rows)});
  state_->is_exhausted = false;
  return {};
}

void AnswerMerger::end_parts() { state_->has_ended = true; }

Result<void> AnswerMerger::State::take_pending(WorkBudget& budget) {
  while ((block != nullptr || !pending.empty()) && !budget.is_spent()) {
    if (block == nullptr) {
      Pending next = pending.take_front();
      block = std::make_unique<RowsBlock>(next.part, std::move(next.rows.rows), next.rows.row_count);
    }
    const uint64_t bytes = block->bytes();
    const uint64_t memory = block->memory_bytes();
    const Result<bool> is_taken = merge->take(block, budget);
    if (!is_taken) {
      return is_taken.error();
    }
    if (*is_taken) {
      block.reset();
      pending_bytes -= bytes;
      pending_memory -= memory;
    }
  }
  return {};
}

Result<MergedRows> AnswerMerger::State::pass(WorkBudget& budget) {
  MergedRows rows = pending.take_front().rows;
  pending_bytes -= rows.rows.size();
  pending_memory -= rows.rows.capacity();
  budget.spend(1);
  if (const Result<void> appended = writer.append_rows(std::move(rows.rows), rows.row_count); !appended) {
    return appended.error();
  }
  is_exhausted = pending.empty();
  is_finished = is_exhausted && has_ended;
  return writer.take();
}

Result<MergedRows> AnswerMerger::step(WorkBudget& budget, size_t message_bytes_max) {
  State& state = *state_;
  if (!budget.is_spent() && state.may_pass(message_bytes_max)) {
    return state.pass(budget);
  }
  if (const Result<void> taken = state.take_pending(budget); !taken) {
    return taken.error();
  }
  if (budget.is_spent() || !state.may_produce()) {
    return MergedRows{};
  }
  state.writer.begin(message_bytes_max);
  const Result<bool> is_all = state.merge->produce(budget, state.writer);
  if (!is_all) {
    return is_all.error();
  }
  state.is_exhausted = *is_all;
  state.is_finished = *is_all && state.has_ended;
  // A message goes out when it is full, or nothing more belongs into it; rows that pass as they come do not wait.
  const bool is_complete = *is_all || state.writer.is_full() || state.merge->is_streaming();
  return is_complete ? state.writer.take() : MergedRows{};
}

bool AnswerMerger::has_work() const {
  const State& state = *state_;
  return !state.pending.empty() || state.block != nullptr ||
         (state.has_ended ? !state.is_finished : state.may_produce() && !state.is_exhausted);
}

bool AnswerMerger::is_finished() const { return state_->is_finished; }

uint64_t AnswerMerger::memory_bytes() const { return state_->pending_memory + state_->merge->memory_bytes(); }

bool AnswerMerger::drop(WorkBudget& budget) {
  State& state = *state_;
  if (state.block != nullptr && !budget.is_spent()) {
    budget.spend(page_units(state.block->memory_bytes()));
    state.pending_memory -= state.block->memory_bytes();
    state.block.reset();
  }
  while (!state.pending.empty() && !budget.is_spent()) {
    const uint64_t memory = state.pending.front().rows.rows.capacity();
    budget.spend(page_units(memory));
    state.pending_memory -= memory;
    state.pending.pop_front();
  }
  return state.block == nullptr && state.pending.empty() && state.merge->drop(budget);
}

Result<MergedRows> merge_all(AnswerMerger& merger) {
  merger.end_parts();
  MergedRows all;
  while (!merger.is_finished()) {
    WorkBudget budget = WorkBudget::unbounded();
    Result<MergedRows> rows = merger.step(budget, kAnswerBytesMax);
    if (!rows) {
      return rows.error();
    }
    all.row_count += rows->row_count;
    all.rows = all.rows.empty() ? std::move(rows->rows) : all.rows + rows->rows;
  }
  return all;
}

}  // namespace daedalus::semantics

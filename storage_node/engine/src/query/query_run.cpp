#include "query_run.hpp"

#include <algorithm>

#include "branches.hpp"

namespace daedalus::engine {
namespace {

/// An ORDER BY with a LIMIT up to this keeps only the slots that may be in the answer; beyond, all rows are collected.
constexpr uint64_t kTopRowsMax = 1u << 16;

/// A value that a query asks an index for takes so much there at most: up to four places of sixteen bytes in the table
/// by hash, and what lists it before.
constexpr size_t kEntryBytes = 96;
/// A computed condition is looked at for whole batches where at least one of so many rows is wanted.
constexpr uint32_t kWholeBatchFactor = 8;
/// Rows that are tested at once and not kept until there are more.
constexpr uint32_t kBatchMin = 128;
/// So many are not worth counting.
constexpr uint32_t kFewEntries = 16;
/// A larger bound bounds nothing. Some times as much is still a number.
constexpr uint64_t kPieceBytesMax = UINT64_MAX / 4;

/// Rows that LIMIT and OFFSET let through, at most, ties of the last one not counted. How many of them are distinct is
/// not known before they are sorted.
uint64_t rows_wanted(const semantics::Selection& selection) {
  if (selection.distinct_by > 0 && selection.limit != 0) {
    return UINT64_MAX;
  }
  if (!selection.limit.has_value() || *selection.limit > UINT64_MAX - selection.offset) {
    return UINT64_MAX;
  }
  return *selection.limit == 0 ? 0 : *selection.limit + selection.offset;
}

bool is_ordered_by_columns(const semantics::Selection& selection) {
  return std::all_of(selection.order_by.begin(), selection.order_by.end(), [&](const semantics::OrderKey& key) {
    return selection.outputs[key.output].expression.is_input();
  });
}

/// Returns from how many bytes of rows on the answer ends behind a slot; UINT64_MAX: it is whole.
uint64_t piece_bytes_of(const Query& query) {
  DCHECK(query.piece_bytes == 0 || (semantics::can_stream(*query.selection) && !query.selection->slice));
  if (const auto& slice = query.selection->slice) {
    return std::min(slice->answer_bytes, kPieceBytesMax);
  }
  return query.piece_bytes == 0 ? UINT64_MAX : std::min(query.piece_bytes, kPieceBytesMax);
}

/// Returns whether there is something to be computed of its rows.
bool is_computing(const semantics::Selection& selection) {
  const auto is_computed = [](const semantics::BoundExpression& expression) { return !expression.is_input(); };
  if (!selection.residuals.empty()) {
    return true;
  }
  if (!selection.grouping) {
    return std::any_of(selection.outputs.begin(), selection.outputs.end(),
                       [&](const semantics::OutputColumn& output) { return is_computed(output.expression); });
  }
  const semantics::Grouping& grouping = *selection.grouping;
  return std::any_of(grouping.keys.begin(), grouping.keys.end(), is_computed) ||
         std::any_of(grouping.list_values.begin(), grouping.list_values.end(), is_computed) ||
         std::any_of(grouping.aggregates.begin(), grouping.aggregates.end(),
                     [&](const auto& aggregate) { return aggregate.argument && is_computed(*aggregate.argument); });
}

}  // namespace

QueryRun::QueryRun(const TableLayout& layout, const ChunkStore& store, Query query, uint32_t number, AnswerFlow& flow,
                   CycleShared& shared)
    : store_(&store),
      query_(std::move(query)),
      predicate_(layout, query_.predicate(), &shared.memory),
      number_(number),
      waits_until_(query_.deadline),
      flow_(&flow),
      recent_(&shared.recent),
      piece_bytes_(piece_bytes_of(query_)) {
  const semantics::Selection& selection = *query_.selection;
  if (is_computing(selection)) {
    time_ = std::make_unique<ComputeTime>(ComputeTime{0, flow.compute.allowed(query_.compute_ns_max)});
  }
  if (selection.grouping) {
    aggregation_ = std::make_shared<SharedAggregation>(
        SetAggregation(layout, store, query_, flow.answer_bytes_max, shared.groupings));
  } else {
    const uint64_t wanted = rows_wanted(selection);
    if (selection.order_by.empty()) {
      rows_max_ = wanted;
    } else if (wanted > 0 && wanted <= kTopRowsMax && is_ordered_by_columns(selection)) {
      mark_branch(Branch::kTopRows);
      top_.emplace(layout, store, selection, static_cast<uint32_t>(wanted), flow.memory);
    } else if (wanted > 0 && wanted <= kTopRowsMax) {
      computed_top_ = std::make_unique<ComputedTopRows>(layout, store, selection, static_cast<uint32_t>(wanted),
                                                        flow.memory, flow.deadline_check);
    }
    active_ = wanted > 0;
    encoder_.emplace(layout, shared.outputs.of(selection), flow);
  }
  if (!selection.residuals.empty()) {
    residual_ =
        std::make_unique<ResidualFilter>(layout, selection.residuals, shared.groupings.expressions(), shared.sketches);
  }
  if (selection.slice.has_value()) {
    slice_ = std::make_unique<SliceRun>(SliceRun{.first_slot = selection.slice->first_slot});
  }
  active_ = active_ && !predicate_.is_never();
  check_aborted();
  if (!active_) {
    become_ready();
  }
}

size_t QueryRun::entry_bytes() const {
  const size_t entries =
      predicate_.clause_constants_max() > kFewEntries ? predicate_.clause_constants_max() * kEntryBytes : 0;
  const size_t gathered = entries > 0 || predicate_.joined_literals() > 0 ? store_->chunk_rows() / 8 : 0;
  return entries + gathered;
}

void QueryRun::check_aborted() {
  if (error_.has_value()) {
    return;
  }
  if (query_.aborted != nullptr && query_.aborted->load(std::memory_order_relaxed)) {
    fail(aborted_error());
  } else if (query_.deadline <= flow_->now) {
    fail(late_error());
  }
}

bool QueryRun::is_twin_of(const QueryRun& other) const {
  const semantics::Selection& mine = *query_.selection;
  const semantics::Selection& theirs = *other.query_.selection;
  return moment_ == other.moment_ && mine.grouping == theirs.grouping && condition() == other.condition() &&
         mine.residuals == theirs.residuals;
}

void QueryRun::follow(QueryRun& first) {
  aggregation_ = first.aggregation_;
  residual_.reset();
  needs_plan_ = false;
  first.has_followers_ = true;
  first.waits_until_ = std::max(first.waits_until_, query_.deadline);
  if (time_ != nullptr) {
    first.time_->allowed_ns = std::max(first.time_->allowed_ns, time_->allowed_ns);
  }
}

DeadlineCheck::Work QueryRun::work_for_client() {
  // Whose client has gone takes rows for others, in nobody's name.
  flow_->memory.work_for(error_.has_value() ? ByteBudget::kNobody : raw(query_.handle));
  return {flow_->deadline_check, waits_until_, has_followers_ ? nullptr : query_.aborted.get(), time_.get()};
}

void QueryRun::become_ready() {
  if (!is_ready_) {
    is_ready_ = true;
    flow_->ready.push_back(number_);
  }
}

void QueryRun::fail(Error error) {
  if (!error_.has_value()) {
    error_ = std::move(error);
  }
  if (has_followers_ && active_) {
    return become_ready();
  }
  // Its memory is for others, at once.
  if (encoder_.has_value()) {
    static_cast<void>(encoder_->take());
  }
  aggregation_.reset();
  top_.reset();
  computed_top_.reset();
  flow_->memory.end_of(raw(query_.handle));
  active_ = false;
  become_ready();
}

void QueryRun::fail_all(Error error) {
  if (aggregation_ != nullptr) {
    aggregation_->error = error;
  }
  has_followers_ = false;
  fail(std::move(error));
}

void QueryRun::take(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches) {
  const DeadlineCheck::Work work = work_for_client();
  if (!store_->is_recent(chunk)) {
    return take_rows(chunk, rows, row_count, sketches);
  }
  if (const auto seen = recent_->seen(moment_, slots(), {rows, row_count}); !seen.empty()) {
    take_rows(chunk, seen.data(), static_cast<uint32_t>(seen.size()), sketches);
  }
}

void QueryRun::take_rows(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches) {
  if (residual_ == nullptr) {
    take_tested(chunk, rows, row_count, sketches);
    return;
  }
  for (uint32_t position = 0; position < row_count && active_; ++position) {
    if (!residual_->has_room(chunk)) {
      take_waiting();
    }
    residual_->add(chunk, rows[position]);
  }
  // Many make a batch: with those of the next chunk, what queries share would be asked for this one and that in turn.
  if (row_count >= kBatchMin && active_ && !residual_->is_empty()) {
    take_waiting();
  }
}

void QueryRun::take_waiting() {
  const Result<ResidualFilter::Rows> tested = residual_->take(*store_);
  if (!tested) {
    fail_all(tested.error());
    return;
  }
  if (!tested->rows.empty()) {
    take_tested(tested->chunk, tested->rows.data(), static_cast<uint32_t>(tested->rows.size()), {});
  }
}

void QueryRun::take_tested(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches) {
  if (aggregation_ != nullptr) {
    if (Result<void> taken = aggregation_->sets.take(chunk, rows, row_count); !taken) {
      fail_all(taken.error());
    }
    return;
  }
  if (top_.has_value()) {
    if (!top_->take(chunk, rows, row_count)) {
      fail_all(flow_->memory.refusal());
    }
    return;
  }
  if (computed_top_ != nullptr) {
    if (Result<void> taken = computed_top_->take(chunk, rows, row_count); !taken) {
      fail_all(taken.error());
    }
    return;
  }
  if (slice_ != nullptr || may_exceed(piece_bytes_, row_count)) {
    take_of_slice(chunk, rows, row_count, sketches);
    return;
  }
  take_encoded(chunk, rows, row_count, sketches);
}

void QueryRun::take_selection(uint32_t chunk, const uint64_t* selection) {
  const DeadlineCheck::Work work = work_for_client();
  if (store_->is_recent(chunk)) {
    selection = recent_->seen(moment_, slots(), selection, store_->view(chunk).word_count());
  }
  residual_ == nullptr ? take_marked(chunk, selection) : take_narrowed(chunk, selection);
}

void QueryRun::take_narrowed(uint32_t chunk, const uint64_t* selection) {
  const ChunkView view = store_->view(chunk);
  if (count_bits(selection, view.word_count()) * kWholeBatchFactor < view.row_count) {
    listed_.resize(view.row_count);
    const uint32_t count = list_rows(selection, view.word_count(), listed_.data());
    return take_rows(chunk, listed_.data(), count, {});
  }
  if (!residual_->is_empty()) {
    take_waiting();  // They are of a chunk before.
  }
  if (!active_) {
    return;
  }
  const Result<std::span<uint64_t>> narrowed = residual_->narrow(*store_, chunk, selection);
  if (!narrowed) {
    return fail_all(narrowed.error());
  }
  if (aggregation_ != nullptr || top_.has_value()) {
    return take_marked(chunk, narrowed->data());
  }
  listed_.resize(view.row_count);
  if (const uint32_t count = list_rows(narrowed->data(), view.word_count(), listed_.data()); count > 0) {
    take_tested(chunk, listed_.data(), count, {});
  }
}

void QueryRun::take_marked(uint32_t chunk, const uint64_t* selection) {
  if (top_.has_value()) {
    if (!top_->take_selection(chunk, selection)) {
      fail_all(flow_->memory.refusal());
    }
    return;
  }
  if (Result<void> taken = aggregation_->sets.take_selection(chunk, selection); !taken) {
    fail_all(taken.error());
  }
}

void QueryRun::take_encoded(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches) {
  const ChunkView view = store_->view(chunk);
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(row_count, rows_max_ - encoder_->row_count()));
  const Result<RowEncoder::Appended> appended =
      encoder_->append({.chunk = &view, .rows = rows, .count = count}, sketches);
  if (!appended) {
    return fail_all(appended.error());
  }
  switch (*appended) {
    case RowEncoder::Appended::kTooLarge:
      return fail_all(semantics::answer_too_large({flow_->answer_bytes_max, flow_->answer_owner}));
    case RowEncoder::Appended::kNoMemory:
      return fail_all(flow_->memory.refusal());
    case RowEncoder::Appended::kFine:
      break;
  }
  if (encoder_->row_count() >= rows_max_) {
    mark_branch(Branch::kEnoughRows);
    active_ = false;
    become_ready();
  } else if (encoder_->waiting_bytes() >= flow_->part_bytes) {
    become_ready();
  }
}

void QueryRun::take_slots(const std::vector<uint32_t>& slots) {
  std::vector<uint32_t> rows;
  for (auto slot = slots.begin(); slot != slots.end() && !error_.has_value();) {
    const uint32_t chunk = *slot / store_->chunk_rows();
    rows.clear();
    for (; slot != slots.end() && *slot / store_->chunk_rows() == chunk; ++slot) {
      rows.push_back(*slot % store_->chunk_rows());
    }
    take_encoded(chunk, rows.data(), static_cast<uint32_t>(rows.size()), {});
  }
}

QueryOutput QueryRun::take_part(Timestamp prefix) {
  DCHECK(active_ && is_ready_);
  is_ready_ = false;
  AnswerRows rows = encoder_->take();
  return {.handle = query_.handle,
          .prefix = query_.at.value_or(prefix),
          .rows = std::move(rows.bytes),
          .row_count = rows.count,
          .is_last = false,
          .lease = std::move(rows.lease)};
}

Result<AnswerRows> QueryRun::finish_rows() {
  const DeadlineCheck::Work work = work_for_client();
  if (aggregation_ != nullptr) {
    return aggregation_->error ? Result<AnswerRows>(*aggregation_->error) : aggregation_->sets.finish();
  }
  if (top_.has_value() || computed_top_ != nullptr) {
    const std::vector<uint32_t> slots = top_.has_value() ? top_->finish() : computed_top_->finish();
    top_.reset();
    computed_top_.reset();
    take_slots(slots);
    if (error_.has_value()) {
      return *error_;
    }
  }
  return encoder_->take();
}

QueryOutput QueryRun::finish(Timestamp prefix) {
  is_finished_ = true;
  active_ = active_ && has_followers_ && error_.has_value();  // It goes on for them.
  QueryOutput output{.handle = query_.handle, .prefix = query_.at.value_or(prefix)};
  if (!error_.has_value()) {
    Result<AnswerRows> rows = finish_rows();
    flow_->memory.end_of(raw(query_.handle));
    aggregation_.reset();
    if (rows) {
      output.next_slot = slice_ != nullptr ? slice_->next_slot : std::nullopt;
      output.rows = std::move(rows->bytes);
      output.row_count = rows->count;
      output.lease = std::move(rows->lease);
      return output;
    }
    error_ = rows.error();
  }
  output.error = error_;
  return output;
}

}  // namespace daedalus::engine

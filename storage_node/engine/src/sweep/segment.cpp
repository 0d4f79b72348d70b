#include "daedalus/engine/segment.hpp"

#include <algorithm>

#include "admission_fetch.hpp"
#include "answer_flow.hpp"
#include "checkpoint_round.hpp"
#include "chunk_loader.hpp"
#include "cycle.hpp"
#include "old_queries.hpp"
#include "ring.hpp"
#include "share_control.hpp"
#include "trim_limit.hpp"

namespace daedalus::engine {
namespace {

/// A figure written by one thread and read by any, for statistics only.
using Counter = std::atomic<uint64_t>;

uint64_t read(const Counter& figure) { return figure.load(std::memory_order_relaxed); }
void write(Counter& figure, uint64_t value) { figure.store(value, std::memory_order_relaxed); }

ChunkShape shape_for(const TableLayout& layout, const SegmentOptions& options) {
  if (options.chunk_rows != 0) {
    return shape_of(layout, options.chunk_rows, options.memory_bytes);
  }
  const std::optional<ChunkShape> shape = shape_within(layout, options.memory_bytes);
  CHECK(shape.has_value());  // Whoever makes a segment asks segment_shape() first.
  return *shape;
}

}  // namespace

struct Segment::State {
  State(const semantics::Schema& schema, semantics::RowCodec codec, const SegmentOptions& segment_options)
      : options(segment_options),
        layout(schema, codec),
        store(layout, shape_for(layout, options)),
        outlet(options.operations_in_flight_max, options.answer_parts_max),
        flow(options),
        checkpoint(layout, store, options),
        cycle(layout, store, options, flow, outlet, checkpoint),
        operations(options.operations_in_flight_max),
        share(options.share_factor_max, options.cycle_ns_target) {
    CHECK(options.share_factor_max > 0 && options.updates_per_cycle_max > 0);
    CHECK(options.answer_parts_max > 0 && options.answer_part_bytes > 0);
  }

  bool enqueue(Operation operation, std::atomic<uint32_t>& waiting);
  void admit();
  void admit(Query query);
  /// Takes what may ride the next cycle from the operations; queries at old moments are set aside.
  void admit_operations();
  void note_window();
  [[nodiscard]] ChunkLoader& begin_load();

  const SegmentOptions options;
  const TableLayout layout;
  ChunkStore store;
  Outlet outlet;
  AnswerFlow flow;
  CheckpointRound checkpoint;
  Cycle cycle;
  SpscRing<Operation> operations;
  std::optional<ChunkLoader> loader;  ///< From the first chunk that is loaded to the end of loading.
  bool has_allocator = false;         ///< It was loaded.
  ShareControl share;                 ///< The scanner's, as is the next.
  uint32_t queries_in_cycle = 0;      ///< Admitted to the last cycle.
  Timestamp enqueued{};               ///< The last update that the producer enqueued.
  Timestamp applied{};                ///< The scanner's.
  TrimLimit trim_limit;
  OldQueries old_queries;
  std::atomic<bool> have_old_queries{false};  ///< Some wait; written by the scanner.

  std::atomic<bool> is_sweeping{false};  ///< A cycle has begun and not ended; written by the scanner.
  std::atomic<uint32_t> in_flight{0};    ///< Enqueued and not yet dequeued.
  std::atomic<uint32_t> waiting_queries{0};
  std::atomic<uint32_t> waiting_updates{0};
  Counter rows{0};
  Counter window_bytes{0};
  Counter window_from{0};
  Counter prefix{0};
  Counter cycles{0};
  Counter cycle_ns_last{0};
  Counter cycle_ns_max{0};
  std::array<Counter, kCycleBuckets> cycle_counts{};
  Counter cycles_late{0};
  MemoryPlacement placement;  ///< Read by others only once has_placement is set.
  std::atomic<bool> has_placement{false};
};

bool Segment::State::enqueue(Operation operation, std::atomic<uint32_t>& waiting) {
  // Acquire: what the consumer did to the ring of outputs is known to the scanner through this operation.
  if (in_flight.load(std::memory_order_acquire) >= options.operations_in_flight_max) {
    return false;
  }
  in_flight.fetch_add(1, std::memory_order_relaxed);
  waiting.fetch_add(1, std::memory_order_relaxed);
  CHECK(operations.push(std::move(operation)));
  trim_limit.on_enqueue();
  return true;
}

void Segment::State::admit(Query query) {
  cycle.admit(std::move(query));
  waiting_queries.fetch_sub(1, std::memory_order_relaxed);
}

void Segment::State::admit_operations() {
  for (Operation* operation = operations.front(); operation != nullptr && !cycle.is_full();
       operation = operations.front()) {
    if (auto* query = std::get_if<Query>(operation)) {
      fetch_next(operations);
      if (old_queries.is_old(*query)) {
        old_queries.set_aside(std::move(*query));
      } else if (old_queries.have_turn() || cycle.query_count() >= share.share()) {
        return;
      } else {
        admit(std::move(*query));
      }
    } else {
      if (cycle.update_count() == options.updates_per_cycle_max || !cycle.admit(std::get<Update>(*operation))) {
        return;
      }
      waiting_updates.fetch_sub(1, std::memory_order_relaxed);
    }
    operations.pop();
    trim_limit.on_admit();
  }
}

void Segment::State::admit() {
  admit_operations();
  const bool is_theirs = cycle.query_count() == 0;
  while (is_theirs && !old_queries.is_empty() && !cycle.is_full() && cycle.query_count() < share.share()) {
    admit(old_queries.take());
  }
}

void Segment::State::note_window() {
  const Window& window = cycle.updates().window();
  write(window_bytes, window.bytes());
  write(window_from, raw(std::min(window.oldest(), applied)));
}

Segment::Segment(const semantics::Schema& schema, semantics::RowCodec codec, const SegmentOptions& options)
    : state_(std::make_unique<State>(schema, codec, options)) {}

Segment::~Segment() = default;

bool Segment::enqueue(Query query) {
  CHECK(query.selection != nullptr);
  return state_->enqueue(std::move(query), state_->waiting_queries);
}

bool Segment::enqueue(Update update) {
  const Timestamp timestamp = update.timestamp;
  CHECK(timestamp > state_->enqueued);
  if (!state_->enqueue(std::move(update), state_->waiting_updates)) {
    return false;
  }
  state_->enqueued = timestamp;
  return true;
}

std::optional<Output> Segment::dequeue() {
  std::optional<Output> taken = state_->outlet.take();
  if (taken.has_value()) {
    const auto* answer = std::get_if<QueryOutput>(&*taken);
    if (answer == nullptr || answer->is_last) {
      state_->in_flight.fetch_sub(1, std::memory_order_release);
    }
  }
  return taken;
}

bool Segment::step(Instant now) { return step(now, {}); }

bool Segment::step(Instant now, StepBudget budget) {
  CHECK(budget.chunks_max > 0);
  State& state = *state_;
  state.flow.now = now;
  state.flow.deadline_check.look_at(budget.clock);
  const semantics::EvaluationWatch::Scope watch(state.flow.deadline_check);
  if (!is_mid_cycle()) {
    if (state.operations.is_empty() && state.old_queries.is_empty() && !state.checkpoint.has_work()) {
      return false;
    }
    CHECK(!state.loader.has_value());
    state.trim_limit.begin_cycle();
    state.old_queries.begin_cycle(state.applied, now);
    state.admit();
    state.have_old_queries.store(!state.old_queries.is_empty(), std::memory_order_relaxed);
    state.queries_in_cycle = state.cycle.query_count();
    state.cycle.begin(state.applied);
    state.is_sweeping.store(true, std::memory_order_relaxed);
  }
  if (state.cycle.sweep(budget.chunks_max)) {
    // Figures first: who has seen an output sees what it did to them.
    write(state.rows, state.cycle.live_rows());
    write(state.cycles, read(state.cycles) + 1);
    state.applied = state.cycle.prefix();
    write(state.prefix, raw(state.applied));
    state.note_window();
    state.cycle.finish();
    if (const std::optional<Timestamp> moment = state.trim_limit.end_cycle()) {
      state.cycle.trim_window(std::min(*moment, state.old_queries.lowest().value_or(*moment)));
      state.note_window();
    }
    state.is_sweeping.store(false, std::memory_order_relaxed);
  }
  return true;
}

bool Segment::is_mid_cycle() const { return state_->is_sweeping.load(std::memory_order_relaxed); }

uint64_t Segment::outputs_put() const { return state_->outlet.put_count(); }

void Segment::keep_from(Timestamp moment) { state_->trim_limit.keep_from(moment); }

bool Segment::begin_checkpoint() { return state_->checkpoint.begin(); }

ChunkLoader& Segment::State::begin_load() {
  CHECK(read(cycles) == 0 && !is_sweeping.load(std::memory_order_relaxed));
  if (!loader.has_value()) {
    loader.emplace(layout, store);
  }
  return *loader;
}

Result<void> Segment::load_chunk(const ChunkImage& image) {
  Result<void> loaded = state_->begin_load().load(image);
  if (loaded) {
    state_->cycle.updates().on_load(image.chunk);
  }
  return loaded;
}

Result<void> Segment::load_allocator(const AllocatorImage& image) {
  static_cast<void>(state_->begin_load());
  Result<void> loaded = state_->cycle.updates().load(image);
  state_->has_allocator = static_cast<bool>(loaded);
  return loaded;
}

Result<void> Segment::finish_restore(std::optional<Timestamp> begins_after) {
  State& state = *state_;
  const auto incomplete = [](std::string what) {
    return Error{ErrorCategory::kFatal, "XX001", std::move(what), "Restore from another checkpoint.", 0};
  };
  const ChunkLoader& loader = state.begin_load();
  if (const std::optional<uint32_t> missing = loader.missing()) {
    return incomplete("the checkpoint lacks chunk " + std::to_string(*missing) + " of " +
                      std::to_string(state.store.chunk_count()));
  }
  if (!state.has_allocator) {
    return incomplete("the checkpoint lacks the list of free slots");
  }
  const auto [lowest, highest] = std::minmax_element(loader.prefixes().begin(), loader.prefixes().end());
  if (*highest > state.cycle.updates().known_through()) {
    return incomplete("a chunk of the checkpoint has update " + std::to_string(raw(*highest)) +
                      ", its list of free slots ends at " + std::to_string(raw(state.cycle.updates().known_through())));
  }
  const Timestamp begin = begins_after.value_or(*lowest);
  CHECK(begin <= *lowest);
  state.applied = begin;
  state.enqueued = begin;
  write(state.prefix, raw(begin));
  write(state.rows, state.cycle.live_rows());
  state.cycle.updates().begin_replay(loader.prefixes());
  state.note_window();
  state.loader.reset();
  return {};
}

void Segment::settle_memory(std::optional<uint32_t> core) {
  State& state = *state_;
  CHECK(!state.has_placement.load(std::memory_order_relaxed));
  state.placement = state.store.settle_memory(core.has_value() ? numa_node_of_core(*core) : std::nullopt);
  state.has_placement.store(true, std::memory_order_release);
}

void Segment::record_cycle_ns(uint64_t duration_ns) {
  write(state_->cycle_ns_last, duration_ns);
  write(state_->cycle_ns_max, std::max(read(state_->cycle_ns_max), duration_ns));
  Counter& alike = state_->cycle_counts[cycle_bucket(duration_ns)];
  write(alike, read(alike) + 1);
  write(state_->cycles_late, read(state_->cycles_late) + (state_->share.is_late(duration_ns) ? 1 : 0));
  state_->share.on_cycle(state_->queries_in_cycle, duration_ns);
}

bool Segment::has_work() const {
  return !state_->operations.is_empty() || state_->have_old_queries.load(std::memory_order_relaxed) || is_mid_cycle() ||
         state_->checkpoint.has_work();
}

SegmentStatistics Segment::statistics() const {
  const State& state = *state_;
  std::array<uint64_t, kCycleBuckets> cycle_counts{};
  std::transform(state.cycle_counts.begin(), state.cycle_counts.end(), cycle_counts.begin(), read);
  return {.rows = read(state.rows),
          .rows_max = state.store.slot_count(),
          .chunk_rows = state.store.chunk_rows(),
          .memory_bytes = state.store.memory_bytes(),
          .window_bytes = read(state.window_bytes),
          .window_bytes_max = state.options.window_bytes,
          .window_from = Timestamp{read(state.window_from)},
          .row_bytes = state.store.row_bytes(),
          .prefix = Timestamp{read(state.prefix)},
          .cycles = read(state.cycles),
          .cycle_ns_last = read(state.cycle_ns_last),
          .cycle_ns_max = read(state.cycle_ns_max),
          .cycle_counts = cycle_counts,
          .queue_queries = state.waiting_queries.load(std::memory_order_relaxed),
          .queue_updates = state.waiting_updates.load(std::memory_order_relaxed),
          .share_factor_max = state.options.share_factor_max,
          .updates_per_cycle_max = state.options.updates_per_cycle_max,
          .cycle_ns_target = state.options.cycle_ns_target,
          .cycles_late = read(state.cycles_late),
          .placement = state.has_placement.load(std::memory_order_acquire) ? state.placement : MemoryPlacement{}};
}

}  // namespace daedalus::engine

#include "daedalus/engine/segment_thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <thread>

namespace daedalus::engine {
namespace {

/// Chunks between two looks at the clock: deadlines are judged, and outputs announced, about once a millisecond.
constexpr uint32_t kChunksPerStep = 16;

enum class Activity : uint32_t { kAwake, kAsleep };

Instant now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count()};
}

bool pin(std::thread& thread, uint32_t core) {
  if (core >= CPU_SETSIZE) {
    return false;
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  return pthread_setaffinity_np(thread.native_handle(), sizeof cores, &cores) == 0;
}

}  // namespace

struct SegmentThread::State {
  State(Segment& swept, SegmentThreadOptions thread_options) : segment(swept), options(std::move(thread_options)) {}

  void run();
  void sleep();
  void wake();

  Segment& segment;
  const SegmentThreadOptions options;
  std::atomic<bool> stopping{false};
  std::atomic<Activity> activity{Activity::kAwake};
  bool is_pinned = false;
  std::atomic<bool> may_run{false};  ///< Pinned or not, for good.
  std::thread thread;
};

void SegmentThread::State::run() {
  may_run.wait(false, std::memory_order_acquire);
  if (!segment.statistics().placement.is_settled) {
    segment.settle_memory(is_pinned ? options.core : std::nullopt);
  }
  if (options.memory_settled) {
    options.memory_settled();
  }
  Instant cycle_start{};
  uint64_t announced = segment.outputs_put();
  while (!stopping.load(std::memory_order_acquire) || segment.is_mid_cycle()) {
    const Instant start = now();
    if (!segment.is_mid_cycle()) {
      cycle_start = start;
    }
    if (!segment.step(start, {.chunks_max = kChunksPerStep, .clock = now})) {
      sleep();
      continue;
    }
    if (!segment.is_mid_cycle()) {
      segment.record_cycle_ns(static_cast<uint64_t>(now().ns - cycle_start.ns));
    }
    if (announced != segment.outputs_put()) {
      announced = segment.outputs_put();
      if (options.outputs_ready) {
        options.outputs_ready();
      }
    }
  }
}

/// Both sides exchange `activity`, and the exchanges have one order: either the waker sees kAsleep and wakes, or this
/// thread sees, after its own exchange, what was enqueued before the waker's.
void SegmentThread::State::sleep() {
  activity.exchange(Activity::kAsleep, std::memory_order_acq_rel);
  while (!segment.has_work() && !stopping.load(std::memory_order_acquire)) {
    activity.wait(Activity::kAsleep, std::memory_order_acquire);
    if (activity.load(std::memory_order_acquire) == Activity::kAwake) {
      return;
    }
  }
  activity.exchange(Activity::kAwake, std::memory_order_acq_rel);
}

void SegmentThread::State::wake() {
  if (activity.exchange(Activity::kAwake, std::memory_order_acq_rel) == Activity::kAsleep) {
    activity.notify_one();
  }
}

SegmentThread::SegmentThread(Segment& segment, SegmentThreadOptions options)
    : state_(std::make_unique<State>(segment, std::move(options))) {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
  state_->is_pinned = state_->options.core.has_value() && pin(state_->thread, *state_->options.core);
  state_->may_run.store(true, std::memory_order_release);
  state_->may_run.notify_one();
}

SegmentThread::~SegmentThread() {
  state_->stopping.store(true, std::memory_order_release);
  state_->wake();
  state_->thread.join();
}

void SegmentThread::wake() { state_->wake(); }

bool SegmentThread::pinned() const { return state_->is_pinned; }

}  // namespace daedalus::engine

#include "threaded_segments.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace daedalus::node {

namespace {

/// One segment puts out so many in one turn, so that the I/O thread gets back to its sockets.
constexpr uint32_t kOutputsPerTurnMax = 64;

}  // namespace

ThreadedSegments::ThreadedSegments(const semantics::Schema& schema, semantics::RowCodec codec,
                                   const engine::SegmentOptions& options, uint32_t count,
                                   const std::function<engine::CheckpointHook*(uint32_t segment)>& hook_of)
    : slots_(count), settled_(count) {
  engine::SegmentOptions own = options;
  for (uint32_t i = 0; i < count; ++i) {
    own.checkpoint_hook = hook_of(i);
    slots_[i].segment = std::make_unique<engine::Segment>(schema, codec, own);
  }
}

ThreadedSegments::~ThreadedSegments() {
  for (Slot& slot : slots_) {
    slot.thread.reset();
  }
}

void ThreadedSegments::start(const std::vector<uint32_t>& cores, std::function<void()> outputs_ready,
                             MemorySettled memory_settled) {
  outputs_ready_ = std::move(outputs_ready);
  for (size_t i = 0; i < slots_.size(); ++i) {
    engine::SegmentThreadOptions options;
    options.core = cores[i % cores.size()];
    options.outputs_ready = [this] { announce(); };
    options.memory_settled = [this, i, memory_settled] {
      memory_settled(SegmentIndex{static_cast<uint32_t>(i)}, slots_[i].segment->statistics());
      settled_.count_down();
    };
    slots_[i].thread = std::make_unique<engine::SegmentThread>(*slots_[i].segment, std::move(options));
    slots_[i].core = slots_[i].thread->pinned() ? static_cast<int32_t>(cores[i % cores.size()]) : -1;
  }
}

bool ThreadedSegments::enqueue(SegmentIndex segment, engine::Query query) {
  Slot& slot = slots_[raw(segment)];
  slot.has_new_work = true;
  return slot.segment->enqueue(std::move(query));
}

bool ThreadedSegments::enqueue(SegmentIndex segment, engine::Update update) {
  Slot& slot = slots_[raw(segment)];
  slot.has_new_work = true;
  return slot.segment->enqueue(std::move(update));
}

SegmentReport ThreadedSegments::report(SegmentIndex segment) const {
  const Slot& slot = slots_[raw(segment)];
  return SegmentReport{slot.segment->statistics(), slot.core};
}

void ThreadedSegments::begin_checkpoints() {
  for (Slot& slot : slots_) {
    while (!slot.segment->begin_checkpoint()) {
      std::this_thread::yield();  // The cycle that ended the last one is just about to end.
    }
    slot.thread->wake();
  }
}

std::vector<engine::Segment*> ThreadedSegments::all() {
  std::vector<engine::Segment*> segments;
  for (Slot& slot : slots_) {
    segments.push_back(slot.segment.get());
  }
  return segments;
}

void ThreadedSegments::wake_all() {
  for (Slot& slot : slots_) {
    slot.thread->wake();
  }
}

void ThreadedSegments::wake() {
  for (Slot& slot : slots_) {
    if (std::exchange(slot.has_new_work, false)) {
      slot.thread->wake();
    }
  }
}

void ThreadedSegments::drain(const std::function<void(SegmentIndex, engine::Output)>& take) {
  // Cleared first: an output that is missed below is announced anew.
  is_announced_.store(false);
  bool is_more_left = false;
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    uint32_t taken = 0;
    while (taken < kOutputsPerTurnMax) {
      auto output = slots_[i].segment->dequeue();
      if (!output) {
        break;
      }
      take(SegmentIndex{i}, std::move(*output));
      ++taken;
    }
    is_more_left = is_more_left || taken == kOutputsPerTurnMax;
  }
  if (is_more_left) {
    announce();
  }
}

uint32_t ThreadedSegments::unpinned() const {
  return static_cast<uint32_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.core < 0; }));
}

void ThreadedSegments::announce() {
  if (!is_announced_.exchange(true)) {
    outputs_ready_();
  }
}

}  // namespace daedalus::node

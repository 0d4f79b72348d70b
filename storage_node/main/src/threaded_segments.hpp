// The node's real segments: each with its thread, their outputs gathered onto the I/O thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "daedalus/engine/segment_thread.hpp"
#include "daedalus/node/segment_port.hpp"

namespace daedalus::node {

class ThreadedSegments final : public SegmentPort {
 public:
  /// Reserves the memory of `count` segments; no thread runs yet. Throws std::bad_alloc when there is not enough.
  /// `hook_of`: the hook of each for checkpoints, or null.
  ThreadedSegments(const semantics::Schema& schema, semantics::RowCodec codec, const engine::SegmentOptions& options,
                   uint32_t count, const std::function<engine::CheckpointHook*(uint32_t segment)>& hook_of);
  ~ThreadedSegments() override;

  using MemorySettled = std::function<void(SegmentIndex, const engine::SegmentStatistics&)>;
  /// Starts the threads, pinned to `cores` in turn. `outputs_ready` is called from scan threads, and not again until
  /// drain() has begun; `memory_settled` once by each, when its segment's memory is where it stays.
  void start(const std::vector<uint32_t>& cores, std::function<void()> outputs_ready, MemorySettled memory_settled);
  /// Returns when the memory of all segments is where it stays. Blocks for as long as that takes: about 0.3 s a GiB.
  void await_settled() const { settled_.wait(); }

  [[nodiscard]] bool enqueue(SegmentIndex segment, engine::Query query) override;
  [[nodiscard]] bool enqueue(SegmentIndex segment, engine::Update update) override;
  void keep_from(SegmentIndex segment, Timestamp moment) override { slots_[raw(segment)].segment->keep_from(moment); }
  [[nodiscard]] SegmentReport report(SegmentIndex segment) const override;

  /// Begins a checkpoint of each segment. Any thread.
  void begin_checkpoints();
  /// Wakes all threads: a checkpoint can go on. Any thread.
  void wake_all();
  [[nodiscard]] std::vector<engine::Segment*> all();

  /// Wakes the threads that were given work since the last call: what arrives together rides one cycle.
  void wake();
  /// Hands over what the segments have put out. Bounded: what is left calls outputs_ready again.
  void drain(const std::function<void(SegmentIndex, engine::Output)>& take);
  /// How many threads could not be pinned.
  [[nodiscard]] uint32_t unpinned() const;

 private:
  struct Slot {
    std::unique_ptr<engine::Segment> segment;
    std::unique_ptr<engine::SegmentThread> thread;
    int32_t core = -1;
    bool has_new_work = false;
  };

  void announce();

  std::vector<Slot> slots_;
  std::latch settled_;
  std::function<void()> outputs_ready_;
  std::atomic<bool> is_announced_{false};
};

}  // namespace daedalus::node

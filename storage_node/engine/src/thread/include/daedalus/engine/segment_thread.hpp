// The thread that sweeps one segment: pinned to a core, asleep when there is nothing to do.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "daedalus/engine/segment.hpp"

namespace daedalus::engine {

struct SegmentThreadOptions {
  std::optional<uint32_t> core;  ///< Pinned there when it exists; otherwise runs unpinned and says so in pinned().
  /// Called from the scan thread when there are new outputs, during a cycle or at its end; must not block.
  std::function<void()> outputs_ready;
  /// Called once from the scan thread when it has settled the segment's memory (Segment::settle_memory), before the
  /// first cycle.
  std::function<void()> memory_settled;
};

class SegmentThread {
 public:
  /// Starts the thread, which first settles the segment's memory, unless that has been done, near its core. Operations
  /// may be enqueued meanwhile. Precondition: the segment outlives this object and nobody else steps it.
  SegmentThread(Segment& segment, SegmentThreadOptions options);
  /// Finishes the running cycle and joins.
  ~SegmentThread();

  /// Wakes the thread after enqueueing. Cheap when it is awake. Any thread.
  void wake();

  [[nodiscard]] bool pinned() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::engine

// The thread that makes checkpoints: one when the log has grown enough since the last.
//
// Decides when a round begins, how fast it goes, and that it counts only when the log has all that its chunks have.
// Refuses to know what is written: durability::CheckpointWriter does. Scan threads never wait for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "checkpoint_pace.hpp"
#include "daedalus/durability/checkpoint_writer.hpp"
#include "daedalus/durability/chunk_copier.hpp"
#include "daedalus/engine/segment_shape.hpp"
#include "daedalus/node/effects.hpp"
#include "log_thread.hpp"
#include "threaded_segments.hpp"

namespace daedalus::node {

/// Holds what scan threads put chunks into; there before the segments are.
class CheckpointHooks {
 public:
  CheckpointHooks(uint32_t segments, const engine::SegmentShape& shape, uint32_t column_count);

  [[nodiscard]] engine::CheckpointHook* of(uint32_t segment) { return copiers_[segment].get(); }
  [[nodiscard]] std::vector<durability::ChunkCopier*> copiers();
  [[nodiscard]] durability::ChunkBuffers& buffers() { return buffers_; }

 private:
  durability::ChunkBuffers buffers_;
  std::vector<std::unique_ptr<durability::ChunkCopier>> copiers_;
};

class CheckpointThread {
 public:
  struct Options {
    uint64_t log_bytes = 0;            ///< A round begins when the log has so many more than after the last.
    std::optional<uint64_t> restored;  ///< The number of the checkpoint that the segments were loaded from.
  };

  /// All outlive this object.
  CheckpointThread(durability::Disk& disk, CheckpointHooks& hooks, ThreadedSegments& segments, LogThread& log,
                   Options options);
  /// Gives up a round that is under way.
  ~CheckpointThread();
  CheckpointThread(const CheckpointThread&) = delete;
  CheckpointThread& operator=(const CheckpointThread&) = delete;

  /// Learns that nobody will ask any more what came of updates up to here: the log need not know it. Any thread.
  void on_forgotten(Timestamp through) { forgotten_.store(through, std::memory_order_relaxed); }

  /// Returns the lowest stamp of the current checkpoint. Any thread.
  [[nodiscard]] Timestamp lowest() const { return lowest_.load(); }
  [[nodiscard]] uint64_t bytes() const { return bytes_.load(); }

 private:
  void work(const std::stop_token& stop);
  [[nodiscard]] bool is_due() const;
  /// One piece of a round, and the rest that is due after it. False: there was nothing to do.
  [[nodiscard]] bool step(const std::stop_token& stop);
  void make(const std::stop_token& stop);
  [[nodiscard]] bool await_log(Timestamp through, const std::stop_token& stop);
  void tell();
  void pause(std::chrono::nanoseconds duration, const std::stop_token& stop);

  CheckpointHooks& hooks_;
  ThreadedSegments& segments_;
  LogThread& log_;
  Options options_;
  durability::CheckpointWriter writer_;
  CheckpointPace pace_;
  uint64_t log_bytes_after_last_ = 0;
  std::atomic<Timestamp> forgotten_{};
  std::atomic<Timestamp> lowest_{};
  std::atomic<uint64_t> bytes_{0};
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  ///< Last: it uses all of the above.
};

}  // namespace daedalus::node

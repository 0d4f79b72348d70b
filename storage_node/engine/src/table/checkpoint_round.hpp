// Which chunks a checkpoint gets to see, and when.
//
// Decides how far a checkpoint goes in one cycle: a bounded number of chunks, in ascending order, each right after the
// sweep has passed it and its lines are still in the caches, and fewer where nobody takes them. Refuses to know what
// becomes of a chunk.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "chunk_store.hpp"
#include "daedalus/engine/checkpoint.hpp"
#include "daedalus/engine/segment_options.hpp"

namespace daedalus::engine {

class CheckpointRound {
 public:
  CheckpointRound(const TableLayout& layout, const ChunkStore& store, const SegmentOptions& options);

  /// Any thread. False: one is under way, or nobody would see it.
  [[nodiscard]] bool begin();
  /// Any thread. Whether chunks wait to be shown, and somebody would take one.
  [[nodiscard]] bool has_work() const { return under_way_.load(std::memory_order_acquire) && hook_->is_ready(); }

  /// Scanner. A cycle begins.
  void begin_cycle();
  /// Scanner. The next chunk to show in this cycle; chunk_count() when there is none.
  [[nodiscard]] uint32_t next_chunk() const { return left_ > 0 ? next_ : store_->chunk_count(); }
  /// Scanner. Shows next_chunk(), which the sweep has passed and which is now in `prefix`.
  void show(Timestamp prefix);
  /// Scanner. Whether the cycle that ends is the one in which the last chunk was taken: end() is to be called.
  [[nodiscard]] bool has_shown_all() const { return next_ == store_->chunk_count(); }
  void end(const AllocatorImage& image);

 private:
  const ChunkStore* store_;
  size_t plane_count_;
  CheckpointHook* hook_;
  uint32_t chunks_per_cycle_max_;
  std::vector<uint32_t> widths_;
  std::atomic<bool> under_way_{false};
  uint32_t next_ = 0;  ///< Changes before it have been taken.
  uint32_t left_ = 0;  ///< Chunks that this cycle may still show.
};

}  // namespace daedalus::engine

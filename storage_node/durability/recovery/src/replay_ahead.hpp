// A bounded queue between the thread that reads a log and the one that replays it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "daedalus/node/update_placer.hpp"

namespace daedalus::durability {

class ReplayAhead {
 public:
  using Batch = std::vector<node::ReplayedRecord>;

  // ---- the reader's ----
  /// Waits while the queue is full.
  void put(node::ReplayedRecord record);
  /// Nothing comes any more.
  void end();

  // ---- the replayer's ----
  /// What was read since, in order; waits for it. Nothing: all has been taken.
  [[nodiscard]] std::optional<Batch> take();

 private:
  struct Counted {
    Batch records;
    uint64_t bytes = 0;
  };

  void hand_over();

  Counted open_;  ///< The reader's.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Counted> ready_;
  uint64_t ready_bytes_ = 0;
  bool has_ended_ = false;
};

}  // namespace daedalus::durability

// How far the window of a segment may be trimmed.
//
// Decides when nobody needs the moments any more that somebody has said will not be asked for: once all that was
// enqueued before has been answered, since a query keeps its moment however long it waits. Refuses to know what is
// trimmed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "daedalus/base/units.hpp"

namespace daedalus::engine {

class TrimLimit {
 public:
  /// Nothing that is enqueued from now on asks at a lower moment. Any thread.
  void keep_from(Timestamp moment) { keep_from_.store(raw(moment), std::memory_order_release); }
  /// The producer has enqueued an operation.
  void on_enqueue() { enqueued_.fetch_add(1, std::memory_order_release); }

  /// Scanner: a cycle begins, and operations are about to be admitted.
  void begin_cycle() {
    if (!pending_) {
      // In this order: whatever was enqueued before the moment was named is counted.
      const Timestamp moment{keep_from_.load(std::memory_order_acquire)};
      pending_ = Pending{moment, enqueued_.load(std::memory_order_acquire)};
    }
  }
  /// Scanner: an operation was admitted, or was set aside, and whoever trims looks there, too.
  void on_admit() { ++admitted_; }
  /// Scanner: everything that was admitted has been answered. Returns a moment below which nobody will ask, where there
  /// is a new one.
  [[nodiscard]] std::optional<Timestamp> end_cycle() {
    if (!pending_ || admitted_ < pending_->enqueued) {
      return std::nullopt;
    }
    const Timestamp moment = pending_->moment;
    pending_.reset();
    return moment;
  }

 private:
  struct Pending {
    Timestamp moment{};
    uint64_t enqueued = 0;  ///< Counts the operations that may ask at lower ones.
  };

  std::atomic<uint64_t> keep_from_{0};
  std::atomic<uint64_t> enqueued_{0};
  uint64_t admitted_ = 0;  ///< The scanner's, as is the next.
  std::optional<Pending> pending_;
};

}  // namespace daedalus::engine

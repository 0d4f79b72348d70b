// How fast a checkpoint is made: slowly, as long as the log lets it.
//
// Packing takes all of a core while it goes on, and queries want that core. So after each piece of work the thread
// rests nine times as long, and a round takes a tenth of a core. Once the log has grown too much since the round began,
// it is made as fast as it goes: what a restart replays stays bounded.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace daedalus::node {

class CheckpointPace {
 public:
  /// Rests for each part of work.
  static constexpr int64_t kRests = 9;
  /// A piece is a chunk, of some ten milliseconds; what took longer waited for something.
  static constexpr std::chrono::nanoseconds kPauseMax = std::chrono::seconds(1);
  /// The log may always grow by so much during a round: a restart replays it within a few seconds.
  static constexpr uint64_t kGrowthMin = 64u << 20;

  /// log_bytes: by how much the log grows between rounds; it may do so once more during one.
  explicit CheckpointPace(uint64_t log_bytes) : growth_max_(std::max(log_bytes, kGrowthMin)) {}

  /// A round begins, while the log has so many bytes.
  void begin(uint64_t log_bytes) { log_bytes_then_ = log_bytes; }

  /// How long to rest after work that took so much of a core.
  [[nodiscard]] std::chrono::nanoseconds rest_after(std::chrono::nanoseconds work, uint64_t log_bytes) const {
    const bool is_late = log_bytes > log_bytes_then_ + growth_max_;
    return is_late ? std::chrono::nanoseconds(0) : std::min(kRests * work, kPauseMax);
  }

 private:
  uint64_t growth_max_;
  uint64_t log_bytes_then_ = 0;
};

}  // namespace daedalus::node

// How many queries the next cycle may carry, so that cycles keep to the time that was declared.
//
// Decides from the last cycle alone: one that took too long shrinks the next in proportion, one in time that was full
// lets it grow again. Refuses to know clocks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace daedalus::engine {

class ShareControl {
 public:
  /// Queries up to here ride for next to nothing (the cost of a cycle is flat to about 64), so sending fewer away would
  /// save no time.
  static constexpr uint32_t kShareMin = 64;

  /// cycle_ns_target: 0 for none; then the share is always share_max.
  ShareControl(uint32_t share_max, uint64_t cycle_ns_target)
      : share_max_(share_max), cycle_ns_target_(cycle_ns_target), share_(share_max) {}

  [[nodiscard]] uint32_t share() const { return share_; }
  [[nodiscard]] uint64_t cycle_ns_target() const { return cycle_ns_target_; }

  /// Returns whether a cycle of so long is later than declared.
  [[nodiscard]] bool is_late(uint64_t cycle_ns) const { return cycle_ns_target_ > 0 && cycle_ns > cycle_ns_target_; }

  /// A cycle with so many queries has taken so long.
  void on_cycle(uint32_t query_count, uint64_t cycle_ns) {
    if (is_late(cycle_ns)) {
      const double fitting =
          kMargin * query_count * static_cast<double>(cycle_ns_target_) / static_cast<double>(cycle_ns);
      share_ = std::clamp(static_cast<uint32_t>(fitting), std::min(kShareMin, share_max_), share_);
    } else if (query_count >= share_ && cycle_ns <= cycle_ns_target_ / 2) {
      share_ = std::min(share_max_, share_ + share_ / 8 + 1);
    } else if (query_count >= share_ &&
               static_cast<double>(cycle_ns) <= kMargin * static_cast<double>(cycle_ns_target_)) {
      share_ = std::min(share_max_, share_ + share_ / 64 + 1);
    }
  }

 private:
  /// The share stays as it is within this part of the target, by which cycles of one size differ.
  static constexpr double kMargin = 0.9;

  uint32_t share_max_;
  uint64_t cycle_ns_target_;
  uint32_t share_;
};

}  // namespace daedalus::engine

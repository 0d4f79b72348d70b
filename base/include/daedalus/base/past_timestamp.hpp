// Remembers what a timestamp that only rises was some time ago.
//
// Decides which of its values are remembered: a bounded number of samples, however often it rises. Refuses to know what
// the timestamp counts, and the clock: the time is passed in.
#pragma once

#include <cstdint>
#include <deque>

#include "daedalus/base/units.hpp"

namespace daedalus {

class PastTimestamp {
 public:
  struct Times {
    int64_t delay_ns = 0;   ///< past() is what the timestamp was so long ago.
    int64_t sample_ns = 0;  ///< It is sampled so often at most, so that past() may lag behind by so much.
  };
  explicit PastTimestamp(Times times) : times_(times) {}

  /// It has been this one all the time before. Precondition: nothing was noted.
  void start_from(Timestamp timestamp) { past_ = timestamp; }
  /// It is this one now. Times and timestamps do not go back. Cost: a comparison, and a sample now and then.
  void note(Timestamp timestamp, Instant now);

  /// Returns what it was the delay before the time that was noted last, or a lower one: nothing that it has been since
  /// then is below.
  [[nodiscard]] Timestamp past() const { return past_; }
  /// When past() will rise although the timestamp does not, if note() is called then.
  [[nodiscard]] Instant next_deadline() const;

 private:
  struct Sample {
    Instant taken;
    Timestamp timestamp{};
  };

  Times times_;
  Timestamp past_{};
  std::deque<Sample> samples_;  ///< The oldest first; all younger than the delay, their timestamps ascend.
};

}  // namespace daedalus

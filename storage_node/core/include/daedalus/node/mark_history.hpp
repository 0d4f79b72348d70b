// Remembers what a node's mark was some time ago: so far back a moment can be asked for that nobody holds.
//
// Decides which mark of the past is remembered: a bounded number of samples, whatever the mark does. Refuses to know
// what is kept and trimmed, and the clock: the time is passed in.
#pragma once

#include <cstddef>
#include <deque>

#include "daedalus/base/units.hpp"

namespace daedalus::node {

class MarkHistory {
 public:
  /// A moment that was the mark is kept for so long after the mark has risen above it.
  static constexpr int64_t kDelayNs = 2 * kSecond;
  /// The mark is sampled so often at most, so that a moment may be kept for so much longer.
  static constexpr int64_t kSampleNs = 100 * kMillisecond;
  static constexpr size_t kSamplesMax = kDelayNs / kSampleNs;

  /// The node starts, and this was its mark all the time before. Precondition: nothing was noted.
  void start_from(Timestamp mark) { past_ = mark; }
  /// The mark is this one now. Times and marks do not go back. Cost: a comparison, and a sample now and then.
  void note(Timestamp mark, Instant now);

  /// Returns a mark that the node had kDelayNs before the time that was noted last, and no higher one: what the mark
  /// has been since then is not below it.
  [[nodiscard]] Timestamp past() const { return past_; }
  /// When past() will rise although the mark does not, if note() is called then.
  [[nodiscard]] Instant next_deadline() const;

 private:
  struct Sample {
    Instant taken;
    Timestamp mark{};
  };

  Timestamp past_{};
  std::deque<Sample> samples_;  ///< The oldest first; all younger than kDelayNs, their marks ascend.
};

}  // namespace daedalus::node

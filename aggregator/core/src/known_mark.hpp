// The mark of an aggregator: every update up to it is confirmed, as far as the aggregator has heard.
//
// Decides whether the writer's last word is young enough for whoever asks. Refuses to know who is asked at which
// moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"

namespace daedalus::aggregator {

class KnownMark {
 public:
  /// Somebody says that every update up to here is confirmed.
  void learn(uint64_t mark) { mark_ = std::max(mark_, Timestamp{mark}); }
  /// The writer says so itself.
  void hear(uint64_t mark, Instant now) {
    learn(mark);
    heard_at_ = now;
  }

  [[nodiscard]] Timestamp mark() const { return mark_; }
  /// Error RETRY 72000 where the writer has said nothing for longer than `freshness_ns`; 0: any time will do.
  [[nodiscard]] Result<void> check_freshness(uint64_t freshness_ns, Instant now) const;

 private:
  Timestamp mark_{};
  std::optional<Instant> heard_at_;
};

}  // namespace daedalus::aggregator

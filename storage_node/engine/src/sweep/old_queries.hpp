// Queries at moments of some time ago wait here for a cycle of their own.
//
// All rows that changed after the earliest moment of a cycle are laid out once more for its queries. Whoever asks at an
// old moment, as the reader of a large answer does, would make that a long work in every cycle, for all that ride with
// it. Decides which queries are old and when they ride. Refuses to know what a query reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "daedalus/base/past_timestamp.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/engine/operation.hpp"

namespace daedalus::engine {

/// The scanner's alone.
class OldQueries {
 public:
  /// A moment is old once the segment has been behind it for so long.
  static constexpr int64_t kAgeNs = 200 * kMillisecond;
  /// As long as there are others, the old ones ride every such cycle at most.
  static constexpr uint32_t kCycles = 4;

  /// A cycle begins, and the segment is in this prefix. Cost O(1), and a sample now and then.
  void begin_cycle(Timestamp prefix, Instant now) {
    prefix_.note(prefix, now);
    cycles_waited_ += queries_.empty() ? 0 : 1;
  }

  [[nodiscard]] bool is_old(const Query& query) const { return query.at && *query.at < prefix_.past(); }
  void set_aside(Query query) { queries_.push_back(std::move(query)); }
  [[nodiscard]] bool is_empty() const { return queries_.empty(); }
  /// Returns whether the cycle is theirs, although others wait.
  [[nodiscard]] bool have_turn() const { return cycles_waited_ >= kCycles; }
  /// Takes the one that has waited longest: the cycle is theirs. Precondition: not is_empty().
  [[nodiscard]] Query take() {
    Query query = std::move(queries_.front());
    queries_.pop_front();
    cycles_waited_ = 0;
    return query;
  }
  /// Returns the lowest moment that one of them waits to be answered at; nothing where there are none. Cost O(n).
  [[nodiscard]] std::optional<Timestamp> lowest() const {
    std::optional<Timestamp> lowest;
    for (const Query& query : queries_) {
      lowest = std::min(lowest.value_or(*query.at), *query.at);
    }
    return lowest;
  }

 private:
  PastTimestamp prefix_{{.delay_ns = kAgeNs, .sample_ns = kAgeNs / 8}};
  std::deque<Query> queries_;
  uint32_t cycles_waited_ = 0;  ///< Cycles that have begun since one was theirs, while some waited.
};

}  // namespace daedalus::engine

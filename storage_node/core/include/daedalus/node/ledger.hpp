// Defines what this node remembers of the timestamps it has taken: digests, and outcomes until they may be forgotten.
//
// Decides whether a number that comes again is the same update. Refuses to know who asks and what is still to come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "daedalus/base/units.hpp"
#include "daedalus/node/requester.hpp"

namespace daedalus::node {

/// Both ends inclusive; first <= last.
struct TimestampRange {
  Timestamp first{};
  Timestamp last{};
};

/// Holds what a number stands for: an update by its digest, or a range in which this node has no part.
struct Identity {
  bool is_no_op = false;
  uint64_t digest = 0;

  friend bool operator==(const Identity&, const Identity&) = default;
};

class Ledger {
 public:
  /// Keeps at most `entries_max` completed entries, the newest.
  explicit Ledger(uint32_t entries_max) : entries_max_(entries_max) {}

  /// Everything up to `through` was taken, applied and made durable in an earlier life, and is not remembered.
  /// Precondition (CHECKed): nothing has been taken yet.
  void start_after(Timestamp through);
  /// Takes over what was taken, applied and made durable in that life, to be told to whoever asks for it again.
  /// Preconditions (CHECKed): in order, each right behind the one before, none beyond start_after(), and nothing has
  /// been taken yet.
  void remember(TimestampRange range, Identity identity, Outcomes outcomes);
  /// Takes the next range. Precondition (CHECKed): it begins right after accepted().
  void accept(TimestampRange range, Identity identity);
  /// Records the outcome of the oldest range that is not completed. Precondition (CHECKed): it ends at `last`.
  void complete(Timestamp last, Outcomes outcomes);
  /// Learns that whatever ends at or before `through` outlives a loss of power.
  void on_durable(Timestamp through) { durable_ = std::max(durable_, through); }
  /// Forgets completed ranges that end at or before `through`.
  void forget(Timestamp through);

  /// Returns whether all of `range` that is remembered stands for `identity`. Cost: O(log n + ranges touched).
  [[nodiscard]] bool agrees(TimestampRange range, Identity identity) const;
  /// The recorded outcome of a completed timestamp; nothing when it is forgotten.
  [[nodiscard]] const Outcomes* outcomes(Timestamp timestamp) const;

  [[nodiscard]] Timestamp accepted() const { return accepted_; }
  [[nodiscard]] Timestamp durable() const { return durable_; }
  [[nodiscard]] Timestamp applied() const { return applied_; }
  /// Returns what may be confirmed: applied and durable.
  [[nodiscard]] Timestamp confirmable() const { return std::min(applied_, durable_); }
  /// Nothing up to here is remembered.
  [[nodiscard]] Timestamp forgotten() const { return forgotten_; }
  [[nodiscard]] size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    TimestampRange range;
    Identity identity;
    Outcomes outcomes;
  };

  void forget_oldest();
  [[nodiscard]] std::deque<Entry>::const_iterator first_ending_at_or_after(Timestamp timestamp) const;

  uint32_t entries_max_;
  std::deque<Entry> entries_;  ///< Contiguous, ascending; the first completed_ of them are completed.
  size_t completed_ = 0;
  Timestamp accepted_{};
  Timestamp durable_{};
  Timestamp applied_{};
  Timestamp forgotten_{};
};

}  // namespace daedalus::node

// Takes updates strictly in the order of their timestamps, each once, whatever the network does (docs/protocol.md).
//
// Decides what a numbered update is: the next one, an early one, a known one, one of a former writer, or proof that two
// updates carry one number. Refuses to know what updates contain and who applies them. Pure: the time is passed in.
//
//   arrives            answer
//   next in order      admitted, and with it all held ones that now follow; confirmed when applied and durable
//   known              attached to it, or its recorded outcome repeated
//   known, different   DIGEST_MISMATCH; the sequencer is broken for good
//   early, in window   held; after 20 ms one GAP for each gap
//   beyond the window  GAP at once
//   other epoch        STALE_EPOCH with the holder
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/node/ledger.hpp"
#include "daedalus/node/requester.hpp"

namespace daedalus::node {

struct SequencerOptions {
  /// Timestamps beyond the last accepted one that are held: as many as a writer has without a confirmation.
  uint64_t window = 8192;
  int64_t gap_ns = 20 * kMillisecond;          ///< Time a gap has to close by itself.
  uint64_t held_bytes_max = 32u << 20;         ///< Bodies held; the writer keeps no more than that itself.
  uint32_t waiters_max = 16384;                ///< Operations that wait for their confirmation.
  uint32_t outcomes_max = 8192;                ///< Outcomes remembered: as many.
  int64_t retry_after_ns = 10 * kMillisecond;  ///< Hint that goes with OVERLOADED.
};

/// An update (first == last) or a no-op range, as it arrived. Its parts are consistent: checked at the border.
struct NumberedUpdate {
  Epoch epoch{};
  TimestampRange range;
  Identity identity;
  Timestamp confirmed_through{};
  std::string body;
};

/// To be logged and applied: in order, without holes, each timestamp exactly once.
struct Admission {
  Epoch epoch{};
  TimestampRange range;
  Identity identity;
  std::string body;
};

struct Confirmation {
  Requester to;
  Timestamp timestamp{};
  Outcomes outcomes;
  bool is_forgotten = false;  ///< It has been applied, but what it did is not known any more.
};

struct Refusal {
  Requester to;
  Timestamp timestamp{};
  wire::v1::WriteRefusal reason{};
  Timestamp last_accepted{};
  EpochRecord epoch;  ///< The one in force.
  int64_t retry_after_ns = 0;
  std::optional<Error> error;
};

struct SequencerEffects {
  std::vector<Admission> admissions;
  std::vector<Confirmation> confirmations;
  std::vector<Refusal> refusals;
};

/// Invariants: admissions are dense from 1; every operation is answered exactly once, unless its peer has gone.
class Sequencer {
 public:
  explicit Sequencer(SequencerOptions options) : options_(options), ledger_(options.outcomes_max) {}

  // ---- an earlier life ----
  void start_after(Timestamp through) { ledger_.start_after(through); }
  /// Takes over what it had taken up to there, to be told to whoever asks for it again: Ledger::remember().
  void remember(TimestampRange range, Identity identity, Outcomes outcomes) {
    ledger_.remember(range, identity, std::move(outcomes));
  }
  /// Takes over what it took next, and made durable. Nobody waits for it.
  void replay(TimestampRange range, Identity identity) {
    ledger_.accept(range, identity);
    ledger_.on_durable(range.last);
  }
  /// The epoch in force at its end.
  void restore(const EpochRecord& record) { epoch_ = record; }

  // ---- what happens ----
  void on_update(Requester from, NumberedUpdate update, Instant now, SequencerEffects& effects);
  /// Learns that everything admitted up to `through` is durable. Without a log the caller says so of whatever is
  /// applied.
  void on_durable(Timestamp through, SequencerEffects& effects);
  /// The admission that ends at `last` has been applied. Admissions complete in their order (CHECKed).
  void on_applied(Timestamp last, Outcomes outcomes, SequencerEffects& effects);
  /// A higher epoch is in force (CHECKed): what was held from former ones is refused.
  void on_epoch(const EpochRecord& record, SequencerEffects& effects);
  void on_peer_down(rpc::PeerId peer);
  void on_deadline(Instant now, SequencerEffects& effects);
  /// Nothing is taken from now on. What was admitted up to `sound` still gets its confirmation; all others that wait,
  /// and all that come, are refused. The owner calls it when it cannot make sense of an update it was given.
  void declare_broken(Timestamp sound, const Error& error, SequencerEffects& effects);

  // ---- questions ----
  [[nodiscard]] Instant next_deadline() const { return gap_deadline_; }
  [[nodiscard]] Timestamp accepted() const { return ledger_.accepted(); }
  [[nodiscard]] Timestamp durable() const { return ledger_.durable(); }
  [[nodiscard]] Timestamp applied() const { return ledger_.applied(); }
  [[nodiscard]] Timestamp forgotten() const { return ledger_.forgotten(); }
  [[nodiscard]] const EpochRecord& epoch() const { return epoch_; }
  /// Set once two updates carried one number: nothing is taken any more.
  [[nodiscard]] const std::optional<Error>& broken() const { return broken_; }

 private:
  struct Held {
    Timestamp last{};
    Identity identity;
    std::string body;
  };

  [[nodiscard]] bool refused_at_the_door(Requester from, const NumberedUpdate& update, SequencerEffects& effects);
  /// Returns whether it can be admitted now. What all others wait for gets in even when no more may wait.
  [[nodiscard]] bool is_next(TimestampRange range) const;
  void refuse(Requester to, Timestamp timestamp, wire::v1::WriteRefusal reason, SequencerEffects& effects,
              std::optional<Error> error = std::nullopt) const;
  void break_on(Requester from, TimestampRange range, SequencerEffects& effects);
  void answer_or_wait(Requester from, const NumberedUpdate& update, SequencerEffects& effects);
  void wait(Requester from, Timestamp timestamp);
  void confirm_waiters(SequencerEffects& effects);
  void confirm(Requester to, Timestamp timestamp, Identity identity, SequencerEffects& effects) const;
  void admit(TimestampRange range, Identity identity, std::string body, SequencerEffects& effects);
  void admit_held(SequencerEffects& effects);
  [[nodiscard]] bool agrees_with_held(TimestampRange range, Identity identity) const;
  void hold(TimestampRange range, Identity identity, std::string body);
  void watch_gap(Instant now);
  /// Removes the waiters on timestamps after `timestamp` and refuses them.
  void refuse_waiters_after(Timestamp timestamp, wire::v1::WriteRefusal reason, std::optional<Error> error,
                            SequencerEffects& effects);

  SequencerOptions options_;
  Ledger ledger_;
  EpochRecord epoch_;
  std::optional<Error> broken_;
  std::map<Timestamp, Held> held_;  ///< By first timestamp; disjoint, all after accepted().
  uint64_t held_bytes_ = 0;
  std::map<Timestamp, std::vector<Requester>> waiters_;  ///< By the timestamp they wait for.
  uint32_t waiters_count_ = 0;
  Instant gap_deadline_ = kNever;
  std::optional<Timestamp> gap_after_;  ///< The gap that is watched, or was spoken of, begins after this.
};

}  // namespace daedalus::node

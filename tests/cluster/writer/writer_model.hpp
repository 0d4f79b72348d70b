// The logical writer's protocol, plainly: the twin that the Java writer is tested against.
//
// Decides when to number, append, send, send again and forget updates, and when whoever submitted one is told that it
// is confirmed (docs/protocol.md, "Updates", "Marks and moments", "Epochs", "Submissions"). Refuses to know sockets,
// clocks, schemas and files. The simulator drives it and records what goes in and comes out; the Java core replays the
// record and must do the same.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/rpc/network.hpp"
#include "marks.hpp"

namespace daedalus::testing {

struct WriterOptions {
  std::string name = "writer";
  std::string endpoint = "writer:1";
  bool take_over = false;  ///< Start although another writer is registered and answers.
  /// At what nodes have when it raises its epoch: only one that is broken does not, and nodes have to stop it.
  bool looks = true;
  int64_t resend_after_ns = kSecond;  ///< Without progress for so long, send again what nodes lack.
  int64_t epoch_retry_ns = kSecond / 2;
  uint32_t updates_kept_max = 65'536;
  uint64_t bytes_kept_max = 32u << 20;
  uint32_t submissions_known_max = 65'536;
  uint64_t submission_bytes_max = 32u << 20;
};

/// Client and number, as in wire::v1::SubmissionId.
using SubmissionKey = std::pair<std::string, uint64_t>;

/// A name, and what its sender says about when it can have taken effect: wire::v1::SubmissionId.
struct Submission {
  SubmissionKey key;
  uint64_t epoch = 0;
  uint64_t numbered_after = 0;
  bool is_repeated = false;
};

/// Why a submission has no number.
struct SubmitRefusal {
  Error error;
  /// Its word on when it was first sent is out of date; sent again, it would be taken.
  bool is_stale = false;
};

/// One update that has its number and that some node may still lack.
struct KeptUpdate {
  std::string body;
  std::vector<wire::v1::Route> routes;
  uint64_t map_version = 0;
  SubmissionKey submission;
  Timestamp confirmed_through{};  ///< When it got its number; what its sendings say.
  rpc::PeerId via{};
  bool is_sent = false;
  bool is_confirmed = false;
  bool is_answered = false;  ///< Nothing more is to be expected of the last operation that carried it.
  Instant sent_at{};
  std::deque<std::pair<rpc::PeerId, uint64_t>> sequences;  ///< The last operations that carried it.

  [[nodiscard]] uint64_t bytes() const;
};

/// A submission and its outcome, once there is one.
struct KnownSubmission {
  SubmissionKey key;
  Timestamp timestamp{};
  std::optional<wire::v1::WriteConfirmed> confirmed;
};

/// The knowledge that a journal has of the time before the process: the model begins there.
struct RecoveredJournal {
  bool is_used = false;  ///< A writer has numbered under it; otherwise all that follows is zero or empty.
  /// Numbering may begin behind what the nodes have accepted, where it is not used.
  bool adopts = true;
  uint64_t first_epoch = 0;
  Timestamp base{};
  Timestamp last_numbered{};
  std::map<Timestamp, KeptUpdate> updates;   ///< Up to last_numbered without gaps.
  std::vector<KnownSubmission> submissions;  ///< By timestamp.
  Timestamp forgotten_through{};

  /// As if no outcome of a later update had been written down before the crash, but for those that a later record
  /// counts on: what an update says of confirmed ones was durable before the update was sent.
  void lose_outcomes_after(Timestamp last);
};

/// The outcome of one submission. Exactly one leaves per submit() call that was not refused.
struct SubmissionOutcome {
  SubmissionKey submission;
  std::optional<wire::v1::WriteConfirmed> confirmed;
  std::optional<Error> error;
};

/// Effects of one step, beside the outbox.
struct WriterEffects {
  /// To tell those who submitted: in the order of the timestamps, once every node with a part in an update knows that
  /// it is confirmed.
  std::vector<SubmissionOutcome> outcomes;
  /// For the journal, as soon as they are known.
  std::vector<std::pair<SubmissionKey, wire::v1::WriteConfirmed>> recorded;
  std::optional<wire::v1::DescribeReply> described;  ///< Schema and map, for the checks before numbering.
  Timestamp append_through{};        ///< Updates up to here have numbers and are for the journal; zero: none is new.
  std::optional<std::string> probe;  ///< Find out whether a writer answers at this endpoint, then call on_probed().
};

class WriterModel {
 public:
  enum class Phase : uint8_t { kIdle, kInquiring, kProbing, kRaising, kActive, kFailed };

  /// Without a journal what the writer knows dies with it, and it begins wherever the nodes are.
  explicit WriterModel(WriterOptions options, const RecoveredJournal& journal = {});

  /// An aggregator that takes marks, or one of an older build.
  void on_up(rpc::PeerId peer, bool takes_marks, Instant now, rpc::Outbox& out);
  void on_down(rpc::PeerId peer, Instant now, rpc::Outbox& out);
  void on_result(rpc::PeerId peer, const wire::v1::Result& result, Instant now, rpc::Outbox& out,
                 WriterEffects& effects);
  void on_probed(bool answers, Instant now, rpc::Outbox& out, WriterEffects& effects);

  /// Takes an update that was checked against schema and map.
  [[nodiscard]] std::optional<SubmitRefusal> submit(const Submission& submission, const std::string& body,
                                                    const std::vector<wire::v1::Route>& routes, uint64_t map_version,
                                                    WriterEffects& effects);
  /// The journal has every update up to `through`: they may leave. Nothing of an update leaves before.
  void on_journaled(Timestamp through, Instant now, rpc::Outbox& out);

  [[nodiscard]] Instant next_deadline() const;
  void on_deadline(Instant now, rpc::Outbox& out);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] uint64_t epoch() const { return epoch_; }
  [[nodiscard]] uint64_t first_epoch() const { return first_epoch_; }
  [[nodiscard]] Timestamp last_numbered() const { return last_numbered_; }
  [[nodiscard]] Timestamp journaled_through() const { return journaled_through_; }
  [[nodiscard]] Timestamp confirmed_through() const { return confirmed_through_; }
  /// Returns whether every node with a part in the update, and so whoever reads, knows that it is confirmed.
  [[nodiscard]] bool may_tell(Timestamp timestamp, const wire::v1::WriteConfirmed& confirmed) const;
  /// Returns the timestamp that a submission may name that is sent now: none that does not outlive this process, if
  /// that is enough.
  [[nodiscard]] Timestamp numbered_after() const;
  /// It may number over what nodes have up to there: it did not look; zero: it knows as much as they.
  [[nodiscard]] Timestamp blind_through() const {
    return confirmed_through_ < blind_through_ ? blind_through_ : Timestamp{};
  }
  /// Returns the timestamp up to which the last update that has a number says that all is confirmed.
  [[nodiscard]] Timestamp confirmed_said() const {
    return kept_.empty() ? confirmed_through_ : kept_.rbegin()->second.confirmed_through;
  }
  /// Precondition: some node may still lack it.
  [[nodiscard]] const KeptUpdate& kept(Timestamp timestamp) const { return kept_.at(timestamp); }
  [[nodiscard]] Timestamp base() const { return base_; }
  /// Returns the knowledge of a journal of everything that was said to be journaled.
  [[nodiscard]] RecoveredJournal journal() const { return journal(journaled_through_); }
  /// Returns the knowledge of a journal up to `through`, which has more, or less.
  [[nodiscard]] RecoveredJournal journal(Timestamp through) const;
  /// Lowest durable watermark over all nodes.
  [[nodiscard]] Timestamp settled_through() const;

 private:
  using Kept = KeptUpdate;
  struct Known {
    Timestamp timestamp{};
    std::optional<wire::v1::WriteConfirmed> confirmed;

    [[nodiscard]] uint64_t bytes() const;
  };
  struct Watermark {
    uint64_t incarnation = 0;
    Timestamp durable{};
  };
  struct Gap {
    Timestamp last_accepted{};
    Instant served{};
  };
  struct Untold {
    SubmissionKey submission;
    wire::v1::WriteConfirmed confirmed;
  };

  void inquire(Instant now, rpc::Outbox& out);
  void raise(Instant now, rpc::Outbox& out);
  void send_epoch(bool inquire, rpc::Outbox& out);
  void on_epoch(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out, WriterEffects& effects);
  void on_inquired(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out, WriterEffects& effects);
  void on_raised(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out, WriterEffects& effects);
  /// Nothing is numbered yet: whether it may begin behind what the nodes have.
  [[nodiscard]] bool may_begin(const wire::v1::EpochReply& reply, WriterEffects& effects);
  /// Returns whether every node has what cannot be sent any more, and none more than was numbered.
  [[nodiscard]] bool may_send_on(const wire::v1::EpochReply& reply, WriterEffects& effects);
  [[nodiscard]] bool has_looked(const wire::v1::EpochReply& reply);
  void begin(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out);
  /// A node was started again since it granted the epoch: what is under way waits for the next one.
  void raise_again(Instant now, rpc::Outbox& out);
  [[nodiscard]] Timestamp kept_from() const;
  void climb(const wire::v1::Error& refusal);
  void send_marks(Instant now, rpc::Outbox& out);
  void on_confirmed(Timestamp timestamp, const wire::v1::WriteConfirmed& confirmed, Instant now,
                    WriterEffects& effects);
  void take_marks(const wire::v1::Result& result);
  /// Tells the outcomes that may be told, up to the first that may not.
  void tell(WriterEffects& effects);
  void take_answer(rpc::PeerId peer, const wire::v1::Result& result, Instant now, rpc::Outbox& out,
                   WriterEffects& effects);
  void on_refused(rpc::PeerId peer, const wire::v1::WriteRefused& refused, Instant now, rpc::Outbox& out,
                  WriterEffects& effects);
  /// Nothing more goes to the aggregator over this connection; what it carries goes to the others.
  void pass_by(rpc::PeerId peer, Instant now, rpc::Outbox& out);
  void on_gap(const wire::v1::WriteRefused& refused, Instant now, rpc::Outbox& out);
  void take_watermarks(const wire::v1::WriteConfirmed& confirmed, Instant now);
  void forget_settled();
  [[nodiscard]] bool is_any_journaled() const;
  void send(Timestamp timestamp, Instant now, rpc::Outbox& out);
  void resend_from(Timestamp first, Instant now, rpc::Outbox& out);
  void resend_unsettled(Instant now, rpc::Outbox& out);
  void resend_refused(Instant now, rpc::Outbox& out);
  void send_again(Instant now, rpc::Outbox& out);
  void fail(Error error, WriterEffects& effects);
  void answer_known(const SubmissionKey& submission, const Known& known, WriterEffects& effects);
  void remember(const SubmissionKey& submission, Known known);
  void remember_outcome(const SubmissionKey& submission, const wire::v1::WriteConfirmed& confirmed);
  void forget_oldest();
  /// The least that a first sending must know of.
  [[nodiscard]] uint64_t younger_half() const;
  /// Returns whether a submission that is not known cannot have been forgotten.
  [[nodiscard]] bool is_new(const Submission& submission) const;
  [[nodiscard]] SubmitRefusal inactive(const Submission& submission) const;
  [[nodiscard]] SubmitRefusal unknowable(const Submission& submission, const std::string& why) const;
  [[nodiscard]] SubmitRefusal stale(const Submission& submission) const;
  [[nodiscard]] std::string memory() const;
  [[nodiscard]] Error no_room() const;
  [[nodiscard]] Error unknown_outcome(Timestamp timestamp) const;
  [[nodiscard]] static Error taken_over(const std::string& holder, uint64_t epoch);

  WriterOptions options_;
  Phase phase_ = Phase::kIdle;
  std::optional<Error> failure_;
  std::map<rpc::PeerId, uint64_t> next_sequence_;  ///< Live aggregators.
  std::map<std::pair<rpc::PeerId, uint64_t>, Timestamp> sent_;
  std::optional<std::pair<rpc::PeerId, uint64_t>> epoch_request_;
  rpc::PeerId epoch_asks_from_{};  ///< The aggregator that is asked, or the first of those that may be asked instead.
  Instant epoch_retry_ = kNever;
  Instant epoch_pauses_until_{};
  std::optional<std::string> epoch_refusal_;  ///< Why nodes and aggregators did not grant the last request.
  bool adopts_;
  uint64_t first_epoch_ = 0;  ///< Since then nobody else has numbered; 0: not known yet.
  Timestamp base_{};          ///< The timestamp up to which the nodes had accepted then.
  uint64_t epoch_known_ = 0;
  uint64_t epoch_asked_ = 0;
  std::string epoch_holder_;     ///< When the nodes were asked, before the first epoch was raised.
  uint32_t epochs_in_vain_ = 0;  ///< In a row, because of a node that somebody has to see to.
  uint64_t epoch_climb_ = 0;     ///< The next step for nodes that are far behind; 0: none is known to be.
  uint64_t epoch_ = 0;
  Timestamp last_numbered_{};
  Timestamp journaled_through_{};
  Timestamp confirmed_through_{};
  Timestamp blind_through_{};
  Instant last_progress_{};
  /// The time at which submissions that were refused for want of room are sent again.
  Instant room_again_ = kNever;
  uint64_t bytes_kept_ = 0;
  std::map<Timestamp, Kept> kept_;
  std::map<uint32_t, Watermark> watermarks_;
  std::map<uint32_t, Gap> gaps_;
  Marks marks_;
  std::map<Timestamp, Untold> untold_;  ///< The outcomes that whoever submitted waits for.
  std::map<SubmissionKey, Known> known_;
  std::deque<SubmissionKey> known_order_;
  uint64_t known_bytes_ = 0;
  Timestamp forgotten_through_{};
};

}  // namespace daedalus::testing

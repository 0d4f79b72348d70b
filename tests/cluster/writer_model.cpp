#include "writer_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::testing {

using wire::v1::WriteRefusal;

namespace {

/// The first operation on every connection asks for schema and map.
constexpr uint64_t kDescribeSequence = 1;
/// Answers to the last so many sendings of one update are taken.
constexpr size_t kCarriersMax = 64;
/// What an aggregator is still busy with is sent again after so many times the usual patience.
constexpr int64_t kPatienceForTheBusy = 8;

}  // namespace

// ---- aggregators come and go ----

void WriterModel::on_up(rpc::PeerId peer, Instant now, rpc::Outbox& out) {
  next_sequence_.emplace(peer, kDescribeSequence + 1);
  wire::v1::Operation describe;
  describe.mutable_header()->set_sequence(kDescribeSequence);
  describe.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DESCRIBE);
  out.operations.emplace_back(peer, std::move(describe));
  if (phase_ == Phase::kIdle) {
    inquire(now, out);
    return;
  }
  for (auto& [timestamp, kept] : kept_) {
    if (!kept.is_sent && phase_ == Phase::kActive) {
      send(timestamp, now, out);
    }
  }
}

void WriterModel::on_down(rpc::PeerId peer, Instant now, rpc::Outbox& out) {
  next_sequence_.erase(peer);
  std::erase_if(sent_, [&](const auto& entry) { return entry.first.first == peer; });
  if (epoch_request_ && epoch_request_->first == peer) {
    epoch_request_.reset();
    epoch_retry_ = after(now, options_.epoch_retry_ns);
  }
  for (auto& [timestamp, kept] : kept_) {
    if (kept.is_sent && kept.via == peer && phase_ == Phase::kActive) {
      kept.is_sent = false;
      send(timestamp, now, out);
    }
  }
}

// ---- epochs ----

void WriterModel::inquire(Instant now, rpc::Outbox& out) {
  phase_ = Phase::kInquiring;
  epoch_retry_ = after(now, options_.epoch_retry_ns);
  send_epoch(true, out);
}

void WriterModel::raise(Instant now, rpc::Outbox& out) {
  phase_ = Phase::kRaising;
  epoch_asked_ = epoch_climb_ == 0 ? epoch_known_ + 1 : std::min(epoch_climb_, epoch_known_ + 1);
  epoch_retry_ = after(now, options_.epoch_retry_ns);
  send_epoch(false, out);
}

void WriterModel::send_epoch(bool inquire, rpc::Outbox& out) {
  if (next_sequence_.empty()) {
    return;  // epoch_retry_ comes back to it.
  }
  auto& [peer, sequence] = *next_sequence_.begin();
  wire::v1::EpochBody body;
  body.set_inquire(inquire);
  if (!inquire) {
    body.set_epoch(epoch_asked_);
    body.set_holder(options_.name);
    body.set_endpoint(options_.endpoint);
  }
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(sequence);
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_EPOCH);
  operation.set_body(body.SerializeAsString());
  epoch_request_ = {peer, sequence++};
  out.operations.emplace_back(epoch_request_->first, std::move(operation));
}

void WriterModel::on_epoch(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out, WriterEffects& effects) {
  epoch_request_.reset();
  if (phase_ == Phase::kInquiring) {
    on_inquired(reply, now, out, effects);
  } else if (phase_ == Phase::kRaising) {
    on_raised(reply, now, effects);
  }
}

void WriterModel::on_inquired(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out,
                              WriterEffects& effects) {
  if (!reply.granted()) {
    return;  // A node did not answer; epoch_retry_ asks again.
  }
  epoch_known_ = reply.epoch();
  if (epoch_known_ > 0 && !reply.endpoint().empty() && !options_.take_over) {
    phase_ = Phase::kProbing;
    epoch_retry_ = kNever;
    effects.probe = reply.endpoint();
    failure_ = Error{ErrorCategory::kRejected, "55006",
                     fmt::format("{} at {} is the writer (epoch {})", reply.holder(), reply.endpoint(), reply.epoch()),
                     "stop it first, or start this one with --take-over", 0};
    return;
  }
  raise(now, out);
}

void WriterModel::on_probed(bool answers, Instant now, rpc::Outbox& out, WriterEffects& effects) {
  if (phase_ != Phase::kProbing) {
    return;
  }
  if (answers) {
    fail(*failure_, effects);
    return;
  }
  failure_.reset();
  raise(now, out);
}

void WriterModel::on_raised(const wire::v1::EpochReply& reply, Instant now, WriterEffects& effects) {
  if (!reply.granted()) {
    if (reply.epoch() > epoch_known_ && reply.holder() != options_.name) {
      fail(Error{ErrorCategory::kRejected, "55006",
                 fmt::format("{} at {} became the writer meanwhile (epoch {})", reply.holder(), reply.endpoint(),
                             reply.epoch()),
                 "stop it first, or start this one with --take-over", 0},
           effects);
    }
    climb(reply.error());
    epoch_known_ = std::max(epoch_known_, reply.epoch());  // A grant that was lost on its way: ask for the next.
    return;
  }
  for (const auto& node : reply.accepted()) {
    if (node.applied() != reply.accepted(0).applied()) {
      fail(Error{ErrorCategory::kFatal, "F0000",
                 fmt::format(
                     "node {} has accepted updates up to {}, node {} up to {}: updates that reached only some nodes "
                     "cannot be completed without a journal",
                     reply.accepted(0).node(), reply.accepted(0).applied(), node.node(), node.applied()),
                 "start the cluster afresh and load it again", 0},
           effects);
      return;
    }
    watermarks_[node.node()] = {Timestamp{node.applied()}, Timestamp{node.durable()}};
  }
  epoch_ = epoch_asked_;
  last_numbered_ = confirmed_through_ = Timestamp{reply.accepted(0).applied()};
  last_progress_ = now;
  epoch_retry_ = kNever;
  phase_ = Phase::kActive;
}

/// A node that is further behind than it may rise at a time refuses the next epoch; what it may rise to, others refuse.
/// Asked for step after step, it catches up. None is asked for more than the next one or the next step.
void WriterModel::climb(const wire::v1::Error& refusal) {
  constexpr uint64_t kStep = 1u << 20;  // docs/protocol.md, "Epochs".
  const bool is_below = epoch_asked_ <= epoch_known_;
  if (is_below) {
    epoch_climb_ += kStep;
  } else if (refusal.sqlstate() == "22023") {
    epoch_climb_ = kStep;
  }
}

// ---- submissions ----

std::optional<SubmitRefusal> WriterModel::submit(const Submission& submission, const std::string& body,
                                                 const std::vector<wire::v1::Route>& routes, uint64_t map_version,
                                                 Instant now, rpc::Outbox& out, WriterEffects& effects) {
  if (const auto found = known_.find(submission.key); found != known_.end()) {
    if (found->second.confirmed) {
      effects.outcomes.push_back({submission.key, found->second.confirmed, {}});
    } else if (phase_ == Phase::kFailed) {
      effects.outcomes.push_back({submission.key, {}, unknown_outcome(found->second.timestamp)});
    }
    return {};  // Under way: the outcome comes once, to all who ask under this id.
  }
  if (phase_ != Phase::kActive) {
    return inactive(submission);
  }
  if (!is_new(submission)) {
    return submission.is_repeated ? unknowable(submission, memory()) : stale(submission);
  }
  Kept kept{.body = body, .routes = routes, .map_version = map_version, .submission = submission.key, .sequences = {}};
  if (kept_.size() >= options_.updates_kept_max ||
      (!kept_.empty() && bytes_kept_ + kept.bytes() > options_.bytes_kept_max)) {
    return SubmitRefusal{no_room()};
  }
  if (kept_.empty()) {
    last_progress_ = now;
  }
  last_numbered_ = next(last_numbered_);
  bytes_kept_ += kept.bytes();
  kept_.emplace(last_numbered_, std::move(kept));
  remember(submission.key, Known{.timestamp = last_numbered_, .confirmed = {}});
  send(last_numbered_, now, out);
  return {};
}

uint64_t WriterModel::Kept::bytes() const {
  wire::v1::OperationHeader header;
  header.set_map_version(map_version);
  for (const auto& route : routes) {
    *header.add_routes() = route;
  }
  return body.size() + header.ByteSizeLong();
}

SubmitRefusal WriterModel::inactive(const Submission& submission) const {
  if (phase_ != Phase::kFailed) {
    return {
        Error{ErrorCategory::kRetry, "57P03", "the writer has not raised its epoch on all nodes yet", "try again", 0}};
  }
  return submission.is_repeated ? unknowable(submission, failure_->message) : SubmitRefusal{*failure_};
}

SubmitRefusal WriterModel::unknowable(const Submission& submission, const std::string& why) const {
  return {
      Error{ErrorCategory::kUnknown, "08007",
            fmt::format("the submission was sent before, in epoch {} after update {}, and may have taken effect; {}",
                        submission.epoch, submission.numbered_after, why),
            "look at the rows to find out", 0}};
}

SubmitRefusal WriterModel::stale(const Submission& submission) const {
  return {Error{ErrorCategory::kRetry, "55000",
                fmt::format("the submission was made in epoch {} after update {}; {}", submission.epoch,
                            submission.numbered_after, memory()),
                "send it again with the epoch and timestamp of this answer", 0},
          true};
}

std::string WriterModel::memory() const {
  return fmt::format("the writer is in epoch {} and knows what was submitted after update {}", epoch_,
                     raw(forgotten_through_));
}

// ---- what is remembered ----

namespace {

/// What one submission costs the Java core beside its outcome.
constexpr uint64_t kEntryBytes = 128;

}  // namespace

uint64_t WriterModel::Known::bytes() const { return kEntryBytes + (confirmed ? confirmed->ByteSizeLong() : 0); }

bool WriterModel::is_new(const Submission& submission) const {
  const uint64_t forgotten = raw(forgotten_through_);
  const uint64_t remembered = raw(last_numbered_) - forgotten;
  // A first sending must know of the younger half, so that there is time to repeat it.
  const uint64_t since = submission.is_repeated || forgotten == 0 ? forgotten : forgotten + remembered / 2;
  return submission.epoch == epoch_ && submission.numbered_after >= since &&
         submission.numbered_after <= raw(last_numbered_);
}

void WriterModel::remember(const SubmissionKey& submission, Known known) {
  known_bytes_ += known.bytes();
  known_.insert_or_assign(submission, std::move(known));
  known_order_.push_back(submission);
  forget_oldest();
}

void WriterModel::remember_outcome(const SubmissionKey& submission, const wire::v1::WriteConfirmed& confirmed) {
  if (const auto known = known_.find(submission); known != known_.end()) {
    known_bytes_ -= known->second.bytes();
    known->second.confirmed = confirmed;
    known_bytes_ += known->second.bytes();
    forget_oldest();
  }
}

void WriterModel::forget_oldest() {
  while (known_.size() > options_.submissions_known_max ||
         (known_bytes_ > options_.submission_bytes_max && known_.size() > 1)) {
    const auto oldest = known_.find(known_order_.front());
    forgotten_through_ = oldest->second.timestamp;
    known_bytes_ -= oldest->second.bytes();
    known_.erase(oldest);
    known_order_.pop_front();
  }
}

Error WriterModel::no_room() const {
  const auto slowest =
      std::min_element(watermarks_.begin(), watermarks_.end(),
                       [](const auto& left, const auto& right) { return left.second.durable < right.second.durable; });
  return Error{ErrorCategory::kRetry, "53400",
               fmt::format("{} updates wait for node {}, which has reached {} of {}", kept_.size(), slowest->first,
                           raw(slowest->second.durable), raw(last_numbered_)),
               "try again later, or see to that node", 0};
}

// ---- sending ----

void WriterModel::send(Timestamp timestamp, Instant now, rpc::Outbox& out) {
  if (next_sequence_.empty()) {
    return;  // on_up() sends it.
  }
  Kept& kept = kept_.at(timestamp);
  const auto peer =
      std::next(next_sequence_.begin(), static_cast<std::ptrdiff_t>(raw(timestamp) % next_sequence_.size()));
  wire::v1::Operation operation;
  wire::v1::OperationHeader& header = *operation.mutable_header();
  header.set_sequence(peer->second++);
  header.set_kind(wire::v1::OPERATION_KIND_UPDATE);
  header.set_map_version(kept.map_version);
  for (const auto& route : kept.routes) {
    *header.add_routes() = route;
  }
  header.mutable_update()->set_epoch(epoch_);
  header.mutable_update()->set_timestamp(raw(timestamp));
  header.mutable_update()->set_digest(semantics::digest(kept.body));
  header.mutable_update()->set_confirmed_through(raw(confirmed_through_));
  operation.set_body(kept.body);
  kept.via = peer->first;
  kept.is_sent = true;
  kept.is_answered = false;
  kept.sent_at = now;
  kept.sequences.emplace_back(peer->first, header.sequence());
  sent_.emplace(kept.sequences.back(), timestamp);
  if (kept.sequences.size() > kCarriersMax) {
    sent_.erase(kept.sequences.front());
    kept.sequences.pop_front();
  }
  out.operations.emplace_back(peer->first, std::move(operation));
}

void WriterModel::resend_from(Timestamp first, Instant now, rpc::Outbox& out) {
  for (auto kept = kept_.lower_bound(first); kept != kept_.end(); ++kept) {
    if (kept->second.is_answered) {  // Otherwise it is on its way.
      send(kept->first, now, out);
    }
  }
}

void WriterModel::resend_unsettled(Instant now, rpc::Outbox& out) {
  const Timestamp settled = settled_through();
  for (const auto& [timestamp, kept] : kept_) {
    const bool is_lacked = timestamp > settled || !kept.is_confirmed;  // Its confirmation may be lost.
    const bool is_overdue = now >= after(kept.sent_at, kPatienceForTheBusy * options_.resend_after_ns);
    if (is_lacked && (kept.is_answered || is_overdue)) {
      send(timestamp, now, out);
    }
  }
}

Instant WriterModel::next_deadline() const {
  const Instant resend =
      kept_.empty() || phase_ != Phase::kActive ? kNever : after(last_progress_, options_.resend_after_ns);
  return std::min(resend, phase_ == Phase::kFailed ? kNever : epoch_retry_);
}

void WriterModel::on_deadline(Instant now, rpc::Outbox& out) {
  if (phase_ == Phase::kInquiring && now >= epoch_retry_) {
    inquire(now, out);
  } else if (phase_ == Phase::kRaising && now >= epoch_retry_) {
    raise(now, out);
  } else if (phase_ == Phase::kActive && !kept_.empty() && now >= after(last_progress_, options_.resend_after_ns)) {
    last_progress_ = now;
    resend_unsettled(now, out);
  }
}

// ---- answers ----

void WriterModel::on_result(rpc::PeerId peer, const wire::v1::Result& result, Instant now, rpc::Outbox& out,
                            WriterEffects& effects) {
  if (result.has_described()) {
    effects.described = result.described();
    return;
  }
  const std::pair<rpc::PeerId, uint64_t> id{peer, result.sequence()};
  if (epoch_request_ == id) {
    if (result.has_epoch()) {
      on_epoch(result.epoch(), now, out, effects);
    }
    return;  // An error: epoch_retry_ asks again.
  }
  const auto sent = sent_.find(id);
  if (sent == sent_.end() || phase_ != Phase::kActive) {
    return;  // Late: everything about it is settled.
  }
  Kept& kept = kept_.at(sent->second);
  kept.is_answered |= kept.sequences.back() == id;
  if (result.has_confirmed()) {
    on_confirmed(sent->second, result.confirmed(), now, effects);
  } else if (result.has_refused()) {
    on_refused(result.refused(), now, out, effects);
  }
}

void WriterModel::on_confirmed(Timestamp timestamp, const wire::v1::WriteConfirmed& confirmed, Instant now,
                               WriterEffects& effects) {
  take_watermarks(confirmed, now);
  Kept& kept = kept_.at(timestamp);
  if (!kept.is_confirmed) {
    kept.is_confirmed = true;
    last_progress_ = now;
    remember_outcome(kept.submission, confirmed);
    effects.outcomes.push_back({kept.submission, confirmed, {}});
    while (kept_.contains(next(confirmed_through_)) && kept_.at(next(confirmed_through_)).is_confirmed) {
      confirmed_through_ = next(confirmed_through_);
    }
  }
  forget_settled();
}

void WriterModel::take_watermarks(const wire::v1::WriteConfirmed& confirmed, Instant now) {
  const Timestamp before = settled_through();
  for (const auto& node : confirmed.watermarks()) {
    if (const auto known = watermarks_.find(node.node()); known != watermarks_.end()) {
      known->second.applied = std::max(known->second.applied, Timestamp{node.applied()});
      known->second.durable = std::max(known->second.durable, Timestamp{node.durable()});
    }
  }
  if (settled_through() > before) {
    last_progress_ = now;
  }
}

Timestamp WriterModel::settled_through() const {
  Timestamp lowest{UINT64_MAX};
  for (const auto& [node, watermark] : watermarks_) {
    lowest = std::min(lowest, watermark.durable);
  }
  return lowest;
}

void WriterModel::forget_settled() {
  const Timestamp settled = settled_through();
  while (!kept_.empty() && kept_.begin()->first <= settled && kept_.begin()->second.is_confirmed) {
    for (const auto& sequence : kept_.begin()->second.sequences) {
      sent_.erase(sequence);
    }
    bytes_kept_ -= kept_.begin()->second.bytes();
    kept_.erase(kept_.begin());
  }
}

void WriterModel::on_refused(const wire::v1::WriteRefused& refused, Instant now, rpc::Outbox& out,
                             WriterEffects& effects) {
  switch (refused.reason()) {
    case WriteRefusal::WRITE_REFUSAL_GAP:
      on_gap(refused, now, out);
      return;
    case WriteRefusal::WRITE_REFUSAL_OVERLOADED:
    case WriteRefusal::WRITE_REFUSAL_UNREACHABLE:
      return;  // Sent again when resend_after_ns have passed without progress.
    case WriteRefusal::WRITE_REFUSAL_STALE_EPOCH:
      fail(Error{ErrorCategory::kFatal, "55006",
                 fmt::format("{} has taken over as the writer (epoch {})", refused.holder(), refused.epoch()),
                 "send updates to it", 0},
           effects);
      return;
    default:
      fail(Error{ErrorCategory::kFatal, "F0000",
                 fmt::format("node {} refused update {}: {}", refused.node(), refused.timestamp(),
                             refused.error().message()),
                 "start the cluster afresh and load it again", 0},
           effects);
  }
}

void WriterModel::on_gap(const wire::v1::WriteRefused& refused, Instant now, rpc::Outbox& out) {
  const Timestamp last_accepted{refused.last_accepted()};
  const auto known = watermarks_.find(refused.node());
  if (known != watermarks_.end() && last_accepted < known->second.durable) {
    return;  // Old news: the node has come further since. One that has lost rows says so itself.
  }
  const auto served = gaps_.find(refused.node());
  if (served != gaps_.end() && served->second.last_accepted == last_accepted &&
      now < after(served->second.served, options_.resend_after_ns)) {
    return;  // The same gap, seen by several updates: it causes one go-back.
  }
  gaps_[refused.node()] = {last_accepted, now};
  resend_from(next(last_accepted), now, out);
}

void WriterModel::fail(Error error, WriterEffects& effects) {
  phase_ = Phase::kFailed;
  failure_ = std::move(error);
  for (const auto& [timestamp, kept] : kept_) {
    if (!kept.is_confirmed) {
      effects.outcomes.push_back({kept.submission, {}, unknown_outcome(timestamp)});
    }
  }
}

Error WriterModel::unknown_outcome(Timestamp timestamp) const {
  return Error{ErrorCategory::kUnknown, "08007",
               fmt::format("update {} may or may not have taken effect: {}", raw(timestamp), failure_->message),
               failure_->hint, 0};
}

}  // namespace daedalus::testing

// UPDATE and NO_OP_RANGE: from the message through the sequencer to the segments, and back to whoever waits.
#include <fmt/format.h>

#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "daedalus/node/node_core.hpp"
#include "daedalus/semantics/placement.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

/// A disk that is full stays so for a while, and whoever waits for it has all its updates with it.
constexpr int64_t kLogRetryNs = 500 * kMillisecond;

}  // namespace

void NodeCore::on_update(Requester from, wire::v1::Operation operation, Instant now, Effects& effects) {
  if (refuse_update(from, operation.header(), effects)) {
    return;
  }
  auto update = to_numbered(std::move(operation));
  if (!update) {
    send_error(from, update.error(), 0, effects);
    return;
  }
  read_mark_.learn(update->confirmed_through);
  SequencerEffects decided;
  sequencer_.on_update(from, std::move(*update), now, decided);
  carry_out(std::move(decided), now, effects);
}

bool NodeCore::refuse_update(Requester from, const wire::v1::OperationHeader& header, rpc::Outbox& out) const {
  Refusal refusal{from, Timestamp{header.update().timestamp()}, {}, accepted(), epochs_.in_force(), 0, std::nullopt};
  if (incomplete_) {
    send_error(from, *incomplete_, 0, out);
    return true;
  }
  if (header.map_version() != map_.version) {
    refusal.reason = wire::v1::WRITE_REFUSAL_STALE_MAP;
    refusal.error = Error{ErrorCategory::kRetry, "55000",
                          fmt::format("the update was routed by partition map version {}, node {} has version {}",
                                      header.map_version(), raw(options_.node), map_.version),
                          "describe the cluster and send it again", 0};
  } else if (needs_epoch_) {
    refusal.reason = wire::v1::WRITE_REFUSAL_NEW_INCARNATION;
    refusal.error =
        retry("55000", fmt::format("node {} has been started again since it granted an epoch", raw(options_.node)));
  } else if (log_stuck_) {
    refusal.reason = wire::v1::WRITE_REFUSAL_OVERLOADED;
    refusal.retry_after_ns = kLogRetryNs;
    refusal.error = log_stuck_;
  } else if (updates_.waiting_max() >= options_.updates_waiting_max) {
    refusal.reason = wire::v1::WRITE_REFUSAL_OVERLOADED;
    refusal.retry_after_ns = options_.sequencer.retry_after_ns;
  } else {
    return false;
  }
  send(refusal, out);
  return true;
}

Result<NumberedUpdate> NodeCore::to_numbered(wire::v1::Operation operation) const {
  const wire::v1::UpdateHeader& header = operation.header().update();
  const bool is_no_op = operation.header().kind() == wire::v1::OPERATION_KIND_NO_OP_RANGE;
  const uint64_t first = is_no_op ? header.first_timestamp() : header.timestamp();
  if (header.epoch() == 0 || first == 0 || first > header.timestamp() || header.timestamp() > kTimestampMax) {
    return rejected("08P01", fmt::format("an update with epoch {} and timestamps {} to {} cannot be", header.epoch(),
                                         first, header.timestamp()));
  }
  if (is_no_op ? !operation.body().empty() || header.digest() != 0 : header.first_timestamp() != 0) {
    return rejected("08P01", fmt::format("update {} mixes a no-op range with an update", header.timestamp()));
  }
  if (header.confirmed_through() >= header.timestamp()) {
    return rejected("08P01", fmt::format("update {} cannot be sent when all is confirmed up to {}", header.timestamp(),
                                         header.confirmed_through()));
  }
  if (!is_no_op && semantics::digest(operation.body()) != header.digest()) {
    return rejected("08P01", fmt::format("the digest of update {} is not that of its body", header.timestamp()));
  }
  return NumberedUpdate{Epoch{header.epoch()}, TimestampRange{Timestamp{first}, Timestamp{header.timestamp()}},
                        Identity{is_no_op, header.digest()}, Timestamp{header.confirmed_through()},
                        std::move(*operation.mutable_body())};
}

void NodeCore::carry_out(SequencerEffects decided, Instant now, Effects& effects) {
  // Admissions come first: they may break the node, which adds refusals.
  accept(std::exchange(decided.admissions, {}), decided, effects);
  for (Confirmation& confirmation : decided.confirmations) {
    send(std::move(confirmation), effects);
  }
  for (const Refusal& refusal : decided.refusals) {
    send(refusal, effects);
  }
  unpark(now, effects);
}

void NodeCore::accept(std::vector<Admission> admissions, SequencerEffects& decided, Effects& effects) {
  for (Admission& admission : admissions) {
    const Timestamp first = admission.range.first;
    updates_total_ += admission.identity.is_no_op ? 0 : 1;
    auto record = updates_.accept(std::move(admission));
    if (!record) {
      const Error& cause = record.error();
      sequencer_.declare_broken(
          Timestamp{raw(first) - 1},
          Error{ErrorCategory::kFatal, "XX001",
                fmt::format("node {} cannot make sense of update {}, which has its number: {} ({})", raw(options_.node),
                            raw(first), cause.message, cause.sqlstate),
                "the writer is broken or of another version: start the cluster and load it afresh", 0},
          decided);
      return;  // Nothing after it may be applied either.
    }
    if (is_planted(Fault::kNoOpNotLogged) && record->body == nullptr && next(durable()) == first) {
      updates_.on_appended(record->range.last);
      log_.on_durable(record->range.last);
      sequencer_.on_durable(record->range.last, decided);
    } else if (log_.has_log()) {
      effects.log.push_back(std::move(*record));
    } else {
      updates_.on_appended(record->range.last);
    }
  }
}

void NodeCore::finish_applied(Instant now, Effects& effects) {
  while (auto applied = updates_.take_applied()) {
    SequencerEffects decided;
    note_replayed(*applied, decided);
    if (!log_.is_awaited()) {
      sequencer_.on_durable(applied->last, decided);
    }
    if (log_.has_log() && !applied->recorded && !applied->record.segments.empty()) {
      effects.outcomes.push_back(std::move(applied->record));
    }
    sequencer_.on_applied(applied->last, std::move(applied->outcomes), decided);
    carry_out(std::move(decided), now, effects);
  }
}

void NodeCore::note_replayed(const UpdateTracker::Applied& applied, SequencerEffects& decided) {
  const auto segment = updates_.disagreement(applied);
  if (segment && !sequencer_.broken()) {
    sequencer_.declare_broken(
        Timestamp{raw(applied.last) - 1},
        Error{
            ErrorCategory::kFatal, "XX001",
            fmt::format("update {} came out otherwise in segment {} of node {} than before the node was started again",
                        raw(applied.last), raw(*segment), raw(options_.node)),
            "keep its data directory and report it; then start the cluster afresh and load it again", 0},
        decided);
  }
}

wire::v1::NodeWatermark NodeCore::watermark(Timestamp reached) const {
  wire::v1::NodeWatermark mark;
  mark.set_node(raw(options_.node));
  mark.set_applied(raw(reached));
  mark.set_durable(raw(durable()));
  mark.set_incarnation(options_.incarnation);
  mark.set_language(options_.language->hash());
  mark.set_mark(raw(read_mark_.mark()));
  return mark;
}

void NodeCore::send(Confirmation confirmation, rpc::Outbox& out) const {
  auto* confirmed = add_result(confirmation.to, out).mutable_confirmed();
  confirmed->set_timestamp(raw(confirmation.timestamp));
  for (wire::v1::PartitionOutcome& outcome : confirmation.outcomes) {
    *confirmed->add_outcomes() = std::move(outcome);
  }
  *confirmed->add_watermarks() = watermark(applied());
  confirmed->set_outcome_forgotten(confirmation.is_forgotten);
}

void NodeCore::send(const Refusal& refusal, rpc::Outbox& out) const {
  auto* refused = add_result(refusal.to, out).mutable_refused();
  refused->set_timestamp(raw(refusal.timestamp));
  refused->set_reason(refusal.reason);
  refused->set_node(raw(options_.node));
  refused->set_last_accepted(raw(refusal.last_accepted));
  refused->set_epoch(raw(refusal.epoch.epoch));
  refused->set_holder(refusal.epoch.holder);
  refused->set_retry_after_ns(static_cast<uint64_t>(refusal.retry_after_ns));
  if (refusal.error) {
    *refused->mutable_error() = contract::from_error(*refusal.error);
  }
}

}  // namespace daedalus::node

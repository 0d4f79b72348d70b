// How a writer becomes the writer: docs/protocol.md, "Epochs".
#include <fmt/format.h>

#include <algorithm>

#include "daedalus/durability/disk.hpp"
#include "writer_model.hpp"

namespace daedalus::testing {

namespace {

constexpr const char* kBrokenNode = "XX001";  // The node takes no more updates (docs/protocol.md, "Updates").

}  // namespace

// ---- epochs ----

void WriterModel::inquire(Instant now, rpc::Outbox& out) {
  phase_ = Phase::kInquiring;
  epoch_retry_ = after(now, options_.epoch_retry_ns);
  send_epoch(true, out);
}

void WriterModel::raise(Instant now, rpc::Outbox& out) {
  phase_ = Phase::kRaising;
  epoch_asked_ = epoch_climb_ == 0 ? epoch_known_ + 1 : std::min(epoch_climb_, epoch_known_ + 1);
  constexpr uint32_t kDoublingsMax = 4;
  const uint32_t doublings = epoch_climb_ > 0 ? 0 : std::min(epochs_in_vain_, kDoublingsMax);
  epoch_retry_ = after(now, options_.epoch_retry_ns << doublings);
  send_epoch(false, out);
}

void WriterModel::send_epoch(bool inquire, rpc::Outbox& out) {
  if (next_sequence_.empty()) {
    return;  // epoch_retry_ comes back to it.
  }
  const auto from = next_sequence_.lower_bound(epoch_asks_from_);
  auto& [peer, sequence] = from == next_sequence_.end() ? *next_sequence_.begin() : *from;
  epoch_asks_from_ = peer;
  wire::v1::EpochBody body;
  body.set_inquire(inquire);
  if (!inquire) {
    body.set_epoch(epoch_asked_);
    body.set_holder(options_.name);
    body.set_endpoint(options_.endpoint);
    body.set_kept_from(first_epoch_ == 0 ? 0 : raw(kept_from()));
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
  epoch_refusal_ = reply.granted() ? std::nullopt : std::optional(reply.error().message());
  if (phase_ == Phase::kInquiring) {
    on_inquired(reply, now, out, effects);
  } else if (phase_ == Phase::kRaising) {
    on_raised(reply, now, out, effects);
  }
}

void WriterModel::on_inquired(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out,
                              WriterEffects& effects) {
  if (!reply.granted()) {
    return;  // A node did not answer; epoch_retry_ asks again.
  }
  epoch_known_ = reply.epoch();
  epoch_holder_ = reply.holder();
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

Error WriterModel::taken_over(const std::string& holder, uint64_t epoch) {
  return Error{ErrorCategory::kFatal, "55006", fmt::format("{} has taken over as the writer (epoch {})", holder, epoch),
               "send updates to it", 0};
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

void WriterModel::on_raised(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out, WriterEffects& effects) {
  if (!reply.granted()) {
    const std::string& code = reply.error().sqlstate();
    epochs_in_vain_ += code == durability::kDiskFull || code == durability::kIoError ? 1 : 0;
    const bool is_own = reply.holder() == options_.name && reply.endpoint() == options_.endpoint;
    const bool is_taken_over_from = options_.take_over && reply.holder() == epoch_holder_;
    if (reply.epoch() > epoch_known_ && first_epoch_ > 0 && !is_own) {
      fail(taken_over(reply.holder(), reply.epoch()), effects);
    } else if (reply.epoch() > epoch_known_ && !is_own && !is_taken_over_from) {
      fail(Error{ErrorCategory::kRejected, "55006",
                 fmt::format("{} at {} became the writer meanwhile (epoch {})", reply.holder(), reply.endpoint(),
                             reply.epoch()),
                 "stop it first, or start this one with --take-over", 0},
           effects);
    } else if (first_epoch_ > 0 && reply.error().sqlstate() == kBrokenNode) {
      fail(Error{ErrorCategory::kFatal, "F0000",
                 fmt::format("a node refused epoch {}: {}", epoch_asked_, reply.error().message()),
                 "start the cluster afresh and load it again", 0},
           effects);
    }
    climb(reply.error());
    epoch_known_ = std::max(epoch_known_, reply.epoch());  // A grant that was lost on its way: ask for the next.
    return;
  }
  if (first_epoch_ == 0 ? may_begin(reply, effects) : may_send_on(reply, effects)) {
    begin(reply, now, out);
  }
}

bool WriterModel::may_begin(const wire::v1::EpochReply& reply, WriterEffects& effects) {
  for (const auto& node : reply.accepted()) {
    if (!adopts_ && node.applied() > 0) {
      fail(Error{ErrorCategory::kRejected, "55000",
                 fmt::format("node {} has accepted updates up to {}, and the journal is new", node.node(),
                             node.applied()),
                 "give it the journal of this cluster; if that is lost for good, start with --adopt", 0},
           effects);
      return false;
    }
    if (node.applied() != reply.accepted(0).applied()) {
      fail(Error{ErrorCategory::kFatal, "F0000",
                 fmt::format(
                     "node {} has accepted updates up to {}, node {} up to {}: updates that reached only some nodes "
                     "cannot be completed without a journal",
                     reply.accepted(0).node(), reply.accepted(0).applied(), node.node(), node.applied()),
                 "start the cluster afresh and load it again", 0},
           effects);
      return false;
    }
  }
  for (const auto& node : reply.accepted()) {
    if (node.durable() < node.applied()) {
      epoch_refusal_ = fmt::format("node {} has accepted updates up to {}, and up to {} they are durable", node.node(),
                                   node.applied(), node.durable());
      // An epoch that a node may still lose is nothing to begin behind: the next one is asked for.
      epoch_known_ = epoch_asked_;
      return false;
    }
  }
  return true;
}

/// Nodes that have the same can tell what is numbered over it; of one that has less, nobody can say what it should
/// have.
bool WriterModel::has_looked(const wire::v1::EpochReply& reply) {
  const bool is_same = std::all_of(reply.accepted().begin(), reply.accepted().end(),
                                   [&](const auto& node) { return node.applied() == reply.accepted(0).applied(); });
  const Timestamp accepted{reply.accepted(0).applied()};
  blind_through_ = !options_.looks && is_same && accepted > last_numbered_ ? accepted : Timestamp{};
  return blind_through_ == Timestamp{};
}

bool WriterModel::may_send_on(const wire::v1::EpochReply& reply, WriterEffects& effects) {
  const bool has_looked = this->has_looked(reply);
  for (const auto& node : reply.accepted()) {
    if (has_looked && node.applied() > raw(last_numbered_)) {
      fail(Error{ErrorCategory::kFatal, "F0000",
                 fmt::format("node {} has accepted updates up to {}, the writer has numbered up to {}: its journal is "
                             "not the newest of this cluster",
                             node.node(), node.applied(), raw(last_numbered_)),
                 "give it the newest journal", 0},
           effects);
      return false;
    }
  }
  for (const auto& node : reply.accepted()) {
    if (node.applied() + 1 < raw(kept_from())) {
      epoch_refusal_ = fmt::format("node {} has accepted updates up to {}, the writer can send them from {} on",
                                   node.node(), node.applied(), raw(kept_from()));
      ++epochs_in_vain_;
      epoch_known_ = epoch_asked_;  // All hold it; the next one is asked for once the node may have been restored.
      return false;
    }
  }
  return true;
}

Timestamp WriterModel::kept_from() const { return kept_.empty() ? next(last_numbered_) : kept_.begin()->first; }

void WriterModel::begin(const wire::v1::EpochReply& reply, Instant now, rpc::Outbox& out) {
  uint64_t lowest = UINT64_MAX;
  for (const auto& node : reply.accepted()) {
    watermarks_[node.node()] = {node.incarnation(), Timestamp{node.durable()}};
    lowest = std::min(lowest, node.applied());
  }
  gaps_.clear();
  epoch_ = epoch_asked_;
  last_progress_ = now;
  epoch_retry_ = kNever;
  epoch_pauses_until_ = after(now, options_.epoch_retry_ns);
  phase_ = Phase::kActive;
  epochs_in_vain_ = 0;
  marks_.begin(now);
  if (first_epoch_ == 0) {
    first_epoch_ = epoch_;
    base_ = last_numbered_ = journaled_through_ = confirmed_through_ = Timestamp{lowest};
    return;
  }
  for (auto& [timestamp, kept] : kept_) {
    kept.is_sent = raw(timestamp) <= lowest && kept.is_confirmed;
    if (!kept.is_sent) {
      send(timestamp, now, out);
    }
  }
  forget_settled();
}

void WriterModel::raise_again(Instant now, rpc::Outbox& out) {
  room_again_ = kNever;
  marks_.stop();
  sent_.clear();
  for (auto& [timestamp, kept] : kept_) {
    kept.sequences.clear();
    kept.is_sent = false;
    kept.is_answered = true;
  }
  epoch_known_ = epoch_asked_;
  epoch_climb_ = 0;
  if (now >= epoch_pauses_until_) {
    raise(now, out);
    return;
  }
  phase_ = Phase::kRaising;
  epoch_retry_ = epoch_pauses_until_;
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

}  // namespace daedalus::testing

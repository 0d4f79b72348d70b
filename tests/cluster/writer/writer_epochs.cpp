// How a writer becomes the writer: docs/protocol.md, "Epochs".
#include <fmt/format.h>

#include <algorithm>

#include "writer_model.hpp"

namespace daedalus::testing {

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
  last_numbered_ = journaled_through_ = confirmed_through_ = Timestamp{reply.accepted(0).applied()};
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

}  // namespace daedalus::testing

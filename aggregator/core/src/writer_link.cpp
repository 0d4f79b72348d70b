#include "writer_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::aggregator {

// ---- what is known ----

void WriterLink::learn(uint64_t epoch, const std::string& holder, const std::string& endpoint) {
  if (epoch < epoch_ || epoch == 0 || (epoch == epoch_ && (endpoint.empty() || endpoint == endpoint_))) {
    return;
  }
  epoch_ = epoch;
  holder_ = holder;
  endpoint_ = endpoint;
  if (endpoint_ == dialled_endpoint_) {
    return;
  }
  if (link_) {
    drop_requests_.push_back(*link_);
  }
  // The old connection's loss is still to come; what was submitted on it is answered by it or lost with it.
  link_.reset();
  peer_.reset();
  problem_ = "not connected yet";
  dialled_endpoint_ = endpoint_;
  dial_requests_.clear();
  if (!endpoint_.empty()) {
    dial_requests_.push_back(DialRequest{endpoint_});
  }
}

void WriterLink::hint(uint64_t epoch, Instant now) {
  if (epoch > std::max(epoch_, epoch_hinted_)) {
    epoch_hinted_ = epoch;
    inquiry_due_ = now;
  }
}

Error WriterLink::absence() const {
  if (endpoint_.empty()) {
    return Error{ErrorCategory::kRetry, "57P03", "no writer is registered", "start one: `daedalus-writer`", 0};
  }
  return Error{ErrorCategory::kRetry, "57P03",
               fmt::format("the writer {} at {} is not reachable: {}", holder_, endpoint_, problem_),
               "nothing was submitted; try again when it is back", 0};
}

// ---- its connection ----

void WriterLink::on_dialled(const std::string& endpoint, rpc::LinkId link) {
  if (endpoint != dialled_endpoint_) {
    drop_requests_.push_back(link);  // Replaced while the driver dialled.
    return;
  }
  link_ = link;
}

uint64_t WriterLink::send(wire::v1::Operation operation, rpc::Outbox& out) {
  CHECK(peer_.has_value());
  const uint64_t sequence = next_sequence_++;
  operation.mutable_header()->set_sequence(sequence);
  out.operations.emplace_back(*peer_, std::move(operation));
  return sequence;
}

void WriterLink::on_down(const std::string& reason, Instant now) {
  peer_.reset();
  problem_ = reason;
  inquiry_due_ = now;
}

std::vector<DialRequest> WriterLink::take_dial_requests() { return std::exchange(dial_requests_, {}); }

std::vector<rpc::LinkId> WriterLink::take_drop_requests() { return std::exchange(drop_requests_, {}); }

// ---- asking the nodes ----

void WriterLink::inquire(NodeId node, Instant now, rpc::Outbox& out) {
  inquiry_due_ = after(now, context_.options.inquiry_ns);
  wire::v1::Operation epoch;
  epoch.mutable_header()->set_kind(wire::v1::OPERATION_KIND_EPOCH);
  wire::v1::EpochBody body;
  body.set_inquire(true);
  epoch.set_body(body.SerializeAsString());
  context_.nodes.send(node, std::move(epoch), InquiryTicket{}, out);
  ++asked_[node];
  if (durability_.empty()) {
    wire::v1::Operation describe;
    describe.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DESCRIBE);
    context_.nodes.send(node, std::move(describe), InquiryTicket{}, out);
    ++asked_[node];
  }
}

void WriterLink::on_answer(NodeId node, const wire::v1::Result& result) {
  if (const auto asked = asked_.find(node); asked != asked_.end() && --asked->second == 0) {
    asked_.erase(asked);
  }
  if (result.has_epoch()) {
    learn(result.epoch().epoch(), result.epoch().holder(), result.epoch().endpoint());
  } else if (result.has_described()) {
    learn(result.described().epoch(), result.described().writer(), result.described().writer_endpoint());
    learn_durability(result.described().durability());
  }
}

Instant WriterLink::next_deadline() const {
  const bool wants_answer = !peer_ || epoch_hinted_ > epoch_;
  const bool can_ask = std::any_of(context_.nodes.all().begin(), context_.nodes.all().end(),
                                   [&](NodeId node) { return context_.nodes.is_up(node) && !asked_.contains(node); });
  return wants_answer && can_ask ? inquiry_due_ : kNever;
}

void WriterLink::on_deadline(Instant now, rpc::Outbox& out) {
  if (now < next_deadline()) {
    return;
  }
  for (const NodeId node : context_.nodes.all()) {
    if (context_.nodes.is_up(node) && !asked_.contains(node)) {
      inquire(node, now, out);
    }
  }
}

}  // namespace daedalus::aggregator

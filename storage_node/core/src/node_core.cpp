#include "daedalus/node/node_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "replies.hpp"

namespace daedalus::node {

NodeCore::NodeCore(NodeOptions options, std::shared_ptr<const semantics::Schema> schema, contract::PartitionMap map,
                   SegmentPort& segments)
    : options_(std::move(options)),
      schema_(std::move(schema)),
      map_(std::move(map)),
      segments_(segments),
      placement_(schema_, map_, options_.node, options_.segments),
      sequencer_(options_.sequencer),
      updates_(schema_, map_, placement_, options_.node, segments_),
      parked_(options_.parked_queries_max),
      queries_(options_.queries, schema_, options_.node, placement_, updates_, segments_) {
  if (options_.found_epoch) {
    epochs_.restore(*options_.found_epoch);
    incomplete_ =
        Error{ErrorCategory::kFatal, "55000",
              fmt::format("node {} was restarted and has lost its rows: it is incomplete", raw(options_.node)),
              "durability is off: start the cluster afresh and load it again", 0};
  }
}

void NodeCore::on_up(rpc::PeerId peer, const rpc::PeerInfo& /*info*/, Instant /*now*/, rpc::Outbox& /*out*/) {
  last_sequence_.emplace(peer, 0);
}

void NodeCore::on_down(rpc::PeerId peer, Instant /*now*/, rpc::Outbox& /*out*/) {
  last_sequence_.erase(peer);
  sequencer_.on_peer_down(peer);
  parked_.on_peer_down(peer);
  queries_.on_peer_down(peer);
}

void NodeCore::on_operation(rpc::PeerId peer, wire::v1::Operation operation, Instant now, rpc::Outbox& out) {
  const auto last = last_sequence_.find(peer);
  if (last == last_sequence_.end()) {
    return;  // It has gone, or is being closed.
  }
  const Requester from{peer, operation.header().sequence()};
  if (from.sequence <= last->second) {
    out.closes.emplace_back(peer, fmt::format("sequence {} came after {}", from.sequence, last->second));
    on_down(peer, now, out);
    return;
  }
  last->second = from.sequence;
  if (is_draining_ && operation.header().kind() != wire::v1::OPERATION_KIND_ABORT) {
    send_error(from, retry("57P01", fmt::format("node {} is stopping", raw(options_.node))), 0, out);
    return;
  }
  if (const auto error = check_header(operation.header())) {
    send_error(from, *error, 0, out);
    return;
  }
  switch (operation.header().kind()) {
    case wire::v1::OPERATION_KIND_SELECT:
      return on_select(from, operation, now, out);
    case wire::v1::OPERATION_KIND_ABORT:
      return on_abort(from, operation.header(), out);
    case wire::v1::OPERATION_KIND_UPDATE:
    case wire::v1::OPERATION_KIND_NO_OP_RANGE:
      return on_update(from, std::move(operation), now, out);
    case wire::v1::OPERATION_KIND_DESCRIBE:
      return on_describe(from, out);
    case wire::v1::OPERATION_KIND_STATUS:
      return on_status(from, out);
    case wire::v1::OPERATION_KIND_EPOCH:
      return on_epoch(from, operation, out);
    case wire::v1::OPERATION_KIND_STATEMENT:
    case wire::v1::OPERATION_KIND_SUBMIT:
      return send_error(
          from,
          rejected("0A000", "a storage node serves neither statements nor submissions", "send them to an aggregator"),
          0, out);
    default:
      return send_error(
          from,
          rejected("08P01", fmt::format("operation kind {} is not known", static_cast<int>(operation.header().kind()))),
          0, out);
  }
}

void NodeCore::on_output(SegmentIndex segment, engine::Output output, Instant /*now*/, rpc::Outbox& out) {
  if (auto* query = std::get_if<engine::QueryOutput>(&output)) {
    queries_.on_output(segment, std::move(*query), out);
  } else {
    updates_.on_output(segment, std::get<engine::UpdateOutput>(output));
  }
  updates_.flush();
  finish_applied(out);
}

void NodeCore::on_epoch_persisted(Epoch epoch, Instant /*now*/, rpc::Outbox& out) {
  const EpochKeeper::Granted granted = epochs_.on_persisted(epoch);
  SequencerEffects effects;
  sequencer_.on_epoch(granted.record, effects);
  carry_out(std::move(effects), out);
  send_epoch(granted.to, true, std::nullopt, out);
}

void NodeCore::on_deadline(Instant now, rpc::Outbox& out) {
  SequencerEffects effects;
  sequencer_.on_deadline(now, effects);
  carry_out(std::move(effects), out);
  queries_.on_deadline(now, out);
  for (const PreparedQuery& late : parked_.take_late(now)) {
    send_error(late.requester,
               retry("57014", fmt::format("node {} has reached {}, the query demands {}", raw(options_.node),
                                          raw(accepted()), raw(late.prefix_min))),
               0, out);
  }
}

Instant NodeCore::next_deadline() const {
  return std::min({sequencer_.next_deadline(), queries_.next_deadline(), parked_.next_deadline()});
}

const std::optional<Error>& NodeCore::problem() const { return incomplete_ ? incomplete_ : sequencer_.broken(); }

size_t NodeCore::under_way() const { return queries_.running() + parked_.size() + updates_.under_way(); }

void NodeCore::on_abort(Requester from, const wire::v1::OperationHeader& header, rpc::Outbox& out) {
  const Requester wanted{from.peer, header.abort_sequence()};
  if (parked_.take(wanted)) {
    send_error(wanted, rejected("57014", "the query was aborted"), 0, out);
  } else {
    queries_.abort(wanted, out);  // One that has ended already has had its answer.
  }
}

}  // namespace daedalus::node

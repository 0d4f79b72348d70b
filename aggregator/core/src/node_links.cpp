#include "node_links.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::aggregator {

NodeLinks::NodeLinks(const std::map<rpc::LinkId, NodeId>& links, const std::map<NodeId, std::string>& endpoints)
    : links_(links) {
  for (const auto& [node, endpoint] : endpoints) {
    nodes_[node].endpoint = endpoint;
    all_.push_back(node);
  }
  for (const auto& [link, node] : links_) {
    CHECK(nodes_.contains(node));
  }
}

std::optional<NodeId> NodeLinks::node_of(rpc::LinkId link) const {
  const auto found = links_.find(link);
  return found == links_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NodeId> NodeLinks::node_of(rpc::PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? std::nullopt : std::optional(found->second);
}

void NodeLinks::on_up(NodeId node, rpc::PeerId peer, Abilities abilities) {
  Node& state = nodes_.at(node);
  CHECK(!state.peer);
  state.peer = peer;
  state.next_sequence = 1;
  state.handles.emplace(abilities.handles);
  state.language = abilities.language;
  state.knows_moments = abilities.knows_moments;
  state.problem.clear();
  peers_.emplace(peer, node);
}

std::vector<Ticket> NodeLinks::on_down(NodeId node, const std::string& reason) {
  Node& state = nodes_.at(node);
  if (state.peer) {
    peers_.erase(*state.peer);
  }
  state.peer.reset();
  state.knows_moments = false;
  state.problem = reason;
  state.watermark.reset();
  std::vector<uint64_t> sequences;
  for (const auto& [sequence, ticket] : state.outstanding) {
    sequences.push_back(sequence);
  }
  std::sort(sequences.begin(), sequences.end());
  std::vector<Ticket> lost;
  for (const uint64_t sequence : sequences) {
    lost.push_back(std::move(state.outstanding.at(sequence)));
  }
  state.outstanding.clear();
  return lost;
}

void NodeLinks::set_problem(NodeId node, const std::string& problem) {
  if (Node& state = nodes_.at(node); !state.peer) {
    state.problem = problem;
  }
}

uint64_t NodeLinks::send(NodeId node, wire::v1::Operation operation, std::optional<Ticket> ticket, rpc::Outbox& out) {
  Node& state = nodes_.at(node);
  CHECK(state.peer);
  const uint64_t sequence = state.next_sequence++;
  operation.mutable_header()->set_sequence(sequence);
  out.operations.emplace_back(*state.peer, std::move(operation));
  if (ticket) {
    state.outstanding.emplace(sequence, std::move(*ticket));
  }
  return sequence;
}

std::optional<uint32_t> NodeLinks::handle_of(NodeId node, const std::shared_ptr<const contract::ShapeBytes>& shape,
                                             rpc::Outbox& out) {
  const auto use = nodes_.at(node).handles.value().use(shape);
  if (!use) {
    return std::nullopt;
  }
  if (use->is_new) {
    wire::v1::Operation definition;
    definition.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DEFINE);
    definition.mutable_header()->set_shape_handle(use->handle);
    definition.set_body(shape->bytes());
    send(node, std::move(definition), std::nullopt, out);
  }
  return use->handle;
}

Ticket* NodeLinks::find(NodeId node, uint64_t sequence) {
  Node& state = nodes_.at(node);
  const auto found = state.outstanding.find(sequence);
  return found == state.outstanding.end() ? nullptr : &found->second;
}

void NodeLinks::forget(NodeId node, uint64_t sequence) { nodes_.at(node).outstanding.erase(sequence); }

void NodeLinks::abort(NodeId node, uint64_t sequence, rpc::Outbox& out) {
  forget(node, sequence);
  if (!is_up(node)) {
    return;
  }
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_ABORT);
  operation.mutable_header()->set_abort_sequence(sequence);
  send(node, std::move(operation), std::nullopt, out);
}

void NodeLinks::learn(NodeId node, const wire::v1::NodeWatermark& watermark) { nodes_.at(node).watermark = watermark; }

void NodeLinks::add_watermarks(google::protobuf::RepeatedPtrField<wire::v1::NodeWatermark>& out) const {
  for (const NodeId node : all_) {
    if (const auto& watermark = nodes_.at(node).watermark) {
      *out.Add() = *watermark;
    }
  }
}

}  // namespace daedalus::aggregator

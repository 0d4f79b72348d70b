// The storage nodes below: over which connection each can be reached, what was asked on it, how far the node is.
//
// Decides sequence numbers of the hop downwards and which answers are still wanted. Refuses to know what they mean.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/contract/shape_handles.hpp"
#include "daedalus/rpc/network.hpp"
#include "ticket.hpp"

namespace daedalus::aggregator {

class NodeLinks {
 public:
  /// `endpoints` names every node; `links` the node behind each dialled link.
  NodeLinks(const std::map<rpc::LinkId, NodeId>& links, const std::map<NodeId, std::string>& endpoints);

  // ---- connections ----
  [[nodiscard]] std::optional<NodeId> node_of(rpc::LinkId link) const;
  [[nodiscard]] std::optional<NodeId> node_of(rpc::PeerId peer) const;
  struct Abilities {
    contract::HandleLimits handles;  ///< How many shapes it keeps.
    uint32_t language = 1;           ///< The newest version that it and this aggregator have.
    bool knows_moments = false;      ///< It may be sent MARK, HOLD and moments.
  };
  /// The node can be reached at `peer` from now on. Precondition: on_down() was called for any peer before.
  void on_up(NodeId node, rpc::PeerId peer, Abilities abilities);
  /// Returns what was asked and not answered, in the order it was sent.
  [[nodiscard]] std::vector<Ticket> on_down(NodeId node, const std::string& reason);
  void set_problem(NodeId node, const std::string& problem);

  [[nodiscard]] bool is_up(NodeId node) const { return nodes_.at(node).peer.has_value(); }
  /// Why the node cannot be reached; meaningful while it is not up.
  [[nodiscard]] const std::string& problem(NodeId node) const { return nodes_.at(node).problem; }
  [[nodiscard]] const std::string& endpoint(NodeId node) const { return nodes_.at(node).endpoint; }
  /// Returns the newest version of the language that the node may be sent. Precondition: is_up(node).
  [[nodiscard]] uint32_t language(NodeId node) const { return nodes_.at(node).language; }
  /// Returns whether the node is up, and may be sent MARK, HOLD and moments.
  [[nodiscard]] bool knows_moments(NodeId node) const { return nodes_.at(node).knows_moments; }
  /// Ascending.
  [[nodiscard]] const std::vector<NodeId>& all() const { return all_; }

  // ---- operations ----
  /// Sends `operation` under the hop's next sequence, which it returns; answers belong to `ticket`. Without a ticket
  /// answers are of no interest. Precondition: is_up(node).
  uint64_t send(NodeId node, wire::v1::Operation operation, std::optional<Ticket> ticket, rpc::Outbox& out);
  /// Returns the handle in which the node finds the shape, defined first if it is not there; nothing when it has to
  /// travel whole. Precondition: is_up(node).
  [[nodiscard]] std::optional<uint32_t> handle_of(NodeId node, const std::shared_ptr<const contract::ShapeBytes>& shape,
                                                  rpc::Outbox& out);
  /// Returns the ticket that an answer belongs to; nothing when it is late. Valid until the next call that is not
  /// const.
  [[nodiscard]] Ticket* find(NodeId node, uint64_t sequence);
  /// The answer came for good, or is not wanted any longer.
  void forget(NodeId node, uint64_t sequence);
  /// Tells the node to stop working on what was sent as `sequence`, and forgets it. Ignored if the node is not up.
  void abort(NodeId node, uint64_t sequence, rpc::Outbox& out);

  // ---- watermarks ----
  /// Takes the node's own watermark as it came on its current connection.
  void learn(NodeId node, const wire::v1::NodeWatermark& watermark);
  /// Adds the known watermarks, in node order.
  void add_watermarks(google::protobuf::RepeatedPtrField<wire::v1::NodeWatermark>& out) const;

 private:
  struct Node {
    std::string endpoint;
    std::string problem = "not connected yet";
    std::optional<rpc::PeerId> peer;
    uint64_t next_sequence = 1;
    boost::unordered_flat_map<uint64_t, Ticket> outstanding;  ///< By sequence.
    /// The handles of the current connection.
    std::optional<contract::SentHandles> handles;
    /// The version of the language on the current connection.
    uint32_t language = 1;
    bool knows_moments = false;  ///< While it is up.
    std::optional<wire::v1::NodeWatermark> watermark;
  };

  boost::unordered_flat_map<NodeId, Node> nodes_;
  std::vector<NodeId> all_;
  std::map<rpc::LinkId, NodeId> links_;
  boost::unordered_flat_map<rpc::PeerId, NodeId> peers_;
};

}  // namespace daedalus::aggregator

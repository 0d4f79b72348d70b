// Who the logical writer is, as far as the nodes have said, and the way to it.
//
// Decides which endpoint is dialled and when the nodes are asked again. Refuses to know what is submitted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "context.hpp"

namespace daedalus::aggregator {

class WriterLink {
 public:
  explicit WriterLink(Context& context) : context_(context) {}

  // ---- what is known ----
  /// What some node or a granted epoch says; only a higher epoch, or the endpoint of the known one, changes anything.
  void learn(uint64_t epoch, const std::string& holder, const std::string& endpoint);
  /// Somebody acts on an epoch higher than the known one: its holder will be asked for.
  void hint(uint64_t epoch, Instant now);
  /// A node said how durable it is.
  void learn_durability(const std::string& durability) { durability_ = durability; }

  [[nodiscard]] uint64_t epoch() const { return epoch_; }
  [[nodiscard]] const std::string& holder() const { return holder_; }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] const std::string& durability() const { return durability_; }
  /// Connection to the writer, when there is one.
  [[nodiscard]] std::optional<rpc::PeerId> peer() const { return peer_; }
  /// Why nothing can be submitted; precondition: no peer().
  [[nodiscard]] Error absence() const;

  // ---- its connection ----
  void on_dialled(const std::string& endpoint, rpc::LinkId link);
  [[nodiscard]] bool is_own(rpc::LinkId link) const { return link_ == link; }
  void on_up(rpc::PeerId peer, bool knows_moments) {
    peer_ = peer;
    knows_moments_ = knows_moments;
    next_sequence_ = 1;
  }
  /// Returns whether the last writer that was connected says its mark with every answer.
  [[nodiscard]] bool knows_moments() const { return knows_moments_; }
  /// Sends `operation` under the connection's next sequence, which it returns. Precondition: peer().
  uint64_t send(wire::v1::Operation operation, rpc::Outbox& out);
  void on_down(const std::string& reason, Instant now);
  void set_problem(const std::string& problem) { problem_ = problem; }
  [[nodiscard]] std::vector<DialRequest> take_dial_requests();
  [[nodiscard]] std::vector<rpc::LinkId> take_drop_requests();

  // ---- asking the nodes ----
  /// Asks one node that has just come up for epoch, writer and durability.
  void inquire(NodeId node, Instant now, rpc::Outbox& out);
  void on_answer(NodeId node, const wire::v1::Result& result);
  void on_node_lost(NodeId node) { asked_.erase(node); }
  [[nodiscard]] Instant next_deadline() const;
  void on_deadline(Instant now, rpc::Outbox& out);

 private:
  Context& context_;
  uint64_t epoch_ = 0;
  uint64_t epoch_hinted_ = 0;
  std::string holder_;
  std::string endpoint_;
  std::string durability_;
  std::string problem_ = "not connected yet";
  std::string dialled_endpoint_;  ///< The endpoint that was last asked to be dialled.
  /// The link to dialled_endpoint_, once the driver has said so.
  std::optional<rpc::LinkId> link_;
  std::optional<rpc::PeerId> peer_;
  bool knows_moments_ = false;
  uint64_t next_sequence_ = 1;  ///< The next sequence on the connection to peer_.
  std::vector<DialRequest> dial_requests_;
  std::vector<rpc::LinkId> drop_requests_;
  Instant inquiry_due_{};             ///< While there is no peer or a hint is open.
  std::map<NodeId, uint32_t> asked_;  ///< Questions out, per node; a node that owes an answer is not asked again.
};

}  // namespace daedalus::aggregator

// MARK: the writer's word that every update up to a timestamp is confirmed, on its way to all nodes.
//
// Decides when the writer is told how far the nodes are. Refuses to know what a mark is good for.
#pragma once

#include <cstdint>
#include <map>

#include "context.hpp"

namespace daedalus::aggregator {

/// Invariant: exactly one Marked leaves per request, unless it was forgotten. It has the watermark of each node that
/// was up and answered, and leaves when none is left that may still answer.
class MarkRequests {
 public:
  explicit MarkRequests(Context& context) : context_(context) {}

  /// Passes the writer's mark on, and no other that the aggregator knows. Nodes that do not know marks are not asked.
  void start(Upstream upstream, uint64_t mark, Instant now, rpc::Outbox& out);
  void on_result(uint64_t request, NodeId node, const wire::v1::Result& result, rpc::Outbox& out);
  void on_node_lost(uint64_t request, NodeId node, rpc::Outbox& out);
  void expire(uint64_t request, rpc::Outbox& out);
  void forget(uint64_t request);

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(requests_.size()); }

 private:
  struct Request {
    Upstream upstream;
    Instant deadline;
    std::map<NodeId, uint64_t> waiting;  ///< Sequence of the hop to each node that has not answered.
    wire::v1::Marked reply;
  };
  using Requests = std::map<uint64_t, Request>;

  void finish(Requests::iterator request, rpc::Outbox& out);
  void erase(Requests::iterator request);

  Context& context_;
  Requests requests_;
};

}  // namespace daedalus::aggregator

// DESCRIBE and STATUS: what this aggregator knows, and how the nodes below it are.
//
// A node that does not answer is itself an answer: STATUS never fails because something is down.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "context.hpp"
#include "writer_link.hpp"

namespace daedalus::aggregator {

/// The table, its map, the limits, and the writer as far as it is known.
[[nodiscard]] wire::v1::DescribeReply describe(const Context& context, const WriterLink& writer);

/// Invariant: exactly one StatusReply, naming every node, leaves per round, unless it was forgotten.
class StatusRounds {
 public:
  StatusRounds(Context& context, WriterLink& writer) : context_(context), writer_(writer) {}

  /// `aggregator` is what this process says about itself.
  void start(Upstream upstream, wire::v1::AggregatorStatus aggregator, Instant deadline, Instant now, rpc::Outbox& out);
  void on_result(uint64_t round, NodeId node, const wire::v1::Result& result, rpc::Outbox& out);
  void on_node_lost(uint64_t round, NodeId node, const std::string& reason, rpc::Outbox& out);
  void expire(uint64_t round, rpc::Outbox& out);
  void forget(uint64_t round);

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(rounds_.size()); }

 private:
  struct Round {
    Upstream upstream;
    Instant deadline;
    wire::v1::AggregatorStatus aggregator;
    std::map<NodeId, uint64_t> waiting;  ///< Sequence of the hop to each node that has not answered.
    std::map<NodeId, wire::v1::NodeStatus> nodes;
  };
  using Rounds = std::map<uint64_t, Round>;

  void add_unreachable(Round& round, NodeId node, const std::string& problem);
  void finish_if_done(Rounds::iterator round, rpc::Outbox& out);
  void erase(Rounds::iterator round);

  Context& context_;
  WriterLink& writer_;
  Rounds rounds_;
};

}  // namespace daedalus::aggregator

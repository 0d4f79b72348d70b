// One numbered update to the nodes that hold its rows, no-op ranges to all others, and their answers back as one
// (docs/protocol.md, "Updates", points 2 and 5).
//
// Decides who gets what and when the writer hears of it. Refuses to know what an update does; numbering, order and
// repetition are the writer's and the nodes' business.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "context.hpp"

namespace daedalus::aggregator {

/// Tells the writer what becomes of one UPDATE: WriteConfirmed when all responsible nodes have confirmed, and once more
/// when the others have answered later; at any time a note (WriteRefused) for every node without a part that refuses or
/// cannot be reached, which changes nothing else. WriteRefused by or for a responsible node, or an Error, ends it
/// instead.
class UpdateFanOut {
 public:
  explicit UpdateFanOut(Context& context) : context_(context) {}

  /// `operation` is an UPDATE whose header was checked for shape. No-op ranges leave with flush().
  void start(Upstream upstream, wire::v1::Operation operation, Instant deadline, rpc::Outbox& out);
  /// Sends the no-op ranges held back since the last call.
  void flush(rpc::Outbox& out);

  // ---- answers that are still wanted; a no-op range answers for every update it covers ----
  void on_result(uint64_t update, NodeId node, const wire::v1::Result& result, rpc::Outbox& out);
  void on_node_lost(uint64_t update, NodeId node, const std::string& reason, rpc::Outbox& out);

  /// The node's connection is gone: what was held back for it will not leave.
  void drop_range(NodeId node, const std::string& reason, rpc::Outbox& out);

  void expire(uint64_t update, rpc::Outbox& out);
  /// The writer's connection is gone: nobody is told. What was sent takes its course.
  void forget(uint64_t update);

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(updates_.size()); }

 private:
  /// A node that has not answered yet.
  struct Waiting {
    NodeId node{};
    bool is_responsible = false;
    uint64_t sequence = 0;  ///< The sequence of the hop; 0: the no-op range has not been sent yet.
  };

  struct Update {
    Upstream upstream;
    Instant deadline;
    uint64_t timestamp = 0;
    uint64_t digest = 0;
    std::vector<Waiting> waiting;
    size_t responsible_waiting_count = 0;
    bool has_responsible = false;
    bool is_reported = false;  ///< A WriteConfirmed has been sent.
    bool has_news = false;     ///< Somebody confirmed since.
    std::vector<NodeId> lost;  ///< Nodes without a part that will not answer.
    bool outcome_forgotten = false;
    std::vector<wire::v1::PartitionOutcome> outcomes;
  };
  using Updates = std::map<uint64_t, Update>;

  /// Neighbouring timestamps that one node has no part in, until they leave as one operation.
  struct Range {
    uint64_t epoch = 0;
    uint64_t first = 0;
    uint64_t last = 0;  ///< 0: empty.
    uint64_t confirmed_through = 0;
    std::vector<uint64_t> updates;
  };

  [[nodiscard]] std::vector<NodeId> responsible_nodes(const std::vector<PartitionId>& partitions) const;
  void send_update(uint64_t id, Update& update, NodeId node, const wire::v1::Operation& operation, rpc::Outbox& out);
  void hold_no_op(uint64_t id, Update& update, NodeId node, const wire::v1::UpdateHeader& header, rpc::Outbox& out);
  void flush_range(NodeId node, rpc::Outbox& out);
  void on_confirmed(Updates::iterator update, Waiting from, const wire::v1::WriteConfirmed& confirmed,
                    rpc::Outbox& out);
  void on_refused(Updates::iterator update, Waiting from, const wire::v1::WriteRefused& refused, rpc::Outbox& out);
  void report_if_due(Updates::iterator update, rpc::Outbox& out);
  void send_confirmed(Update& update, rpc::Outbox& out);
  void send_unreachable(const Update& update, NodeId node, const std::string& reason, rpc::Outbox& out);
  void fail(Updates::iterator update, wire::v1::Result result, rpc::Outbox& out);
  void erase(Updates::iterator update);

  Context& context_;
  Updates updates_;
  std::map<NodeId, Range> ranges_;
};

}  // namespace daedalus::aggregator

// One query to the nodes that hold its partitions, and their answers back as one.
//
// Decides whom to ask and when the answer is complete; the merge scheduler says when rows leave. Refuses
// to know SQL and where a query came from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "context.hpp"
#include "daedalus/merging/merge_scheduler.hpp"
#include "failures.hpp"

namespace daedalus::aggregator {

/// A checked query, ready to go down.
struct QueryRequest {
  Upstream upstream;
  wire::v1::OperationHeader header;  ///< As it came: priority, prefix_min, request_id, principal are passed on.
  semantics::Selection selection;
  std::string body;  ///< wire::v1::SelectBody in RESULT_FORM_PARTIAL.
  google::protobuf::RepeatedPtrField<wire::v1::Route> routes;
  std::vector<semantics::Column> columns;  ///< Of the finished answer; unused in RESULT_FORM_PARTIAL.
  wire::v1::ResultForm form = wire::v1::RESULT_FORM_FINAL;
  Instant deadline;
};

/// Checks a SELECT as it came from a client or from an aggregator above; upstream and deadline are left to the caller.
///
/// Every GROUP BY column must be among the outputs, hidden or not, as docs/wire.md says. Routes are computed from the
/// predicate: those in the header are only checked, so that a wrong one cannot leave rows out.
/// Errors: 08P01, and those of contract::to_selection.
[[nodiscard]] Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                                 wire::v1::Operation operation);

/// Invariants: exactly one QueryEnd or Error leaves per query, whatever arrives in whatever order, unless it was
/// forgotten; QueryEnd only after the end of every part, with a stamp of every partition and as many rows as announced.
class QueryFanOut {
 public:
  explicit QueryFanOut(Context& context);

  void start(QueryRequest request, Instant now, rpc::Outbox& out);

  /// A node's answer to a part that is still wanted.
  void on_result(QueryTicket ticket, NodeId node, wire::v1::Result result, rpc::Outbox& out);
  void on_node_lost(QueryTicket ticket, NodeId node, const std::string& reason, rpc::Outbox& out);
  /// The client does not want the answer any longer.
  void abort(uint64_t query, rpc::Outbox& out);
  void expire(uint64_t query, rpc::Outbox& out);
  /// The client is gone: nobody is told.
  void forget(uint64_t query, rpc::Outbox& out);

  /// Merges and sends a bounded piece of what has come, and lets go of what nobody waits for.
  void step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out);
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const { return merges_.has_work(gauge); }

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(queries_.size()); }

 private:
  /// What one node contributes.
  struct Part {
    NodeId node{};
    std::vector<PartitionId> partitions;  ///< Ascending.
    uint64_t sequence = 0;                ///< Of the hop to the node.
    bool has_ended = false;
    uint64_t row_count = 0;
    google::protobuf::RepeatedPtrField<wire::v1::SegmentStamp> stamps;
  };

  struct Query {
    Upstream upstream;
    Instant deadline;
    wire::v1::ResultForm form = wire::v1::RESULT_FORM_FINAL;
    std::vector<semantics::Column> columns;
    bool columns_sent = false;
    std::vector<Part> parts;   ///< By lowest partition.
    size_t waiting_count = 0;  ///< Parts that have not ended.
    uint64_t bytes = 0;        ///< Of rows sent.
    uint64_t row_count = 0;    ///< Sent to the client.
    std::optional<semantics::Slice> slice;
    std::optional<wire::v1::Slice> next_slice;  ///< As the node of a slice said; nothing: it has no more.
  };
  using Queries = std::map<uint64_t, Query>;

  [[nodiscard]] std::vector<Part> divide(const std::vector<PartitionId>& partitions) const;
  [[nodiscard]] bool refuse(const QueryRequest& request, const std::vector<Part>& parts, rpc::Outbox& out);
  /// Where the rows can be. Errors: 08P01, 22023.
  [[nodiscard]] Result<std::vector<PartitionId>> partitions_of(const QueryRequest& request) const;
  void send_parts(uint64_t id, Query& query, QueryRequest& request, Instant now, rpc::Outbox& out);
  void on_rows(Queries::iterator query, Part& part, wire::v1::Result result, rpc::Outbox& out);
  void on_end(Queries::iterator query, Part& part, const wire::v1::QueryEnd& end, rpc::Outbox& out);
  void on_error(Queries::iterator query, Part& part, wire::v1::Error error, rpc::Outbox& out);
  /// What follows a slice, if anything does.
  void set_next_slice(const Query& query, wire::v1::QueryEnd& end) const;
  void put(merging::MergeScheduler::Piece piece, rpc::Outbox& out);
  void finish(Queries::iterator query, rpc::Outbox& out);
  void send_rows(Query& query, semantics::MergedRows rows, rpc::Outbox& out);
  void add_columns(Query& query, wire::v1::QueryRows& rows);
  void fail(Queries::iterator query, wire::v1::Result error, rpc::Outbox& out);
  void erase(Queries::iterator query, rpc::Outbox& out);

  Context& context_;
  Queries queries_;
  merging::MergeScheduler merges_;  ///< A query's id is the same in both.
};

}  // namespace daedalus::aggregator

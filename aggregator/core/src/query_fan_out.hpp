// Queries to the nodes that hold their partitions: what a node is among the candidates of a gathering.
//
// Decides which node can answer for which partitions and what is sent to it. Refuses to know SQL, where a query came
// from, and how answers become one, which merging::Gather does.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "context.hpp"
#include "daedalus/merging/gather.hpp"
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

class QueryFanOut final : private merging::Candidates {
 public:
  explicit QueryFanOut(Context& context);

  void start(QueryRequest request, Instant now, rpc::Outbox& out);

  /// A node's answer to a part that is still wanted.
  void on_result(QueryTicket ticket, NodeId node, wire::v1::Result result, Instant now, rpc::Outbox& out);
  void on_node_lost(QueryTicket ticket, NodeId node, const std::string& reason, Instant now, rpc::Outbox& out);
  /// The client does not want the answer any longer.
  void abort(uint64_t query, rpc::Outbox& out);
  void expire(uint64_t query, rpc::Outbox& out);
  /// The client is gone: nobody is told.
  void forget(uint64_t query, rpc::Outbox& out) { gather_.forget(merging::QueryId{query}, out); }

  /// Merges and sends a bounded piece of what has come, and lets go of what nobody waits for.
  void step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out) {
    gather_.step(budget, gauge, out);
  }
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const { return gather_.has_work(gauge); }

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(queries_.size()); }

 private:
  /// A query as the nodes know it.
  struct Query {
    Upstream upstream;
    Instant deadline;
    wire::v1::Operation operation;                     ///< What every candidate is sent, but for the time that is left.
    std::vector<std::vector<PartitionId>> partitions;  ///< By part.
    std::vector<uint64_t> sequences;                   ///< By part: of the hop to the node that is asked for it.
  };

  // ---- nodes as candidates ----
  std::optional<wire::v1::Error> ask(merging::QueryId id, uint32_t part, merging::CandidateId candidate, Instant now,
                                     rpc::Outbox& out) override;
  void give_up(merging::QueryId id, uint32_t part, merging::CandidateId candidate, rpc::Outbox& out) override;
  void on_over(merging::QueryId id) override;
  [[nodiscard]] std::string name(merging::CandidateId candidate) const override;
  void add_missing(const merging::Part& part, merging::CandidateId candidate, const std::string& reason,
                   wire::v1::Error& error) const override;

  /// Those of the same candidates are one part.
  [[nodiscard]] std::vector<merging::Part> divide(const std::vector<PartitionId>& partitions) const;
  [[nodiscard]] bool refuse(const QueryRequest& request, const std::vector<merging::Part>& parts, rpc::Outbox& out);
  /// Where the rows can be. Errors: 08P01, 22023.
  [[nodiscard]] Result<std::vector<PartitionId>> partitions_of(const QueryRequest& request) const;
  [[nodiscard]] wire::v1::Operation operation_of(QueryRequest& request) const;
  /// The slice that follows one which takes all that is left of its partition.
  [[nodiscard]] std::optional<wire::v1::Slice> slice_after(const semantics::Selection& selection) const;
  [[nodiscard]] wire::v1::Error unreachable_part(const std::vector<PartitionId>& partitions, NodeId node,
                                                 const std::string& reason) const;

  Context& context_;
  merging::Gather gather_;
  std::map<uint64_t, Query> queries_;
};

}  // namespace daedalus::aggregator

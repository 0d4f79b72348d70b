// Queries to the nodes that hold their partitions: what a node is among the candidates of a gathering.
//
// Decides which node can answer for which partitions and what is sent to it. Refuses to know SQL, where a query came
// from, and how answers become one, which merging::Gather does.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client_handles.hpp"
#include "context.hpp"
#include "daedalus/merging/gather.hpp"
#include "failures.hpp"

namespace daedalus::aggregator {

/// The part of a query's header that is passed on.
struct QueryTerms {
  uint64_t prefix_min = 0;  ///< Whoever asks demands every update up to here.
  /// The moment of the answer; nothing: the aggregator takes one.
  std::optional<uint64_t> at = {};
  bool is_firm = false;       ///< Nobody puts another moment in the place of `at`.
  uint64_t freshness_ns = 0;  ///< The time that may have passed since the last word of the writer; 0: any.
  std::string request_id;
  std::string principal;
  uint32_t compute_ms = 0;
};

[[nodiscard]] QueryTerms terms_of(const wire::v1::OperationHeader& header);

/// A checked query, ready to go down.
struct QueryRequest {
  Upstream upstream;
  QueryTerms terms;
  CompiledSelect select;
  /// The partitions where rows can be, for a SELECT by handle; for others `select` says it.
  std::optional<contract::Partitions> partitions;
  std::shared_ptr<merging::ShapeColumns> shape_columns;  ///< The columns of what was asked by handle.
  wire::v1::ResultForm form = wire::v1::RESULT_FORM_FINAL;
  Instant deadline;
};

/// Checks a SELECT as it came from a client or from an aggregator above, and takes out of it what goes on; upstream and
/// deadline are left to the caller.
///
/// Every GROUP BY column must be among the outputs, hidden or not, as docs/wire.md says. Routes are computed from the
/// predicate: those in the header are only checked, so that a wrong one cannot leave rows out.
/// Errors: 08P01, and those of contract::to_selection.
[[nodiscard]] Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                                 wire::v1::Operation& operation);

/// Makes the same of a SELECT whose shape is in a handle of `client`. Routes are computed from its values; whether
/// these are right is for whoever binds them to say: the nodes. Errors: 08P01, and what was wrong with the definition.
[[nodiscard]] Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                                 const ClientHandles& handles, rpc::PeerId client,
                                                 wire::v1::Operation& operation);

class QueryFanOut final : private merging::Candidates {
 public:
  explicit QueryFanOut(Context& context);

  /// A select to be filled and started, with the memory of one that is over.
  [[nodiscard]] CompiledSelect spare_select();
  void start(QueryRequest request, Instant now, rpc::Outbox& out);

  /// A node's answer to a part that is still wanted.
  void on_result(QueryTicket ticket, NodeId node, wire::v1::Result&& result, Instant now, rpc::Outbox& out);
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
    QueryTerms terms;
    CompiledSelect select;
    contract::Partitions partitions;
    boost::container::small_vector<uint64_t, 1> sequences;  ///< By part: of the hop to the node that is asked for it.
  };

  // ---- nodes as candidates ----
  std::optional<wire::v1::Error> ask(merging::QueryId id, uint32_t part, merging::CandidateId candidate, Instant now,
                                     rpc::Outbox& out) override;
  void give_up(merging::QueryId id, uint32_t part, merging::CandidateId candidate, rpc::Outbox& out) override;
  void on_over(merging::QueryId id) override;
  [[nodiscard]] std::string name(merging::CandidateId candidate) const override;
  void add_missing(const merging::Part& part, merging::CandidateId candidate, const std::string& reason,
                   wire::v1::Error& error) const override;

  /// Divides the partitions into parts: those of the same candidates are one part.
  [[nodiscard]] merging::Parts divide(const contract::Partitions& partitions) const;
  /// Error 0A000 where a node that would be asked is of a build that does not know all that is in the query.
  [[nodiscard]] Result<void> check_language(const QueryRequest& request, const merging::Parts& parts) const;
  [[nodiscard]] bool refuse(const QueryRequest& request, const merging::Parts& parts, rpc::Outbox& out);
  /// Returns the partitions where the rows can be. Errors: 08P01, 22023.
  [[nodiscard]] Result<contract::Partitions> partitions_of(QueryRequest& request) const;
  /// A SELECT without body, routes and handle.
  [[nodiscard]] wire::v1::Operation select_for(const Query& query, Instant now, rpc::Outbox& out) const;
  /// Returns the operation that asks the node: by shape where it keeps the shape, whole otherwise. Error 08P01: values
  /// that its shape does not take.
  [[nodiscard]] Result<wire::v1::Operation> operation_for(NodeId node, const Query& query, Instant now,
                                                          rpc::Outbox& out);
  /// Makes of select_for() the query as a message that needs no shape.
  [[nodiscard]] Result<wire::v1::Operation> whole(const CompiledSelect& select, wire::v1::Operation operation) const;
  /// The slice that follows one which takes all that is left of its partition.
  [[nodiscard]] std::optional<wire::v1::Slice> slice_after(const semantics::Selection& selection) const;
  /// Returns the partitions of one part.
  [[nodiscard]] std::vector<PartitionId> partitions_of(const Query& query, uint32_t part) const;
  [[nodiscard]] wire::v1::Error unreachable_part(const std::vector<PartitionId>& partitions, NodeId node,
                                                 const std::string& reason) const;

  Context& context_;
  merging::Gather gather_;
  boost::unordered_flat_map<uint64_t, Query> queries_;
  /// The values of queries that are over: at most kSpareValuesMax small ones.
  std::vector<std::string> spare_values_;
};

}  // namespace daedalus::aggregator

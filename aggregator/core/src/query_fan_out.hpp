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

#include "context.hpp"
#include "daedalus/merging/gather.hpp"
#include "failures.hpp"
#include "query_request.hpp"

namespace daedalus::aggregator {

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
  /// Its time is over: ends it, unless it only waits for its reader.
  void expire(uint64_t query, Instant now, rpc::Outbox& out);
  /// The client is gone: nobody is told.
  void forget(uint64_t query, rpc::Outbox& out) { gather_.forget(merging::QueryId{query}, out); }

  /// Merges and sends a bounded piece of what has come, lets go of what nobody waits for, and asks for more where the
  /// reader has room.
  void step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, Instant now, rpc::Outbox& out) {
    gather_.step(budget, gauge, out);
    gather_.ask_for_more(gauge, now, out);
  }
  /// Returns whether step() would get on.
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const { return gather_.has_work(gauge); }

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(queries_.size()); }
  /// Returns the lowest moment of the queries that are under way. Cost O(count()).
  [[nodiscard]] std::optional<Timestamp> lowest_moment() const;

 private:
  /// A query as the nodes know it.
  struct Query {
    Upstream upstream;
    Instant deadline;
    int64_t allowed_ns = 0;  ///< The time that its answer may take, or, where it goes on, each of its pieces.
    QueryTerms terms;
    CompiledSelect select;
    boost::container::small_vector<uint64_t, 1> sequences;  ///< By part: of the hop to the node that is asked for it.
    /// The moment at which all parts are asked; a node that answers alone takes its own mark where that is higher.
    uint64_t moment = 0;
    bool is_asked_twice = false;
    bool goes_on = false;  ///< It is answered piece by piece.
  };

  // ---- nodes as candidates ----
  std::optional<wire::v1::Error> ask(merging::QueryId id, uint32_t part, merging::CandidateId candidate,
                                     const wire::v1::Slice* piece, Instant now, rpc::Outbox& out) override;
  void give_up(merging::QueryId id, uint32_t part, merging::CandidateId candidate, rpc::Outbox& out) override;
  void on_over(merging::QueryId id) override;
  [[nodiscard]] uint64_t mark() const override { return raw(context_.known.mark()); }
  [[nodiscard]] std::string name(merging::CandidateId candidate) const override;
  void add_missing(const merging::Part& part, merging::CandidateId candidate, const std::string& reason,
                   wire::v1::Error& error) const override;

  /// Divides the partitions into parts: those of the same candidates are one part.
  [[nodiscard]] merging::Parts divide(const contract::Partitions& partitions) const;
  /// Error 0A000 where a node that would be asked is of a build that does not know all that is in the query.
  [[nodiscard]] Result<void> check_language(const QueryRequest& request, const merging::Parts& parts) const;
  /// Returns whether the query can be answered at the moment, and as freshly, as whoever asks demands. Errors: 72000
  /// the aggregator has heard nothing for too long, 0A000 a node does not know moments, 40001 the moment lies below the
  /// mark.
  [[nodiscard]] Result<void> check_moment(const QueryTerms& terms, const merging::Parts& parts, Instant now) const;
  [[nodiscard]] bool refuse(const QueryRequest& request, const merging::Parts& parts, Instant now, rpc::Outbox& out);
  /// Returns the partitions where the rows can be. Errors: 08P01, 22023.
  [[nodiscard]] Result<contract::Partitions> partitions_of(QueryRequest& request) const;
  /// A SELECT without body, routes and handle.
  [[nodiscard]] wire::v1::Operation select_for(NodeId node, const Query& query, Instant now, rpc::Outbox& out) const;
  /// A part has been answered at the moment; 0: it does not say.
  static void learn_moment(Query& query, uint64_t moment);
  /// A node has refused a part because it knows a higher mark than the query's moment. Asks all parts again, and
  /// returns true, where the query may have another moment.
  [[nodiscard]] bool ask_again(QueryTicket ticket, Query& query, uint64_t mark, Instant now, rpc::Outbox& out);
  /// Returns the operation that asks the node: by shape where it keeps the shape, whole otherwise. Error 08P01: values
  /// that its shape does not take.
  [[nodiscard]] Result<wire::v1::Operation> operation_for(NodeId node, const Query& query, const wire::v1::Slice* piece,
                                                          Instant now, rpc::Outbox& out);
  /// Makes of select_for() the query as a message that needs no shape, and asks for a piece where it is not null.
  [[nodiscard]] Result<wire::v1::Operation> whole(const CompiledSelect& select, const wire::v1::Slice* piece,
                                                  wire::v1::Operation operation) const;
  /// Gives the query its time anew, from now on.
  void extend(uint64_t id, Query& query, Instant now);
  /// The slice that follows one which takes all that is left of its partition.
  [[nodiscard]] std::optional<wire::v1::Slice> slice_after(const semantics::Selection& selection) const;
  /// Returns the partitions of one part.
  [[nodiscard]] std::vector<PartitionId> partitions_of(merging::QueryId id, uint32_t part) const;
  [[nodiscard]] wire::v1::Error unreachable_part(const std::vector<PartitionId>& partitions, NodeId node,
                                                 const std::string& reason) const;

  Context& context_;
  merging::Gather gather_;
  boost::unordered_flat_map<uint64_t, Query> queries_;
  /// The values of queries that are over: at most kSpareValuesMax small ones.
  std::vector<std::string> spare_values_;
};

}  // namespace daedalus::aggregator

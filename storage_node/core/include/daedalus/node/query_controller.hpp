// Routes queries to the segments of this node: what a segment is among the candidates of a gathering.
//
// Decides which segments a query needs and when nobody waits for them any more. Refuses to know how answers become one
// (merging::Gather does), updates and who decides a moment: what arrives here may run now.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/merging/gather.hpp"
#include "daedalus/node/parked_queries.hpp"
#include "daedalus/node/placement.hpp"
#include "daedalus/node/segment_port.hpp"
#include "daedalus/node/update_pipeline.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::node {

struct QueryControllerOptions {
  uint32_t queries_in_flight_max = 4096;
  uint64_t answer_bytes_max = 64u << 20;       ///< Bounds one node's answer to one query.
  int64_t retry_after_ns = 10 * kMillisecond;  ///< Hint that goes with a refusal for lack of room.
  /// An aggregator asks for many: what has not been read yet may be more than one answer.
  merging::MergeLimits merges{.output_waiting_max = 16u << 20};
  /// Bounds all answers of this process, from the segments' buffers to the sockets.
  std::shared_ptr<ByteBudget> answer_budget = std::make_shared<ByteBudget>(1u << 30);
};

class QueryController final : private merging::Candidates {
 public:
  QueryController(QueryControllerOptions options, NodeId node, const NodePlacement& placement,
                  const UpdatePipeline& updates, const LogProgress& log, SegmentPort& segments);

  /// Starts the query, or answers Error RETRY when there is no room. Precondition (CHECKed): it is not running.
  void start(PreparedQuery query, Instant now, rpc::Outbox& out);
  /// Takes a segment's answer, or a part of it: its rows leave in the steps that follow, the end when every segment has
  /// ended. Returns the query, which is not running any more and has had no answer, where the segment has lost its
  /// moment, whoever asks has not chosen that moment, and no row has left.
  [[nodiscard]] std::optional<PreparedQuery> on_output(SegmentIndex segment, engine::QueryOutput output, Instant now,
                                                       rpc::Outbox& out);
  /// Merges and sends a bounded piece of what there is, and lets go of what nobody waits for.
  void step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out) {
    gather_.step(budget, gauge, out);
  }
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const { return gather_.has_work(gauge); }
  /// Ends the query with 57014, if it is running.
  void abort(Requester requester, rpc::Outbox& out);
  /// Ends the peer's queries without a word.
  void on_peer_down(rpc::PeerId peer, rpc::Outbox& out);
  void on_deadline(Instant now, rpc::Outbox& out);

  [[nodiscard]] Instant next_deadline() const;
  [[nodiscard]] bool contains(Requester requester) const { return by_requester_.contains(requester); }
  /// Ended ones count until their segments have let go of them.
  [[nodiscard]] size_t running() const { return queries_.size(); }

 private:
  /// A query as its segments know it.
  struct Running {
    PreparedQuery query;
    std::vector<SegmentIndex> segments;  ///< Ascending: the parts of its gathering.
    std::shared_ptr<std::atomic<bool>> aborted = std::make_shared<std::atomic<bool>>(false);
    uint32_t segments_missing = 0;  ///< That have taken it and have not ended yet.
    bool is_over = false;           ///< Answered, or its peer has gone.
  };
  using Queries = std::unordered_map<merging::QueryId, Running>;

  // ---- segments as candidates ----
  std::optional<wire::v1::Error> ask(merging::QueryId id, uint32_t part, merging::CandidateId candidate,
                                     const wire::v1::Slice* piece, Instant now, rpc::Outbox& out) override;
  void give_up(merging::QueryId id, uint32_t part, merging::CandidateId candidate, rpc::Outbox& out) override;
  void on_over(merging::QueryId id) override;
  [[nodiscard]] std::string name(merging::CandidateId candidate) const override;
  void add_missing(const merging::Part& part, merging::CandidateId candidate, const std::string& reason,
                   wire::v1::Error& error) const override;

  [[nodiscard]] std::vector<SegmentIndex> segments_for(const PreparedQuery& query) const;
  [[nodiscard]] merging::Parts parts_of(const std::vector<SegmentIndex>& segments) const;
  /// The slice that follows one which takes all that is left of its segment.
  [[nodiscard]] std::optional<wire::v1::Slice> slice_after(const semantics::Selection& selection) const;
  /// The piece_bytes of one segment.
  [[nodiscard]] static uint64_t segment_piece_bytes(const Running& running);
  /// Returns whether the answer may be made anew at another moment.
  [[nodiscard]] bool is_outrun(merging::QueryId id, const PreparedQuery& query, const Error& error) const;
  [[nodiscard]] static Error failure_of(const PreparedQuery& query, Error error);
  [[nodiscard]] merging::PartEnd end_of(const Running& running, SegmentIndex segment,
                                        const engine::QueryOutput& output) const;
  void forget_if_let_go(Queries::iterator query);

  QueryControllerOptions options_;
  NodeId node_;
  const NodePlacement& placement_;
  const UpdatePipeline& updates_;
  const LogProgress& log_;
  SegmentPort& segments_;
  merging::Gather gather_;
  uint64_t last_id_ = 0;
  Queries queries_;
  std::map<Requester, merging::QueryId> by_requester_;        ///< Holds those not over.
  std::set<std::pair<Instant, merging::QueryId>> deadlines_;  ///< Holds those not over.
};

}  // namespace daedalus::node

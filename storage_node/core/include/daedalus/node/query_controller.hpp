// Routes queries to the segments of this node and joins their answers into one.
//
// Ends every query exactly once: with rows and their end, or with one error; the merge scheduler says when rows leave.
// Refuses to know updates and prefixes demanded: what arrives here may run now.
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
#include "daedalus/merging/merge_scheduler.hpp"
#include "daedalus/node/parked_queries.hpp"
#include "daedalus/node/placement.hpp"
#include "daedalus/node/segment_port.hpp"
#include "daedalus/node/update_pipeline.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::node {

struct QueryControllerOptions {
  uint32_t queries_in_flight_max = 4096;
  uint64_t answer_bytes_max = 64u << 20;       ///< Of one node's answer to one query.
  int64_t retry_after_ns = 10 * kMillisecond;  ///< Hint that goes with a refusal for lack of room.
  /// An aggregator asks for many: what has not been read yet may be more than one answer.
  merging::MergeLimits merges{.output_waiting_max = 16u << 20};
  /// Of all answers of this process, from the segments' buffers to the sockets.
  std::shared_ptr<ByteBudget> answer_budget = std::make_shared<ByteBudget>(1u << 30);
};

class QueryController {
 public:
  QueryController(QueryControllerOptions options, std::shared_ptr<const semantics::Schema> schema, NodeId node,
                  const NodePlacement& placement, const UpdatePipeline& updates, SegmentPort& segments);

  /// Starts the query, or answers Error RETRY when there is no room. Precondition (CHECKed): it is not running.
  void start(PreparedQuery query, rpc::Outbox& out);
  /// Takes a segment's answer, or a part of it: its rows leave in the steps that follow, the end when every segment has
  /// ended.
  void on_output(SegmentIndex segment, engine::QueryOutput output, rpc::Outbox& out);
  /// Merges and sends a bounded piece of what there is, and lets go of what nobody waits for.
  void step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out);
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const { return merges_.has_work(gauge); }
  /// Ends the query with 57014, if it is running.
  void abort(Requester requester, rpc::Outbox& out);
  /// Ends the peer's queries without a word.
  void on_peer_down(rpc::PeerId peer);
  void on_deadline(Instant now, rpc::Outbox& out);

  [[nodiscard]] Instant next_deadline() const;
  [[nodiscard]] bool contains(Requester requester) const { return by_requester_.contains(requester); }
  /// Ended ones count until their segments have let go of them.
  [[nodiscard]] size_t running() const { return queries_.size(); }

 private:
  struct Running {
    PreparedQuery query;
    std::shared_ptr<std::atomic<bool>> aborted;
    uint32_t segments_missing = 0;  ///< That have not ended yet.
    uint64_t bytes = 0;
    uint64_t row_count = 0;
    std::vector<wire::v1::SegmentStamp> stamps;
    std::optional<uint64_t> next_slot;  ///< Of a slice that ends before its segment does.
    bool is_ended = false;              ///< Answered with an error, or its peer has gone.
  };
  using Queries = std::unordered_map<uint64_t, Running>;

  void take(SegmentIndex segment, engine::QueryOutput output, Running& running, rpc::Outbox& out);
  [[nodiscard]] std::vector<SegmentIndex> segments_for(const semantics::Selection& selection) const;
  /// What follows a slice on this node, if anything does in its partition.
  void set_next_slice(const Running& running, wire::v1::QueryEnd& end) const;
  void put(merging::MergeScheduler::Piece piece, rpc::Outbox& out);
  void send_end(Running& running, rpc::Outbox& out);
  void fail(uint64_t handle, Running& running, const Error& error, int64_t retry_after_ns, rpc::Outbox& out);
  /// Nobody waits for the answer any more; what the segments still put out is dropped.
  void end(uint64_t handle, Running& running);
  /// A query that has ended is forgotten once its segments have let go of it.
  void forget_if_over(uint64_t handle);
  void forget(uint64_t handle);
  [[nodiscard]] wire::v1::SegmentStamp stamp(SegmentIndex segment, Timestamp prefix) const;

  QueryControllerOptions options_;
  std::shared_ptr<const semantics::Schema> schema_;
  NodeId node_;
  const NodePlacement& placement_;
  const UpdatePipeline& updates_;
  SegmentPort& segments_;
  merging::MergeScheduler merges_;  ///< Of those not ended; a query's id is its handle.
  uint64_t last_handle_ = 0;
  Queries queries_;                                   ///< By handle.
  std::map<Requester, uint64_t> by_requester_;        ///< Those not ended.
  std::set<std::pair<Instant, uint64_t>> deadlines_;  ///< Those not ended.
};

}  // namespace daedalus::node

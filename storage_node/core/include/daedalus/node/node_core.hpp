// The storage node's protocol as one state machine: every message a node understands has its handler here.
//
// Decides what is checked, refused, parked, ordered and answered, and in which of the small machines the work is done.
// Refuses to know threads, sockets, files and clocks: messages and the time go in, Effects come out, and segments
// stand behind SegmentPort. The process and the simulator drive it identically.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/allocator_use.hpp"
#include "daedalus/base/past_timestamp.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/node/effects.hpp"
#include "daedalus/node/epoch_store.hpp"
#include "daedalus/node/parked_queries.hpp"
#include "daedalus/node/placement.hpp"
#include "daedalus/node/query_controller.hpp"
#include "daedalus/node/query_shapes.hpp"
#include "daedalus/node/read_holds.hpp"
#include "daedalus/node/read_mark.hpp"
#include "daedalus/node/segment_port.hpp"
#include "daedalus/node/sequencer.hpp"
#include "daedalus/node/update_pipeline.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/semantics/language.hpp"

namespace daedalus::node {

struct NodeOptions {
  NodeId node{};
  std::string cluster_id;
  std::string endpoint;  ///< The address of this node, as its status tells it.
  std::string version;
  uint64_t process_id = 0;
  std::function<AllocatorUse()> allocator;                ///< Asked for STATUS; may be empty.
  std::vector<std::pair<NodeId, std::string>> addresses;  ///< All nodes of the cluster, for DESCRIBE.
  uint32_t segments = 1;                                  ///< Per partition.
  /// Found on disk at start. Without a log the rows that went with it are lost, so the node is incomplete.
  std::optional<EpochRecord> found_epoch;
  uint64_t incarnation = 0;                                           ///< Another one in each life of the node.
  const semantics::Language* language = &semantics::Language::own();  ///< This node says that it understands this.
  int64_t deadline_ns_default = 30 * kSecond;
  uint32_t parked_queries_max = 1024;
  /// Updates that wait for the log, or for room in one segment, beyond which new ones are refused OVERLOADED. As many
  /// as a writer has without a confirmation: the log may be slow.
  uint32_t updates_waiting_max = 8192;
  /// Unless it is off, updates are appended to a log before they are applied; else they are enqueued at once.
  Durability durability = Durability::kOff;
  SequencerOptions sequencer;
  QueryControllerOptions queries;
};

/// Driver's duties: one call at a time; carry out the effects and say when what takes time is done; arm one timer at
/// their wake_at. At the end of a turn call step() once; as long as has_work(), take another turn soon, after looking
/// at the sockets. Effects of several calls may be carried out together.
class NodeCore {
 public:
  /// A moment that was the mark is kept for so long after the mark has risen above it.
  static constexpr int64_t kTrimDelayNs = 2 * kSecond;

  /// Preconditions (CHECKed): the map gives this node a partition. `segments` outlives this object and has
  /// hosted_partitions(map, node).size() · options.segments segments.
  NodeCore(NodeOptions options, std::shared_ptr<const semantics::Schema> schema, contract::PartitionMap map,
           SegmentPort& segments);
  NodeCore(const NodeCore&) = delete;
  NodeCore& operator=(const NodeCore&) = delete;

  // ---- recovery, before anything else happens ----
  /// Everything up to `through` is in the segments, or in those chunks that are ahead of it. `slots_known`: by segment,
  /// up to where replayed updates have their slots from their records. Preconditions: there is a log.
  void start_after(Timestamp through, std::vector<Timestamp> slots_known);
  /// Makes work of records of the log; one for each thread that does so.
  [[nodiscard]] UpdatePlacer placer() const { return updates_.placer(); }
  /// A record of the log up to start_after(), and what came of it, which has to be known: to be told to whoever asks
  /// for it again. In order, without holes.
  void remember(const ReplayedRecord& replayed);
  /// The next record of the log, and what became of it where that was recorded. Segments put out what they do, as ever
  /// (on_output()).
  void replay(ReplayedRecord replayed);
  /// The log has been replayed to its end, and applied: the node is incomplete if it lacks what it had when it granted
  /// its epoch.
  void on_recovered();
  /// Updates that segments could not take yet: the owner lets them work when these are many.
  [[nodiscard]] size_t waiting_max() const { return updates_.waiting_max(); }

  // ---- what happens ----
  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info, Instant now, Effects& effects);
  void on_down(rpc::PeerId peer, Instant now, Effects& effects);
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation, Instant now, Effects& effects);
  /// A segment has put something out; in its order.
  void on_output(SegmentIndex segment, engine::Output output, Instant now, Effects& effects);
  /// The oldest of Effects::epochs has been synced to disk.
  void on_epoch_persisted(Epoch epoch, Instant now, Effects& effects);
  /// The oldest of Effects::epochs could not be synced, for this reason: it is refused, and the one before stays in
  /// force. Whether it is on disk after all does not matter: a node that finds it when it starts asks for a higher one.
  void on_epoch_failed(Epoch epoch, const Error& why, Effects& effects);
  /// Records of Effects::log up to the one that ends at `through` have been written: a query may see them.
  void on_appended(Timestamp through, Instant now, Effects& effects);
  /// They outlive a loss of power: they may be confirmed. Precondition: on_appended() was told before.
  void on_durable(Timestamp through, Instant now, Effects& effects);
  /// Records cannot be written now, or can again (none). Until then no further updates are taken.
  void on_log_stuck(std::optional<Error> error) { log_stuck_ = std::move(error); }
  void on_deadline(Instant now, Effects& effects);
  /// Takes what the data directory holds, for the status.
  void on_stored(StorageFigures figures) { storage_ = figures; }
  /// From now on every new operation is refused with RETRY 57P01; those under way go on, and may be aborted.
  void drain() { is_draining_ = true; }
  /// Gets on with answers, as far as the budget allows and their receivers have room for them.
  void step(semantics::WorkBudget budget, const rpc::OutputGauge& gauge, Effects& effects);
  /// Returns whether a step would get on.
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const { return queries_.has_work(gauge); }

  // ---- questions ----
  /// Why the node serves neither queries nor updates, and what to do; nothing when all is well.
  [[nodiscard]] const std::optional<Error>& problem() const;
  [[nodiscard]] Timestamp accepted() const { return sequencer_.accepted(); }
  [[nodiscard]] Timestamp applied() const { return sequencer_.applied(); }
  [[nodiscard]] Timestamp durable() const { return log_.durable(applied()); }
  /// Nobody will be told any more what came of updates up to here.
  [[nodiscard]] Timestamp forgotten() const { return sequencer_.forgotten(); }
  /// Every update up to here is confirmed: what was durable here at the start, and what the writer has said since. No
  /// answer of any node may show less. For greetings, too: an aggregator that was started again knows nothing else.
  [[nodiscard]] Timestamp mark() const { return read_mark_.mark(); }
  /// Segments keep what answers need at this moment and later ones; they have been told so. That is what was the mark
  /// two seconds ago, or a lower one that somebody still reads.
  [[nodiscard]] Timestamp kept_from() const { return kept_from_; }
  [[nodiscard]] const EpochRecord& epoch() const { return epochs_.in_force(); }
  /// Operations whose answers are still owed.
  [[nodiscard]] size_t under_way() const;

 private:
  class Call;

  /// Ends a call of the driver, before which there were so many results.
  void end_call(size_t results_before, std::optional<Instant> now, Effects& effects);
  void dispatch(Requester from, wire::v1::Operation operation, Instant now, Effects& effects);
  // ---- handlers, one per kind ----
  void on_select(Requester from, const wire::v1::Operation& operation, Instant now, Effects& effects);
  void on_abort(Requester from, const wire::v1::OperationHeader& header, Effects& effects);
  void on_update(Requester from, wire::v1::Operation operation, Instant now, Effects& effects);
  void on_epoch(Requester from, const wire::v1::Operation& operation, Effects& effects);
  void on_mark(Requester from, const wire::v1::Operation& operation, Effects& effects);
  void on_hold(Requester from, const wire::v1::Operation& operation, Instant now, Effects& effects);
  void on_describe(Requester from, Effects& effects) const;
  void on_status(Requester from, Effects& effects) const;

  [[nodiscard]] std::optional<Error> check_header(const wire::v1::OperationHeader& header) const;
  [[nodiscard]] std::optional<Error> check_select(const wire::v1::OperationHeader& header) const;
  [[nodiscard]] std::optional<Error> check_slice(const semantics::Slice& slice) const;
  /// Returns what a SELECT asks for, whole or by the shape in a slot. Without deadline and moment.
  [[nodiscard]] Result<PreparedQuery> whole_query(Requester from, const wire::v1::Operation& operation) const;
  [[nodiscard]] Result<PreparedQuery> shaped_query(Requester from, const wire::v1::Operation& operation) const;
  [[nodiscard]] Result<PreparedQuery> prepare(Requester from, const wire::v1::Operation& operation, Instant now) const;
  [[nodiscard]] Result<NumberedUpdate> to_numbered(wire::v1::Operation operation) const;
  [[nodiscard]] bool refuse_update(Requester from, const wire::v1::OperationHeader& header, rpc::Outbox& out) const;

  /// Carries out what the sequencer decided, until nothing more follows from it.
  void carry_out(SequencerEffects decided, Instant now, Effects& effects);
  void accept(std::vector<Admission> admissions, SequencerEffects& decided, Effects& effects);
  void finish_applied(Instant now, Effects& effects);
  void note_replayed(const UpdateTracker::Applied& applied, SequencerEffects& decided);
  [[nodiscard]] std::optional<Error> lost_before(const EpochRecord& record) const;
  [[nodiscard]] wire::v1::NodeWatermark watermark(Timestamp reached) const;
  /// A query at a moment up to here may run now: whatever it must see is ahead of it in the rings.
  [[nodiscard]] Timestamp queryable() const;
  /// Refuses a query at a moment below the mark.
  void send_below_mark(Requester to, uint64_t at, rpc::Outbox& out) const;
  /// Lets the query run, or wait for its moment.
  void admit(PreparedQuery query, Instant now, Effects& effects);
  void unpark(Instant now, Effects& effects);
  void send_parking_full(Requester to, const ParkedQueries& parked, rpc::Outbox& out) const;
  /// An update that alone is larger than a segment's window has taken the query's moment away, before anything of its
  /// answer left: the query waits until that update is confirmed.
  void wait_for_mark(PreparedQuery query, Effects& effects);
  /// Has those asked again whose wait is over, at the mark.
  void release_outrun(Effects& effects);
  /// Returns the oldest moment that every segment's window still has.
  [[nodiscard]] Timestamp oldest_in_windows() const;
  /// Tells the segments what nobody will ask for any more.
  void raise_kept_from();
  [[nodiscard]] Instant next_deadline() const;
  void send(Confirmation confirmation, rpc::Outbox& out) const;
  void send(const Refusal& refusal, rpc::Outbox& out) const;
  void send_epoch(Requester to, bool is_granted, const std::optional<Error>& error, rpc::Outbox& out) const;
  void fill(wire::v1::NodeStatus* status) const;

  NodeOptions options_;
  std::shared_ptr<const semantics::Schema> schema_;
  contract::PartitionMap map_;
  SegmentPort& segments_;
  NodePlacement placement_;
  EpochStore epochs_;
  Sequencer sequencer_;
  LogProgress log_;
  UpdatePipeline updates_;
  QueryShapes shapes_;
  ParkedQueries parked_;
  ParkedQueries outrun_;  ///< Wait until a mark is reached; nobody answers them at their moments.
  QueryController queries_;
  ReadMark read_mark_;
  PastTimestamp marks_{{.delay_ns = kTrimDelayNs, .sample_ns = kTrimDelayNs / 20}};
  ReadHolds holds_;
  Timestamp kept_from_{};
  std::optional<Error> incomplete_;
  std::optional<Error> log_stuck_;
  StorageFigures storage_;
  bool needs_epoch_ = false;  ///< None has been granted in this life, and there was one before.
  bool is_draining_ = false;
  std::map<rpc::PeerId, uint64_t> last_sequence_;  ///< By peer that is up.
  uint64_t queries_total_ = 0;
  uint64_t updates_total_ = 0;
};

}  // namespace daedalus::node

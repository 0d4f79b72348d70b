// A storage node of the simulated cluster: the real core, engine and log behind simulated sockets, disk and time.
//
// It does what the program's main() does: it hands messages in, carries effects out, and arms one timer. Nothing is
// decided here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "configuration.hpp"
#include "daedalus/durability/checkpoint_writer.hpp"
#include "daedalus/durability/chunk_copier.hpp"
#include "daedalus/durability/node_log.hpp"
#include "daedalus/durability/simulated_disk.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/node/node_core.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "hold_witness.hpp"

namespace daedalus::testing {

class NodeProcess final : public rpc::PeerHandler, public node::SegmentPort {
 public:
  NodeProcess(const ClusterConfiguration& configuration, NodeId id, rpc::SimulatedNetwork& network);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result&& result) override;

  [[nodiscard]] bool enqueue(node::SegmentIndex segment, engine::Query query) override;
  [[nodiscard]] bool enqueue(node::SegmentIndex segment, engine::Update update) override;
  void keep_from(node::SegmentIndex segment, Timestamp moment) override;
  [[nodiscard]] node::SegmentReport report(node::SegmentIndex segment) const override;

  /// Loses its rows and all it knows but what is on its disk, and stays away until come_back().
  void crash(rpc::Notice notice);
  /// Precondition: it crashed. Why it could not start; nothing when all is well.
  [[nodiscard]] std::optional<Error> come_back();
  [[nodiscard]] bool is_down() const { return core_ == nullptr; }
  [[nodiscard]] durability::SimulatedDisk& disk() { return disk_; }
  /// Until `end` a sync takes up to so long.
  void slow_down(int64_t sync_ns_max, Instant end);
  /// Until `end` a sweep begins up to so much later than it could.
  void slow_sweeps(int64_t pause_ns_max, Instant end);
  /// Precondition: it is down. Its directory is what it was once: what it has promised since is forgotten with it.
  void put_back(const std::map<std::string, std::string>& image);
  /// Is told whenever a checkpoint has become current.
  void set_on_checkpoint(std::function<void()> told) { on_checkpoint_ = std::move(told); }
  [[nodiscard]] uint64_t rows_per_segment() const { return shape_->rows_max; }
  /// Its rows by segment and slot (slot_rows.hpp). Precondition: it is up, and nothing is under way in its segments.
  [[nodiscard]] std::vector<std::map<uint64_t, std::string>> rows_by_slot(const semantics::Selection& selection) const;

  [[nodiscard]] const node::NodeCore& core() const { return *core_; }
  /// Timestamps in the order they were handed to segment 0: what invariant "order" is about. Since it came back.
  [[nodiscard]] const std::vector<Timestamp>& admitted() const { return admitted_; }
  /// Says how it has not kept a hold that it had said yes to, if so.
  [[nodiscard]] const std::optional<std::string>& broken_hold() const { return broken_hold_; }

 private:
  void start();
  void make_segments();
  [[nodiscard]] node::NodeOptions options();
  [[nodiscard]] const semantics::Language& language() const;
  /// Says that it is of an older build, which knows neither marks nor moments.
  [[nodiscard]] bool is_older() const;
  [[nodiscard]] std::optional<Error> recover();
  void let_segments_work();
  void carry_out(node::Effects effects);
  /// Has records written and synced a while later, in order.
  void keep_log(const std::vector<node::LogRecord>& records, const std::vector<node::OutcomeRecord>& outcomes);
  void note(const std::string& what) const;
  void count_arrival(const wire::v1::OperationHeader& header) const;
  void write_log();
  void sync_log();
  void prepare_files();
  void on_refused(const Error& error);
  /// Goes on with the checkpoint that is being made, or begins one; and again after a while.
  void make_checkpoint();
  void commit_checkpoint();
  void persist_epochs(node::Effects& effects);
  void wake(uint32_t segment);
  void wake_all();
  void begin_checkpoints();
  void sweep(uint32_t segment);
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] wire::v1::Hello hello() const;

  const ClusterConfiguration& configuration_;
  NodeId id_;
  rpc::SimulatedNetwork& network_;
  semantics::GenericRowCodec codec_;
  durability::SimulatedDisk disk_;
  std::unique_ptr<durability::NodeLog> log_;
  std::unique_ptr<durability::ChunkBuffers> buffers_;
  std::vector<std::unique_ptr<durability::ChunkCopier>> copiers_;
  std::unique_ptr<durability::CheckpointWriter> checkpoints_;
  bool is_stuck_ = false;  ///< The disk has refused, and it is tried again.
  std::function<void()> on_checkpoint_ = [] {};
  uint64_t torn_counted_ = 0;
  int64_t sync_ns_max_ = 0;
  Instant slow_until_{};
  int64_t sweep_pause_ns_max_ = 0;
  Instant sweeps_slow_until_{};
  uint64_t life_ = 0;
  uint64_t granted_ = 0;  ///< The highest epoch that it told anybody it had granted.
  /// The statistics of a segment, before anything is in it.
  std::optional<engine::SegmentStatistics> shape_;
  bool is_recovering_ = false;
  node::Effects replayed_;  ///< The effects of recovery.
  std::vector<std::unique_ptr<engine::Segment>> segments_;
  std::vector<bool> awake_;
  Instant appended_at_{};  ///< When all that was given to the log so far will have been tried to write.
  std::vector<Timestamp> admitted_;
  HoldWitness holds_;
  std::optional<std::string> broken_hold_;
  std::unique_ptr<node::NodeCore> core_;
  bool is_turn_posted_ = false;
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

}  // namespace daedalus::testing

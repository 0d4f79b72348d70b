// The storage node as a process: NodeCore between real sockets, real segments and its data directory.
//
// Decides nothing about the protocol. One thread does everything but scanning and waiting for the disk; what it did in
// one turn of its loop leaves together at the turn's end.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checkpoint_thread.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/durability/node_log.hpp"
#include "daedalus/durability/posix_disk.hpp"
#include "daedalus/durability/replay.hpp"
#include "daedalus/node/node_core.hpp"
#include "daedalus/rpc/asio_network.hpp"
#include "daedalus/rpc/network.hpp"
#include "disk_thread.hpp"
#include "log_thread.hpp"
#include "node_configuration.hpp"
#include "threaded_segments.hpp"
#include "void_answers.hpp"

namespace daedalus::node {

/// Holds what becomes of queries.
enum class NodeKind : uint8_t {
  kServing,
  kVoid,  ///< They end at once, without rows: VoidAnswers.
};

class NodeProcess final : public rpc::PeerHandler {
 public:
  NodeProcess(const NodeConfiguration& configuration, const std::string& version, NodeKind kind);

  /// Starts and serves until SIGTERM or SIGINT, then finishes what is under way, for a short while, and returns.
  /// Errors: the reason why it could not start or go on.
  [[nodiscard]] Result<void> run();

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result&& result) override;

 private:
  [[nodiscard]] Result<void> start();
  [[nodiscard]] Result<void> make_segments(const NodeOptions& options);
  void start_segments();
  /// Brings back what the data directory holds, and opens the log behind it.
  [[nodiscard]] Result<void> recover();
  void let_segments_work(durability::Meanwhile meanwhile);
  void open_log(durability::NodeLogEnd end, std::optional<uint64_t> restored);
  void on_turn_end();
  void keep_log();
  void persist_epochs();
  void on_epoch_written(const EpochRecord& record, const Result<void>& written);
  void tell_mark();
  void log_problem();
  void begin_drain();
  void stop_when_drained();
  void arm();

  const NodeConfiguration& configuration_;
  std::string version_;
  durability::PosixDisk data_;
  wire::v1::Hello hello_;
  durability::DirectoryLock lock_;
  std::shared_ptr<const semantics::Schema> schema_;
  std::unique_ptr<rpc::AsioNetwork> network_;
  std::unique_ptr<CheckpointHooks> hooks_;  ///< None without durability.
  std::unique_ptr<ThreadedSegments> segments_;
  std::unique_ptr<NodeCore> core_;
  Effects effects_;
  std::optional<VoidAnswers> void_answers_;  ///< The answers of a void node.
  std::optional<Instant> drain_deadline_;
  Timestamp applied_told_{};  ///< To the log.
  bool is_problem_logged_ = false;
  // These last, so that they end first.
  std::unique_ptr<LogThread> log_;                 ///< None without durability.
  std::unique_ptr<CheckpointThread> checkpoints_;  ///< Likewise.
  DiskThread disk_;
};

}  // namespace daedalus::node

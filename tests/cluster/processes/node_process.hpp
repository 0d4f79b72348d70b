// A storage node of the simulated cluster: the real core and a real engine behind simulated sockets and time.
//
// What the program's main() is: it hands messages in, carries effects out, and arms one timer. Nothing is decided here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "configuration.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/node/node_core.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "daedalus/semantics/row_codec.hpp"

namespace daedalus::testing {

class NodeProcess final : public rpc::PeerHandler, public node::SegmentPort {
 public:
  NodeProcess(const ClusterConfiguration& configuration, NodeId id, rpc::SimulatedNetwork& network);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result result) override;

  [[nodiscard]] bool enqueue(node::SegmentIndex segment, engine::Query query) override;
  [[nodiscard]] bool enqueue(node::SegmentIndex segment, engine::Update update) override;
  [[nodiscard]] node::SegmentReport report(node::SegmentIndex segment) const override;

  /// Loses its rows and all it knows but what is on disk, the epoch, and stays away until come_back().
  void crash(rpc::Notice notice);
  void come_back();

  [[nodiscard]] const node::NodeCore& core() const { return *core_; }
  /// Timestamps in the order they were handed to segment 0: what invariant "order" is about. Since it came back.
  [[nodiscard]] const std::vector<Timestamp>& admitted() const { return admitted_; }

 private:
  void start(rpc::SimulatedEndpoint& endpoint);
  void carry_out(node::Effects effects);
  /// Writes records and syncs them a while later, in order.
  void write_log(const std::vector<node::LogRecord>& records);
  void wake(uint32_t segment);
  void sweep(uint32_t segment);
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] wire::v1::Hello hello() const;

  const ClusterConfiguration& configuration_;
  NodeId id_;
  rpc::SimulatedNetwork& network_;
  semantics::GenericRowCodec codec_;
  std::optional<node::EpochRecord> disk_;
  std::vector<std::unique_ptr<engine::Segment>> segments_;
  std::vector<bool> awake_;
  Instant appended_at_{};  ///< When all that was given to the log so far will have been written.
  std::vector<Timestamp> admitted_;
  std::unique_ptr<node::NodeCore> core_;
  bool is_turn_posted_ = false;
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

}  // namespace daedalus::testing

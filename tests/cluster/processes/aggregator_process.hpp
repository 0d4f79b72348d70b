// An aggregator of the simulated cluster: the real core and the real compiler behind simulated sockets and time.
//
// It does what the program's main() does: it hands messages in, carries effects out, and arms one timer. Nothing is
// decided here.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "configuration.hpp"
#include "daedalus/aggregator/compile.hpp"
#include "daedalus/aggregator/core.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "front_door.hpp"
#include "sabotage.hpp"

namespace daedalus::testing {

class AggregatorProcess final : public rpc::PeerHandler, private rpc::OutputGauge {
 public:
  AggregatorProcess(const ClusterConfiguration& configuration, std::string name, rpc::SimulatedNetwork& network);
  /// With a map of its own; whether its greeting tells the map's version is up to `tells_map`.
  AggregatorProcess(const ClusterConfiguration& configuration, std::string name,
                    std::shared_ptr<const contract::PartitionMap> map, bool tells_map, rpc::SimulatedNetwork& network);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result&& result) override;
  void on_dial_failed(rpc::LinkId link, const std::string& reason) override;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const aggregator::AggregatorCore& core() const { return *core_; }
  /// When it began to know anything.
  [[nodiscard]] Instant started_at() const { return started_at_; }
  /// Its machine's wall clock, microseconds since 1970: what now() is. It may be set, ahead or back.
  [[nodiscard]] int64_t wall_clock_us() const;
  void set_wall_clock(int64_t ahead_us) { wall_ahead_us_ += ahead_us; }
  /// Returns whether the writer has sent it anything in between.
  [[nodiscard]] bool heard_from_writer(Instant from, Instant to) const;
  /// All that it has read there in between.
  [[nodiscard]] std::vector<int64_t> wall_clock_read(Instant from, Instant to) const;
  /// Returns whether it is connected to that node.
  [[nodiscard]] bool reaches(uint32_t node) const;
  /// Loses everything it knows and starts again.
  void crash_and_restart();
  /// A client of PostgreSQL's protocol has connected, as this session.
  void accept(rpc::PeerId session, std::shared_ptr<ByteLine> line, DoorWitness& witness);

 private:
  void start(rpc::SimulatedEndpoint& endpoint);
  void carry_out(aggregator::Effects effects);
  void compile(std::vector<aggregator::CompileRequest> requests);
  /// Somebody looks at the wall clock, and it is written down.
  [[nodiscard]] int64_t read_wall_clock();
  [[nodiscard]] uint64_t output_waiting(rpc::PeerId peer) const override;
  [[nodiscard]] wire::v1::Hello hello() const;

  const ClusterConfiguration& configuration_;
  std::string name_;
  std::shared_ptr<const contract::PartitionMap> map_;
  bool tells_map_;
  rpc::SimulatedNetwork& network_;
  Saboteur saboteur_;
  std::shared_ptr<aggregator::Compiler> compiler_;
  std::map<rpc::PeerId, uint32_t> nodes_;  ///< Which storage node a peer is.
  std::unique_ptr<aggregator::AggregatorCore> core_;
  std::unique_ptr<FrontDoor> front_door_;  ///< Once somebody has come there.
  Instant started_at_{};
  int64_t wall_ahead_us_ = 0;
  std::vector<std::pair<Instant, int64_t>> wall_clock_read_;
  std::set<Instant> heard_from_writer_;
  bool is_turn_posted_ = false;
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

}  // namespace daedalus::testing

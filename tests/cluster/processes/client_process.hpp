// An application before the simulated cluster: asks queries and takes note of everything that comes back.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "configuration.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "judge.hpp"
#include "workload.hpp"

namespace daedalus::testing {

class ClientProcess final : public rpc::PeerHandler {
 public:
  struct Answer {
    GivenAnswer given;
    bool has_end = false;  ///< Everything was said; `given` is complete.
    std::optional<wire::v1::Error> error;
    bool is_lost = false;  ///< The connection went first.
  };

  ClientProcess(const ClusterConfiguration& configuration, std::string name, rpc::SimulatedNetwork& network);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result result) override;

  /// False when no aggregator is connected. `which` picks one of those that are.
  bool ask(const Workload::Query& query, Timestamp prefix_promised, int64_t remaining_ns, uint64_t which);

  [[nodiscard]] std::deque<Answer>& answers() { return answers_; }
  [[nodiscard]] size_t in_flight() const { return in_flight_.size(); }

 private:
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
  std::map<rpc::PeerId, uint64_t> next_sequence_;
  std::map<std::pair<rpc::PeerId, uint64_t>, Answer> in_flight_;
  std::deque<Answer> answers_;
};

}  // namespace daedalus::testing

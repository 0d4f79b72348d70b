// The processes of a simulated cluster: real cores and a real engine behind simulated sockets and time.
//
// Each is what the program's main() is: it hands messages in, carries effects out, and arms one timer. Nothing is
// decided here.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/aggregator/core.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/node/node_core.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "judge.hpp"
#include "sabotage.hpp"
#include "transcript.hpp"
#include "workload.hpp"
#include "writer_model.hpp"

namespace daedalus::testing {

/// What every process of the cluster is configured with.
struct ClusterConfiguration {
  std::shared_ptr<const semantics::Schema> schema;
  std::shared_ptr<const contract::PartitionMap> map;
  uint32_t segments = 2;
  uint64_t segment_bytes = 64u << 10;  ///< Room for every row of a run.
  std::vector<std::string> nodes;      ///< Endpoints; index is the node id.
  std::vector<std::string> aggregators;
  std::string writer;
  bool has_log = false;                      ///< Updates wait for a log, which takes its time, before they are applied.
  PlantedFault fault = PlantedFault::kNone;  ///< In every aggregator.
  uint32_t submissions_known_max = 16;       ///< Few, so that the writer forgets some in every run.
};

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

  [[nodiscard]] const node::NodeCore& core() const { return *core_; }
  /// Timestamps in the order they were handed to segment 0: what invariant "order" is about.
  [[nodiscard]] const std::vector<Timestamp>& admitted() const { return admitted_; }

 private:
  void carry_out(node::Effects effects);
  /// Writes records and syncs them a while later, in order.
  void write_log(const std::vector<node::LogRecord>& records);
  void wake(uint32_t segment);
  void sweep(uint32_t segment);

  rpc::SimulatedNetwork& network_;
  semantics::GenericRowCodec codec_;
  std::vector<std::unique_ptr<engine::Segment>> segments_;
  std::vector<bool> awake_;
  std::vector<Timestamp> admitted_;
  std::unique_ptr<node::NodeCore> core_;
  bool is_turn_posted_ = false;
  Instant appended_at_{};  ///< When all that was given to the log so far will have been written.
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

class AggregatorProcess final : public rpc::PeerHandler {
 public:
  AggregatorProcess(const ClusterConfiguration& configuration, uint32_t index, rpc::SimulatedNetwork& network);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result result) override;

  /// Loses everything it knows and starts again.
  void crash_and_restart();

 private:
  void start(rpc::SimulatedEndpoint& endpoint);
  void carry_out(aggregator::Effects effects);
  [[nodiscard]] wire::v1::Hello hello() const;

  const ClusterConfiguration& configuration_;
  uint32_t index_;
  rpc::SimulatedNetwork& network_;
  Saboteur saboteur_;
  std::map<rpc::PeerId, uint32_t> nodes_;  ///< Which storage node a peer is, for the saboteur.
  std::unique_ptr<aggregator::AggregatorCore> core_;
  bool is_turn_posted_ = false;
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

class WriterProcess final : public rpc::PeerHandler {
 public:
  using OnOutcome = std::function<void(const SubmissionOutcome&)>;

  WriterProcess(const ClusterConfiguration& configuration, rpc::SimulatedNetwork& network, OnOutcome on_outcome);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result result) override;

  [[nodiscard]] std::optional<SubmitRefusal> submit(const Submission& submission, const std::string& body,
                                                    const std::vector<wire::v1::Route>& routes);
  [[nodiscard]] const WriterModel& model() const { return model_; }
  [[nodiscard]] const Transcript& transcript() const { return transcript_; }

 private:
  void carry_out(rpc::Outbox out, const WriterEffects& effects);

  const ClusterConfiguration& configuration_;
  OnOutcome on_outcome_;
  WriterModel model_;
  Transcript transcript_;
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

/// An application: asks queries and takes note of everything that comes back.
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

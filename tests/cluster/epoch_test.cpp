// A writer before nodes whose epochs lie further apart than one may rise at a time (docs/protocol.md, "Epochs"): it
// becomes the writer of all of them, whoever brought them there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "aggregator_process.hpp"
#include "client_process.hpp"
#include "node_process.hpp"
#include "topology.hpp"
#include "workload.hpp"
#include "writer_process.hpp"

namespace daedalus::testing {
namespace {

constexpr uint64_t kStep = node::EpochStore::kStepMax;

/// A peer of one node that raises its epoch, as far as it may, again and again.
class Raiser final : public rpc::PeerHandler {
 public:
  Raiser(rpc::SimulatedNetwork& network, const std::string& name, const std::string& node) {
    wire::v1::Hello hello;
    hello.set_role(wire::v1::ROLE_WRITER);
    hello.set_name(name);
    endpoint_ = &network.start(name, hello, *this);
    endpoint_->dial(node);
  }

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& /*info*/) override { peer_ = peer; }
  void on_down(rpc::PeerId /*peer*/, const std::string& /*reason*/) override { peer_.reset(); }
  void on_operation(rpc::PeerId /*peer*/, wire::v1::Operation&& /*operation*/) override {}
  void on_result(rpc::PeerId /*peer*/, wire::v1::Result&& result) override {
    reply_ = std::move(*result.mutable_epoch());
  }

  [[nodiscard]] bool is_up() const { return peer_.has_value(); }
  [[nodiscard]] const std::optional<wire::v1::EpochReply>& reply() const { return reply_; }

  void ask(uint64_t epoch) {
    reply_.reset();
    wire::v1::EpochBody body;
    body.set_epoch(epoch);
    body.set_holder("somebody");
    wire::v1::Operation operation;
    operation.mutable_header()->set_sequence(++sequence_);
    operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_EPOCH);
    operation.set_body(body.SerializeAsString());
    rpc::Outbox out;
    out.operations.emplace_back(*peer_, std::move(operation));
    endpoint_->send(std::move(out));
  }

 private:
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
  std::optional<rpc::PeerId> peer_;
  std::optional<wire::v1::EpochReply> reply_;
  uint64_t sequence_ = 0;
};

class EpochTest : public ::testing::Test {
 protected:
  EpochTest() : network_({.seed = 7}) {
    configuration_.schema = std::make_shared<const semantics::Schema>(simulated_schema(TableShape::kSmall));
    configuration_.map = std::make_shared<const contract::PartitionMap>(map_of({.nodes = 3}));
    configuration_.nodes = {"node-0:1", "node-1:1", "node-2:1"};
    configuration_.aggregators = {"aggregator-0:1"};
    configuration_.writer = "writer:1";
    for (uint32_t node = 0; node < configuration_.nodes.size(); ++node) {
      nodes_.push_back(std::make_unique<NodeProcess>(configuration_, NodeId{node}, network_));
    }
  }

  wire::v1::EpochReply ask(Raiser& raiser, uint64_t epoch) {
    EXPECT_TRUE(network_.run_until([&] { return raiser.is_up(); }, 10 * kSecond));
    raiser.ask(epoch);
    EXPECT_TRUE(network_.run_until([&] { return raiser.reply().has_value(); }, 10 * kSecond));
    return raiser.reply().value_or(wire::v1::EpochReply());
  }

  /// In steps as large as there may be.
  void raise(uint32_t node, uint64_t steps) {
    raisers_.push_back(
        std::make_unique<Raiser>(network_, fmt::format("raiser-{}:1", node), configuration_.nodes[node]));
    for (uint64_t step = 1; step <= steps; ++step) {
      EXPECT_TRUE(ask(*raisers_.back(), step * kStep).granted());
    }
  }

  void expect_writer_in_epoch(uint64_t epoch) {
    const AggregatorProcess aggregator(configuration_, configuration_.aggregators[0], network_);
    const WriterProcess writer(configuration_, writer_options(configuration_), network_, {});
    EXPECT_TRUE(network_.run_until([&] { return writer.model().phase() == WriterModel::Phase::kActive; }, kMinute));
    for (const auto& node : nodes_) {
      EXPECT_EQ(raw(node->core().epoch().epoch), epoch);
      EXPECT_EQ(node->core().epoch().holder, "writer");
    }
    network_.crash(configuration_.writer);
    network_.crash(configuration_.aggregators[0]);
  }

  static constexpr int64_t kMinute = 60 * kSecond;
  rpc::SimulatedNetwork network_;
  ClusterConfiguration configuration_;
  std::vector<std::unique_ptr<NodeProcess>> nodes_;
  std::vector<std::unique_ptr<Raiser>> raisers_;
};

TEST_F(EpochTest, ANodeSaysHowFarItsEpochMayRise) {
  Raiser raiser(network_, "raiser:1", configuration_.nodes[0]);
  const auto refused = ask(raiser, UINT64_MAX);
  EXPECT_FALSE(refused.granted());
  EXPECT_EQ(refused.epoch(), 0U);
  EXPECT_EQ(refused.error().category(), wire::v1::ERROR_CATEGORY_REJECTED);
  EXPECT_EQ(refused.error().sqlstate(), "22023");
  EXPECT_EQ(refused.error().message(),
            "epoch 18446744073709551615 is too far above 0, the highest that node 0 knows: it may rise by 1048576 at a "
            "time");
  EXPECT_TRUE(ask(raiser, 1).granted());
}

TEST_F(EpochTest, NodesAtOneEpochAreRaisedByOne) {
  raise(0, 1);
  raise(1, 1);
  raise(2, 1);
  expect_writer_in_epoch(kStep + 1);
}

TEST_F(EpochTest, ANodeStartedFromNothingCatchesUpStepByStep) {
  raise(0, 3);
  raise(1, 3);
  expect_writer_in_epoch(3 * kStep + 2);  // The first two granted one before node 2 had caught up.
}

TEST_F(EpochTest, NodesFarApartAllCatchUp) {
  raise(0, 5);
  raise(1, 2);
  expect_writer_in_epoch(5 * kStep + 2);
}

}  // namespace
}  // namespace daedalus::testing

// Holds: what a client has to be told, what the nodes are told and when, and what ends a hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HoldsTest : public ::testing::Test {
 protected:
  HoldsTest() { cluster.mark(writer, 7); }

  /// Both nodes say yes to what they have been told last.
  void all_say_yes(uint64_t mark) {
    for (const uint32_t node : {0u, 1u}) {
      cluster.held(node, cluster.last(node), mark);
    }
  }
  void hold_and_wait(rpc::PeerId peer, const std::vector<uint64_t>& moments) {
    cluster.hold(peer, moments);
    all_say_yes(7);
    static_cast<void>(cluster.take());
  }

  Cluster cluster;
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  rpc::PeerId other = cluster.connect(wire::v1::ROLE_CLIENT);
  rpc::PeerId writer = cluster.connect(wire::v1::ROLE_WRITER);
};

TEST_F(HoldsTest, ANewMomentIsTheMarkOnceAllNodesHaveSaidYes) {
  static_cast<void>(cluster.take());
  cluster.hold(client, {0});
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 7\nnode 1 <- HOLD 7\n");
  cluster.held(0, cluster.last(0), 7);
  EXPECT_EQ(cluster.take(), "");
  cluster.held(1, cluster.last(1), 6);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- held 7\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(HoldsTest, ANewMomentIsNotBelowWhatTheClientDemands) {
  static_cast<void>(cluster.take());
  cluster.hold(client, {0}, 9);
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 9\nnode 1 <- HOLD 9\n");
}

TEST_F(HoldsTest, ANodeWithAHigherMarkMakesAllBeAskedAgain) {
  cluster.hold(client, {0});
  cluster.held(0, cluster.last(0), 7);
  const uint64_t first = cluster.last(1);
  static_cast<void>(cluster.take());
  cluster.held(1, first, 9, {7});
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 9\nnode 1 <- HOLD 9\n");
  all_say_yes(9);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- held 9\n");
}

TEST_F(HoldsTest, AMomentThatOthersHoldIsNotTakenAnewBelowANodesMark) {
  hold_and_wait(client, {0});
  cluster.hold(other, {0});
  static_cast<void>(cluster.take());
  cluster.held(0, cluster.last(0), 9);  // The node says yes to 7, which it holds already.
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 7 9\nnode 1 <- HOLD 7 9\n");
}

TEST_F(HoldsTest, ANodeThatRefusesWithoutAHigherMarkIsAtFault) {
  cluster.hold(client, {0});
  static_cast<void>(cluster.take());
  cluster.held(0, cluster.last(0), 7, {7});
  EXPECT_THAT(cluster.take(), HasSubstr("error FATAL XX000"));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(HoldsTest, ANamedMomentIsHeldOrRefusedAndNeverRaised) {
  static_cast<void>(cluster.take());
  cluster.hold(client, {5});
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 5\nnode 1 <- HOLD 5\n");
  all_say_yes(7);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- held 5\n");

  cluster.hold(other, {4, 0});
  cluster.held(0, cluster.last(0), 7, {4});
  cluster.held(1, cluster.last(1), 7);
  EXPECT_THAT(cluster.take(), HasSubstr("#1 <- held 7 refused=4\n"));
}

TEST_F(HoldsTest, TheListReplacesWhatTheConnectionHeld) {
  hold_and_wait(client, {5, 6});
  cluster.hold(client, {6, 0});
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 6 7\nnode 1 <- HOLD 6 7\n");
  all_say_yes(7);
  EXPECT_EQ(cluster.take(), "client 102 #2 <- held 7\n");
  cluster.hold(client, {7});
  EXPECT_EQ(cluster.take(), "client 102 #3 <- held 7\n") << "nothing new: nobody has to be asked";
  cluster.hold(client, {});
  EXPECT_EQ(cluster.take(), "client 102 #4 <- held 0\n");
}

TEST_F(HoldsTest, AMomentThatAConnectionTakesTwiceIsHeldOnce) {
  hold_and_wait(client, {0});
  hold_and_wait(client, {7, 0});
  hold_and_wait(client, {7, 7, 0});
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  for (const uint32_t node : {0u, 1u}) {
    wire::v1::Result result;
    result.mutable_status()->add_nodes();
    cluster.answer(cluster.peer_of(node), cluster.last(node), std::move(result));
  }
  EXPECT_EQ(cluster.results().back().second.status().aggregator().holds(), 1u);
  cluster.hold(client, {});
  cluster.advance(400 * kMillisecond);
  static_cast<void>(cluster.take());
  cluster.advance(100 * kMillisecond);
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD\nnode 1 <- HOLD\n");
}

TEST_F(HoldsTest, TheWordIsRenewedEvery500MsAndSaidWithoutMomentsOnceNothingIsHeld) {
  hold_and_wait(client, {0});
  cluster.advance(500 * kMillisecond - 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.advance(1);
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 7\nnode 1 <- HOLD 7\n");
  cluster.hold(client, {});
  static_cast<void>(cluster.take());
  cluster.advance(500 * kMillisecond);
  EXPECT_THAT(cluster.take(), HasSubstr("node 0 <- HOLD\nnode 1 <- HOLD\n"));
  cluster.advance(10 * kSecond);
  EXPECT_THAT(cluster.take(), Not(HasSubstr("HOLD")));
}

TEST_F(HoldsTest, AClientThatIsGoneHoldsNothing) {
  hold_and_wait(client, {5, 0});
  hold_and_wait(other, {0});
  cluster.disconnect(client);
  cluster.advance(500 * kMillisecond);
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 7\nnode 1 <- HOLD 7\n");
  cluster.hold(other, {7, 0});
  cluster.disconnect(other);
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
  static_cast<void>(cluster.take());
  cluster.advance(500 * kMillisecond);
  EXPECT_THAT(cluster.take(), HasSubstr("node 0 <- HOLD\nnode 1 <- HOLD\n"));
}

TEST_F(HoldsTest, ANodeThatComesBackIsToldAtOnce) {
  hold_and_wait(client, {0});
  cluster.node_down(1);
  cluster.node_up(1);
  static_cast<void>(cluster.take());
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 7\nnode 1 <- HOLD 7\n");
}

TEST_F(HoldsTest, WhileANodeIsAwayNothingNewIsHeld) {
  cluster.hold(client, {0});
  static_cast<void>(cluster.take());
  cluster.node_down(1);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error RETRY 08006\n");
  cluster.hold(client, {0});
  EXPECT_EQ(cluster.take(), "client 102 #2 <- error RETRY 08006\n");
  cluster.set_nodes_know_moments(false);
  cluster.node_up(1);
  static_cast<void>(cluster.take());
  cluster.hold(client, {0});
  EXPECT_EQ(cluster.take(), "client 102 #3 <- error REJECTED 0A000\n");
}

TEST_F(HoldsTest, AHoldEndsAtItsDeadlineOrWhenItIsAborted) {
  const uint64_t late = cluster.hold(client, {0});
  static_cast<void>(cluster.take());
  cluster.advance(30 * kSecond);
  EXPECT_THAT(cluster.take(), HasSubstr("client 102 #1 <- error RETRY 57014\n"));
  EXPECT_EQ(late, 1u);
  cluster.abort(client, cluster.hold(client, {0}));
  EXPECT_THAT(cluster.take(), HasSubstr("client 102 #2 <- error REJECTED 57014\n"));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(HoldsTest, WhatANodeHasNoRoomForIsNotHeld) {
  cluster.hold(client, {0});
  static_cast<void>(cluster.take());
  cluster.fail(0, cluster.last(0), Error{ErrorCategory::kRetry, "53000", "it is full", {}, 0});
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error RETRY 53000\n");
}

TEST_F(HoldsTest, OneHoldOfAConnectionIsUnderWayAtATime) {
  cluster.hold(client, {0});
  static_cast<void>(cluster.take());
  cluster.hold(client, {0});
  EXPECT_EQ(cluster.take(), "client 102 #2 <- error REJECTED 08P01\n");
  cluster.hold(other, {0, 0});
  EXPECT_THAT(cluster.take(), HasSubstr("error REJECTED 08P01\n"));
}

TEST_F(HoldsTest, HoldsOfOneTurnShareAWord) {
  static_cast<void>(cluster.take());
  wire::v1::HoldBody body;
  body.add_moments(0);
  for (const auto peer : {client, other}) {
    cluster.send(peer, make_operation(wire::v1::OPERATION_KIND_HOLD, body.SerializeAsString()));
  }
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 7\nnode 1 <- HOLD 7\n");
  all_say_yes(7);
  EXPECT_THAT(cluster.take(), HasSubstr("client 103 #1 <- held 7\n"));
}

TEST_F(HoldsTest, QueriesThatTakeLongAreToldToTheNodes) {
  cluster.select(client, select_ids());
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.advance(499 * kMillisecond);
  EXPECT_EQ(cluster.take(), "");
  cluster.mark(writer, 8);
  cluster.select(client, select_ids());
  static_cast<void>(cluster.take());
  cluster.advance(kMillisecond);
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD lowest=7\nnode 1 <- HOLD lowest=7\n");
}

class NarrowHoldsTest : public ::testing::Test {
 protected:
  static ClusterOptions narrow() {
    ClusterOptions options;
    options.aggregator.holds_max = 3;
    options.aggregator.holds_per_client_max = 2;
    return options;
  }
  Cluster cluster{narrow()};
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  rpc::PeerId other = cluster.connect(wire::v1::ROLE_CLIENT);
};

TEST_F(NarrowHoldsTest, MomentsOfOneConnectionAndOfAllAreBounded) {
  cluster.hold(client, {1, 2, 3});
  EXPECT_THAT(cluster.take(), HasSubstr("client 102 #1 <- error REJECTED 54000\n"));
  cluster.hold(client, {1, 2});
  for (const uint32_t node : {0u, 1u}) {
    cluster.held(node, cluster.last(node), 0);
  }
  EXPECT_THAT(cluster.take(), HasSubstr("client 102 #2 <- held 1\n"));
  cluster.hold(other, {1, 2});
  EXPECT_THAT(cluster.take(), HasSubstr("client 103 #1 <- error RETRY 53000\n"));
  cluster.hold(other, {4});
  EXPECT_EQ(cluster.take(), "node 0 <- HOLD 1 2 4\nnode 1 <- HOLD 1 2 4\n");
}

}  // namespace
}  // namespace daedalus::aggregator::testing

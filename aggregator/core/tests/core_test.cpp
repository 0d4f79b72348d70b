// Who may send what, EPOCH, DESCRIBE and STATUS, and what is refused at the door.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

wire::v1::Operation epoch_operation(uint64_t epoch, bool inquire = false) {
  wire::v1::EpochBody body;
  body.set_epoch(epoch);
  body.set_holder("writer-0");
  body.set_endpoint("writer-0:9");
  body.set_inquire(inquire);
  return make_operation(wire::v1::OPERATION_KIND_EPOCH, body.SerializeAsString());
}

wire::v1::Result epoch_result(uint32_t node, bool granted, uint64_t epoch, const std::string& holder) {
  wire::v1::Result result;
  auto& reply = *result.mutable_epoch();
  reply.set_granted(granted);
  reply.set_epoch(epoch);
  reply.set_holder(holder);
  reply.set_endpoint(holder + ":9");
  reply.add_accepted()->set_node(node);
  return result;
}

class CoreTest : public ::testing::Test {
 protected:
  Cluster cluster;
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  rpc::PeerId writer = cluster.connect(wire::v1::ROLE_WRITER);
};

// ---- at the door ----

TEST_F(CoreTest, OnlyWritersSendUpdatesAndEpochs) {
  cluster.update(client, 1, "");
  cluster.send(client, epoch_operation(1));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 42501\nclient 102 #2 <- error REJECTED 42501\n");
}

TEST_F(CoreTest, MalformedOperationsAreAnsweredOneByOne) {
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_SELECT, "\xff"));
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATEMENT, "\xff"));
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_NO_OP_RANGE));
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_UNSPECIFIED));
  cluster.send(writer, make_operation(wire::v1::OPERATION_KIND_UPDATE));
  cluster.send(writer, make_operation(wire::v1::OPERATION_KIND_EPOCH, "\xff"));
  EXPECT_EQ(cluster.take(),
            "client 102 #1 <- error REJECTED 08P01\nclient 102 #2 <- error REJECTED 08P01\n"
            "client 102 #3 <- error REJECTED 08P01\nclient 102 #4 <- error REJECTED 08P01\n"
            "client 103 #1 <- error REJECTED 08P01\nclient 103 #2 <- error REJECTED 08P01\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(CoreTest, ARouteThatNamesAWrongColumnIsMalformed) {
  auto body = select_ids();
  body.set_form(wire::v1::RESULT_FORM_FINAL);
  auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
  operation.mutable_header()->add_routes()->add_equalities()->set_column(99);
  cluster.send(client, operation);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 08P01\n");
}

TEST_F(CoreTest, AnotherMapIsToldFromOurs) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT);
  operation.mutable_header()->set_map_version(8);
  cluster.send(client, operation);
  EXPECT_THAT(cluster.results().at(0).second.error().message(), HasSubstr("map 8, this aggregator has map 7"));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error RETRY 55000\n");
}

TEST_F(CoreTest, RefusesFieldsThatItDoesNotSupport) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_DESCRIBE);
  operation.mutable_header()->set_priority(1);
  cluster.send(client, operation);
  operation.mutable_header()->set_priority(0);
  operation.mutable_header()->set_credit_lease(1);
  cluster.send(client, operation);
  operation.mutable_header()->set_credit_lease(0);
  operation.mutable_header()->set_principal(std::string(129, 'p'));
  cluster.send(client, operation);
  EXPECT_EQ(cluster.take(),
            "client 102 #1 <- error REJECTED 0A000\nclient 102 #2 <- error REJECTED 0A000\n"
            "client 102 #3 <- error REJECTED 08P01\n");
}

TEST_F(CoreTest, ARepeatedSequenceClosesTheConnection) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_DESCRIBE);
  operation.mutable_header()->set_sequence(5);
  for (int i = 0; i < 2; ++i) {
    cluster.core().on_operation(client, wire::v1::Operation(operation), cluster.now(), cluster.effects());
  }
  cluster.collect();
  EXPECT_EQ(cluster.take(), "client 102 #5 <- described flights\nclose client 102\n");
}

TEST_F(CoreTest, OneConnectionHasALimitOfItsOwn) {
  ClusterOptions options;
  options.aggregator.operations_per_client_max = 1;
  Cluster small(options);
  const auto greedy = small.connect(wire::v1::ROLE_CLIENT);
  const auto modest = small.connect(wire::v1::ROLE_CLIENT);
  small.select(greedy, select_ids());
  small.select(greedy, select_ids());
  small.select(modest, select_ids());
  EXPECT_THAT(small.take(), HasSubstr("client 102 #2 <- error RETRY 53000\n"));
}

TEST_F(CoreTest, RoundsOverAllNodesAreBounded) {
  ClusterOptions options;
  options.aggregator.rounds_max = 1;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_WRITER);
  auto mark = make_operation(wire::v1::OPERATION_KIND_MARK);
  mark.mutable_header()->set_is_passed_on(true);
  for (const auto& operation : {epoch_operation(3), make_operation(wire::v1::OPERATION_KIND_STATUS), mark}) {
    small.send(peer, operation);
    static_cast<void>(small.take());
    small.send(peer, operation);
    EXPECT_THAT(small.take(), HasSubstr("RETRY 53000"));
  }
}

TEST_F(CoreTest, NodesAndWritersAreNotServedAsClients) {
  cluster.connect(wire::v1::ROLE_STORAGE_NODE);
  EXPECT_EQ(cluster.take(), "close client 104\n");
  cluster.core().on_operation(cluster.peer_of(0), make_operation(wire::v1::OPERATION_KIND_STATUS), cluster.now(),
                              cluster.effects());
  cluster.core().on_result(client, wire::v1::Result(), cluster.now(), cluster.effects());
  cluster.collect();
  EXPECT_EQ(cluster.take(), "close node 0\nclose client 102\n");
}

TEST_F(CoreTest, WhileItDrainsNothingNewIsTaken) {
  cluster.select(client, select_ids());
  static_cast<void>(cluster.take());
  cluster.core().drain();
  cluster.select(client, select_ids());
  cluster.update(writer, 1, "");
  EXPECT_EQ(cluster.take(), "client 102 #2 <- error RETRY 57P01\nclient 103 #1 <- refused t=1 UNREACHABLE node=0\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 1u);
}

// ---- epochs ----

TEST_F(CoreTest, AnEpochIsGrantedWhenAllNodesHave) {
  cluster.send(writer, epoch_operation(3));
  EXPECT_EQ(cluster.take(), "node 0 <- EPOCH\nnode 1 <- EPOCH\n");
  cluster.answer(cluster.peer_of(1), cluster.last(1), epoch_result(1, true, 3, "writer-0"));
  EXPECT_EQ(cluster.take(), "");
  cluster.answer(cluster.peer_of(0), cluster.last(0), epoch_result(0, true, 3, "writer-0"));
  EXPECT_EQ(cluster.results().at(0).second.epoch().accepted(0).node(), 0u);
  EXPECT_EQ(cluster.take(), "client 103 #1 <- epoch granted=true epoch=3 holder=writer-0 accepted=2\n");
  EXPECT_EQ(cluster.effects().dials.at(0).endpoint, "writer-0:9");
}

TEST_F(CoreTest, ARefusalNamesTheHolder) {
  cluster.send(writer, epoch_operation(3));
  cluster.answer(cluster.peer_of(0), cluster.last(0), epoch_result(0, true, 3, "writer-0"));
  static_cast<void>(cluster.take());
  cluster.answer(cluster.peer_of(1), cluster.last(1), epoch_result(1, false, 4, "writer-1"));
  EXPECT_THAT(cluster.results().at(0).second.epoch().error().message(), HasSubstr("writer-1"));
  EXPECT_EQ(cluster.take(), "client 103 #1 <- epoch granted=false epoch=4 holder=writer-1 accepted=2\n");
}

TEST_F(CoreTest, AnEpochIsClaimedFromAllNodesOrNone) {
  cluster.node_down(1);
  cluster.send(writer, epoch_operation(3));
  const auto& reply = cluster.results().at(0).second.epoch();
  EXPECT_FALSE(reply.granted());
  EXPECT_EQ(reply.error().category(), wire::v1::ERROR_CATEGORY_RETRY);
  EXPECT_THAT(reply.error().message(), HasSubstr("storage node 1 at node-1:1"));
  EXPECT_EQ(cluster.take().find("node 0 <- EPOCH"), std::string::npos);
}

TEST_F(CoreTest, AnInquiryTellsWhatTheReachableNodesKnow) {
  cluster.node_down(1);
  cluster.send(writer, epoch_operation(0, true));
  cluster.answer(cluster.peer_of(0), cluster.last(0), epoch_result(0, true, 2, "writer-9"));
  EXPECT_EQ(cluster.take(),
            "node 0 <- EPOCH\nclient 103 #1 <- epoch granted=false epoch=2 holder=writer-9 accepted=1\n");
}

TEST_F(CoreTest, AnEpochEndsWhenANodeIsLostOrSilent) {
  cluster.send(writer, epoch_operation(3));
  cluster.answer(cluster.peer_of(0), cluster.last(0), epoch_result(0, true, 3, "writer-0"));
  static_cast<void>(cluster.take());
  cluster.node_down(1);
  EXPECT_EQ(cluster.take(), "client 103 #1 <- epoch granted=false epoch=3 holder=writer-0 accepted=1\n");
  cluster.node_up(1);
  cluster.send(writer, epoch_operation(4));
  static_cast<void>(cluster.take());
  cluster.advance(30 * kSecond - 1);
  EXPECT_EQ(cluster.take().find("client"), std::string::npos);
  cluster.advance(1);
  EXPECT_THAT(cluster.take(), HasSubstr("client 103 #2 <- epoch granted=false"));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(CoreTest, WhileThereIsNoWriterNodesAreAskedForOneEverySecond) {
  EXPECT_EQ(cluster.take(), "");
  cluster.advance(kSecond - 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.advance(1);
  EXPECT_EQ(cluster.take(), "node 0 <- EPOCH\nnode 1 <- EPOCH\n");
  cluster.answer(cluster.peer_of(0), cluster.last(0), epoch_result(0, false, 0, ""));
  cluster.advance(kSecond);
  EXPECT_EQ(cluster.take(), "node 0 <- EPOCH\n") << "the other one still owes an answer";
}

// ---- describe and status ----

TEST_F(CoreTest, DescribesTableMapAndLimits) {
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_DESCRIBE));
  const auto& described = cluster.results().at(0).second.described();
  EXPECT_EQ(described.cluster_id(), "test");
  EXPECT_EQ(described.columns_size(), 3);
  EXPECT_EQ(described.map().version(), 7u);
  EXPECT_EQ(described.map().partitions_size(), 2);
  ASSERT_EQ(described.map().nodes_size(), 2);
  EXPECT_EQ(described.map().nodes(1).endpoint(), "node-1:1");
  EXPECT_EQ(described.durability(), "off");
  EXPECT_GT(described.limits().answer_bytes_max(), 0u);
}

wire::v1::Result node_status(uint64_t applied) {
  wire::v1::Result result;
  result.mutable_status()->add_nodes()->set_applied(applied);
  return result;
}

TEST_F(CoreTest, StatusNamesEveryNodeWhateverItsState) {
  cluster.node_down(1, "connection refused");
  cluster.core().on_dial_failed(rpc::LinkId{1}, "it belongs to cluster \"other\"", cluster.effects());
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  EXPECT_EQ(cluster.take(), "node 0 <- STATUS\n");
  cluster.answer(cluster.peer_of(0), cluster.last(0), node_status(5));
  const auto& status = cluster.results().at(0).second.status();
  ASSERT_EQ(status.nodes_size(), 2);
  EXPECT_TRUE(status.nodes(0).reachable());
  EXPECT_EQ(status.nodes(0).endpoint(), "node-0:1");
  EXPECT_EQ(status.nodes(0).applied(), 5u);
  EXPECT_FALSE(status.nodes(1).reachable());
  EXPECT_EQ(status.nodes(1).problem(), "it belongs to cluster \"other\"");
  EXPECT_EQ(status.aggregator().clients(), 2u);
  EXPECT_FALSE(status.aggregator().writer_reachable());
}

TEST_F(CoreTest, StatusWaitsASecondForASilentNode) {
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  cluster.answer(cluster.peer_of(0), cluster.last(0), node_status(5));
  static_cast<void>(cluster.take());
  cluster.advance(kSecond - 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.advance(1);
  ASSERT_FALSE(cluster.results().empty());
  const auto& status = cluster.results().at(0).second.status();
  EXPECT_TRUE(status.nodes(0).reachable());
  EXPECT_FALSE(status.nodes(1).reachable());
  EXPECT_THAT(status.nodes(1).problem(), HasSubstr("did not answer"));
}

TEST_F(CoreTest, StatusSurvivesTheLossOfANode) {
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  cluster.answer(cluster.peer_of(0), cluster.last(0), node_status(5));
  static_cast<void>(cluster.take());
  cluster.node_down(1);
  EXPECT_EQ(cluster.results().at(0).second.status().nodes(1).problem(), "connection reset");
}

TEST_F(CoreTest, AnotherNodeAtTheEndpointIsNotTaken) {
  cluster.node_down(1);
  rpc::PeerInfo info;
  info.hello.set_role(wire::v1::ROLE_STORAGE_NODE);
  info.hello.set_node(0);
  info.hello.set_name("storage_node-0");
  info.link = rpc::LinkId{1};
  cluster.core().on_up(rpc::PeerId{500}, info, cluster.now(), cluster.effects());
  cluster.collect();
  EXPECT_EQ(cluster.take(), "close peer 500\n");
  cluster.core().on_down(rpc::PeerId{500}, "closed", cluster.now(), cluster.effects());
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  cluster.answer(cluster.peer_of(0), cluster.last(0), node_status(5));
  EXPECT_THAT(cluster.results().at(0).second.status().nodes(1).problem(), HasSubstr("not storage node 1"));
}

}  // namespace
}  // namespace daedalus::aggregator::testing

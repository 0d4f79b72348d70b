// Updates, as docs/protocol.md, "Updates", points 2 and 5 say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

/// Three nodes with a partition each; the writer is peer 103.
class UpdateFanOutTest : public ::testing::Test {
 protected:
  Cluster cluster{{.partitions = 3, .nodes = 3}};
  rpc::PeerId writer = cluster.connect(wire::v1::ROLE_WRITER);
  std::string at_0 = origin_in(0, 3);
  std::string at_1 = origin_in(1, 3);

  /// Returns what the writer is told where the nodes say this of parts; one that says nothing applied `rows_untold`.
  std::vector<uint64_t> part_rows_of(const std::vector<std::vector<uint64_t>>& by_node, uint64_t rows_untold = 1) {
    cluster.update(writer, ++last_, "");
    static_cast<void>(cluster.take());
    for (uint32_t node = 0; node < by_node.size(); ++node) {
      wire::v1::Result result;
      result.mutable_confirmed()->set_timestamp(last_);
      auto& outcome = *result.mutable_confirmed()->add_outcomes();
      outcome.set_partition(node);
      outcome.set_rows_applied(std::accumulate(by_node[node].begin(), by_node[node].end(), uint64_t{0}));
      outcome.mutable_part_rows()->Add(by_node[node].begin(), by_node[node].end());
      if (by_node[node].empty()) {
        outcome.set_rows_applied(rows_untold);
      }
      cluster.answer(cluster.peer_of(node), cluster.last(node), std::move(result));
    }
    EXPECT_EQ(cluster.results().size(), 1u);
    const wire::v1::WriteConfirmed confirmed = cluster.results().back().second.confirmed();
    EXPECT_TRUE(std::all_of(confirmed.outcomes().begin(), confirmed.outcomes().end(),
                            [](const auto& outcome) { return outcome.part_rows().empty(); }));
    return {confirmed.part_rows().begin(), confirmed.part_rows().end()};
  }

 private:
  uint64_t last_ = 0;
};

TEST_F(UpdateFanOutTest, ResponsibleNodesGetTheUpdateAllOthersANoOp) {
  cluster.update(writer, 1, at_0);
  EXPECT_EQ(cluster.take(), "node 0 <- UPDATE t=1\n");
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 1 <- NO_OP_RANGE t=1..1\nnode 2 <- NO_OP_RANGE t=1..1\n");
  EXPECT_EQ(cluster.last_operation(0).body(), "update body");
}

TEST_F(UpdateFanOutTest, WithoutRoutesEveryNodeIsResponsible) {
  cluster.update(writer, 1, "");
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 0 <- UPDATE t=1\nnode 1 <- UPDATE t=1\nnode 2 <- UPDATE t=1\n");
}

TEST_F(UpdateFanOutTest, NeighbouringNoOpsLeaveAsOneRange) {
  for (uint64_t timestamp = 1; timestamp <= 4; ++timestamp) {
    cluster.update(writer, timestamp, at_0);
  }
  static_cast<void>(cluster.take());
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 1 <- NO_OP_RANGE t=1..4\nnode 2 <- NO_OP_RANGE t=1..4\n");
  cluster.flush();
  EXPECT_EQ(cluster.take(), "");
}

TEST_F(UpdateFanOutTest, ARangeLeavesBeforeTheUpdateThatFollowsIt) {
  cluster.update(writer, 1, at_0);
  cluster.update(writer, 2, at_0);
  static_cast<void>(cluster.take());
  cluster.update(writer, 3, at_1);
  EXPECT_EQ(cluster.take(), "node 1 <- NO_OP_RANGE t=1..2\nnode 1 <- UPDATE t=3\n");
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 0 <- NO_OP_RANGE t=3..3\nnode 2 <- NO_OP_RANGE t=1..3\n");
}

TEST_F(UpdateFanOutTest, AHoleStartsANewRange) {
  cluster.update(writer, 1, at_0);
  cluster.update(writer, 3, at_0);
  EXPECT_EQ(cluster.take(),
            "node 0 <- UPDATE t=1\nnode 0 <- UPDATE t=3\nnode 1 <- NO_OP_RANGE t=1..1\nnode 2 <- NO_OP_RANGE t=1..1\n");
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 1 <- NO_OP_RANGE t=3..3\nnode 2 <- NO_OP_RANGE t=3..3\n");
}

TEST_F(UpdateFanOutTest, ConfirmsWhenTheResponsibleHaveAndAgainWhenAllHave) {
  cluster.update(writer, 1, at_0);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.confirm(1, cluster.last(1), 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.confirm(0, cluster.last(0), 1, {0});
  EXPECT_EQ(cluster.take(), "client 103 #1 <- confirmed t=1 outcome=0:0 watermark=0:1 watermark=1:1\n");
  cluster.confirm(2, cluster.last(2), 1);
  EXPECT_EQ(cluster.take(), "client 103 #1 <- confirmed t=1 outcome=0:0 watermark=0:1 watermark=1:1 watermark=2:1\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(UpdateFanOutTest, ConfirmsOnceWhenTheResponsibleAreLast) {
  cluster.update(writer, 1, at_0);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.confirm(1, cluster.last(1), 1);
  cluster.confirm(2, cluster.last(2), 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.confirm(0, cluster.last(0), 1, {0});
  EXPECT_THAT(cluster.take(), HasSubstr("confirmed t=1 outcome=0:0 watermark=0:1 watermark=1:1 watermark=2:1"));
}

TEST_F(UpdateFanOutTest, OutcomesAreSortedByPartition) {
  cluster.update(writer, 1, "");
  static_cast<void>(cluster.take());
  cluster.confirm(2, cluster.last(2), 1, {2});
  cluster.confirm(0, cluster.last(0), 1, {0});
  cluster.confirm(1, cluster.last(1), 1, {1});
  EXPECT_THAT(cluster.take(), HasSubstr("outcome=0:0 outcome=1:1 outcome=2:2"));
}

TEST_F(UpdateFanOutTest, RowsOfEachPartAreAddedUpOverPartitions) {
  EXPECT_EQ(part_rows_of({{2, 0, 1}, {0, 0, 5}, {1, 1, 1}}), (std::vector<uint64_t>{3, 1, 7}));
  EXPECT_TRUE(part_rows_of({{}, {}, {}}).empty()) << "of one part";
  EXPECT_TRUE(part_rows_of({{2, 0, 1}, {}, {1, 1, 1}}).empty()) << "one does not know";
  EXPECT_TRUE(part_rows_of({{}, {2, 0, 1}, {1, 1, 1}}).empty()) << "the first does not know";
  EXPECT_EQ(part_rows_of({{}, {2, 0, 1}, {0, 1, 0}}, /*rows_untold=*/0), (std::vector<uint64_t>{2, 1, 1}))
      << "it had nothing to count";
}

TEST_F(UpdateFanOutTest, AConfirmationHasTheDigestOfItsUpdate) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_UPDATE, "update body");
  operation.mutable_header()->mutable_update()->set_epoch(1);
  operation.mutable_header()->mutable_update()->set_timestamp(1);
  operation.mutable_header()->mutable_update()->set_digest(77);
  cluster.send(writer, operation);
  static_cast<void>(cluster.take());
  for (const uint32_t node : {0u, 1u, 2u}) {
    cluster.confirm(node, cluster.last(node), 1, {node});
  }
  ASSERT_EQ(cluster.results().size(), 1u);
  EXPECT_EQ(cluster.results().back().second.confirmed().digest(), 77u);
}

TEST_F(UpdateFanOutTest, IsForgottenOnceOneNodeHasForgotten) {
  for (const uint32_t forgetful : {0u, 2u}) {
    cluster.update(writer, 1 + forgetful, "");
    static_cast<void>(cluster.take());
    for (const uint32_t node : {0u, 1u, 2u}) {
      wire::v1::Result result;
      result.mutable_confirmed()->set_timestamp(1 + forgetful);
      result.mutable_confirmed()->set_outcome_forgotten(node == forgetful);
      cluster.answer(cluster.peer_of(node), cluster.last(node), std::move(result));
    }
    ASSERT_EQ(cluster.results().size(), 1u);
    EXPECT_TRUE(cluster.results().back().second.confirmed().outcome_forgotten()) << forgetful;
  }
}

TEST_F(UpdateFanOutTest, OneAnswerToARangeConfirmsAllItCovers) {
  cluster.update(writer, 1, at_0);
  cluster.update(writer, 2, at_0);
  const uint64_t second = cluster.last(0);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.confirm(0, second - 1, 1, {0});
  cluster.confirm(0, second, 2, {0});
  cluster.confirm(1, cluster.last(1), 2);
  static_cast<void>(cluster.take());
  cluster.confirm(2, cluster.last(2), 2);
  EXPECT_EQ(cluster.take(),
            "client 103 #1 <- confirmed t=1 outcome=0:0 watermark=0:2 watermark=1:2 watermark=2:2\n"
            "client 103 #2 <- confirmed t=2 outcome=0:0 watermark=0:2 watermark=1:2 watermark=2:2\n");
}

// ---- what stands in the way ----

TEST_F(UpdateFanOutTest, ResponsibleNodeThatIsDownIsReportedAtOnce) {
  cluster.node_down(0);
  cluster.update(writer, 1, at_0);
  EXPECT_EQ(cluster.take(), "client 103 #1 <- refused t=1 UNREACHABLE node=0\n");
  cluster.flush();  // The others still learn that they have no part.
  EXPECT_EQ(cluster.take(), "node 1 <- NO_OP_RANGE t=1..1\nnode 2 <- NO_OP_RANGE t=1..1\n");
  cluster.confirm(1, cluster.last(1), 1);
  EXPECT_EQ(cluster.take(), "");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(UpdateFanOutTest, NodeWithoutPartThatIsDownIsANoteOnly) {
  cluster.node_down(2);
  cluster.update(writer, 1, at_0);
  EXPECT_EQ(cluster.take(), "node 0 <- UPDATE t=1\nclient 103 #1 <- refused t=1 UNREACHABLE node=2\n");
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.confirm(1, cluster.last(1), 1);
  cluster.confirm(0, cluster.last(0), 1, {0});
  EXPECT_EQ(cluster.take(), "client 103 #1 <- confirmed t=1 outcome=0:0 watermark=0:1 watermark=1:1\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(UpdateFanOutTest, LossOfAResponsibleNodeIsUnreachable) {
  cluster.update(writer, 1, at_0);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.node_down(0);
  EXPECT_EQ(cluster.take(), "client 103 #1 <- refused t=1 UNREACHABLE node=0\n");
  cluster.confirm(1, cluster.last(1), 1);
  EXPECT_EQ(cluster.take(), "");
}

TEST_F(UpdateFanOutTest, LossOfANodeWithoutPartConcernsEveryUpdateOfItsRange) {
  cluster.update(writer, 1, at_0);
  cluster.update(writer, 2, at_0);
  cluster.flush();
  cluster.update(writer, 3, at_0);  // Its no-op is still held back.
  static_cast<void>(cluster.take());
  cluster.node_down(1);
  EXPECT_EQ(cluster.take(),
            "client 103 #1 <- refused t=1 UNREACHABLE node=1\nclient 103 #2 <- refused t=2 UNREACHABLE node=1\n"
            "client 103 #3 <- refused t=3 UNREACHABLE node=1\n");
  cluster.flush();
  EXPECT_EQ(cluster.take(), "node 2 <- NO_OP_RANGE t=3..3\n");
}

TEST_F(UpdateFanOutTest, RefusalOfAResponsibleNodePassesThroughAndEndsIt) {
  cluster.update(writer, 5, at_0);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.refuse(0, cluster.last(0), 5, wire::v1::WRITE_REFUSAL_GAP);
  EXPECT_EQ(cluster.take(), "client 103 #1 <- refused t=5 GAP node=0\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(UpdateFanOutTest, RefusalOfARangeIsToldForEveryUpdateItCovers) {
  cluster.update(writer, 5, at_0);
  cluster.update(writer, 6, at_0);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.refuse(1, cluster.last(1), 6, wire::v1::WRITE_REFUSAL_GAP);
  EXPECT_EQ(cluster.take(), "client 103 #1 <- refused t=5 GAP node=1\nclient 103 #2 <- refused t=6 GAP node=1\n");
  cluster.confirm(0, cluster.last(0), 6, {0});
  EXPECT_EQ(cluster.take(), "client 103 #2 <- confirmed t=6 outcome=0:0 watermark=0:6\n");
}

TEST_F(UpdateFanOutTest, ASilentNodeIsUnreachableAfterTheDefaultTime) {
  cluster.update(writer, 1, at_0);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.advance(30 * kSecond - 1);
  EXPECT_EQ(cluster.take().find("refused"), std::string::npos);
  cluster.advance(1);
  EXPECT_THAT(cluster.take(), HasSubstr("client 103 #1 <- refused t=1 UNREACHABLE node=0\n"));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(UpdateFanOutTest, TooManyUpdatesAreOverloadedWithAHint) {
  ClusterOptions options;
  options.aggregator.updates_max = 1;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_WRITER);
  small.update(peer, 1, "");
  static_cast<void>(small.take());
  small.update(peer, 2, "");
  EXPECT_EQ(small.results().front().second.refused().retry_after_ns(), uint64_t{10 * kMillisecond});
  EXPECT_THAT(small.take(), HasSubstr("#2 <- refused t=2 OVERLOADED"));
}

TEST_F(UpdateFanOutTest, AnotherMapIsStale) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_UPDATE);
  operation.mutable_header()->set_map_version(8);
  operation.mutable_header()->mutable_update()->set_epoch(1);
  operation.mutable_header()->mutable_update()->set_timestamp(4);
  cluster.send(writer, operation);
  EXPECT_THAT(cluster.take(), HasSubstr("refused t=4 STALE_MAP"));
}

// ---- the confirmed watermark ----

TEST_F(UpdateFanOutTest, QueriesMustSeeWhatWasConfirmed) {
  const auto client = cluster.connect(wire::v1::ROLE_CLIENT);
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.last_operation(0).header().prefix_min(), 0u);

  cluster.update(writer, 8, at_0, 5);  // The writer says that 5 is confirmed.
  cluster.flush();
  const uint64_t update = cluster.last(0);
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.last_operation(1).header().prefix_min(), 5u);

  cluster.confirm(0, update, 8, {0});
  cluster.mark(writer, 8);
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.last_operation(1).header().prefix_min(), 8u);

  cluster.update(writer, 9, at_0, 6);  // Never backwards.
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.last_operation(1).header().prefix_min(), 8u);
}

TEST_F(UpdateFanOutTest, LostNodesWatermarkIsForgotten) {
  cluster.update(writer, 1, "");
  for (const uint32_t node : {0u, 1u, 2u}) {
    cluster.confirm(node, cluster.last(node), 1, {node});
  }
  cluster.node_down(2);
  cluster.node_up(2);
  cluster.update(writer, 2, at_0);
  static_cast<void>(cluster.take());
  cluster.confirm(0, cluster.last(0), 2, {0});
  EXPECT_EQ(cluster.take(), "client 103 #2 <- confirmed t=2 outcome=0:0 watermark=0:2 watermark=1:1\n");
}

}  // namespace
}  // namespace daedalus::aggregator::testing

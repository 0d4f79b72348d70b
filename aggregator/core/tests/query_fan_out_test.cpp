// Queries: whom they go to, when their answer is complete, and what ends them instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

class QueryFanOutTest : public ::testing::Test {
 protected:
  Cluster cluster;
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);  // Peer 102: after the two nodes.
};

TEST_F(QueryFanOutTest, StreamsRowsOfAllPartitionsAndEndsAfterTheLast) {
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\nnode 1 <- SELECT\n");
  const uint64_t at_0 = cluster.last(0);
  const uint64_t at_1 = cluster.last(1);

  cluster.rows(1, at_1, pack_ids({4, 5}), 2);
  EXPECT_EQ(cluster.take(), "") << "the other node may refuse yet";
  cluster.rows(0, at_0, pack_ids({1}), 1);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- rows=2 columns=1\nclient 102 #1 <- rows=1\n");
  cluster.end(1, at_1, 2, {1});
  EXPECT_EQ(cluster.take(), "");
  cluster.end(0, at_0, 1, {0});
  EXPECT_EQ(cluster.take(), "client 102 #1 <- end rows=3 stamps=2\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(QueryFanOutTest, ForwardsRowBytesUntouched) {
  cluster.select(client, select_ids(origin_in(0, 2)));
  const std::string packed = pack_ids({7, 8, 9});
  cluster.rows(0, cluster.last(0), packed, 3);
  ASSERT_EQ(cluster.results().size(), 1u);
  EXPECT_EQ(cluster.results().front().second.rows().rows(), packed);
}

TEST_F(QueryFanOutTest, EmptyAnswerStillNamesItsColumns) {
  cluster.select(client, select_ids());
  cluster.end(0, cluster.last(0), 0, {0});
  static_cast<void>(cluster.take());
  cluster.end(1, cluster.last(1), 0, {1});
  EXPECT_EQ(cluster.take(), "client 102 #1 <- rows=0 columns=1\nclient 102 #1 <- end rows=0 stamps=2\n");
}

TEST_F(QueryFanOutTest, AsksOnlyTheNodesOfResponsiblePartitions) {
  cluster.select(client, select_ids(origin_in(1, 2)));
  EXPECT_EQ(cluster.take(), "node 1 <- SELECT\n");
  cluster.end(1, cluster.last(1), 0, {1});
  EXPECT_THAT(cluster.take(), HasSubstr("end rows=0 stamps=1"));
}

TEST_F(QueryFanOutTest, AWrongRouteOfTheClientLeavesNothingOut) {
  auto body = select_ids();
  body.set_form(wire::v1::RESULT_FORM_FINAL);
  auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
  *operation.mutable_header()->add_routes() = route_to(origin_in(0, 2));
  cluster.send(client, operation);
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\nnode 1 <- SELECT\n");
}

TEST_F(QueryFanOutTest, AsksForThePartialFormWithTheTimeThatIsLeft) {
  auto body = select_totals();
  body.set_form(wire::v1::RESULT_FORM_FINAL);
  auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
  operation.mutable_header()->set_remaining_ns(250 * kMillisecond);
  operation.mutable_header()->set_prefix_min(9);
  operation.mutable_header()->set_request_id("r-1");
  cluster.send(client, operation);
  const auto& sent = cluster.last_operation(0);
  wire::v1::SelectBody sent_body;
  ASSERT_TRUE(sent_body.ParseFromString(sent.body()));
  EXPECT_EQ(sent_body.form(), wire::v1::RESULT_FORM_PARTIAL);
  EXPECT_EQ(sent.header().remaining_ns(), static_cast<uint64_t>(250 * kMillisecond));
  EXPECT_EQ(sent.header().prefix_min(), 9u);
  EXPECT_EQ(sent.header().map_version(), 7u);
  EXPECT_EQ(sent.header().request_id(), "r-1");
}

TEST_F(QueryFanOutTest, MergesAggregatesWhateverNodeIsFirst) {
  for (const uint32_t first : {0u, 1u}) {
    cluster.select(client, select_totals());
    const uint32_t second = 1 - first;
    cluster.rows(first, cluster.last(first), pack_totals(2, 10), 1);
    cluster.end(first, cluster.last(first), 1, {first});
    cluster.rows(second, cluster.last(second), pack_totals(3, 20), 1);
    static_cast<void>(cluster.take());
    cluster.end(second, cluster.last(second), 1, {second});
    ASSERT_EQ(cluster.results().size(), 2u);
    const auto& rows = cluster.results()[0].second.rows();
    EXPECT_EQ(rows.row_count(), 1u);
    EXPECT_EQ(rows.columns_size(), 2);
    std::string expected;
    const std::vector<semantics::Type> types(2, {.kind = semantics::TypeKind::kBigint});
    semantics::append_packed_row(types, std::vector<semantics::Value>{int64_t{5}, int64_t{30}}, expected);
    EXPECT_EQ(rows.rows(), expected);
    EXPECT_EQ(cluster.results()[1].second.end().row_count(), 1u);
  }
}

TEST_F(QueryFanOutTest, PartialFormGoesUpAsStatesWithoutColumns) {
  cluster.select(client, select_totals(), wire::v1::RESULT_FORM_PARTIAL);
  for (const uint32_t node : {0u, 1u}) {
    cluster.rows(node, cluster.last(node), pack_totals(1, 5), 1);
    cluster.end(node, cluster.last(node), 1, {node});
  }
  ASSERT_EQ(cluster.results().size(), 2u);
  EXPECT_EQ(cluster.results()[0].second.rows().columns_size(), 0);
  EXPECT_EQ(cluster.results()[0].second.rows().rows(), pack_totals(2, 10));
}

TEST_F(QueryFanOutTest, OrdersAndLimitsOverAllNodes) {
  cluster.select(client, select_first_ids());
  cluster.rows(0, cluster.last(0), pack_ids({2, 5, 8}), 3);
  cluster.rows(1, cluster.last(1), pack_ids({1, 6}), 2);
  cluster.end(0, cluster.last(0), 3, {0});
  static_cast<void>(cluster.take());
  cluster.end(1, cluster.last(1), 2, {1});
  EXPECT_EQ(cluster.results().at(0).second.rows().rows(), pack_ids({1, 2, 5}));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- rows=3 columns=1\nclient 102 #1 <- end rows=3 stamps=2\n");
}

TEST_F(QueryFanOutTest, CutsLargeMergedAnswersIntoMessages) {
  auto body = select_ids();
  body.add_order_by()->set_output(0);
  cluster.select(client, body);
  constexpr uint32_t kRows = 300'000;  // Nine bytes each.
  std::vector<int64_t> ids(kRows);
  for (uint32_t row = 0; row < kRows; ++row) {
    ids[row] = row;
  }
  const std::string packed = pack_ids(ids);
  cluster.rows(0, cluster.last(0), packed, kRows);
  cluster.end(0, cluster.last(0), kRows, {0});
  static_cast<void>(cluster.take());
  cluster.end(1, cluster.last(1), 0, {1});
  std::string whole;
  uint64_t row_count = 0;
  for (const auto& [peer, result] : cluster.results()) {
    EXPECT_LT(result.rows().rows().size(), 1u << 20);
    whole += result.rows().rows();
    row_count += result.rows().row_count();
  }
  EXPECT_GT(cluster.results().size(), 3u);
  EXPECT_EQ(whole, packed);
  EXPECT_EQ(row_count, kRows);
}

// ---- failures ----

TEST_F(QueryFanOutTest, NodeThatIsDownIsNamedAtOnceAndNobodyIsAsked) {
  cluster.node_down(1, "connection refused");
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error RETRY 08006 missing=1:1\n");
  cluster.select(client, select_ids(origin_in(0, 2)));
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\n");
}

TEST_F(QueryFanOutTest, NodeLostOnTheWayEndsTheQueryAndAbortsTheRest) {
  cluster.select(client, select_ids());
  const uint64_t at_0 = cluster.last(0);
  cluster.rows(0, at_0, pack_ids({1}), 1);
  static_cast<void>(cluster.take());
  cluster.node_down(1);
  EXPECT_EQ(cluster.take(), "node 0 <- ABORT SELECT\nclient 102 #1 <- error RETRY 08006 missing=1:1\n");
  cluster.end(0, at_0, 1, {0});  // Late.
  EXPECT_EQ(cluster.take(), "");
}

TEST_F(QueryFanOutTest, RefusalOfOneNodeIsTheAnswer) {
  cluster.select(client, select_ids());
  static_cast<void>(cluster.take());
  cluster.fail(0, cluster.last(0), Error{ErrorCategory::kFatal, "55000", "node 0 has lost its rows", {}, 0});
  EXPECT_EQ(cluster.take(), "node 1 <- ABORT SELECT\nclient 102 #1 <- error FATAL 55000 missing=0:0\n");
}

TEST_F(QueryFanOutTest, AWrongQueryLacksNoPart) {
  cluster.select(client, select_ids());
  static_cast<void>(cluster.take());
  cluster.fail(0, cluster.last(0), rejected("22003", "integer out of range"));
  EXPECT_EQ(cluster.take(), "node 1 <- ABORT SELECT\nclient 102 #1 <- error REJECTED 22003\n");
}

TEST_F(QueryFanOutTest, EndThatAnnouncesOtherRowsThanCameIsNoEnd) {
  cluster.select(client, select_ids());
  cluster.rows(0, cluster.last(0), pack_ids({1}), 1);
  cluster.end(1, cluster.last(1), 0, {1});
  static_cast<void>(cluster.take());
  cluster.end(0, cluster.last(0), 2, {0});
  EXPECT_THAT(cluster.take(), HasSubstr("client 102 #1 <- error FATAL XX000 missing=0:0\n"));
}

TEST_F(QueryFanOutTest, EndWithoutAStampOfEveryPartitionIsNoEnd) {
  Cluster wide({.partitions = 4, .nodes = 2});
  const auto peer = wide.connect(wire::v1::ROLE_CLIENT);
  wide.select(peer, select_ids());
  static_cast<void>(wide.take());
  wide.end(0, wide.last(0), 0, {0});  // Partition 2 is also its own.
  EXPECT_EQ(wide.take(), "node 1 <- ABORT SELECT\nclient 102 #1 <- error FATAL XX000 missing=0:0 missing=0:2\n");
}

TEST_F(QueryFanOutTest, AnswerBeyondTheMaximumIsRefused) {
  ClusterOptions options;
  options.aggregator.answer_bytes_max = 20;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_CLIENT);
  small.select(peer, select_first_ids());
  static_cast<void>(small.take());
  small.rows(0, small.last(0), pack_ids({1, 2, 3}), 3);
  ASSERT_FALSE(small.results().empty());
  ASSERT_TRUE(small.results().back().second.has_error());
  EXPECT_THAT(small.results().back().second.error().message(), HasSubstr("larger than answer_mib of aggregator-0: 20"));
  EXPECT_THAT(small.results().back().second.error().hint(), HasSubstr("daedalus export"));
  EXPECT_EQ(small.take(), "node 0 <- ABORT SELECT\nnode 1 <- ABORT SELECT\nclient 102 #1 <- error REJECTED 54000\n");
}

// ---- slices ----

class SliceFanOutTest : public QueryFanOutTest {
 protected:
  static wire::v1::SelectBody slice(uint32_t partition, uint32_t segment = 0, uint64_t first_slot = 0) {
    wire::v1::SelectBody body = select_ids();
    body.mutable_slice()->set_partition(partition);
    body.mutable_slice()->set_segment(segment);
    body.mutable_slice()->set_first_slot(first_slot);
    body.mutable_slice()->set_answer_bytes(4096);
    return body;
  }

  /// The node ends its answer: rows of one segment, and what it says follows.
  void end_slice(uint32_t partition, uint32_t node, const std::optional<wire::v1::Slice>& next,
                 uint64_t row_count = 0) {
    wire::v1::Result result;
    result.mutable_end()->set_row_count(row_count);
    result.mutable_end()->add_stamps()->set_partition(partition);
    if (next) {
      *result.mutable_end()->mutable_next_slice() = *next;
    }
    cluster.answer(cluster.peer_of(node), cluster.last(node), std::move(result));
  }

  wire::v1::Result last_result() {
    wire::v1::Result result = cluster.results().back().second;
    static_cast<void>(cluster.take());
    return result;
  }
};

TEST_F(SliceFanOutTest, GoesToTheNodeOfItsPartitionAloneAsItCame) {
  cluster.select(client, slice(1, 3, 77));
  EXPECT_EQ(cluster.take(), "node 1 <- SELECT\n");
  wire::v1::SelectBody body;
  ASSERT_TRUE(body.ParseFromString(cluster.last_operation(1).body()));
  EXPECT_EQ(body.slice().partition(), 1u);
  EXPECT_EQ(body.slice().segment(), 3u);
  EXPECT_EQ(body.slice().first_slot(), 77u);
  EXPECT_EQ(body.slice().answer_bytes(), 4096u);
}

TEST_F(SliceFanOutTest, SaysWhatFollowsWithinThePartitionThenTheNextPartitionThenNothing) {
  cluster.select(client, slice(0));
  wire::v1::Slice next;
  next.set_first_slot(500);
  end_slice(0, 0, next);
  wire::v1::Result result = last_result();
  EXPECT_EQ(result.end().next_slice().partition(), 0u);
  EXPECT_EQ(result.end().next_slice().first_slot(), 500u);

  cluster.select(client, slice(0, 1, 500));
  end_slice(0, 0, std::nullopt);
  result = last_result();
  EXPECT_EQ(result.end().next_slice().partition(), 1u);
  EXPECT_EQ(result.end().next_slice().segment(), 0u);
  EXPECT_EQ(result.end().next_slice().first_slot(), 0u);
  EXPECT_EQ(result.end().next_slice().answer_bytes(), 4096u) << "as it was asked";

  cluster.select(client, slice(1, 1));
  end_slice(1, 1, std::nullopt);
  EXPECT_FALSE(last_result().end().has_next_slice());
}

TEST_F(SliceFanOutTest, RefusesAnUnknownPartition) {
  cluster.select(client, slice(2));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 22023\n");
}

TEST_F(SliceFanOutTest, ThatEndsBeforeWhereItBeganIsNoEnd) {
  for (const auto& [segment, slot] : {std::pair{0u, 500u}, std::pair{1u, 20u}, std::pair{1u, 77u}}) {
    cluster.select(client, slice(0, 1, 77));
    wire::v1::Slice next;
    next.set_segment(segment);
    next.set_first_slot(slot);
    end_slice(0, 0, next);
    EXPECT_EQ(last_result().error().sqlstate(), "XX000") << segment << " " << slot;
  }
}

TEST_F(SliceFanOutTest, TakesNoMoreThanHalfOfWhatAnAnswerMay) {
  ClusterOptions options;
  options.aggregator.answer_bytes_max = 1'000;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_CLIENT);
  small.select(peer, slice(0));
  wire::v1::SelectBody body;
  ASSERT_TRUE(body.ParseFromString(small.last_operation(0).body()));
  EXPECT_EQ(body.slice().answer_bytes(), 500u);
  EXPECT_EQ(body.slice().partition(), 0u);
}

TEST_F(SliceFanOutTest, PassesItsRowsOnAndEndsWithTheStampOfOneSegment) {
  cluster.select(client, slice(1, 0, 20));
  static_cast<void>(cluster.take());
  cluster.rows(1, cluster.last(1), pack_ids({4, 5}), 2);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- rows=2 columns=1\n");
  wire::v1::Slice next;
  next.set_partition(1);
  next.set_first_slot(22);
  end_slice(1, 1, next, 2);
  EXPECT_EQ(cluster.results().back().second.end().next_slice().first_slot(), 22u);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- end rows=2 stamps=1\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(SliceFanOutTest, RefusesGroupsAndOrdersWithoutAskingANode) {
  wire::v1::SelectBody totals = select_totals();
  *totals.mutable_slice() = slice(0).slice();
  wire::v1::SelectBody first = select_first_ids();
  *first.mutable_slice() = slice(0).slice();
  wire::v1::SelectBody with_credit = slice(0);
  with_credit.set_credit_bytes(1);
  for (const wire::v1::SelectBody& body : {totals, first, with_credit}) {
    cluster.select(client, body);
    EXPECT_EQ(last_result().error().sqlstate(), "0A000") << body.ShortDebugString();
  }
  cluster.select(client, slice(0));
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\n") << "it was the first to get there";
}

TEST_F(SliceFanOutTest, LosesOnlyThePartitionOfALostNode) {
  cluster.select(client, slice(1));
  static_cast<void>(cluster.take());
  cluster.node_down(1);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error RETRY 08006 missing=1:1\n");
  cluster.select(client, slice(1));
  EXPECT_EQ(cluster.take(), "client 102 #2 <- error RETRY 08006 missing=1:1\n");
  cluster.select(client, slice(0));
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\n");
}

TEST_F(SliceFanOutTest, TravelsWholeWhereNodesKeepShapes) {
  Cluster slots({.node_handles = {.handles_max = 4, .bytes_max = 4096}});
  const auto peer = slots.connect(wire::v1::ROLE_CLIENT);
  slots.select(peer, slice(0, 0, 9));
  EXPECT_EQ(slots.take(), "node 0 <- SELECT\n");
  EXPECT_EQ(slots.last_operation(0).header().shape_handle(), 0u);
  wire::v1::SelectBody body;
  ASSERT_TRUE(body.ParseFromString(slots.last_operation(0).body()));
  EXPECT_EQ(body.slice().first_slot(), 9u);
}

// ---- ends from above ----

TEST_F(QueryFanOutTest, AbortReachesTheNodes) {
  const uint64_t sequence = cluster.select(client, select_ids());
  static_cast<void>(cluster.take());
  cluster.abort(client, sequence);
  EXPECT_EQ(cluster.take(), "node 0 <- ABORT SELECT\nnode 1 <- ABORT SELECT\nclient 102 #1 <- error REJECTED 57014\n");
  cluster.abort(client, sequence);
  cluster.abort(client, 999);
  EXPECT_EQ(cluster.take(), "");
}

TEST_F(QueryFanOutTest, ClientThatLeavesTakesItsQueriesAlong) {
  cluster.select(client, select_ids());
  const uint64_t at_0 = cluster.last(0);
  static_cast<void>(cluster.take());
  cluster.disconnect(client);
  EXPECT_EQ(cluster.take(), "node 0 <- ABORT SELECT\nnode 1 <- ABORT SELECT\n");
  cluster.rows(0, at_0, pack_ids({1}), 1);
  EXPECT_EQ(cluster.take(), "");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(QueryFanOutTest, DeadlineEndsTheQueryEverywhere) {
  auto body = select_ids();
  body.set_form(wire::v1::RESULT_FORM_FINAL);
  auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
  operation.mutable_header()->set_remaining_ns(100 * kMillisecond);
  cluster.send(client, operation);
  const uint64_t at_1 = cluster.last(1);
  cluster.end(0, cluster.last(0), 0, {0});
  static_cast<void>(cluster.take());
  cluster.advance(99 * kMillisecond);
  EXPECT_EQ(cluster.take(), "");
  cluster.advance(kMillisecond);
  EXPECT_EQ(cluster.take(), "node 1 <- ABORT SELECT\nclient 102 #1 <- error RETRY 57014 missing=1:1\n");
  cluster.end(1, at_1, 0, {1});
  EXPECT_EQ(cluster.take(), "");
}

TEST_F(QueryFanOutTest, WithoutItsOwnTimeAQueryHasThirtySeconds) {
  cluster.select(client, select_ids());
  cluster.advance(30 * kSecond - 1);
  EXPECT_EQ(cluster.take().find("error"), std::string::npos);
  cluster.advance(1);
  EXPECT_THAT(cluster.take(), HasSubstr("error RETRY 57014 missing=0:0 missing=1:1"));
}

TEST_F(QueryFanOutTest, TooManyQueriesAreRefusedWithAHint) {
  ClusterOptions options;
  options.aggregator.queries_max = 1;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_CLIENT);
  small.select(peer, select_ids());
  static_cast<void>(small.take());
  small.select(peer, select_ids());
  EXPECT_EQ(small.results().front().second.error().retry_after_ns(), uint64_t{10 * kMillisecond});
  EXPECT_EQ(small.take(), "client 102 #2 <- error RETRY 53000\n");
  small.abort(peer, 1);
  static_cast<void>(small.take());
  small.select(peer, select_ids());
  EXPECT_EQ(small.take(), "node 0 <- SELECT\nnode 1 <- SELECT\n") << "one that is over leaves its place";
}

}  // namespace
}  // namespace daedalus::aggregator::testing

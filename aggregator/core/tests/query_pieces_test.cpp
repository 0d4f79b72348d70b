// Answers that go on: at which moment, for how long, and what is asked for next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kFull = 1u << 30;  ///< Whoever has not read so much is sent nothing.

class QueryPiecesTest : public ::testing::Test {
 protected:
  [[nodiscard]] wire::v1::SelectBody last_body(uint32_t node) const {
    wire::v1::SelectBody body;
    EXPECT_TRUE(body.ParseFromString(cluster.last_operation(node).body()));
    return body;
  }
  [[nodiscard]] const wire::v1::OperationHeader& last_header(uint32_t node) const {
    return cluster.last_operation(node).header();
  }
  /// Returns the header of the SELECT that node 0 has been sent last.
  [[nodiscard]] const wire::v1::OperationHeader& last_select() const {
    uint64_t sequence = cluster.last(0);
    while (cluster.operation(cluster.peer_of(0), sequence).header().kind() != wire::v1::OPERATION_KIND_SELECT) {
      --sequence;
    }
    return cluster.operation(cluster.peer_of(0), sequence).header();
  }
  /// Node 0 stops before this slot, at moment 8.
  void stop_before(uint64_t slot) { cluster.stop(0, last_select().sequence(), 0, 8, {{0, slot}}); }
  /// A query of node 0, which may take a second.
  void select_for_a_second() {
    auto body = select_ids(origin_in(0, 2));
    body.set_form(wire::v1::RESULT_FORM_FINAL);
    auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
    operation.mutable_header()->set_remaining_ns(kSecond);
    cluster.send(client, std::move(operation));
  }

  Cluster cluster;
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
};

TEST_F(QueryPiecesTest, AnAnswerGoesOnAtItsMoment) {
  cluster.mark(cluster.connect(wire::v1::ROLE_WRITER), 5);
  cluster.select(client, select_ids());
  const uint64_t first_bytes = last_header(0).piece_bytes();
  EXPECT_EQ(first_bytes, AggregatorOptions{}.ahead_bytes_max / 2 / 2) << "of two nodes";
  const uint64_t at_1 = cluster.last(1);
  cluster.rows(0, cluster.last(0), pack_ids({1}), 1);
  static_cast<void>(cluster.take());
  wire::v1::Result stopped;
  stopped.mutable_end()->set_row_count(1);
  stopped.mutable_end()->set_moment(5);
  stopped.mutable_end()->add_stamps()->set_partition(0);
  stopped.mutable_end()->add_rest()->set_first_slot(40);
  cluster.answer(cluster.peer_of(0), cluster.last(0), std::move(stopped));
  EXPECT_EQ(cluster.take(), "") << "the other node may refuse yet";
  cluster.end(1, at_1, 0, {1}, 5);
  EXPECT_THAT(cluster.take(), HasSubstr("node 0 <- SELECT\n"));
  EXPECT_EQ(last_body(0).slice().first_slot(), 40u);
  EXPECT_GT(last_body(0).slice().answer_bytes(), 0u);
  EXPECT_EQ(last_header(0).at(), 5u);
  EXPECT_TRUE(last_header(0).is_firm());
  EXPECT_EQ(last_header(0).piece_bytes(), 0u);
  cluster.rows(0, cluster.last(0), pack_ids({2, 3}), 2);
  cluster.end(0, cluster.last(0), 2, {0}, 5);
  EXPECT_THAT(cluster.take(), HasSubstr("end rows=3 stamps=2"));
}

TEST_F(QueryPiecesTest, AnAnswerOfOneNodeGoesOnAtTheMomentThatTheNodeHasTaken) {
  select_for_a_second();
  EXPECT_FALSE(last_header(0).has_at());
  stop_before(40);
  EXPECT_EQ(last_header(0).at(), 8u);
  EXPECT_TRUE(last_header(0).is_firm());
}

TEST_F(QueryPiecesTest, WhatIsMergedIsAskedForWhole) {
  cluster.select(client, select_totals());
  EXPECT_EQ(last_header(0).piece_bytes(), 0u);
  cluster.select(client, select_first_ids());
  EXPECT_EQ(last_header(0).piece_bytes(), 0u);
  auto slice = select_ids();
  slice.mutable_slice()->set_answer_bytes(100);
  cluster.select(client, slice);
  EXPECT_EQ(last_header(0).piece_bytes(), 0u);
}

TEST_F(QueryPiecesTest, EachPieceHasTheTimeOfTheQuery) {
  select_for_a_second();
  for (uint64_t slot = 1; slot < 5; ++slot) {
    cluster.advance(900 * kMillisecond);
    stop_before(slot);
    EXPECT_THAT(cluster.take(), HasSubstr("node 0 <- SELECT\n"));
    EXPECT_EQ(last_select().remaining_ns(), static_cast<uint64_t>(kSecond));
  }
  cluster.advance(1'100 * kMillisecond);
  EXPECT_THAT(cluster.take(), HasSubstr("57014"));
}

TEST_F(QueryPiecesTest, AReaderMayTakeAnyTime) {
  select_for_a_second();
  cluster.set_unread(kFull);
  stop_before(40);
  cluster.flush();
  static_cast<void>(cluster.take());
  cluster.advance(3'600 * kSecond);
  EXPECT_EQ(cluster.core().operations_in_flight(), 1u);
  EXPECT_THAT(cluster.take(), HasSubstr("HOLD")) << "its moment is held meanwhile";
  cluster.set_unread(0);
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\n");
  cluster.advance(1'100 * kMillisecond);
  EXPECT_THAT(cluster.take(), HasSubstr("57014"));
}

TEST_F(QueryPiecesTest, AMomentThatHasGoneEndsTheAnswer) {
  select_for_a_second();
  stop_before(40);
  static_cast<void>(cluster.take());
  cluster.fail(0, cluster.last(0), Error{ErrorCategory::kRejected, "72000", "moment 8 is too long ago", {}, 0});
  EXPECT_THAT(cluster.take(), HasSubstr("72000"));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(QueryPiecesTest, ANodeThatIsLostEndsTheAnswerAndIsNamed) {
  select_for_a_second();
  stop_before(40);
  static_cast<void>(cluster.take());
  cluster.node_down(0);
  ASSERT_FALSE(cluster.results().empty());
  const wire::v1::Error& error = cluster.results().back().second.error();
  ASSERT_EQ(error.missing_size(), 1);
  EXPECT_EQ(error.missing(0).partition(), 0u);
}

TEST_F(QueryPiecesTest, ANodeThatIsLostWithSeveralPiecesEndsTheAnswerOnce) {
  select_for_a_second();
  static_cast<void>(cluster.take());
  cluster.stop(0, cluster.last(0), 0, 8, {{0, 40}, {1, 40}});
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\nnode 0 <- SELECT\n");
  cluster.node_down(0);
  EXPECT_EQ(cluster.results().size(), 1u);
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(QueryPiecesTest, WhoeverAbortsIsAskedNothingMoreFor) {
  select_for_a_second();
  stop_before(40);
  static_cast<void>(cluster.take());
  cluster.abort(client, 1);
  EXPECT_THAT(cluster.take(), HasSubstr("node 0 <- ABORT SELECT"));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

}  // namespace
}  // namespace daedalus::aggregator::testing

// Tests how far back a node answers: what nobody holds is kept for two seconds, and an update that is larger than the
// window takes the moments before it away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "node_harness.hpp"

namespace daedalus::node {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kAskAgain = wire::v1::ERROR_CATEGORY_RETRY;
constexpr auto kWrong = wire::v1::ERROR_CATEGORY_REJECTED;

std::string another_seat_everywhere() {
  return update_body({add_seats_part(1, call(wire::v1::OPERATOR_GREATER_OR_EQUAL, {column(0), constant(0)}))});
}

// ---- two seconds ----

TEST(NodeWindowTest, AMomentThatNobodyHoldsIsThereForTwoSeconds) {
  NodeHarness node;
  node.send_update(1, ticket_with_id(1));
  node.send_mark(1);
  node.wait(kSecond);
  node.send_update(2, ticket_with_id(2));
  node.send_mark(2);
  const auto ask_for_the_first = [&] {
    node.send_select(select_all());  // Segments trim at the end of a cycle.
    node.settle();
    const auto query = node.send_select_at(select_all(), 1, /*is_firm=*/true);
    node.settle();
    return query;
  };
  node.wait(19 * kSecond / 10);
  EXPECT_THAT(read_tickets(node.take_rows(ask_for_the_first())), ElementsAre(Ticket{1, "ZRH", 2}));
  node.wait(kSecond / 10);
  expect_error(node.take_only(ask_for_the_first()), kWrong, "72000", "the oldest that a segment still has is 2");
}

TEST(NodeWindowTest, AnIdleNodeIsWokenUntilNothingIsKeptBelowItsMark) {
  NodeHarness node;
  node.send_mark(3);
  node.send_mark(4);
  for (int wakes = 0; node.wake_at() != kNever; ++wakes) {
    ASSERT_LT(wakes, 3);
    node.wait(node.wake_at().ns - node.now().ns);
  }
  EXPECT_THAT(node.segments().kept_from(), Each(Timestamp{4}));
}

TEST(NodeWindowTest, StatusSaysWhatTheWindowsTakeAndHowFarBackTheyReach) {
  NodeHarness node;
  node.send_update(1, update_body({insert_part({Ticket{1, "ZRH", 2}, Ticket{2, "ZRH", 2}})}));
  node.send_mark(1);
  node.wait(2 * kSecond);
  node.send_update(2, another_seat_everywhere());
  node.settle();
  const auto status = node.take_only(node.send(NodeHarness::operation(wire::v1::OPERATION_KIND_STATUS)));
  ASSERT_EQ(status.status().nodes_size(), 1);
  for (const auto& segment : status.status().nodes(0).segments()) {
    EXPECT_GT(segment.window_bytes(), 0u);
    EXPECT_EQ(segment.window_bytes_max(), engine::SegmentOptions().window_bytes);
    EXPECT_EQ(segment.window_from(), 1u);
  }
}

// ---- an update that is larger than the window ----

/// Segments have room for nothing that is overwritten, and update 2 overwrites a row.
class NodeOutrunTest : public testing::Test {
 protected:
  NodeOutrunTest() : node_(without_window()) {
    node_.send_update(1, ticket_with_id(1));
    node_.send_mark(1);
    node_.settle();
    node_.send_update(2, another_seat_everywhere());
  }

  static HarnessOptions without_window() {
    HarnessOptions options = default_options();
    options.segment.window_bytes = 0;
    options.node.parked_queries_max = 2;
    return options;
  }

  NodeHarness node_;
};

TEST_F(NodeOutrunTest, AMomentThatIsDemandedIsRefused) {
  const auto query = node_.send_select_at(select_all(), 1, /*is_firm=*/true);
  node_.settle();
  expect_error(node_.take_only(query), kWrong, "72000", "too long ago");
}

TEST_F(NodeOutrunTest, AQueryWaitsUntilTheUpdateIsConfirmedAndIsToBeAskedAgain) {
  const auto named = node_.send_select_at(select_all(), 1);
  const auto left_open = node_.send_select(select_all(), 0);
  node_.settle();
  EXPECT_THAT(node_.take(named), IsEmpty());
  EXPECT_EQ(node_.core().under_way(), 2u);
  node_.send_mark(2);
  for (const auto query : {named, left_open}) {
    const auto refused = node_.take_only(query);
    expect_error(refused, kAskAgain, "40001", "at 1, and node 0 knows that all is confirmed up to 2");
    EXPECT_EQ(refused.error().ask_again_at(), 2u);
    EXPECT_EQ(refused.mark(), 2u);
  }
  EXPECT_EQ(node_.core().under_way(), 0u);
  const auto again = node_.send_select_at(select_all(), 2);
  node_.settle();
  EXPECT_THAT(read_tickets(node_.take_rows(again)), ElementsAre(Ticket{1, "ZRH", 3}));
}

TEST_F(NodeOutrunTest, AQueryIsToBeAskedAgainAtOnceWhereTheUpdateIsConfirmed) {
  const auto query = node_.send_select_at(select_all(), 1);
  node_.send_mark(2);
  node_.settle();
  EXPECT_EQ(node_.take_only(query).error().ask_again_at(), 2u);
}

TEST_F(NodeOutrunTest, AQueryWaitsNoLongerThanItMay) {
  const auto late = node_.send_select(select_all(), 0, kSecond);
  node_.settle();
  EXPECT_EQ(node_.wake_at(), after(node_.now(), kSecond));
  node_.wait(kSecond);
  expect_error(node_.take_only(late), kAskAgain, "57014", "has not been confirmed in time");
}

TEST_F(NodeOutrunTest, AQueryThatWaitsCanBeAbortedAndGoesWithItsPeer) {
  node_.connect(2);
  const auto aborted = node_.send_select_at(select_all(), 1);
  auto operation = NodeHarness::operation(wire::v1::OPERATION_KIND_SELECT, select_all().SerializeAsString());
  node_.send(operation, 2);
  node_.settle();
  EXPECT_EQ(node_.core().under_way(), 2u);
  auto abort = NodeHarness::operation(wire::v1::OPERATION_KIND_ABORT);
  abort.mutable_header()->set_abort_sequence(aborted);
  node_.send(abort);
  expect_error(node_.take_only(aborted), kWrong, "57014", "aborted");
  node_.disconnect(2);
  EXPECT_EQ(node_.core().under_way(), 0u);
}

TEST_F(NodeOutrunTest, OnlySoManyQueriesWait) {
  node_.send_select_at(select_all(), 1);
  node_.send_select_at(select_all(), 1);
  const auto third = node_.send_select_at(select_all(), 1);
  node_.settle();
  expect_error(node_.take_only(third), kAskAgain, "53000", "2 queries parked");
}

TEST_F(NodeOutrunTest, AMomentThatIsLostIsNotHeld) {
  node_.send_select(select_all());
  node_.settle();
  const auto held = node_.take_only(node_.send_hold({1, 2})).held();
  EXPECT_EQ(held.oldest(), 2u);
  EXPECT_THAT(held.refused(), ElementsAre(1u)) << "although it is the mark";
}

/// A client has seen rows, which stay valid: the answer cannot be made anew.
TEST_F(NodeOutrunTest, AnAnswerOfWhichRowsHaveLeftIsRefused) {
  node_.send_update(3, update_body({insert_part({Ticket{3, "ZRH", 2}, Ticket{4, "ZRH", 2}})}));
  node_.send_mark(3);
  node_.settle();
  const auto query = node_.send_select_at(select_all(), 3);
  node_.step(0);
  node_.send_update(4, another_seat_everywhere());
  node_.step(1);
  const auto results = node_.take(query);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].has_rows());
  expect_error(results[1], kAskAgain, "72000", "too long ago");
  EXPECT_THAT(results[1].error().hint(), HasSubstr("an update that alone overwrites more"));
}

}  // namespace
}  // namespace daedalus::node

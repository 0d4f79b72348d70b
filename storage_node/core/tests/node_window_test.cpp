// Tests how far back a node answers: what nobody holds is kept for two seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "node_harness.hpp"

namespace daedalus::node {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr auto kWrong = wire::v1::ERROR_CATEGORY_REJECTED;

std::string ticket_with_id(int64_t id) { return update_body({insert_part({Ticket{id, "ZRH", 2}})}); }

// ---- two seconds ----

TEST(NodeWindowTest, AMomentThatNobodyHoldsIsThereForTwoSeconds) {
  NodeHarness node;
  node.send_update(1, ticket_with_id(1));
  node.send_mark(1);
  node.wait(kSecond);
  node.send_update(2, ticket_with_id(2));
  node.send_mark(2);
  const auto ask_for_the_first = [&] {
    node.send_select(select_all());  // What a cycle has nothing left to do for is trimmed at its end.
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

}  // namespace
}  // namespace daedalus::node

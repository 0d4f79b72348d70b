// Slices in conversation with a whole core over real, stepped segments: what follows a slice, what it waits for, what
// is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "node_harness.hpp"

namespace daedalus::node {
namespace {

constexpr auto kRejected = wire::v1::ERROR_CATEGORY_REJECTED;

class NodeSlicesTest : public testing::Test {
 protected:
  static constexpr int64_t kRows = 500;

  explicit NodeSlicesTest(const HarnessOptions& options = default_options()) : node_(options) {
    std::vector<Ticket> rows;
    for (int64_t id = 1; id <= kRows; ++id) {
      rows.push_back(Ticket{id, "ZRH", id});
    }
    node_.send_update(1, update_body({insert_part(rows)}));
    node_.settle();
  }

  static wire::v1::Slice slice(uint32_t segment, uint64_t first_slot = 0, uint64_t answer_bytes = 1000) {
    wire::v1::Slice made;
    made.set_segment(segment);
    made.set_first_slot(first_slot);
    made.set_answer_bytes(answer_bytes);
    return made;
  }

  static wire::v1::SelectBody of(wire::v1::SelectBody body, const wire::v1::Slice& slice) {
    *body.mutable_slice() = slice;
    return body;
  }

  /// The ids of a slice, as they lie; and its end.
  std::vector<int64_t> take(const wire::v1::SelectBody& body, wire::v1::QueryEnd* end) {
    const uint64_t query = node_.send_select(body);
    node_.settle();
    std::vector<int64_t> found;
    for (const Ticket& ticket : read_tickets(node_.take_rows(query, end))) {
      found.push_back(ticket.id);
    }
    return found;
  }

  NodeHarness node_;
};

TEST_F(NodeSlicesTest, OneAfterTheOtherAreTheNodesRowsAtOneTimestamp) {
  node_.send_no_op(2, 4);
  node_.settle();
  wire::v1::QueryEnd end;
  *end.mutable_next_slice() = slice(0);
  std::vector<int64_t> all;
  uint32_t slices = 0;
  for (; end.has_next_slice(); ++slices) {
    const wire::v1::Slice asked = end.next_slice();
    const std::vector<int64_t> found = take(of(select_all(), asked), &end);
    all.insert(all.end(), found.begin(), found.end());
    ASSERT_EQ(end.row_count(), found.size());
    ASSERT_EQ(end.stamps_size(), 1);
    EXPECT_EQ(end.stamps(0).segment(), asked.segment());
    EXPECT_EQ(end.stamps(0).applied(), 4u) << "a segment gets the timestamps of what is none of its business, too";
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), static_cast<size_t>(kRows));
  for (int64_t id = 1; id <= kRows; ++id) {
    EXPECT_EQ(all[static_cast<size_t>(id - 1)], id);
  }
  EXPECT_GT(slices, 5u);
}

TEST_F(NodeSlicesTest, AreFollowedByTheRestOfTheSegmentThenTheNextSegmentThenNothing) {
  wire::v1::QueryEnd end;
  const size_t some = take(of(select_all(), slice(0)), &end).size();
  EXPECT_EQ(end.next_slice().segment(), 0u);
  EXPECT_EQ(end.next_slice().first_slot(), some) << "nothing was deleted: slots are rows";
  EXPECT_EQ(end.next_slice().answer_bytes(), 1000u);
  take(of(select_all(), slice(0, some, 1u << 20)), &end);
  EXPECT_EQ(end.next_slice().segment(), 1u);
  EXPECT_EQ(end.next_slice().first_slot(), 0u);
  EXPECT_EQ(end.next_slice().answer_bytes(), 1u << 20);
  take(of(select_all(), slice(1, 0, 1u << 20)), &end);
  EXPECT_FALSE(end.has_next_slice());
  take(of(select_all(), slice(0, UINT64_MAX)), &end);
  EXPECT_EQ(end.row_count(), 0u);
  EXPECT_EQ(end.next_slice().segment(), 1u) << "behind the last slot there is nothing but the next segment";
}

TEST_F(NodeSlicesTest, MayBeFilteredAndSaySoEvenWithoutARow) {
  const auto id_is = [](int64_t id) { return call(wire::v1::OPERATOR_EQUAL, {column(0), constant(id)}); };
  wire::v1::QueryEnd end;
  EXPECT_TRUE(take(of(select_all(id_is(kRows + 1)), slice(0)), &end).empty());
  EXPECT_EQ(end.stamps_size(), 1);
  EXPECT_EQ(end.next_slice().segment(), 1u) << "the whole segment was looked at for the bytes that it may have";
}

TEST_F(NodeSlicesTest, WaitForThePrefixThatTheyDemand) {
  const uint64_t query = node_.send_select(of(select_all(), slice(1, 0, 1u << 20)), 3);
  node_.settle();
  EXPECT_TRUE(node_.take(query).empty());
  node_.send_no_op(2, 3);
  node_.settle();
  wire::v1::QueryEnd end;
  EXPECT_FALSE(node_.take_rows(query, &end).empty());
  EXPECT_EQ(end.stamps(0).applied(), 3u);
}

TEST_F(NodeSlicesTest, RefusesAnUnknownSegment) {
  for (const auto& [partition, segment] : {std::pair{0u, 2u}, std::pair{1u, 0u}, std::pair{UINT32_MAX, UINT32_MAX}}) {
    wire::v1::Slice wrong = slice(segment);
    wrong.set_partition(partition);
    expect_error(node_.take_only(node_.send_select(of(select_all(), wrong))), kRejected, "22023",
                 "node 0 has no segment");
  }
}

TEST_F(NodeSlicesTest, RefusesGroupsAndOrders) {
  for (const wire::v1::SelectBody& body : selects_that_are_merged()) {
    expect_error(node_.take_only(node_.send_select(of(body, slice(0)))), kRejected, "0A000", "a slice of the table");
  }
  wire::v1::SelectBody with_credit = of(select_all(), slice(0));
  with_credit.set_credit_bytes(1);
  expect_error(node_.take_only(node_.send_select(with_credit)), kRejected, "0A000", "credit");
  EXPECT_EQ(node_.core().under_way(), 0u);
}

class NodeSmallSlicesTest : public NodeSlicesTest {
 protected:
  NodeSmallSlicesTest() : NodeSlicesTest(with_small_answers()) {}
};

TEST_F(NodeSmallSlicesTest, TakeNoMoreThanHalfOfWhatAnAnswerMay) {
  const uint64_t query = node_.send_select(of(select_all(), slice(0, 0, 1u << 30)));
  node_.settle();
  wire::v1::QueryEnd end;
  const size_t size = node_.take_rows(query, &end).size();
  EXPECT_GE(size, 500u);
  EXPECT_LT(size, 1000u);
  EXPECT_EQ(end.next_slice().answer_bytes(), 500u);
}

}  // namespace
}  // namespace daedalus::node

// Pieces in conversation with a whole core over real, stepped segments: an answer that ends when it has enough bytes,
// and the slices that it leaves to whoever asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "node_harness.hpp"

namespace daedalus::node {
namespace {

constexpr int64_t kRows = 500;

std::vector<Ticket> all_tickets() {
  std::vector<Ticket> tickets;
  for (int64_t id = 1; id <= kRows; ++id) {
    tickets.push_back(Ticket{id, "ZRH", id});
  }
  return tickets;
}

/// Rows of several chunks in each segment: a piece ends behind one, where all of its rows have changed.
HarnessOptions with_small_chunks() {
  HarnessOptions options = default_options();
  options.segment.chunk_rows = 64;
  return options;
}

/// Two segments with half of the rows each, and update 1 is confirmed.
class NodePiecesTest : public testing::Test {
 protected:
  explicit NodePiecesTest(const HarnessOptions& options = with_small_chunks()) : node_(options) {
    node_.send_update(1, update_body({insert_part(all_tickets())}));
    node_.send_mark(1);
    node_.settle();
  }

  uint64_t send_piece(const wire::v1::SelectBody& body, uint64_t piece_bytes) {
    auto operation = NodeHarness::operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
    operation.mutable_header()->set_piece_bytes(piece_bytes);
    return node_.send(std::move(operation));
  }

  std::vector<Ticket> take_piece(const wire::v1::SelectBody& body, uint64_t piece_bytes, wire::v1::QueryEnd* end) {
    const uint64_t query = send_piece(body, piece_bytes);
    node_.settle();
    return read_tickets(node_.take_rows(query, end));
  }

  /// Adds the rows of the rest of one segment, at this moment, with a deletion and an insert before each slice.
  void take_rest(wire::v1::Slice next, uint64_t moment, std::vector<Ticket>& tickets) {
    const uint32_t segment = next.segment();
    wire::v1::QueryEnd end;
    do {
      change();
      wire::v1::SelectBody body = select_all();
      *body.mutable_slice() = next;
      const uint64_t query = node_.send_select_at(body, moment, /*is_firm=*/true);
      node_.settle();
      const std::vector<Ticket> found = read_tickets(node_.take_rows(query, &end));
      tickets.insert(tickets.end(), found.begin(), found.end());
      EXPECT_EQ(end.moment(), moment);
      next = end.next_slice();
    } while (end.has_next_slice() && next.segment() == segment);
  }

  /// Changes many rows, deletes some and inserts others. Nobody has confirmed that yet.
  void change() {
    const auto last = static_cast<int64_t>(++timestamp_);
    const auto id_is = [](wire::v1::Operator op, int64_t id) { return call(op, {column(0), constant(id)}); };
    node_.send_update(timestamp_, update_body({add_seats_part(1, id_is(wire::v1::OPERATOR_GREATER, 17 * last)),
                                               delete_part(id_is(wire::v1::OPERATOR_EQUAL, 31 * last)),
                                               insert_part({Ticket{kRows + last, "GVA", 1}})}));
  }

  NodeHarness node_;
  uint64_t timestamp_ = 1;
};

TEST_F(NodePiecesTest, APieceAndItsRestAreTheTableAtItsMomentWhateverChangesMeanwhile) {
  for (const uint64_t piece_bytes : {1u, 300u, 2000u}) {
    wire::v1::QueryEnd end;
    std::vector<Ticket> tickets = take_piece(select_all(), piece_bytes, &end);
    ASSERT_EQ(end.moment(), 1u);
    ASSERT_EQ(end.rest_size(), 2);
    ASSERT_EQ(end.stamps_size(), 2);
    EXPECT_FALSE(end.has_next_slice());
    for (wire::v1::Slice& left : *end.mutable_rest()) {
      left.set_answer_bytes(700);
      take_rest(left, end.moment(), tickets);
    }
    std::sort(tickets.begin(), tickets.end());
    EXPECT_EQ(tickets, all_tickets()) << "pieces of " << piece_bytes << " bytes";
  }
}

TEST_F(NodePiecesTest, EachSegmentHasItsShareAndSaysWhereItStopped) {
  wire::v1::QueryEnd end;
  const std::vector<Ticket> tickets = take_piece(select_all(), 2000, &end);
  ASSERT_EQ(end.rest_size(), 2);
  for (int segment = 0; segment < 2; ++segment) {
    EXPECT_EQ(end.rest(segment).partition(), 0u);
    EXPECT_EQ(end.rest(segment).segment(), static_cast<uint32_t>(segment));
    EXPECT_EQ(end.rest(segment).answer_bytes(), 1000u);
  }
  EXPECT_EQ(end.rest(0).first_slot() + end.rest(1).first_slot(), tickets.size()) << "slots are rows";
}

TEST_F(NodePiecesTest, EverySegmentAnswersAtLeastARow) {
  wire::v1::QueryEnd end;
  EXPECT_EQ(take_piece(select_all(), 1, &end).size(), 2u);
  ASSERT_EQ(end.rest_size(), 2);
  EXPECT_EQ(end.rest(0).first_slot(), 1u);
  EXPECT_EQ(end.rest(1).answer_bytes(), 1u);
}

TEST_F(NodePiecesTest, AnAnswerOfFewerBytesIsWhole) {
  wire::v1::QueryEnd end;
  for (const uint64_t piece_bytes : {uint64_t{1} << 20, uint64_t{UINT64_MAX}}) {
    EXPECT_EQ(take_piece(select_all(), piece_bytes, &end).size(), static_cast<size_t>(kRows));
    EXPECT_EQ(end.rest_size(), 0);
  }
  const auto one = call(wire::v1::OPERATOR_EQUAL, {column(0), constant(7)});
  EXPECT_EQ(take_piece(select_all(one), 200, &end).size(), 1u);
  EXPECT_EQ(end.rest_size(), 0);
  EXPECT_EQ(take_piece(select_all(), 0, &end).size(), static_cast<size_t>(kRows)) << "nobody asked for a piece";
}

TEST_F(NodePiecesTest, TheFirstRowsNameTheMomentAndNoOthersDo) {
  for (const uint64_t piece_bytes : {0u, 2000u}) {
    const uint64_t query = send_piece(select_all(), piece_bytes);
    node_.settle();
    const auto results = node_.take(query);
    ASSERT_GE(results.size(), 2u);
    ASSERT_TRUE(results.front().has_rows());
    EXPECT_EQ(results.front().rows().moment(), 1u);
    for (size_t place = 1; place + 1 < results.size(); ++place) {
      EXPECT_EQ(results[place].rows().moment(), 0u);
    }
    EXPECT_EQ(results.back().end().moment(), 1u);
  }
}

TEST_F(NodePiecesTest, WaitForTheMomentThatTheyDemand) {
  auto operation = NodeHarness::operation(wire::v1::OPERATION_KIND_SELECT, select_all().SerializeAsString());
  operation.mutable_header()->set_piece_bytes(1);
  operation.mutable_header()->set_prefix_min(3);
  const uint64_t query = node_.send(std::move(operation));
  node_.settle();
  EXPECT_TRUE(node_.take(query).empty());
  node_.send_no_op(2, 3);
  node_.settle();
  wire::v1::QueryEnd end;
  static_cast<void>(node_.take_rows(query, &end));
  EXPECT_EQ(end.moment(), 3u);
  EXPECT_EQ(end.rest_size(), 2);
}

TEST_F(NodePiecesTest, RefusesWhatHasNoPieces) {
  for (const wire::v1::SelectBody& body : selects_that_are_merged()) {
    expect_error(node_.take_only(send_piece(body, 1)), wire::v1::ERROR_CATEGORY_REJECTED, "08P01",
                 "piece_bytes and aggregates, groups, orders or limits its rows");
  }
  wire::v1::SelectBody sliced = select_all();
  sliced.mutable_slice()->set_answer_bytes(1000);
  expect_error(node_.take_only(send_piece(sliced, UINT64_MAX)), wire::v1::ERROR_CATEGORY_REJECTED, "08P01",
               "piece_bytes and for a slice");
  EXPECT_EQ(node_.core().under_way(), 0u);
}

class NodeSmallPiecesTest : public NodePiecesTest {
 protected:
  NodeSmallPiecesTest() : NodePiecesTest(with_small_answers()) {}
};

TEST_F(NodeSmallPiecesTest, TakeNoMoreThanAQuarterOfWhatAnAnswerMay) {
  wire::v1::QueryEnd end;
  EXPECT_FALSE(take_piece(select_all(), UINT64_MAX, &end).empty());
  ASSERT_EQ(end.rest_size(), 2);
  EXPECT_EQ(end.rest(0).answer_bytes(), 125u);
}

}  // namespace
}  // namespace daedalus::node

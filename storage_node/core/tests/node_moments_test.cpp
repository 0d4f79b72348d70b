// Tests what a node knows to be confirmed, the moment that it answers a query at, and what it keeps for those who hold
// a moment: the core over stepped segments.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "node_harness.hpp"

namespace daedalus::node {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kAskAgain = wire::v1::ERROR_CATEGORY_RETRY;
constexpr auto kWrong = wire::v1::ERROR_CATEGORY_REJECTED;

wire::v1::Operation update_that_confirms(uint64_t timestamp, uint64_t confirmed_through) {
  auto made = NodeHarness::operation(wire::v1::OPERATION_KIND_UPDATE, ticket_with_id(1));
  auto* header = made.mutable_header()->mutable_update();
  header->set_epoch(1);
  header->set_timestamp(timestamp);
  header->set_digest(semantics::digest(made.body()));
  header->set_confirmed_through(confirmed_through);
  return made;
}

class NodeMomentsTest : public testing::Test {
 protected:
  /// The table is at `through` on this node, and that is all that anybody knows.
  void reach(uint64_t through) {
    node_.send_no_op(1, through);
    node_.settle();
  }

  /// The mark has been what it is for so long that nothing below it is kept, but for whoever holds something.
  void rest(const std::vector<uint64_t>& held = {}) {
    for (int second = 0; second < 5; ++second) {
      node_.wait(kSecond);
      if (!held.empty()) {
        node_.send_hold(held);
      }
    }
  }

  NodeHarness node_;
};

// ---- marks ----

TEST_F(NodeMomentsTest, AMarkIsAnsweredAtOnceWithTheNodesOwn) {
  const auto marked = node_.take_only(node_.send_mark(7));
  ASSERT_EQ(marked.marked().watermarks_size(), 1);
  EXPECT_EQ(marked.marked().watermarks(0).mark(), 7u);
  EXPECT_EQ(marked.marked().watermarks(0).applied(), 0u) << "nothing of it has come here";
  EXPECT_EQ(marked.mark(), 7u);
  const auto lower = node_.take_only(node_.send_mark(3));
  EXPECT_EQ(lower.marked().watermarks(0).mark(), 7u);
  EXPECT_EQ(node_.core().mark(), Timestamp{7});
}

TEST_F(NodeMomentsTest, AMarkThatCannotBeIsRefused) {
  expect_error(node_.take_only(node_.send_mark(kTimestampMax + 1)), kWrong, "08P01", "4611686018427387905");
  auto with_body = NodeHarness::operation(wire::v1::OPERATION_KIND_MARK, "x");
  with_body.mutable_header()->set_mark(5);
  expect_error(node_.take_only(node_.send(with_body)), kWrong, "08P01", "1 bytes");
  EXPECT_EQ(node_.core().mark(), Timestamp{0});
}

TEST_F(NodeMomentsTest, UpdatesAndNoOpRangesSayWhatIsConfirmed) {
  node_.send(update_that_confirms(1, 0));
  EXPECT_EQ(node_.core().mark(), Timestamp{0});
  node_.send(update_that_confirms(2, 1));
  EXPECT_EQ(node_.core().mark(), Timestamp{1});
  auto range = NodeHarness::operation(wire::v1::OPERATION_KIND_NO_OP_RANGE);
  range.mutable_header()->mutable_update()->set_epoch(1);
  range.mutable_header()->mutable_update()->set_first_timestamp(3);
  range.mutable_header()->mutable_update()->set_timestamp(9);
  range.mutable_header()->mutable_update()->set_confirmed_through(2);
  const auto sequence = node_.send(range);
  EXPECT_EQ(node_.core().mark(), Timestamp{2});
  node_.settle();
  const auto confirmed = node_.take_only(sequence).confirmed();
  ASSERT_EQ(confirmed.watermarks_size(), 1);
  EXPECT_EQ(confirmed.watermarks(0).mark(), 2u);
}

TEST_F(NodeMomentsTest, AnUpdateCannotBeSentWhenItIsConfirmed) {
  expect_error(node_.take_only(node_.send(update_that_confirms(1, 1))), kWrong, "08P01", "update 1 cannot be sent");
  EXPECT_EQ(node_.core().mark(), Timestamp{0});
}

TEST_F(NodeMomentsTest, EveryLastResultSaysTheMarkAndRowsDoNot) {
  const auto update = node_.send_update(1, ticket_with_id(1));
  node_.send_mark(1);
  const auto query = node_.send_select(select_all(), 0);
  node_.settle();
  EXPECT_EQ(node_.take_only(update).mark(), 1u);
  const auto answer = node_.take(query);
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_TRUE(answer[0].has_rows());
  EXPECT_EQ(answer[0].mark(), 0u);
  EXPECT_TRUE(answer[1].has_end());
  EXPECT_EQ(answer[1].mark(), 1u);
  EXPECT_EQ(node_.take_only(node_.send_hold({1})).mark(), 1u);
  EXPECT_EQ(node_.take_only(node_.send_epoch(1, "v")).mark(), 1u);
  EXPECT_EQ(node_.take_only(node_.send_select(wire::v1::SelectBody())).mark(), 1u) << "an error";
  const auto late = node_.send_select(select_all(), 9, kSecond);
  node_.send_mark(2);
  node_.wait(kSecond);
  EXPECT_EQ(node_.take_only(late).mark(), 2u);
}

// ---- moments ----

TEST_F(NodeMomentsTest, AQueryIsAnsweredAtTheMarkOfItsArrival) {
  reach(9);
  node_.send_mark(4);
  const auto query = node_.send_select(select_all(), 0);
  node_.send_mark(5);
  node_.settle();
  wire::v1::QueryEnd end;
  static_cast<void>(node_.take_rows(query, &end));
  EXPECT_EQ(end.moment(), 4u);
}

TEST_F(NodeMomentsTest, AQueryIsAnsweredAtWhatItDemandsIfThatIsMore) {
  reach(9);
  node_.send_mark(4);
  const auto query = node_.send_select(select_all(), 6);
  node_.settle();
  wire::v1::QueryEnd end;
  static_cast<void>(node_.take_rows(query, &end));
  EXPECT_EQ(end.moment(), 6u);
}

TEST_F(NodeMomentsTest, ANodeThatIsBehindItsMarkParksQueriesUntilItHasReachedIt) {
  reach(9);
  node_.send_mark(10);
  const auto query = node_.send_select(select_all(), 0);
  node_.settle();
  EXPECT_THAT(node_.take(query), IsEmpty());
  node_.send_update(10, ticket_with_id(10));
  node_.settle();
  wire::v1::QueryEnd end;
  EXPECT_THAT(read_tickets(node_.take_rows(query, &end)), SizeIs(1));
  EXPECT_EQ(end.moment(), 10u);
  EXPECT_THAT(end.stamps(), Each(testing::Property(&wire::v1::SegmentStamp::applied, 10u)));
}

TEST_F(NodeMomentsTest, AQueryBelowTheMarkIsToBeAskedAgainAtTheMark) {
  reach(9);
  node_.send_mark(5);
  const auto refused = node_.take_only(node_.send_select_at(select_all(), 4));
  expect_error(refused, kAskAgain, "40001", "at 4, and node 0 knows that all is confirmed up to 5");
  EXPECT_EQ(refused.error().ask_again_at(), 5u);
  EXPECT_THAT(refused.error().hint(), HasSubstr("at 5"));
  EXPECT_EQ(node_.core().under_way(), 0u);
}

TEST_F(NodeMomentsTest, AQueryAtTheMarkOrAFirmMomentIsAnsweredThere) {
  reach(9);
  node_.send_mark(5);
  const auto at_mark = node_.send_select_at(select_all(), 5);
  const auto above = node_.send_select_at(select_all(), 7);
  const auto firm = node_.send_select_at(select_all(), 4, /*is_firm=*/true);
  node_.settle();
  wire::v1::QueryEnd end;
  static_cast<void>(node_.take_rows(at_mark, &end));
  EXPECT_EQ(end.moment(), 5u);
  static_cast<void>(node_.take_rows(above, &end));
  EXPECT_EQ(end.moment(), 7u);
  static_cast<void>(node_.take_rows(firm, &end));
  EXPECT_EQ(end.moment(), 4u);
}

TEST_F(NodeMomentsTest, AMomentIsJudgedOnArrivalOnly) {
  const auto parked = node_.send_select_at(select_all(), 3);
  const auto under_way = node_.send_select_at(select_all(), 0, /*is_firm=*/true);
  node_.send_mark(4);
  reach(4);
  wire::v1::QueryEnd end;
  static_cast<void>(node_.take_rows(parked, &end));
  EXPECT_EQ(end.moment(), 3u);
  static_cast<void>(node_.take_rows(under_way, &end));
  EXPECT_EQ(end.moment(), 0u);
}

TEST_F(NodeMomentsTest, ABoundOfFreshnessIsForAggregators) {
  auto operation = NodeHarness::operation(wire::v1::OPERATION_KIND_SELECT, select_all().SerializeAsString());
  operation.mutable_header()->set_freshness_ns(1);
  expect_error(node_.take_only(node_.send(operation)), kWrong, "0A000", "freshness");
}

TEST_F(NodeMomentsTest, AFirmMomentHasToBeNamed) {
  auto operation = NodeHarness::operation(wire::v1::OPERATION_KIND_SELECT, select_all().SerializeAsString());
  operation.mutable_header()->set_is_firm(true);
  expect_error(node_.take_only(node_.send(operation)), kWrong, "08P01", "does not name it");
}

// ---- holds ----

TEST_F(NodeMomentsTest, SegmentsKeepWhatTheMarkAndHoldsAskFor) {
  reach(9);
  node_.send_mark(4);
  rest();
  EXPECT_THAT(node_.segments().kept_from(), ElementsAre(Timestamp{4}, Timestamp{4}));
  const auto held = node_.take_only(node_.send_hold({4})).held();
  EXPECT_EQ(held.oldest(), 4u);
  EXPECT_THAT(held.refused(), IsEmpty());
  node_.send_mark(6);
  rest({4});
  EXPECT_THAT(node_.segments().kept_from(), ElementsAre(Timestamp{4}, Timestamp{4}));
  EXPECT_THAT(node_.take_only(node_.send_hold({4, 5})).held().refused(), ElementsAre(5u));
  node_.send_hold({}, 5);
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{5}));
  EXPECT_EQ(node_.take_only(node_.send_hold({})).held().oldest(), 6u);
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{6}));
}

TEST_F(NodeMomentsTest, SegmentsAnswerAtAMomentAsLongAsItIsHeld) {
  node_.send_update(1, ticket_with_id(1));
  node_.send_mark(1);
  node_.send_hold({1});
  node_.send_update(2, ticket_with_id(2));
  node_.send_mark(2);
  const auto sweep = [this] {
    node_.send_select(select_all());
    node_.settle();
  };
  sweep();
  const auto held = node_.send_select_at(select_all(), 1, /*is_firm=*/true);
  sweep();
  EXPECT_THAT(read_tickets(node_.take_rows(held)), ElementsAre(Ticket{1, "ZRH", 2}));
  node_.send_hold({});
  rest();
  sweep();
  sweep();
  const auto gone = node_.send_select_at(select_all(), 1, /*is_firm=*/true);
  node_.settle();
  EXPECT_EQ(node_.take_only(gone).error().sqlstate(), "72000");
}

TEST_F(NodeMomentsTest, AHoldThatIsNotSaidAgainEndsAfterTwoSeconds) {
  reach(9);
  node_.send_mark(4);
  node_.send_hold({4});
  node_.send_mark(6);
  rest({4});
  EXPECT_EQ(node_.wake_at(), after(node_.now(), 2 * kSecond));
  node_.wait(2 * kSecond - 1);
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{4}));
  node_.wait(1);
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{6}));
}

TEST_F(NodeMomentsTest, AHoldEndsTwoSecondsAfterItsConnectionIsLost) {
  reach(9);
  node_.connect(2);
  node_.send_mark(4);
  node_.send_hold({4});
  node_.send_mark(6);
  rest({4});
  node_.send_hold({4}, 0, 2);
  node_.send_hold({});
  node_.disconnect(2);
  node_.wait(2 * kSecond - 1);
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{4}));
  node_.wait(1);
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{6}));
}

/// No aggregator has said that it has it under way: its word may be on its way, or it asks this node alone.
TEST_F(NodeMomentsTest, SegmentsKeepWhatAParkedQueryNeeds) {
  reach(4);
  node_.send_mark(4);
  const auto parked = node_.send_select_at(select_all(), 5);
  node_.send_mark(6);
  rest();
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{5}));
  node_.send_no_op(5, 6);
  node_.settle();
  EXPECT_TRUE(node_.take_only(parked).has_end());
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{6}));
}

TEST_F(NodeMomentsTest, HoldsThatCannotBeAreRefusedAndTheWordBeforeStays) {
  node_.send_mark(4);
  rest({4});
  expect_error(node_.take_only(node_.send(NodeHarness::operation(wire::v1::OPERATION_KIND_HOLD, "\xff"))), kWrong,
               "08P01", "hold does not parse");
  std::vector<uint64_t> many(ReadHolds::kMomentsMax + 1);
  std::iota(many.begin(), many.end(), 4);
  const auto refused = node_.take_only(node_.send_hold(many));
  expect_error(refused, kAskAgain, "53000", "node 0 keeps 65536 moments");
  EXPECT_GT(refused.error().retry_after_ns(), 0u);
  node_.send_mark(6);
  node_.wait(2 * kSecond - 1);
  EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{4}));
}

TEST_F(NodeMomentsTest, ANodeThatStopsStillTakesMarksAndHolds) {
  node_.core().drain();
  const auto marked = node_.take_only(node_.send_mark(3));
  ASSERT_EQ(marked.marked().watermarks_size(), 1) << marked.ShortDebugString();
  EXPECT_EQ(marked.marked().watermarks(0).mark(), 3u);
  EXPECT_THAT(node_.take_only(node_.send_hold({2, 3})).held().refused(), ElementsAre(2u));
}

// ---- recovery ----

TEST(NodeMomentsRecoveryTest, AfterARestartTheMarkIsWhatWasDurable) {
  HarnessOptions options = default_options();
  options.node.durability = Durability::kSync;
  options.node.found_epoch = EpochRecord{Epoch{4}, "w", "w:7500"};
  NodeHarness node(options);
  node.core().start_after(Timestamp{7}, std::vector<Timestamp>(2));
  node.core().on_recovered();
  EXPECT_EQ(node.core().mark(), Timestamp{7});
  EXPECT_EQ(node.take_only(node.send_select_at(select_all(), 6)).error().ask_again_at(), 7u);
  const auto query = node.send_select(select_all(), 0);
  node.settle();
  wire::v1::QueryEnd end;
  static_cast<void>(node.take_rows(query, &end));
  EXPECT_EQ(end.moment(), 7u);
}

// ---- property ----

/// Random updates, marks, queries, holds, losses and waits. What is checked knows only what was said on the wire.
class RandomMoments {
 public:
  explicit RandomMoments(uint64_t seed) : random_(seed) { node_.connect(2); }

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      act();
      check_kept();
    }
    confirm_all();
    for (const auto& [query, asked] : queries_) {
      check(query, asked);
    }
  }

 private:
  struct Asked {
    std::optional<uint64_t> at;
    uint64_t demand = 0;
    bool is_firm = false;
    uint64_t mark = 0;  ///< At its arrival.
    uint64_t kept = 0;  ///< The lowest moment that segments kept then.
  };

  uint64_t below(uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random_); }

  void act() {
    switch (below(7)) {
      case 0:
        ++numbered_;
        node_.send_update(numbered_, ticket_with_id(static_cast<int64_t>(numbered_)));
        return;
      case 1:
        mark_ = std::max(mark_, mark_ - std::min<uint64_t>(mark_, 1) + below(3));
        node_.send_mark(mark_, 2);
        return;
      case 2:
      case 3:
        return ask();
      case 4:
        return hold();
      case 5:
        node_.wait(static_cast<int64_t>(below(900)) * kMillisecond);
        return;
      default:
        node_.step(static_cast<uint32_t>(below(2)));
    }
  }

  void ask() {
    Asked asked{.mark = mark_, .kept = kept_before_};
    const uint64_t near = mark_ + below(5) - std::min<uint64_t>(mark_, 2);
    if (below(2) == 0) {
      asked.demand = near;
      queries_[node_.send_select(select_all(), near, 1'000 * kSecond)] = asked;
    } else {
      asked.at = near;
      asked.is_firm = below(3) == 0;
      queries_[node_.send_select_at(select_all(), near, asked.is_firm)] = asked;
    }
  }

  void hold() {
    std::vector<uint64_t> moments;
    for (uint64_t count = below(3); count > 0; --count) {
      moments.push_back(mark_ + below(3) - std::min<uint64_t>(mark_, 1));
    }
    const auto held = node_.take_only(node_.send_hold(moments, 0, 2), 2).held();
    held_.clear();
    held_end_ = after(node_.now(), 2 * kSecond);
    for (const uint64_t moment : moments) {
      if (std::count(held.refused().begin(), held.refused().end(), moment) == 0) {
        EXPECT_GE(moment, held.oldest());
        held_.push_back(moment);
      }
    }
  }

  /// Segments keep what was the mark in the last two seconds and what somebody was promised, and never less than they
  /// have kept before.
  void check_kept() {
    const uint64_t kept = raw(node_.core().kept_from());
    marks_[node_.now()] = mark_;
    EXPECT_LE(kept, std::prev(marks_.upper_bound(Instant{node_.now().ns - NodeCore::kTrimDelayNs}))->second);
    EXPECT_THAT(node_.segments().kept_from(), Each(Timestamp{kept}));
    EXPECT_GE(kept, kept_before_);
    kept_before_ = kept;
    if (held_end_ > node_.now()) {
      EXPECT_THAT(held_, Each(Ge(kept)));
    }
  }

  void confirm_all() {
    const uint64_t last = std::max(numbered_, mark_ + 5);
    if (last > numbered_) {
      node_.send_no_op(numbered_ + 1, last);
    }
    node_.settle();
  }

  void check(uint64_t query, const Asked& asked) {
    const auto results = node_.take(query);
    ASSERT_FALSE(results.empty());
    const auto& last = results.back();
    if (asked.at && *asked.at < asked.mark && !asked.is_firm) {
      EXPECT_EQ(last.error().ask_again_at(), asked.mark);
      EXPECT_EQ(results.size(), 1u);
      return;
    }
    if (last.error().sqlstate() == "57014") {
      return;  // It was asked at a moment that came too late.
    }
    const uint64_t moment = asked.at.value_or(std::max(asked.demand, asked.mark));
    if (last.error().sqlstate() == "72000") {
      EXPECT_LT(moment, asked.kept) << "nobody kept it";
      return;
    }
    ASSERT_TRUE(last.has_end()) << last.ShortDebugString();
    EXPECT_EQ(last.end().row_count(), std::min(moment, numbered_)) << "each update adds a row";
    EXPECT_EQ(last.end().moment(), moment);
    EXPECT_GE(last.mark(), asked.mark);
    EXPECT_THAT(last.end().stamps(),
                AllOf(SizeIs(2), Each(testing::Property(&wire::v1::SegmentStamp::applied, moment))));
  }

  std::mt19937_64 random_;
  NodeHarness node_;
  uint64_t numbered_ = 0;
  uint64_t mark_ = 0;
  std::map<Instant, uint64_t> marks_{{Instant{-NodeCore::kTrimDelayNs}, 0}};  ///< The last one at each time.
  uint64_t kept_before_ = 0;
  std::vector<uint64_t> held_;
  Instant held_end_{};
  std::map<uint64_t, Asked> queries_;
};

TEST(NodeMomentsProperty, QueriesAreAnsweredAtTheirMomentsAndWhatIsHeldIsKept) {
  const char* given = std::getenv("DAEDALUS_SEED");
  const uint64_t seed = given == nullptr ? 20261128 : std::strtoull(given, nullptr, 10);
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  for (uint64_t round = 0; round < 50; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    RandomMoments(seed + round).run(300);
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace daedalus::node

// Marks, and the moments of queries: what an aggregator knows, at which moment it asks, and when it asks again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

class MomentsTest : public ::testing::Test {
 protected:
  /// The header of the SELECT that the node has been asked last.
  [[nodiscard]] const wire::v1::OperationHeader& asked(uint32_t node) const {
    return cluster.last_operation(node).header();
  }
  [[nodiscard]] static std::optional<uint64_t> at(const wire::v1::OperationHeader& header) {
    return header.has_at() ? std::optional(header.at()) : std::nullopt;
  }
  /// A query of all nodes, whose header `change` completes.
  template <typename Change>
  uint64_t select_with(Change change, const std::string& origin = {}) {
    auto body = select_ids(origin);
    body.set_form(wire::v1::RESULT_FORM_FINAL);
    auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
    change(*operation.mutable_header());
    return cluster.send(client, std::move(operation));
  }
  [[nodiscard]] const wire::v1::Result& last_result() const { return cluster.results().back().second; }
  [[nodiscard]] uint64_t asked_twice() {
    const auto peer = cluster.connect(wire::v1::ROLE_CLIENT);
    cluster.send(peer, make_operation(wire::v1::OPERATION_KIND_STATUS));
    for (const uint32_t node : {0u, 1u}) {
      wire::v1::Result result;
      result.mutable_status()->add_nodes();
      cluster.answer(cluster.peer_of(node), cluster.last(node), std::move(result));
    }
    return last_result().status().aggregator().queries_asked_twice();
  }

  Cluster cluster;
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  rpc::PeerId writer = cluster.connect(wire::v1::ROLE_WRITER);
};

// ---- what it knows ----

TEST_F(MomentsTest, AConfirmationIsNoMarkWhileAnEarlierUpdateIsOpen) {
  cluster.update(writer, 1, origin_in(0, 2));
  cluster.update(writer, 2, origin_in(1, 2));
  cluster.confirm(1, cluster.last(1), 2);
  EXPECT_THAT(cluster.take(), HasSubstr("confirmed t=2"));
  EXPECT_EQ(raw(cluster.core().confirmed()), 0u);
  cluster.mark(writer, 2);
  EXPECT_EQ(raw(cluster.core().confirmed()), 2u);
}

TEST_F(MomentsTest, AWriterOfAnOlderBuildSaysNoOtherMarkThanItsConfirmations) {
  const auto older = cluster.connect_older(wire::v1::ROLE_WRITER);
  cluster.update(older, 1, origin_in(0, 2));
  cluster.confirm(0, cluster.last(0), 1);
  EXPECT_EQ(raw(cluster.core().confirmed()), 1u);
}

TEST_F(MomentsTest, MarksComeWithUpdatesResultsWatermarksAndRefusals) {
  cluster.update(writer, 10, origin_in(0, 2), 3);
  EXPECT_EQ(raw(cluster.core().confirmed()), 3u) << "confirmed_through";

  cluster.select(client, select_ids(origin_in(0, 2)));
  wire::v1::Result end;
  end.set_mark(4);
  end.mutable_end()->add_stamps()->set_partition(0);
  cluster.answer(cluster.peer_of(0), cluster.last(0), std::move(end));
  EXPECT_EQ(raw(cluster.core().confirmed()), 4u) << "the mark of a result";

  cluster.mark(writer, 4, true);
  wire::v1::Result marked;
  marked.mutable_marked()->add_watermarks()->set_mark(5);
  cluster.answer(cluster.peer_of(0), cluster.last(0), std::move(marked));
  EXPECT_EQ(raw(cluster.core().confirmed()), 5u) << "the mark of a watermark";

  cluster.select(client, select_ids());
  wire::v1::Result refusal;
  refusal.mutable_error()->set_ask_again_at(6);
  cluster.answer(cluster.peer_of(0), cluster.last(0), std::move(refusal));
  EXPECT_EQ(raw(cluster.core().confirmed()), 6u) << "the mark of a refusal";
}

TEST_F(MomentsTest, AMarkOfTheWritersIsPassedOnAndAnsweredWithTheMarksOfNodes) {
  const uint64_t sequence = cluster.mark(writer, 7, true);
  EXPECT_EQ(cluster.take(), "node 0 <- MARK 7\nnode 1 <- MARK 7\n");
  cluster.marked(1, cluster.last(1), 8);
  EXPECT_EQ(cluster.take(), "");
  cluster.marked(0, cluster.last(0), 7);
  EXPECT_EQ(last_result().mark(), 8u);
  EXPECT_EQ(last_result().sequence(), sequence);
  EXPECT_THAT(cluster.take(), HasSubstr("<- marked 0:7 1:8\n"));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(MomentsTest, TheWritersMarkIsPassedOnAndNoOther) {
  cluster.mark(writer, 9);
  static_cast<void>(cluster.take());
  cluster.mark(writer, 8, true);
  EXPECT_EQ(cluster.take(), "node 0 <- MARK 8\nnode 1 <- MARK 8\n");
}

TEST_F(MomentsTest, AMarkThatNeedNotBePassedOnIsAnsweredAtOnce) {
  cluster.mark(writer, 7);
  EXPECT_THAT(cluster.take(), HasSubstr("<- marked\n"));
}

TEST_F(MomentsTest, AMarkWaitsASecondForASilentNodeAndForNoneThatIsLostOrOlder) {
  cluster.mark(writer, 1, true);
  cluster.marked(1, cluster.last(1), 1);
  static_cast<void>(cluster.take());
  cluster.advance(kSecond - 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.advance(1);
  EXPECT_THAT(cluster.take(), HasSubstr("<- marked 1:1\n"));

  cluster.mark(writer, 2, true);
  cluster.marked(1, cluster.last(1), 2);
  static_cast<void>(cluster.take());
  cluster.node_down(0);
  EXPECT_THAT(cluster.take(), HasSubstr("<- marked 1:2\n"));

  cluster.set_nodes_know_moments(false);
  cluster.node_up(0);
  static_cast<void>(cluster.take());
  cluster.mark(writer, 3, true);
  EXPECT_EQ(cluster.take(), "node 1 <- MARK 3\n");
  cluster.marked(1, cluster.last(1), 3);
  EXPECT_THAT(cluster.take(), HasSubstr("<- marked 0:3 1:3\n"));  // The older one counts as knowing it.
}

TEST_F(MomentsTest, OnlyTheWriterSaysMarks) {
  cluster.mark(client, 9);
  EXPECT_THAT(cluster.take(), HasSubstr("error REJECTED 42501"));
  EXPECT_EQ(raw(cluster.core().confirmed()), 0u);
}

TEST_F(MomentsTest, MarksArePassedOnWhileTheAggregatorShutsDown) {
  cluster.core().drain();
  cluster.mark(writer, 9, true);
  EXPECT_EQ(cluster.take(), "node 0 <- MARK 9\nnode 1 <- MARK 9\n");
}

// ---- at which moment it asks ----

TEST_F(MomentsTest, SeveralNodesAreAskedAtTheMarkAndOneIsNot) {
  cluster.mark(writer, 7);
  cluster.select(client, select_ids());
  for (const uint32_t node : {0u, 1u}) {
    EXPECT_EQ(at(asked(node)), 7u);
    EXPECT_FALSE(asked(node).is_firm());
  }
  cluster.select(client, select_ids(origin_in(1, 2)));
  EXPECT_EQ(at(asked(1)), std::nullopt) << "the node takes its own mark";
  EXPECT_EQ(asked(1).prefix_min(), 7u);
}

TEST_F(MomentsTest, ADemandAboveTheMarkIsTheMoment) {
  cluster.mark(writer, 7);
  select_with([](auto& header) { header.set_prefix_min(9); });
  EXPECT_EQ(at(asked(0)), 9u);
  select_with([](auto& header) { header.set_prefix_min(5); });
  EXPECT_EQ(at(asked(0)), 7u);
}

TEST_F(MomentsTest, BeforeTheFirstUpdateSeveralNodesAreAskedAtMomentZero) {
  cluster.select(client, select_ids());
  EXPECT_EQ(at(asked(0)), 0u);
  EXPECT_EQ(at(asked(1)), 0u);
}

TEST_F(MomentsTest, ANodeOfAnOlderBuildIsAskedAsBefore) {
  cluster.set_nodes_know_moments(false);
  cluster.node_down(1);
  cluster.node_up(1);
  cluster.mark(writer, 7);
  cluster.select(client, select_ids());
  EXPECT_EQ(at(asked(0)), 7u);
  EXPECT_EQ(at(asked(1)), std::nullopt);
  EXPECT_EQ(asked(1).prefix_min(), 7u);
  cluster.end(0, cluster.last(0), 0, {0}, 7);
  cluster.end(1, cluster.last(1), 0, {1});
  EXPECT_EQ(last_result().end().moment(), 0u) << "nobody knows the moment of that node's part";
}

TEST_F(MomentsTest, TheEndNamesTheMomentAndTheMark) {
  cluster.mark(writer, 7);
  cluster.select(client, select_ids());
  cluster.end(0, cluster.last(0), 0, {0}, 7);
  cluster.mark(writer, 8);
  cluster.end(1, cluster.last(1), 0, {1}, 7);
  EXPECT_EQ(last_result().end().moment(), 7u);
  EXPECT_EQ(last_result().mark(), 8u);

  cluster.select(client, select_ids(origin_in(1, 2)));
  cluster.end(1, cluster.last(1), 0, {1}, 9);
  EXPECT_EQ(last_result().end().moment(), 9u) << "a node alone takes its own mark";
}

TEST_F(MomentsTest, PartsOfDifferentMomentsAreNoAnswer) {
  cluster.mark(writer, 7);
  cluster.select(client, select_ids());
  cluster.end(0, cluster.last(0), 0, {0}, 7);
  cluster.end(1, cluster.last(1), 0, {1}, 8);
  EXPECT_THAT(last_result().error().message(), HasSubstr("storage node 1 answered at moment 8"));
  EXPECT_EQ(last_result().error().sqlstate(), "XX000");
}

// ---- when it asks again ----

TEST_F(MomentsTest, WhereANodeKnowsAHigherMarkAllAreAskedAgainAtIt) {
  cluster.mark(writer, 7);
  cluster.select(client, select_ids());
  const uint64_t before = cluster.last(0);
  static_cast<void>(cluster.take());
  cluster.refuse_moment(1, cluster.last(1), 9);
  EXPECT_EQ(cluster.take(), "node 0 <- ABORT SELECT\nnode 0 <- SELECT\nnode 1 <- SELECT\n");
  EXPECT_EQ(at(asked(0)), 9u);
  EXPECT_EQ(at(asked(1)), 9u);

  cluster.rows(0, before, pack_ids({1}), 1);  // It answers the first asking, too late.
  cluster.rows(0, cluster.last(0), pack_ids({1, 2}), 2);
  cluster.end(0, cluster.last(0), 2, {0}, 9);
  cluster.end(1, cluster.last(1), 0, {1}, 9);
  EXPECT_EQ(last_result().end().moment(), 9u);
  EXPECT_THAT(cluster.take(), HasSubstr("rows=2 columns=1\n"));
  EXPECT_EQ(asked_twice(), 1u);
}

TEST_F(MomentsTest, AQueryIsAskedAgainAtTheHighestMarkThatIsKnownAndAsOftenAsItTakes) {
  cluster.select(client, select_ids());
  cluster.mark(writer, 12);
  cluster.refuse_moment(1, cluster.last(1), 9);
  EXPECT_EQ(at(asked(0)), 12u);
  cluster.refuse_moment(0, cluster.last(0), 13);
  EXPECT_EQ(at(asked(1)), 13u);
  EXPECT_EQ(asked_twice(), 1u) << "a query counts once";
}

TEST_F(MomentsTest, NoRowLeavesBeforeEveryNodeHasAnswered) {
  cluster.select(client, select_ids());
  static_cast<void>(cluster.take());
  cluster.rows(0, cluster.last(0), pack_ids({1}), 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.refuse_moment(1, cluster.last(1), 9);
  static_cast<void>(cluster.take());
  cluster.rows(0, cluster.last(0), pack_ids({2}), 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.end(1, cluster.last(1), 0, {1}, 9);
  ASSERT_EQ(cluster.results().size(), 1u);
  EXPECT_EQ(last_result().rows().rows(), pack_ids({2}));
}

TEST_F(MomentsTest, AskingAgainGetsNoMoreTime) {
  select_with([](auto& header) { header.set_remaining_ns(100 * kMillisecond); });
  cluster.advance(60 * kMillisecond);
  cluster.refuse_moment(1, cluster.last(1), 9);
  EXPECT_EQ(asked(0).remaining_ns(), static_cast<uint64_t>(40 * kMillisecond));
  static_cast<void>(cluster.take());
  cluster.advance(40 * kMillisecond);
  EXPECT_THAT(cluster.take(), HasSubstr("error RETRY 57014"));
}

TEST_F(MomentsTest, ANodeThatIsLostMeanwhileEndsAQueryThatIsAskedAgain) {
  cluster.select(client, select_ids());
  static_cast<void>(cluster.take());
  cluster.node_down(0);
  EXPECT_THAT(cluster.take(), HasSubstr("error RETRY 08006 missing=0:0"));
}

// ---- what whoever asks may demand ----

TEST_F(MomentsTest, AFirmMomentIsPassedOnAndStays) {
  cluster.mark(writer, 7);
  select_with([](auto& header) {
    header.set_at(5);
    header.set_is_firm(true);
    header.set_prefix_min(6);
  });
  for (const uint32_t node : {0u, 1u}) {
    EXPECT_EQ(at(asked(node)), 5u);
    EXPECT_TRUE(asked(node).is_firm());
    EXPECT_EQ(asked(node).prefix_min(), 5u);
  }
  cluster.refuse_moment(1, cluster.last(1), 9);
  EXPECT_THAT(cluster.take(), HasSubstr("error RETRY 40001 ask_again_at=9\n"));
  EXPECT_EQ(asked_twice(), 0u);

  select_with(
      [](auto& header) {
        header.set_at(5);
        header.set_is_firm(true);
      },
      origin_in(1, 2));
  EXPECT_EQ(at(asked(1)), 5u) << "of a node alone, too";
}

TEST_F(MomentsTest, AMomentThatIsNotFirmIsRefusedBelowTheMarkAndNeverRaised) {
  cluster.mark(writer, 7);
  select_with([](auto& header) { header.set_at(6); });
  EXPECT_THAT(cluster.take(), HasSubstr("error RETRY 40001 ask_again_at=7\n"));
  select_with([](auto& header) { header.set_at(7); });
  EXPECT_EQ(at(asked(0)), 7u);
  static_cast<void>(cluster.take());
  cluster.refuse_moment(1, cluster.last(1), 9);
  EXPECT_EQ(cluster.take(), "node 0 <- ABORT SELECT\nclient 102 #2 <- error RETRY 40001 ask_again_at=9\n");
}

TEST_F(MomentsTest, NoFirmMomentIsAskedOfANodeThatDoesNotKnowMoments) {
  cluster.set_nodes_know_moments(false);
  cluster.node_down(1);
  cluster.node_up(1);
  static_cast<void>(cluster.take());
  select_with([](auto& header) {
    header.set_at(0);
    header.set_is_firm(true);
  });
  EXPECT_THAT(cluster.take(), HasSubstr("error REJECTED 0A000"));
}

TEST_F(MomentsTest, FreshnessBoundsTheTimeSinceTheWritersLastWord) {
  const auto fresh = [](auto& header) { header.set_freshness_ns(100 * kMillisecond); };
  select_with(fresh);
  EXPECT_THAT(last_result().error().message(), HasSubstr("has not heard from the writer yet"));
  EXPECT_EQ(last_result().error().sqlstate(), "72000");
  EXPECT_EQ(last_result().error().category(), wire::v1::ERROR_CATEGORY_RETRY);

  cluster.mark(writer, 0);
  cluster.advance(100 * kMillisecond);
  static_cast<void>(cluster.take());
  select_with(fresh);
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\nnode 1 <- SELECT\n");
  cluster.advance(1);
  select_with(fresh);
  EXPECT_THAT(last_result().error().message(), HasSubstr("100 ms ago, more than the 100 ms allowed"));
  select_with([&](auto& header) {
    fresh(header);
    header.set_at(0);
    header.set_is_firm(true);
  });
  EXPECT_EQ(at(asked(0)), 0u) << "a firm moment may be of any age";

  cluster.update(writer, 1, origin_in(0, 2));
  select_with(fresh);
  EXPECT_EQ(asked(1).kind(), wire::v1::OPERATION_KIND_SELECT) << "an update is a word of the writer's, too";
}

}  // namespace
}  // namespace daedalus::aggregator::testing

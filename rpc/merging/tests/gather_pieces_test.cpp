// How answers go on with what their parts leave out, and who is told of it otherwise.
#include "gather_fixture.hpp"

namespace daedalus::merging {
namespace {

using Asked = FakeCandidates::Asked;

/// The peer has not read so many bytes.
class UnreadGauge final : public rpc::OutputGauge {
 public:
  [[nodiscard]] uint64_t output_waiting(rpc::PeerId /*peer*/) const override { return waiting; }

  uint64_t waiting = 0;
};

class GatherPiecesTest : public GatherTest {
 protected:
  GatherPiecesTest() { goes_on_ = true; }

  void turn() {
    semantics::WorkBudget budget(1'000);
    gather_.step(budget, gauge_, out_);
    gather_.ask_for_more(gauge_, kNow, out_);
  }

  UnreadGauge gauge_;
};

TEST_F(GatherPiecesTest, AnAnswerGoesOnUntilNothingIsLeftOut) {
  start({{0}, {1}});
  rows(0, {1, 2});
  end(0, 2, 9, {{0, 3, 10}});
  rows(1, {3});
  end(1, 1, 9);
  run();
  EXPECT_EQ(candidates_.asked, (std::vector<Asked>{{0, 0}, {1, 1}, {2, 0}}));
  ASSERT_EQ(candidates_.pieces.size(), 1u);
  EXPECT_EQ(candidates_.pieces[0].segment(), 3u);
  EXPECT_EQ(candidates_.pieces[0].first_slot(), 10u);
  rows(2, {4});
  end(2, 1, 9, {{0, 3, 20}});
  run();
  ASSERT_EQ(candidates_.pieces.size(), 2u);
  EXPECT_EQ(candidates_.pieces[1].first_slot(), 20u);
  EXPECT_TRUE(last_words().empty());
  rows(2, {5});
  end(2, 1, 9);
  run();
  EXPECT_EQ(sent_rows(), numbers({1, 2, 3, 4, 5}).rows);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].end().row_count(), 5u);
  EXPECT_EQ(last_words()[0].end().moment(), 9u);
  EXPECT_EQ(last_words()[0].end().stamps_size(), 2) << "each segment has one";
  EXPECT_EQ(last_words()[0].end().rest_size(), 0);
}

TEST_F(GatherPiecesTest, EverySegmentOfAPartGoesOnByItself) {
  start({{0}});
  end(0, 0, 9, {{0, 0, 10}, {0, 1, 12}});
  run();
  EXPECT_EQ(candidates_.asked, (std::vector<Asked>{{0, 0}, {1, 0}, {2, 0}}));
  end(1, 0, 9, {{0, 1, 0}});  // The segment has no more; what follows it is asked for already.
  end(2, 0, 9);
  run();
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_TRUE(last_words()[0].has_end());
}

TEST_F(GatherPiecesTest, WhoeverDoesNotReadIsAskedNothingFor) {
  start({{0}});
  end(0, 0, 9, {{0, 0, 10}});
  gauge_.waiting = MergeLimits{}.output_waiting_max;
  EXPECT_FALSE(gather_.has_work(gauge_));
  turn();
  EXPECT_TRUE(candidates_.pieces.empty());
  EXPECT_TRUE(gather_.waits_for_reader(kQuery));
  gauge_.waiting = 0;
  EXPECT_TRUE(gather_.has_work(gauge_));
  turn();
  EXPECT_EQ(candidates_.pieces.size(), 1u);
  EXPECT_FALSE(gather_.waits_for_reader(kQuery));
}

TEST_F(GatherPiecesTest, PiecesThatAreAskedForAndRowsThatWaitAreBoundedTogether) {
  std::vector<std::array<uint32_t, 3>> rest;
  for (uint32_t segment = 0; segment < 1'000; ++segment) {
    rest.push_back({0, segment, 10});
  }
  start({{0}});
  end(0, 0, 9, rest);
  run();
  uint64_t bytes = 0;
  for (const wire::v1::Slice& piece : candidates_.pieces) {
    bytes += piece.answer_bytes();
  }
  EXPECT_GT(candidates_.pieces.size(), 1u);
  EXPECT_LE(bytes, GatherLimits{}.ahead_bytes_max);
  const size_t asked = candidates_.pieces.size();
  end(1, 0, 9);
  run();
  EXPECT_EQ(candidates_.pieces.size(), asked + 1) << "one place is free";
}

TEST_F(GatherPiecesTest, AnswersThatGoOnHaveNoBound) {
  GatherLimits limits;
  limits.merges.answer_bytes_max = 100;
  limits.received_bytes_max = 100;
  Gather bounded{limits, std::make_shared<ByteBudget>(8u << 20), candidates_};
  for (const bool goes_on : {true, false}) {
    out_.clear();
    GatheredQuery query{kAsker,      std::make_shared<const semantics::Selection>(selection_),
                        form_,       {},
                        {},          {Part{{PartitionId{0}}, 0, {CandidateId{0}}}},
                        std::nullopt};
    query.goes_on = goes_on;
    const QueryId id{goes_on ? 1u : 2u};
    bounded.start(id, std::move(query), kNow, out_);
    bounded.on_rows(id, 0, numbers(std::vector<int64_t>(100, 7)), {}, 9, out_);
    semantics::WorkBudget budget(1'000);
    bounded.step(budget, gauge_, out_);
    EXPECT_EQ(last_words().size(), goes_on ? 0u : 1u);
  }
  EXPECT_EQ(last_words()[0].error().sqlstate(), "54000");
}

TEST_F(GatherPiecesTest, NoPieceIsAskedForBeforeAllPartsHaveSpoken) {
  may_begin_anew_ = true;
  start({{0}, {1}});
  end(0, 0, 9, {{0, 0, 10}});
  run();
  EXPECT_TRUE(candidates_.pieces.empty());
  EXPECT_TRUE(begin_anew(1));
  end(0, 0, 10);
  end(1, 0, 10);
  run();
  EXPECT_TRUE(candidates_.pieces.empty()) << "a piece of the moment before";
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].end().moment(), 10u);
}

TEST_F(GatherPiecesTest, APieceThatCannotBeAskedForEndsTheQuery) {
  start({{0}});
  rows(0, {1});
  end(0, 1, 9, {{0, 0, 10}, {0, 1, 10}});
  candidates_.away = {0};
  run();
  EXPECT_EQ(sent_rows(), numbers({1}).rows);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().message(), "candidate 0 is away");
  EXPECT_FALSE(gather_.has_work(gauge_));
}

TEST_F(GatherPiecesTest, APieceOfAnotherMomentEndsTheQuery) {
  start({{0}});
  end(0, 0, 9, {{0, 0, 10}});
  run();
  end(1, 0, 10);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().message(), "candidate 0 answered at moment 10, another part at moment 9");
}

TEST_F(GatherPiecesTest, APieceThatEndsWhereItBeganEndsTheQuery) {
  start({{0}});
  end(0, 0, 9, {{0, 0, 10}});
  run();
  end(1, 0, 9, {{0, 0, 10}});
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().message(), "candidate 0 ended a slice before where it began");
}

TEST_F(GatherPiecesTest, ARestOfAnotherPartitionEndsTheQuery) {
  start({{0}});
  end(0, 0, 9, {{1, 0, 10}});
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_TRUE(last_words()[0].has_error());
}

TEST_F(GatherPiecesTest, FirstRowsNameTheMoment) {
  start({{0}});
  gather_.on_rows(kQuery, 0, numbers({1}), {}, 9, out_);
  run();
  gather_.on_rows(kQuery, 0, numbers({2}), {}, 9, out_);
  run();
  ASSERT_EQ(out_.results.size(), 2u);
  EXPECT_EQ(out_.results[0].second.rows().moment(), 9u);
  EXPECT_EQ(out_.results[1].second.rows().moment(), 0u);
}

TEST_F(GatherTest, WhoeverAskedIsToldWhatIsLeftOut) {
  start({{0}, {1}});
  end(1, 0, 9, {{1, 0, 30}});
  end(0, 0, 9, {{0, 0, 10}, {0, 1, 20}});
  run();
  ASSERT_EQ(last_words().size(), 1u);
  const wire::v1::QueryEnd last = last_words()[0].end();
  ASSERT_EQ(last.rest_size(), 3);
  EXPECT_EQ(last.rest(0).first_slot(), 10u);
  EXPECT_EQ(last.rest(1).first_slot(), 20u);
  EXPECT_EQ(last.rest(2).first_slot(), 30u);
  EXPECT_TRUE(candidates_.pieces.empty());
}

}  // namespace
}  // namespace daedalus::merging

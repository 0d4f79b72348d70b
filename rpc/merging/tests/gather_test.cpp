#include "gather_fixture.hpp"

namespace daedalus::merging {
namespace {

TEST_F(GatherTest, InsteadOfCountedRowsOneLeavesThatIsMadeOfTheirNumber) {
  start_counting({{0}, {1}});
  rows(0, {1, 2});
  rows(1, {3});
  run();
  EXPECT_TRUE(out_.results.empty());
  rows(1, {4});
  end(0);
  end(1);
  run();
  semantics::MergedRows three;
  semantics::append_packed_row(std::vector<semantics::Type>{{semantics::TypeKind::kBigint}},
                               std::vector<Value>{int64_t{3}}, three.rows);
  EXPECT_EQ(sent_rows(), three.rows);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].end().row_count(), 1u);
}

TEST_F(GatherTest, ANumberOfRowsThatMakesAMistakeEndsTheQueryWithIt) {
  start_counting({{0}});
  end(0);
  run();
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().sqlstate(), "22012");
  EXPECT_EQ(gather_.count(), 0u);
}

TEST_F(GatherTest, RowsThatAreKnownAreAnAnswerOfNobody) {
  form_ = AnswerForm::kFinal;
  selection_.limit = 2;
  start({}, std::make_shared<const MergedRows>(numbers({3, 1, 2})));
  run();
  EXPECT_EQ(sent_rows(), numbers({3, 1}).rows);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_TRUE(last_words()[0].has_end());
  EXPECT_TRUE(candidates_.asked.empty());
}

// ---- moments ----

TEST_F(GatherTest, TheEndNamesTheMomentThatAllPartsNameAndTheMarkOfItsSender) {
  start({{0}, {1}});
  end(0, 0, 9);
  end(1, 0, 9);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].end().moment(), 9u);
  EXPECT_EQ(last_words()[0].mark(), 77u);
}

TEST_F(GatherTest, WithoutPartsTheMomentIsTheOneThatWasWanted) {
  start({});
  EXPECT_EQ(last_words().at(0).end().moment(), 5u);
}

TEST_F(GatherTest, APartWithoutAMomentLeavesTheAnswerWithoutOne) {
  start({{0}, {1}});
  end(0, 0, 9);
  end(1, 0);
  EXPECT_EQ(last_words().at(0).end().moment(), 0u);
}

TEST_F(GatherTest, PartsOfDifferentMomentsAreNoAnswer) {
  start({{0}, {1}});
  end(1, 0, 9);
  end(0, 0, 8);
  EXPECT_EQ(last_words().at(0).error().sqlstate(), "XX000");
  EXPECT_EQ(last_words()[0].error().message(), "candidate 0 answered at moment 8, another part at moment 9");
  EXPECT_EQ(last_words()[0].mark(), 77u);
}

TEST_F(GatherTest, WhatMayBeBegunAnewHoldsRowsBackUntilEveryPartHasAnswered) {
  may_begin_anew_ = true;
  start({{0}, {1}, {2}});
  rows(0, {1});
  end(1);
  run();
  EXPECT_TRUE(out_.results.empty());
  rows(2, {3});
  run();
  EXPECT_EQ(sent_rows().size(), numbers({1, 3}).rows.size());
}

TEST_F(GatherTest, BegunAnewItAsksAllPartsAndForgetsWhatCameOfThem) {
  may_begin_anew_ = true;
  start({{0}, {1}, {2}});
  rows(0, {1});
  end(0, 1, 8);
  rows(1, {2});
  ASSERT_TRUE(begin_anew(2));
  EXPECT_EQ(candidates_.given_up, (std::vector<FakeCandidates::Asked>{{1, 1}})) << "the one that is under way";
  EXPECT_EQ(candidates_.asked, (std::vector<FakeCandidates::Asked>{{0, 0}, {1, 1}, {2, 2}, {0, 0}, {1, 1}, {2, 2}}));
  rows(0, {5});
  end(0, 1, 9);
  end(1, 0, 9);
  run();
  EXPECT_TRUE(out_.results.empty());
  end(2, 0, 9);
  run();
  EXPECT_EQ(sent_rows(), numbers({5}).rows);
  EXPECT_EQ(last_words().at(0).end().moment(), 9u);
  EXPECT_EQ(last_words()[0].end().stamps_size(), 3);
}

TEST_F(GatherTest, BegunAnewItHasTheRowsThatAreKnownOnce) {
  may_begin_anew_ = true;
  selection_.order_by = {{0, {}}};
  start({{0}}, std::make_shared<const MergedRows>(numbers({7})));
  ASSERT_TRUE(begin_anew(0));
  rows(0, {1});
  end(0);
  run();
  EXPECT_EQ(sent_rows(), numbers({1, 7}).rows);
}

TEST_F(GatherTest, NothingIsBegunAnewOnceRowsMayHaveLeft) {
  start({{0}});
  EXPECT_FALSE(begin_anew(0)) << "rows leave as they come";
  gather_.forget(kQuery, out_);
  may_begin_anew_ = true;
  start({{0}, {1}});
  rows(0, {1});
  end(1);
  EXPECT_FALSE(begin_anew(1)) << "every part has answered";
  end(0);
  run();
  EXPECT_EQ(sent_rows(), numbers({1}).rows);
}

TEST_F(GatherTest, WhereNobodyCanBeAskedAnewTheQueryEnds) {
  may_begin_anew_ = true;
  start({{0}, {1}});
  candidates_.away = {1};
  ASSERT_TRUE(begin_anew(0));
  EXPECT_EQ(last_words().at(0).error().message(), "candidate 1 is away");
  EXPECT_EQ(gather_.count(), 0u);
}

TEST_F(GatherTest, RowsAndStampsFollowTheirPlaceNotTheirArrival) {
  selection_.order_by = {{0, {}}};
  start({{0}, {1}, {2}});
  rows(2, {5, 9});
  end(2, 2);
  rows(0, {5, 7});
  end(0, 2);
  run();
  EXPECT_TRUE(last_words().empty());
  rows(1, {1});
  end(1, 1);
  run();

  ASSERT_EQ(last_words().size(), 1u);
  const wire::v1::QueryEnd end = last_words()[0].end();
  EXPECT_EQ(end.row_count(), 5u);
  ASSERT_EQ(end.stamps_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(end.stamps(i).partition(), static_cast<uint32_t>(i));
  }
  EXPECT_EQ(sent_rows(), numbers({1, 5, 5, 7, 9}).rows);
  EXPECT_EQ(candidates_.over_count, 1u);
  EXPECT_TRUE(candidates_.given_up.empty());
  EXPECT_EQ(gather_.count(), 0u);
}

TEST_F(GatherTest, AQueryWithoutPartsEndsEmpty) {
  start({});
  run();
  ASSERT_EQ(out_.results.size(), 1u);
  EXPECT_TRUE(last_words()[0].has_end());
}

TEST_F(GatherTest, AnAnswerWithoutRowsEndsWithItsLastPartUnlessItAggregates) {
  start({{0}, {1}});
  end(0, 0);
  EXPECT_TRUE(last_words().empty());
  end(1, 0);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].end().stamps_size(), 2);
  EXPECT_EQ(gather_.count(), 0u);
  EXPECT_FALSE(gather_.has_work(rpc::EmptyGauge()));
  out_.clear();
  selection_ = *semantics::bind_items(
      *schema_, {{.name = "n", .function = semantics::AggregateFunction::kCountRows, .column = 0}});
  start({{0}});
  end(0, 0);
  EXPECT_TRUE(last_words().empty());
  run();
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].end().row_count(), 1u);
}

TEST_F(GatherTest, TheFinalFormNamesItsColumnsOnceWhetherThereAreRowsOrNot) {
  form_ = AnswerForm::kFinal;
  const auto columns_of_each = [&] {
    std::vector<int> counts;
    for (const auto& [peer, result] : out_.results) {
      counts.push_back(result.rows().columns_size());
    }
    return counts;
  };
  start({{0}, {1}});
  rows(0, {1});
  run();
  rows(1, {2});
  run();
  end(0, 1);
  end(1, 1);
  run();
  EXPECT_EQ(columns_of_each(), (std::vector<int>{1, 0, 0})) << "rows, rows, end";
  out_.clear();
  start({{0}});
  end(0, 0);
  run();
  EXPECT_EQ(columns_of_each(), (std::vector<int>{1, 0})) << "no rows, end";
}

TEST_F(GatherTest, AnotherCandidateIsAskedWhileNothingHasBeenTaken) {
  candidates_.away = {1};
  start({{0, 1, 2}, {3}});
  fail(0);
  EXPECT_EQ(candidates_.asked, (std::vector<FakeCandidates::Asked>{{0, 0}, {1, 3}, {0, 2}}));
  rows(0, {4});
  end(0, 1);
  end(1, 0);
  run();
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].end().row_count(), 1u);
}

TEST_F(GatherTest, NeverTakesAReplyTwice) {
  start({{0, 1}, {2}});
  rows(0, {4});
  fail(0);
  run();
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().message(), "it has gone");
  EXPECT_EQ(candidates_.asked.size(), 2u);
  EXPECT_EQ(candidates_.given_up, (std::vector<FakeCandidates::Asked>{{1, 2}}));
}

TEST_F(GatherTest, AQueryAtFaultIsNotAskedOfAnother) {
  start({{0, 1}});
  fail(0, ErrorCategory::kRejected);
  EXPECT_EQ(candidates_.asked.size(), 1u);
  EXPECT_EQ(last_words().size(), 1u);
}

TEST_F(GatherTest, WithNobodyToAskItFailsAndGivesUpWhatWasAsked) {
  candidates_.away = {1};
  start({{0}, {1}});
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().message(), "candidate 1 is away");
  EXPECT_EQ(candidates_.given_up, (std::vector<FakeCandidates::Asked>{{0, 0}}));
  EXPECT_EQ(candidates_.over_count, 1u);
}

TEST_F(GatherTest, AnEndThatIsNotTrueFailsTheQuery) {
  start({{0}});
  rows(0, {1, 2});
  end(0, 3);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().message(), "candidate 0 announced 3 rows and sent 2");
  EXPECT_EQ(last_words()[0].error().missing_size(), 1);
}

TEST_F(GatherTest, AnEndWithoutAStampOfEachPartitionFailsTheQuery) {
  start({{0}, {1}});
  PartEnd strange{0, {}, {}};
  strange.stamps.push_back({.partition = 1});
  gather_.on_end(kQuery, 0, std::move(strange), out_);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().message(), "candidate 0 ended its answer without partition 0");
}

/// A slice that begins at slot 10 of segment 2 of partition 0, and what is said to follow it.
class GatherSliceTest : public GatherTest {
 protected:
  GatherSliceTest() { selection_.slice = semantics::Slice{.partition = 0, .segment = 2, .first_slot = 10}; }

  wire::v1::Result answer_with(const std::optional<std::array<uint32_t, 3>>& next) {
    out_.clear();
    start({{0}});
    PartEnd made{0, {}, {}};
    made.stamps.push_back({.partition = 0});
    if (next) {
      wire::v1::Slice& following = made.rest.emplace_back();
      following.set_partition((*next)[0]);
      following.set_segment((*next)[1]);
      following.set_first_slot((*next)[2]);
    }
    gather_.on_end(kQuery, 0, std::move(made), out_);
    run();
    return last_words().at(0);
  }
};

TEST_F(GatherSliceTest, EndsBehindWhereItBeganOrIsNoAnswer) {
  using At = std::array<uint32_t, 3>;
  EXPECT_TRUE(answer_with(std::nullopt).has_end()) << "the last one";
  for (const At& behind : {At{0, 2, 11}, At{0, 3, 0}, At{0, 3, 10}}) {
    const wire::v1::Result last = answer_with(behind);
    ASSERT_TRUE(last.has_end());
    EXPECT_EQ(last.end().next_slice().first_slot(), behind[2]);
  }
  for (const At& before : {At{0, 2, 10}, At{0, 2, 9}, At{0, 1, 11}, At{1, 2, 11}, At{1, 3, 0}}) {
    EXPECT_EQ(answer_with(before).error().message(), "candidate 0 ended a slice before where it began");
  }
}

TEST_F(GatherTest, WithoutMemoryForItsRowsAQueryEndsWithAHintWhenToAskAgain) {
  const auto budget = std::make_shared<ByteBudget>(1u << 20);
  budget->take_anyway(budget->bytes_max());  // Others have it.
  Gather poor{GatherLimits{}, budget, candidates_};
  selection_.order_by = {{0, {}}};
  GatheredQuery query{kAsker,      std::make_shared<const semantics::Selection>(selection_),
                      form_,       {},
                      {},          {Part{{PartitionId{0}}, 0, {CandidateId{0}}}},
                      std::nullopt};
  poor.start(kQuery, std::move(query), kNow, out_);
  poor.on_rows(kQuery, 0, numbers(std::vector<int64_t>(1'000, 7)), {}, 0, out_);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().sqlstate(), "53200");
  EXPECT_EQ(last_words()[0].error().retry_after_ns(), static_cast<uint64_t>(GatherLimits{}.retry_after_ns));
  EXPECT_EQ(poor.count(), 0u);
}

TEST_F(GatherTest, TooLateNamesThePartsThatAreMissing) {
  start({{0}, {1}});
  end(0, 0);
  gather_.expire(kQuery, contract::from_error(Error{ErrorCategory::kRetry, "57014", "too late", {}, 0}), out_);
  ASSERT_EQ(last_words().size(), 1u);
  ASSERT_EQ(last_words()[0].error().missing_size(), 1);
  EXPECT_EQ(last_words()[0].error().missing(0).partition(), 1u);
}

TEST_F(GatherTest, TooLateSaysWhyAnotherCandidateWasAsked) {
  start({{0, 1, 2}});
  for (const char* words : {"too many queries", "others have the memory"}) {
    gather_.on_failed(kQuery, 0, contract::from_error(Error{ErrorCategory::kRetry, "53200", words, {}, 0}), kNow, out_);
  }
  gather_.expire(kQuery, contract::from_error(Error{ErrorCategory::kRetry, "57014", "too late", {}, 0}), out_);
  ASSERT_EQ(last_words().size(), 1u);
  EXPECT_EQ(last_words()[0].error().sqlstate(), "57014");
  EXPECT_EQ(last_words()[0].error().message(),
            "too late; another one was asked after a refusal: others have the memory");
}

TEST_F(GatherTest, ForgottenMeansWithoutAWord) {
  start({{0}});
  gather_.forget(kQuery, out_);
  rows(0, {1});
  end(0, 1);
  run();
  EXPECT_TRUE(out_.results.empty());
  EXPECT_EQ(candidates_.given_up.size(), 1u);
  EXPECT_EQ(candidates_.over_count, 1u);
}

/// Whatever happens in whatever order: one last word, which is the whole answer or an error.
class GatherPropertyTest : public GatherTest {
 protected:
  struct Candidate {
    std::vector<int64_t> left;  ///< Rows it has not sent yet.
    bool is_done = false;
  };

  /// Lets one of those that are asked go on, or fail.
  bool go_on(std::mt19937_64& random) {
    std::vector<uint32_t> open;
    for (uint32_t part = 0; part < current_.size(); ++part) {
      if (!current_[part].is_done) {
        open.push_back(part);
      }
    }
    if (open.empty() || !gather_.contains(kQuery)) {
      return false;
    }
    const uint32_t part = open[random() % open.size()];
    Candidate& candidate = current_[part];
    if (random() % 12 == 0 && gather_.begin_anew(kQuery, part, kNow, out_)) {
      for (uint32_t each = 0; each < current_.size(); ++each) {
        current_[each] = {truth_[each]};
      }
    } else if (random() % 12 == 0) {
      const size_t asked_before = candidates_.asked.size();
      fail(part);
      candidate.is_done = candidates_.asked.size() == asked_before;
      candidate.left = truth_[part];
    } else if (candidate.left.empty()) {
      candidate.is_done = true;
      end(part, truth_[part].size());
    } else {
      const size_t count = 1 + random() % candidate.left.size();
      rows(part, {candidate.left.begin(), candidate.left.begin() + static_cast<std::ptrdiff_t>(count)});
      candidate.left.erase(candidate.left.begin(), candidate.left.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return true;
  }

  std::vector<std::vector<int64_t>> truth_;  ///< By part.
  std::vector<Candidate> current_;           ///< By part: the one that is asked.
};

TEST_F(GatherPropertyTest, OneLastWordAndTheWholeAnswerOrAnError) {
  const uint64_t seed = semantics::testing::seed();
  uint32_t answered = 0;
  for (uint64_t run_seed = seed; run_seed < seed + 300; ++run_seed) {
    std::mt19937_64 random(run_seed);
    out_.clear();
    candidates_ = FakeCandidates();
    truth_.assign(1 + random() % 5, {});
    current_.clear();
    std::vector<std::vector<uint32_t>> who;
    uint32_t next_candidate = 0;
    std::vector<int64_t> all;
    for (auto& part : truth_) {
      for (uint64_t i = random() % 6; i > 0; --i) {
        part.push_back(static_cast<int64_t>(random() % 100));
      }
      all.insert(all.end(), part.begin(), part.end());
      current_.push_back({part});
      who.emplace_back();
      for (uint64_t i = 1 + random() % 3; i > 0; --i) {
        who.back().push_back(next_candidate++);
      }
    }
    may_begin_anew_ = random() % 2 == 0;
    selection_.order_by.clear();
    if (random() % 2 == 0) {
      selection_.order_by = {{0, {}}};
      std::sort(all.begin(), all.end());
    }
    start(who);
    while (go_on(random)) {
      if (random() % 3 == 0) {
        run();
      }
    }
    run();
    ASSERT_EQ(last_words().size(), 1u) << "DAEDALUS_SEED=" << run_seed;
    ASSERT_EQ(candidates_.over_count, 1u) << "DAEDALUS_SEED=" << run_seed;
    ASSERT_EQ(gather_.count(), 0u) << "DAEDALUS_SEED=" << run_seed;
    if (last_words()[0].has_end()) {
      ++answered;
      ASSERT_EQ(last_words()[0].end().row_count(), all.size()) << "DAEDALUS_SEED=" << run_seed;
      ASSERT_EQ(sent_rows().size(), numbers(all).rows.size()) << "DAEDALUS_SEED=" << run_seed;
      if (!selection_.order_by.empty()) {
        ASSERT_EQ(sent_rows(), numbers(all).rows) << "DAEDALUS_SEED=" << run_seed;
      }
    }
  }
  EXPECT_GT(answered, 30u);
  EXPECT_LT(answered, 300u);
}

}  // namespace
}  // namespace daedalus::merging

// Queries at moments of the past: each is answered as if no later update had come, whatever rides the cycle beside it.
#include <gtest/gtest.h>

#include <algorithm>

#include "daedalus/engine/segment.hpp"
#include "plain_table.hpp"
#include "test_expressions.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Assignment;
using semantics::Operator;

constexpr int64_t kRows = 100;

/// Two chunks and more of which one and a half have rows: ids are slots, and keys count the updates that came to a row.
class MomentsTest : public testing::Test {
 protected:
  explicit MomentsTest(SegmentOptions options = {.memory_bytes = 100'000, .chunk_rows = 64})
      : segment_(test_schema(), test_codec(), options) {
    std::vector<Row> rows = rows_of(kRows);
    for (Row& row : rows) {
      row[kKey] = int64_t{0};
    }
    update({insert_rows(test_schema(), rows)});
  }

  void enqueue(std::vector<UpdatePart> parts) {
    ASSERT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, std::move(parts)}));
  }

  void update(std::vector<UpdatePart> parts) {
    enqueue(std::move(parts));
    ASSERT_TRUE(segment_.step({0}));
    ASSERT_TRUE(segment_.dequeue().has_value());
  }

  /// Counts one more update in the keys of all rows whose id is below that.
  void count_below(int64_t id) {
    update({modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, where(kId, Operator::kLess, id))});
  }

  void ask(semantics::Selection selection, std::optional<uint64_t> at) {
    Query query{QueryHandle{++handle_}, std::make_shared<const semantics::Selection>(std::move(selection))};
    query.at = at ? std::optional(Timestamp{*at}) : std::nullopt;
    ASSERT_TRUE(segment_.enqueue(std::move(query)));
  }

  /// The answers to all that was asked, in the order of asking. Updates' outcomes are dropped.
  std::vector<QueryOutput> answers() {
    while (segment_.step({0})) {
    }
    std::vector<QueryOutput> all;
    while (std::optional<Output> output = segment_.dequeue()) {
      if (auto* answer = std::get_if<QueryOutput>(&*output)) {
        all.push_back(std::move(*answer));
      }
    }
    std::sort(all.begin(), all.end(),
              [](const QueryOutput& left, const QueryOutput& right) { return left.handle < right.handle; });
    return all;
  }

  QueryOutput answer(semantics::Selection selection, std::optional<uint64_t> at) {
    ask(std::move(selection), at);
    return std::move(answers().at(0));
  }

  static int64_t count_of(const QueryOutput& output) {
    EXPECT_FALSE(output.error.has_value()) << output.error->message;
    const semantics::Selection count = *semantics::bind_items(test_schema(), {kCount});
    return std::get<int64_t>(decode(semantics::partial_row_types(count), output.rows).at(0).at(0));
  }

  static semantics::Selection counted(semantics::Predicate predicate) {
    semantics::Selection selection = *semantics::bind_items(test_schema(), {kCount});
    selection.predicate = std::move(predicate);
    return selection;
  }

  void expect_each_to_see_its_own_moment() {
    count_below(10);  // Update 2,
    count_below(30);  // and update 3.
    for (const uint64_t at : {1, 2, 3, 9}) {
      ask(counted(where(kKey, Operator::kGreater, int64_t{0})), at);
    }
    ask(counted(where(kKey, Operator::kGreater, int64_t{0})), std::nullopt);
    const std::vector<QueryOutput> all = answers();
    ASSERT_EQ(all.size(), 5u);
    EXPECT_EQ(count_of(all[0]), 0);
    EXPECT_EQ(count_of(all[1]), 10);
    EXPECT_EQ(count_of(all[2]), 30);
    EXPECT_EQ(count_of(all[3]), 30);
    EXPECT_EQ(count_of(all[4]), 30);
    EXPECT_EQ(all[0].prefix, Timestamp{1});
    EXPECT_EQ(all[3].prefix, Timestamp{9}) << "updates that had no part here belong to the moment";
    EXPECT_EQ(all[4].prefix, Timestamp{3});
  }

  static inline const semantics::SelectItem kCount = {.name = "count",
                                                      .function = semantics::AggregateFunction::kCountRows};

  Segment segment_;
  uint64_t timestamp_ = 0;
  uint64_t handle_ = 0;
};

TEST_F(MomentsTest, EachQueryOfACycleSeesTheUpdatesUpToItsOwnMoment) { expect_each_to_see_its_own_moment(); }

TEST_F(MomentsTest, UpdatesOfTheSameCycleDoNotExistBeforeTheirMoment) {
  ask(counted({}), 1);
  enqueue({remove(where(kId, Operator::kLess, int64_t{90}))});
  enqueue({insert_rows(test_schema(), rows_of(20))});
  ask(counted({}), 1);
  ask(counted({}), 2);
  ask(counted({}), std::nullopt);
  const std::vector<QueryOutput> all = answers();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(count_of(all[0]), kRows);
  EXPECT_EQ(count_of(all[1]), kRows);
  EXPECT_EQ(count_of(all[2]), 10);
  EXPECT_EQ(count_of(all[3]), 30);
}

TEST_F(MomentsTest, ARowThatWasDeletedIsSeenBeforeThatThoughItsSlotWasTakenAgain) {
  update({remove({})});
  const auto slots = static_cast<int64_t>(segment_.statistics().rows_max);
  update({insert_rows(test_schema(), rows_of(slots))});
  const semantics::Predicate first = where(kId, Operator::kEqual, int64_t{0});
  EXPECT_EQ(answer(select({kId}, first), 1).row_count, 1u);
  EXPECT_EQ(answer(select({kId}, first), 2).row_count, 0u);
  EXPECT_EQ(answer(select({kId}, first), 3).row_count, 1u);
  EXPECT_EQ(count_of(answer(counted({}), 1)), kRows);
}

TEST_F(MomentsTest, AMomentThatIsNoLongerKeptIsRefusedWithTheOldestThatIs) {
  count_below(10);
  count_below(10);
  segment_.keep_from(Timestamp{2});
  EXPECT_EQ(count_of(answer(counted({}), 1)), kRows) << "it was asked for before the cycle that trims had ended";
  const QueryOutput refused = answer(counted({}), 1);
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->sqlstate, "72000");
  EXPECT_EQ(refused.error->message, "moment 1 is too long ago: the oldest that a segment still has is 2");
  EXPECT_EQ(count_of(answer(counted(where(kKey, Operator::kGreater, int64_t{1})), 2)), 0);
}

TEST_F(MomentsTest, AQueryKeepsItsMomentUntilItIsAnswered) {
  count_below(10);
  ask(counted(where(kKey, Operator::kGreater, int64_t{0})), 1);
  segment_.keep_from(Timestamp{2});
  for (int cycle = 0; cycle < 3; ++cycle) {
    enqueue({modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, where(kId, Operator::kLess, int64_t{5}))});
  }
  EXPECT_EQ(count_of(answers().at(0)), 0);
}

class MomentsWithCells : public MomentsTest {
 protected:
  MomentsWithCells() : MomentsTest({.memory_bytes = 100'000, .chunk_rows = 64, .access_paths = AccessPaths::kCells}) {}
};

TEST_F(MomentsWithCells, QueriesThatShareCellsTakeRecentRowsByThemselves) { expect_each_to_see_its_own_moment(); }

TEST_F(MomentsTest, WhatIsComputedOfARecentChunkIsComputedAnewWhenOthersRowsHaveTakenTheirPlace) {
  constexpr int64_t kChanged = kRows - 10;  // Others are computed where they lie, which is why whole chunks are.
  for (int64_t update = 0; update < 12; ++update) {
    count_below(kChanged);
  }
  const semantics::BoundExpression next_key = call("+", semantics::column_of(test_schema(), kKey), number(1));
  const auto last = static_cast<int64_t>(timestamp_);
  for (int64_t at = 1; at <= last; ++at) {
    semantics::Selection selection = counted({});
    selection.residuals.push_back(call("=", next_key, number(at)));
    for (int64_t other = std::max<int64_t>(at - 1, 1); other <= at; ++other) {
      ask(selection, static_cast<uint64_t>(other));  // Its condition holds at the later one of two moments.
    }
  }
  const std::vector<QueryOutput> all = answers();
  size_t place = 0;
  for (int64_t at = 1; at <= last; ++at) {
    for (int64_t other = std::max<int64_t>(at - 1, 1); other <= at; ++other) {
      const int64_t expected = (other == at ? kChanged : 0) + (at == 1 ? kRows - kChanged : 0);
      EXPECT_EQ(count_of(all.at(place++)), expected) << "key " << at - 1 << " at " << other;
    }
  }
}

TEST_F(MomentsTest, WhatIsComputedOfRecentRowsThatAreTakenOneByOneIsThatOfEachRow) {
  count_below(kRows);
  count_below(10);
  semantics::Selection next_keys = select({kId});
  next_keys.outputs.push_back({"next", call("+", semantics::column_of(test_schema(), kKey), number(1))});
  next_keys.visible_outputs = 2;
  for (int query = 0; query < 8; ++query) {  // So many ask for each row that whole chunks are computed.
    ask(next_keys, 2);
  }
  for (const QueryOutput& output : answers()) {
    ASSERT_EQ(output.row_count, static_cast<uint64_t>(kRows));
    for (const Row& row : decode(semantics::partial_row_types(next_keys), output.rows)) {
      EXPECT_EQ(std::get<int64_t>(row[1]), 2) << "of " << std::get<int64_t>(row[0]);
    }
  }
}

TEST_F(MomentsTest, ARecentRowHasTheColumnsOfItsConditionAndOfItsOutputs) {
  update({modify({{kText, Assignment::Kind::kSet, std::string("old")}}, {})});
  update({modify({{kText, Assignment::Kind::kSet, std::string("new")}, {kKey, Assignment::Kind::kAdd, int64_t{1}}},
                 where(kId, Operator::kLess, int64_t{10}))});
  const semantics::Selection texts = select({kText, kInt, kId}, where(kKey, Operator::kEqual, int64_t{0}));
  const QueryOutput output = answer(texts, 2);
  ASSERT_EQ(output.row_count, static_cast<uint64_t>(kRows));
  for (const Row& row : decode(semantics::partial_row_types(texts), output.rows)) {
    EXPECT_EQ(std::get<std::string>(row[0]), "old") << "of " << std::get<int64_t>(row[2]);
    EXPECT_EQ(std::get<int64_t>(row[1]), 0);
  }
}

class NoWindow : public MomentsTest {
 protected:
  NoWindow() : MomentsTest({.memory_bytes = 100'000, .chunk_rows = 64, .window_bytes = 0}) {}
};

TEST_F(NoWindow, OnlyThePresentCanBeAsked) {
  count_below(10);
  EXPECT_EQ(count_of(answer(counted({}), 2)), kRows);
  const QueryOutput refused = answer(counted({}), 1);
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->message, "moment 1 is too long ago: the oldest that a segment still has is 2");
}

/// Its window is full after a few changed rows.
class SmallWindow : public MomentsTest {
 protected:
  SmallWindow() : MomentsTest({.memory_bytes = 100'000, .chunk_rows = 64, .window_bytes = 8192}) {}
};

TEST_F(SmallWindow, AnUpdateThatDrivesOutAMomentEndsTheQueriesAtItAndNoOthers) {
  ask(select({kId, kKey}), 1);
  ask(counted({}), std::nullopt);
  for (int update = 0; update < 200; ++update) {
    enqueue({modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, where(kId, Operator::kLess, int64_t{60}))});
  }
  const std::vector<QueryOutput> all = answers();
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all[0].error.has_value());
  EXPECT_EQ(all[0].error->sqlstate, "72000");
  EXPECT_EQ(count_of(all[1]), kRows);
}

/// It has room for what is recorded of three chunks.
class WindowOfThreeSlabs : public MomentsTest {
 protected:
  WindowOfThreeSlabs() : MomentsTest({.memory_bytes = 100'000, .chunk_rows = 64, .window_bytes = 3 * 8192}) {}
};

TEST_F(WindowOfThreeSlabs, RowsThatWereHiddenForAMomentThatIsLostAreSeenByAllOthers) {
  ask(counted({}), 1);
  enqueue({modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, where(kId, Operator::kLess, int64_t{10}))});
  const semantics::Predicate of_second_chunk = where(kId, Operator::kGreaterOrEqual, int64_t{64});
  constexpr uint64_t kUpdates = 150;
  for (uint64_t update = 0; update < kUpdates; ++update) {
    enqueue({modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, of_second_chunk)});
  }
  const auto counted_ten = counted(where(kKey, Operator::kGreater, int64_t{0}));
  ask(counted_ten, timestamp_ - 1);
  ask(counted_ten, std::nullopt);
  const std::vector<QueryOutput> all = answers();
  ASSERT_EQ(all.size(), 3u);
  ASSERT_TRUE(all[0].error.has_value());
  EXPECT_EQ(all[0].error->sqlstate, "72000");
  EXPECT_EQ(count_of(all[1]), 10 + kRows - 64);
  EXPECT_EQ(count_of(all[2]), 10 + kRows - 64);
}

TEST_F(MomentsTest, FirstRowsOfRecentChunksAreReadWhenOthersHaveTakenTheirPlace) {
  for (int64_t update = 0; update < 12; ++update) {
    count_below(kRows);
  }
  semantics::Selection first = select({kId, kKey});
  first.order_by = {{.output = 0, .order = {.descending = true}}};
  first.limit = 3;
  for (uint64_t at = 1; at <= timestamp_; ++at) {
    ask(first, at);
  }
  const std::vector<QueryOutput> all = answers();
  ASSERT_EQ(all.size(), timestamp_);
  for (uint64_t at = 1; at <= timestamp_; ++at) {
    const auto key = static_cast<int64_t>(at) - 1;
    std::vector<Row> expected;
    for (int64_t id = kRows - 1; id > kRows - 4; --id) {
      expected.push_back({id, key});
    }
    std::vector<Row> found = decode(semantics::partial_row_types(first), all[at - 1].rows);
    std::sort(found.begin(), found.end(), [](const Row& left, const Row& right) {
      return std::get<int64_t>(left[0]) > std::get<int64_t>(right[0]);
    });
    EXPECT_EQ(found, expected) << "at " << at;
  }
}

TEST_F(MomentsTest, FirstRowsThatFillAllRecentChunksAreRefusedAndNobodyElseIs) {
  for (int64_t update = 0; update < 12; ++update) {
    count_below(kRows);
  }
  semantics::Selection first = select({kId, kKey});
  first.order_by = {{.output = 0, .order = {}}};
  first.limit = kRows;
  for (uint64_t at = 1; at < timestamp_; ++at) {
    ask(first, at);
    ask(counted(where(kKey, Operator::kEqual, static_cast<int64_t>(at) - 1)), at);
  }
  const std::vector<QueryOutput> all = answers();
  ASSERT_EQ(all.size(), 2 * (timestamp_ - 1));
  for (size_t place = 0; place < all.size(); place += 2) {
    ASSERT_TRUE(all[place].error.has_value());
    EXPECT_EQ(all[place].error->sqlstate, "53200");
    EXPECT_EQ(all[place].error->category, ErrorCategory::kRetry);
    EXPECT_EQ(count_of(all[place + 1]), kRows);
  }
}

TEST_F(MomentsTest, ASliceWhoseRowsHaveAllChangedGoesOnFromChunkToChunk) {
  count_below(kRows);
  semantics::Selection slice = select({kId});
  slice.slice = {.first_slot = 0, .answer_bytes = 100};
  const QueryOutput first = answer(slice, 1);
  ASSERT_FALSE(first.error.has_value());
  EXPECT_EQ(first.row_count, 64u) << "all versions of the chunk's slots, whatever room they take";
  ASSERT_EQ(first.next_slot, 64u);
  slice.slice->first_slot = 64;
  const QueryOutput second = answer(slice, 1);
  EXPECT_EQ(second.row_count, 36u);
}

TEST_F(MomentsTest, ASliceHasTheVersionsOfItsOwnSlotsAlone) {
  count_below(5);
  update({modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, where(kId, Operator::kGreaterOrEqual, int64_t{95}))});
  semantics::Selection slice = select({kId});
  const uint64_t row_bytes = answer(slice, std::nullopt).rows.size() / kRows;
  slice.slice = {.first_slot = 3, .answer_bytes = 10 * row_bytes};
  const QueryOutput first = answer(slice, 1);
  ASSERT_TRUE(first.next_slot.has_value());
  EXPECT_EQ(first.row_count, *first.next_slot - 3);
}

}  // namespace
}  // namespace daedalus::engine::test

// Queries that group and order in one cycle take together what was declared: some are refused, none is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "daedalus/engine/segment.hpp"
#include "plain_table.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Operator;
using semantics::Selection;

constexpr uint32_t kChunkRows = 64;
constexpr int64_t kMemoryRows = 8 * kChunkRows;

/// GROUP BY id over the rows from `first_key` on: queries of different keys share nothing.
Selection groups_from(int64_t first_key) {
  return selection_of({{.name = "id", .column = kId}, aggregate_of(semantics::AggregateFunction::kCountRows, kId)},
                      {kId}, where(kKey, Operator::kGreaterOrEqual, first_key));
}

/// The last rows by id: every row pushes out an earlier one, so that all that is kept is in use.
Selection last_rows(int64_t first_key, uint64_t count) {
  Selection selection = select({kId}, where(kKey, Operator::kGreaterOrEqual, first_key));
  selection.order_by = {{0, {.descending = true, .nulls_first = false}}};
  selection.limit = count;
  return selection;
}

/// Two queries of which one alone fits.
struct Pair {
  uint64_t bytes_max;
  Selection first;
  Selection second;
};

class AnswerMemoryTest : public testing::Test {
 protected:
  void open(uint64_t bytes_max, std::shared_ptr<ByteBudget> shared = nullptr) {
    segment_ = std::make_unique<Segment>(test_schema(), test_codec(),
                                         SegmentOptions{.memory_bytes = 180'000,
                                                        .chunk_rows = kChunkRows,
                                                        .answer_owner = "node 3",
                                                        .answers_waiting_bytes_max = bytes_max,
                                                        .answer_budget = std::move(shared)});
    const Update fill{Timestamp{1}, {insert_rows(test_schema(), rows_of(kMemoryRows))}};
    ASSERT_TRUE(segment_->enqueue(fill));
    ASSERT_TRUE(segment_->step({0}));
    ASSERT_EQ(std::get<UpdateOutput>(*segment_->dequeue()).rows_applied, static_cast<uint64_t>(kMemoryRows));
    table_.apply(fill);
  }

  void ask(Selection selection, std::shared_ptr<const std::atomic<bool>> aborted = nullptr) {
    const QueryHandle handle{++asked_count_};
    selections_[handle] = std::make_shared<Selection>(std::move(selection));
    ASSERT_TRUE(segment_->enqueue(Query{handle, selections_[handle], kNever, std::move(aborted)}));
  }

  /// In a segment of their own; one of them, the first or the second, is aborted halfway or not at all.
  void ask_both(const Pair& pair, bool is_the_first, bool aborts) {
    table_ = PlainTable(test_schema(), static_cast<uint64_t>(kMemoryRows));
    open(pair.bytes_max);
    const auto aborted = std::make_shared<std::atomic<bool>>(false);
    ask(pair.first, is_the_first ? aborted : nullptr);
    ask(pair.second, is_the_first ? nullptr : aborted);
    ASSERT_TRUE(segment_->step({0}, {.chunks_max = 4}));
    aborted->store(aborts);
    ASSERT_TRUE(segment_->step({0}));
  }

  /// Takes all outputs; those without an error are right, the others are refusals. How many of these there were.
  uint32_t refusals() {
    uint32_t refused = 0;
    while (const std::optional<Output> output = segment_->dequeue()) {
      const auto& answer = std::get<QueryOutput>(*output);
      if (!answer.error.has_value()) {
        EXPECT_EQ(table_.fault(*selections_.at(answer.handle), answer), "");
      } else if (answer.error->sqlstate != "57014") {
        EXPECT_EQ(answer.error->sqlstate, "53200");
        EXPECT_EQ(answer.error->category, ErrorCategory::kRetry);
        ++refused;
      }
    }
    return refused;
  }

  std::unique_ptr<Segment> segment_;
  PlainTable table_{test_schema(), static_cast<uint64_t>(kMemoryRows)};
  std::map<QueryHandle, std::shared_ptr<const Selection>> selections_;
  uint64_t asked_count_ = 0;
};

/// Aggregates of one row each are grouped by a column of few values and by one of many, and not at all.
TEST_F(AnswerMemoryTest, AThousandAggregatesOfOneRowFitIntoSixteenMebibytes) {
  open(16u << 20);
  for (int64_t query = 0; query < 1'024; ++query) {
    const auto condition = where(kKey, Operator::kEqual, query % kMemoryRows);
    const auto sum = aggregate_of(semantics::AggregateFunction::kSum, kId);
    switch (query % 3) {
      case 0:
        ask(selection_of({sum}, {}, condition));
        break;
      case 1:
        ask(selection_of({{.name = "small", .column = kSmall}, sum}, {kSmall}, condition));
        break;
      default:
        ask(selection_of({{.name = "id", .column = kId}, sum}, {kId}, condition));
    }
  }
  while (segment_->step({0})) {
  }
  EXPECT_EQ(refusals(), 0u);
}

TEST_F(AnswerMemoryTest, GroupsOfOneCycleShareOneBoundAndTheNextCycleHasItAllAgain) {
  open(200'000);
  for (int cycle = 0; cycle < 3; ++cycle) {
    for (int64_t query = 0; query < 200; ++query) {
      ask(groups_from(query));
    }
    ASSERT_TRUE(segment_->step({0}));
    const uint32_t refused = refusals();
    EXPECT_GT(refused, 0u);
    EXPECT_LT(refused, 200u) << "those that fit are answered";
    ask(groups_from(0));
    ASSERT_TRUE(segment_->step({0}));
    EXPECT_EQ(refusals(), 0u);
  }
}

TEST_F(AnswerMemoryTest, GroupsThatQueriesShareCountOnce) {
  constexpr uint32_t kQueries = 16;
  open(400'000);
  for (uint32_t query = 0; query < kQueries; ++query) {
    ask(groups_from(0));
  }
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_EQ(refusals(), 0u);
  for (uint32_t query = 0; query < kQueries; ++query) {
    ask(groups_from(-static_cast<int64_t>(query)));  // These are equal rows, but nobody sees that.
  }
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_GT(refusals(), 0u);
}

TEST_F(AnswerMemoryTest, OrdersOfOneCycleShareItToo) {
  open(100'000);
  for (int cycle = 0; cycle < 2; ++cycle) {
    for (int64_t query = 0; query < 100; ++query) {
      ask(last_rows(query, 300));
    }
    ASSERT_TRUE(segment_->step({0}));
    const uint32_t refused = refusals();
    EXPECT_GT(refused, 0u);
    EXPECT_LT(refused, 100u);
  }
}

TEST_F(AnswerMemoryTest, GivesTheMemoryOfAnAbortedQueryToItsCycle) {
  const Pair groups{48'000, groups_from(0), groups_from(-1)};
  const Pair orders{20'000, last_rows(0, 300), last_rows(-1, 300)};
  for (const Pair& pair : {groups, orders}) {
    for (const bool is_the_first : {true, false}) {
      ask_both(pair, is_the_first, false);
      EXPECT_EQ(refusals(), 1u);
      ask_both(pair, is_the_first, true);
      EXPECT_EQ(refusals(), 0u);
    }
  }
}

TEST_F(AnswerMemoryTest, RefusesAnAnswerForGoodThatIsTooLargeAlone) {
  for (const Selection& large : {groups_from(0), last_rows(0, 500), select({kId, kKey})}) {
    open(6'000);
    ask(large);
    ASSERT_TRUE(segment_->step({0}));
    while (const std::optional<Output> output = segment_->dequeue()) {
      const auto& answer = std::get<QueryOutput>(*output);
      ASSERT_TRUE(answer.error.has_value());
      EXPECT_EQ(answer.error->sqlstate, "54000");
      EXPECT_EQ(answer.error->category, ErrorCategory::kRejected);
      EXPECT_NE(answer.error->message.find("answer_memory_mib of node 3"), std::string::npos) << answer.error->message;
    }
  }
}

/// Nobody else can make room of what a query takes in other segments, and of what it has put out.
TEST_F(AnswerMemoryTest, CountsTheMemoryOfAQueryOverAllSegments) {
  for (const bool is_one_query : {true, false}) {
    const auto budget = std::make_shared<ByteBudget>(45'000);
    open(0, budget);
    const std::unique_ptr<Segment> other = std::move(segment_);
    open(0, budget);
    const auto selection = std::make_shared<Selection>(groups_from(0));
    ASSERT_TRUE(other->enqueue(Query{QueryHandle{1}, selection, kNever, nullptr}));
    ASSERT_TRUE(other->step({0}));
    ASSERT_TRUE(segment_->enqueue(Query{is_one_query ? QueryHandle{1} : QueryHandle{2}, selection, kNever, nullptr}));
    ASSERT_TRUE(segment_->step({0}));
    const QueryOutput answer = std::get<QueryOutput>(*segment_->dequeue());
    ASSERT_TRUE(answer.error.has_value());
    EXPECT_EQ(answer.error->sqlstate, is_one_query ? "54000" : "53200");
    EXPECT_FALSE(std::get<QueryOutput>(*other->dequeue()).error.has_value());
    EXPECT_EQ(budget->taken(), 0u);
    ASSERT_TRUE(segment_->enqueue(Query{QueryHandle{3}, selection, kNever, nullptr}));
    ASSERT_TRUE(segment_->step({0}));
    EXPECT_FALSE(std::get<QueryOutput>(*segment_->dequeue()).error.has_value()) << "alone it is answered";
  }
}

TEST_F(AnswerMemoryTest, RefusesSharedGroupsForGoodThatAreTooLarge) {
  // Without memory for the groups of the first chunk, and for their states.
  const auto count = aggregate_of(semantics::AggregateFunction::kCountRows, kId);
  const auto sum = aggregate_of(semantics::AggregateFunction::kSum, kId);
  for (const uint64_t bytes_max : {2'300u, 4'000u}) {
    open(bytes_max);
    ask(selection_of({{.name = "id", .column = kId}, count, sum}, {kId}));
    ask(selection_of({{.name = "id", .column = kId}, sum, count}, {kId}));
    ASSERT_TRUE(segment_->step({0}));
    for (int query = 0; query < 2; ++query) {
      EXPECT_EQ(std::get<QueryOutput>(*segment_->dequeue()).error->sqlstate, "54000") << bytes_max;
    }
  }
}

TEST_F(AnswerMemoryTest, AFullTableOfAnswersNobodyFetchesRefusesGroupsUntilTheyAreFetched) {
  open(60'000);
  for (int query = 0; query < 8; ++query) {
    ask(select({kId, kKey}));
  }
  ASSERT_TRUE(segment_->step({0}));
  ask(groups_from(0));
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_GT(refusals(), 0u);
  ask(groups_from(0));
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_EQ(refusals(), 0u);
}

}  // namespace
}  // namespace daedalus::engine::test

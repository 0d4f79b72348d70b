// Queries that aggregate the same rows in the same way: one takes rows for all, and each has its own end.
#include <gtest/gtest.h>

#include <map>

#include "operation_mix.hpp"
#include "test_expressions.hpp"
#include "twin_segment.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::AggregateFunction;
using semantics::BoundExpression;
using semantics::Operator;
using semantics::Predicate;
using semantics::Selection;

constexpr int64_t kTwinRows = 9'000;
constexpr uint32_t kChunkRows = 1'024;

Selection groups(const Predicate& predicate) {
  return selection_of({aggregate_of(AggregateFunction::kCountRows, 0),
                       aggregate_of(AggregateFunction::kSum, kInt),
                       aggregate_of(AggregateFunction::kMax, kName),
                       {.name = "k", .column = kSmall}},
                      {kSmall}, predicate);
}

Selection total(const Predicate& predicate) {
  return selection_of({aggregate_of(AggregateFunction::kSum, kBig)}, {}, predicate);
}

/// key % divisor = 1: computed, and an error where the divisor is 0.
BoundExpression remainder(BoundExpression divisor) {
  return call("=", call("%", semantics::column_of(test_schema(), kKey), std::move(divisor)), number(1));
}

class QueryTwinsTest : public testing::Test {
 protected:
  QueryTwinsTest() {
    Random random(test_seed());
    std::vector<Row> rows;
    for (int64_t id = 0; id < kTwinRows; ++id) {
      rows.push_back(random_row(random, id));
      rows.back()[kKey] = id;
    }
    twin_.update({insert_rows(test_schema(), rows)});
    twin_.ask(select({kId}));  // Sketches are made.
  }

  void enqueue(uint64_t handle, const Selection& selection,
               std::shared_ptr<const std::atomic<bool>> aborted = nullptr) {
    ASSERT_TRUE(twin_.segment().enqueue(
        Query{QueryHandle{handle}, std::make_shared<const Selection>(selection), kNever, std::move(aborted)}));
  }

  /// Adds what has come since to answers_.
  void take_answers() {
    while (std::optional<Output> taken = twin_.segment().dequeue()) {
      auto& output = std::get<QueryOutput>(*taken);
      const auto handle = static_cast<uint64_t>(output.handle);
      ASSERT_FALSE(answers_.contains(handle)) << "answered twice";
      answers_[handle] = std::move(output);
    }
  }

  TwinSegment twin_{test_schema(),
                    test_codec(),
                    {.memory_bytes = 16u << 20, .chunk_rows = kChunkRows, .operations_in_flight_max = 1'024},
                    kTwinRows};
  std::map<uint64_t, QueryOutput> answers_;
};

TEST_F(QueryTwinsTest, AnswerAsTheyWouldAlone) {
  std::vector<Selection> selections;
  for (int copy = 0; copy < 5; ++copy) {
    for (const int64_t bound : {100, 4'000, 8'999}) {
      const Predicate predicate = where(kKey, Operator::kLess, bound);
      selections.push_back(groups(predicate));
      selections.push_back(total(predicate));
      Selection computed = groups(predicate);
      computed.residuals.push_back(remainder(number(copy < 3 ? 3 : 4)));  // Not all have it in common.
      selections.push_back(computed);
      computed = total(predicate);
      computed.residuals.push_back(remainder(number(5)));
      selections.push_back(computed);
    }
  }
  twin_.ask_together(selections);
}

TEST_F(QueryTwinsTest, AbortsAQueryHalfwayWithoutHarmToOthers) {
  const Selection selection = groups(where(kKey, Operator::kGreater, int64_t{10}));
  for (const uint64_t gone : {0, 1, 2}) {
    answers_.clear();
    std::vector<std::shared_ptr<std::atomic<bool>>> aborted;
    for (uint64_t handle = 0; handle < 3; ++handle) {
      aborted.push_back(std::make_shared<std::atomic<bool>>(false));
      enqueue(handle, selection, aborted.back());
    }
    ASSERT_TRUE(twin_.segment().step({0}, {.chunks_max = 3}));
    aborted[gone]->store(true);
    ASSERT_TRUE(twin_.segment().step({0}, {.chunks_max = 2}));
    take_answers();
    ASSERT_EQ(answers_.size(), 1u) << "it ends at the next chunk";
    EXPECT_EQ(answers_.at(gone).error->sqlstate, "57014");
    while (twin_.segment().step({0})) {
    }
    take_answers();
    ASSERT_EQ(answers_.size(), 3u);
    for (const auto& [handle, output] : answers_) {
      if (handle != gone) {
        EXPECT_EQ(twin_.table().fault(selection, output), "") << handle;
      }
    }
  }
}

TEST_F(QueryTwinsTest, AllOfThemMayBeAborted) {
  const auto aborted = std::make_shared<std::atomic<bool>>(false);
  for (uint64_t handle = 0; handle < 4; ++handle) {
    enqueue(handle, groups({}), aborted);
  }
  ASSERT_TRUE(twin_.segment().step({0}, {.chunks_max = 3}));
  aborted->store(true);
  while (twin_.segment().step({0})) {
  }
  take_answers();
  ASSERT_EQ(answers_.size(), 4u);
  for (const auto& [handle, output] : answers_) {
    EXPECT_EQ(output.error->sqlstate, "57014");
  }
  twin_.ask(groups({}));
}

TEST_F(QueryTwinsTest, AnErrorIsThatOfAll) {
  Selection selection = groups({});
  selection.residuals.push_back(remainder(call("-", semantics::column_of(test_schema(), kKey), number(kTwinRows / 2))));
  for (uint64_t handle = 0; handle < 3; ++handle) {
    enqueue(handle, selection);
  }
  enqueue(3, groups({}));
  while (twin_.segment().step({0})) {
  }
  take_answers();
  ASSERT_EQ(answers_.size(), 4u);
  for (uint64_t handle = 0; handle < 3; ++handle) {
    ASSERT_TRUE(answers_.at(handle).error.has_value());
    EXPECT_EQ(answers_.at(handle).error->sqlstate, "22012");
  }
  EXPECT_EQ(twin_.table().fault(groups({}), answers_.at(3)), "");
}

}  // namespace
}  // namespace daedalus::engine::test

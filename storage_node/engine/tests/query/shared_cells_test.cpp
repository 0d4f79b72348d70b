// Aggregates that differ in their bounds, put together of shared cells, against the plain table: whatever the bounds,
// types and aggregates are, beside NULLs and dead rows, and where something cannot be computed.
#include <gtest/gtest.h>

#include <limits>

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

/// Enough that sketches exist, in chunks that end within a block of sketches.
constexpr int64_t kCellRows = 9'000;

constexpr Operator kComparisons[] = {Operator::kEqual,       Operator::kNotEqual, Operator::kLess,
                                     Operator::kLessOrEqual, Operator::kGreater,  Operator::kGreaterOrEqual};

Predicate both_of(Predicate first, const Predicate& second) {
  first.clauses.insert(first.clauses.end(), second.clauses.begin(), second.clauses.end());
  return first;
}

Predicate within(uint32_t column, const Value& low, const Value& above) {
  return both_of(where(column, Operator::kGreaterOrEqual, low), where(column, Operator::kLess, above));
}

Selection totals(const Predicate& predicate) {
  return selection_of(
      {aggregate_of(AggregateFunction::kCountRows, 0), aggregate_of(AggregateFunction::kSum, kInt),
       aggregate_of(AggregateFunction::kAvg, kBig), aggregate_of(AggregateFunction::kSum, kWide),
       aggregate_of(AggregateFunction::kSum, kDouble), aggregate_of(AggregateFunction::kMax, kDay),
       aggregate_of(AggregateFunction::kMin, kCode), aggregate_of(AggregateFunction::kCount, kSmall),
       aggregate_of(AggregateFunction::kBitXor, kInt), aggregate_of(AggregateFunction::kVarSamp, kInt),
       aggregate_of(AggregateFunction::kStddevPop, kReal), aggregate_of(AggregateFunction::kBoolOr, kBool)},
      {}, predicate);
}

class SharedCellsTest : public testing::TestWithParam<AccessPaths> {
 protected:
  SharedCellsTest() {
    const SegmentOptions options = {.memory_bytes = 16u << 20,
                                    .chunk_rows = 3'008,
                                    .operations_in_flight_max = 4'096,
                                    .share_factor_max = 4'096,
                                    .access_paths = GetParam()};
    twin_ = std::make_unique<TwinSegment>(test_schema(), test_codec(), options, kCellRows);
    Random random(test_seed());
    std::vector<Row> rows;
    for (int64_t id = 0; id < kCellRows; ++id) {
      rows.push_back(random_row(random, id));
      rows.back()[kKey] = id;
    }
    twin_->update({insert_rows(test_schema(), rows)});
    twin_->update({remove(within(kKey, int64_t{500}, int64_t{700}))});
    twin_->ask(select({kId}));  // Sketches are made.
  }

  std::unique_ptr<TwinSegment> twin_;
  Random random_{test_seed() + 1};
};

TEST_P(SharedCellsTest, BoundsOfOneColumnOfEachType) {
  for (uint32_t column = 0; column < test_schema().columns.size(); ++column) {
    std::vector<Selection> selections;
    for (int query = 0; query < 12; ++query) {
      const auto op = kComparisons[below(random_, std::size(kComparisons))];
      Predicate predicate = where(column, op, random_value(random_, column));
      if (one_in(random_, 2)) {
        predicate = both_of(predicate, where(column, Operator::kGreater, random_value(random_, column)));
      }
      selections.push_back(totals(predicate));
    }
    twin_->ask_together(selections);
  }
}

TEST_P(SharedCellsTest, BoundsOfSeveralColumnsOfWhichNotAllAskForEach) {
  for (int round = 0; round < 2; ++round) {
    std::vector<Selection> selections;
    for (int query = 0; query < 60; ++query) {
      Predicate predicate;
      for (const uint32_t column : {kSmall, kDay, kNumeric, kCode}) {
        if (!one_in(random_, 3)) {
          predicate = both_of(predicate, where(column, one_in(random_, 2) ? Operator::kLess : Operator::kGreaterOrEqual,
                                               random_value(random_, column)));
        }
      }
      selections.push_back(totals(predicate));
    }
    twin_->ask_together(selections);
  }
}

TEST_P(SharedCellsTest, MoreCellsThanThereMayBeLeaveTheRestToThemselves) {
  std::vector<Selection> selections;
  for (int64_t query = 0; query < 150; ++query) {
    const auto low = static_cast<int64_t>(below(random_, kCellRows));
    selections.push_back(totals(both_of(within(kKey, low, low + 1'000), within(kId, query * 13, query * 13 + 4'000))));
  }
  twin_->ask_together(selections);
}

TEST_P(SharedCellsTest, OthersOfTheCycleAreNotTouched) {
  std::vector<Selection> selections;
  for (int64_t query = 0; query < 50; ++query) {
    const Predicate predicate = within(kKey, query * 100, query * 100 + 2'000);
    selections.push_back(totals(predicate));
    selections.push_back(select({kId, kInt}, predicate));
    selections.push_back(selection_of({aggregate_of(AggregateFunction::kMax, kName)}, {}, predicate));
    selections.push_back(selection_of({aggregate_of(AggregateFunction::kCountRows, 0)}, {kSmall}, predicate));
  }
  twin_->ask_together(selections);
}

TEST_P(SharedCellsTest, TheHighestAndLowestValuesOfAColumnAreBoundsLikeOthers) {
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  std::vector<Selection> selections;
  for (const Operator op :
       {Operator::kLess, Operator::kLessOrEqual, Operator::kEqual, Operator::kGreater, Operator::kGreaterOrEqual}) {
    for (const int64_t bound : {kMin, kMin + 1, int64_t{-1}, int64_t{0}, kMax - 1, kMax}) {
      selections.push_back(totals(where(kInt, op, bound)));
    }
    for (const double bound : {-std::numeric_limits<double>::infinity(), -0.0, 0.0,
                               std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      selections.push_back(totals(where(kDouble, op, bound)));
    }
  }
  twin_->ask_together(selections);
}

TEST_P(SharedCellsTest, AnswersQueriesThatDoNotWantTheRowThatFails) {
  // 100 / (key − 4321), summed within bounds: half of the queries have that row.
  const BoundExpression quotient =
      call("/", number(100), call("-", semantics::column_of(test_schema(), kKey), number(4'321)));
  std::vector<std::shared_ptr<const Selection>> selections;
  for (int64_t query = 0; query < 40; ++query) {
    for (const bool has_count : {false, true}) {
      std::vector<semantics::SelectItem> items = {aggregate_of(AggregateFunction::kSum, kKey)};
      if (has_count) {
        items.push_back(aggregate_of(AggregateFunction::kCountRows, 0));
      }
      const int64_t low = query % 2 == 0 ? 4'000 - query : 4'322 + query;
      Selection selection = selection_of(items, {}, within(kKey, low, low + 600));
      const size_t sum = selection.grouping->aggregates[0].function == AggregateFunction::kSum ? 0 : 1;
      selection.grouping->aggregates[sum].argument = quotient;
      selections.push_back(std::make_shared<const Selection>(selection));
    }
  }
  for (uint32_t query = 0; query < selections.size(); ++query) {
    ASSERT_TRUE(twin_->segment().enqueue(Query{QueryHandle{query}, selections[query]}));
  }
  ASSERT_TRUE(twin_->segment().step({0}));
  size_t failed = 0;
  while (const std::optional<Output> taken = twin_->segment().dequeue()) {
    const auto& output = std::get<QueryOutput>(*taken);
    const Selection& selection = *selections[static_cast<size_t>(output.handle)];
    if (static_cast<size_t>(output.handle) / 2 % 2 == 0) {
      ASSERT_TRUE(output.error.has_value());
      EXPECT_EQ(output.error->sqlstate, "22012");
      ++failed;
    } else {
      EXPECT_EQ(twin_->table().fault(selection, output), "");
    }
  }
  EXPECT_EQ(failed, selections.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(AllPaths, SharedCellsTest, testing::Values(AccessPaths::kCells, AccessPaths::kByCost));

}  // namespace
}  // namespace daedalus::engine::test

// Aggregates and first rows of filtered rows against the plain table: filters alike and different, alone and together.
#include <gtest/gtest.h>

#include "twin_segment.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::AggregateFunction;
using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;
using semantics::Selection;

/// Enough that sketches exist, in chunks that end within a block of sketches.
constexpr int64_t kRows = 9'000;
std::vector<Row> numbered_rows() {
  std::vector<Row> rows = rows_of(kRows);
  for (int64_t row = 0; row < kRows; ++row) {
    rows[static_cast<size_t>(row)][kInt] = row * 7 % 1'000;
    rows[static_cast<size_t>(row)][kSmall] = row % 3 == 0 ? Value() : Value(row % 40);
    rows[static_cast<size_t>(row)][kDouble] = static_cast<double>(row % 100) / 4;
    rows[static_cast<size_t>(row)][kName] = "name number " + std::to_string(row % 600);
  }
  return rows;
}

Predicate both(Predicate first, const Predicate& second) {
  first.clauses.insert(first.clauses.end(), second.clauses.begin(), second.clauses.end());
  return first;
}

/// kInt within bounds: so many thousandths of the rows.
Predicate within(int64_t first, int64_t count) {
  return both(where(kInt, Operator::kGreaterOrEqual, first), where(kInt, Operator::kLess, first + count));
}

Predicate either(const Predicate& first, const Predicate& second) {
  Predicate any = first;
  any.clauses[0].push_back(second.clauses[0][0]);
  return any;
}

/// Makes predicates of all shapes: one column and several, NULLs, lists, prefixes, long strings, most rows and hardly
/// any.
std::vector<Predicate> predicates() {
  Literal list{.column = kInt, .kind = Literal::Kind::kNotIn, .values = {Value(int64_t{3}), Value(int64_t{500})}};
  Literal prefix{.column = kName, .kind = Literal::Kind::kNotStartsWith, .values = {Value("name number 1")}};
  Predicate none_of;
  none_of.clauses = {{list}};
  Predicate not_prefix;
  not_prefix.clauses = {{prefix}};
  return {within(203, 301),
          within(1, 998),
          within(77, 4),
          both(within(100, 700), where(kSmall, Operator::kLess, int64_t{31})),
          both(within(100, 700), where(kSmall, Operator::kEqual, int64_t{7})),
          where(kSmall, Operator::kGreater, int64_t{5}),
          where(kDouble, Operator::kLessOrEqual, 17.3),
          where(kName, Operator::kGreater, Value("name number 3456")),
          either(where(kInt, Operator::kLess, int64_t{333}), where(kSmall, Operator::kGreater, int64_t{22})),
          none_of,
          both(not_prefix, within(50, 877))};
}

Selection sums(const Predicate& predicate, bool is_grouped) {
  std::vector<semantics::SelectItem> items = {
      aggregate_of(AggregateFunction::kCountRows, 0), aggregate_of(AggregateFunction::kSum, kInt),
      aggregate_of(AggregateFunction::kSum, kDouble), aggregate_of(AggregateFunction::kMax, kSmall)};
  if (is_grouped) {
    items.push_back({.name = "k", .column = kSmall});
  }
  return selection_of(std::move(items), is_grouped ? std::vector<uint32_t>{kSmall} : std::vector<uint32_t>{},
                      predicate);
}

Selection first_rows(const Predicate& predicate) {
  Selection selection = select({kInt, kId}, predicate);
  selection.order_by = {{0, {.descending = true, .nulls_first = false}}, {1, {}}};
  selection.limit = 5;
  return selection;
}

class FiltersTest : public testing::TestWithParam<AccessPaths> {
 protected:
  FiltersTest() {
    const SegmentOptions options = {.memory_bytes = 16u << 20,
                                    .chunk_rows = 3'008,
                                    .operations_in_flight_max = 4'096,
                                    .share_factor_max = 4'096,
                                    .access_paths = GetParam()};
    twin_ = std::make_unique<TwinSegment>(test_schema(), test_codec(), options, kRows);
    twin_->update({insert_rows(test_schema(), numbered_rows())});
    // A hole in every chunk.
    twin_->update({remove(both(where(kKey, Operator::kGreater, int64_t{70}), within(500, 13)))});
    twin_->ask(select({kId}));  // Sketches are made.
  }

  std::unique_ptr<TwinSegment> twin_;
};

TEST_P(FiltersTest, FilteredAggregatesAndFirstRowsAreThoseOfThePlainTable) {
  for (const Predicate& predicate : predicates()) {
    twin_->ask(sums(predicate, false));
    twin_->ask(sums(predicate, true));
    twin_->ask(first_rows(predicate));
  }
}

TEST_P(FiltersTest, QueriesThatFilterAlikeAnswerAsTheyWouldAlone) {
  std::vector<Selection> selections;
  for (int copy = 0; copy < 3; ++copy) {
    for (const Predicate& predicate : predicates()) {
      selections.insert(selections.end(), {sums(predicate, false), sums(predicate, true), first_rows(predicate)});
    }
  }
  twin_->ask_together(selections);
}

TEST_P(FiltersTest, MoreFiltersThanHaveBitmapsAnswerLikeTheOthers) {
  std::vector<Selection> selections;
  for (int64_t query = 0; query < 1'100; ++query) {
    selections.push_back(sums(within(query % 550, 150 + query % 211), false));
  }
  twin_->ask_together(selections);
}

INSTANTIATE_TEST_SUITE_P(AllPaths, FiltersTest, testing::Values(AccessPaths::kByCost, AccessPaths::kSketches));

}  // namespace
}  // namespace daedalus::engine::test

// Updates that compute: what a row is given, and whether it is changed at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/placement.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "on_every_instruction_set.hpp"
#include "operation_mix.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Assignment;
using semantics::BoundExpression;
using semantics::Operator;
using semantics::Predicate;
using semantics::TypeKind;

BoundExpression column(uint32_t number) { return semantics::column_of(test_schema(), number); }

BoundExpression number(int64_t value) { return semantics::make_constant({TypeKind::kInt}, value); }

BoundExpression of_ints(std::string_view sign, BoundExpression left, BoundExpression right) {
  const semantics::ArgumentKind kinds[] = {{TypeKind::kInt}, {TypeKind::kInt}};
  return *semantics::make_call((*semantics::resolve_function(sign, true, kinds))->id,
                               {std::move(left), std::move(right)});
}

/// 100 divided by the row's kInt.
BoundExpression quotient() { return of_ints("/", number(100), column(kInt)); }

Assignment computed(uint32_t of_column, BoundExpression expression) {
  return {of_column, Assignment::Kind::kCompute, Value(),
          std::make_shared<const BoundExpression>(std::move(expression))};
}

UpdatePart removal(Predicate predicate, BoundExpression condition) {
  return std::make_shared<const semantics::DeletePart>(semantics::DeletePart{
      std::move(predicate), std::make_shared<const std::vector<BoundExpression>>(1, std::move(condition))});
}

UpdatePart change(std::vector<Assignment> assignments, Predicate predicate, BoundExpression condition) {
  semantics::ModifyPart part{std::move(assignments), std::move(predicate)};
  part.residuals = std::make_shared<const std::vector<BoundExpression>>(1, std::move(condition));
  return std::make_shared<const semantics::ModifyPart>(std::move(part));
}

/// Every test runs with updates found through keys and by passes.
class ComputedUpdateTest : public testing::TestWithParam<AccessPaths> {
 protected:
  ComputedUpdateTest() {
    std::vector<Row> rows;
    for (int64_t id = 0; id < 4; ++id) {
      Row values(test_schema().columns.size());
      values[kId] = id;
      values[kKey] = id % 2;
      values[kInt] = id == 3 ? Value() : Value(id);
      values[kDay] = int64_t{15'000};
      values[kText] = std::string("a long one");
      rows.push_back(std::move(values));
    }
    static_cast<void>(update(insert_rows(test_schema(), rows)));
  }

  UpdateOutput update(UpdatePart part) {
    EXPECT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, {std::move(part)}}));
    while (segment_.step({0})) {
    }
    return std::get<UpdateOutput>(*segment_.dequeue());
  }

  /// Reads one column, by id.
  std::vector<Value> values(uint32_t of_column) {
    const semantics::Selection selection = select({kId, of_column});
    EXPECT_TRUE(segment_.enqueue(Query{QueryHandle{1}, std::make_shared<semantics::Selection>(selection)}));
    EXPECT_TRUE(segment_.step({0}));
    std::vector<Row> rows =
        decode(semantics::partial_row_types(selection), std::get<QueryOutput>(*segment_.dequeue()).rows);
    std::sort(rows.begin(), rows.end(), [](const Row& left, const Row& right) {
      return std::get<int64_t>(left[0]) < std::get<int64_t>(right[0]);
    });
    std::vector<Value> found;
    std::transform(rows.begin(), rows.end(), std::back_inserter(found), [](const Row& row) { return row[1]; });
    return found;
  }

  /// The rows whose key is that, through an index where there is one.
  static Predicate key_is(int64_t key) { return where(kKey, Operator::kEqual, key); }

  Segment segment_{test_schema(), test_codec(), {.memory_bytes = 90'000, .chunk_rows = 64, .access_paths = GetParam()}};
  uint64_t timestamp_ = 0;
};

INSTANTIATE_TEST_SUITE_P(AccessPaths, ComputedUpdateTest,
                         testing::Values(AccessPaths::kByCost, AccessPaths::kKeys, AccessPaths::kPasses));

using Failed = std::vector<FailedRows>;
using Values = std::vector<Value>;

TEST_P(ComputedUpdateTest, ARowThatCannotBeComputedStaysAsItIsAndIsCountedBySqlstate) {
  const UpdateOutput output =
      update(modify({{kSmall, Assignment::Kind::kSet, int64_t{7}}, computed(kBig, quotient())}, {}));
  EXPECT_EQ(output.rows_matched, 4u);
  EXPECT_EQ(output.rows_applied, 3u);
  EXPECT_EQ(output.failed, (Failed{{"22012", 1}}));
  EXPECT_EQ(values(kBig), (Values{Value(), int64_t{100}, int64_t{50}, Value()}));
  EXPECT_EQ(values(kSmall), (Values{Value(), int64_t{7}, int64_t{7}, int64_t{7}}));
}

TEST_P(ComputedUpdateTest, AssignmentsSeeTheRowAsItWas) {
  static_cast<void>(update(modify({computed(kInt, column(kId)), computed(kBig, column(kInt))}, key_is(1))));
  EXPECT_EQ(values(kInt), (Values{int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}}));
  EXPECT_EQ(values(kBig), (Values{Value(), int64_t{1}, Value(), Value()}));
}

TEST_P(ComputedUpdateTest, RefusesValuesThatAColumnCannotHoldAsPostgresqlDoes) {
  // More than smallint takes, NULL where that is forbidden, more characters than there is room for.
  const UpdateOutput large = update(modify({computed(kSmall, of_ints("+", column(kInt), number(32'766)))}, key_is(0)));
  EXPECT_EQ(large.refused_overflow, 1u);
  EXPECT_EQ(large.rows_applied, 1u);
  EXPECT_EQ(update(modify({computed(kKey, column(kInt))}, key_is(1))).failed, (Failed{{"23502", 1}}));
  EXPECT_EQ(update(modify({computed(kCode, column(kText))}, key_is(1))).failed, (Failed{{"22001", 2}}));
  EXPECT_EQ(values(kKey), (Values{int64_t{0}, int64_t{1}, int64_t{0}, int64_t{1}}));
}

TEST_P(ComputedUpdateTest, ARowOnWhichTheConditionFailsIsNeitherChangedNorDeleted) {
  const BoundExpression condition = of_ints(">", quotient(), number(60));
  const UpdateOutput changed = update(change({{kSmall, Assignment::Kind::kSet, int64_t{7}}}, {}, condition));
  EXPECT_EQ(changed.rows_matched, 2u);  // One that qualifies, and one that cannot be decided.
  EXPECT_EQ(changed.rows_applied, 1u);
  EXPECT_EQ(changed.failed, (Failed{{"22012", 1}}));
  EXPECT_EQ(values(kSmall), (Values{Value(), int64_t{7}, Value(), Value()}));
  const UpdateOutput deleted = update(removal({}, condition));
  EXPECT_EQ(deleted.rows_applied, 1u);
  EXPECT_EQ(deleted.failed, (Failed{{"22012", 1}}));
  EXPECT_EQ(values(kId), (Values{int64_t{0}, int64_t{2}, int64_t{3}}));
}

TEST_P(ComputedUpdateTest, RowsThatADeleteByAgeLeavesAreFoundByTheNext) {
  const Predicate old = where(kDay, Operator::kLess, int64_t{20'000});
  EXPECT_EQ(update(removal(old, of_ints("=", column(kInt), number(1)))).rows_applied, 1u);
  EXPECT_EQ(update(remove(old)).rows_applied, 3u);
}

TEST_P(ComputedUpdateTest, AKeyThatIsComputedIsFoundByLaterUpdatesOfTheCycle) {
  std::vector<UpdatePart> parts = {modify({computed(kKey, of_ints("+", column(kInt), number(10)))}, key_is(0)),
                                   modify({{kBig, Assignment::Kind::kSet, int64_t{1}}}, key_is(12)),
                                   modify({{kBig, Assignment::Kind::kSet, int64_t{2}}}, key_is(0))};
  for (UpdatePart& part : parts) {
    ASSERT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, {std::move(part)}}));
  }
  ASSERT_TRUE(segment_.step({0}));
  std::vector<uint64_t> matched;
  while (const std::optional<Output> output = segment_.dequeue()) {
    matched.push_back(std::get<UpdateOutput>(*output).rows_matched);
  }
  EXPECT_EQ(matched, (std::vector<uint64_t>{2, 1, 0}));
}

/// The bytes of all rows, and what came of all updates, of a history that random numbers decide.
uint64_t digest_of_history(uint64_t seed) {
  Random random(seed);
  OperationMix mix(random);
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 200'000, .chunk_rows = 64});
  std::string outcome;
  for (uint64_t timestamp = 1; timestamp <= 300; ++timestamp) {
    Update update{.timestamp = Timestamp{timestamp}};
    update.parts.push_back(timestamp <= 20 ? UpdatePart(mix.insertion(20)) : mix.part());
    EXPECT_TRUE(segment.enqueue(std::move(update)));
    while (segment.step({0})) {
    }
    const auto output = std::get<UpdateOutput>(*segment.dequeue());
    outcome += std::to_string(output.rows_applied) + " ";
    for (const FailedRows& failed : output.failed) {
      outcome += failed.sqlstate + " " + std::to_string(failed.row_count) + " ";
    }
  }
  std::vector<uint32_t> columns(test_schema().columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  EXPECT_TRUE(segment.enqueue(Query{QueryHandle{1}, std::make_shared<semantics::Selection>(select(columns))}));
  while (segment.step({0})) {
  }
  return semantics::digest(outcome + std::get<QueryOutput>(*segment.dequeue()).rows);
}

TEST(ComputedUpdateDigest, IsTheSameOnEveryInstructionSet) {
  const uint64_t seed = test_seed();
  for (uint64_t round = 0; round < 20; ++round) {
    std::vector<uint64_t> digests;
    on_every_instruction_set([&] { digests.push_back(digest_of_history(seed + round)); });
    ASSERT_FALSE(digests.empty());
    EXPECT_EQ(digests, std::vector<uint64_t>(digests.size(), digests[0])) << "round " << round;
  }
}

TEST(ComputedUpdateOfManyColumnsTest, AnInfiniteTimestampHasNoTimeForAColumnThatForbidsNull) {
  const TestTableScope scope(TestTable::kManyColumns);
  const std::vector<semantics::Column>& columns = test_schema().columns;
  const auto clock = std::find_if(columns.begin(), columns.end(), [](const semantics::Column& it) {
    return it.type.kind == TypeKind::kTime && !it.nullable;
  });
  ASSERT_NE(clock, columns.end());
  Random random(test_seed());
  Row row = random_row(random, 1);
  row[kTime] = semantics::infinity_of(TypeKind::kTimestamp, false);
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 1, .chunk_rows = 64});
  ASSERT_TRUE(segment.enqueue(Update{Timestamp{1}, {insert_rows(test_schema(), {row})}}));
  const auto place = static_cast<uint32_t>(clock - columns.begin());
  ASSERT_TRUE(segment.enqueue(Update{Timestamp{2}, {modify({computed(place, column(kTime))}, {})}}));
  while (segment.step({0})) {
  }
  static_cast<void>(segment.dequeue());
  EXPECT_EQ(std::get<UpdateOutput>(*segment.dequeue()).failed, (Failed{{"23502", 1}}));
}

}  // namespace
}  // namespace daedalus::engine::test

// The judge is judged: faults are planted into a cluster in which nothing else fails, and the judge must find each of
// them and say what it is. A judge that takes an answer's own word for what it should contain would not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faulty_route.hpp"
#include "may_select.hpp"
#include "simulated_cluster.hpp"

namespace daedalus::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint64_t kHashed = 2;
constexpr uint64_t kRoundRobin = 3;

std::vector<std::string> found(uint64_t seed, SabotageKind sabotage) {
  const Placement by = seed == kHashed ? Placement::kHash : Placement::kRoundRobin;
  return SimulatedCluster({.seed = seed,
                           .topology = {.partitions_by = by, .segments_by = by},
                           .has_faults = false,
                           .sabotage = sabotage})
      .run()
      .violations;
}

class JudgeTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(JudgeTest, HasNothingToSayWhereNothingIsWrong) {
  EXPECT_THAT(found(GetParam(), SabotageKind::kNone), IsEmpty());
}

TEST_P(JudgeTest, FindsAPartitionThatIsDroppedWithItsStamp) {
  const auto violations = found(GetParam(), SabotageKind::kAnswerWithoutPartition);
  EXPECT_THAT(violations, Contains(HasSubstr("an answer is without partition 1 segment 0, which the question")));
  EXPECT_THAT(violations, Contains(HasSubstr("an answer is without partition 1 segment 1, which the question")));
  EXPECT_THAT(violations, Contains(HasSubstr("the table ended different")));
  EXPECT_THAT(violations, Each(Not(HasSubstr("without partition 0"))));
}

TEST_P(JudgeTest, FindsRowsThatAreDroppedBehindTheirStamps) {
  const auto violations = found(GetParam(), SabotageKind::kAnswerWithoutRows);
  EXPECT_THAT(violations, Contains(HasSubstr("rows of moment")));
  EXPECT_THAT(violations, Each(Not(HasSubstr("an answer is without"))));
}

TEST_P(JudgeTest, FindsStampsOfAnotherPrefix) {
  const auto violations = found(GetParam(), SabotageKind::kStampOfAnotherPrefix);
  EXPECT_THAT(violations, Contains(AllOf(HasSubstr("an answer of moment"), HasSubstr("has prefix"))));
  EXPECT_THAT(violations, Contains(HasSubstr("beyond every update")));  // The last answer's.
}

TEST_P(JudgeTest, FindsAMomentThatIsTooLate) {
  const auto violations = found(GetParam(), SabotageKind::kMomentTooLate);
  EXPECT_THAT(violations, Contains(HasSubstr("although updates were confirmed up to")));
  EXPECT_THAT(violations, Contains(HasSubstr("beyond every update")));  // The last answer's.
}

TEST_P(JudgeTest, FindsAMomentThatIsTooEarly) {
  const auto violations = found(GetParam(), SabotageKind::kMomentTooEarly);
  EXPECT_THAT(violations, Contains(HasSubstr("was confirmed was answered at moment")));
  EXPECT_THAT(violations, Contains(HasSubstr("a query that demands moment")));
}

TEST_P(JudgeTest, FindsAConfirmationWithoutAPartitionThatTheUpdateConcerns) {
  const auto violations = found(GetParam(), SabotageKind::kConfirmationWithoutPartition);
  EXPECT_THAT(violations, Not(IsEmpty()));
  // Nor is its node waited for before the update is told to be confirmed: whoever asks then may miss it there.
  EXPECT_THAT(violations, Each(AnyOf(HasSubstr("is confirmed without partition 1, which it concerns"),
                                     HasSubstr("and partition 1 segment "))));
  // The update could have found rows there, and found none, too: the sums do not show it.
  EXPECT_THAT(violations, Contains(HasSubstr("which it concerns (0/0/0/0/0 rows)")));
}

TEST_P(JudgeTest, FindsCountsThatAreBookedToAnotherPartition) {
  const auto violations = found(GetParam(), SabotageKind::kConfirmationOfAnotherPartition);
  EXPECT_THAT(violations, Contains(HasSubstr("rows in partition 1 instead of")));
}

TEST_P(JudgeTest, FindsCountsThatAreBookedToAnotherPart) {
  const auto violations = found(GetParam(), SabotageKind::kConfirmationOfAnotherPart);
  EXPECT_THAT(violations, Contains(HasSubstr("are said to have been applied to")));
}

TEST_P(JudgeTest, FindsARouteThatLeavesAPartitionOutOfQueries) {
  const PlantedRouteFault planted(RouteFault::kOfQueries);
  const auto violations = found(GetParam(), SabotageKind::kNone);
  EXPECT_THAT(violations, Contains(HasSubstr("an answer is without partition 1 segment 0")));
  EXPECT_THAT(violations, Contains(HasSubstr("the table ended different")));
}

TEST_P(JudgeTest, FindsARouteThatLeavesAPartitionOutOfUpdates) {
  const PlantedRouteFault planted(RouteFault::kOfUpdates);
  const auto violations = found(GetParam(), SabotageKind::kNone);
  EXPECT_THAT(violations, Contains(HasSubstr("is confirmed without partition 1")));
  EXPECT_THAT(violations, Contains(HasSubstr("the table ended different")));
}

INSTANTIATE_TEST_SUITE_P(Placements, JudgeTest, ::testing::Values(kHashed, kRoundRobin),
                         [](const auto& run) { return run.param == kHashed ? "Hash" : "RoundRobin"; });

// ---- the twin of placement ----

TEST(PlainPlacementTest, PlacesRowsWhereTheProductDoes) {
  const semantics::Schema schema = simulated_schema(TableShape::kSmall);
  for (const Placement placement : {Placement::kHash, Placement::kRoundRobin}) {
    const contract::PartitionMap map = map_of({.nodes = 5, .partitions_by = placement, .segments_by = placement});
    const PlainPlacement plain(schema, map, 3);
    for (uint32_t ordinal = 0; ordinal < 5000; ordinal += 7) {
      const Row row = {
          semantics::Value{int64_t{ordinal} * 1'000'003}, semantics::Value{int64_t{ordinal} - 2500}, {}, {}};
      const semantics::RowIdentity identity{Timestamp{ordinal % 97 + 1}, ordinal};
      EXPECT_EQ(plain.place_of(row, ordinal % 97 + 1, ordinal),
                SegmentKey(raw(map.partition_of(schema, row, identity)), map.segment_of(schema, row, identity, 3)));
    }
  }
}

// ---- what a filter may select ----

class MaySelectTest : public ::testing::Test {
 protected:
  static semantics::Expression compare(uint32_t column, semantics::Operator op, int64_t value) {
    return semantics::Expression::make_call(
        op, {semantics::Expression::make_column(column),
             semantics::Expression::make_constant({.kind = semantics::TypeKind::kInt}, value)});
  }
  static semantics::Expression call(semantics::Operator op, std::vector<semantics::Expression> arguments) {
    return semantics::Expression::make_call(op, std::move(arguments));
  }
  /// A row of which only the place is known.
  bool may_select_at(int64_t place, const semantics::Expression& filter) const {
    return may_select(schema_, filter, {{}, semantics::Value{place}, {}, {}}, {kPlace});
  }

  semantics::Schema schema_ = simulated_schema(TableShape::kSmall);
};

TEST_F(MaySelectTest, FollowsWhatIsKnown) {
  using semantics::Operator;
  const auto at_3 = compare(kPlace, Operator::kEqual, 3);
  const auto owes = compare(kAmount, Operator::kLess, 0);
  EXPECT_TRUE(may_select_at(3, at_3));
  EXPECT_FALSE(may_select_at(4, at_3));
  EXPECT_TRUE(may_select_at(3, call(Operator::kAnd, {at_3, owes})));
  EXPECT_FALSE(may_select_at(4, call(Operator::kAnd, {owes, at_3})));
  EXPECT_TRUE(may_select_at(4, call(Operator::kOr, {owes, at_3})));
  EXPECT_FALSE(may_select_at(3, call(Operator::kNot, {call(Operator::kOr, {owes, at_3})})));
  EXPECT_TRUE(may_select_at(4, call(Operator::kNot, {call(Operator::kAnd, {at_3, owes})})));
  EXPECT_FALSE(may_select_at(3, call(Operator::kAnd, {owes, call(Operator::kNot, {at_3})})));
  EXPECT_TRUE(may_select(schema_, {}, Row(4), {}));
}

TEST_F(MaySelectTest, NullIsNeverSelectedHoweverItIsNegated) {
  using semantics::Operator;
  const auto unknown =
      call(Operator::kEqual,
           {semantics::Expression::make_column(kPlace),
            semantics::Expression::make_constant({.kind = semantics::TypeKind::kInt}, semantics::Value{})});
  EXPECT_FALSE(may_select_at(3, unknown));
  EXPECT_FALSE(may_select_at(3, call(Operator::kNot, {unknown})));
  EXPECT_TRUE(may_select_at(3, call(Operator::kOr, {unknown, compare(kAmount, Operator::kLess, 0)})));
  EXPECT_FALSE(may_select_at(3, call(Operator::kAnd, {unknown, compare(kAmount, Operator::kLess, 0)})));
}

}  // namespace
}  // namespace daedalus::testing

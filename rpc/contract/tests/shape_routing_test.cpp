#include "daedalus/contract/shape_routing.hpp"

#include "contract_fixture.hpp"
#include "daedalus/contract/shape.hpp"

namespace daedalus::contract {
namespace {

using semantics::PlacementLevel;
using semantics::PlacementRule;
using semantics::testing::Random;

PlacementRule draw_rule(Random& random, const semantics::Schema& schema) {
  const auto last = static_cast<int64_t>(schema.columns.size()) - 1;
  const auto column = static_cast<uint32_t>(random.between(0, last));
  const auto places = static_cast<uint32_t>(random.between(1, 9));
  if (last == 0 || random.chance(60)) {
    return {PlacementLevel::kPartition, random.chance(80) ? std::vector{column} : std::vector<uint32_t>{}, {places}};
  }
  return {PlacementLevel::kPartition, {column, column == 0 ? 1 : column - 1}, {places, 3}};
}

TEST(ShapeRoutingProperty, FindsThePartitionsOfWhatIsBound) {
  Random random(33);
  uint32_t narrowed = 0;
  for (int round = 0; round < 20'000; ++round) {
    const semantics::Schema schema = random.schema(3);
    const auto expression = random.condition(schema, random.row(schema), static_cast<int>(random.between(0, 2)));
    const auto predicate = semantics::normalise(schema, expression);
    if (!predicate || predicate->has_tree()) {
      continue;
    }
    const PlacementRule rule = draw_rule(random, schema);
    const std::string values = values_of(schema, *predicate);
    const ShapeRouting routing(schema, rule, *predicate);
    const auto found = routing.partitions_of(values);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    ASSERT_EQ(*found, partitions_of(schema, rule, *predicate)) << semantics::testing::describe(expression);
    ASSERT_FALSE(found->empty());
    narrowed += found->size() < rule.place_count() ? 1 : 0;
  }
  EXPECT_GT(narrowed, 1'000u);
}

class ShapeRoutingTest : public ContractTest {
 protected:
  /// id = ? AND price < ?, partitioned by `column`.
  [[nodiscard]] ShapeRouting routing(uint32_t column) const {
    using semantics::Literal;
    const Literal is_id{.column = kId, .kind = Literal::Kind::kCompare, .values = {{}}};
    const Literal is_cheap{
        .column = kPrice, .kind = Literal::Kind::kCompare, .op = semantics::Operator::kLess, .values = {{}}};
    return {schema_, {PlacementLevel::kPartition, {column}, {5}}, {.clauses = {{is_id}, {is_cheap}}}};
  }
};

TEST_F(ShapeRoutingTest, ValuesAreCheckedNoFurtherThanTheyCount) {
  EXPECT_EQ(routing(kId).partitions_of(std::string("\1\0\0\0", 4))->size(), 1u);
  EXPECT_EQ(routing(kId).partitions_of("\1\1\1").error().sqlstate, "08P01");
  EXPECT_EQ(routing(kId).partitions_of("").error().sqlstate, "08P01");
  EXPECT_EQ(routing(kPrice).partitions_of("")->size(), 5u);  // It pins nothing: every partition.
}

}  // namespace
}  // namespace daedalus::contract

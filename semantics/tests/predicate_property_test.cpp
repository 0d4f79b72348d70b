#include <gtest/gtest.h>

#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

bool is_expected_refusal(const Error& error) {
  // Too complex; a numeric without a double beside a floating value.
  return error.sqlstate == "54001" || error.sqlstate == "22003";
}

TEST(PredicateProperty, NormalFormAgreesWithTheTree) {
  Random random(1);
  uint32_t compared = 0;
  uint32_t qualified = 0;
  uint32_t refused = 0;
  while (compared < 120'000) {
    ASSERT_LT(refused, 20'000u);
    const Schema schema = random.schema();
    const std::vector<Value> near = random.row(schema);
    const Expression expression = random.condition(schema, near, static_cast<int>(random.between(0, 4)));
    const Result<Predicate> predicate = normalise(schema, expression);
    if (!predicate) {
      ASSERT_TRUE(is_expected_refusal(predicate.error()))
          << predicate.error().sqlstate << " " << predicate.error().message << " " << testing::describe(expression);
      ++refused;
      continue;
    }
    for (int i = 0; i < 4; ++i, ++compared) {
      const std::vector<Value> row = i == 0 ? near : random.row(schema);
      const bool expected = evaluate(schema, expression, row);
      qualified += expected ? 1 : 0;
      ASSERT_EQ(evaluate(schema, *predicate, row), expected)
          << testing::describe(expression) << " on " << testing::describe(schema, row);
    }
  }
  // The conditions must be worth something: neither all true nor all false, and few refused.
  EXPECT_GT(qualified, compared / 10);
  EXPECT_LT(qualified, compared * 9 / 10);
  EXPECT_LT(refused, compared / 20);
}

TEST(PredicateProperty, EveryQualifyingRowHasOneOfThePinnedValues) {
  Random random(2);
  uint32_t pinned = 0;
  for (uint32_t round = 0; round < 20'000; ++round) {
    const Schema schema = random.schema(2);
    const std::vector<Value> row = random.row(schema);
    const Expression expression = random.condition(schema, row, 2);
    const Result<Predicate> predicate = normalise(schema, expression);
    if (!predicate || !evaluate(schema, expression, row)) {
      continue;
    }
    for (uint32_t column = 0; column < schema.columns.size(); ++column) {
      const auto values = pinned_values(*predicate, column);
      if (!values) {
        continue;
      }
      ++pinned;
      bool found = false;
      for (const Value& value : *values) {
        found |= !is_null(row[column]) && compare(value, row[column]) == 0;
      }
      ASSERT_TRUE(found) << testing::describe(expression) << " on " << testing::describe(schema, row);
    }
  }
  EXPECT_GT(pinned, 200u);
}

}  // namespace
}  // namespace daedalus::semantics

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

/// Junctions of a few leaves again and again, many at a time: common parts, parts within parts, products that explode.
class Thicket {
 public:
  Thicket(Random& random, const Schema& schema, const std::vector<Value>& near) : random_(random) {
    for (int64_t count = random.between(2, random.chance(50) ? 8 : 60); count > 0; --count) {
      leaves_.push_back(random.condition(schema, near, 0));
    }
  }

  /// AND and OR alternate on the way down, now and then under a NOT.
  Expression grow(int depth, bool is_and) {
    if (depth == 0 || random_.chance(10)) {
      return leaves_[static_cast<size_t>(random_.between(0, static_cast<int64_t>(leaves_.size()) - 1))];
    }
    if (random_.chance(5)) {
      return Expression::make_call(Operator::kNot, {grow(depth, !is_and)});
    }
    std::vector<Expression> arguments;
    for (int64_t count = random_.between(1, is_and ? 3 : depth > 2 ? 6 : 12); count > 0; --count) {
      arguments.push_back(grow(depth - 1, !is_and));
    }
    return Expression::make_call(is_and ? Operator::kAnd : Operator::kOr, std::move(arguments));
  }

 private:
  Random& random_;
  std::vector<Expression> leaves_;
};

TEST(PredicateProperty, TreesAndWhatFollowsFromThemAgreeWithTheExpression) {
  Random random(3);
  uint32_t trees = 0;
  uint32_t lists = 0;
  uint32_t qualified = 0;
  uint32_t compared = 0;
  for (uint32_t round = 0; round < 12'000; ++round) {
    const Schema schema = random.schema();
    const std::vector<Value> near = random.row(schema);
    const Expression expression =
        Thicket(random, schema, near).grow(static_cast<int>(random.between(1, 4)), random.chance(30));
    const Result<Condition> condition = to_condition(schema, expression);
    if (!condition) {
      ASSERT_TRUE(is_expected_refusal(condition.error())) << condition.error().message;
      continue;
    }
    const Predicate predicate = normal_form(*condition);
    ASSERT_LE(predicate.clauses.size(), kClausesMax);
    trees += predicate.has_tree() ? 1 : 0;
    lists += predicate.has_tree() && !predicate.clauses.empty() ? 1 : 0;
    const Predicate of_simple = normal_form(simplified(*condition));
    for (int i = 0; i < 6; ++i, ++compared) {
      const std::vector<Value> row = i == 0 ? near : random.row(schema);
      const bool expected = evaluate(schema, expression, row);
      qualified += expected ? 1 : 0;
      ASSERT_EQ(evaluate(schema, predicate, row), expected)
          << testing::describe(expression) << " on " << testing::describe(schema, row);
      ASSERT_EQ(evaluate(schema, of_simple, row), expected)
          << testing::describe(expression) << " on " << testing::describe(schema, row);
    }
  }
  EXPECT_GT(trees, 300u);
  EXPECT_GT(lists, 100u);
  EXPECT_GT(qualified, compared / 10);
  EXPECT_LT(qualified, compared * 9 / 10);
}

/// A condition that is plainly simple is not numbered part by part; with its first part said twice it is.
TEST(PredicateProperty, BringsSimplePredicatesIntoTheFormOfTheGeneralWay) {
  Random random(4);
  uint32_t compared = 0;
  for (uint32_t round = 0; round < 20'000; ++round) {
    const Schema schema = random.schema();
    const std::vector<Value> near = random.row(schema);
    std::vector<Expression> leaves;
    for (int64_t count = random.between(1, 6); count > 0; --count) {
      leaves.push_back(random.condition(schema, near, random.chance(5) ? 1 : 0));
    }
    const Result<Condition> once = to_condition(schema, Expression::make_call(Operator::kAnd, leaves));
    leaves.push_back(leaves[0]);
    const Result<Condition> twice = to_condition(schema, Expression::make_call(Operator::kAnd, leaves));
    if (!once || !twice || *once != *once) {
      continue;  // Refused, or with NaN, which is not equal to itself.
    }
    ASSERT_EQ(simplified(*once), simplified(*twice));
    ASSERT_EQ(normal_form(*once), normal_form(*twice));
    compared += once->kind == Condition::Kind::kAnd ? 1 : 0;
  }
  EXPECT_GT(compared, 5'000u);
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

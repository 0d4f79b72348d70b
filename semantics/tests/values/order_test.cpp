#include "daedalus/semantics/order.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Compare, NaNIsOneValueAboveAllOthers) {
  EXPECT_TRUE(compare(kNaN, kInfinity) > 0);
  EXPECT_TRUE(compare(kNaN, -kNaN) == 0);
  EXPECT_TRUE(compare(-kInfinity, kNaN) < 0);
  EXPECT_TRUE(compare(0.0, -0.0) == 0);
}

TEST(Compare, DecimalsByValueWhateverTheScale) {
  EXPECT_TRUE(compare(Decimal{10, 1}, Decimal{100, 2}) == 0);
  EXPECT_TRUE(compare(Decimal{-10, 1}, Decimal{1, 1000}) < 0);
  EXPECT_TRUE(compare(Decimal{0, 5}, Decimal{0, 0}) == 0);
  EXPECT_TRUE(compare(Decimal{11, 1}, Decimal{1, 0}) > 0);
}

TEST(Compare, StringsAsUnsignedBytes) {
  EXPECT_TRUE(compare(std::string("a"), std::string("\xc3\xa9")) < 0);
  EXPECT_TRUE(compare(std::string("B"), std::string("a")) < 0);
  EXPECT_TRUE(compare(std::string("a"), std::string("a\x01")) < 0);
  EXPECT_TRUE(compare(std::string(""), std::string("")) == 0);
}

TEST(CompareOrdered, PutsNullsWhereTheyBelong) {
  const Value null;
  const Value one = int64_t{1};
  EXPECT_TRUE(compare_ordered(null, one, {false, false}) > 0);
  EXPECT_TRUE(compare_ordered(null, one, {true, false}) > 0);
  EXPECT_TRUE(compare_ordered(null, one, {false, true}) < 0);
  EXPECT_TRUE(compare_ordered(null, one, {true, true}) < 0);
  EXPECT_TRUE(compare_ordered(null, null, {true, true}) == 0);
  EXPECT_TRUE(compare_ordered(one, int64_t{2}, {true, true}) > 0);
}

TEST(Compare, IsATotalOrder) {
  Random random(31);
  for (int i = 0; i < 20'000; ++i) {
    const Type type = random.type();
    const Value a = random.value(type);
    const Value b = random.value(type);
    const Value c = random.value(type);
    ASSERT_TRUE(compare(a, a) == 0);
    ASSERT_TRUE((compare(a, b) < 0) == (compare(b, a) > 0));
    if (compare(a, b) <= 0 && compare(b, c) <= 0) {
      ASSERT_TRUE(compare(a, c) <= 0);
    }
  }
}

}  // namespace
}  // namespace daedalus::semantics

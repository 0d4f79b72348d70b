#include <gtest/gtest.h>

#include "daedalus/base/check.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"

namespace daedalus {
namespace {

TEST(UnitsTest, TimeSaturatesInsteadOfWrapping) {
  EXPECT_EQ(after(Instant{5}, 7), Instant{12});
  EXPECT_EQ(after(kNever, 1), kNever);
  EXPECT_EQ(after(Instant{INT64_MAX - 3}, kSecond), kNever);
}

TEST(UnitsTest, TimestampsAreDense) { EXPECT_EQ(raw(next(Timestamp{41})), 42U); }

TEST(CheckDeathTest, FailedCheckNamesExpressionAndPlace) {
  EXPECT_DEATH(CHECK(1 + 1 == 3), "base_test.cpp:[0-9]+: CHECK failed: 1 \\+ 1 == 3");
}

TEST(ResultTest, CarriesTheErrorThatTheUserWillSee) {
  const Result<int> result = rejected("22003", "value out of range", "use bigint");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sqlstate, "22003");
  EXPECT_EQ(result.error().hint, "use bigint");
}

TEST(ResultDeathTest, AskingAFailureForItsValueIsABug) {
  const Result<int> result = rejected("22003", "value out of range");
  EXPECT_DEATH(std::ignore = result.value(), "value out of range");
}

}  // namespace
}  // namespace daedalus

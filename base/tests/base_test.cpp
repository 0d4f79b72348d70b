#include <gtest/gtest.h>

#include "daedalus/base/byte_budget.hpp"
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

TEST(ByteBudgetTest, TakesUpToItsBoundAndKeepsTheLastEighthForSmallHolders) {
  const auto budget = std::make_shared<ByteBudget>(1u << 20);
  ByteLease large(budget);
  ASSERT_TRUE(large.resize(7u << 17));
  EXPECT_FALSE(large.resize((7u << 17) + 1));
  EXPECT_EQ(large.bytes(), 7u << 17);
  ByteLease small(budget);
  EXPECT_TRUE(small.resize(ByteBudget::kSmallHolding));
  ByteLease another(budget);
  EXPECT_TRUE(another.resize(ByteBudget::kSmallHolding));
  EXPECT_FALSE(ByteLease(budget).resize(1));
  small.release();
  EXPECT_TRUE(ByteLease(budget).resize(1));
  EXPECT_EQ(budget->taken(), (7u << 17) + ByteBudget::kSmallHolding);
}

TEST(ByteBudgetTest, LetsTheOldestLargeHolderFinish) {
  constexpr uint64_t kStep = 128u << 10;
  const auto budget = std::make_shared<ByteBudget>(64 * kStep);
  std::vector<ByteLease> leases;
  for (const ByteBudget::Holder holder : {7, 3, 5}) {
    leases.emplace_back(budget, holder);
  }
  // All grow side by side until half is taken; then only the oldest, which was not the first to come.
  bool is_refused = false;
  while (!is_refused) {
    for (ByteLease& lease : leases) {
      is_refused = !lease.resize(lease.bytes() + kStep) || is_refused;
    }
  }
  EXPECT_GE(budget->taken(), 32 * kStep);
  EXPECT_FALSE(leases[0].resize(leases[0].bytes() + kStep));
  EXPECT_FALSE(leases[2].resize(leases[2].bytes() + kStep));
  EXPECT_TRUE(leases[1].resize(leases[1].bytes() + 56 * kStep - budget->taken()));
  EXPECT_FALSE(leases[1].resize(leases[1].bytes() + kStep));
  budget->leave(7);  // It never was the oldest.
  leases[1].release();
  leases[0].release();
  EXPECT_TRUE(leases[2].resize(32 * kStep));
  EXPECT_FALSE(leases[2].resize(33 * kStep)) << "the oldest has not left";
  budget->leave(3);
  EXPECT_TRUE(leases[2].resize(56 * kStep));
}

TEST(ByteBudgetTest, CountsWhatItCannotRefuseAndTakesAllBack) {
  const auto budget = std::make_shared<ByteBudget>(100);
  {
    ByteLease anyway(budget);
    anyway.resize_anyway(150);
    EXPECT_FALSE(ByteLease(budget).resize(1));
    ByteLease moved(budget);
    moved.absorb(std::move(anyway));
    EXPECT_EQ(moved.bytes(), 150u);
    moved.resize_anyway(20);
    EXPECT_TRUE(ByteLease(budget).resize(60));
  }
  EXPECT_EQ(budget->taken(), 0u);
}

TEST(ByteBudgetTest, KnowsWhetherWhoeverIsRefusedIsTooLargeAlone) {
  constexpr uint64_t kStep = 128u << 10;
  const auto budget = std::make_shared<ByteBudget>(64 * kStep);
  {
    ByteLease one(budget, 1);
    ASSERT_TRUE(one.resize(20 * kStep));
    ByteLease other(budget, 2);
    ASSERT_TRUE(other.resize(10 * kStep));
    EXPECT_FALSE(budget->is_too_large_alone(1, 36 * kStep)) << "what the other holds is not counted";
    EXPECT_TRUE(budget->is_too_large_alone(1, 36 * kStep + 1));
    EXPECT_FALSE(budget->is_too_large_alone(2, 46 * kStep));
    // The budget adds up what a holder has in several places, and counts once what goes from hand to hand.
    ByteLease more(budget, 1);
    ASSERT_TRUE(more.resize(6 * kStep));
    EXPECT_TRUE(budget->is_too_large_alone(1, 30 * kStep + 1));
    more.absorb(std::move(other));
    EXPECT_TRUE(budget->is_too_large_alone(1, 20 * kStep + 1));
    EXPECT_FALSE(budget->is_too_large_alone(1, 20 * kStep));
    EXPECT_FALSE(budget->is_too_large_alone(2, 56 * kStep));
    {
      // Whoever has the same place as an older one is not counted, and takes nothing away from it.
      ByteLease later(budget, 1 + 4096);
      ASSERT_TRUE(later.resize(ByteBudget::kSmallHolding));
      EXPECT_FALSE(budget->is_too_large_alone(1 + 4096, 56 * kStep));
    }
    EXPECT_TRUE(budget->is_too_large_alone(1, 20 * kStep + 1));
    // Bytes that were taken ahead would lie there for nobody but the holder.
    const uint32_t taker = budget->register_taker();
    budget->note_idle(taker, static_cast<int64_t>(kStep));
    EXPECT_TRUE(budget->is_too_large_alone(1, 20 * kStep));
    budget->note_idle(taker, -static_cast<int64_t>(kStep));
  }
  EXPECT_FALSE(budget->is_too_large_alone(1, 56 * kStep));
  EXPECT_TRUE(budget->is_too_large_alone(1, 56 * kStep + 1));
  EXPECT_FALSE(ByteBudget(1'000).is_too_large_alone(1, 1'000)) << "whoever holds little has the last eighth, too";
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

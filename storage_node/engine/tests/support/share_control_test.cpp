// How the share of a cycle follows the time that cycles take.
#include "share_control.hpp"

#include <gtest/gtest.h>

namespace daedalus::engine {
namespace {

constexpr uint64_t kTarget = 1'000;

TEST(ShareControlTest, WithoutATargetTheShareIsWhatIsConfigured) {
  ShareControl control(1'000, 0);
  control.on_cycle(1'000, UINT64_MAX);
  EXPECT_EQ(control.share(), 1'000u);
  EXPECT_FALSE(control.is_late(UINT64_MAX));
}

TEST(ShareControlTest, ALateCycleShrinksTheNextInProportion) {
  ShareControl control(1'000, kTarget);
  EXPECT_FALSE(control.is_late(kTarget));
  EXPECT_TRUE(control.is_late(kTarget + 1));
  control.on_cycle(1'000, 2 * kTarget);
  EXPECT_EQ(control.share(), 450u);  // A tenth less, so that the next is not late by a hair.
}

TEST(ShareControlTest, ACycleThatWasNotFullNeitherGrowsItNorShrinksItBeyondReason) {
  ShareControl control(1'000, kTarget);
  control.on_cycle(10, 100 * kTarget);
  EXPECT_EQ(control.share(), ShareControl::kShareMin);
  control.on_cycle(10, 1);
  EXPECT_EQ(control.share(), ShareControl::kShareMin);
  ShareControl narrow(8, kTarget);
  narrow.on_cycle(8, 100 * kTarget);
  EXPECT_EQ(narrow.share(), 8u);
}

/// A machine on which each query costs a little and everything costs something: the share settles where cycles are in
/// time, whatever the cost is, and stays there.
TEST(ShareControlTest, SettlesWhereCyclesAreInTime) {
  for (const uint64_t cost_per_query : {1u, 3u, 7u}) {
    ShareControl control(4'096, kTarget);
    uint64_t late = 0;
    for (int cycle = 0; cycle < 1'000; ++cycle) {
      const uint64_t duration = 100 + cost_per_query * control.share();
      late += control.is_late(duration) ? 1 : 0;
      EXPECT_LE(cycle < 20 ? 0 : duration, kTarget);
      control.on_cycle(control.share(), duration);
    }
    EXPECT_GT(control.share(), (kTarget - 100) / cost_per_query * 3 / 4);
    EXPECT_LT(late, 10u);
  }
}

}  // namespace
}  // namespace daedalus::engine

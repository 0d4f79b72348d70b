// A whole cluster of a later build, in which one storage node has not been replaced yet: it is asked for nothing that
// it does not know, whoever asks is told so, and all else is answered as if every node were alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulated_cluster.hpp"

namespace daedalus::testing {
namespace {

TEST(OlderNodeTest, IsAskedForNothingThatItLacksAndForAllElse) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const RunReport report = SimulatedCluster({.seed = seed, .has_faults = false, .has_older_node = true}).run();
    EXPECT_THAT(report.violations, ::testing::IsEmpty());
    EXPECT_GT(report.queries_too_new, 0U);
    EXPECT_EQ(report.queries_failed, 0U);
    EXPECT_EQ(report.queries_complete + report.queries_too_new, 82U + report.moments.behind);
    EXPECT_EQ(report.updates_confirmed, 120U);
  }
}

TEST(OlderNodeTest, DelaysLossesAndCutsChangeNothingInThat) {
  uint32_t too_new = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const RunReport report = SimulatedCluster({.seed = seed, .has_older_node = true}).run();
    EXPECT_THAT(report.violations, ::testing::IsEmpty()) << "seed " << seed;
    too_new += report.queries_too_new;
  }
  EXPECT_GT(too_new, 0U);
}

}  // namespace
}  // namespace daedalus::testing

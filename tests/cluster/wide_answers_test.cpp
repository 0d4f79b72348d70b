// A whole cluster is asked for rows that no answer may have, beside everything else that is asked of it: each such
// query is refused, wherever its rows are, and whether there are any; all others are answered as if it had not been.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulated_cluster.hpp"

namespace daedalus::testing {
namespace {

TEST(WideAnswersTest, RowsThatCouldBeTooLargeAreRefusedAndNothingElseIs) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const RunReport report =
        SimulatedCluster({.seed = seed, .has_faults = false, .shape = TableShape::kWide, .too_wide_queries = 20}).run();
    EXPECT_THAT(report.violations, ::testing::IsEmpty());
    EXPECT_EQ(report.queries_too_wide, 20U);
    EXPECT_EQ(report.queries_failed, report.moments.out_of_reach);
    EXPECT_EQ(report.queries_complete + report.queries_failed, 82U + report.moments.behind);
  }
}

}  // namespace
}  // namespace daedalus::testing

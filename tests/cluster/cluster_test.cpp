// The writer, two aggregators and three storage nodes under delays, losses and cuts: invariants 1 (order), 2
// (idempotence), 4 (completeness), 5 (prefixes) and 8 (aggregators forget nothing that matters), one run per seed.
//
// DAEDALUS_SIMULATOR_SEEDS says how many seeds, DAEDALUS_SEED where they start.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "simulated_cluster.hpp"

namespace daedalus::testing {
namespace {

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void expect_clean(const RunReport& report, uint64_t seed) {
  for (const std::string& violation : report.violations) {
    ADD_FAILURE() << "DAEDALUS_SEED=" << seed << " DAEDALUS_SIMULATOR_SEEDS=1: " << violation;
  }
}

TEST(ClusterTest, EveryQueryIsAnsweredWhenNothingFails) {
  const RunReport report = SimulatedCluster({.seed = 3, .has_faults = false}).run();
  expect_clean(report, 3);
  EXPECT_EQ(report.updates_confirmed, 120U);
  EXPECT_EQ(report.queries_complete, 82U);  // With the two reads of the whole table in the end.
  EXPECT_EQ(report.queries_failed, 0U);
}

TEST(ClusterTest, OneSeedGivesOneRun) {
  const RunReport first = SimulatedCluster({.seed = 11}).run();
  const RunReport second = SimulatedCluster({.seed = 11}).run();
  EXPECT_EQ(first.event_hash, second.event_hash);
  EXPECT_EQ(first.transcript, second.transcript);
  EXPECT_NE(first.event_hash, SimulatedCluster({.seed = 12}).run().event_hash);
}

TEST(ClusterTest, InvariantsHoldUnderDelaysLossesAndCuts) {
  const uint64_t first = number_from("DAEDALUS_SEED", 1);
  const uint64_t count = number_from("DAEDALUS_SIMULATOR_SEEDS", 200);
  uint64_t confirmed = 0;
  uint64_t complete = 0;
  uint64_t failed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const RunReport report = SimulatedCluster({.seed = seed, .shape = shape_of(seed)}).run();
    expect_clean(report, seed);
    confirmed += report.updates_confirmed;
    complete += report.queries_complete;
    failed += report.queries_failed;
  }
  std::printf("%lu seeds from %lu: %lu updates confirmed, %lu queries complete, %lu failed cleanly\n", count, first,
              confirmed, complete, failed);
  EXPECT_GT(complete, failed);  // Otherwise the faults drown what is to be tested.
  EXPECT_GT(failed, 0U) << "no fault has reached a query";
}

}  // namespace
}  // namespace daedalus::testing

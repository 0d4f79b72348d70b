// Whole clusters of random shape under delays, losses and cuts, with nodes that are lost, writers that take over and
// processes of yesterday: invariants 1 (order), 2 (idempotence), 3 (confirmation), 4 (completeness), 5 (prefixes) and 8
// (aggregators forget nothing that matters), one run per seed.
//
// DAEDALUS_SIMULATOR_SEEDS says how many seeds, DAEDALUS_SEED where they start.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
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
  if (!report.violations.empty()) {
    std::string told = fmt::format("the last events of seed {}; all of them: make sim SEED={}\n", seed, seed);
    for (const std::string& line : report.last_events) {
      told += line + "\n";
    }
    std::fputs(told.c_str(), stderr);
  }
}

TEST(ClusterTest, EveryQueryIsAnsweredWhenNothingFails) {
  const RunReport report = SimulatedCluster({.seed = 3, .has_faults = false}).run();
  expect_clean(report, 3);
  EXPECT_EQ(report.updates_confirmed, 120U);
  // With the two reads of the whole table in the end.
  EXPECT_EQ(report.queries_complete + report.queries_failed, 82U + report.moments.behind);
  EXPECT_EQ(report.queries_failed, report.moments.out_of_reach);
}

TEST(ClusterTest, ClientsOfPostgresAreServedWhenNothingFails) {
  const RunReport report =
      SimulatedCluster({.seed = 4, .session_reads = 150, .session_writes = 100, .has_faults = false}).run();
  expect_clean(report, 4);
  const SessionCounts& counts = report.sessions;
  EXPECT_EQ(counts.logins, 3U);
  EXPECT_EQ(counts.connections_lost + counts.unknown, 0U);  // Others fail for what is said wrongly on purpose.
  EXPECT_GT(counts.pipelined, 100U);
  EXPECT_GT(counts.changes, 0U);
  EXPECT_GT(counts.groups, 0U);
  EXPECT_GT(counts.mixed, 0U);
  EXPECT_GT(counts.blocks, 0U);
}

TEST(ClusterTest, OneSeedGivesOneRun) {
  const RunOptions options{.seed = 11, .session_reads = 20, .session_writes = 20, .keeps_transcript = true};
  const RunReport first = SimulatedCluster(options).run();
  const RunReport second = SimulatedCluster(options).run();
  EXPECT_EQ(first.event_hash, second.event_hash);
  EXPECT_EQ(first.transcript, second.transcript);
  EXPECT_NE(first.event_hash, SimulatedCluster({.seed = 12}).run().event_hash);
}

/// Power is lost before updates that answers have shown are synced, and a second writer begins without the journal.
TEST(ClusterTest, AnswersThatShowedWhatWasLostAreEachOfOneHistory) {
  uint32_t taken_over = 0;  // A seed's story is not the same in every build.
  for (const uint64_t seed : {401573, 503151}) {
    const RunReport report = SimulatedCluster(options_of(seed)).run();
    expect_clean(report, seed);
    taken_over += report.is_taken_over ? 1 : 0;
  }
  EXPECT_GT(taken_over, 0U);
}

TEST(ClusterTest, InvariantsHoldUnderDelaysLossesAndCuts) {
  const uint64_t first = number_from("DAEDALUS_SEED", 1);
  const uint64_t count = number_from("DAEDALUS_SIMULATOR_SEEDS", 200);
  RunReport sum;
  uint64_t taken_over = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const RunReport report = SimulatedCluster(options_of(seed)).run();
    expect_clean(report, seed);
    sum.updates_confirmed += report.updates_confirmed;
    sum.updates_unknown += report.updates_unknown;
    sum.updates_before += report.updates_before;
    sum.updates_after += report.updates_after;
    sum.queries_complete += report.queries_complete;
    sum.queries_failed += report.queries_failed;
    sum.queries_aborted += report.queries_aborted;
    taken_over += report.is_taken_over ? 1 : 0;
    sum.faults.add(report.faults);
    sum.sessions.add(report.sessions);
    sum.moments.add(report.moments);
  }
  std::printf(
      "%lu seeds from %lu: %u updates confirmed, %u unknown, %u queries complete, %u failed cleanly, %u aborted, "
      "%lu writers taken over from\n",
      count, first, sum.updates_confirmed, sum.updates_unknown, sum.queries_complete, sum.queries_failed,
      sum.queries_aborted, taken_over);
  if (count >= 100) {
    EXPECT_GT(3 * sum.queries_complete, 2 * sum.queries_failed);  // Otherwise the faults drown what is to be tested.
    EXPECT_GT(sum.queries_failed, 0U) << "no fault has reached a query";
    EXPECT_GT(sum.updates_unknown, 0U) << "no submission has lost its answer";
    EXPECT_GT(sum.updates_before, 0U) << "no clock said less than what an update with now() named";
    EXPECT_GT(sum.updates_after, 0U) << "no clock said more than what an update with now() named";
    EXPECT_GT(sum.queries_aborted, 0U) << "no query was under way when it was aborted";
    EXPECT_GT(taken_over, 0U) << "every second writer had to stop";
  }
  if (count >= 200) {
    std::printf("what has befallen them:\n%s%s%s", sum.faults.text().c_str(), sum.sessions.text().c_str(),
                sum.moments.text().c_str());
    for (const std::string& name : sum.faults.never()) {
      ADD_FAILURE() << "never in these seeds: " << name;
    }
    for (const std::string& name : sum.sessions.never()) {
      ADD_FAILURE() << "never in these seeds: " << name;
    }
    for (const std::string& name : sum.moments.never()) {
      ADD_FAILURE() << "never in these seeds: " << name;
    }
  }
}

}  // namespace
}  // namespace daedalus::testing

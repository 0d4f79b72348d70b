// Power is lost between any two things that are done to the disk: there is a checkpoint, and it is whole.
#include <gtest/gtest.h>

#include "checkpointed_node.hpp"

namespace daedalus::durability::test {
namespace {

/// Holds what checkpoints are to hold, by their numbers.
using Expected = std::map<uint64_t, std::vector<std::string>>;

struct Outcome {
  Expected expected;
  uint64_t committed = 0;
  uint64_t changes = 0;
};

/// Three rounds on an empty disk, until it goes down.
Outcome rounds_on(SimulatedDisk& disk, uint64_t seed, std::optional<uint64_t> crash_after) {
  Random random(seed);
  Outcome outcome;
  if (crash_after.has_value()) {
    disk.crash_after(*crash_after);
  }
  CheckpointedNode node(disk, random);
  if (!node.writer().open({})) {
    return outcome;
  }
  node.fill();
  for (uint64_t round = 1; round <= 3 && !disk.is_down(); ++round) {
    node.random_updates(4);
    node.settle();
    outcome.expected[round] = node.rows();
    if (node.round()) {
      outcome.committed = round;
    }
  }
  outcome.changes = disk.changes();
  return outcome;
}

TEST(CheckpointCrashTest, LeavesAWholeCheckpointAfterEachStep) {
  const uint64_t seed = engine::test::test_seed();
  Random random(seed);
  const auto below_bound = [&](uint64_t bound) { return bound == 0 ? 0 : random() % bound; };
  SimulatedDisk whole(below_bound);
  const Outcome all = rounds_on(whole, seed, {});
  ASSERT_EQ(all.committed, 3u);
  uint64_t fallen_back = 0;
  for (uint64_t changes = 1; changes < all.changes; ++changes) {
    SimulatedDisk disk(below_bound);
    const Outcome before = rounds_on(disk, seed, changes);
    EXPECT_TRUE(disk.is_down());
    disk.restart();
    const auto reader = CheckpointReader::open(disk);
    ASSERT_TRUE(reader) << "after " << changes << " changes: " << reader.error().message;
    if (!reader->has_value()) {
      EXPECT_EQ(before.committed, 0u);
      continue;
    }
    const uint64_t number = (*reader)->manifest().number;
    EXPECT_GE(number, before.committed);
    fallen_back += number < before.expected.size() ? 1 : 0;
    const auto rows = loaded_rows(disk);
    ASSERT_TRUE(rows) << "after " << changes << " changes: " << rows.error().message;
    EXPECT_TRUE(*rows == before.expected.at(number)) << "after " << changes << " changes";
    // And the next life goes on from there.
    CheckpointedNode node(disk, random);
    ASSERT_TRUE(node.writer().open(number));
    EXPECT_EQ(node.writer().status().number, number);
  }
  EXPECT_GT(fallen_back, 0u);
}

}  // namespace
}  // namespace daedalus::durability::test

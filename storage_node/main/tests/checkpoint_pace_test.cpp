#include "checkpoint_pace.hpp"

#include <gtest/gtest.h>

#include "daedalus/base/units.hpp"

namespace daedalus::node {
namespace {

using std::chrono::milliseconds;

TEST(CheckpointPaceTest, ARoundTakesATenthOfACore) {
  CheckpointPace pace(256 * kMib);
  pace.begin(300 * kMib);
  EXPECT_EQ(pace.rest_after(milliseconds(10), 300 * kMib), milliseconds(90));
  EXPECT_EQ(pace.rest_after(milliseconds(0), 300 * kMib), milliseconds(0));
  EXPECT_EQ(pace.rest_after(milliseconds(500), 300 * kMib), CheckpointPace::kPauseMax);
}

TEST(CheckpointPaceTest, ALogThatHasGrownAsMuchAgainHurriesIt) {
  CheckpointPace pace(256 * kMib);
  pace.begin(300 * kMib);
  EXPECT_EQ(pace.rest_after(milliseconds(10), 556 * kMib), milliseconds(90));
  EXPECT_EQ(pace.rest_after(milliseconds(10), 556 * kMib + 1), milliseconds(0));
  pace.begin(600 * kMib);
  EXPECT_EQ(pace.rest_after(milliseconds(10), 700 * kMib), milliseconds(90)) << "the next round begins anew";
}

TEST(CheckpointPaceTest, FrequentCheckpointsAreNoReasonToHurry) {
  CheckpointPace pace(1 * kMib);
  pace.begin(0);
  EXPECT_EQ(pace.rest_after(milliseconds(10), CheckpointPace::kGrowthMin), milliseconds(90));
  EXPECT_EQ(pace.rest_after(milliseconds(10), CheckpointPace::kGrowthMin + 1), milliseconds(0));
}

}  // namespace
}  // namespace daedalus::node

#include "node_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daedalus/base/units.hpp"

namespace daedalus::node {
namespace {

using testing::HasSubstr;

constexpr uint64_t kGib = uint64_t{1} << 30;

SegmentsDemand segments(uint32_t count, uint64_t each_bytes, uint64_t window_bytes = 0) {
  return {.count = count,
          .shape = {.chunk_rows = 64, .chunk_count = 1, .memory_bytes = each_bytes},
          .window_bytes = window_bytes};
}

TEST(NodeMemoryTest, ASixteenthOfTheHostStaysFreeAndAQuarterOfAGibAtLeast) {
  EXPECT_EQ(memory_beside_segments(32 * kGib), 2 * kGib);
  EXPECT_EQ(memory_beside_segments(2 * kGib), 256 * kMib);
  EXPECT_EQ(memory_beside_segments(100 * kMib), 100 * kMib);
}

TEST(NodeMemoryTest, SegmentsThatNeverFitAreRefusedWithWhatDoes) {
  const MachineMemory host{.total_bytes = 32 * kGib, .available_bytes = kGib};
  EXPECT_TRUE(check_total(segments(3, 10 * kGib), host)) << "somebody else's memory may be free by then";
  const auto refused = check_total(segments(4, 20 * kGib), host);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sqlstate, "53200");
  EXPECT_EQ(refused.error().category, ErrorCategory::kRejected);
  EXPECT_THAT(refused.error().message,
              HasSubstr("4 segments take 81920 MiB of memory, 0 MiB of it for windows: 30720 MiB are left for them"));
  EXPECT_THAT(refused.error().hint, HasSubstr("segment_mib and window_mib to 7680 or less"));
  EXPECT_TRUE(check_total(segments(4, 7680 * kMib), host));
  EXPECT_FALSE(check_total(segments(4, 7681 * kMib), host));
}

TEST(NodeMemoryTest, CountsTheWindowOfEachSegment) {
  const MachineMemory host{.total_bytes = 32 * kGib, .available_bytes = 32 * kGib};
  EXPECT_TRUE(check_total(segments(4, 7680 * kMib - 64 * kMib, 64 * kMib), host));
  const auto refused = check_total(segments(4, 7680 * kMib, 64 * kMib), host);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("take 30976 MiB of memory, 256 MiB of it for windows"));
  EXPECT_FALSE(check_available(segments(1, 31 * kGib, kGib), host));
  EXPECT_TRUE(check_available(segments(1, 31 * kGib, kGib / 2), host));
}

TEST(NodeMemoryTest, SegmentsThatDoNotFitNowAreRefusedAtStart) {
  const MachineMemory host{.total_bytes = 32 * kGib, .available_bytes = 4 * kGib};
  EXPECT_TRUE(check_available(segments(1, 4 * kGib - 128 * kMib), host));
  const auto refused = check_available(segments(1, 4 * kGib), host);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sqlstate, "53200");
  EXPECT_THAT(refused.error().message, HasSubstr("4096 of 32768 MiB are available now"));
}

TEST(NodeMemoryTest, AHostThatHasNoneLeavesNone) {
  const auto refused = check_available(segments(1024, kMib), {.total_bytes = kGib, .available_bytes = 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "have fewer segments");
}

}  // namespace
}  // namespace daedalus::node

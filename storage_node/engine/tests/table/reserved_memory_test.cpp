// Memory that is bound, touched and looked at. What takes two NUMA nodes is in numa_machine_test.cpp.
#include "reserved_memory.hpp"

#include <gtest/gtest.h>
#include <numa.h>

#include <algorithm>

namespace daedalus::engine {
namespace {

constexpr uint64_t kSize = 8u << 20;

bool is_zero(const ReservedMemory& memory) {
  return std::all_of(memory.data(), memory.data() + memory.size(), [](uint8_t byte) { return byte == 0; });
}

TEST(ReservedMemoryTest, IsZeroAndRoundedUpToWholePages) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{4096}, (uint64_t{2} << 20) - 1, (uint64_t{2} << 20) + 1}) {
    const ReservedMemory memory(size);
    EXPECT_GE(memory.size(), size);
    EXPECT_EQ(memory.size() % 4096, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % (size < kSize / 4 ? 4096 : 2u << 20), 0u);
    EXPECT_TRUE(is_zero(memory));
  }
}

TEST(ReservedMemoryTest, IsVerifiedOnTheNodeOfTheCoreThatOwnsIt) {
  const auto node = numa_node_of_core(0);
  if (!node.has_value()) {
    GTEST_SKIP() << "this kernel knows no NUMA nodes";
  }
  ReservedMemory memory(kSize);
  memory.data()[12'345] = 67;  // The content stays.
  const MemoryPlacement placement = memory.settle(node);
  EXPECT_TRUE(placement.is_settled);
  EXPECT_TRUE(placement.is_verified) << placement.problem;
  EXPECT_EQ(placement.problem, "");
  EXPECT_EQ(placement.numa_node, static_cast<int32_t>(*node));
  EXPECT_EQ(placement.bytes, kSize);
  EXPECT_LE(placement.huge_page_bytes, kSize);
  EXPECT_EQ(placement.huge_page_bytes % (2u << 20), 0u);
  EXPECT_EQ(memory.data()[12'345], 67);
  memory.data()[12'345] = 0;
  EXPECT_TRUE(is_zero(memory));
}

TEST(ReservedMemoryTest, ANodeThatDoesNotExistIsAReasonAndNoFailure) {
  for (const uint32_t node : {63u, 64u, 1000u}) {
    if (numa_available() >= 0 && static_cast<int>(node) <= numa_max_node()) {
      continue;
    }
    ReservedMemory memory(kSize);
    const MemoryPlacement placement = memory.settle(node);
    EXPECT_TRUE(placement.is_settled);
    EXPECT_FALSE(placement.is_verified);
    EXPECT_EQ(placement.numa_node, -1);
    EXPECT_NE(placement.problem, "");
    EXPECT_TRUE(is_zero(memory));
  }
}

TEST(ReservedMemoryTest, WithoutACoreItIsTouchedAndBoundToNoNode) {
  ReservedMemory memory(kSize);
  const MemoryPlacement placement = memory.settle(std::nullopt);
  EXPECT_TRUE(placement.is_settled);
  EXPECT_FALSE(placement.is_verified);
  EXPECT_EQ(placement.numa_node, -1);
  EXPECT_NE(placement.problem, "");
}

}  // namespace
}  // namespace daedalus::engine

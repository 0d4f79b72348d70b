#include "daedalus/allocator/allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace daedalus {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr size_t kBlocks = 160;

uint64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) {
      return std::stoull(line.substr(6));
    }
  }
  return 0;
}

/// As a scan thread does: fills blocks that another thread frees.
std::vector<std::unique_ptr<char[]>> filled_by_a_thread() {
  std::vector<std::unique_ptr<char[]>> blocks(kBlocks);
  std::thread([&] {
    for (auto& block : blocks) {
      block.reset(new char[kBlockBytes]);
      std::memset(block.get(), 1, kBlockBytes);
    }
  }).join();
  return blocks;
}

TEST(Allocator, KeepsFreedMemoryForTheNextAllocation) {
#ifndef DAEDALUS_HAS_JEMALLOC
  GTEST_SKIP() << "another allocator";
#endif
  ASSERT_TRUE(keeps_freed_memory());
  auto blocks = filled_by_a_thread();
  const uint64_t full = resident_kib();
  blocks.clear();
  EXPECT_GT(resident_kib() + (kBlockBytes >> 10), full) << "free() has given pages back";
}

/// A block of a growing size is freed before the next one is asked for, and small ones are cut out of what was freed.
TEST(Allocator, FreedMemoryIsCutForWhateverIsAskedForNext) {
#ifndef DAEDALUS_HAS_JEMALLOC
  GTEST_SKIP() << "another allocator";
#endif
  const auto large_then_small = [](size_t round) {
    std::vector<char> large((64u << 20) + (round << 16));
    std::fill(large.begin(), large.end(), 'x');
    large = {};
    std::vector<std::unique_ptr<char[]>> small;
    for (size_t block = 0; block < 256; ++block) {
      constexpr size_t kBytes = 100'000;
      small.emplace_back(new char[kBytes]);
      std::memset(small.back().get(), 1, kBytes);
    }
  };
  size_t round = 0;
  for (; round < 20; ++round) {
    large_then_small(round);
  }
  const uint64_t before = allocator_use().resident_bytes;
  for (; round < 200; ++round) {
    large_then_small(round);
  }
  EXPECT_LT(allocator_use().resident_bytes, before + before / 20 + (32u << 20));
}

TEST(Allocator, SaysWhatIsInUse) {
#ifndef DAEDALUS_HAS_JEMALLOC
  GTEST_SKIP() << "another allocator";
#endif
  const auto before = allocator_use();
  const std::vector<char> block(10u << 20, 'x');
  const auto with_block = allocator_use();
  EXPECT_GE(with_block.allocated_bytes, before.allocated_bytes + block.size());
  EXPECT_GE(with_block.resident_bytes, with_block.allocated_bytes);
}

}  // namespace
}  // namespace daedalus

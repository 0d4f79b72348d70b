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

TEST(Allocator, WhatIsFreedStaysForTheNext) {
#ifndef DAEDALUS_HAS_JEMALLOC
  GTEST_SKIP() << "another allocator";
#endif
  keep_freed_memory();
  auto blocks = filled_by_a_thread();
  const uint64_t full = resident_kib();
  blocks.clear();
  EXPECT_GT(resident_kib() + (kBlockBytes >> 10), full) << "free() has given pages back";
}

}  // namespace
}  // namespace daedalus

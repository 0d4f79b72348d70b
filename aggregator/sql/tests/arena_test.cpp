#include "arena.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace daedalus::aggregator::sql {
namespace {

TEST(ArenaTest, GivesOutAlignedMemoryOfItsOwnToEachThatAsks) {
  for (const size_t first_block_size : {1U, 64U, 4096U}) {
    Arena arena(first_block_size);
    std::vector<std::pair<unsigned char*, size_t>> pieces;
    for (size_t i = 1; i < 300; ++i) {
      const size_t alignment = size_t{1} << (i % 5);
      auto* piece = static_cast<unsigned char*>(arena.allocate(i, alignment));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % alignment, 0U) << i;
      std::memset(piece, static_cast<int>(i % 251), i);
      pieces.emplace_back(piece, i);
    }
    for (const auto& [piece, size] : pieces) {
      for (size_t byte = 0; byte < size; ++byte) {
        ASSERT_EQ(piece[byte], size % 251) << size;  // Nobody else wrote there.
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::aggregator::sql

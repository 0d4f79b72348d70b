// These tests look where chunks lie in a segment's memory.

#include "chunk_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "test_table.hpp"

namespace daedalus::engine {
namespace {

constexpr uint32_t kChunkRows = 192;

/// Says where each part of memory that some plane or bitmap takes begins, and its bytes.
using Parts = std::map<const uint8_t*, uint64_t>;

void add(Parts& parts, const void* first, uint64_t bytes) {
  EXPECT_TRUE(parts.emplace(static_cast<const uint8_t*>(first), bytes).second) << "two begin at one place";
}

Parts parts_of(const TableLayout& layout, const ChunkStore& store, uint32_t chunk) {
  Parts parts;
  const ChunkView view = store.view(chunk);
  add(parts, view.live, kChunkRows / 8);
  add(parts, store.row_sketches(chunk), uint64_t{store.row_sketch_bytes()} * kChunkRows);
  for (uint32_t number = 0; number < layout.columns.size(); ++number) {
    const ColumnLayout& column = layout.columns[number];
    add(parts, view.planes[number], uint64_t{column.stride} * kChunkRows);
    add(parts, store.sketch(chunk, number), kChunkRows);
    if (column.tail_width() > 0) {
      add(parts, view.tails[number], uint64_t{column.tail_width()} * kChunkRows);
    }
    if (column.nullable) {
      add(parts, view.nulls[number], kChunkRows / 8);
    }
  }
  return parts;
}

class ChunkStoreTest : public testing::Test {
 protected:
  const TableLayout layout_{test::test_schema(), test::test_codec()};
  const ChunkStore store_{layout_, kChunkRows, 1u << 18};
};

TEST_F(ChunkStoreTest, NothingOverlaps) {
  ASSERT_GT(store_.chunk_count(), 2u);
  Parts all;
  for (uint32_t chunk = 0; chunk < store_.chunk_count(); ++chunk) {
    Parts parts = parts_of(layout_, store_, chunk);
    all.merge(parts);
    EXPECT_TRUE(parts.empty()) << "begins where one of another chunk does";
  }
  for (auto part = all.begin(); std::next(part) != all.end(); ++part) {
    EXPECT_LE(part->first + part->second, std::next(part)->first);
  }
}

TEST_F(ChunkStoreTest, EachPlaneFollowsTheSameOfTheChunkBefore) {
  const Parts first = parts_of(layout_, store_, 0);
  for (const auto& [begin, bytes] : parts_of(layout_, store_, 1)) {
    const auto before = std::prev(first.lower_bound(begin));
    EXPECT_EQ(before->first + before->second, begin);
    EXPECT_EQ(before->second, bytes);
  }
}

TEST_F(ChunkStoreTest, PlanesOfTheFirstChunkBeginWithACacheLine) {
  for (uint32_t column = 0; column < layout_.columns.size(); ++column) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(store_.planes(0)[column]) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(store_.nulls(0)[column]) % alignof(uint64_t), 0u);
  }
}

constexpr std::array<uint64_t, 3> kNothing = {};

TEST_F(ChunkStoreTest, ARecentChunkHasTheRowsOfItsLastFillingAlone) {
  ChunkStore store(layout_, kChunkRows, 1u << 18);
  const uint32_t recent = store.chunk_count();
  store.make_recent(recent);
  store.fill_recent(recent, std::array<uint64_t, 3>{~uint64_t{0}, 0x3f, 0}, kNothing);
  const ChunkView first = store.view(recent);
  EXPECT_EQ(first.row_count, 128u);
  EXPECT_EQ(first.number, recent);
  EXPECT_EQ(first.live[0], ~uint64_t{0});
  EXPECT_EQ(first.live[1], 0x3fu);
  store.make_recent(recent);
  store.fill_recent(recent, std::array<uint64_t, 3>{2, 0, 0}, kNothing);
  const ChunkView second = store.view(recent);
  EXPECT_EQ(second.row_count, 64u);
  EXPECT_EQ(second.live[0], 2u);
  EXPECT_EQ(second.planes[0], first.planes[0]);
  EXPECT_NE(second.contents, first.contents);
  for (uint32_t chunk = 0; chunk < store.chunk_count(); ++chunk) {
    EXPECT_NE(store.view(chunk).contents, second.contents);
  }
}

TEST_F(ChunkStoreTest, AViewOfARecentChunkReachesToRowsThatAreHeld) {
  ChunkStore store(layout_, kChunkRows, 1u << 18);
  const uint32_t recent = store.chunk_count();
  store.make_recent(recent);
  store.fill_recent(recent, std::array<uint64_t, 3>{0, 8, 0}, kNothing);
  store.fill_recent(recent, std::array<uint64_t, 3>{2, 0, 0}, std::array<uint64_t, 3>{0, 8, 0});
  const ChunkView view = store.view(recent);
  EXPECT_EQ(view.row_count, 128u);
  EXPECT_EQ(view.live[0], 2u);
  EXPECT_EQ(view.live[1], 0u);
}

TEST_F(ChunkStoreTest, RecentChunksLieApartFromEachOtherAndFromThoseOfTheTable) {
  ChunkStore store(layout_, kChunkRows, 1u << 18);
  const uint32_t slots = store.slot_count();
  Parts all;
  for (uint32_t chunk = 0; chunk < store.chunk_count() + kRecentChunksMax; ++chunk) {
    if (store.is_recent(chunk)) {
      store.make_recent(chunk);
    }
    Parts parts = parts_of(layout_, store, chunk);
    all.merge(parts);
    EXPECT_TRUE(parts.empty()) << "begins where one of another chunk does";
  }
  for (auto part = all.begin(); std::next(part) != all.end(); ++part) {
    EXPECT_LE(part->first + part->second, std::next(part)->first);
  }
  EXPECT_EQ(store.slot_count(), slots);
}

}  // namespace
}  // namespace daedalus::engine

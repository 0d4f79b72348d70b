// Tests what is refused when a checkpoint is loaded, and what is made of the rows of one that fits.
#include <gtest/gtest.h>

#include "chunk_loader.hpp"
#include "cycle_memory.hpp"
#include "daedalus/engine/segment.hpp"
#include "filled_store.hpp"
#include "kept_checkpoint.hpp"
#include "sketches.hpp"
#include "update_sweep.hpp"

namespace daedalus::engine::test {
namespace {

constexpr uint32_t kChunkRows = 64;

SegmentOptions options_for(CheckpointHook* hook) {
  return {.memory_bytes = 60'000, .chunk_rows = kChunkRows, .checkpoint_hook = hook};
}

/// A checkpoint of a segment with some rows, and one to be restored.
class RestoreErrorsTest : public testing::Test {
 protected:
  RestoreErrorsTest() {
    Segment segment(test_schema(), test_codec(), options_for(&store_));
    EXPECT_TRUE(segment.enqueue(Update{Timestamp{5}, {insert_rows(test_schema(), rows_of(100))}}));
    EXPECT_TRUE(segment.begin_checkpoint());
    while (segment.step({0})) {
    }
    checkpoint_ = store_.last();
  }

  [[nodiscard]] ChunkImage chunk(size_t number) const { return checkpoint_->chunks.at(number).image(); }
  [[nodiscard]] AllocatorImage allocator() const { return checkpoint_->allocator->image(); }

  /// The message of an error, which has to be XX001.
  static std::string message_of(const Result<void>& result) {
    if (result) {
      return "";
    }
    EXPECT_EQ(result.error().sqlstate, "XX001");
    EXPECT_NE(result.error().hint, "");
    return result.error().message;
  }
  std::string fault_of(const ChunkImage& image) { return message_of(segment_.load_chunk(image)); }

  Random random_{1};
  CheckpointStore store_{random_, 0};
  std::shared_ptr<const KeptCheckpoint> checkpoint_;
  Segment segment_{test_schema(), test_codec(), options_for(nullptr)};
};

TEST_F(RestoreErrorsTest, AChunkOfAnotherShapeIsRefused) {
  ChunkImage image = chunk(0);
  image.chunk_count += 1;
  EXPECT_NE(fault_of(image).find("chunks beside it"), std::string::npos);
  image = chunk(0);
  image.chunk = image.chunk_count;
  EXPECT_NE(fault_of(image).find("beyond the last"), std::string::npos);
  image = chunk(0);
  image.row_count = 128;
  EXPECT_EQ(fault_of(image), "chunk 0 of the checkpoint has 128 rows, the segment has 64");
  image = chunk(0);
  image.widths = image.widths.first(3);
  EXPECT_NE(fault_of(image).find("has 3 columns"), std::string::npos);
  image = chunk(0);
  std::vector<uint32_t> widths(image.widths.begin(), image.widths.end());
  widths[kText] += 1;
  image.widths = widths;
  EXPECT_NE(fault_of(image).find("column \"" + test_schema().columns[kText].name + "\""), std::string::npos);
  image = chunk(0);
  image.live = {};
  EXPECT_NE(fault_of(image).find("words of live rows"), std::string::npos);
  EXPECT_EQ(fault_of(chunk(0)), "");
  EXPECT_NE(fault_of(chunk(0)).find("there twice"), std::string::npos);
}

TEST_F(RestoreErrorsTest, AChunkThatDoesNotAgreeWithItselfIsRefused) {
  ChunkImage image = chunk(1);
  image.live_count -= 1;
  EXPECT_NE(fault_of(image).find("marks 36 rows as live and says that there are 35"), std::string::npos);
  image = chunk(1);
  image.changed = Timestamp{raw(image.prefix) + 1};
  EXPECT_NE(fault_of(image).find("was changed by update 6"), std::string::npos);
  image = chunk(1);
  const std::vector<uint64_t> all_null(1, ~uint64_t{0});
  std::vector<const uint64_t*> nulls(image.nulls.begin(), image.nulls.end());
  nulls[kKey] = all_null.data();
  image.nulls = nulls;
  EXPECT_NE(fault_of(image).find("holds a NULL in column"), std::string::npos);
}

TEST_F(RestoreErrorsTest, AListOfFreeSlotsThatNoAllocatorCanHaveIsRefused) {
  AllocatorImage image = allocator();
  image.slot_count += 64;
  EXPECT_NE(message_of(segment_.load_allocator(image)).find("slots"), std::string::npos);
  image = allocator();
  image.cooling[1].slots = image.free;
  image.cooling[1].generation = 1;
  EXPECT_NE(message_of(segment_.load_allocator(image)).find("twice"), std::string::npos);
  image = allocator();
  std::vector<uint64_t> cooling(image.free.size(), 0);
  cooling[0] = 1;
  image.cooling[1] = {2, cooling};
  EXPECT_NE(message_of(segment_.load_allocator(image)).find("generation 2 in place 1"), std::string::npos);
}

TEST_F(RestoreErrorsTest, NamesTheMissingFile) {
  EXPECT_EQ(message_of(segment_.finish_restore()).find("the checkpoint lacks chunk 0"), 0u);
  for (size_t number = 0; number < checkpoint_->chunks.size(); ++number) {
    ASSERT_EQ(fault_of(chunk(number)), "");
  }
  EXPECT_EQ(message_of(segment_.finish_restore()), "the checkpoint lacks the list of free slots");
  AllocatorImage early = allocator();
  early.prefix = Timestamp{4};
  ASSERT_TRUE(segment_.load_allocator(early).has_value());
  EXPECT_NE(message_of(segment_.finish_restore()).find("has update 5, its list of free slots ends at 4"),
            std::string::npos);
  ASSERT_TRUE(segment_.load_allocator(allocator()).has_value());
  EXPECT_TRUE(segment_.finish_restore().has_value());
  EXPECT_EQ(segment_.statistics().rows, 100u);
  EXPECT_EQ(segment_.statistics().prefix, Timestamp{5});
}

TEST(RestoredSketchesTest, AreMadeForRowsThatWereLoaded) {
  Random random(3);
  const FilledStore filled(random, 128, 4, 90);
  ChunkStore store(filled.layout, {128, 4});
  Sketches sketches(filled.layout, store, 1024);
  CycleMemory memory;
  UpdateSweep updates(filled.layout, store, sketches, memory, AccessPaths::kByCost, 0);
  for (uint32_t chunk = 0; chunk < store.chunk_count(); ++chunk) {
    const ChunkView view = filled.store.view(chunk);
    std::vector<uint32_t> widths;
    for (const ColumnLayout& column : filled.layout.columns) {
      widths.push_back(column.width);
    }
    ChunkLoader loader(filled.layout, store);
    ASSERT_TRUE(loader
                    .load({.chunk = chunk,
                           .chunk_count = 4,
                           .row_count = 128,
                           .live_count = filled.store.live_rows(chunk),
                           .widths = widths,
                           .planes = {view.planes, filled.layout.plane_count()},
                           .nulls = {view.nulls, widths.size()},
                           .live = {view.live, view.word_count()}})
                    .has_value());
    updates.on_load(chunk);
  }
  for (size_t cycle = 0; cycle < filled.layout.columns.size(); ++cycle) {
    sketches.begin_cycle();
  }
  for (uint32_t column = 0; column < filled.layout.columns.size(); ++column) {
    EXPECT_NE(sketches.bytes(2, column), nullptr) << column;
  }
  EXPECT_GT(sketches.histogram(kKey).last_bucket(), 0u);
}

}  // namespace
}  // namespace daedalus::engine::test

// Rounds of checkpoints and what is loaded from them.
#include <gtest/gtest.h>

#include <thread>

#include "checkpointed_node.hpp"
#include "daedalus/engine/segment_thread.hpp"

namespace daedalus::durability::test {
namespace {

class CheckpointFilesTest : public testing::Test {
 protected:
  uint64_t seed_ = engine::test::test_seed();
  Random random_{seed_};
  SimulatedDisk disk_{[this](uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }};
};

TEST_F(CheckpointFilesTest, RestoresTheRowsByLoadingAndReplaying) {
  for (uint32_t round = 0; round < 5; ++round) {
    disk_.put_back({});
    CheckpointedNode node(disk_, random_, 1 + round % 4);
    ASSERT_TRUE(node.writer().open({}));
    node.fill();
    for (uint32_t number = 0; number < 3; ++number) {
      node.random_updates(below(random_, 10));
      node.settle();
      ASSERT_TRUE(node.round(20));
    }
    node.random_updates(10);
    node.settle();

    const auto reader = CheckpointReader::open(disk_);
    ASSERT_TRUE(reader && reader->has_value());
    const Manifest& manifest = (*reader)->manifest();
    EXPECT_EQ(manifest.number, node.writer().status().number);
    EXPECT_EQ(manifest.opaque, "opaque");
    EXPECT_LE(manifest.lowest, manifest.highest);
    auto segments = load(**reader, 1 + round % 3);
    ASSERT_TRUE(segments) << segments.error().message;
    for (uint32_t number = 0; number < kSegments; ++number) {
      Segment& segment = *(*segments)[number];
      const Timestamp known = manifest.segments[number].allocator.stamp;
      EXPECT_LE(manifest.lowest, segment.statistics().prefix);
      for (const Logged& logged : node.log(number)) {
        if (logged.update.timestamp > segment.statistics().prefix) {
          Update again = logged.update;
          again.recorded = logged.output.slots;
          ASSERT_TRUE(segment.enqueue(std::move(again)));
          ASSERT_TRUE(segment.step({0}));
          const auto output = std::get<UpdateOutput>(*segment.dequeue());
          EXPECT_TRUE(logged.update.timestamp <= known || output == logged.output);
        }
      }
      EXPECT_TRUE(CheckpointedNode::rows_of(segment) == CheckpointedNode::rows_of(node.segment(number))) << number;
    }
  }
}

TEST_F(CheckpointFilesTest, ChunksThatNoUpdateTouchedKeepTheirBlocksAndGetANewStamp) {
  CheckpointedNode node(disk_, random_);
  ASSERT_TRUE(node.writer().open({}));
  node.fill();
  ASSERT_TRUE(node.round());
  const uint64_t all = node.writer().status().chunks_written;
  EXPECT_EQ(node.writer().status().chunks_kept, 0u);
  // One row of one chunk.
  node.update(0, {engine::test::insert_rows(test_schema(), engine::test::rows_of(1))});
  node.settle();
  ASSERT_TRUE(node.round());
  EXPECT_EQ(node.writer().status().chunks_written, 1u);
  EXPECT_EQ(node.writer().status().chunks_kept, all - 1);
  const auto rows = loaded_rows(disk_);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_TRUE(*rows == node.rows());
  const auto reader = CheckpointReader::open(disk_);
  for (const BlockPlace& place : (*reader)->manifest().segments[0].chunks) {
    EXPECT_EQ(place.stamp, Timestamp{3});
  }
}

TEST_F(CheckpointFilesTest, AfterARestartBlocksAreKeptOnlyIfTheSegmentsWereLoadedFromThem) {
  CheckpointedNode node(disk_, random_);
  ASSERT_TRUE(node.writer().open({}));
  node.fill();
  ASSERT_TRUE(node.round());
  CheckpointedNode other(disk_, random_);
  ASSERT_TRUE(other.writer().open({}));
  EXPECT_EQ(other.writer().status().number, 1u);
  ASSERT_TRUE(other.round());
  EXPECT_EQ(other.writer().status().chunks_kept, 0u) << "its segments are empty";
  const auto rows = loaded_rows(disk_);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(*rows == std::vector<std::string>(kSegments));
}

TEST_F(CheckpointFilesTest, SpaceStaysBoundedHoweverManyRoundsThereAre) {
  CheckpointedNode node(disk_, random_);
  ASSERT_TRUE(node.writer().open({}));
  node.fill();
  uint64_t used_before = 0;
  std::map<std::string, bool> is_worth_keeping;  ///< By file, as the last round left it.
  uint64_t written_out_of = 0;
  for (uint32_t round = 0; round < 40; ++round) {
    node.update(0, {engine::test::remove(engine::test::where(engine::test::kId, semantics::Operator::kEqual,
                                                             static_cast<int64_t>(below(random_, 300))))});
    node.random_updates(one_in(random_, 6) ? 1 : 0);
    node.settle();
    ASSERT_TRUE(node.round());
    uint64_t used = 0;
    const auto reader = CheckpointReader::open(disk_);
    std::map<std::string, bool> next;
    for (uint32_t number = 0; number < kSegments; ++number) {
      const SegmentManifest& segment = (*reader)->manifest().segments[number];
      used += segment.allocator.size;
      std::map<uint64_t, uint64_t> used_of;
      for (const BlockPlace& place : segment.chunks) {
        used += place.size;
        used_of[place.file] += place.size;
      }
      for (const DataFile& file : segment.files) {
        const std::string name = data_file_name(number, file.number);
        EXPECT_TRUE(!is_worth_keeping.contains(name) || is_worth_keeping[name]) << name;
        next[name] = used_of[file.number] * 2 >= file.size;
        written_out_of += next[name] || used_of[file.number] == 0 ? 0 : 1;
      }
    }
    is_worth_keeping = std::move(next);
    // Files that are kept were at least half in use when the round began; the other one is new.
    constexpr uint64_t kHeaders = 4096;
    EXPECT_LE(node.writer().status().bytes, 2 * used_before + used + kHeaders);
    used_before = used;
    EXPECT_LE(disk_.bytes(), node.writer().status().bytes + 64 * 1024) << "files that nothing needs are left";
  }
  EXPECT_GT(written_out_of, 0u);
  // Nothing changes any more: what is less than half in use has been written out of.
  ASSERT_TRUE(node.round() && node.round());
  uint64_t used = 0;
  const auto reader = CheckpointReader::open(disk_);
  for (const SegmentManifest& segment : (*reader)->manifest().segments) {
    for (const BlockPlace& place : segment.chunks) {
      used += place.size;
    }
  }
  EXPECT_LE(node.writer().status().bytes, 2 * used + 16 * 1024);
  const auto rows = loaded_rows(disk_);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(*rows == node.rows());
}

TEST_F(CheckpointFilesTest, KeepsThePreviousCheckpointWhenOneFails) {
  CheckpointedNode node(disk_, random_);
  ASSERT_TRUE(node.writer().open({}));
  node.fill();
  ASSERT_TRUE(node.round());
  const std::vector<std::string> before = node.rows();
  const std::vector<std::string> names = disk_.names();
  node.update(0, {engine::test::remove({})});
  node.update(1, {engine::test::modify({{engine::test::kInt, semantics::Assignment::Kind::kSet, int64_t{5}}},
                                       semantics::Predicate{})});
  node.settle();

  disk_.set_room(disk_.bytes() + 300);
  EXPECT_FALSE(node.round());
  EXPECT_EQ(node.writer().status().rounds_given_up, 1u);
  EXPECT_EQ(node.writer().status().last_error->sqlstate, kDiskFull);
  EXPECT_EQ(disk_.names(), names);
  disk_.set_room(UINT64_MAX);

  disk_.fail_syncs(1);
  EXPECT_FALSE(node.round());
  EXPECT_EQ(node.writer().status().rounds_given_up, 2u);
  EXPECT_EQ(node.writer().status().last_error->sqlstate, kIoError);
  EXPECT_EQ(disk_.names(), names);

  // Seen when the round is read back.
  node.before_write = [&, rooms = node.rooms_made()] {
    if (node.rooms_made() > rooms + 4) {
      disk_.misdirect_next_write();
    }
  };
  EXPECT_FALSE(node.round());
  EXPECT_EQ(node.writer().status().last_error->sqlstate, kDataCorrupted);
  node.before_write = {};
  EXPECT_EQ(disk_.names(), names);

  node.write_round();
  node.writer().give_up(Error{ErrorCategory::kRetry, "58030", "the log failed", "", 0});
  EXPECT_EQ(disk_.names(), names);
  EXPECT_EQ(node.writer().status().number, 1u);
  const auto rows = loaded_rows(disk_);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(*rows == before);

  ASSERT_TRUE(node.round());
  EXPECT_FALSE(node.writer().status().last_error.has_value());
  EXPECT_GT(node.writer().status().number, 1u);
  const auto after = loaded_rows(disk_);
  ASSERT_TRUE(after);
  EXPECT_TRUE(*after == node.rows());
}

TEST_F(CheckpointFilesTest, ABitThatTurnedIsFoundOrHarmless) {
  CheckpointedNode node(disk_, random_);
  ASSERT_TRUE(node.writer().open({}));
  node.fill();
  ASSERT_TRUE(node.round());
  node.random_updates(3);
  node.settle();
  ASSERT_TRUE(node.round());
  const std::vector<std::string> rows = node.rows();
  uint64_t found = 0;
  uint64_t harmless = 0;
  for (const std::string& name : disk_.names()) {
    for (uint64_t byte = below(random_, 97); byte < disk_.content(name).size(); byte += 97) {
      const uint64_t bit = byte * 8 + below(random_, 8);
      disk_.flip(name, bit);
      const auto loaded = loaded_rows(disk_);
      if (loaded) {
        EXPECT_TRUE(*loaded == rows) << name << ", byte " << byte;
        ++harmless;
      } else {
        EXPECT_EQ(loaded.error().sqlstate, kDataCorrupted);
        EXPECT_NE(loaded.error().message.find(name), std::string::npos) << loaded.error().message;
        EXPECT_NE(loaded.error().hint, "");
        ++found;
      }
      disk_.flip(name, bit);
    }
  }
  EXPECT_GT(found, harmless);
}

TEST_F(CheckpointFilesTest, ATornManifestIsNoneAsLongAsThereIsOneBefore) {
  CheckpointedNode node(disk_, random_);
  ASSERT_TRUE(node.writer().open({}));
  node.fill();
  ASSERT_TRUE(node.round());
  const std::string valid = disk_.content(manifest_name(1));
  auto torn = disk_.create(manifest_name(2));
  ASSERT_TRUE(torn && (*torn)->write(0, valid.substr(0, valid.size() / 2)));
  auto reader = CheckpointReader::open(disk_);
  ASSERT_TRUE(reader && reader->has_value());
  EXPECT_EQ((*reader)->manifest().number, 1u);
  disk_.flip(manifest_name(1), 100);
  reader = CheckpointReader::open(disk_);
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find(manifest_name(2)), std::string::npos);
}

TEST_F(CheckpointFilesTest, BuffersOfOtherThreadsAreWrittenWhileUpdatesStreamIn) {
  CheckpointedNode node(disk_, random_);
  ASSERT_TRUE(node.writer().open({}));
  node.fill();
  std::vector<std::unique_ptr<engine::SegmentThread>> threads;
  for (uint32_t segment = 0; segment < kSegments; ++segment) {
    threads.push_back(std::make_unique<engine::SegmentThread>(node.segment(segment), engine::SegmentThreadOptions{}));
  }
  for (uint32_t round = 0; round < 3; ++round) {
    node.writer().begin();
    for (uint32_t segment = 0; segment < kSegments; ++segment) {
      while (!node.segment(segment).begin_checkpoint()) {
        std::this_thread::yield();  // It ended as far as we see, and its cycle is about to.
      }
      threads[segment]->wake();
    }
    node.random_updates(20);
    while (node.writer().state() == CheckpointWriter::State::kWriting) {
      const uint32_t seen = node.buffers().seen();
      const uint64_t rooms = node.rooms_made();
      if (!node.writer().step()) {
        node.buffers().wait(seen);
      }
      if (rooms != node.rooms_made()) {
        for (auto& thread : threads) {
          thread->wake();
        }
      }
    }
    ASSERT_EQ(node.writer().state(), CheckpointWriter::State::kPrepared);
    ASSERT_TRUE(node.writer().commit(""));
  }
  threads.clear();
  const auto reader = CheckpointReader::open(disk_);
  ASSERT_TRUE(reader && reader->has_value());
  EXPECT_TRUE(load(**reader, 3));
}

}  // namespace
}  // namespace daedalus::durability::test

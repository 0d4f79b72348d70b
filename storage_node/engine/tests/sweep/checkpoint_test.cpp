// Tests what a checkpoint is shown: every chunk once, each exactly in the prefix it is said to be in.
#include "daedalus/engine/checkpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "daedalus/engine/segment.hpp"
#include "daedalus/semantics/packed.hpp"
#include "operation_mix.hpp"
#include "plain_table.hpp"
#include "plane_rows.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

/// A chunk as a checkpoint keeps it: live rows by slot, packed.
struct ChunkCopy {
  Timestamp prefix{};
  Timestamp changed{};
  std::map<uint32_t, std::string> rows;
};

class Copier final : public CheckpointHook {
 public:
  [[nodiscard]] bool is_ready() const noexcept override { return room > 0; }
  [[nodiscard]] bool on_chunk(const ChunkImage& image) noexcept override {
    if (room == 0) {
      return false;
    }
    --room;
    EXPECT_EQ(image.chunk, copies_.size() % image.chunk_count);
    EXPECT_EQ(image.widths.size(), test_schema().columns.size());
    ChunkCopy copy{.prefix = image.prefix, .changed = image.changed, .rows = {}};
    const semantics::testing::PlaneView view = {image.planes.data(), image.nulls.data()};
    for (uint32_t row = 0; row < image.row_count; ++row) {
      if (((image.live[row / 64] >> (row % 64)) & 1) != 0) {
        copy.rows.emplace(row, semantics::testing::packed_row_at(test_schema(), view, row));
      }
    }
    EXPECT_EQ(copy.rows.size(), image.live_count);
    copies_.push_back(std::move(copy));
    return true;
  }
  void on_round_end(const AllocatorImage& image) noexcept override {
    EXPECT_EQ(copies_.size() % (image.slot_count / 64), 0u);
    ++rounds;
  }

  [[nodiscard]] const std::vector<ChunkCopy>& copies() const { return copies_; }
  void clear() { copies_.clear(); }

  uint32_t room = UINT32_MAX;  ///< For chunks.
  uint32_t rounds = 0;         ///< That have ended.

 private:
  std::vector<ChunkCopy> copies_;
};

SegmentOptions options_with(CheckpointHook& hook, uint32_t chunks_per_cycle_max) {
  return {.memory_bytes = 180'000,
          .chunk_rows = 64,
          .updates_per_cycle_max = 3,
          .checkpoint_hook = &hook,
          .checkpoint_chunks_per_cycle_max = chunks_per_cycle_max};
}

/// All rows of a table, packed and sorted.
std::vector<std::string> packed(const std::vector<Row>& rows) {
  std::vector<std::string> made;
  const std::vector<semantics::Type> types = semantics::column_types(test_schema());
  for (const Row& row : rows) {
    semantics::append_packed_row(types, row, made.emplace_back());
  }
  std::sort(made.begin(), made.end());
  return made;
}

/// The slots do not depend on how updates are cut into cycles, so a second segment that stops at a prefix has there
/// what every chunk in that prefix must have; and all its chunks together are the list of rows.
class Reference {
 public:
  explicit Reference(const std::vector<Update>& updates) : updates_(updates) {}

  void advance(Timestamp prefix) {
    for (; next_ < updates_.size() && updates_[next_].timestamp <= prefix; ++next_) {
      ASSERT_TRUE(segment_.enqueue(updates_[next_]));
      ASSERT_TRUE(segment_.step({0}));
      ASSERT_TRUE(segment_.dequeue().has_value());
      table_.apply(updates_[next_]);
    }
    copier_.clear();
    ASSERT_TRUE(segment_.begin_checkpoint());
    while (segment_.step({0})) {
    }
    std::vector<std::string> rows;
    for (const ChunkCopy& copy : copier_.copies()) {
      EXPECT_EQ(copy.prefix, segment_.statistics().prefix);
      for (const auto& [slot, row] : copy.rows) {
        rows.push_back(row);
      }
    }
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, packed(table_.rows()));
  }

  [[nodiscard]] const ChunkCopy& chunk(size_t number) const { return copier_.copies().at(number); }

 private:
  const std::vector<Update>& updates_;
  size_t next_ = 0;
  Copier copier_;
  Segment segment_{test_schema(), test_codec(), options_with(copier_, 1'000)};
  PlainTable table_{test_schema(), segment_.statistics().rows_max};
};

Update random_update(Random& random, OperationMix& mix, uint64_t timestamp, int64_t& next_id) {
  Update update{.timestamp = Timestamp{timestamp}};
  if (timestamp == 1 || one_in(random, 3)) {
    std::vector<Row> rows;
    for (uint64_t count = timestamp == 1 ? 300 : 1 + below(random, 40); count > 0; --count) {
      rows.push_back(random_row(random, next_id++));
    }
    update.parts.push_back(insert_rows(test_schema(), rows));
  } else if (one_in(random, 3)) {
    update.parts.push_back(
        remove(where(kId, semantics::Operator::kLess, static_cast<int64_t>(below(random, next_id / 2 + 1)))));
  } else {
    update.parts.push_back(modify(mix.assignments(), mix.update_predicate()));
  }
  return update;
}

TEST(CheckpointTest, EveryChunkIsInThePrefixItIsSaidToBeInWhileUpdatesStreamIn) {
  const uint64_t seed = test_seed();
  for (uint64_t round = 0; round < 10; ++round) {
    Random random(seed + round);
    OperationMix mix(random);
    Copier copier;
    Segment segment(test_schema(), test_codec(), options_with(copier, 1 + static_cast<uint32_t>(below(random, 3))));
    std::vector<Update> updates;
    int64_t next_id = 1;
    bool has_begun = false;
    while (!has_begun || segment.has_work()) {
      for (uint64_t count = below(random, 4); count > 0; --count) {
        updates.push_back(random_update(random, mix, updates.size() + 1, next_id));
        ASSERT_TRUE(segment.enqueue(updates.back()));
      }
      if (!has_begun && updates.size() > 10) {
        has_begun = segment.begin_checkpoint();
        EXPECT_FALSE(segment.begin_checkpoint());
      }
      segment.step({0}, {.chunks_max = 1 + static_cast<uint32_t>(below(random, 3))});
      while (segment.dequeue().has_value()) {
      }
      if (updates.size() > 200) {
        while (segment.step({0})) {
        }
      }
    }
    ASSERT_GE(copier.copies().size(), 8u);
    EXPECT_LT(copier.copies().front().prefix, copier.copies().back().prefix);
    Reference reference(updates);
    for (size_t chunk = 0; chunk < copier.copies().size(); ++chunk) {
      ASSERT_NO_FATAL_FAILURE(reference.advance(copier.copies()[chunk].prefix));
      EXPECT_EQ(copier.copies()[chunk].rows, reference.chunk(chunk).rows) << "chunk " << chunk << ", round " << round;
    }
  }
}

TEST(CheckpointTest, ACycleShowsNoMoreChunksThanItMayAndOneRunsWithoutOperations) {
  Copier copier;
  Segment segment(test_schema(), test_codec(), options_with(copier, 3));
  EXPECT_FALSE(segment.has_work());
  ASSERT_TRUE(segment.begin_checkpoint());
  EXPECT_TRUE(segment.has_work());
  const size_t chunk_count = segment.statistics().rows_max / 64;
  for (size_t shown = 3; segment.step({0}); shown += 3) {
    EXPECT_EQ(copier.copies().size(), std::min(shown, chunk_count));
  }
  EXPECT_EQ(copier.copies().size(), chunk_count);
  EXPECT_EQ(copier.rounds, 1u);
  EXPECT_FALSE(segment.has_work());
  EXPECT_TRUE(segment.begin_checkpoint());
}

TEST(CheckpointTest, NoCycleRunsForAHookWithoutRoomAndAChunkIsShownAgain) {
  Copier copier;
  Segment segment(test_schema(), test_codec(), options_with(copier, 3));
  copier.room = 0;
  ASSERT_TRUE(segment.begin_checkpoint());
  EXPECT_FALSE(segment.has_work());
  EXPECT_FALSE(segment.step({0}));
  EXPECT_FALSE(segment.begin_checkpoint());
  copier.room = 2;
  EXPECT_TRUE(segment.has_work());
  EXPECT_TRUE(segment.step({0}));
  EXPECT_FALSE(segment.has_work());
  EXPECT_EQ(copier.copies().size(), 2u);
  // Operations do not wait for room, and a chunk is shown in the prefix that it is in then.
  ASSERT_TRUE(segment.enqueue(Update{Timestamp{7}, {insert_rows(test_schema(), rows_of(200))}}));
  EXPECT_TRUE(segment.step({0}));
  EXPECT_EQ(copier.copies().size(), 2u);
  copier.room = UINT32_MAX;
  while (segment.step({0})) {
  }
  EXPECT_EQ(copier.copies().size(), segment.statistics().rows_max / 64);
  EXPECT_EQ(copier.copies()[1].prefix, Timestamp{0});
  EXPECT_EQ(copier.copies()[2].prefix, Timestamp{7});
  EXPECT_EQ(copier.copies()[2].rows.size(), 64u);
  EXPECT_EQ(copier.rounds, 1u);
}

TEST(CheckpointTest, AChunkKnowsTheLastUpdateThatTouchedARowOfIt) {
  Copier copier;
  Segment segment(test_schema(), test_codec(), options_with(copier, 1'000));
  const auto changed_after = [&](uint64_t timestamp, std::vector<UpdatePart> parts) {
    EXPECT_TRUE(segment.enqueue(Update{Timestamp{timestamp}, std::move(parts)}));
    copier.clear();
    EXPECT_TRUE(segment.begin_checkpoint());
    while (segment.step({0})) {
    }
    std::vector<uint64_t> changed;
    for (size_t chunk = 0; chunk < 3; ++chunk) {
      changed.push_back(raw(copier.copies().at(chunk).changed));
    }
    return changed;
  };
  const auto one_row = [](int64_t id) { return where(kId, semantics::Operator::kEqual, id); };
  const auto set_zero = [&](semantics::Predicate of) {
    return modify({{kInt, semantics::Assignment::Kind::kSet, int64_t{0}}}, std::move(of));
  };
  using Changed = std::vector<uint64_t>;
  EXPECT_EQ(changed_after(1, {insert_rows(test_schema(), rows_of(100))}), (Changed{1, 1, 0}));
  EXPECT_EQ(changed_after(2, {set_zero(one_row(70))}), (Changed{1, 2, 0}));
  EXPECT_EQ(changed_after(3, {remove(one_row(3))}), (Changed{3, 2, 0}));
  EXPECT_EQ(changed_after(4, {remove(one_row(3))}), (Changed{3, 2, 0})) << "there was none left";
  EXPECT_EQ(changed_after(5, {set_zero(where(kId, semantics::Operator::kLess, int64_t{64}))}), (Changed{5, 2, 0}));
  EXPECT_EQ(changed_after(6, {remove(where(kId, semantics::Operator::kGreater, int64_t{90}))}), (Changed{5, 6, 0}));
  EXPECT_EQ(changed_after(7, {modify({{kInt, semantics::Assignment::Kind::kAdd, int64_t{1}}}, one_row(80))}),
            (Changed{5, 7, 0}));
}

TEST(CheckpointTest, WithoutAHookThereIsNoCheckpoint) {
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 1, .chunk_rows = 64});
  EXPECT_FALSE(segment.begin_checkpoint());
  EXPECT_FALSE(segment.step({0}));
}

}  // namespace
}  // namespace daedalus::engine::test

// Whatever updates come in whatever cycles: at each moment that the window can answer, each slot has the version that
// the table had then. DAEDALUS_ENGINE_OPERATIONS scales it.
#include <gtest/gtest.h>

#include <algorithm>

#include "chunk_loader.hpp"
#include "laid_out_version.hpp"
#include "operation_mix.hpp"
#include "table_versions.hpp"

namespace daedalus::engine::test {
namespace {

constexpr uint64_t kAmple = 64u << 20;

/// Counts the cases that rounds came by.
struct SeenCases {
  uint64_t other_versions = 0;  ///< A slot whose version then is not that of now,
  uint64_t gone_rows = 0;       ///< whose row is gone now,
  uint64_t other_rows = 0;      ///< or that has another row.
  uint64_t refused_rows = 0;
  uint64_t full_windows = 0;
  uint64_t replayed = 0;
};

/// A table with a window, its twin, and updates for both.
class WindowRound {
 public:
  WindowRound(Random& random, SeenCases& seen, uint64_t window_bytes, ChunkShape shape)
      : random_(&random),
        seen_(&seen),
        mix_(random),
        layout_(test_schema(), test_codec()),
        shape_(shape),
        window_bytes_(window_bytes),
        twin_(layout_, shape) {
    const auto paths =
        one_in(random, 2) ? AccessPaths::kByCost : static_cast<AccessPaths>(below(random, kAccessPathsCount));
    use(std::make_unique<SweptTable>(layout_, shape, window_bytes, paths));
    add({mix_.insertion(1 + below(random, table_->store.slot_count()))});
  }

  [[nodiscard]] Window& window() { return table_->updates.window(); }
  [[nodiscard]] Timestamp prefix() const { return prefix_; }

  /// Makes some updates and takes them in as few cycles as they come into, or in more.
  void live() {
    for (uint64_t count = below(*random_, one_in(*random_, 4) ? 40 : 8); count > 0; --count) {
      add(parts());
    }
    take_all();
  }

  /// Compares everything at one moment.
  void compare(Timestamp moment) {
    const TableVersion& then = twin_.at(moment);
    const TableVersion& now = twin_.at(prefix_);
    const ChunkStore& store = table_->store;
    std::vector<uint64_t> recent(bitmap_words(shape_.rows));
    for (uint32_t chunk = 0; chunk < shape_.count; ++chunk) {
      std::fill(recent.begin(), recent.end(), 0);
      window().mark_recent(chunk, moment, recent);
      EXPECT_EQ(window().has_recent(chunk, moment), count_bits(recent.data(), bitmap_words(shape_.rows)) > 0);
      for (uint32_t slot = chunk * shape_.rows; slot < (chunk + 1) * shape_.rows; ++slot) {
        ASSERT_EQ(version(slot, moment), then[slot]) << "slot " << slot << " at " << raw(moment) << ", now "
                                                     << raw(prefix_) << ", oldest " << raw(window().oldest());
        if (then[slot] != now[slot]) {
          EXPECT_TRUE(test_bit(recent.data(), slot - chunk * shape_.rows)) << slot;
          ++seen_->other_versions;
          seen_->gone_rows += now[slot].has_value() ? 0 : 1;
          seen_->other_rows +=
              then[slot].has_value() && now[slot].has_value() && (*then[slot])[kId] != (*now[slot])[kId];
        }
      }
      ASSERT_EQ(store.live_rows(chunk), live_in(now, chunk));
    }
  }

  /// A moment that the window can answer.
  [[nodiscard]] Timestamp some_moment() {
    const uint64_t oldest = raw(window().oldest());
    return Timestamp{oldest + below(*random_, raw(prefix_) - std::min(raw(prefix_), oldest) + 1)};
  }

  /// Goes on with a table that was loaded, each chunk in some prefix, and was given all updates after that.
  void restore() {
    auto restored = std::make_unique<SweptTable>(layout_, shape_, window_bytes_);
    std::vector<Timestamp> prefixes;
    ChunkLoader loader(layout_, restored->store);
    for (uint32_t chunk = 0; chunk < shape_.count; ++chunk) {
      prefixes.push_back(twin_.last(Timestamp{below(*random_, raw(prefix_) + 1)}));
      load(loader, chunk, prefixes.back());
      restored->updates.on_load(chunk);
    }
    ASSERT_TRUE(restored->updates.load(twin_.allocator()).has_value());
    const auto [lowest, highest] = std::minmax_element(prefixes.begin(), prefixes.end());
    prefix_ = *lowest;
    restored->updates.begin_replay(prefixes);
    EXPECT_EQ(restored->updates.window().oldest(), *highest) << "chunks have nothing from before";
    use(std::move(restored));
    for (next_ = 0; next_ < updates_.size() && updates_[next_].timestamp <= *lowest; ++next_) {
    }
    for (size_t update = next_; update < updates_.size(); ++update) {
      updates_[update].recorded = twin_.outputs()[update].slots;
      ++seen_->replayed;
    }
    take_all();
  }

 private:
  void use(std::unique_ptr<SweptTable> table) {
    table_ = std::move(table);
    versions_ = std::make_unique<LaidOutVersion>(layout_, table_->store);
  }

  std::vector<UpdatePart> parts() {
    switch (below(*random_, 6)) {
      case 0:
        return {mix_.purge()};
      case 1:
        return mix_.chain();
      case 2:
        return {mix_.insertion(1 + below(*random_, 30))};
      case 3:
        return {modify(mix_.assignments(), {})};  // Every row.
      default:
        return {mix_.part()};
    }
  }

  void add(std::vector<UpdatePart> parts) {
    timestamp_ += one_in(*random_, 6) ? 1 + below(*random_, 1500) : 1;  // Slots freed long ago are taken again.
    updates_.push_back({Timestamp{timestamp_}, std::move(parts)});
    const UpdateOutput& output = twin_.apply(updates_.back());
    seen_->refused_rows += output.refused_overflow + output.failed.size();
  }

  void take_all() {
    while (next_ < updates_.size()) {
      const uint64_t count_max = one_in(*random_, 3) ? 1 + below(*random_, 5) : 1024;
      for (const UpdateOutput& output : table_->cycle(updates_, next_, count_max)) {
        prefix_ = output.timestamp;
      }
    }
    seen_->full_windows += raw(window().oldest()) > 0 ? 1 : 0;
  }

  [[nodiscard]] SlotVersion version(uint32_t slot, Timestamp moment) {
    LaidOutVersion& version = *versions_;
    if (!version.lay_out(window(), slot, moment)) {
      return std::nullopt;
    }
    return cells_of(layout_, table_->store.view(version.slot() / shape_.rows), version.slot() % shape_.rows);
  }

  [[nodiscard]] uint32_t live_in(const TableVersion& table, uint32_t chunk) const {
    const auto first = table.begin() + chunk * shape_.rows;
    return static_cast<uint32_t>(
        std::count_if(first, first + shape_.rows, [](const SlotVersion& slot) { return slot.has_value(); }));
  }

  /// Loads a chunk as it was at a moment.
  void load(ChunkLoader& loader, uint32_t chunk, Timestamp moment) {
    ChunkStore image(layout_, ChunkShape{shape_.rows, 1});
    uint32_t live = 0;
    for (uint32_t row = 0; row < shape_.rows; ++row) {
      if (const SlotVersion& slot = twin_.at(moment)[chunk * shape_.rows + row]) {
        put(*slot, image, row);
        image.mark_live(0, row);
        ++live;
      }
    }
    std::vector<uint32_t> widths;
    for (const ColumnLayout& column : layout_.columns) {
      widths.push_back(column.width);
    }
    const ChunkView view = image.view(0);
    const Result<void> loaded = loader.load({.chunk = chunk,
                                             .chunk_count = shape_.count,
                                             .prefix = moment,
                                             .changed = moment,
                                             .row_count = shape_.rows,
                                             .live_count = live,
                                             .widths = widths,
                                             .planes = {view.planes, layout_.plane_count()},
                                             .nulls = {view.nulls, widths.size()},
                                             .live = {view.live, view.word_count()}});
    ASSERT_TRUE(loaded) << loaded.error().message;
  }

  void put(const Cells& cells, ChunkStore& store, uint32_t row) const {
    for (uint32_t column = 0; column < cells.size(); ++column) {
      const ColumnLayout& layout = layout_.columns[column];
      if (!cells[column].has_value()) {
        set_bit(store.nulls(0)[column], row);
        continue;
      }
      std::copy_n(cells[column]->data(), layout.stride, store.planes(0)[column] + size_t{row} * layout.stride);
      if (layout.tail_width() > 0) {
        std::copy_n(cells[column]->data() + layout.stride, layout.tail_width(),
                    store.planes(0)[layout_.tail_plane(column)] + size_t{row} * layout.tail_width());
      }
    }
  }

  Random* random_;
  SeenCases* seen_;
  OperationMix mix_;
  TableLayout layout_;
  ChunkShape shape_;
  uint64_t window_bytes_;
  std::unique_ptr<SweptTable> table_;
  TableVersions twin_;
  std::unique_ptr<LaidOutVersion> versions_;
  std::vector<Update> updates_;
  size_t next_ = 0;  ///< The first that the table was not given yet.
  uint64_t timestamp_ = 0;
  Timestamp prefix_{};
};

ChunkShape random_shape(Random& random) {
  return {one_in(random, 2) ? 64u : 128u, 1 + static_cast<uint32_t>(below(random, 4))};
}

/// Rounds that come to so many updates, by what `run` makes of one.
template <typename Run>
SeenCases run_rounds(uint64_t rounds, uint64_t window_bytes, Run&& run) {
  const uint64_t seed = test_seed();
  SeenCases seen;
  for (uint64_t round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random(seed + round);
    WindowRound made(random, seen, window_bytes, random_shape(random));
    run(made, random);
  }
  return seen;
}

uint64_t scaled(uint64_t rounds) {
  return std::max<uint64_t>(1, from_environment("DAEDALUS_ENGINE_OPERATIONS", 50'000) * rounds / 50'000);
}

class WindowModelTest : public testing::TestWithParam<TestTable> {
 protected:
  /// Rows of the other tables are so wide that a round takes several times as long.
  [[nodiscard]] static uint64_t rounds(uint64_t usual) {
    return scaled(GetParam() == TestTable::kUsual ? usual : (usual + 9) / 10);
  }
  /// Everything has to be seen in all rounds together where these are many.
  [[nodiscard]] static bool has_many_rounds() { return GetParam() == TestTable::kUsual; }

  TestTableScope scope_{GetParam()};
};

TEST_P(WindowModelTest, EachSlotHasTheVersionOfEachMoment) {
  const SeenCases seen = run_rounds(rounds(60), kAmple, [](WindowRound& round, Random& random) {
    for (int burst = 0; burst < 6 && !HasFailure(); ++burst) {
      round.live();
      for (int look = 0; look < 4 && !HasFailure(); ++look) {
        round.compare(round.some_moment());
      }
      if (one_in(random, 3)) {
        round.window().trim(round.some_moment());
      }
    }
  });
  if (has_many_rounds()) {
    EXPECT_GT(seen.other_versions, 0u);
    EXPECT_GT(seen.gone_rows, 0u);
    EXPECT_GT(seen.other_rows, 0u);
    EXPECT_GT(seen.refused_rows, 0u);
  }
}

TEST_P(WindowModelTest, TrimmedAtEachMomentItAnswersAllThatAreLeft) {
  static_cast<void>(run_rounds(rounds(6), kAmple, [](WindowRound& round, Random&) {
    for (int burst = 0; burst < 2; ++burst) {
      round.live();
    }
    for (uint64_t moment = raw(round.window().oldest()); moment <= raw(round.prefix()) && !HasFailure();) {
      round.window().trim(Timestamp{moment});
      EXPECT_EQ(round.window().oldest(), Timestamp{moment});
      round.compare(Timestamp{moment});
      round.compare(round.some_moment());
      moment += 1 + (raw(round.prefix()) - moment) / 16;
    }
    round.window().trim(round.prefix());
    EXPECT_EQ(round.window().bytes(), 0u);
  }));
}

TEST_P(WindowModelTest, AFullWindowAnswersWhatItHasKept) {
  const SeenCases seen = run_rounds(rounds(40), 3 * kSlabBytes, [](WindowRound& round, Random&) {
    for (int burst = 0; burst < 6 && !HasFailure(); ++burst) {
      round.live();
      EXPECT_LE(round.window().bytes(), 3 * kSlabBytes);
      EXPECT_LE(round.window().oldest(), round.prefix());
      round.compare(round.window().oldest());
      round.compare(round.some_moment());
    }
  });
  if (has_many_rounds()) {
    EXPECT_GT(seen.full_windows, 0u);
    EXPECT_GT(seen.other_versions, 0u);
  }
}

TEST_P(WindowModelTest, ReplayWritesWhatApplicationWrote) {
  const SeenCases seen = run_rounds(rounds(40), kAmple, [](WindowRound& round, Random&) {
    for (int life = 0; life < 2 && !HasFailure(); ++life) {
      round.live();
      round.live();
      round.restore();
      for (int look = 0; look < 3 && !HasFailure(); ++look) {
        round.compare(round.some_moment());
      }
      round.live();
      round.compare(round.some_moment());
    }
  });
  EXPECT_GT(seen.replayed, 0u);
  if (has_many_rounds()) {
    EXPECT_GT(seen.other_versions, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(OnEveryTable, WindowModelTest,
                         testing::Values(TestTable::kUsual, TestTable::kLongStrings, TestTable::kManyColumns),
                         [](const testing::TestParamInfo<TestTable>& table) {
                           return table.param == TestTable::kUsual         ? "Usual"
                                  : table.param == TestTable::kLongStrings ? "LongStrings"
                                                                           : "ManyColumns";
                         });

}  // namespace
}  // namespace daedalus::engine::test

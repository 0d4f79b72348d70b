// The window gives back what was overwritten: versions of single rows, and which rows changed. window_model_test holds
// it against whole tables.
#include "window.hpp"

#include <gtest/gtest.h>

#include "filled_store.hpp"
#include "laid_out_version.hpp"

namespace daedalus::engine::test {
namespace {

constexpr uint32_t kChunkRows = 128;
constexpr uint32_t kChunks = 3;
constexpr uint64_t kBytesMax = 16 * kSlabBytes;

/// A filled store, its window, and a row that versions are laid out into.
class WindowTest : public testing::Test {
 protected:
  explicit WindowTest(uint64_t bytes_max = kBytesMax)
      : random_(test_seed()),
        filled_(random_, kChunkRows, kChunks, 100),
        laid_out_(filled_.layout, filled_.store),
        window_(filled_.layout, filled_.store, bytes_max) {}

  /// A row by column, each value as its bytes.
  using Cells = std::vector<std::string>;

  [[nodiscard]] Cells row_now(uint32_t slot) const { return cells_of(filled_.store, slot); }
  /// The version of a slot at a moment; none: no row was there.
  [[nodiscard]] std::optional<Cells> row_at(uint32_t slot, uint64_t at) {
    if (!laid_out_.lay_out(window_, slot, Timestamp{at})) {
      return std::nullopt;
    }
    return cells_of(filled_.store, laid_out_.slot());
  }
  [[nodiscard]] std::vector<uint32_t> recent(uint32_t chunk, uint64_t after) const {
    std::vector<uint64_t> bits(bitmap_words(kChunkRows), 0);
    window_.mark_recent(chunk, Timestamp{after}, bits);
    std::vector<uint32_t> rows(kChunkRows);
    rows.resize(list_rows(bits.data(), static_cast<uint32_t>(bits.size()), rows.data()));
    return rows;
  }

  void put(uint32_t slot, const Row& row) {
    std::string packed;
    semantics::append_packed_row(semantics::column_types(test_schema()), row, packed);
    ASSERT_EQ(filled_.layout.codec.store_row(
                  filled_.layout.codec.context, reinterpret_cast<const uint8_t*>(packed.data()) + sizeof(uint32_t),
                  static_cast<uint32_t>(packed.size() - sizeof(uint32_t)), filled_.store.planes(slot / kChunkRows),
                  filled_.store.nulls(slot / kChunkRows), slot % kChunkRows),
              0);
  }
  void modify(uint32_t slot, uint64_t timestamp, const std::vector<uint32_t>& columns) {
    window_.on_modify(slot / kChunkRows, slot % kChunkRows, Timestamp{timestamp}, columns);
    Row row;
    for (uint32_t column = 0; column < filled_.layout.columns.size(); ++column) {
      const std::optional<std::string> cell = cell_of(filled_.store, slot, column);
      row.push_back(cell.has_value()
                        ? to_value(filled_.layout.columns[column], reinterpret_cast<const uint8_t*>(cell->data()))
                        : Value{});
    }
    for (const uint32_t column : columns) {
      row[column] = one_in(random_, 4) && column > kKey ? Value{} : random_value(random_, column);
    }
    put(slot, row);
  }
  void remove(uint32_t slot, uint64_t timestamp) {
    window_.on_delete(slot / kChunkRows, slot % kChunkRows, Timestamp{timestamp});
    filled_.store.mark_dead(slot / kChunkRows, slot % kChunkRows);
  }
  void insert(uint32_t slot, uint64_t timestamp) {
    window_.on_insert(slot / kChunkRows, slot % kChunkRows, Timestamp{timestamp});
    put(slot, random_row(random_, slot));
    filled_.store.mark_live(slot / kChunkRows, slot % kChunkRows);
  }

  Random random_;
  FilledStore filled_;
  LaidOutVersion laid_out_;
  Window window_;

 private:
  [[nodiscard]] std::optional<std::string> cell_of(const ChunkStore& store, uint32_t slot, uint32_t column) const {
    const ChunkView view = store.view(slot / kChunkRows);
    if (test_bit(view.nulls[column], slot % kChunkRows)) {
      return std::nullopt;
    }
    const ColumnLayout& layout = filled_.layout.columns[column];
    std::string bytes(layout.width, '\0');
    copy_value(layout, value_at(layout, view, column, slot % kChunkRows), reinterpret_cast<uint8_t*>(bytes.data()));
    return bytes;
  }
  [[nodiscard]] Cells cells_of(const ChunkStore& store, uint32_t slot) const {
    Cells cells;
    for (uint32_t column = 0; column < filled_.layout.columns.size(); ++column) {
      cells.push_back(cell_of(store, slot, column).value_or("NULL"));
    }
    return cells;
  }
};

TEST_F(WindowTest, GivesEachVersionOfARow) {
  const uint32_t slot = kChunkRows + 77;
  const Cells first = row_now(slot);
  modify(slot, 3, {kInt, kText, kWide});
  modify(slot, 3, {kText});
  const Cells third = row_now(slot);
  modify(slot, 4, {kDay, kInt});
  const Cells fourth = row_now(slot);
  remove(slot, 6);
  insert(slot, 9);
  const Cells last = row_now(slot);
  EXPECT_EQ(row_at(slot, 9), last);
  EXPECT_EQ(row_at(slot, 8), std::nullopt);
  EXPECT_EQ(row_at(slot, 6), std::nullopt);
  EXPECT_EQ(row_at(slot, 5), fourth);
  EXPECT_EQ(row_at(slot, 3), third);
  EXPECT_EQ(row_at(slot, 2), first);
  EXPECT_EQ(row_at(slot + 1, 2), row_now(slot + 1));
}

TEST_F(WindowTest, WhatOnlyTakersReadOfARowIsLaidOutWhenItIsTaken) {
  modify(3, 5, {kInt, kText});
  RecentColumns columns(filled_.layout, filled_.store);
  columns.read({.of_all = {kInt}, .of_taken = {kText}});
  columns.begin(kChunks);
  for (const uint32_t slot : {3u, 200u}) {
    ASSERT_TRUE(window_.find_version(slot, Timestamp{5}, columns.old_values()).is_there);
    columns.add(slot % 64, slot);
  }
  columns.lay_out();
  const uint32_t first = kChunks * kChunkRows + 3;
  EXPECT_EQ(row_now(first)[kInt], row_now(3)[kInt]);
  EXPECT_EQ(columns.slot(200 % 64), 200u);
  EXPECT_TRUE(columns.lay_out_taken(std::array{3u}));
  EXPECT_EQ(row_now(first)[kText], row_now(3)[kText]);
  EXPECT_FALSE(columns.lay_out_taken(std::array{3u})) << "it is there";
}

TEST_F(WindowTest, NamesTheRowsThatChanged) {
  modify(3, 5, {kInt});
  remove(kChunkRows + 1, 6);
  modify(7, 7, {kInt});
  EXPECT_TRUE(window_.has_recent(0, Timestamp{6}));
  EXPECT_FALSE(window_.has_recent(0, Timestamp{7}));
  EXPECT_FALSE(window_.has_recent(2, Timestamp{0}));
  EXPECT_EQ(recent(0, 4), (std::vector<uint32_t>{3, 7}));
  EXPECT_EQ(recent(0, 5), (std::vector<uint32_t>{7}));
  EXPECT_EQ(recent(1, 5), (std::vector<uint32_t>{1}));
  EXPECT_EQ(recent(1, 6), (std::vector<uint32_t>{}));
}

TEST_F(WindowTest, KeepsRowsThatChangeTogether) {
  std::vector<Cells> before;
  for (uint32_t slot = 0; slot < kChunkRows; ++slot) {
    before.push_back(row_now(slot));
  }
  const uint64_t rows[2] = {0x0123456789abcdef, 1};
  const std::vector<uint32_t> columns = {kInt, kText, kWide, kBool, kName, kId};
  window_.on_modify_all(0, rows, Timestamp{2}, columns);
  for_each_bit(rows, 2, [&](uint32_t row) { put(row, random_row(random_, row + 1000)); });
  window_.on_delete_all(0, rows, Timestamp{3});
  static_cast<void>(filled_.store.mark_dead(0, rows));
  for (uint32_t slot = 0; slot < kChunkRows; ++slot) {
    const std::optional<Cells> then = row_at(slot, 1);
    ASSERT_TRUE(then.has_value()) << slot;
    for (const uint32_t column : columns) {
      EXPECT_EQ((*then)[column], before[slot][column]) << slot << " " << column;
    }
    EXPECT_EQ(row_at(slot, 3).has_value(), !test_bit(rows, slot));
  }
  EXPECT_EQ(recent(0, 0).size(), count_bits(rows, 2));
}

TEST_F(WindowTest, ForgetsWhatNobodyMayAskFor) {
  modify(3, 5, {kInt});
  modify(200, 6, {kInt});
  EXPECT_EQ(window_.bytes(), 2 * kSlabBytes);
  window_.trim(Timestamp{5});
  EXPECT_EQ(window_.oldest(), Timestamp{5});
  EXPECT_EQ(window_.bytes(), kSlabBytes);
  window_.trim(Timestamp{4});
  EXPECT_EQ(window_.oldest(), Timestamp{5}) << "it does not go back";
  modify(3, 5, {kInt});
  EXPECT_EQ(window_.bytes(), kSlabBytes) << "of an update that nobody asks before, nothing is recorded";
  window_.trim(Timestamp{6});
  EXPECT_EQ(window_.bytes(), 0u);
}

TEST_F(WindowTest, KeepsASlabAsLongAsAnythingInItMayBeAskedFor) {
  while (window_.bytes() < 2 * kSlabBytes) {
    modify(7, 5, {kText, kWide, kInt});
  }
  const Cells row = row_now(7);
  modify(7, 6, {kText, kInt});
  window_.trim(Timestamp{5});
  EXPECT_EQ(window_.bytes(), kSlabBytes);
  EXPECT_EQ(row_at(7, 5), row);
  EXPECT_EQ(recent(0, 5), (std::vector<uint32_t>{7}));
}

TEST_F(WindowTest, DropsTheOldestWhereItIsFull) {
  uint64_t timestamp = 0;
  while (window_.oldest() == Timestamp{0}) {
    modify(static_cast<uint32_t>(below(random_, filled_.store.slot_count())), ++timestamp, {kText, kWide, kInt});
    ASSERT_LE(window_.bytes(), kBytesMax);
    ASSERT_LT(timestamp, 1'000'000u);
  }
  EXPECT_LT(window_.oldest(), Timestamp{timestamp});
  const uint64_t oldest = raw(window_.oldest());
  const Cells row = row_now(9);
  modify(9, timestamp + 1, {kText});
  EXPECT_EQ(row_at(9, timestamp), row);
  EXPECT_GE(raw(window_.oldest()), oldest);
}

class SmallestWindowTest : public WindowTest {
 protected:
  SmallestWindowTest() : WindowTest(kSlabBytes - 1) {}
};

TEST_F(SmallestWindowTest, WithoutRoomOnlyThePresentIsAnswered) {
  modify(3, 5, {kInt});
  EXPECT_EQ(window_.oldest(), Timestamp{5});
  EXPECT_EQ(row_at(3, 5), row_now(3));
  EXPECT_EQ(window_.bytes(), 0u);
}

class NoWindowTest : public WindowTest {
 protected:
  NoWindowTest() : WindowTest(0) {}
};

TEST_F(NoWindowTest, RecordsNothing) {
  modify(3, 5, {kInt});
  remove(4, 6);
  insert(4, 7);
  EXPECT_EQ(window_.oldest(), Timestamp{UINT64_MAX});
  EXPECT_EQ(window_.bytes(), 0u);
  EXPECT_FALSE(window_.has_recent(0, Timestamp{0}));
}

}  // namespace
}  // namespace daedalus::engine::test

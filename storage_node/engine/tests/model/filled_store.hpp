// A chunk store with random rows of the test table in it, and the same rows as plain values.
#pragma once

#include <functional>

#include "chunk_store.hpp"
#include "daedalus/semantics/packed.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

struct FilledStore {
  /// Makes the row of a slot.
  using MakeRow = std::function<Row(Random&, int64_t slot)>;

  /// Fills `live_percent` of all slots; the others hold a row that was deleted.
  FilledStore(Random& random, uint32_t chunk_rows, uint32_t chunk_count, uint32_t live_percent,
              const MakeRow& make_row = random_row)
      : layout(test_schema(), test_codec()), store(layout, chunk_rows, memory_for(layout, chunk_rows, chunk_count)) {
    const std::vector<semantics::Type> types = semantics::column_types(test_schema());
    for (uint32_t slot = 0; slot < store.slot_count(); ++slot) {
      rows.push_back(make_row(random, slot));
      std::string packed;
      semantics::append_packed_row(types, rows.back(), packed);
      packed.erase(0, sizeof(uint32_t));
      const uint32_t chunk = slot / chunk_rows;
      EXPECT_EQ(layout.codec.store_row(layout.codec.context, reinterpret_cast<const uint8_t*>(packed.data()),
                                       static_cast<uint32_t>(packed.size()), store.planes(chunk), store.nulls(chunk),
                                       slot % chunk_rows),
                0);
      is_live.push_back(below(random, 100) < live_percent);
      if (is_live.back()) {
        store.mark_live(chunk, slot % chunk_rows);
      }
    }
  }

  TableLayout layout;
  ChunkStore store;
  std::vector<Row> rows;  ///< By slot.
  std::vector<bool> is_live;

 private:
  static uint64_t memory_for(const TableLayout& layout, uint32_t chunk_rows, uint32_t chunk_count) {
    return uint64_t{chunk_count} * ChunkStore(layout, chunk_rows, 1).memory_bytes();
  }
};

/// How rows may reach whoever takes them.
enum class Feed { kSelections, kLists, kSingleRows, kMixed };
constexpr Feed kFeeds[] = {Feed::kSelections, Feed::kLists, Feed::kSingleRows, Feed::kMixed};

/// Hands all live rows to `taker` in order. take(chunk, rows, count) and take_selection(chunk, bitmap) of the taker.
template <typename Take, typename TakeSelection>
void feed(const FilledStore& filled, Feed how, Random& random, Take&& take, TakeSelection&& take_selection) {
  for (uint32_t chunk = 0; chunk < filled.store.chunk_count(); ++chunk) {
    const ChunkView view = filled.store.view(chunk);
    std::vector<uint32_t> rows(view.row_count);
    rows.resize(list_rows(view.live, view.word_count(), rows.data()));
    const Feed now = how == Feed::kMixed ? kFeeds[below(random, 3)] : how;
    if (now == Feed::kSelections) {
      take_selection(chunk, view.live);
    } else if (now == Feed::kLists) {
      take(chunk, rows.data(), static_cast<uint32_t>(rows.size()));
    } else {
      for (const uint32_t row : rows) {
        take(chunk, &row, 1);
      }
    }
  }
}

}  // namespace daedalus::engine::test

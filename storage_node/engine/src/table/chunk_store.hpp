// The memory of a segment: chunks of rows, each column of a chunk contiguous, reached through a directory of planes.
// A column's planes lie one behind the other, chunk by chunk, and so do bitmaps: what a sweep reads of them is one run
// of addresses.
//
// Behind them there is room for a few recent chunks: rows as they were at moments that queries of a cycle see, laid out
// for that cycle and no part of the table.
//
// Decides where every byte of a row lies and which rows are live. Refuses to know operations: slots are handed out by
// SlotAllocator, values are written by the codec and by updates.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chunk_shape.hpp"
#include "daedalus/base/units.hpp"
#include "kernels_bitmap.hpp"
#include "kernels_window.hpp"
#include "native.hpp"
#include "reserved_memory.hpp"

namespace daedalus::engine {

/// No chunk has this: see ChunkView::contents.
constexpr uint64_t kNoContents = UINT64_MAX;

/// One chunk as a scan sees it. Bitmaps have bitmap_words(row_count) words.
struct ChunkView {
  const uint8_t* const* planes = nullptr;  ///< By column; strings beyond eight bytes begin here.
  const uint8_t* const* tails = nullptr;   ///< By column: what is left of them. Null for a column without tails.
  const uint64_t* const* nulls = nullptr;  ///< By column; set: NULL. All zero for a column that forbids NULL.
  const uint64_t* live = nullptr;          ///< Rows that whoever has the view may look at; ChunkStore's has all.
  uint32_t row_count = 0;  ///< Slots, live or not; a multiple of 64. Behind every plane eight bytes may be read.
  uint32_t number = 0;     ///< The chunk's number in its store.
  uint64_t contents = 0;   ///< Names what is in it: whoever remembers something of a chunk has to compare it.

  [[nodiscard]] uint32_t word_count() const { return row_count / 64; }
};

/// Returns where a row's value of a column lies.
[[nodiscard]] inline StoredValue value_at(const ColumnLayout& layout, const ChunkView& chunk, uint32_t column,
                                          uint32_t row) {
  return {chunk.planes[column] + size_t{row} * layout.stride, chunk.tails[column] + size_t{row} * layout.tail_width()};
}

/// A row of a recent chunk, which is a version of a slot of the table.
struct RecentRow {
  uint32_t row = 0;
  uint32_t slot = 0;
};

class ChunkStore {
 public:
  /// The layout outlives this object.
  ChunkStore(const TableLayout& layout, ChunkShape shape);
  /// As many whole chunks of `chunk_rows` rows as `memory_bytes` holds, at least one.
  ChunkStore(const TableLayout& layout, uint32_t chunk_rows, uint64_t memory_bytes);

  [[nodiscard]] uint32_t chunk_count() const { return chunk_count_; }
  [[nodiscard]] uint32_t chunk_rows() const { return chunk_rows_; }
  [[nodiscard]] uint32_t slot_count() const { return chunk_count_ * chunk_rows_; }
  [[nodiscard]] uint64_t memory_bytes() const { return memory_.size(); }
  /// Bytes of one row's values, without NULL bits and whatever else is kept beside them.
  [[nodiscard]] uint32_t row_bytes() const { return row_bytes_; }
  /// See ReservedMemory.
  MemoryPlacement settle_memory(std::optional<uint32_t> numa_node) { return memory_.settle(numa_node); }
  /// Precondition: a chunk of the table.
  [[nodiscard]] uint32_t live_rows(uint32_t chunk) const { return live_rows_[chunk]; }
  /// The last update that touched a row of the chunk.
  [[nodiscard]] Timestamp changed(uint32_t chunk) const { return changed_[chunk]; }
  void mark_changed(uint32_t chunk, Timestamp changed) { changed_[chunk] = changed; }

  [[nodiscard]] ChunkView view(uint32_t chunk) const {
    if (is_recent(chunk)) {
      return recent_view(chunk);
    }
    return {.planes = planes(chunk),
            .tails = planes(chunk) + column_count_,
            .nulls = nulls(chunk),
            .live = live(chunk),
            .row_count = chunk_rows_,
            .number = chunk,
            .contents = chunk};
  }
  /// Mutable planes of a chunk: by column, then those of tails by column (TableLayout::tail_plane).
  [[nodiscard]] uint8_t* const* planes(uint32_t chunk) const {
    return planes_.data() + size_t{chunk} * 2 * column_count_;
  }
  /// Mutable NULL bitmaps of a chunk, by column.
  [[nodiscard]] uint64_t* const* nulls(uint32_t chunk) const { return nulls_.data() + size_t{chunk} * column_count_; }

  /// One byte a row: which bucket of its histogram the value falls into. What is there is the business of Sketches.
  [[nodiscard]] uint8_t* sketch(uint32_t chunk, uint32_t column) const {
    return is_recent(chunk) ? recent(chunk).store->sketch(0, column) : sketches_[column] + size_t{chunk} * chunk_rows_;
  }

  /// Returns all sketch bytes row by row: row r's begin at r · row_sketch_bytes(), one a column, for the first columns.
  [[nodiscard]] uint8_t* row_sketches(uint32_t chunk) const {
    return is_recent(chunk) ? recent(chunk).store->row_sketches(0)
                            : row_sketches_ + size_t{chunk} * chunk_rows_ * row_sketch_bytes_;
  }
  [[nodiscard]] uint32_t row_sketch_bytes() const { return row_sketch_bytes_; }

  /// The row becomes visible. Precondition: it is not live.
  void mark_live(uint32_t chunk, uint32_t row);
  /// The row is gone; its bytes stay until the slot is used again. Precondition: it is live.
  void mark_dead(uint32_t chunk, uint32_t row);
  /// The rows of a bitmap are gone; returns how many. Precondition: all are live.
  uint32_t mark_dead(uint32_t chunk, const uint64_t* rows);
  /// Exactly these rows are live. Precondition: none was before.
  void mark_loaded(uint32_t chunk, std::span<const uint64_t> rows);

  /// Returns whether this is the number of a recent chunk: chunk_count() or one that follows it.
  [[nodiscard]] bool is_recent(uint32_t chunk) const { return chunk >= chunk_count_; }
  /// Makes planes and bitmaps of a recent chunk, where it has none yet: its rows may then be written.
  void make_recent(uint32_t chunk);
  /// These rows of a recent chunk have been written: they are live, and no others. Whoever remembers something of the
  /// rows that were there before finds that its contents are others. Held rows of earlier fillings are read again, so
  /// views reach to them, too. `rows`, `held`: bitmap_words(chunk_rows()) words.
  void fill_recent(uint32_t chunk, std::span<const uint64_t> rows, std::span<const uint64_t> held);

 private:
  /// A store of one chunk of its own: there is memory for it from the cycle on that needs it first.
  struct Recent {
    std::unique_ptr<ChunkStore> store;
    uint32_t word_count = 0;  ///< Words up to the last one that marks a live or held row.
    uint64_t contents = 0;
  };

  [[nodiscard]] const Recent& recent(uint32_t chunk) const { return recent_[chunk - chunk_count_]; }
  [[nodiscard]] ChunkView recent_view(uint32_t chunk) const;
  [[nodiscard]] uint64_t* live(uint32_t chunk) const { return live_ + size_t{chunk} * bitmap_words(chunk_rows_); }
  void lay_out();

  const TableLayout* layout_;
  uint32_t chunk_rows_;
  uint32_t column_count_;
  uint32_t row_sketch_bytes_;
  uint32_t chunk_count_;
  uint32_t row_bytes_;
  ReservedMemory memory_;
  std::vector<uint64_t> no_nulls_;  ///< Shared by all columns that forbid NULL; never set.
  std::vector<uint8_t*> planes_;    ///< (chunk · 2 + is_tail) · columns + column, recent chunks included
  std::vector<uint64_t*> nulls_;    ///< chunk · columns + column, recent chunks included
  std::vector<uint8_t*> sketches_;  ///< By column.
  uint8_t* row_sketches_ = nullptr;
  uint64_t* live_ = nullptr;
  std::vector<uint32_t> live_rows_;
  std::vector<Timestamp> changed_;
  std::vector<Recent> recent_;
  uint64_t fillings_ = 0;  ///< Counts how often recent chunks were filled.
};

}  // namespace daedalus::engine

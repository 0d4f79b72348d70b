// One byte per value: the bucket it falls into. Ranges over sketches find few rows too many at an eighth of the bytes.
//
// Every column has a plane of them for whole chunks, and every row has them side by side for a single look at all of
// its columns. Decides when a column's buckets are drawn anew and when a chunk's bytes are made: at the beginning of
// cycles, a bounded part at a time. From then on every write keeps them true. Refuses to know queries.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chunk_store.hpp"
#include "histogram.hpp"
#include "kernels_probe.hpp"

namespace daedalus::engine {

class Sketches {
 public:
  /// planes_per_cycle_max: columns of a chunk that are made in one cycle, at most. Each takes about 0.1 ms.
  Sketches(const TableLayout& layout, ChunkStore& store, uint32_t planes_per_cycle_max);

  /// Draws what buckets and makes what bytes are due, as far as one cycle's bounds allow. Histograms stay as they are
  /// until the next cycle begins.
  void begin_cycle();

  /// An old one, or one that knows nothing, while a new one is due.
  [[nodiscard]] const Histogram& histogram(uint32_t column) const { return columns_[column].histogram; }

  /// Live rows of the table when histograms were last drawn.
  [[nodiscard]] uint64_t row_count() const { return rows_; }

  /// The bytes of a chunk's column; null while they do not exist.
  [[nodiscard]] const uint8_t* bytes(uint32_t chunk, uint32_t column) const {
    return is_made(chunk, column) ? store_->sketch(chunk, column) : nullptr;
  }

  /// Returns those of a key's columns: one, or two.
  [[nodiscard]] PairPlanes bytes(uint32_t chunk, std::span<const uint32_t> key) const {
    return {bytes(chunk, key.front()), bytes(chunk, key.back())};
  }

  /// The bytes of rows with these values in a key's columns, one or two.
  [[nodiscard]] std::pair<uint8_t, uint8_t> pair_of(std::span<const uint32_t> key,
                                                    std::span<const CodedValue> members) const {
    return {histogram(key.front()).bucket(members.front().code), histogram(key.back()).bucket(members.back().code)};
  }

  /// Returns those of some columns in the chunk after this one, as far as they exist.
  [[nodiscard]] AheadPlanes bytes_after(uint32_t chunk, std::span<const uint32_t> columns) const;

  /// The bytes of a chunk's rows (ChunkStore::row_sketches); null while those of any column do not exist.
  [[nodiscard]] const uint8_t* rows(uint32_t chunk) const;

  /// A row got another value in one column, or in all because it is new; any other change to a row. How many there
  /// were decides when buckets are drawn anew.
  void on_write(uint32_t chunk, uint32_t row, uint32_t column);
  void on_insert(uint32_t chunk, uint32_t row);
  /// Fetches what on_write() will change.
  void prefetch_write(uint32_t chunk, uint32_t row, uint32_t column) const;
  void on_change() { ++changes_; }
  /// These columns of rows of a recent chunk were laid out: their bytes that there are histograms for exist at once.
  /// They are those of the rows' slots; on_write() says of which values that is not true. Those of other columns do not
  /// exist.
  void on_recent(uint32_t chunk, std::span<const RecentRow> rows, std::span<const uint32_t> columns);
  /// So many rows were loaded, before the first cycle: what is due for them is due at once.
  void on_load(uint64_t rows);

 private:
  struct Column {
    Histogram histogram;
    uint32_t version = 0;       ///< 0: no histogram yet.
    uint64_t changes_then = 0;  ///< The table's changes when the histogram was drawn.
  };

  [[nodiscard]] bool is_made(uint32_t chunk, uint32_t column) const {
    const uint32_t made = made_[size_t{chunk} * columns_.size() + column];
    return made != 0 && made == columns_[column].version;
  }
  [[nodiscard]] bool is_due(const Column& column) const;
  [[nodiscard]] bool is_settled(uint32_t chunk) const;

  void draw_due();
  void make_due();
  void draw(uint32_t column);
  void draw_sample();
  void make(uint32_t chunk, uint32_t column);
  void copy_of_slots(uint32_t chunk, std::span<const RecentRow> rows, uint32_t column);
  [[nodiscard]] uint8_t bucket_of(uint32_t chunk, uint32_t row, uint32_t column) const;

  const TableLayout* layout_;
  ChunkStore* store_;
  uint32_t planes_per_cycle_max_;
  uint64_t changes_ = 0;
  uint64_t changes_before_ = 0;  ///< When the last cycle began.
  uint32_t next_column_ = 0;     ///< To look at for a new histogram.
  uint32_t next_chunk_ = 0;      ///< To look at for bytes to be made.
  std::vector<Column> columns_;
  std::vector<uint32_t> made_;            ///< chunk · columns + column: the version of its bytes, 0 for none.
  uint64_t rows_ = 0;                     ///< Live ones, when the sample was drawn.
  std::vector<uint32_t> sample_;          ///< Slots of live rows.
  uint64_t sample_changes_ = UINT64_MAX;  ///< The table's changes when those rows were chosen.
};

}  // namespace daedalus::engine

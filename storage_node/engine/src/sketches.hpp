// One byte per value: the bucket it falls into. Ranges over a sketch find few rows too many at an eighth of the bytes.
//
// Decides when a column's buckets are drawn anew and when a chunk's bytes are made: the first sweeps that want them
// make them, a bounded number a cycle. From then on every write keeps them true. Refuses to know queries.
#pragma once

#include <cstdint>
#include <vector>

#include "chunk_store.hpp"
#include "histogram.hpp"

namespace daedalus::engine {

class Sketches {
 public:
  /// planes_per_cycle_max: columns of a chunk that are made in one cycle, at most. uses_min: predicates that have to
  /// ask for a column before its sketch is made.
  Sketches(const TableLayout& layout, ChunkStore& store, uint32_t planes_per_cycle_max, uint64_t uses_min);

  void begin_cycle() {
    planes_left_ = planes_per_cycle_max_;
    draws_left_ = kDrawsPerCycleMax;
  }

  /// The column's histogram, drawn now when there is none or the table has changed much since; but of a few columns a
  /// cycle only, and until then an old one, or one that knows nothing.
  [[nodiscard]] const Histogram& histogram(uint32_t column);
  [[nodiscard]] const CodeRule& rule(uint32_t column) const { return columns_[column].rule; }

  /// Notes that `uses` predicates could be answered from the column's sketch. Few uses do not make it worth making.
  void want(uint32_t column, uint32_t uses) { columns_[column].uses += uses; }

  /// The bytes of a chunk's column, made now if that is due; null while they do not exist.
  [[nodiscard]] const uint8_t* bytes(uint32_t chunk, uint32_t column);

  /// A row got another value in one column, or in all because it is new; any other change to a row. How many there
  /// were decides when buckets are drawn anew.
  void on_write(uint32_t chunk, uint32_t row, uint32_t column);
  void on_insert(uint32_t chunk, uint32_t row);
  void on_change() { ++changes_; }

 private:
  /// Each reads 2,048 rows from all over the segment: about 0.3 ms.
  static constexpr uint32_t kDrawsPerCycleMax = 16;

  struct Column {
    CodeRule rule;
    Histogram histogram;
    uint32_t version = 0;       ///< 0: no histogram yet.
    uint64_t changes_then = 0;  ///< Of the table, when it was drawn.
    uint64_t rows_then = 0;
    uint64_t uses = 0;
  };

  void draw(uint32_t column);
  void make(uint32_t chunk, uint32_t column);
  void draw_sample();
  [[nodiscard]] uint64_t live_rows() const;
  [[nodiscard]] uint8_t bucket_of(uint32_t chunk, uint32_t row, uint32_t column) const;

  const TableLayout* layout_;
  ChunkStore* store_;
  uint32_t planes_per_cycle_max_;
  uint64_t uses_min_;
  uint32_t planes_left_ = 0;
  uint32_t draws_left_ = 0;
  uint64_t changes_ = 0;
  std::vector<Column> columns_;
  std::vector<uint32_t> made_;            ///< chunk · columns + column: the version of its bytes, 0 for none.
  std::vector<uint32_t> sample_;          ///< Slots of live rows.
  uint64_t sample_changes_ = UINT64_MAX;  ///< Of the table, when they were chosen.
};

}  // namespace daedalus::engine

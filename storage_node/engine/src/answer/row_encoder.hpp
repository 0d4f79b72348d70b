// Packed rows of one answer, bounded.
//
// Decides how a row's values are read: those of the table's columns row by row, computed ones from vectors of a batch.
// Decides when an answer has become too large. Refuses to know why a row is in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "answer_flow.hpp"
#include "column_vector.hpp"
#include "histogram.hpp"
#include "kernels_window.hpp"
#include "prefetch.hpp"
#include "row_outputs.hpp"

namespace daedalus::engine {

class RowEncoder {
 public:
  enum class Appended : uint8_t {
    kFine,
    kTooLarge,  ///< The answer would exceed its bytes.
    kNoMemory,  ///< All answers together would.
  };

  /// All outlive this object; flow is asked for the memory that rows take.
  RowEncoder(const TableLayout& layout, const RowOutputs& outputs, AnswerFlow& flow)
      : layout_(&layout), outputs_(&outputs), flow_(&flow), memory_(flow.memory) {}

  /// Appends rows up to the first that does not fit any more. `sketches`: where NULLs are known from without a look at
  /// each column's bitmap; the line of a row that was found through them is in the caches already. Row by row, which
  /// beats column by column as long as the rows of an answer lie far apart. Cost: the rows' bytes, and a cache miss a
  /// value; amortised, the buffer doubles.
  /// An error is that of a computed column.
  [[nodiscard]] Result<Appended> append(const RowBatch& batch, const RowSketches& sketches);

  /// Fetches the values of table columns that append() will read of a row.
  void prefetch(const ChunkView& chunk, uint32_t row, const RowSketches& sketches) const {
    const uint8_t* sketch = sketches.of(row);
    for (const RowOutputs::Output output : outputs_->all()) {
      if (outputs_->is_computed(output)) {
        continue;
      }
      bool is_known_null = false;
      if (sketch != nullptr && output < kRowSketchColumnsMax) {
        is_known_null = sketch[output] == kNullBucket;
      } else {
        fetch_ahead(chunk.nulls[output] + row / 64);
      }
      // Nothing is read where there is NULL. Which that is cannot be predicted: not a branch, but another address.
      const semantics::PackedColumn column = layout_->packed[output];
      const uint8_t* value = chunk.planes[output] + size_t{row} * column.stride();
      fetch_ahead(is_known_null ? sketch : value);
      if (column.has_tail()) {
        fetch_ahead(is_known_null ? sketch : chunk.tails[output] + size_t{row} * column.tail_width());
      }
    }
  }

  /// Fetches what prefetch() reads of this object's memory.
  void prefetch_outputs() const { fetch_ahead(outputs_->all().data()); }

  /// Rows appended, those taken included.
  [[nodiscard]] uint64_t row_count() const { return row_count_; }
  /// Bytes of them.
  [[nodiscard]] uint64_t total_bytes() const { return taken_bytes_ + used_; }
  /// Returns what one row may take.
  [[nodiscard]] uint32_t row_size_max() const { return outputs_->row_size_max(); }
  /// Bytes of rows that wait here.
  [[nodiscard]] uint64_t waiting_bytes() const { return used_; }

  /// Says what lies before a boundary between two rows of the answer.
  struct Position {
    uint64_t bytes = 0;
    uint64_t rows = 0;
  };
  /// Returns the position behind all rows so far.
  [[nodiscard]] Position position() const { return {total_bytes(), row_count_}; }
  /// Takes back the rows between two positions. Precondition: they wait here. Cost: those behind them are moved.
  void drop(Position first, Position end);

  /// Hands over what waits here; more may follow.
  [[nodiscard]] AnswerRows take();

 private:
  [[nodiscard]] Result<void> compute(const RowBatch& batch);
  void put_computed(size_t place, uint32_t position, semantics::PackedRowWriter& writer) const;
  [[nodiscard]] Appended append_row(const RowBatch& batch, uint32_t position, const uint8_t* sketch);
  [[nodiscard]] uint32_t write_row(const RowBatch& batch, uint32_t position, const uint8_t* sketch, uint8_t* out) const;

  const TableLayout* layout_;
  const RowOutputs* outputs_;
  std::vector<ColumnVector> computed_;  ///< Computed columns of the batch that is being appended.
  AnswerFlow* flow_;
  MemoryShare memory_;          ///< The memory that buffer_ takes.
  mutable std::string packed_;  ///< Holds the bytes of one value.
  std::string buffer_;          ///< used_ bytes of rows, then room.
  uint64_t used_ = 0;
  uint64_t taken_bytes_ = 0;
  uint64_t taken_rows_ = 0;
  uint64_t row_count_ = 0;
};

}  // namespace daedalus::engine

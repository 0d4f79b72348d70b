// Packed rows of one answer, bounded.
//
// Decides how a row's values are read: those of the table's columns row by row, computed ones from vectors of a batch.
// Decides when an answer has become too large. Refuses to know why a row is in it.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include "answer_flow.hpp"
#include "column_vector.hpp"
#include "daedalus/semantics/packed_writer.hpp"
#include "histogram.hpp"
#include "kernels_window.hpp"
#include "prefetch.hpp"

namespace daedalus::engine {

class RowEncoder {
 public:
  enum class Appended : uint8_t {
    kFine,
    kTooLarge,  ///< The answer would exceed its bytes.
    kNoMemory,  ///< All answers together would.
  };

  /// layout, flow: outlive this object; flow is asked for the memory that rows take. memory: for what is made here
  /// once.
  RowEncoder(const TableLayout& layout, uint32_t output_count, AnswerFlow& flow, std::pmr::memory_resource& memory);

  /// Rows get one more column, up to `output_count`. Precondition: no row has been appended.
  void add_output(const ColumnSource& output);

  /// Appends rows up to the first that does not fit any more. `sketches`: where NULLs are known from without a look at
  /// each column's bitmap; the line of a row that was found through them is in the caches already. Row by row, which
  /// beats column by column as long as the rows of an answer lie far apart. Cost: the rows' bytes, and a cache miss a
  /// value; amortised, the buffer doubles.
  /// An error is that of a computed column.
  [[nodiscard]] Result<Appended> append(const RowBatch& batch, const RowSketches& sketches);

  /// Fetches the values of table columns that append() will read of a row.
  void prefetch(const ChunkView& chunk, uint32_t row, const RowSketches& sketches) const {
    const uint8_t* sketch = sketches.of(row);
    for (const Output output : outputs_) {
      if (is_computed(output)) {
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
  void prefetch_outputs() const { fetch_ahead(outputs_.data()); }

  /// Rows appended, those taken included.
  [[nodiscard]] uint64_t row_count() const { return row_count_; }
  /// Bytes of them.
  [[nodiscard]] uint64_t total_bytes() const { return taken_bytes_ + used_; }
  /// What one row may take.
  [[nodiscard]] uint32_t row_size_max() const { return row_size_max_; }
  /// Bytes of rows that wait here.
  [[nodiscard]] uint64_t waiting_bytes() const { return used_; }

  /// Hands over what waits here; more may follow.
  [[nodiscard]] AnswerRows take();

 private:
  /// A column of the table; behind those the computed ones. Small, because thousands of queries have dozens of them
  /// and each is read when no cache knows it any more.
  using Output = uint16_t;
  struct Computed {
    ColumnSource source;
    semantics::PackedColumn packed;  ///< Nothing of a numeric without bound.
    ColumnVector vector;             ///< Of the batch that is being appended.
  };

  [[nodiscard]] bool is_computed(Output output) const { return output >= layout_->packed.size(); }
  [[nodiscard]] Result<void> compute(const RowBatch& batch);
  void put_computed(const Computed& computed, uint32_t position, semantics::PackedRowWriter& writer) const;
  [[nodiscard]] Appended append_row(const RowBatch& batch, uint32_t position, const uint8_t* sketch);
  [[nodiscard]] uint32_t write_row(const RowBatch& batch, uint32_t position, const uint8_t* sketch, uint8_t* out) const;

  const TableLayout* layout_;
  std::pmr::vector<Output> outputs_;
  std::vector<Computed> computed_;
  AnswerFlow* flow_;
  MemoryShare memory_;  ///< Of buffer_.
  uint32_t row_size_max_;
  mutable std::string packed_;  ///< Of one value.
  std::string buffer_;          ///< used_ bytes of rows, then room.
  uint64_t used_ = 0;
  uint64_t taken_bytes_ = 0;
  uint64_t taken_rows_ = 0;
  uint64_t row_count_ = 0;
};

}  // namespace daedalus::engine

// Packed rows of one answer, bounded.
//
// Decides when an answer has become too large. Refuses to know why a row is in it.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "answer_flow.hpp"
#include "chunk_store.hpp"

namespace daedalus::engine {

/// Most bytes that one packed row of these columns takes, its size included.
[[nodiscard]] uint32_t packed_row_size_max(const TableLayout& layout, std::span<const uint32_t> columns);

class RowEncoder {
 public:
  enum class Appended : uint8_t {
    kFine,
    kTooLarge,  ///< The answer would exceed its bytes.
    kNoMemory,  ///< All answers together would.
  };

  /// flow: outlives this object; asked for the memory that rows take.
  RowEncoder(const TableLayout& layout, std::pmr::vector<uint32_t> columns, AnswerFlow& flow);

  /// Appends one row, unless it does not fit any more. Cost: the row's bytes; amortised, the buffer doubles.
  [[nodiscard]] Appended append(const ChunkView& chunk, uint32_t row);

  /// Fetches the values that append() will read.
  void prefetch(const ChunkView& chunk, uint32_t row) const {
    for (const uint32_t column : columns_) {
      __builtin_prefetch(chunk.planes[column] + size_t{row} * layout_->columns[column].width);
      __builtin_prefetch(chunk.nulls[column] + row / 64);
    }
  }

  /// Rows appended, those taken included.
  [[nodiscard]] uint64_t row_count() const { return row_count_; }
  /// Bytes of rows that wait here.
  [[nodiscard]] uint64_t waiting_bytes() const { return used_; }

  struct Rows {
    std::string bytes;
    uint64_t count = 0;
  };

  /// Hands over what waits here and gives its memory back; more may follow.
  [[nodiscard]] Rows take();

 private:
  const TableLayout* layout_;
  std::pmr::vector<uint32_t> columns_;
  AnswerFlow* flow_;
  MemoryShare memory_;  ///< Of buffer_.
  uint32_t row_size_max_;
  std::string buffer_;  ///< used_ bytes of rows, then room.
  uint64_t used_ = 0;
  uint64_t taken_bytes_ = 0;
  uint64_t taken_rows_ = 0;
  uint64_t row_count_ = 0;
};

}  // namespace daedalus::engine

// Packed rows of one answer, bounded.
//
// Decides when an answer has become too large. Refuses to know why a row is in it.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "chunk_store.hpp"

namespace daedalus::engine {

/// Most bytes that one packed row of these columns takes, its size included.
[[nodiscard]] uint32_t packed_row_size_max(const TableLayout& layout, std::span<const uint32_t> columns);

class RowEncoder {
 public:
  RowEncoder(const TableLayout& layout, std::pmr::vector<uint32_t> columns, uint64_t bytes_max);

  /// Appends one row; false when it does not fit any more.
  [[nodiscard]] bool append(const ChunkView& chunk, uint32_t row);

  /// Fetches the values that append() will read.
  void prefetch(const ChunkView& chunk, uint32_t row) const {
    for (const uint32_t column : columns_) {
      __builtin_prefetch(chunk.planes[column] + size_t{row} * layout_->columns[column].width);
      __builtin_prefetch(chunk.nulls[column] + row / 64);
    }
  }

  [[nodiscard]] uint64_t row_count() const { return row_count_; }

  /// Hands the rows over. Ends this object's use.
  [[nodiscard]] std::string finish();

 private:
  const TableLayout* layout_;
  std::pmr::vector<uint32_t> columns_;
  uint64_t bytes_max_;
  uint32_t row_size_max_;
  std::string buffer_;  ///< used_ bytes of rows, then room.
  uint64_t used_ = 0;
  uint64_t row_count_ = 0;
};

}  // namespace daedalus::engine

#include "row_encoder.hpp"

#include <algorithm>

namespace daedalus::engine {

uint32_t packed_row_size_max(const TableLayout& layout, std::span<const uint32_t> columns) {
  size_t size = sizeof(uint32_t) + (columns.size() + 7) / 8;
  for (const uint32_t column : columns) {
    const ColumnLayout& plane = layout.columns[column];
    size += plane.width + (plane.native == Native::kBytes ? sizeof(uint16_t) : 0);
  }
  CHECK(size <= UINT32_MAX);
  return static_cast<uint32_t>(size);
}

RowEncoder::RowEncoder(const TableLayout& layout, std::pmr::vector<uint32_t> columns, uint64_t bytes_max)
    : layout_(&layout),
      columns_(std::move(columns)),
      bytes_max_(bytes_max),
      row_size_max_(packed_row_size_max(layout, columns_)) {}

bool RowEncoder::append(const ChunkView& chunk, uint32_t row) {
  if (buffer_.size() - used_ < row_size_max_) {
    buffer_.resize(std::max<uint64_t>(buffer_.size() * 2, used_ + row_size_max_));
  }
  const uint32_t written = layout_->codec.load_row(layout_->codec.context, chunk.planes, chunk.nulls, row,
                                                   columns_.data(), static_cast<uint32_t>(columns_.size()),
                                                   reinterpret_cast<uint8_t*>(buffer_.data() + used_), row_size_max_);
  CHECK(written > 0 && written <= row_size_max_);
  if (used_ + written > bytes_max_) {
    return false;
  }
  used_ += written;
  ++row_count_;
  return true;
}

std::string RowEncoder::finish() {
  buffer_.resize(used_);
  return std::move(buffer_);
}

}  // namespace daedalus::engine

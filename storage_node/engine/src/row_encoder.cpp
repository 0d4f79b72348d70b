#include "row_encoder.hpp"

#include <algorithm>
#include <utility>

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

RowEncoder::RowEncoder(const TableLayout& layout, std::pmr::vector<uint32_t> columns, AnswerFlow& flow)
    : layout_(&layout),
      columns_(std::move(columns)),
      flow_(&flow),
      memory_(flow.memory),
      row_size_max_(packed_row_size_max(layout, columns_)) {}

RowEncoder::Appended RowEncoder::append(const ChunkView& chunk, uint32_t row) {
  if (buffer_.size() - used_ < row_size_max_) {
    const uint64_t wanted = std::max<uint64_t>(buffer_.size() * 2, used_ + row_size_max_);
    if (!memory_.add(wanted - buffer_.size())) {
      return Appended::kNoMemory;
    }
    buffer_.resize(wanted);
  }
  const uint32_t written = layout_->codec.load_row(layout_->codec.context, chunk.planes, chunk.nulls, row,
                                                   columns_.data(), static_cast<uint32_t>(columns_.size()),
                                                   reinterpret_cast<uint8_t*>(buffer_.data() + used_), row_size_max_);
  CHECK(written > 0 && written <= row_size_max_);
  if (taken_bytes_ + used_ + written > flow_->answer_bytes_max) {
    return Appended::kTooLarge;
  }
  used_ += written;
  ++row_count_;
  return Appended::kFine;
}

RowEncoder::Rows RowEncoder::take() {
  memory_.release();
  buffer_.resize(used_);
  Rows rows{std::exchange(buffer_, {}), row_count_ - taken_rows_};
  taken_bytes_ += used_;
  taken_rows_ = row_count_;
  used_ = 0;
  return rows;
}

}  // namespace daedalus::engine

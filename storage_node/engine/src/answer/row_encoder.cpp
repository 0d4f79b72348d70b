#include "row_encoder.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine {
namespace {

/// Rows that computed columns are made for at a time.
constexpr uint32_t kComputedRowsMax = 1024;
/// How many rows ahead values are fetched: each has many, in a place of its own.
constexpr uint32_t kFetchAhead = 2;

}  // namespace

Result<RowEncoder::Appended> RowEncoder::append(const RowBatch& batch, const RowSketches& sketches) {
  if (!outputs_->computed().empty() && batch.count > kComputedRowsMax) {
    Result<Appended> appended = Appended::kFine;
    for (uint32_t first = 0; first < batch.count && appended && *appended == Appended::kFine;
         first += kComputedRowsMax) {
      appended = append(part_of(batch, first, std::min(kComputedRowsMax, batch.count - first)), sketches);
    }
    return appended;
  }
  if (const Result<void> computed = compute(batch); !computed) {
    return computed.error();
  }
  for (uint32_t position = 0; position < batch.count; ++position) {
    if (position + kFetchAhead < batch.count) {
      prefetch(*batch.chunk, batch.row(position + kFetchAhead), sketches);
    }
    const Appended appended = append_row(batch, position, sketches.of(batch.row(position)));
    if (appended != Appended::kFine) {
      return appended;
    }
  }
  return Appended::kFine;
}

Result<void> RowEncoder::compute(const RowBatch& batch) {
  const std::vector<RowOutputs::Computed>& outputs = outputs_->computed();
  flow_->rooms.resize(std::max(flow_->rooms.size(), outputs.size()));
  computed_.clear();
  for (size_t place = 0; place < outputs.size(); ++place) {
    const Result<ColumnVector> vector = outputs[place].source.read(batch, flow_->rooms[place]);
    if (!vector) {
      return vector.error();
    }
    computed_.push_back(*vector);
  }
  return {};
}

void RowEncoder::put_computed(size_t place, uint32_t position, semantics::PackedRowWriter& writer) const {
  const RowOutputs::Computed& output = outputs_->computed()[place];
  const ColumnVector& vector = computed_[place];
  const ColumnLayout& layout = output.source.layout();
  const bool is_null = vector.nulls != nullptr && test_bit(vector.nulls, position);
  if (layout.native == Native::kDecimal) {
    if (is_null) {
      writer.put_null();
      return;
    }
    packed_.clear();
    semantics::append_packed(layout.type, vector.boxed[position], packed_);
    writer.put_packed(reinterpret_cast<const uint8_t*>(packed_.data()), static_cast<uint32_t>(packed_.size()));
    return;
  }
  const StoredValue value = vector.at(layout, position);
  output.packed.has_tail() ? writer.put(output.packed, value.bytes, value.tail, is_null)
                           : writer.put(output.packed, value.bytes, is_null);
}

RowEncoder::Appended RowEncoder::append_row(const RowBatch& batch, uint32_t position, const uint8_t* sketch) {
  if (buffer_.size() - used_ < row_size_max()) {
    const uint64_t wanted = std::max<uint64_t>(buffer_.size() * 2, used_ + row_size_max());
    if (!memory_.add(wanted - buffer_.size())) {
      return Appended::kNoMemory;
    }
    buffer_.resize(wanted);
  }
  const uint32_t written = write_row(batch, position, sketch, reinterpret_cast<uint8_t*>(buffer_.data() + used_));
  DCHECK(written <= row_size_max() - semantics::kPackedSlack);
  if (taken_bytes_ + used_ + written > flow_->answer_bytes_max) {
    return Appended::kTooLarge;
  }
  used_ += written;
  ++row_count_;
  return Appended::kFine;
}

uint32_t RowEncoder::write_row(const RowBatch& batch, uint32_t position, const uint8_t* sketch, uint8_t* out) const {
  const ChunkView& chunk = *batch.chunk;
  const uint32_t row = batch.row(position);
  const semantics::PackedColumn* packed = layout_->packed.data();
  semantics::PackedRowWriter writer(out, static_cast<uint32_t>(outputs_->all().size()));
  for (const RowOutputs::Output output : outputs_->all()) {
    if (outputs_->is_computed(output)) {
      put_computed(outputs_->place_of(output), position, writer);
      continue;
    }
    const bool is_null = sketch != nullptr && output < kRowSketchColumnsMax ? sketch[output] == kNullBucket
                                                                            : test_bit(chunk.nulls[output], row);
    const semantics::PackedColumn column = packed[output];
    if (column.has_tail()) {
      writer.put(column, chunk.planes[output] + size_t{row} * column.stride(),
                 chunk.tails[output] + size_t{row} * column.tail_width(), is_null);
    } else {
      writer.put(column, chunk.planes[output] + size_t{row} * column.width, is_null);
    }
  }
  return writer.finish();
}

void RowEncoder::drop(Position first, Position end) {
  DCHECK(taken_bytes_ <= first.bytes && first.bytes <= end.bytes && end.bytes <= total_bytes());
  char* const rows = buffer_.data() - taken_bytes_;
  std::copy(rows + end.bytes, rows + total_bytes(), rows + first.bytes);
  used_ -= end.bytes - first.bytes;
  row_count_ -= end.rows - first.rows;
}

AnswerRows RowEncoder::take() {
  buffer_.resize(used_);
  AnswerRows rows{std::exchange(buffer_, {}), row_count_ - taken_rows_, memory_.hand_over()};
  taken_bytes_ += used_;
  taken_rows_ = row_count_;
  used_ = 0;
  return rows;
}

}  // namespace daedalus::engine

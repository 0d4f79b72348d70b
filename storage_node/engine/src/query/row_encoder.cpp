#include "row_encoder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine {
namespace {

/// Rows that computed columns are made for at a time.
constexpr uint32_t kComputedRowsMax = 1024;
/// How many rows ahead values are fetched: each has many, in a place of its own.
constexpr uint32_t kFetchAhead = 2;
/// Before the digits of a numeric without bound.
constexpr uint32_t kDecimalHead = 3;

}  // namespace

RowEncoder::RowEncoder(const TableLayout& layout, uint32_t output_count, AnswerFlow& flow,
                       std::pmr::memory_resource& memory)
    : layout_(&layout),
      outputs_(&memory),
      flow_(&flow),
      memory_(flow.memory),
      row_size_max_(semantics::packed_head_size(output_count) + semantics::kPackedSlack) {
  CHECK(layout.packed.size() + output_count <= std::numeric_limits<Output>::max());
  outputs_.reserve(output_count);
}

void RowEncoder::add_output(const ColumnSource& output) {
  DCHECK(outputs_.size() < outputs_.capacity() && row_count_ == 0);
  if (!output.is_computed()) {
    outputs_.push_back(static_cast<Output>(output.column()));
    row_size_max_ += semantics::packed_size_max(layout_->packed[output.column()]);
    return;
  }
  outputs_.push_back(static_cast<Output>(layout_->packed.size() + computed_.size()));
  if (output.layout().native == Native::kDecimal) {
    computed_.push_back({output, {}, {}});
    row_size_max_ += kDecimalHead + semantics::kDecimalBytesMax;
    return;
  }
  computed_.push_back({output, semantics::packed_column(output.layout().type), {}});
  row_size_max_ += semantics::packed_size_max(computed_.back().packed);
}

Result<RowEncoder::Appended> RowEncoder::append(const RowBatch& batch, const RowSketches& sketches) {
  if (!computed_.empty() && batch.count > kComputedRowsMax) {
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
  if (flow_->rooms.size() < computed_.size()) {
    flow_->rooms.resize(computed_.size());
  }
  for (size_t number = 0; number < computed_.size(); ++number) {
    const Result<ColumnVector> vector = computed_[number].source.read(batch, flow_->rooms[number]);
    if (!vector) {
      return vector.error();
    }
    computed_[number].vector = *vector;
  }
  return {};
}

void RowEncoder::put_computed(const Computed& computed, uint32_t position, semantics::PackedRowWriter& writer) const {
  const ColumnLayout& layout = computed.source.layout();
  const bool is_null = computed.vector.nulls != nullptr && test_bit(computed.vector.nulls, position);
  if (layout.native == Native::kDecimal) {
    if (is_null) {
      writer.put_null();
      return;
    }
    packed_.clear();
    semantics::append_packed(layout.type, computed.vector.boxed[position], packed_);
    writer.put_packed(reinterpret_cast<const uint8_t*>(packed_.data()), static_cast<uint32_t>(packed_.size()));
    return;
  }
  const StoredValue value = computed.vector.at(layout, position);
  computed.packed.has_tail() ? writer.put(computed.packed, value.bytes, value.tail, is_null)
                             : writer.put(computed.packed, value.bytes, is_null);
}

RowEncoder::Appended RowEncoder::append_row(const RowBatch& batch, uint32_t position, const uint8_t* sketch) {
  if (buffer_.size() - used_ < row_size_max_) {
    const uint64_t wanted = std::max<uint64_t>(buffer_.size() * 2, used_ + row_size_max_);
    if (!memory_.add(wanted - buffer_.size())) {
      return Appended::kNoMemory;
    }
    buffer_.resize(wanted);
  }
  const uint32_t written = write_row(batch, position, sketch, reinterpret_cast<uint8_t*>(buffer_.data() + used_));
  DCHECK(written <= row_size_max_ - semantics::kPackedSlack);
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
  semantics::PackedRowWriter writer(out, static_cast<uint32_t>(outputs_.size()));
  for (const Output output : outputs_) {
    if (is_computed(output)) {
      put_computed(computed_[output - layout_->packed.size()], position, writer);
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

AnswerRows RowEncoder::take() {
  buffer_.resize(used_);
  AnswerRows rows{std::exchange(buffer_, {}), row_count_ - taken_rows_, memory_.hand_over()};
  taken_bytes_ += used_;
  taken_rows_ = row_count_;
  used_ = 0;
  return rows;
}

}  // namespace daedalus::engine

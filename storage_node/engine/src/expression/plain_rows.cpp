#include "plain_rows.hpp"

#include <algorithm>

namespace daedalus::engine {

PlainRows::PlainRows(const TableLayout& layout, semantics::BoundExpression expression)
    : layout_(&layout), expression_(std::move(expression)) {
  semantics::for_each_input(expression_, [&](uint32_t number) { inputs_.push_back(number); });
  std::sort(inputs_.begin(), inputs_.end());
  inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
  row_.resize(inputs_.empty() ? 0 : inputs_.back() + 1);
}

Result<semantics::Value> PlainRows::value(const ChunkView& chunk, uint32_t row) {
  for (const uint32_t input : inputs_) {
    const ColumnLayout& layout = layout_->columns[input];
    if (layout.nullable && test_bit(chunk.nulls[input], row)) {
      row_[input] = {};
      continue;
    }
    const StoredValue stored = value_at(layout, chunk, input, row);
    if (layout.tail_width() == 0) {
      row_[input] = to_value(layout, stored.bytes);
      continue;
    }
    bytes_.resize(std::max<size_t>(bytes_.size(), layout.width));
    copy_value(layout, stored, bytes_.data());
    row_[input] = to_value(layout, bytes_.data());
  }
  return semantics::evaluate(expression_, row_);
}

}  // namespace daedalus::engine

#include "top_rows.hpp"

#include <algorithm>

namespace daedalus::engine {

TopRows::TopRows(const TableLayout& layout, const ChunkStore& store, const semantics::Selection& selection,
                 uint32_t rows_max)
    : layout_(&layout), store_(&store), rows_max_(rows_max) {
  CHECK(rows_max > 0);
  for (const semantics::OrderKey& key : selection.order_by) {
    keys_.push_back({selection.outputs[key.output].column, key.order});
  }
}

bool TopRows::is_before(uint32_t left, uint32_t right) const {
  const uint32_t chunk_rows = store_->chunk_rows();
  const ChunkView left_chunk = store_->view(left / chunk_rows);
  const ChunkView right_chunk = store_->view(right / chunk_rows);
  for (const Key& key : keys_) {
    const ColumnLayout& column = layout_->columns[key.column];
    const bool left_null = test_bit(left_chunk.nulls[key.column], left % chunk_rows);
    const bool right_null = test_bit(right_chunk.nulls[key.column], right % chunk_rows);
    if (left_null != right_null) {
      return left_null == key.order.nulls_first;
    }
    if (left_null) {
      continue;
    }
    const int order = compare_native(column, left_chunk.planes[key.column] + size_t{left % chunk_rows} * column.width,
                                     right_chunk.planes[key.column] + size_t{right % chunk_rows} * column.width);
    if (order != 0) {
      return (order < 0) != key.order.descending;
    }
  }
  return left < right;
}

void TopRows::take(uint32_t slot) {
  const auto before = [this](uint32_t left, uint32_t right) { return is_before(left, right); };
  if (heap_.size() < rows_max_) {
    heap_.push_back(slot);
    std::push_heap(heap_.begin(), heap_.end(), before);
    return;
  }
  if (is_before(slot, heap_.front())) {
    std::pop_heap(heap_.begin(), heap_.end(), before);
    heap_.back() = slot;
    std::push_heap(heap_.begin(), heap_.end(), before);
  }
}

std::vector<uint32_t> TopRows::finish() {
  std::sort(heap_.begin(), heap_.end());
  return std::move(heap_);
}

}  // namespace daedalus::engine

#include "residual.hpp"

#include <algorithm>

namespace daedalus::engine {

/// Kernels take less time for a row than its bucket does.
const uint8_t* Residual::bucket_bytes(uint32_t chunk) {
  if (!has_looked_) {
    has_looked_ = true;
    buckets_ = column_.is_by_row() ? BucketTruths::of(*layout_, *condition_, *sketches_) : nullptr;
  }
  return buckets_ == nullptr ? nullptr : sketches_->bytes(chunk, buckets_->column());
}

Result<void> Residual::keep_true(uint32_t chunk, const RowBatch& batch, VectorBits& rows) {
  const uint8_t* const bytes = bucket_bytes(chunk);
  if (bytes == nullptr) {
    return column_.keep_true(batch, rows);
  }
  VectorBits open;
  buckets_->look_up(batch, bytes, rows, open);
  if (Result<void> kept = column_.keep_true_by_row(batch, open); !kept) {
    return kept;
  }
  for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
    rows[word] |= open[word];
  }
  return {};
}

}  // namespace daedalus::engine

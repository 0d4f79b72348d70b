#include "residual_filter.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::engine {

ResidualFilter::ResidualFilter(const TableLayout& layout, std::span<const semantics::BoundExpression> residuals,
                               ExpressionPool& expressions, const Sketches& sketches) {
  for (const semantics::BoundExpression& residual : residuals) {
    residuals_.push_back(std::make_unique<Residual>(layout, residual, expressions, sketches));
  }
  waiting_.reserve(kWaitingMax);
}

Result<ResidualFilter::Rows> ResidualFilter::take(const ChunkStore& store) {
  std::swap(waiting_, taken_);
  waiting_.clear();
  const ChunkView view = store.view(chunk_);
  for (const auto& residual : residuals_) {
    if (const Result<void> kept = keep(view, *residual); !kept) {
      return kept.error();
    }
  }
  return Rows{chunk_, taken_};
}

Result<void> ResidualFilter::keep(const ChunkView& view, Residual& residual) {
  const auto count = static_cast<uint32_t>(taken_.size());
  RowBatch batch = {.chunk = &view, .rows = taken_.data(), .count = count};
  const bool are_consecutive = count > 0 && taken_.back() - taken_.front() + 1 == count && taken_.front() % 64 == 0;
  if (are_consecutive) {
    batch = {.chunk = &view, .first = taken_.front(), .count = count};
  }
  rows_.fill(~uint64_t{0});
  if (count % 64 != 0) {
    rows_[count / 64] = (uint64_t{1} << (count % 64)) - 1;
  }
  if (Result<void> kept = residual.keep_true(chunk_, batch, rows_); !kept) {
    return kept;
  }
  uint32_t kept = 0;
  for_each_bit(rows_.data(), vector_words(count), [&](uint32_t position) { taken_[kept++] = taken_[position]; });
  taken_.resize(kept);
  return {};
}

Result<std::span<uint64_t>> ResidualFilter::narrow(const ChunkStore& store, uint32_t chunk, const uint64_t* selection) {
  const ChunkView view = store.view(chunk);
  narrowed_.assign(selection, selection + view.word_count());
  for (uint32_t first = 0; first < view.row_count; first += kVectorRows) {
    const RowBatch batch = {.chunk = &view, .first = first, .count = std::min(kVectorRows, view.row_count - first)};
    if (Result<void> kept = narrow_batch(chunk, batch, narrowed_.data() + first / 64); !kept) {
      return kept.error();
    }
  }
  return std::span<uint64_t>(narrowed_);
}

Result<void> ResidualFilter::narrow_batch(uint32_t chunk, const RowBatch& batch, uint64_t* words) {
  const uint32_t word_count = vector_words(batch.count);
  std::copy_n(words, word_count, rows_.begin());
  for (const auto& residual : residuals_) {
    if (std::all_of(rows_.begin(), rows_.begin() + word_count, [](uint64_t word) { return word == 0; })) {
      break;
    }
    if (Result<void> kept = residual->keep_true(chunk, batch, rows_); !kept) {
      return kept;
    }
  }
  std::copy_n(rows_.begin(), word_count, words);
  return {};
}

}  // namespace daedalus::engine

#include "residual_filter.hpp"

#include <utility>

namespace daedalus::engine {

ResidualFilter::ResidualFilter(const TableLayout& layout, std::span<const semantics::BoundExpression> residuals,
                               ExpressionPool& expressions) {
  for (const semantics::BoundExpression& residual : residuals) {
    residuals_.push_back(std::make_unique<ExpressionColumn>(layout, residual, &expressions));
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

Result<void> ResidualFilter::keep(const ChunkView& view, const ExpressionColumn& residual) {
  const auto count = static_cast<uint32_t>(taken_.size());
  RowBatch batch = {.chunk = &view, .rows = taken_.data(), .count = count};
  const bool are_consecutive = count > 0 && taken_.back() - taken_.front() + 1 == count && taken_.front() % 64 == 0;
  if (are_consecutive) {
    batch = {.chunk = &view, .first = taken_.front(), .count = count};
  }
  if (Result<void> marked = residual.mark_true(batch, truths_); !marked) {
    return marked;
  }
  uint32_t kept = 0;
  for_each_bit(truths_.data(), vector_words(count), [&](uint32_t position) { taken_[kept++] = taken_[position]; });
  taken_.resize(kept);
  return {};
}

}  // namespace daedalus::engine

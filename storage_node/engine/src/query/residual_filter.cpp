#include "residual_filter.hpp"

#include <utility>

namespace daedalus::engine {

ResidualFilter::ResidualFilter(const TableLayout& layout, std::span<const semantics::BoundExpression> residuals) {
  for (const semantics::BoundExpression& residual : residuals) {
    residuals_.push_back(std::make_unique<ExpressionColumn>(layout, residual));
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
  const RowBatch batch = {.chunk = &view, .rows = taken_.data(), .count = static_cast<uint32_t>(taken_.size())};
  const Result<ColumnVector> truths = residual.compute(batch, room_);
  if (!truths) {
    return truths.error();
  }
  uint32_t kept = 0;
  for (uint32_t position = 0; position < batch.count; ++position) {
    const bool is_null = truths->nulls != nullptr && test_bit(truths->nulls, position);
    taken_[kept] = taken_[position];
    kept += !is_null && truths->values[position] != 0 ? 1 : 0;
  }
  taken_.resize(kept);
  return {};
}

}  // namespace daedalus::engine

// One part of a condition that is computed, by the cheapest way that there is for it in this cycle.
#pragma once

#include <memory>

#include "bucket_truths.hpp"
#include "expression_column.hpp"

namespace daedalus::engine {

class Residual {
 public:
  /// Both parameters outlive this object, which is of one cycle.
  Residual(const TableLayout& layout, const semantics::BoundExpression& condition, ExpressionPool& expressions,
           const Sketches& sketches)
      : layout_(&layout), sketches_(&sketches), condition_(&condition), column_(layout, condition, &expressions) {}

  /// Clears the bits of positions where it is not true. What is not set is not looked at, and is no error.
  /// Precondition: the batch is of this chunk and of at most kVectorRows rows, no bits are set beyond, and the cycle's
  /// sweep has begun.
  [[nodiscard]] Result<void> keep_true(uint32_t chunk, const RowBatch& batch, VectorBits& rows);

 private:
  [[nodiscard]] const uint8_t* bucket_bytes(uint32_t chunk);

  const TableLayout* layout_;
  const Sketches* sketches_;
  const semantics::BoundExpression* condition_;
  ExpressionColumn column_;
  bool has_looked_ = false;  ///< Says that somebody has asked whether buckets say something.
  std::unique_ptr<const BucketTruths> buckets_;
};

}  // namespace daedalus::engine

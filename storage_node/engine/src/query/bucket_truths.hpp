// Defines what a condition over one column comes to in whole buckets of that column's sketch: computed once for each
// bucket that holds one value, and for NULL, instead of for each row.
//
// Decides for which conditions that is worth a look at each row's byte. Refuses to know chunks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "column_vector.hpp"
#include "daedalus/semantics/bound_expression.hpp"
#include "sketches.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {

class BucketTruths {
 public:
  /// Nothing where the condition is over none or several columns, or half of the rows are in buckets that leave it open
  /// or more. As long as histograms stay what they are. Cost: an evaluation for each bucket.
  [[nodiscard]] static std::unique_ptr<const BucketTruths> of(const TableLayout& layout,
                                                              const semantics::BoundExpression& condition,
                                                              const Sketches& sketches);

  [[nodiscard]] uint32_t column() const { return column_; }

  /// bytes: the column's sketch of the batch's chunk. Of the rows that are marked, leaves those for which the condition
  /// is true, and marks in `open` those whose bucket does not say, or says that it is an error.
  void look_up(const RowBatch& batch, const uint8_t* bytes, VectorBits& rows, VectorBits& open) const;

 private:
  static constexpr uint8_t kTrue = 1;
  static constexpr uint8_t kOpen = 2;

  explicit BucketTruths(uint32_t column) : column_(column) { truths_.fill(kOpen); }

  void judge(const semantics::BoundExpression& condition, uint8_t bucket, semantics::Value value);

  uint32_t column_;
  std::array<uint8_t, 256> truths_{};  ///< By bucket; 0 where the condition is false or NULL.
};

}  // namespace daedalus::engine

// The plain evaluation of an expression for rows of a chunk, one at a time.
#pragma once

#include <vector>

#include "column_vector.hpp"
#include "daedalus/semantics/bound_expression.hpp"

namespace daedalus::engine {

class PlainRows {
 public:
  /// The layout outlives this object. Precondition: the expression is over columns of its schema, without aggregates.
  PlainRows(const TableLayout& layout, semantics::BoundExpression expression);

  /// Errors: those of the expression.
  [[nodiscard]] Result<semantics::Value> value(const ChunkView& chunk, uint32_t row);

 private:
  const TableLayout* layout_;
  semantics::BoundExpression expression_;
  std::vector<uint32_t> inputs_;
  std::vector<semantics::Value> row_;  ///< By number of the input.
  std::vector<uint8_t> bytes_;         ///< Of one value.
};

}  // namespace daedalus::engine

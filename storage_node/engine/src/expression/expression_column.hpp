// An expression over the columns of a row, as a column that is computed.
//
// Decides how values leave planes for an expression and how its result lies in a vector. Refuses to know what functions
// mean: semantics does.
#pragma once

#include <vector>

#include "column_vector.hpp"
#include "daedalus/semantics/bound_expression.hpp"

namespace daedalus::engine {

/// Of one query on one thread: it keeps what it works with.
class ExpressionColumn final : public ComputedColumn {
 public:
  /// The layout outlives this object. Precondition: the expression is over columns of its schema, without aggregates.
  ExpressionColumn(const TableLayout& layout, semantics::BoundExpression expression);

  [[nodiscard]] const ColumnLayout& layout() const override { return layout_; }
  /// Errors: those of the expression, of the first row that has one. Cost: the plain evaluation of each row.
  [[nodiscard]] Result<ColumnVector> compute(const RowBatch& batch, VectorRoom& room) const override;

 private:
  struct Input {
    uint32_t number = 0;  ///< As the expression calls it.
    ColumnSource source;
  };

  void store(const semantics::Value& value, uint32_t position, VectorRoom& room) const;

  semantics::BoundExpression expression_;
  ColumnLayout layout_;
  std::vector<Input> inputs_;
  mutable std::vector<VectorRoom> rooms_;      ///< By input.
  mutable std::vector<ColumnVector> vectors_;  ///< By input, of the batch that is computed.
  mutable std::vector<semantics::Value> row_;  ///< By number of the input.
  mutable std::vector<uint8_t> bytes_;         ///< Of one value.
};

/// The value at a position of a vector, NULL included. `bytes` is room to work in.
[[nodiscard]] semantics::Value value_at(const ColumnLayout& layout, const ColumnVector& vector, uint32_t position,
                                        std::vector<uint8_t>& bytes);

/// A column of the table as it is, or what an expression makes of several.
[[nodiscard]] ColumnSource source_of(const TableLayout& layout, const semantics::BoundExpression& expression);

}  // namespace daedalus::engine

// An expression over the columns of a row, as a column that is computed.
//
// Decides how its values lie in a vector, and that rows which no kernel is sure of get what the plain evaluation says.
// Refuses to know what functions mean: semantics does, and the nodes of vector_node.hpp repeat it.
#pragma once

#include <vector>

#include "column_vector.hpp"
#include "daedalus/semantics/bound_expression.hpp"
#include "plain_rows.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {

/// Serves one query on one thread: it keeps what it works with.
class ExpressionColumn final : public ComputedColumn {
 public:
  /// The layout outlives this object. Precondition: the expression is over columns of its schema, without aggregates.
  /// pool: of those whose equal parts are to be computed once; null: of this expression alone.
  ExpressionColumn(const TableLayout& layout, semantics::BoundExpression expression, ExpressionPool* pool = nullptr);

  [[nodiscard]] const ColumnLayout& layout() const override { return layout_; }
  /// Errors: those of the expression, of the first row that has one.
  [[nodiscard]] Result<ColumnVector> compute(const RowBatch& batch, VectorRoom& room) const override;

  [[nodiscard]] std::optional<int32_t> exact_scale() const override;
  [[nodiscard]] Result<ExactVector> compute_exact(const RowBatch& batch) const override;

  /// Evaluates a condition: clears the bits of positions where it is not true. A position that is not set is not looked
  /// at, and is no error. Precondition: at most kVectorRows rows, and no bits beyond.
  [[nodiscard]] Result<void> keep_true(const RowBatch& batch, VectorBits& rows) const;
  /// Does the same by the plain evaluation of each row: where few are set.
  [[nodiscard]] Result<void> keep_true_by_row(const RowBatch& batch, VectorBits& rows) const;

  /// Returns whether a part of it has no kernel, and is evaluated a row at a time, or takes as long.
  [[nodiscard]] bool is_by_row() const { return node_ == nullptr || node_->is_by_row(); }

 private:
  [[nodiscard]] Result<void> keep_row(const RowBatch& batch, uint32_t position, VectorBits& rows) const;
  [[nodiscard]] Result<void> take_part(const RowBatch& part, uint32_t first, const ColumnVector& made, VectorRoom& room,
                                       bool& has_nulls) const;
  [[nodiscard]] Result<void> take_hard(const RowBatch& part, const ValueVector& values, uint32_t first,
                                       VectorRoom& room, bool& has_nulls) const;
  [[nodiscard]] Result<void> take_plain(const RowBatch& part, uint32_t position, uint32_t first, VectorRoom& room,
                                        bool& has_nulls) const;
  void write(const ValueVector& values, uint32_t first, uint32_t count, VectorRoom& room) const;
  void write_texts(const ValueVector& values, uint32_t first, uint32_t count, VectorRoom& room) const;
  void store(const semantics::Value& value, uint32_t position, VectorRoom& room) const;

  ColumnLayout layout_;
  VectorNodePtr node_;  ///< Null: the plain evaluation of each row.
  mutable PlainRows plain_;
  mutable std::vector<uint8_t> bytes_;  ///< Holds the bytes of one value.
  mutable VectorBuffer exact_;
  mutable std::vector<ExactVector::Beyond> beyond_;
};

/// The value at a position of a vector, NULL included. `bytes` is room to work in.
[[nodiscard]] semantics::Value value_at(const ColumnLayout& layout, const ColumnVector& vector, uint32_t position,
                                        std::vector<uint8_t>& bytes);

/// A column of the table as it is, or what an expression makes of several.
[[nodiscard]] ColumnSource source_of(const TableLayout& layout, const semantics::BoundExpression& expression,
                                     ExpressionPool* pool = nullptr);

}  // namespace daedalus::engine

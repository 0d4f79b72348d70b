// Values of a row for the expressions of an update.
//
// Decides how they leave the planes. Expressions are computed by the plain evaluation and by nothing else: what an
// update writes, and which rows it finds, has to be alike to the last bit wherever the row is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daedalus/semantics/update.hpp"
#include "native.hpp"

namespace daedalus::engine {

/// Says where a row lies: planes, those of tails and NULL bitmaps of its chunk, by column.
struct RowPlace {
  const uint8_t* const* planes = nullptr;
  const uint8_t* const* tails = nullptr;
  const uint64_t* const* nulls = nullptr;
  uint32_t row = 0;
};

class ComputedRow {
 public:
  explicit ComputedRow(const TableLayout& layout) : layout_(&layout), values_(layout.columns.size()) {}

  /// Returns what the expression makes of the row for a column. Errors: those of semantics::evaluate_for().
  [[nodiscard]] Result<semantics::Value> compute(const semantics::BoundExpression& expression, uint32_t column,
                                                 const RowPlace& place);

  /// Returns whether all of them are true, asked in their order up to the first that is not. Errors: those of the
  /// expressions.
  [[nodiscard]] Result<bool> satisfies(std::span<const semantics::BoundExpression> conditions, const RowPlace& place);

 private:
  void load(const semantics::BoundExpression& expression, const RowPlace& place);
  [[nodiscard]] semantics::Value value_of(uint32_t column, const RowPlace& place);

  const TableLayout* layout_;
  std::vector<semantics::Value> values_;  ///< By column: those that were asked for last.
  std::vector<uint8_t> bytes_;            ///< Holds the bytes of one value.
};

}  // namespace daedalus::engine

#include "computed_row.hpp"

#include "kernels_bitmap.hpp"

namespace daedalus::engine {

semantics::Value ComputedRow::value_of(uint32_t column, const RowPlace& place) {
  if (test_bit(place.nulls[column], place.row)) {
    return {};
  }
  const ColumnLayout& layout = layout_->columns[column];
  const uint8_t* const bytes = place.planes[column] + size_t{place.row} * layout.stride;
  if (layout.tail_width() == 0) {
    return to_value(layout, bytes);
  }
  bytes_.resize(layout.width);
  copy_value(layout, {bytes, place.tails[column] + size_t{place.row} * layout.tail_width()}, bytes_.data());
  return to_value(layout, bytes_.data());
}

void ComputedRow::load(const semantics::BoundExpression& expression, const RowPlace& place) {
  semantics::for_each_input(expression, [&](uint32_t column) { values_[column] = value_of(column, place); });
}

Result<semantics::Value> ComputedRow::compute(const semantics::BoundExpression& expression, uint32_t column,
                                              const RowPlace& place) {
  load(expression, place);
  return semantics::evaluate_for(layout_->schema->columns[column], expression, values_);
}

Result<bool> ComputedRow::satisfies(std::span<const semantics::BoundExpression> conditions, const RowPlace& place) {
  for (const semantics::BoundExpression& condition : conditions) {
    load(condition, place);
    const Result<semantics::Value> truth = semantics::evaluate(condition, values_);
    if (!truth) {
      return truth.error();
    }
    if (*truth != semantics::Value(true)) {
      return false;
    }
  }
  return true;
}

}  // namespace daedalus::engine

#include "expression_column.hpp"

#include <algorithm>

namespace daedalus::engine {
semantics::Value value_at(const ColumnLayout& layout, const ColumnVector& vector, uint32_t position,
                          std::vector<uint8_t>& bytes) {
  if (vector.nulls != nullptr && test_bit(vector.nulls, position)) {
    return {};
  }
  if (vector.boxed != nullptr) {
    return vector.boxed[position];
  }
  const StoredValue stored = vector.at(layout, position);
  if (layout.tail_width() == 0) {
    return to_value(layout, stored.bytes);
  }
  bytes.resize(std::max<size_t>(bytes.size(), layout.width));
  copy_value(layout, stored, bytes.data());
  return to_value(layout, bytes.data());
}

ExpressionColumn::ExpressionColumn(const TableLayout& layout, semantics::BoundExpression expression)
    : expression_(std::move(expression)), layout_(column_layout(expression_.type, expression_.nullable)) {
  std::vector<uint32_t> numbers;
  semantics::for_each_input(expression_, [&](uint32_t number) { numbers.push_back(number); });
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const uint32_t number : numbers) {
    inputs_.push_back({number, ColumnSource(layout, number)});
  }
  rooms_.resize(inputs_.size());
  vectors_.resize(inputs_.size());
  row_.resize(numbers.empty() ? 0 : numbers.back() + 1);
}

Result<ColumnVector> ExpressionColumn::compute(const RowBatch& batch, VectorRoom& room) const {
  for (size_t number = 0; number < inputs_.size(); ++number) {
    const Result<ColumnVector> vector = inputs_[number].source.read(batch, rooms_[number]);
    if (!vector) {
      return vector;
    }
    vectors_[number] = *vector;
  }
  ColumnVector made;
  if (layout_.native == Native::kDecimal) {
    room.boxed.resize(std::max<size_t>(room.boxed.size(), batch.count));
    made.boxed = room.boxed.data();
  } else {
    made.values = room.make_values(uint64_t{batch.count} * layout_.stride);
    made.tails = layout_.tail_width() == 0 ? nullptr : room.make_tails(uint64_t{batch.count} * layout_.tail_width());
  }
  uint64_t* const nulls = room.make_nulls(batch.count);
  for (uint32_t position = 0; position < batch.count; ++position) {
    for (size_t number = 0; number < inputs_.size(); ++number) {
      const Input& input = inputs_[number];
      row_[input.number] = value_at(input.source.layout(), vectors_[number], position, bytes_);
    }
    const Result<semantics::Value> value = semantics::evaluate(expression_, row_);
    if (!value) {
      return value.error();
    }
    if (semantics::is_null(*value)) {
      set_bit(nulls, position);
      made.nulls = nulls;
    }
    store(*value, position, room);
  }
  return made;
}

void ExpressionColumn::store(const semantics::Value& value, uint32_t position, VectorRoom& room) const {
  if (layout_.native == Native::kDecimal) {
    room.boxed[position] = value;
    return;
  }
  auto* const head = reinterpret_cast<uint8_t*>(room.values.data()) + size_t{position} * layout_.stride;
  bytes_.assign(std::max<size_t>(bytes_.size(), layout_.width), 0);
  if (!semantics::is_null(value)) {
    write_native(layout_, value, bytes_.data());
  }
  std::memcpy(head, bytes_.data(), layout_.stride);
  if (layout_.tail_width() > 0) {
    auto* const tail = reinterpret_cast<uint8_t*>(room.tails.data()) + size_t{position} * layout_.tail_width();
    std::memcpy(tail, bytes_.data() + layout_.stride, layout_.tail_width());
  }
}

ColumnSource source_of(const TableLayout& layout, const semantics::BoundExpression& expression) {
  if (expression.is_input()) {
    return ColumnSource(layout, expression.input);
  }
  return ColumnSource(std::make_shared<const ExpressionColumn>(layout, expression));
}

}  // namespace daedalus::engine

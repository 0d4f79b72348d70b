#include "expression_column.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// Calls use(position) for each hard row, until that is an error.
template <typename Use>
Result<void> for_each_hard(const ValueVector& values, uint32_t count, Use&& use) {
  for (uint32_t word = 0; values.hard != nullptr && word < vector_words(count); ++word) {
    for (uint64_t bits = values.hard[word]; bits != 0; bits &= bits - 1) {
      const uint32_t position = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
      if (position >= count) {
        break;
      }
      if (Result<void> used = use(position); !used) {
        return used;
      }
    }
  }
  return {};
}

template <typename T, typename From>
void write_numbers(const From* from, bool is_constant, uint32_t count, uint8_t* out) {
  auto* numbers = reinterpret_cast<T*>(out);
  for (uint32_t position = 0; position < count; ++position) {
    numbers[position] = with_one_nan(static_cast<T>(from[is_constant ? 0 : position]));
  }
}

/// In the room of the number that was there.
void put(semantics::Value& place, Int128 unscaled, int32_t scale) {
  auto* number = std::get_if<semantics::Decimal>(&place);
  if (number == nullptr) {
    number = &place.emplace<semantics::Decimal>();
  }
  number->unscaled = unscaled;
  number->scale = scale;
}

}  // namespace

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

ExpressionColumn::ExpressionColumn(const TableLayout& layout, semantics::BoundExpression expression,
                                   ExpressionPool* pool)
    : layout_(column_layout(expression.type, expression.nullable)),
      plain_(layout, expression, pool != nullptr ? pool->deadline_check() : nullptr) {
  ExpressionPool own;
  node_ = (pool != nullptr ? *pool : own).node(layout, expression);
}

Result<ColumnVector> ExpressionColumn::compute(const RowBatch& batch, VectorRoom& room) const {
  ColumnVector made;
  if (layout_.native == Native::kDecimal) {
    room.boxed.resize(std::max<size_t>(room.boxed.size(), batch.count));
    made.boxed = room.boxed.data();
  } else {
    made.values = room.make_values(uint64_t{batch.count} * layout_.stride);
    made.tails = layout_.tail_width() == 0 ? nullptr : room.make_tails(uint64_t{batch.count} * layout_.tail_width());
  }
  const uint64_t* const nulls = room.make_nulls(batch.count);
  bool has_nulls = false;
  for (uint32_t first = 0; first < batch.count; first += kVectorRows) {
    RowBatch part = part_of(batch, first, std::min(kVectorRows, batch.count - first));
    part.number = part.count == batch.count ? batch.number : 0;
    if (Result<void> taken = take_part(part, first, made, room, has_nulls); !taken) {
      return taken.error();
    }
  }
  if (has_nulls && !layout_.nullable) {
    return semantics::unexpected_null(plain_.expression());
  }
  made.nulls = has_nulls ? nulls : nullptr;
  return made;
}

Result<void> ExpressionColumn::take_part(const RowBatch& part, uint32_t first, const ColumnVector& made,
                                         VectorRoom& room, bool& has_nulls) const {
  if (node_ == nullptr) {
    for (uint32_t position = 0; position < part.count; ++position) {
      if (Result<void> taken = take_plain(part, position, first, room, has_nulls); !taken) {
        return taken;
      }
    }
    return {};
  }
  DCHECK(made.boxed != nullptr || made.values != nullptr);
  if (plain_.is_over()) {
    return plain_.deadline_error();
  }
  node_->begin(part);
  const ValueVector values = node_->values(part);
  write(values, first, part.count, room);
  if (values.nulls != nullptr) {
    uint64_t* to = room.nulls.data() + first / 64;
    const uint32_t words = vector_words(part.count);
    std::copy_n(values.nulls, words, to);
    if (part.count % 64 != 0) {
      to[words - 1] &= (uint64_t{1} << (part.count % 64)) - 1;
    }
    has_nulls = has_nulls || std::any_of(to, to + words, [](uint64_t word) { return word != 0; });
  }
  return take_hard(part, values, first, room, has_nulls);
}

Result<void> ExpressionColumn::take_hard(const RowBatch& part, const ValueVector& values, uint32_t first,
                                         VectorRoom& room, bool& has_nulls) const {
  return for_each_hard(values, part.count, [&](uint32_t position) {
    clear_bit(room.nulls.data(), first + position);
    return take_plain(part, position, first, room, has_nulls);
  });
}

Result<void> ExpressionColumn::take_plain(const RowBatch& part, uint32_t position, uint32_t first, VectorRoom& room,
                                          bool& has_nulls) const {
  const semantics::Value* const value = plain_.value(*part.chunk, part.row(position));
  if (value == nullptr) {
    return plain_.error();
  }
  if (semantics::is_null(*value)) {
    set_bit(room.nulls.data(), first + position);
    has_nulls = true;
  }
  store(*value, first + position, room);
  return {};
}

void ExpressionColumn::write(const ValueVector& values, uint32_t first, uint32_t count, VectorRoom& room) const {
  uint8_t* out = reinterpret_cast<uint8_t*>(room.values.data()) + size_t{first} * layout_.stride;
  const bool is_constant = values.is_constant;
  switch (layout_.native) {
    case Native::kBool:
      for (uint32_t position = 0; position < count; ++position) {
        out[position] = test_bit(values.truths, position) ? 1 : 0;
      }
      return;
    case Native::kInt16:
      return write_numbers<int16_t>(values.integers, is_constant, count, out);
    case Native::kInt32:
      return write_numbers<int32_t>(values.integers, is_constant, count, out);
    case Native::kInt64:
      return values.wides != nullptr ? write_numbers<int64_t>(values.wides, is_constant, count, out)
                                     : write_numbers<int64_t>(values.integers, is_constant, count, out);
    case Native::kInt128:
      return values.wides != nullptr ? write_numbers<Int128>(values.wides, is_constant, count, out)
                                     : write_numbers<Int128>(values.integers, is_constant, count, out);
    case Native::kFloat:
      return write_numbers<float>(values.floatings, is_constant, count, out);
    case Native::kDouble:
      return write_numbers<double>(values.floatings, is_constant, count, out);
    case Native::kBytes:
      return write_texts(values, first, count, room);
    case Native::kDecimal:
      for (uint32_t position = 0; position < count; ++position) {
        put(room.boxed[first + position], values.wide(position), node_->scale());
      }
      return;
    case Native::kInterval:
      break;
  }
  check_failed("a type that vectors have a form for", __FILE__, __LINE__);
}

void ExpressionColumn::write_texts(const ValueVector& values, uint32_t first, uint32_t count, VectorRoom& room) const {
  const uint32_t tail_width = layout_.tail_width();
  auto* heads = reinterpret_cast<char*>(room.values.data());
  auto* tails = reinterpret_cast<char*>(room.tails.data());
  for (uint32_t position = 0; position < count; ++position) {
    // A text beneath NULL, or a hard one, may be longer than the type.
    const std::string_view text = values.text(position).substr(0, layout_.width);
    char* head = heads + size_t{first + position} * layout_.stride;
    const size_t in_head = std::min<size_t>(text.size(), layout_.stride);
    std::memset(head, 0, layout_.stride);
    std::copy_n(text.data(), in_head, head);
    if (tail_width > 0) {
      char* tail = tails + size_t{first + position} * tail_width;
      std::memset(tail, 0, tail_width);
      std::copy_n(text.data() + in_head, text.size() - in_head, tail);
    }
  }
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

std::optional<int32_t> ExpressionColumn::exact_scale() const {
  const bool is_exact = node_ != nullptr && layout_.type.kind == semantics::TypeKind::kNumeric;
  return is_exact ? std::optional(node_->scale()) : std::nullopt;
}

Result<ExactVector> ExpressionColumn::compute_exact(const RowBatch& batch) const {
  if (plain_.is_over()) {
    return plain_.deadline_error();
  }
  node_->begin(batch);
  ValueVector values = node_->values(batch);
  ExactVector made = {values.integers, values.wides, values.is_constant, values.nulls, {}};
  if (values.hard == nullptr) {
    return made;
  }
  // Hard rows are zeros above, and what they are is told beside: they are rare.
  beyond_.clear();
  Int128* const wides = VectorBuffer::room(exact_.wides);
  for (uint32_t position = 0; position < batch.count; ++position) {
    wides[position] = test_bit(values.hard, position) ? 0 : values.wide(position);
  }
  std::fill(exact_.nulls.begin(), exact_.nulls.end(), 0);
  if (values.nulls != nullptr) {
    std::copy_n(values.nulls, vector_words(batch.count), exact_.nulls.begin());
  }
  const Result<void> taken = for_each_hard(values, batch.count, [&](uint32_t position) -> Result<void> {
    const semantics::Value* const value = plain_.value(*batch.chunk, batch.row(position));
    if (value == nullptr) {
      return plain_.error();
    }
    set_bit(exact_.nulls.data(), position);
    if (!semantics::is_null(*value)) {
      beyond_.push_back({position, *value});
    }
    return {};
  });
  if (!taken) {
    return taken.error();
  }
  return ExactVector{nullptr, wides, false, exact_.nulls.data(), beyond_};
}

Result<void> ExpressionColumn::keep_true(const RowBatch& batch, VectorBits& rows) const {
  if (node_ == nullptr) {
    return keep_true_by_row(batch, rows);
  }
  if (plain_.is_over()) {
    return plain_.deadline_error();
  }
  const VectorBits wanted = rows;
  node_->begin(batch);
  const ValueVector values = node_->values(batch);
  for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
    rows[word] &= values.truths[word] & ~(values.nulls != nullptr ? values.nulls[word] : 0);
  }
  return for_each_hard(values, batch.count, [&](uint32_t position) {
    return test_bit(wanted.data(), position) ? keep_row(batch, position, rows) : Result<void>();
  });
}

Result<void> ExpressionColumn::keep_true_by_row(const RowBatch& batch, VectorBits& rows) const {
  for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
    for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
      const uint32_t position = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
      if (Result<void> kept = keep_row(batch, position, rows); !kept) {
        return kept;
      }
    }
  }
  return {};
}

Result<void> ExpressionColumn::keep_row(const RowBatch& batch, uint32_t position, VectorBits& rows) const {
  const semantics::Value* const value = plain_.value(*batch.chunk, batch.row(position));
  if (value == nullptr) {
    return plain_.error();
  }
  if (*value == semantics::Value(true)) {
    set_bit(rows.data(), position);
  } else {
    clear_bit(rows.data(), position);
  }
  return {};
}

ColumnSource source_of(const TableLayout& layout, const semantics::BoundExpression& expression, ExpressionPool* pool) {
  if (expression.is_input()) {
    return ColumnSource(layout, expression.input);
  }
  return ColumnSource(std::make_shared<const ExpressionColumn>(layout, expression, pool));
}

}  // namespace daedalus::engine

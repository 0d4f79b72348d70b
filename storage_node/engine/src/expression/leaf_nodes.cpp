// Columns, constants, and what has no kernel.
#include <algorithm>

#include "plain_rows.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;

/// Calls use(position, row) for each row of a batch.
template <typename Use>
void for_each_row(const RowBatch& batch, Use&& use) {
  if (batch.rows == nullptr) {
    for (uint32_t position = 0; position < batch.count; ++position) {
      use(position, batch.first + position);
    }
    return;
  }
  for (uint32_t position = 0; position < batch.count; ++position) {
    use(position, batch.rows[position]);
  }
}

template <typename T, typename To>
void widen(const uint8_t* plane, const RowBatch& batch, To* out) {
  const T* values = reinterpret_cast<const T*>(plane);
  for_each_row(batch, [&](uint32_t position, uint32_t row) { out[position] = static_cast<To>(values[row]); });
}

uint64_t magnitude_of_column(const ColumnLayout& layout) {
  constexpr uint32_t kDigitsOfWord = 18;
  switch (layout.native) {
    case Native::kInt16:
      return uint64_t{1} << 15;
    case Native::kInt32:
      return uint64_t{1} << 31;
    default:
      break;
  }
  if (layout.type.kind != semantics::TypeKind::kNumeric || layout.type.precision > kDigitsOfWord) {
    return uint64_t{1} << 63;
  }
  uint64_t magnitude = 1;
  for (uint32_t digit = 0; digit < layout.type.precision; ++digit) {
    magnitude *= 10;
  }
  return magnitude;
}

class ColumnNode final : public VectorNode {
 public:
  ColumnNode(FormOf form, const TableLayout& layout, uint32_t column)
      : VectorNode(form.form, form.scale),
        layout_(&layout.columns[column]),
        column_(column),
        magnitude_(magnitude_of_column(*layout_)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    ValueVector made;
    made.magnitude = magnitude_;
    const uint8_t* plane = batch.chunk->planes[column_];
    switch (layout_->native) {
      case Native::kBool:
        take_truths(plane, batch);
        made.truths = buffer_.truths.data();
        break;
      case Native::kInt16:
        made.integers = widened<int16_t>(plane, batch, buffer_.integers);
        break;
      case Native::kInt32:
        made.integers = widened<int32_t>(plane, batch, buffer_.integers);
        break;
      case Native::kInt64:
        made.integers = taken(plane, batch, buffer_.integers);
        break;
      case Native::kInt128:
        made.wides = taken(plane, batch, buffer_.wides);
        break;
      case Native::kFloat:
        made.floatings = widened<float>(plane, batch, buffer_.floatings);
        break;
      case Native::kDouble:
        made.floatings = taken(plane, batch, buffer_.floatings);
        break;
      default:
        made.texts = texts(batch);
        break;
    }
    made.nulls = layout_->nullable ? nulls(batch) : nullptr;
    return made;
  }

  template <typename T, typename To>
  static const To* widened(const uint8_t* plane, const RowBatch& batch, std::vector<To>& room) {
    To* values = VectorBuffer::room(room);
    widen<T>(plane, batch, values);
    return values;
  }

  template <typename T>
  static const T* taken(const uint8_t* plane, const RowBatch& batch, std::vector<T>& room) {
    if (batch.rows == nullptr) {
      return reinterpret_cast<const T*>(plane) + batch.first;
    }
    return widened<T>(plane, batch, room);
  }

  void take_truths(const uint8_t* plane, const RowBatch& batch) {
    std::fill_n(buffer_.truths.begin(), vector_words(batch.count), 0);
    for_each_row(batch, [&](uint32_t position, uint32_t row) {
      buffer_.truths[position / 64] |= uint64_t{plane[row] != 0} << (position % 64);
    });
  }

  /// A short string is seen where it lies. Of a longer one both parts are put together.
  const std::string_view* texts(const RowBatch& batch) {
    std::string_view* views = VectorBuffer::room(buffer_.texts);
    const uint32_t tail_width = layout_->tail_width();
    if (tail_width == 0) {
      const auto* plane = reinterpret_cast<const char*>(batch.chunk->planes[column_]);
      for_each_row(batch, [&](uint32_t position, uint32_t row) {
        const char* text = plane + size_t{row} * layout_->stride;
        views[position] = {text, strnlen(text, layout_->stride)};
      });
      return views;
    }
    buffer_.characters.resize(size_t{kVectorRows} * layout_->width);
    char* next = buffer_.characters.data();
    for_each_row(batch, [&](uint32_t position, uint32_t row) {
      const StoredValue value = value_at(*layout_, *batch.chunk, column_, row);
      std::memcpy(next, value.bytes, layout_->stride);
      std::memcpy(next + layout_->stride, value.tail, tail_width);
      views[position] = {next, strnlen(next, layout_->width)};
      next += layout_->width;
    });
    return views;
  }

  const uint64_t* nulls(const RowBatch& batch) {
    const uint64_t* bitmap = batch.chunk->nulls[column_];
    const uint32_t words = vector_words(batch.count);
    if (batch.rows == nullptr) {
      const uint64_t* found = bitmap + batch.first / 64;
      return std::any_of(found, found + words, [](uint64_t word) { return word != 0; }) ? found : nullptr;
    }
    std::fill_n(buffer_.nulls.begin(), words, 0);
    uint64_t any = 0;
    for (uint32_t position = 0; position < batch.count; ++position) {
      const uint64_t bit = test_bit(bitmap, batch.rows[position]) ? 1 : 0;
      buffer_.nulls[position / 64] |= bit << (position % 64);
      any |= bit;
    }
    return any != 0 ? buffer_.nulls.data() : nullptr;
  }

  const ColumnLayout* layout_;
  uint32_t column_;
  uint64_t magnitude_;
  VectorBuffer buffer_;
};

class ConstantNode final : public VectorNode {
 public:
  ConstantNode(FormOf form, const BoundExpression& constant)
      : VectorNode(form.form, form.scale), value_(constant.value) {
    made_.is_constant = true;
    buffer_.nulls.fill(~uint64_t{0});
    if (semantics::is_null(value_)) {
      made_.nulls = buffer_.nulls.data();
    }
    switch (form.form) {
      case Form::kTruth:
        buffer_.truths.fill(std::holds_alternative<bool>(value_) && std::get<bool>(value_) ? ~uint64_t{0} : 0);
        made_.truths = buffer_.truths.data();
        break;
      case Form::kInteger:
        set_integer();
        break;
      case Form::kFloating:
        buffer_.floatings = {std::holds_alternative<double>(value_) ? std::get<double>(value_) : 0.0};
        made_.floatings = buffer_.floatings.data();
        break;
      case Form::kText:
        buffer_.texts = {std::holds_alternative<std::string>(value_) ? std::string_view(std::get<std::string>(value_))
                                                                     : std::string_view()};
        made_.texts = buffer_.texts.data();
        break;
    }
  }

 private:
  ValueVector compute(const RowBatch&) override { return made_; }

  void set_integer() {
    Int128 number = 0;
    if (const auto* integer = std::get_if<int64_t>(&value_)) {
      number = *integer;
    } else if (const auto* decimal = std::get_if<semantics::Decimal>(&value_)) {
      number = to_int128(decimal->unscaled);
    }
    if (number == static_cast<int64_t>(number)) {
      buffer_.integers = {static_cast<int64_t>(number)};
      made_.integers = buffer_.integers.data();
      made_.magnitude = static_cast<uint64_t>(number < 0 ? -number : number);
    } else {
      buffer_.wides = {number};
      made_.wides = buffer_.wides.data();
    }
  }

  semantics::Value value_;
  ValueVector made_;
  VectorBuffer buffer_;
};

/// A row at a time, by the plain evaluation. A row with an error is hard: so it is asked again, by whoever wants it.
class PlainNode final : public VectorNode {
 public:
  PlainNode(FormOf form, const BoundExpression& expression, const TableLayout& layout, DeadlineCheck* deadline_check)
      : VectorNode(form.form, form.scale), rows_(layout, expression, deadline_check) {}

  [[nodiscard]] bool is_by_row() const override { return true; }

 private:
  ValueVector compute(const RowBatch& batch) override {
    buffer_.nulls.fill(0);
    buffer_.hard.fill(0);
    buffer_.truths.fill(0);
    texts_.clear();
    has_nulls_ = has_hard_ = false;
    is_wide_ = false;
    for_each_row(batch, [&](uint32_t position, uint32_t row) { take(position, rows_.value(*batch.chunk, row)); });
    ValueVector made;
    made.nulls = has_nulls_ ? buffer_.nulls.data() : nullptr;
    made.hard = has_hard_ ? buffer_.hard.data() : nullptr;
    switch (form()) {
      case Form::kTruth:
        made.truths = buffer_.truths.data();
        break;
      case Form::kInteger:
        made.integers = is_wide_ ? nullptr : VectorBuffer::room(buffer_.integers);
        made.wides = is_wide_ ? VectorBuffer::room(buffer_.wides) : nullptr;
        break;
      case Form::kFloating:
        made.floatings = VectorBuffer::room(buffer_.floatings);
        break;
      case Form::kText:
        made.texts = view_texts(batch.count);
        break;
    }
    return made;
  }

  /// Null: an error.
  void take(uint32_t position, const semantics::Value* value) {
    if (value == nullptr) {
      set_bit(buffer_.hard.data(), position);
      has_hard_ = true;
    } else if (semantics::is_null(*value)) {
      set_bit(buffer_.nulls.data(), position);
      has_nulls_ = true;
    }
    const semantics::Value nothing;
    const semantics::Value& taken = value != nullptr ? *value : nothing;
    switch (form()) {
      case Form::kTruth:
        if (std::holds_alternative<bool>(taken) && std::get<bool>(taken)) {
          set_bit(buffer_.truths.data(), position);
        }
        break;
      case Form::kInteger:
        take_integer(position, taken);
        break;
      case Form::kFloating:
        VectorBuffer::room(buffer_.floatings)[position] =
            std::holds_alternative<double>(taken) ? std::get<double>(taken) : 0.0;
        break;
      case Form::kText:
        if (const auto* text = std::get_if<std::string>(&taken)) {
          texts_ += *text;
        }
        ends_[position] = texts_.size();
        break;
    }
  }

  void take_integer(uint32_t position, const semantics::Value& value) {
    int64_t* integers = VectorBuffer::room(buffer_.integers);
    integers[position] = 0;
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      integers[position] = *integer;
    } else if (const auto* decimal = std::get_if<semantics::Decimal>(&value)) {
      take_decimal(position, *decimal);
    }
    if (is_wide_ && !std::holds_alternative<semantics::Decimal>(value)) {
      buffer_.wides[position] = integers[position];
    }
  }

  void take_decimal(uint32_t position, const semantics::Decimal& decimal) {
    static const semantics::BigInt kLimit = semantics::BigInt(1) << 126;
    if (decimal.scale != scale() || decimal.unscaled > kLimit || decimal.unscaled < -kLimit) {
      set_bit(buffer_.hard.data(), position);
      has_hard_ = true;
      return;
    }
    const Int128 number = to_int128(decimal.unscaled);
    const auto narrow = static_cast<int64_t>(number);
    if (!is_wide_ && narrow != number) {
      is_wide_ = true;
      std::copy_n(VectorBuffer::room(buffer_.integers), position, VectorBuffer::room(buffer_.wides));
    }
    buffer_.integers[position] = narrow;
    if (is_wide_) {
      buffer_.wides[position] = number;
    }
  }

  const std::string_view* view_texts(uint32_t count) {
    std::string_view* views = VectorBuffer::room(buffer_.texts);
    size_t begin = 0;
    for (uint32_t position = 0; position < count; ++position) {
      views[position] = std::string_view(texts_).substr(begin, ends_[position] - begin);
      begin = ends_[position];
    }
    return views;
  }

  PlainRows rows_;
  VectorBuffer buffer_;
  std::string texts_;  ///< One behind the other.
  std::array<size_t, kVectorRows> ends_{};
  bool has_nulls_ = false;
  bool has_hard_ = false;
  bool is_wide_ = false;
};

}  // namespace

VectorNodePtr make_leaf_node(const BoundExpression& leaf, const TableLayout& layout) {
  const FormOf form = *form_of(leaf);
  if (leaf.is_input()) {
    return std::make_shared<ColumnNode>(form, layout, leaf.input);
  }
  return std::make_shared<ConstantNode>(form, leaf);
}

VectorNodePtr make_plain_node(const BoundExpression& call, const TableLayout& layout, DeadlineCheck* deadline_check) {
  return std::make_shared<PlainNode>(*form_of(call), call, layout, deadline_check);
}

}  // namespace daedalus::engine

// Casts among numbers, SQL timestamps and strings that change no text.
#include <algorithm>
#include <cmath>
#include <limits>

#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::Type;
using semantics::TypeKind;

constexpr Int128 power_of_ten(uint32_t exponent) {
  Int128 power = 1;
  for (; exponent > 0; --exponent) {
    power *= 10;
  }
  return power;
}

/// Values as they are, under another type.
class SameNode final : public VectorNode {
 public:
  SameNode(FormOf form, VectorNodePtr from) : VectorNode(form.form, form.scale), from_(std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override { return from_->values(batch); }

  VectorNodePtr from_;
};

/// Marks rows whose cast the plain evaluation has to do.
class CastNode : public VectorNode {
 protected:
  CastNode(FormOf form, VectorNodePtr from) : VectorNode(form.form, form.scale), from_(std::move(from)) {}

  [[nodiscard]] ValueVector read(const RowBatch& batch) {
    const ValueVector from = from_->values(batch);
    made_ = {};
    made_.nulls = from.nulls;
    buffer_.hard.fill(0);
    if (from.hard != nullptr) {
      std::copy_n(from.hard, vector_words(batch.count), buffer_.hard.begin());
      made_.hard = buffer_.hard.data();
    }
    return from;
  }

  void mark_hard(uint32_t position) {
    if (made_.nulls == nullptr || !test_bit(made_.nulls, position)) {
      set_bit(buffer_.hard.data(), position);
      made_.hard = buffer_.hard.data();
    }
  }

  [[nodiscard]] const VectorNode& from() const { return *from_; }

  ValueVector made_;
  VectorBuffer buffer_;

 private:
  VectorNodePtr from_;
};

/// To an integer kind, or to a numeric of so many digits: an integer from an integer, or a numeric at another scale,
/// rounded half away from zero.
class ExactCastNode final : public CastNode {
 public:
  ExactCastNode(FormOf form, Int128 limit, VectorNodePtr from)
      : CastNode(form, std::move(from)), low_(-limit), high_(limit) {
    const int32_t more = scale() - this->from().scale();
    up_ = power_of_ten(static_cast<uint32_t>(std::max(more, 0)));
    down_ = power_of_ten(static_cast<uint32_t>(std::max(-more, 0)));
  }
  ExactCastNode(FormOf form, Int128 low, Int128 high, VectorNodePtr from) : ExactCastNode(form, high, std::move(from)) {
    low_ = low;
  }

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = read(batch);
    int64_t* narrow = VectorBuffer::room(buffer_.integers);
    if (from.wides == nullptr && up_ == 1 && down_ == 1) {
      pass(from, batch.count);
      return made_;
    }
    Int128* wide = VectorBuffer::room(buffer_.wides);
    bool is_narrow = true;
    for (uint32_t position = 0; position < batch.count; ++position) {
      wide[position] = 0;
      Int128 scaled = 0;
      if (__builtin_mul_overflow(from.wide(position), up_, &scaled)) {
        mark_hard(position);
        continue;
      }
      scaled = rounded(scaled);
      if (scaled < low_ || scaled > high_) {
        mark_hard(position);
        continue;
      }
      wide[position] = scaled;
      narrow[position] = static_cast<int64_t>(scaled);
      is_narrow = is_narrow && narrow[position] == scaled;
    }
    made_.integers = is_narrow ? narrow : nullptr;
    made_.wides = is_narrow ? nullptr : wide;
    return made_;
  }

  /// Nothing changes but what is allowed.
  void pass(const ValueVector& from, uint32_t count) {
    made_.integers = from.integers;
    made_.magnitude = from.magnitude;
    made_.is_constant = from.is_constant;
    const auto low = static_cast<int64_t>(std::max<Int128>(low_, std::numeric_limits<int64_t>::min()));
    const auto high = static_cast<int64_t>(std::min<Int128>(high_, std::numeric_limits<int64_t>::max()));
    if (from.magnitude <= static_cast<uint64_t>(std::min(high, -(low + 1)))) {
      return;
    }
    for (uint32_t position = 0; position < count; ++position) {
      const int64_t value = from.as_integers().at(position);
      if (value < low || value > high) {
        mark_hard(position);
      }
    }
  }

  [[nodiscard]] Int128 rounded(Int128 value) const {
    if (down_ == 1) {
      return value;
    }
    const Int128 quotient = value / down_;
    const Int128 rest = value % down_;
    const Int128 half = down_ / 2;  // Halves an even number.
    return rest >= half ? quotient + 1 : rest <= -half ? quotient - 1 : quotient;
  }

  Int128 low_;
  Int128 high_;
  Int128 up_ = 1;
  Int128 down_ = 1;
};

/// To double precision: as long as number and power of ten are exact as doubles, one division rounds right.
class FloatingCastNode final : public CastNode {
 public:
  explicit FloatingCastNode(VectorNodePtr from)
      : CastNode({Form::kFloating, 0}, std::move(from)),
        divisor_(static_cast<double>(power_of_ten(static_cast<uint32_t>(this->from().scale())))) {}

  static constexpr int32_t kScaleMax = 22;

 private:
  ValueVector compute(const RowBatch& batch) override {
    constexpr int64_t kExact = int64_t{1} << 53;
    const ValueVector from = read(batch);
    double* out = VectorBuffer::room(buffer_.floatings);
    for (uint32_t position = 0; position < batch.count; ++position) {
      const Int128 value = from.wide(position);
      out[position] = static_cast<double>(static_cast<int64_t>(value)) / divisor_;
      if (value > kExact || value < -kExact) {
        mark_hard(position);
      }
    }
    made_.floatings = out;
    return made_;
  }

  double divisor_;
};

class MidnightNode final : public CastNode {
 public:
  explicit MidnightNode(VectorNodePtr from) : CastNode({Form::kInteger, 0}, std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    constexpr int64_t kDaysMax = semantics::kTimestampMicrosMax / semantics::kMicrosPerDay;
    const ValueVector from = read(batch);
    int64_t* out = VectorBuffer::room(buffer_.integers);
    for (uint32_t position = 0; position < batch.count; ++position) {
      const int64_t days = from.as_integers().at(position);
      out[position] = 0;
      if (days > kDaysMax || days < semantics::kDateDaysMin) {
        mark_hard(position);
      } else {
        out[position] = days * semantics::kMicrosPerDay;
      }
    }
    made_.integers = out;
    return made_;
  }
};

class DayNode final : public CastNode {
 public:
  explicit DayNode(VectorNodePtr from) : CastNode({Form::kInteger, 0}, std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = read(batch);
    int64_t* out = VectorBuffer::room(buffer_.integers);
    for (uint32_t position = 0; position < batch.count; ++position) {
      const int64_t micros = from.as_integers().at(position);
      const int64_t days = micros / semantics::kMicrosPerDay;
      out[position] = days - (micros % semantics::kMicrosPerDay < 0 ? 1 : 0);
      if (micros < semantics::kTimestampMicrosMin || micros > semantics::kTimestampMicrosMax) {
        mark_hard(position);
      }
    }
    made_.integers = out;
    return made_;
  }
};

VectorNodePtr make_exact_cast(const Type& from, const Type& to, FormOf form, VectorNodePtr node) {
  switch (to.kind) {
    case TypeKind::kSmallint:
      return std::make_shared<ExactCastNode>(form, INT16_MIN, INT16_MAX, std::move(node));
    case TypeKind::kInt:
      return std::make_shared<ExactCastNode>(form, INT32_MIN, INT32_MAX, std::move(node));
    case TypeKind::kBigint:
      return std::make_shared<ExactCastNode>(form, INT64_MIN, INT64_MAX, std::move(node));
    default:
      break;
  }
  if (from.kind == TypeKind::kNumeric && to.precision == 0) {
    return nullptr;
  }
  return std::make_shared<ExactCastNode>(form, power_of_ten(to.precision) - 1, std::move(node));
}

}  // namespace

VectorNodePtr make_cast_node(const BoundExpression& call, const NodeMaker& make) {
  if (!call.is_call(semantics::FunctionId::kCast)) {
    return nullptr;
  }
  const Type& from = call.arguments[0].type;
  const Type& to = call.type;
  const bool are_exact = (semantics::is_integer(from.kind) || from.kind == TypeKind::kNumeric) &&
                         (semantics::is_integer(to.kind) || to.kind == TypeKind::kNumeric);
  const bool is_to_double =
      to.kind == TypeKind::kDouble && (semantics::is_integer(from.kind) || from.kind == TypeKind::kNumeric);
  const bool are_timestamps = semantics::is_timestamp(from.kind) && semantics::is_timestamp(to.kind);
  const bool is_same = are_timestamps || (to.kind == TypeKind::kText && semantics::is_string(from.kind)) ||
                       (to.kind == TypeKind::kDouble && semantics::is_floating(from.kind));
  const bool are_datetimes =
      semantics::is_datetime(from.kind) && semantics::is_datetime(to.kind) && from.kind != to.kind && !are_timestamps;
  if (!are_exact && !is_to_double && !is_same && !are_datetimes) {
    return nullptr;
  }
  VectorNodePtr node = make(call.arguments[0]);
  if (node == nullptr) {
    return nullptr;
  }
  if (is_same) {
    return std::make_shared<SameNode>(*form_of(call), std::move(node));
  }
  if (is_to_double) {
    return node->scale() <= FloatingCastNode::kScaleMax ? std::make_shared<FloatingCastNode>(std::move(node)) : nullptr;
  }
  if (are_datetimes) {
    return from.kind == TypeKind::kDate ? VectorNodePtr(std::make_shared<MidnightNode>(std::move(node)))
                                        : std::make_shared<DayNode>(std::move(node));
  }
  return make_exact_cast(from, to, *form_of(call), std::move(node));
}

}  // namespace daedalus::engine

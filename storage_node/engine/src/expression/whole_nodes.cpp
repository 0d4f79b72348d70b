// Numerics to fewer digits behind the point, and the whole part of their quotients: floor, ceil, round, trunc.
//
// A quotient of numerics has digits that hang on the row, so it has no form. Its whole part has one, and is what
// timestamps are put into bins by: floor(extract(epoch from t) / 300) * 300.
#include <algorithm>
#include <optional>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::TypeKind;

enum class Way : uint8_t { kDown, kUp, kToZero, kNearest };

constexpr int32_t kWordDigits = 18;  ///< Powers of ten so far have 64 bits.

Int128 power_of_ten(int32_t exponent) {
  Int128 power = 1;
  for (; exponent > 0; --exponent) {
    power *= 10;
  }
  return power;
}

/// value / unit. Precondition: unit > 0. Halves go away from zero.
template <typename T>
T divided(T value, T unit, Way way) {
  const T quotient = value / unit;
  const T rest = value % unit;
  switch (way) {
    case Way::kDown:
      return quotient - (rest < 0 ? 1 : 0);
    case Way::kUp:
      return quotient + (rest > 0 ? 1 : 0);
    case Way::kNearest:
      return rest < 0 ? quotient - (-rest >= unit + rest ? 1 : 0) : quotient + (rest >= unit - rest ? 1 : 0);
    default:
      return quotient;
  }
}

class RoundedNode final : public VectorNode {
 public:
  RoundedNode(FormOf form, Way way, VectorNodePtr from)
      : VectorNode(form.form, form.scale),
        way_(way),
        unit_(power_of_ten(from->scale() - scale())),
        from_(std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = from_->values(batch);
    ValueVector made;
    made.nulls = from.nulls;
    made.hard = from.hard;
    const bool is_word = from.wides == nullptr && from_->scale() - scale() <= kWordDigits;
    if (is_word) {
      const auto unit = static_cast<int64_t>(unit_);
      int64_t* out = VectorBuffer::room(buffer_.integers);
      for (uint32_t position = 0; position < batch.count; ++position) {
        out[position] = divided(from.as_integers().at(position), unit, way_);
      }
      made.integers = out;
      made.magnitude = unit == 1 ? from.magnitude : from.magnitude / static_cast<uint64_t>(unit) + 1;
      return made;
    }
    Int128* out = VectorBuffer::room(buffer_.wides);
    for (uint32_t position = 0; position < batch.count; ++position) {
      out[position] = divided(from.wide(position), unit_, way_);
    }
    made.wides = out;
    return made;
  }

  Way way_;
  Int128 unit_;
  VectorNodePtr from_;
  VectorBuffer buffer_;
};

/// Computes a / b. The quotient has at least 16 digits that count before it becomes whole; where so many could round it
/// to a whole number that it is not, the row is hard.
class WholeQuotientNode final : public VectorNode {
 public:
  WholeQuotientNode(Way way, VectorNodePtr left, VectorNodePtr right)
      : VectorNode(Form::kInteger, 0),
        way_(way),
        left_factor_(power_of_ten(right->scale())),
        right_factor_(power_of_ten(left->scale())),
        left_(std::move(left)),
        right_(std::move(right)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector a = left_->values(batch);
    const ValueVector b = right_->values(batch);
    int64_t* out = VectorBuffer::room(buffer_.integers);
    own_hard_.fill(0);
    bool any_hard = false;
    const uint64_t* nulls = in_either(a.nulls, b.nulls, batch.count, buffer_.nulls);
    for (uint32_t position = 0; position < batch.count; ++position) {
      if (nulls != nullptr && test_bit(nulls, position)) {
        out[position] = 0;
        continue;
      }
      const std::optional<int64_t> whole = whole_of(a.wide(position), b.wide(position));
      out[position] = whole.value_or(0);
      if (!whole) {
        set_bit(own_hard_.data(), position);
        any_hard = true;
      }
    }
    ValueVector made;
    made.integers = out;
    made.magnitude = kWholeMax;
    made.nulls = nulls;
    made.hard = in_either(a.hard, b.hard, batch.count, buffer_.hard);
    if (any_hard) {
      made.hard = in_either(made.hard, own_hard_.data(), batch.count, buffer_.hard);
    }
    return made;
  }

  [[nodiscard]] std::optional<int64_t> whole_of(Int128 left, Int128 right) const {
    Int128 above = 0;
    Int128 below = 0;
    if (right == 0 || __builtin_mul_overflow(left, left_factor_, &above) ||
        __builtin_mul_overflow(right, right_factor_, &below)) {
      return std::nullopt;
    }
    if (below < 0) {
      above = -above;
      below = -below;
    }
    constexpr Int128 kWordMax = INT64_MAX;
    const bool is_word = above <= kWordMax && above >= -kWordMax && below <= kWordMax;
    const Int128 whole =
        is_word ? divided(static_cast<int64_t>(above), static_cast<int64_t>(below), way_) : divided(above, below, way_);
    return is_sure(whole, below) ? std::optional(static_cast<int64_t>(whole)) : std::nullopt;
  }

  /// Returns whether no quotient that is not whole comes as near to a whole number as half its last digit. It is away
  /// from one by 1 / below or more; of 16 digits that count four groups of four are left behind the point, less one for
  /// each group before it but the first.
  [[nodiscard]] static bool is_sure(Int128 whole, Int128 below) {
    constexpr Int128 kGroup = 10'000;
    Int128 room = kGroup * kGroup * kGroup * kGroup;
    for (Int128 most = kGroup - 1; whole >= most || whole <= -most; most = (most + 1) * kGroup - 1) {
      room /= kGroup;
      if (room < kGroup) {
        return false;
      }
    }
    return below < room;
  }

  static constexpr uint64_t kWholeMax = 10'000'000'000'000'000;

  Way way_;
  Int128 left_factor_;
  Int128 right_factor_;
  VectorNodePtr left_;
  VectorNodePtr right_;
  VectorBits own_hard_{};
  VectorBuffer buffer_;
};

/// An integer that is a numeric's scale here: 0 or more.
std::optional<int32_t> digits_of(const BoundExpression& call) {
  if (call.arguments.size() == 1) {
    return 0;
  }
  const BoundExpression& digits = call.arguments[1];
  const auto* value = digits.is_constant() ? std::get_if<int64_t>(&digits.value) : nullptr;
  return value != nullptr && *value >= 0 && *value <= static_cast<int64_t>(semantics::kNumericPrecisionMax)
             ? std::optional(static_cast<int32_t>(*value))
             : std::nullopt;
}

std::optional<Way> way_of(std::string_view name) {
  return name == "floor"                       ? std::optional(Way::kDown)
         : name == "ceil" || name == "ceiling" ? std::optional(Way::kUp)
         : name == "trunc"                     ? std::optional(Way::kToZero)
         : name == "round"                     ? std::optional(Way::kNearest)
                                               : std::nullopt;
}

/// Makes a node that has a form and does not round what is rounded here.
VectorNodePtr make_exact(const BoundExpression& operand, const NodeMaker& make) {
  return operand.type.kind == TypeKind::kNumeric && form_of(operand) ? make(operand) : nullptr;
}

VectorNodePtr make_whole_quotient(const BoundExpression& quotient, Way way, const NodeMaker& make) {
  const semantics::ScalarFunction* divide =
      quotient.kind == BoundExpression::Kind::kCall ? semantics::find_function(quotient.function) : nullptr;
  const bool is_quotient = divide != nullptr && divide->is_operator && divide->name == "/" &&
                           quotient.arguments.size() == 2 && way != Way::kNearest;
  VectorNodePtr left = is_quotient ? make_exact(quotient.arguments[0], make) : nullptr;
  VectorNodePtr right = left != nullptr ? make_exact(quotient.arguments[1], make) : nullptr;
  if (right == nullptr || left->scale() > kWordDigits || right->scale() > kWordDigits) {
    return nullptr;
  }
  return std::make_shared<WholeQuotientNode>(way, std::move(left), std::move(right));
}

}  // namespace

std::optional<int32_t> scale_of_rounded(const BoundExpression& call, std::string_view name) {
  return way_of(name) ? digits_of(call) : std::nullopt;
}

VectorNodePtr make_whole_node(const BoundExpression& call, const NodeMaker& make) {
  const semantics::ScalarFunction* function = semantics::find_function(call.function);
  if (function == nullptr || function->is_operator || call.type.kind != TypeKind::kNumeric || call.arguments.empty() ||
      call.arguments[0].type.kind != TypeKind::kNumeric) {
    return nullptr;
  }
  const std::optional<Way> way = way_of(function->name);
  const std::optional<FormOf> form = form_of(call);
  if (!way || !form || !digits_of(call)) {
    return nullptr;
  }
  VectorNodePtr from = make_exact(call.arguments[0], make);
  if (from != nullptr) {
    return from->scale() >= form->scale ? std::make_shared<RoundedNode>(*form, *way, std::move(from)) : nullptr;
  }
  return form->scale == 0 ? make_whole_quotient(call.arguments[0], *way, make) : nullptr;
}

}  // namespace daedalus::engine

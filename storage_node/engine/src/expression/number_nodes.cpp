// Arithmetic on integers, SQL timestamps, numerics of known scale and floating numbers.
//
// Decides from bounds on the operands how wide a result may be: within 64 bits there is one kernel for a batch, beyond
// numerics go on in 128. What leaves its type is hard.
#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::TypeKind;

enum class Sign : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo };

constexpr uint64_t kWordMax = uint64_t{1} << 62;
constexpr uint64_t kSmallMax = (uint64_t{1} << 31) - 1;

struct Limits {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
};

/// Returns what an integer, a date or a timestamp may be.
Limits limits_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kSmallint:
      return {std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()};
    case TypeKind::kInt:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case TypeKind::kDate:
      return {semantics::kDateDaysMin, semantics::kDateDaysMax};
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return {semantics::kTimestampMicrosMin, semantics::kTimestampMicrosMax};
    default:
      return {};
  }
}

uint64_t bound_of(Sign sign, uint64_t left, uint64_t right) {
  const UInt128 bound = sign == Sign::kMultiply ? UInt128{left} * right : UInt128{left} + right;
  return bound > kWordMax ? UINT64_MAX : static_cast<uint64_t>(bound);
}

template <typename T>
bool overflows(Sign sign, T left, T right, T* out) {
  switch (sign) {
    case Sign::kAdd:
      return __builtin_add_overflow(left, right, out);
    case Sign::kSubtract:
      return __builtin_sub_overflow(left, right, out);
    default:
      return __builtin_mul_overflow(left, right, out);
  }
}

IntegerOp kernel_of(Sign sign, bool is_small) {
  switch (sign) {
    case Sign::kAdd:
      return IntegerOp::kAdd;
    case Sign::kSubtract:
      return IntegerOp::kSubtract;
    default:
      return is_small ? IntegerOp::kMultiplySmall : IntegerOp::kMultiply;
  }
}

/// Holds what nodes of two operands have in common.
class PairNode : public VectorNode {
 protected:
  PairNode(FormOf form, VectorNodePtr left, VectorNodePtr right)
      : VectorNode(form.form, form.scale), left_(std::move(left)), right_(std::move(right)) {}

  void read(const RowBatch& batch) {
    a_ = left_->values(batch);
    b_ = right_->values(batch);
    made_ = {};
    made_.nulls = in_either(a_.nulls, b_.nulls, batch.count, buffer_.nulls);
    made_.hard = in_either(a_.hard, b_.hard, batch.count, buffer_.hard);
    is_marked_ = false;
  }

  /// Unless it is NULL: what is beneath that is not looked at.
  void mark_hard(uint32_t position, uint32_t count) {
    if (made_.nulls != nullptr && test_bit(made_.nulls, position)) {
      return;
    }
    if (!is_marked_) {
      is_marked_ = true;
      if (made_.hard == nullptr) {
        buffer_.hard.fill(0);
      } else if (made_.hard != buffer_.hard.data()) {
        std::copy_n(made_.hard, vector_words(count), buffer_.hard.begin());
      }
      made_.hard = buffer_.hard.data();
    }
    set_bit(buffer_.hard.data(), position);
  }

  VectorNodePtr left_;
  VectorNodePtr right_;
  ValueVector a_;
  ValueVector b_;
  ValueVector made_;
  VectorBuffer buffer_;

 private:
  bool is_marked_ = false;
};

class ExactNode final : public PairNode {
 public:
  ExactNode(FormOf form, Sign sign, const BoundExpression& call, VectorNodePtr left, VectorNodePtr right)
      : PairNode(form, std::move(left), std::move(right)),
        sign_(sign),
        is_numeric_(call.type.kind == TypeKind::kNumeric),
        left_kind_(call.arguments.front().type.kind),
        right_kind_(call.arguments.back().type.kind),
        limits_(limits_of(call.type.kind)) {
    if (is_numeric_ && sign_ != Sign::kMultiply) {
      left_factor_ = power_of_ten(scale() - left_->scale());
      right_factor_ = power_of_ten(scale() - right_->scale());
    }
  }

 private:
  static Int128 power_of_ten(int32_t exponent) {
    Int128 power = 1;
    for (; exponent > 0; --exponent) {
      power *= 10;
    }
    return power;
  }

  ValueVector compute(const RowBatch& batch) override {
    read(batch);
    mark_infinite(a_, left_kind_, batch.count);
    mark_infinite(b_, right_kind_, batch.count);
    if (sign_ == Sign::kDivide || sign_ == Sign::kModulo) {
      divide(batch.count);
      return made_;
    }
    if (a_.wides == nullptr && b_.wides == nullptr && scaled_within_word(batch.count)) {
      compute_words(batch.count);
    } else if (is_numeric_) {
      compute_wides(batch.count);
    } else {
      compute_checked(batch.count);
    }
    return made_;
  }

  /// Infinity is a number of its own that no arithmetic moves.
  void mark_infinite(const ValueVector& side, TypeKind kind, uint32_t count) {
    if (!semantics::is_datetime(kind)) {
      return;
    }
    const Limits finite = limits_of(kind);
    const Operand<int64_t> sql_timestamps = side.as_integers();
    if (!any_outside(side.integers, side.is_constant ? 1 : count, finite.low, finite.high)) {
      return;
    }
    for (uint32_t position = 0; position < count; ++position) {
      if (semantics::is_infinite_datetime(kind, sql_timestamps.at(position))) {
        mark_hard(position, count);
      }
    }
  }

  /// Brings both to one scale; false where they or the result may leave 64 bits.
  bool scaled_within_word(uint32_t count) {
    bound_ = bound_with_factors();
    if (bound_ == UINT64_MAX) {
      tighten(a_, count);
      tighten(b_, count);
      bound_ = bound_with_factors();
    }
    if (bound_ == UINT64_MAX) {
      return false;
    }
    scale_up(a_, left_factor_, count, scaled_left_);
    scale_up(b_, right_factor_, count, scaled_right_);
    return true;
  }

  [[nodiscard]] uint64_t bound_with_factors() const {
    constexpr Int128 kFactorMax = kWordMax;
    if (left_factor_ > kFactorMax || right_factor_ > kFactorMax) {
      return UINT64_MAX;
    }
    const uint64_t left = bound_of(Sign::kMultiply, a_.magnitude, static_cast<uint64_t>(left_factor_));
    const uint64_t right = bound_of(Sign::kMultiply, b_.magnitude, static_cast<uint64_t>(right_factor_));
    return left == UINT64_MAX || right == UINT64_MAX ? UINT64_MAX : bound_of(sign_, left, right);
  }

  static void tighten(ValueVector& side, uint32_t count) {
    side.magnitude = std::min(side.magnitude, magnitude_of(side.integers, side.is_constant ? 1 : count));
  }

  static void scale_up(ValueVector& side, Int128 factor, uint32_t count, std::vector<int64_t>& room) {
    if (factor == 1) {
      return;
    }
    const auto by = static_cast<int64_t>(factor);
    int64_t* scaled = VectorBuffer::room(room);
    integer_vectors(IntegerOp::kMultiply, side.as_integers(), {&by, true}, side.is_constant ? 1 : count, scaled);
    side.integers = scaled;
    side.magnitude *= static_cast<uint64_t>(by);
  }

  void compute_words(uint32_t count) {
    int64_t* out = VectorBuffer::room(buffer_.integers);
    const bool is_small = a_.magnitude <= kSmallMax && b_.magnitude <= kSmallMax;
    integer_vectors(kernel_of(sign_, is_small), a_.as_integers(), b_.as_integers(), count, out);
    made_.integers = out;
    made_.magnitude = bound_;
    check_limits(count);
  }

  void check_limits(uint32_t count) {
    const int64_t* out = made_.integers;
    const auto within = static_cast<uint64_t>(std::min(limits_.high, -(limits_.low + 1)));
    if (made_.magnitude <= within || !any_outside(out, count, limits_.low, limits_.high)) {
      return;
    }
    for (uint32_t position = 0; position < count; ++position) {
      if (out[position] < limits_.low || out[position] > limits_.high) {
        mark_hard(position, count);
      }
    }
  }

  void compute_checked(uint32_t count) {
    int64_t* out = VectorBuffer::room(buffer_.integers);
    for (uint32_t position = 0; position < count; ++position) {
      const int64_t left = a_.as_integers().at(position);
      const int64_t right = b_.as_integers().at(position);
      if (overflows(sign_, left, right, out + position)) {
        mark_hard(position, count);
      }
    }
    made_.integers = out;
    check_limits(count);
  }

  void compute_wides(uint32_t count) {
    Int128* out = VectorBuffer::room(buffer_.wides);
    made_.wides = out;
    if (sign_ == Sign::kMultiply && a_.wides == nullptr && b_.wides == nullptr) {
      for (uint32_t position = 0; position < count; ++position) {
        out[position] = Int128{a_.as_integers().at(position)} * b_.as_integers().at(position);
      }
      return;
    }
    for (uint32_t position = 0; position < count; ++position) {
      Int128 left = 0;
      Int128 right = 0;
      out[position] = 0;
      if (__builtin_mul_overflow(a_.wide(position), left_factor_, &left) ||
          __builtin_mul_overflow(b_.wide(position), right_factor_, &right) ||
          overflows(sign_, left, right, out + position)) {
        mark_hard(position, count);
      }
    }
  }

  /// Divides integers only.
  void divide(uint32_t count) {
    int64_t* out = VectorBuffer::room(buffer_.integers);
    for (uint32_t position = 0; position < count; ++position) {
      const int64_t left = a_.as_integers().at(position);
      const int64_t right = b_.as_integers().at(position);
      out[position] = 0;
      if (right == 0 || (right == -1 && left == std::numeric_limits<int64_t>::min())) {
        mark_hard(position, count);
      } else {
        out[position] = sign_ == Sign::kDivide ? left / right : left % right;
      }
    }
    made_.integers = out;
    made_.magnitude = a_.magnitude;
    check_limits(count);
  }

  Sign sign_;
  bool is_numeric_;
  TypeKind left_kind_;
  TypeKind right_kind_;
  Limits limits_;
  Int128 left_factor_ = 1;
  Int128 right_factor_ = 1;
  uint64_t bound_ = 0;
  std::vector<int64_t> scaled_left_;
  std::vector<int64_t> scaled_right_;
};

/// & | # on integers, and ~ as # with all bits.
class BitsNode final : public PairNode {
 public:
  BitsNode(IntegerOp op, VectorNodePtr left, VectorNodePtr right)
      : PairNode({Form::kInteger, 0}, std::move(left), std::move(right)), op_(op) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    read(batch);
    int64_t* out = VectorBuffer::room(buffer_.integers);
    integer_vectors(op_, a_.as_integers(), b_.as_integers(), batch.count, out);
    made_.integers = out;
    return made_;
  }

  IntegerOp op_;
};

/// In the precision of Number. A result that is not finite is hard, and one that is zero where it may have vanished.
template <typename Number>
class FloatingNode final : public PairNode {
 public:
  FloatingNode(Sign sign, VectorNodePtr left, VectorNodePtr right)
      : PairNode({Form::kFloating, 0}, std::move(left), std::move(right)), sign_(sign) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    read(batch);
    double* out = VectorBuffer::room(buffer_.floatings);
    made_.floatings = out;
    for (uint32_t position = 0; position < batch.count; ++position) {
      const auto left = static_cast<Number>(a_.as_floatings().at(position));
      const auto right = static_cast<Number>(b_.as_floatings().at(position));
      const Number result = of(left, right);
      out[position] = static_cast<double>(result);
      const bool may_vanish = sign_ == Sign::kMultiply || sign_ == Sign::kDivide;
      if (!std::isfinite(result) || (may_vanish && result == 0)) {
        mark_hard(position, batch.count);
      }
    }
    return made_;
  }

  [[nodiscard]] Number of(Number left, Number right) const {
    switch (sign_) {
      case Sign::kAdd:
        return left + right;
      case Sign::kSubtract:
        return left - right;
      case Sign::kMultiply:
        return left * right;
      default:
        return right == 0 ? std::numeric_limits<Number>::infinity() : left / right;
    }
  }

  Sign sign_;
};

std::optional<Sign> sign_of(std::string_view name) {
  constexpr std::string_view kSigns = "+-*/%";
  const size_t found = name.size() == 1 ? kSigns.find(name[0]) : std::string_view::npos;
  return found == std::string_view::npos ? std::nullopt : std::optional(static_cast<Sign>(found));
}

std::optional<IntegerOp> bits_of(std::string_view name) {
  return name == "&"   ? std::optional(IntegerOp::kAnd)
         : name == "|" ? std::optional(IntegerOp::kOr)
         : name == "#" ? std::optional(IntegerOp::kXor)
                       : std::nullopt;
}

bool is_exact(TypeKind kind) {
  return semantics::is_integer(kind) || semantics::is_datetime(kind) || kind == TypeKind::kNumeric;
}

/// Makes a node of one operand: 0 − x.
VectorNodePtr zero_of(const BoundExpression& argument, const NodeMaker& make) {
  if (semantics::is_integer(argument.type.kind)) {
    return make(semantics::make_constant(argument.type, int64_t{0}));
  }
  return nullptr;
}

}  // namespace

VectorNodePtr make_number_node(const BoundExpression& call, const NodeMaker& make) {
  const semantics::ScalarFunction* function = semantics::find_function(call.function);
  const bool is_modulo = function != nullptr && function->name == "mod";
  if (function == nullptr || (!function->is_operator && !is_modulo) || call.arguments.empty() ||
      call.arguments.size() > 2) {
    return nullptr;
  }
  const std::optional<Sign> sign = is_modulo ? Sign::kModulo : sign_of(function->name);
  const std::optional<IntegerOp> bits = bits_of(function->name);
  const TypeKind result = call.type.kind;
  const bool is_floating = semantics::is_floating(result) && sign.has_value() && sign != Sign::kModulo;
  const bool is_division = sign == Sign::kDivide || sign == Sign::kModulo;
  const bool are_exact =
      is_exact(result) && std::all_of(function->arguments.begin(), function->arguments.end(), is_exact);
  if ((!sign && !bits) || (!is_floating && !are_exact) || (is_division && result == TypeKind::kNumeric)) {
    return nullptr;
  }
  const bool is_negation = call.arguments.size() == 1;
  if (is_negation && (sign != Sign::kSubtract || is_floating)) {
    return nullptr;
  }
  const VectorNodePtr left = is_negation ? zero_of(call.arguments[0], make) : make(call.arguments[0]);
  const VectorNodePtr right = make(call.arguments.back());
  if (left == nullptr || right == nullptr) {
    return nullptr;
  }
  if (bits) {
    return std::make_shared<BitsNode>(*bits, left, right);
  }
  if (is_floating) {
    return result == TypeKind::kReal ? VectorNodePtr(std::make_shared<FloatingNode<float>>(*sign, left, right))
                                     : std::make_shared<FloatingNode<double>>(*sign, left, right);
  }
  return std::make_shared<ExactNode>(*form_of(call), *sign, call, left, right);
}

}  // namespace daedalus::engine

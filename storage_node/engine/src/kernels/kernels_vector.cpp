#include "kernels_vector.hpp"

#include <algorithm>

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_vector.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<int64_t>;
using Doubles = hn::ScalableTag<double>;
using WordVector = hn::Vec<Words>;

struct Add {
  static HWY_ATTR WordVector of(WordVector left, WordVector right) { return hn::Add(left, right); }
};
struct Subtract {
  static HWY_ATTR WordVector of(WordVector left, WordVector right) { return hn::Sub(left, right); }
};
struct Multiply {
  static HWY_ATTR WordVector of(WordVector left, WordVector right) { return hn::Mul(left, right); }
};
struct MultiplySmall {
  static HWY_ATTR WordVector of(WordVector left, WordVector right) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Mul(left, right);  // One value has no even half.
#else
    const hn::Repartition<int32_t, Words> halves;
    return hn::MulEven(hn::BitCast(halves, left), hn::BitCast(halves, right));
#endif
  }
};
struct And {
  static HWY_ATTR WordVector of(WordVector left, WordVector right) { return hn::And(left, right); }
};
struct Or {
  static HWY_ATTR WordVector of(WordVector left, WordVector right) { return hn::Or(left, right); }
};
struct Xor {
  static HWY_ATTR WordVector of(WordVector left, WordVector right) { return hn::Xor(left, right); }
};

/// Calls use(row, left, right) for each vector of rows.
template <typename D, typename T, typename Use>
HWY_ATTR void for_each_pair(D d, Operand<T> left, Operand<T> right, uint32_t count, Use use) {
  const auto lanes = static_cast<uint32_t>(hn::Lanes(d));
  if (left.is_constant) {
    const auto constant = hn::Set(d, left.values[0]);
    for (uint32_t row = 0; row < count; row += lanes) {
      use(row, constant, right.is_constant ? hn::Set(d, right.values[0]) : hn::LoadU(d, right.values + row));
    }
  } else if (right.is_constant) {
    const auto constant = hn::Set(d, right.values[0]);
    for (uint32_t row = 0; row < count; row += lanes) {
      use(row, hn::LoadU(d, left.values + row), constant);
    }
  } else {
    for (uint32_t row = 0; row < count; row += lanes) {
      use(row, hn::LoadU(d, left.values + row), hn::LoadU(d, right.values + row));
    }
  }
}

template <typename Op>
HWY_ATTR void apply(Operand<int64_t> left, Operand<int64_t> right, uint32_t count, int64_t* out) {
  const Words d;
  for_each_pair(d, left, right, count, [d, out](uint32_t row, WordVector a, WordVector b) HWY_ATTR {
    hn::StoreU(Op::of(a, b), d, out + row);
  });
}

HWY_ATTR void integer_op(IntegerOp op, Operand<int64_t> left, Operand<int64_t> right, uint32_t count, int64_t* out) {
  switch (op) {
    case IntegerOp::kAdd:
      return apply<Add>(left, right, count, out);
    case IntegerOp::kSubtract:
      return apply<Subtract>(left, right, count, out);
    case IntegerOp::kMultiply:
      return apply<Multiply>(left, right, count, out);
    case IntegerOp::kMultiplySmall:
      return apply<MultiplySmall>(left, right, count, out);
    case IntegerOp::kAnd:
      return apply<And>(left, right, count, out);
    case IntegerOp::kOr:
      return apply<Or>(left, right, count, out);
    case IntegerOp::kXor:
      return apply<Xor>(left, right, count, out);
  }
}

template <typename D, typename Mask>
HWY_ATTR void put_bits(D d, Mask mask, uint32_t row, uint64_t* truths) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  const uint64_t bits = bytes[0] & ((1u << hn::Lanes(d)) - 1);
  const uint64_t before = row % 64 == 0 ? 0 : truths[row / 64];
  truths[row / 64] = before | bits << (row % 64);
}

HWY_ATTR void equal_words(Operand<int64_t> left, Operand<int64_t> right, uint32_t count, uint64_t* truths) {
  const Words d;
  for_each_pair(d, left, right, count, [d, truths](uint32_t row, WordVector a, WordVector b) HWY_ATTR {
    put_bits(d, hn::Eq(a, b), row, truths);
  });
}

HWY_ATTR void less_words(Operand<int64_t> left, Operand<int64_t> right, uint32_t count, uint64_t* truths) {
  const Words d;
  for_each_pair(d, left, right, count, [d, truths](uint32_t row, WordVector a, WordVector b) HWY_ATTR {
    put_bits(d, hn::Lt(a, b), row, truths);
  });
}

HWY_ATTR void equal_doubles(Operand<double> left, Operand<double> right, uint32_t count, uint64_t* truths) {
  const Doubles d;
  using Vector = hn::Vec<Doubles>;
  for_each_pair(d, left, right, count, [d, truths](uint32_t row, Vector a, Vector b) HWY_ATTR {
    put_bits(d, hn::Or(hn::Eq(a, b), hn::Not(hn::Or(hn::Eq(a, a), hn::Eq(b, b)))), row, truths);
  });
}

HWY_ATTR void less_doubles(Operand<double> left, Operand<double> right, uint32_t count, uint64_t* truths) {
  const Doubles d;
  using Vector = hn::Vec<Doubles>;
  for_each_pair(d, left, right, count, [d, truths](uint32_t row, Vector a, Vector b) HWY_ATTR {
    put_bits(d, hn::Or(hn::Lt(a, b), hn::AndNot(hn::Eq(b, b), hn::Eq(a, a))), row, truths);
  });
}

HWY_ATTR uint64_t any_bits(const int64_t* values, uint32_t count) {
  uint64_t bits = 0;
  for (uint32_t row = 0; row < count; ++row) {
    bits |= static_cast<uint64_t>(values[row] ^ (values[row] >> 63));
  }
  return bits;
}

HWY_ATTR bool is_any_outside(const int64_t* values, uint32_t count, int64_t low, int64_t high) {
  int64_t outside = 0;
  for (uint32_t row = 0; row < count; ++row) {
    outside |= static_cast<int64_t>(values[row] < low) | static_cast<int64_t>(values[row] > high);
  }
  return outside != 0;
}

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(integer_op);
HWY_EXPORT(equal_words);
HWY_EXPORT(less_words);
HWY_EXPORT(equal_doubles);
HWY_EXPORT(less_doubles);
HWY_EXPORT(any_bits);
HWY_EXPORT(is_any_outside);

namespace {

/// Every comparison is one of two, of operands in this order or the other, or its contrary.
template <typename T, typename Equal, typename Less>
void compare_by(CompareOp op, Operand<T> left, Operand<T> right, uint32_t count, uint64_t* truths, Equal equal,
                Less less) noexcept {
  switch (op) {
    case CompareOp::kEqual:
    case CompareOp::kNotEqual:
      equal(left, right, count, truths);
      break;
    case CompareOp::kLess:
    case CompareOp::kGreaterOrEqual:
      less(left, right, count, truths);
      break;
    case CompareOp::kGreater:
    case CompareOp::kLessOrEqual:
      less(right, left, count, truths);
      break;
  }
  if (op == CompareOp::kNotEqual || op == CompareOp::kGreaterOrEqual || op == CompareOp::kLessOrEqual) {
    for (uint32_t word = 0; word < (count + 63) / 64; ++word) {
      truths[word] = ~truths[word];
    }
  }
}

}  // namespace

void integer_vectors(IntegerOp op, Operand<int64_t> left, Operand<int64_t> right, uint32_t count,
                     int64_t* out) noexcept {
  HWY_DYNAMIC_DISPATCH(integer_op)(op, left, right, count, out);
}

void compare_vectors(CompareOp op, Operand<int64_t> left, Operand<int64_t> right, uint32_t count,
                     uint64_t* truths) noexcept {
  compare_by(op, left, right, count, truths, HWY_DYNAMIC_DISPATCH(equal_words), HWY_DYNAMIC_DISPATCH(less_words));
}

void compare_vectors(CompareOp op, Operand<double> left, Operand<double> right, uint32_t count,
                     uint64_t* truths) noexcept {
  compare_by(op, left, right, count, truths, HWY_DYNAMIC_DISPATCH(equal_doubles), HWY_DYNAMIC_DISPATCH(less_doubles));
}

uint64_t magnitude_of(const int64_t* values, uint32_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(any_bits)(values, count) + 1;
}

bool any_outside(const int64_t* values, uint32_t count, int64_t low, int64_t high) noexcept {
  return HWY_DYNAMIC_DISPATCH(is_any_outside)(values, count, low, high);
}

}  // namespace daedalus::engine
#endif  // HWY_ONCE

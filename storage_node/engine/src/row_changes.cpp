#include "row_changes.hpp"

#include <cmath>

namespace daedalus::engine {
namespace {

using semantics::BigInt;
using semantics::TypeKind;

Int128 power_of_ten(uint32_t exponent) {
  Int128 power = 1;
  for (uint32_t digit = 0; digit < exponent; ++digit) {
    power *= 10;
  }
  return power;
}

struct Range {
  Int128 low = 0;
  Int128 high = 0;
};

/// What an integer-valued column may hold.
Range range_of(const semantics::Type& type) {
  switch (type.kind) {
    case TypeKind::kSmallint:
      return {INT16_MIN, INT16_MAX};
    case TypeKind::kInt:
      return {INT32_MIN, INT32_MAX};
    case TypeKind::kBigint:
      return {INT64_MIN, INT64_MAX};
    case TypeKind::kDate:
      return {semantics::kDateDaysMin, semantics::kDateDaysMax};
    case TypeKind::kNumeric: {
      const Int128 bound = power_of_ten(type.precision);
      return {1 - bound, bound - 1};
    }
    default:
      break;
  }
  check_failed("a type that can be added to", __FILE__, __LINE__);
}

/// PostgreSQL's rule: infinity out of finite operands is an overflow.
template <typename T>
bool add_floating(const uint8_t* old_value, double addend, uint8_t* out) {
  const T old_number = load<T>(old_value);
  T sum = static_cast<T>(old_number + static_cast<T>(addend));
  sum = std::isnan(sum) ? std::numeric_limits<T>::quiet_NaN() : sum;
  std::memcpy(out, &sum, sizeof sum);
  return !std::isinf(sum) || std::isinf(old_number) || std::isinf(addend);
}

}  // namespace

CompiledModification::CompiledModification(const TableLayout& layout,
                                           const std::vector<semantics::Assignment>& assignments) {
  steps_.reserve(assignments.size());
  for (const semantics::Assignment& assignment : assignments) {
    Step step{.column = assignment.column, .layout = layout.columns[assignment.column]};
    if (assignment.kind == semantics::Assignment::Kind::kAdd) {
      compile_addition(assignment.value, step);
    } else if (semantics::is_null(assignment.value)) {
      CHECK(step.layout.nullable);
      step.is_null = true;
      step.value.assign(step.layout.width, 0);
    } else {
      CHECK(append_native(step.layout, assignment.value, step.value) == Fit::kInside);
    }
    steps_.push_back(std::move(step));
  }
}

void CompiledModification::compile_addition(const semantics::Value& value, Step& step) {
  step.is_addition = true;
  step.value.assign(step.layout.width, 0);
  if (semantics::is_floating(step.layout.type.kind)) {
    CHECK(std::holds_alternative<double>(value));
    step.floating_addend = std::get<double>(value);
    return;
  }
  const Range range = range_of(step.layout.type);
  step.low = range.low;
  step.high = range.high;
  if (step.layout.type.kind != TypeKind::kNumeric) {
    CHECK(std::holds_alternative<int64_t>(value));
    step.addend[0] = std::get<int64_t>(value);
    return;
  }
  CHECK(std::holds_alternative<semantics::Decimal>(value));
  const BigInt addend = rescaled(std::get<semantics::Decimal>(value), step.layout.type.scale);
  const BigInt reach = to_big(range.high) * 2;
  step.never_fits = addend > reach || addend < -reach;
  if (!step.never_fits) {
    const BigInt half = addend / 2;
    step.addend = {to_int128(half), to_int128(addend - half)};
  }
}

bool CompiledModification::prepare(Step& step, const uint8_t* old_value) {
  if (step.layout.native == Native::kFloat) {
    return add_floating<float>(old_value, step.floating_addend, step.value.data());
  }
  if (step.layout.native == Native::kDouble) {
    return add_floating<double>(old_value, step.floating_addend, step.value.data());
  }
  if (step.never_fits) {
    return false;
  }
  return with_native(step.layout.native, [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      return false;
    } else {
      // Both addends have one sign: where an intermediate sum overflows, the whole sum is out of range too.
      Int128 sum = load<T>(old_value);
      if (__builtin_add_overflow(sum, step.addend[0], &sum) || __builtin_add_overflow(sum, step.addend[1], &sum) ||
          sum < step.low || sum > step.high) {
        return false;
      }
      const T narrowed = static_cast<T>(sum);
      std::memcpy(step.value.data(), &narrowed, sizeof narrowed);
      return true;
    }
  });
}

bool CompiledModification::apply(uint8_t* const* planes, uint64_t* const* nulls, uint32_t row) {
  for (Step& step : steps_) {
    if (step.is_addition) {
      step.is_null = test_bit(nulls[step.column], row);
      if (!step.is_null && !prepare(step, planes[step.column] + size_t{row} * step.layout.width)) {
        return false;
      }
    }
  }
  for (const Step& step : steps_) {
    if (step.is_addition && step.is_null) {
      continue;
    }
    std::memcpy(planes[step.column] + size_t{row} * step.layout.width, step.value.data(), step.layout.width);
    if (step.is_null) {
      set_bit(nulls[step.column], row);
    } else if (step.layout.nullable) {
      clear_bit(nulls[step.column], row);
    }
  }
  return true;
}

}  // namespace daedalus::engine

#include "row_changes.hpp"

#include <algorithm>
#include <cmath>

#include "daedalus/semantics/infinity.hpp"
#include "kernels_bitmap.hpp"

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

/// Returns what an integer-valued column may hold.
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

Modifications::Part Modifications::compile(const std::vector<semantics::Assignment>& assignments) {
  const Part part{static_cast<uint32_t>(writes_.size()), static_cast<uint32_t>(assignments.size())};
  for (const semantics::Assignment& assignment : assignments) {
    const ColumnLayout& layout = layout_->columns[assignment.column];
    Write write{.column = assignment.column,
                .tail_width = static_cast<uint16_t>(layout.tail_width()),
                .width = static_cast<uint8_t>(layout.stride),
                .is_nullable = layout.nullable};
    if (assignment.kind == semantics::Assignment::Kind::kAdd) {
      write.is_addition = true;
      write.place = static_cast<uint32_t>(additions_.size());
      additions_.push_back(compile_addition(layout, assignment.value));
    } else if (assignment.kind == semantics::Assignment::Kind::kCompute) {
      write.is_computed = true;
      write.place = static_cast<uint32_t>(computations_.size());
      computations_.push_back({.expression = assignment.expression, .new_value = std::vector<uint8_t>(layout.width)});
    } else {
      keep_value(layout, assignment.value, write);
    }
    writes_.push_back(write);
  }
  return part;
}

void Modifications::keep_value(const ColumnLayout& layout, const semantics::Value& value, Write& write) {
  native_.clear();
  if (semantics::is_null(value)) {
    CHECK(layout.nullable);
    write.is_null = true;
    native_.assign(layout.width, 0);
  } else {
    CHECK(append_native(layout, value, native_) == Fit::kInside);
  }
  // A value has a tail, or is longer in its plane than a word, but not both.
  const uint32_t kept = layout.stride <= sizeof write.value ? layout.stride : 0;
  DCHECK(kept == layout.stride || layout.tail_width() == 0);
  std::memcpy(&write.value, native_.data(), kept);
  auto end = native_.end();
  while (write.tail_width > 0 && end > native_.begin() + kept && end[-1] == 0) {
    --end;
  }
  write.place = static_cast<uint32_t>(long_values_.size());
  write.tail_size = write.tail_width > 0 ? static_cast<uint16_t>(end - native_.begin() - kept) : uint16_t{0};
  long_values_.insert(long_values_.end(), native_.begin() + kept, end);
}

void Modifications::put_tail(const Write& write, uint8_t* tails, uint32_t row) const {
  uint8_t* target = tails + size_t{row} * write.tail_width;
  if (write.tail_size > 0) {
    std::memcpy(target, long_values_.data() + write.place, write.tail_size);
  }
  std::memset(target + write.tail_size, 0, write.tail_width - write.tail_size);
}

Modifications::Addition Modifications::compile_addition(const ColumnLayout& layout, const semantics::Value& value) {
  Addition addition{.layout = layout};
  if (semantics::is_floating(layout.type.kind)) {
    CHECK(std::holds_alternative<double>(value));
    addition.floating_addend = std::get<double>(value);
    return addition;
  }
  const Range range = range_of(layout.type);
  addition.low = range.low;
  addition.high = range.high;
  if (layout.type.kind != TypeKind::kNumeric) {
    CHECK(std::holds_alternative<int64_t>(value));
    addition.addend[0] = std::get<int64_t>(value);
    return addition;
  }
  CHECK(std::holds_alternative<semantics::Decimal>(value));
  const BigInt addend = rescaled(std::get<semantics::Decimal>(value), layout.type.scale);
  const BigInt reach = to_big(range.high) * 2;
  addition.never_fits = addend > reach || addend < -reach;
  if (!addition.never_fits) {
    const BigInt half = addend / 2;
    addition.addend = {to_int128(half), to_int128(addend - half)};
  }
  return addition;
}

bool Modifications::prepare(Addition& addition, const uint8_t* old_value) {
  uint8_t* out = addition.new_value.data();
  if (addition.layout.native == Native::kFloat) {
    return add_floating<float>(old_value, addition.floating_addend, out);
  }
  if (addition.layout.native == Native::kDouble) {
    return add_floating<double>(old_value, addition.floating_addend, out);
  }
  if (addition.never_fits) {
    return false;
  }
  return with_native(addition.layout.native, [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      return false;
    } else {
      if (addition.layout.type.kind == TypeKind::kDate && semantics::is_infinite_date(load<T>(old_value))) {
        std::memcpy(out, old_value, sizeof(T));  // It stays what it is.
        return true;
      }
      // Both addends have one sign: where an intermediate sum overflows, the whole sum is out of range too.
      Int128 sum = load<T>(old_value);
      if (__builtin_add_overflow(sum, addition.addend[0], &sum) ||
          __builtin_add_overflow(sum, addition.addend[1], &sum) || sum < addition.low || sum > addition.high) {
        return false;
      }
      const T narrowed = static_cast<T>(sum);
      std::memcpy(out, &narrowed, sizeof narrowed);
      return true;
    }
  });
}

std::optional<std::string> Modifications::prepare(const Write& write, const RowPlace& place) {
  static constexpr const char* kOutOfRange = "22003";
  if (write.is_addition) {
    Addition& addition = additions_[write.place];
    addition.stays_null = test_bit(place.nulls[write.column], place.row);
    const bool fits =
        addition.stays_null || prepare(addition, place.planes[write.column] + size_t{place.row} * write.width);
    return fits ? std::nullopt : std::optional<std::string>(kOutOfRange);
  }
  Computation& computation = computations_[write.place];
  const Result<semantics::Value> value = computed_row_.compute(*computation.expression, write.column, place);
  if (!value) {
    return value.error().sqlstate;
  }
  computation.is_null = semantics::is_null(*value);
  std::fill(computation.new_value.begin(), computation.new_value.end(), uint8_t{0});
  if (!computation.is_null) {
    write_native(layout_->columns[write.column], *value, computation.new_value.data());
  }
  return std::nullopt;
}

void Modifications::put_computed(const Write& write, uint8_t* const* planes, uint64_t* const* nulls,
                                 uint32_t row) const {
  const Computation& computation = computations_[write.place];
  const uint8_t* const value = computation.new_value.data();
  copy_value(planes[write.column] + size_t{row} * write.width, value, write.width);
  if (write.tail_width > 0) {
    std::memcpy(planes[layout_->tail_plane(write.column)] + size_t{row} * write.tail_width, value + write.width,
                write.tail_width);
  }
  if (computation.is_null) {
    set_bit(nulls[write.column], row);
  } else if (write.is_nullable) {
    clear_bit(nulls[write.column], row);
  }
}

std::optional<std::string> Modifications::prepare(Part part, uint8_t* const* planes, uint64_t* const* nulls,
                                                  uint32_t row) {
  for (const Write& write : writes(part)) {
    if (write.depends_on_row()) {
      std::optional<std::string> failed = prepare(write, {planes, planes + layout_->columns.size(), nulls, row});
      if (failed) {
        return failed;
      }
    }
  }
  return std::nullopt;
}

void Modifications::write(Part part, uint8_t* const* planes, uint64_t* const* nulls, uint32_t row) const {
  for (const Write& write : writes(part)) {
    uint8_t* target = planes[write.column] + size_t{row} * write.width;
    if (write.is_addition) {
      const Addition& addition = additions_[write.place];
      if (!addition.stays_null) {
        std::memcpy(target, addition.new_value.data(), write.width);
      }
      continue;
    }
    if (write.is_computed) {
      put_computed(write, planes, nulls, row);
      continue;
    }
    copy_value(target, value_of(write), write.width);
    if (write.tail_width > 0) {
      put_tail(write, planes[layout_->tail_plane(write.column)], row);
    }
    if (write.is_null) {
      set_bit(nulls[write.column], row);
    } else if (write.is_nullable) {
      clear_bit(nulls[write.column], row);
    }
  }
}

bool Modifications::depends_on_row(Part part) const {
  const std::span<const Write> all = writes(part);
  return std::any_of(all.begin(), all.end(), [](const Write& write) { return write.depends_on_row(); });
}

void Modifications::apply_all(Part part, uint8_t* const* planes, uint64_t* const* nulls,
                              std::span<const uint64_t> rows) const {
  const auto words = static_cast<uint32_t>(rows.size());
  for (const Write& write : writes(part)) {
    DCHECK(!write.depends_on_row());
    const uint8_t* value = value_of(write);
    uint8_t* plane = planes[write.column];
    for_each_bit(rows.data(), words,
                 [&](uint32_t row) { copy_value(plane + size_t{row} * write.width, value, write.width); });
    if (write.tail_width > 0) {
      uint8_t* tails = planes[layout_->tail_plane(write.column)];
      for_each_bit(rows.data(), words, [&](uint32_t row) { put_tail(write, tails, row); });
    }
    if (write.is_null) {
      or_into(nulls[write.column], rows.data(), words);
    } else if (write.is_nullable) {
      and_not_into(nulls[write.column], rows.data(), words);
    }
  }
}

void Modifications::clear() {
  writes_.clear();
  additions_.clear();
  computations_.clear();
  long_values_.clear();
}

}  // namespace daedalus::engine

// Exact sums of integers, numerics and intervals, in as many digits as they take.
#pragma once

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// Months, days and microseconds side by side in one number: sums add up field by field as long as no field leaves its
/// 128 bits, which it takes 2^64 rows for.
[[nodiscard]] BigInt number_of(const Interval& interval);
/// Gives the interval that a sum of such numbers stands for. Error 22008: a field is beyond an interval's.
[[nodiscard]] Result<Interval> interval_of(BigInt number);

/// Adds an exact number, an interval, or a sum, to a sum that may not have begun.
inline void add_to(Value& sum, const Value& number) {
  if (is_null(sum)) {
    sum = Decimal{};
  }
  auto& total = std::get<Decimal>(sum);
  if (const auto* integer = std::get_if<int64_t>(&number)) {
    total.unscaled += *integer;
    return;
  }
  if (const auto* interval = std::get_if<Interval>(&number)) {
    total.unscaled += number_of(*interval);
    return;
  }
  const auto& decimal = std::get<Decimal>(number);
  if (total.scale == decimal.scale) {
    total.unscaled += decimal.unscaled;
  } else {
    total = add(total, decimal);
  }
}

}  // namespace daedalus::semantics

// Exact sums of integers and numerics, in as many digits as they take.
#pragma once

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// Adds an exact number, or a sum, to a sum that may not have begun.
inline void add_to(Value& sum, const Value& number) {
  if (is_null(sum)) {
    sum = Decimal{};
  }
  auto& total = std::get<Decimal>(sum);
  if (const auto* integer = std::get_if<int64_t>(&number)) {
    total.unscaled += *integer;
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

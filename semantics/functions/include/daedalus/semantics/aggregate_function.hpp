// Which aggregates there are, and of which types: what a statement says of them, without what adds them up.
#pragma once

#include <cstdint>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/aggregate_table.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// The longest text that string_agg makes.
constexpr uint32_t kStringAggBytesMax = 32'768;

/// Type of the finished aggregate. Errors: 42883 no such function for the type (sum(date), min(bool), …).
[[nodiscard]] Result<Type> aggregate_type(AggregateFunction function, const Type& argument);

/// Checks the fraction of a percentile. Error 22003: it is not between 0 and 1.
[[nodiscard]] Result<void> check_fraction(double fraction);

}  // namespace daedalus::semantics

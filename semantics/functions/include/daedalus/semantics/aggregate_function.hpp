// Which aggregates there are, and of which types: what a statement says of them, without what adds them up.
#pragma once

#include <cstdint>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// The aggregates of SQL. Their numbers are those of the wire.
enum class AggregateFunction : uint8_t {
  kCountRows = 1,
  kCount = 2,
  kSum = 3,
  kMin = 4,
  kMax = 5,
  kAvg = 6,
  kBoolAnd = 7,
  kBoolOr = 8,
  kBitAnd = 9,
  kBitOr = 10,
  kVarPop = 11,
  kVarSamp = 12,
  kStddevPop = 13,
  kStddevSamp = 14,
  kStringAgg = 15,  ///< It takes a text and what is put between texts; then what they are ordered by.
  kGrouping = 16,   ///< GROUPING(): which of the keys that are its arguments a group's set lacks, a bit each.
  kBitXor = 17,
  kPercentileCont = 18,  ///< It takes a value, a fraction, and the value that it is ordered by.
  kPercentileDisc = 19,  ///< As kPercentileCont.
  kMode = 20,            ///< It takes a value, and the value that it is ordered by.
};

/// The numbers of the first and the last of them.
constexpr uint8_t kAggregateFunctionFirst = 1;
constexpr uint8_t kAggregateFunctionLast = 20;

/// The longest text that string_agg makes.
constexpr uint32_t kStringAggBytesMax = 32'768;

/// "count", "sum", "min", "max", "avg", "bool_and" and so on.
[[nodiscard]] std::string_view function_name(AggregateFunction function);

/// Says whether it is made of a group's values in their order (WITHIN GROUP).
[[nodiscard]] constexpr bool is_ordered_set(AggregateFunction function) {
  return function >= AggregateFunction::kPercentileCont && function <= AggregateFunction::kMode;
}

/// Says whether it is made of a list of values in an order.
[[nodiscard]] constexpr bool is_made_in_order(AggregateFunction function) {
  return function == AggregateFunction::kStringAgg || is_ordered_set(function);
}

/// Says whether it has a state for each group of a segment. Others are made of lists, or of a group's set.
[[nodiscard]] constexpr bool has_state(AggregateFunction function) {
  return !is_made_in_order(function) && function != AggregateFunction::kGrouping;
}

/// Says whether it is a variance or a standard deviation: made of a sum and a sum of squares.
[[nodiscard]] bool is_spread(AggregateFunction function);

/// Type of the finished aggregate. Errors: 42883 no such function for the type (sum(date), min(bool), …).
[[nodiscard]] Result<Type> aggregate_type(AggregateFunction function, const Type& argument);

/// Says whether equal arguments may count as often as they like: DISTINCT changes nothing.
[[nodiscard]] bool ignores_repetition(AggregateFunction function);

/// Checks the fraction of a percentile. Error 22003: it is not between 0 and 1.
[[nodiscard]] Result<void> check_fraction(double fraction);

}  // namespace daedalus::semantics

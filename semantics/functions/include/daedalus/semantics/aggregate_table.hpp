// Lists the aggregates, each with its name, its number, what it takes and gives, and what it keeps.
//
// The one list of them: SQL finds names in it, messages numbers, merging and scans the kind of their states. A new one
// is a line here, and its computation in aggregate.cpp where its kind of state is new.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// The numbers are those of the wire.
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

/// The state that a segment keeps of a group's rows; the states of one group are merged.
enum class AggregateStateKind : uint8_t {
  kNone,      ///< Nothing: it is made of a group's values in an order, or of a group's set.
  kCount,     ///< How many there were.
  kExtreme,   ///< The least or greatest value.
  kCombined,  ///< All truths, or all bits, in one.
  kSum,
  kAverage,  ///< A sum and how many there were.
  kSpread,   ///< A sum, a sum of squares, and how many there were.
};

/// The type that an aggregate takes as its first argument, and the type that it gives.
enum class AggregateTypes : uint8_t {
  kAnyToBigint,
  kAnyToInt,
  kAnyToItself,
  kOrderedToItself,  ///< It takes types that PostgreSQL has extremes of; those of a varchar are text.
  kSummed,           ///< A wider number, or an interval.
  kAveraged,         ///< As kSpread, or an interval.
  kSpread,           ///< numeric, or double precision of floating values.
  kBoolToItself,
  kIntegerToItself,
  kTextToText,
  kContinuousToItself,  ///< double precision and interval.
};

struct AggregateEntry {
  AggregateFunction function;
  std::string_view name;
  std::string_view other_name = {};  ///< A second one that statements may call it by.
  AggregateTypes types;
  AggregateStateKind state = AggregateStateKind::kNone;
  uint8_t argument_count = 1;                          ///< In the parentheses of a statement.
  std::optional<TypeKind> second_kind = std::nullopt;  ///< The kind of the second argument of a bound one.
  bool is_called = true;                               ///< By its name; others are forms of their own.
  bool is_ordered_set = false;     ///< It is made of a group's values in their order (WITHIN GROUP).
  bool is_null_of_nothing = true;  ///< It is NULL where there is no value.
  bool may_repeat = false;         ///< Equal arguments may count as often as they like: DISTINCT changes nothing.
  uint32_t since = 1;              ///< Version of the language (language.hpp).
};

/// In the order of their numbers, from 1.
inline constexpr auto kAggregates = [] {
  using F = AggregateFunction;
  using T = AggregateTypes;
  using S = AggregateStateKind;
  return std::to_array<AggregateEntry>({
      {.function = F::kCountRows,
       .name = "count",
       .types = T::kAnyToBigint,
       .state = S::kCount,
       .argument_count = 0,
       .is_called = false,
       .is_null_of_nothing = false},
      {.function = F::kCount,
       .name = "count",
       .types = T::kAnyToBigint,
       .state = S::kCount,
       .is_null_of_nothing = false},
      {.function = F::kSum, .name = "sum", .types = T::kSummed, .state = S::kSum},
      {.function = F::kMin, .name = "min", .types = T::kOrderedToItself, .state = S::kExtreme, .may_repeat = true},
      {.function = F::kMax, .name = "max", .types = T::kOrderedToItself, .state = S::kExtreme, .may_repeat = true},
      {.function = F::kAvg, .name = "avg", .types = T::kAveraged, .state = S::kAverage},
      {.function = F::kBoolAnd,
       .name = "bool_and",
       .other_name = "every",
       .types = T::kBoolToItself,
       .state = S::kCombined,
       .may_repeat = true},
      {.function = F::kBoolOr, .name = "bool_or", .types = T::kBoolToItself, .state = S::kCombined, .may_repeat = true},
      {.function = F::kBitAnd,
       .name = "bit_and",
       .types = T::kIntegerToItself,
       .state = S::kCombined,
       .may_repeat = true},
      {.function = F::kBitOr,
       .name = "bit_or",
       .types = T::kIntegerToItself,
       .state = S::kCombined,
       .may_repeat = true},
      {.function = F::kVarPop, .name = "var_pop", .types = T::kSpread, .state = S::kSpread},
      {.function = F::kVarSamp, .name = "var_samp", .other_name = "variance", .types = T::kSpread, .state = S::kSpread},
      {.function = F::kStddevPop, .name = "stddev_pop", .types = T::kSpread, .state = S::kSpread},
      {.function = F::kStddevSamp,
       .name = "stddev_samp",
       .other_name = "stddev",
       .types = T::kSpread,
       .state = S::kSpread},
      {.function = F::kStringAgg,
       .name = "string_agg",
       .types = T::kTextToText,
       .argument_count = 2,
       .second_kind = TypeKind::kText},
      {.function = F::kGrouping,
       .name = "grouping",
       .types = T::kAnyToInt,
       .is_called = false,
       .is_null_of_nothing = false},
      {.function = F::kBitXor, .name = "bit_xor", .types = T::kIntegerToItself, .state = S::kCombined},
      {.function = F::kPercentileCont,
       .name = "percentile_cont",
       .types = T::kContinuousToItself,
       .second_kind = TypeKind::kDouble,
       .is_ordered_set = true,
       .since = 2},
      {.function = F::kPercentileDisc,
       .name = "percentile_disc",
       .types = T::kAnyToItself,
       .second_kind = TypeKind::kDouble,
       .is_ordered_set = true,
       .since = 2},
      {.function = F::kMode,
       .name = "mode",
       .types = T::kAnyToItself,
       .argument_count = 0,
       .is_ordered_set = true,
       .since = 2},
  });
}();

static_assert(
    [] {
      for (size_t place = 0; place < kAggregates.size(); ++place) {
        if (static_cast<size_t>(kAggregates[place].function) != place + 1) {
          return false;
        }
      }
      return true;
    }(),
    "each aggregate stands at the place of its number");

/// Returns whether an aggregate has this number.
[[nodiscard]] constexpr bool is_aggregate_number(uint32_t number) {
  return number >= 1 && number <= kAggregates.size();
}

[[nodiscard]] constexpr const AggregateEntry& entry_of(AggregateFunction function) {
  return kAggregates[static_cast<size_t>(function) - 1];
}

/// Says whether it is made of a list of values in an order.
[[nodiscard]] constexpr bool is_made_in_order(AggregateFunction function) {
  return function == AggregateFunction::kStringAgg || entry_of(function).is_ordered_set;
}

}  // namespace daedalus::semantics

#include "daedalus/semantics/aggregate_function.hpp"

#include <fmt/format.h>

namespace daedalus::semantics {

std::string_view function_name(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCountRows:
    case AggregateFunction::kCount:
      return "count";
    case AggregateFunction::kSum:
      return "sum";
    case AggregateFunction::kMin:
      return "min";
    case AggregateFunction::kMax:
      return "max";
    case AggregateFunction::kAvg:
      return "avg";
    case AggregateFunction::kBoolAnd:
      return "bool_and";
    case AggregateFunction::kBoolOr:
      return "bool_or";
    case AggregateFunction::kBitAnd:
      return "bit_and";
    case AggregateFunction::kBitOr:
      return "bit_or";
    case AggregateFunction::kBitXor:
      return "bit_xor";
    case AggregateFunction::kVarPop:
      return "var_pop";
    case AggregateFunction::kVarSamp:
      return "var_samp";
    case AggregateFunction::kStddevPop:
      return "stddev_pop";
    case AggregateFunction::kStddevSamp:
      return "stddev_samp";
    case AggregateFunction::kPercentileCont:
      return "percentile_cont";
    case AggregateFunction::kPercentileDisc:
      return "percentile_disc";
    case AggregateFunction::kMode:
      return "mode";
    case AggregateFunction::kStringAgg:
      return "string_agg";
    case AggregateFunction::kGrouping:
      return "grouping";
  }
  return "unknown";
}

bool is_spread(AggregateFunction function) {
  return function >= AggregateFunction::kVarPop && function <= AggregateFunction::kStddevSamp;
}

bool ignores_repetition(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
    case AggregateFunction::kBoolAnd:
    case AggregateFunction::kBoolOr:
    case AggregateFunction::kBitAnd:
    case AggregateFunction::kBitOr:
      return true;
    default:
      return false;
  }
}

Result<Type> aggregate_type(AggregateFunction function, const Type& argument) {
  const TypeKind kind = argument.kind;
  switch (function) {
    case AggregateFunction::kCountRows:
    case AggregateFunction::kCount:
      return Type{TypeKind::kBigint};
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      if (kind == TypeKind::kVarchar) {
        return Type{.kind = TypeKind::kText, .length = length_max(argument)};  // PostgreSQL has extremes of text.
      }
      if (kind != TypeKind::kBool && kind != TypeKind::kUuid) {
        return argument;
      }
      break;
    case AggregateFunction::kSum:
      if (kind == TypeKind::kSmallint || kind == TypeKind::kInt) {
        return Type{TypeKind::kBigint};
      }
      if (kind == TypeKind::kBigint || kind == TypeKind::kNumeric) {
        return Type{TypeKind::kNumeric};
      }
      if (is_floating(kind) || kind == TypeKind::kInterval) {
        return Type{kind};
      }
      break;
    case AggregateFunction::kAvg:
      if (kind == TypeKind::kInterval) {
        return Type{kind};
      }
      [[fallthrough]];
    case AggregateFunction::kVarPop:
    case AggregateFunction::kVarSamp:
    case AggregateFunction::kStddevPop:
    case AggregateFunction::kStddevSamp:
      if (is_floating(kind)) {
        return Type{TypeKind::kDouble};
      }
      if (is_numeric(kind)) {
        return Type{TypeKind::kNumeric};
      }
      break;
    case AggregateFunction::kBoolAnd:
    case AggregateFunction::kBoolOr:
      if (kind == TypeKind::kBool) {
        return argument;
      }
      break;
    case AggregateFunction::kBitAnd:
    case AggregateFunction::kBitOr:
    case AggregateFunction::kBitXor:
      if (kind == TypeKind::kSmallint || kind == TypeKind::kInt || kind == TypeKind::kBigint) {
        return argument;
      }
      break;
    case AggregateFunction::kStringAgg:
      if (kind == TypeKind::kText) {
        return Type{TypeKind::kText, 0, 0, kStringAggBytesMax};
      }
      break;
    case AggregateFunction::kPercentileCont:
      if (kind == TypeKind::kDouble || kind == TypeKind::kInterval) {
        return argument;
      }
      break;
    case AggregateFunction::kPercentileDisc:
    case AggregateFunction::kMode:
      return argument;
    case AggregateFunction::kGrouping:
      return Type{TypeKind::kInt};
  }
  return rejected("42883", fmt::format("function {}({}) does not exist", function_name(function), kind_name(kind)));
}

Result<void> check_fraction(double fraction) {
  const bool is_one = fraction >= 0 && fraction <= 1;
  return is_one
             ? Result<void>()
             : Result<void>(rejected("22003", fmt::format("percentile value {:g} is not between 0 and 1", fraction)));
}

}  // namespace daedalus::semantics

#include "daedalus/semantics/aggregate_function.hpp"

#include <fmt/format.h>

#include <optional>

namespace daedalus::semantics {

namespace {

/// Returns nothing for an argument that the aggregate does not take.
std::optional<Type> result_type(AggregateTypes types, const Type& argument) {
  const TypeKind kind = argument.kind;
  const auto itself_if = [&](bool is_taken) { return is_taken ? std::optional(argument) : std::nullopt; };
  const bool is_averaged_interval = types == AggregateTypes::kAveraged && kind == TypeKind::kInterval;
  switch (types) {
    case AggregateTypes::kAnyToBigint:
      return Type{TypeKind::kBigint};
    case AggregateTypes::kAnyToInt:
      return Type{TypeKind::kInt};
    case AggregateTypes::kAnyToItself:
      return argument;
    case AggregateTypes::kOrderedToItself:
      if (kind == TypeKind::kVarchar) {
        return Type{.kind = TypeKind::kText, .length = length_max(argument)};  // PostgreSQL has extremes of text.
      }
      return itself_if(kind != TypeKind::kBool && kind != TypeKind::kUuid);
    case AggregateTypes::kSummed:
      if (kind == TypeKind::kSmallint || kind == TypeKind::kInt) {
        return Type{TypeKind::kBigint};
      }
      if (kind == TypeKind::kBigint || kind == TypeKind::kNumeric) {
        return Type{TypeKind::kNumeric};
      }
      return is_floating(kind) || kind == TypeKind::kInterval ? std::optional(Type{kind}) : std::nullopt;
    case AggregateTypes::kAveraged:
    case AggregateTypes::kSpread:
      if (is_floating(kind) || is_averaged_interval) {
        return Type{is_averaged_interval ? kind : TypeKind::kDouble};
      }
      return is_numeric(kind) ? std::optional(Type{TypeKind::kNumeric}) : std::nullopt;
    case AggregateTypes::kBoolToItself:
      return itself_if(kind == TypeKind::kBool);
    case AggregateTypes::kIntegerToItself:
      return itself_if(kind == TypeKind::kSmallint || kind == TypeKind::kInt || kind == TypeKind::kBigint);
    case AggregateTypes::kTextToText:
      return kind == TypeKind::kText ? std::optional(Type{kind, 0, 0, kStringAggBytesMax}) : std::nullopt;
    case AggregateTypes::kContinuousToItself:
      return itself_if(kind == TypeKind::kDouble || kind == TypeKind::kInterval);
  }
  return std::nullopt;
}

}  // namespace

Result<Type> aggregate_type(AggregateFunction function, const Type& argument) {
  const AggregateEntry& entry = entry_of(function);
  const auto type = result_type(entry.types, argument);
  return type ? Result<Type>(*type)
              : rejected("42883", fmt::format("function {}({}) does not exist", entry.name, kind_name(argument.kind)));
}

Result<void> check_fraction(double fraction) {
  const bool is_one = fraction >= 0 && fraction <= 1;
  return is_one
             ? Result<void>()
             : Result<void>(rejected("22003", fmt::format("percentile value {:g} is not between 0 and 1", fraction)));
}

}  // namespace daedalus::semantics

// Updates compute values of a row for its columns, alike wherever the row is.
#include "daedalus/semantics/update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "daedalus/semantics/text.hpp"

// A product that is rounded only together with a sum has other last bits than on a machine that cannot do so.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#error "What updates compute must be built without contraction of floating operations (-ffp-contract=off)"
#endif

namespace daedalus::semantics {
namespace {

/// One NaN stands for all of them, so that equal values have equal bytes.
Value canonical(Value value) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && std::isnan(*number)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return value;
}

}  // namespace

bool can_assign(TypeKind from, TypeKind to) {
  return (is_numeric(from) && is_numeric(to)) || (is_datetime(from) && is_datetime(to)) || is_cast_of_time(from, to) ||
         is_string(to) || from == to;
}

bool is_exact(const ScalarFunction& function) {
  // Each of them is one operation that IEEE 754 rounds correctly, or compares, or looks at bits. Whatever else takes or
  // gives a floating number is refused until it is known to be so.
  static constexpr std::string_view kExact[] = {"abs",
                                                "ceil",
                                                "ceiling",
                                                "degrees",
                                                "floor",
                                                "radians",
                                                "round",
                                                "sign",
                                                "sqrt",
                                                "to_timestamp",
                                                "trunc",
                                                "make_time",
                                                "make_timestamp",
                                                "make_timestamptz",
                                                "make_interval",
                                                "float4larger",
                                                "float8larger",
                                                "float4smaller",
                                                "float8smaller",
                                                "btfloat4cmp",
                                                "btfloat8cmp",
                                                "btfloat48cmp",
                                                "btfloat84cmp",
                                                "hashfloat4",
                                                "hashfloat8",
                                                "hashfloat4extended",
                                                "hashfloat8extended"};
  // Even of numerics these choose their digits by a logarithm in double precision.
  static constexpr std::string_view kByLogarithm[] = {"^", "exp", "ln", "log", "log10", "pow", "power"};
  if (std::find(std::begin(kByLogarithm), std::end(kByLogarithm), function.name) != std::end(kByLogarithm)) {
    return false;
  }
  const bool is_floating_function =
      is_floating(function.result) || std::any_of(function.arguments.begin(), function.arguments.end(),
                                                  [](TypeKind kind) { return is_floating(kind); });
  if (!is_floating_function || function.arguments.empty()) {
    return true;
  }
  if (function.is_operator) {
    return true;
  }
  const bool takes_none = std::none_of(function.arguments.begin(), function.arguments.end(),
                                       [](TypeKind kind) { return is_floating(kind); });
  return takes_none || std::find(std::begin(kExact), std::end(kExact), function.name) != std::end(kExact);
}

const ScalarFunction* find_inexact(const BoundExpression& expression) {
  if (expression.kind == BoundExpression::Kind::kCall) {
    const ScalarFunction* function = find_function(expression.function);
    if (function != nullptr && !is_exact(*function)) {
      return function;
    }
  }
  for (const BoundExpression& argument : expression.arguments) {
    if (const ScalarFunction* function = find_inexact(argument)) {
      return function;
    }
  }
  return nullptr;
}

Result<Value> evaluate_for(const Column& column, const BoundExpression& expression, std::span<const Value> row) {
  Result<Value> value = evaluate(expression, row);
  if (value && !is_null(*value)) {
    value =
        assign(expression.type, *value, column.type);  // NULL, too, may come of it: of an infinite timestamp's time.
  }
  if (!value) {
    return value;
  }
  if (is_null(*value) && !column.nullable) {
    return rejected("23502", fmt::format("null value in column \"{}\" violates not-null constraint", column.name));
  }
  return canonical(std::move(*value));
}

}  // namespace daedalus::semantics

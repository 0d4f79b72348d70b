#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "daedalus/base/check.hpp"
#include "families.hpp"
#include "later_build.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace scalar {

Result<Value> fit_integer(TypeKind kind, __int128 value) {
  const IntegerRange range = integer_range(kind);
  if (value < range.low || value > range.high) {
    return out_of_range(Type{kind});
  }
  return Value(static_cast<int64_t>(value));
}

Result<Value> fit_numeric(const Decimal& value) { return fit_decimal(Type{TypeKind::kNumeric}, value); }

Error division_by_zero() { return rejected("22012", "division by zero"); }

Type numeric_of(uint64_t integer_digits, uint64_t scale) {
  const uint64_t precision = std::max<uint64_t>(integer_digits + scale, 1);
  if (precision > kNumericPrecisionMax) {
    return {TypeKind::kNumeric};
  }
  return {TypeKind::kNumeric, static_cast<uint32_t>(precision), static_cast<uint32_t>(scale)};
}

Type text_of(uint64_t bytes) {
  const uint64_t length = std::clamp<uint64_t>(bytes, 1, kStringLengthMax);
  return {.kind = TypeKind::kText, .length = static_cast<uint32_t>(length)};
}

namespace {

Functions make_functions() {
  Functions functions;
  add_arithmetic(functions);
  add_comparisons(functions);
  add_text(functions);
  add_like(functions);
  add_time(functions);
  add_numbers(functions);
  add_exact_numbers(functions);
  add_degrees(functions);
  add_written(functions);
  add_time_of_day(functions);
  add_datetime_texts(functions);
  add_interval_text(functions);
  add_number_text(functions);
  add_orderings(functions);
  add_transitions(functions);
  add_ranges(functions);
  add_hashes(functions);
  add_sizes(functions);
  add_escapes(functions);
  add_format(functions);
  add_typmods(functions);
  add_overlaps(functions);
  add_text_datetimes(functions);
  add_text_numbers(functions);
  add_at_session_zone(functions);
  add_regular_expressions(functions);
  add_functions_of_later_build(functions);
  std::ranges::sort(functions, {}, &ScalarFunction::id);
  CHECK(std::ranges::adjacent_find(functions, {}, &ScalarFunction::id) == functions.end());
  CHECK(static_cast<uint16_t>(functions.front().id) >= kFunctionsFrom);
  return functions;
}

}  // namespace
}  // namespace scalar

std::span<const ScalarFunction> scalar_functions() {
  static const scalar::Functions functions = scalar::make_functions();
  return functions;
}

const ScalarFunction* find_function(FunctionId id) {
  // By id: it is asked for each call of each row.
  static const std::vector<const ScalarFunction*> by_id = [] {
    const auto functions = scalar_functions();
    std::vector<const ScalarFunction*> made(static_cast<size_t>(functions.back().id) + 1);
    for (const ScalarFunction& function : functions) {
      made[static_cast<size_t>(function.id)] = &function;
    }
    return made;
  }();
  const auto number = static_cast<size_t>(id);
  return number < by_id.size() ? by_id[number] : nullptr;
}

bool is_function_name(std::string_view name) {
  static const std::unordered_set<std::string_view> names = [] {
    std::unordered_set<std::string_view> made;
    for (const auto functions : {scalar_functions(), implementation_names()}) {
      for (const ScalarFunction& function : functions) {
        if (!function.is_operator && !function.is_at_zone) {
          made.insert(function.name);
        }
      }
    }
    return made;
  }();
  return names.contains(name) || scalar::is_type_name(name);
}

bool is_operator_sign(std::string_view sign, size_t operands) {
  const auto functions = scalar_functions();
  return std::any_of(functions.begin(), functions.end(), [&](const ScalarFunction& function) {
    return function.is_operator && !function.is_at_zone && function.name == sign &&
           function.arguments.size() == operands;
  });
}

}  // namespace daedalus::semantics

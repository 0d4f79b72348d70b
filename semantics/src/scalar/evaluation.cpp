// The plain twin: one row at a time, one value at a time.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/order.hpp"
#include "families.hpp"

namespace daedalus::semantics {
namespace {

using Row = std::span<const Value>;

/// As many arguments as most calls have are kept without memory of their own.
constexpr size_t kArgumentsFew = 4;

/// Digits of a computed numeric before its point, and behind it.
constexpr int32_t kNumericDigitsMax = 300;

Result<Value> truth_of(std::optional<bool> truth) { return truth ? Value(*truth) : Value(); }

/// AND and OR: the value that decides ends the evaluation.
Result<Value> evaluate_joint(const BoundExpression& call, Row row) {
  const bool decides = call.function == FunctionId::kOr;
  bool has_unknown = false;
  for (const BoundExpression& argument : call.arguments) {
    Result<Value> value = evaluate(argument, row);
    if (!value) {
      return value;
    }
    if (is_null(*value)) {
      has_unknown = true;
    } else if (std::get<bool>(*value) == decides) {
      return Value(decides);
    }
  }
  return truth_of(has_unknown ? std::nullopt : std::optional(!decides));
}

Result<Value> evaluate_case(const BoundExpression& call, Row row) {
  for (size_t number = 0; number + 1 < call.arguments.size(); number += 2) {
    const Result<Value> condition = evaluate(call.arguments[number], row);
    if (!condition) {
      return condition;
    }
    if (!is_null(*condition) && std::get<bool>(*condition)) {
      return evaluate(call.arguments[number + 1], row);
    }
  }
  return evaluate(call.arguments.back(), row);
}

Result<Value> evaluate_coalesce(const BoundExpression& call, Row row) {
  for (const BoundExpression& argument : call.arguments) {
    Result<Value> value = evaluate(argument, row);
    if (!value || !is_null(*value)) {
      return value;
    }
  }
  return Value();
}

Result<Value> evaluate_extreme(const BoundExpression& call, Row row) {
  Value best;
  for (const BoundExpression& argument : call.arguments) {
    Result<Value> value = evaluate(argument, row);
    if (!value) {
      return value;
    }
    if (is_null(*value)) {
      continue;
    }
    const bool is_better = is_null(best) || (call.function == FunctionId::kGreatest ? compare(*value, best) > 0
                                                                                    : compare(*value, best) < 0);
    if (is_better) {
      best = std::move(*value);
    }
  }
  return best;
}

Result<Value> evaluate_list(const BoundExpression& call, Row row) {
  const Result<Value> value = evaluate(call.arguments[0], row);
  if (!value || is_null(*value)) {
    return value;
  }
  const bool found = call.function == FunctionId::kIn;
  bool has_unknown = false;
  for (size_t number = 1; number < call.arguments.size(); ++number) {
    const Result<Value> member = evaluate(call.arguments[number], row);
    if (!member) {
      return member;
    }
    if (is_null(*member)) {
      has_unknown = true;
    } else if (compare(*value, *member) == 0) {
      return Value(found);
    }
  }
  return truth_of(has_unknown ? std::nullopt : std::optional(!found));
}

Result<Value> evaluate_test(const BoundExpression& call, Row row) {
  const Result<Value> value = evaluate(call.arguments[0], row);
  if (!value) {
    return value;
  }
  const auto is = [&](bool wanted) { return !is_null(*value) && std::get<bool>(*value) == wanted; };
  switch (call.function) {
    case FunctionId::kNot:
      return is_null(*value) ? Value() : Value(!std::get<bool>(*value));
    case FunctionId::kIsNull:
      return Value(is_null(*value));
    case FunctionId::kIsNotNull:
      return Value(!is_null(*value));
    case FunctionId::kIsTrue:
      return Value(is(true));
    case FunctionId::kIsNotTrue:
      return Value(!is(true));
    case FunctionId::kIsFalse:
      return Value(is(false));
    default:
      return Value(!is(false));
  }
}

/// IS [NOT] DISTINCT FROM, and NULLIF.
Result<Value> evaluate_pair(const BoundExpression& call, Row row) {
  Result<Value> left = evaluate(call.arguments[0], row);
  if (!left) {
    return left;
  }
  const Result<Value> right = evaluate(call.arguments[1], row);
  if (!right) {
    return right;
  }
  const bool has_null = is_null(*left) || is_null(*right);
  const bool is_same = has_null ? is_null(*left) && is_null(*right) : compare(*left, *right) == 0;
  if (call.function == FunctionId::kNullIf) {
    return is_same ? Result<Value>(Value()) : left;
  }
  return Value(is_same == (call.function == FunctionId::kIsNotDistinct));
}

/// Sums of so many rows as there may be stay within what travels.
Result<Value> checked(Result<Value> value) {
  const auto* number = value ? std::get_if<Decimal>(&*value) : nullptr;
  if (number == nullptr) {
    return value;
  }
  constexpr uint64_t kBitsOfFewDigits = 400;
  const bool is_zero = number->unscaled.is_zero();
  const uint64_t bits = is_zero ? 0 : boost::multiprecision::msb(boost::multiprecision::abs(number->unscaled)) + 1;
  const bool has_few = bits < kBitsOfFewDigits && number->scale <= kNumericDigitsMax;
  if (has_few || (number->scale <= kNumericDigitsMax &&
                  fits_precision(*number, static_cast<uint32_t>(kNumericDigitsMax + number->scale)))) {
    return value;
  }
  return rejected("22003", "value overflows numeric format",
                  fmt::format("a computed numeric has at most {} digits before its point and as many behind it",
                              kNumericDigitsMax));
}

Result<Value> evaluate_cast(const BoundExpression& call, Row row) {
  Result<Value> value = evaluate(call.arguments[0], row);
  if (!value || is_null(*value)) {
    return value;
  }
  return checked(cast_value(call.arguments[0].type, *value, call.type));
}

Result<Value> evaluate_form(const BoundExpression& call, Row row) {
  switch (call.function) {
    case FunctionId::kAnd:
    case FunctionId::kOr:
      return evaluate_joint(call, row);
    case FunctionId::kCase:
      return evaluate_case(call, row);
    case FunctionId::kCoalesce:
      return evaluate_coalesce(call, row);
    case FunctionId::kGreatest:
    case FunctionId::kLeast:
      return evaluate_extreme(call, row);
    case FunctionId::kIn:
    case FunctionId::kNotIn:
      return evaluate_list(call, row);
    case FunctionId::kIsDistinct:
    case FunctionId::kIsNotDistinct:
    case FunctionId::kNullIf:
      return evaluate_pair(call, row);
    case FunctionId::kCast:
      return evaluate_cast(call, row);
    default:
      return evaluate_test(call, row);
  }
}

Result<Value> evaluate_function(const BoundExpression& call, Row row) {
  const ScalarFunction* function = find_function(call.function);
  CHECK(function != nullptr);
  std::array<Value, kArgumentsFew> few;
  std::vector<Value> many(call.arguments.size() > kArgumentsFew ? call.arguments.size() : 0);
  const std::span<Value> room = many.empty() ? std::span<Value>(few) : std::span<Value>(many);
  bool has_null = false;
  for (size_t number = 0; number < call.arguments.size(); ++number) {
    Result<Value> value = evaluate(call.arguments[number], row);
    if (!value) {
      return value;
    }
    has_null = has_null || is_null(*value);
    room[number] = std::move(*value);
  }
  if (has_null && !function->takes_nulls) {
    return Value();
  }
  const std::span<const Value> arguments(room.data(), call.arguments.size());
  Result<Value> result = checked(function->evaluate(arguments, call));
  if (result) {
    const auto* string = std::get_if<std::string>(&*result);
    if (string != nullptr && string->size() > kStringLengthMax) {
      return rejected("54000",
                      fmt::format("a text of {} bytes is longer than {}() may make: {}", string->size(), function->name,
                                  kStringLengthMax),
                      "cut it with left() or substring()");
    }
  }
  return result;
}

}  // namespace

Result<Value> evaluate(const BoundExpression& expression, Row row) {
  switch (expression.kind) {
    case BoundExpression::Kind::kInput:
      return row[expression.input];
    case BoundExpression::Kind::kConstant:
      return expression.value;
    case BoundExpression::Kind::kCall:
      return static_cast<uint16_t>(expression.function) < kFunctionsFrom ? evaluate_form(expression, row)
                                                                         : evaluate_function(expression, row);
    case BoundExpression::Kind::kAggregate:
      break;
  }
  CHECK(false);
  return Value();
}

bool can_fail(const BoundExpression& expression) {
  if (expression.kind == BoundExpression::Kind::kCall) {
    if (expression.function == FunctionId::kCast) {
      const TypeKind from = expression.arguments[0].type.kind;
      if (!can_cast_implicitly(from, expression.type.kind) || from == TypeKind::kDate || from == expression.type.kind) {
        return true;
      }
    } else if (const ScalarFunction* function = find_function(expression.function)) {
      if (function->can_fail) {
        return true;
      }
    }
  }
  return std::any_of(expression.arguments.begin(), expression.arguments.end(), can_fail);
}

}  // namespace daedalus::semantics

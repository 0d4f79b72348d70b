// The plain twin: one row at a time, one value at a time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/evaluation_watch.hpp"
#include "daedalus/semantics/order.hpp"
#include "families.hpp"

namespace daedalus::semantics {
namespace {

/// The values of a row, room for texts that are made of them, and why the last value is missing where one is.
struct Row {
  std::span<const Value> values;
  SpareTexts& texts;
  Error& error;
};

/// As many arguments as all calls have but those of concat() and its like, as most of these have, and as a call may
/// have, the session's zone among them.
constexpr size_t kArgumentsFew = 8;
constexpr size_t kArgumentsMore = 16;
constexpr size_t kArgumentsMost = kArgumentsMax + 1;

/// Digits of a computed numeric before its point, and behind it.
constexpr int32_t kNumericDigitsMax = 300;

Result<Value> evaluate(const BoundExpression& expression, const Row& row);

/// Says where a value lies: in the row, in the expression or, where it has to be made, in `made`. Null: the row says
/// why.
const Value* place_of(const BoundExpression& expression, const Row& row, Value& made) {
  if (expression.is_input()) {
    return &row.values[expression.input];
  }
  if (expression.is_constant()) {
    return &expression.value;
  }
  Result<Value> value = evaluate(expression, row);
  if (!value) {
    row.error = value.error();
    return nullptr;
  }
  made = std::move(*value);
  return &made;
}

/// The value of a part of an expression, for as long as this object lives.
class Part {
 public:
  Part(const BoundExpression& expression, const Row& row) : row_(row), place_(place_of(expression, row, made_)) {}
  ~Part() { row_.texts.give(std::move(made_)); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  explicit operator bool() const { return place_ != nullptr; }
  [[nodiscard]] const Error& error() const { return row_.error; }
  [[nodiscard]] const Value& operator*() const { return *place_; }
  [[nodiscard]] bool is_null() const { return semantics::is_null(*place_); }
  /// The value itself, for a longer life.
  [[nodiscard]] Value take() { return place_ == &made_ ? std::move(made_) : row_.texts.copy(*place_); }

 private:
  const Row& row_;
  Value made_;
  const Value* place_;
};

Result<Value> truth_of(std::optional<bool> truth) { return truth ? Value(*truth) : Value(); }

/// AND and OR: the value that decides ends the evaluation.
Result<Value> evaluate_joint(const BoundExpression& call, const Row& row) {
  const bool decides = call.function == FunctionId::kOr;
  bool has_unknown = false;
  for (const BoundExpression& argument : call.arguments) {
    const Part value(argument, row);
    if (!value) {
      return value.error();
    }
    if (value.is_null()) {
      has_unknown = true;
    } else if (std::get<bool>(*value) == decides) {
      return Value(decides);
    }
  }
  return truth_of(has_unknown ? std::nullopt : std::optional(!decides));
}

Result<Value> evaluate_case(const BoundExpression& call, const Row& row) {
  for (size_t number = 0; number + 1 < call.arguments.size(); number += 2) {
    const Part condition(call.arguments[number], row);
    if (!condition) {
      return condition.error();
    }
    if (!condition.is_null() && std::get<bool>(*condition)) {
      return evaluate(call.arguments[number + 1], row);
    }
  }
  return evaluate(call.arguments.back(), row);
}

Result<Value> evaluate_coalesce(const BoundExpression& call, const Row& row) {
  for (const BoundExpression& argument : call.arguments) {
    Result<Value> value = evaluate(argument, row);
    if (!value || !is_null(*value)) {
      return value;
    }
  }
  return Value();
}

std::string_view without_blanks(const Value& value) {
  const std::string_view text = std::get<std::string>(value);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// The blanks that a char without a length has at its end do not count.
std::strong_ordering compared(const Type& type, const Value& left, const Value& right) {
  return has_own_blanks(type) ? without_blanks(left).compare(without_blanks(right)) <=> 0 : compare(left, right);
}

Result<Value> evaluate_extreme(const BoundExpression& call, const Row& row) {
  Value best;
  for (const BoundExpression& argument : call.arguments) {
    Part value(argument, row);
    if (!value) {
      return value.error();
    }
    if (value.is_null()) {
      continue;
    }
    const std::strong_ordering order = is_null(best) ? std::strong_ordering::equal : compared(call.type, *value, best);
    const bool is_better = is_null(best) || (call.function == FunctionId::kGreatest ? order > 0 : order < 0);
    if (is_better) {
      row.texts.give(std::exchange(best, value.take()));
    }
  }
  return best;
}

Result<Value> evaluate_list(const BoundExpression& call, const Row& row) {
  const Part value(call.arguments[0], row);
  if (!value) {
    return value.error();
  }
  if (value.is_null()) {
    return Value();
  }
  const bool found = call.function == FunctionId::kIn;
  bool has_unknown = false;
  for (size_t number = 1; number < call.arguments.size(); ++number) {
    const Part member(call.arguments[number], row);
    if (!member) {
      return member.error();
    }
    if (member.is_null()) {
      has_unknown = true;
    } else if (compared(call.arguments[number].type, *value, *member) == 0) {
      return Value(found);
    }
  }
  return truth_of(has_unknown ? std::nullopt : std::optional(!found));
}

Result<Value> evaluate_test(const BoundExpression& call, const Row& row) {
  const Part value(call.arguments[0], row);
  if (!value) {
    return value.error();
  }
  const auto is = [&](bool wanted) { return !value.is_null() && std::get<bool>(*value) == wanted; };
  switch (call.function) {
    case FunctionId::kNot:
      return value.is_null() ? Value() : Value(!std::get<bool>(*value));
    case FunctionId::kIsNull:
      return Value(value.is_null());
    case FunctionId::kIsNotNull:
      return Value(!value.is_null());
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
Result<Value> evaluate_pair(const BoundExpression& call, const Row& row) {
  Part left(call.arguments[0], row);
  if (!left) {
    return left.error();
  }
  const Part right(call.arguments[1], row);
  if (!right) {
    return right.error();
  }
  const bool has_null = left.is_null() || right.is_null();
  const Type& type = call.arguments[has_own_blanks(call.arguments[0].type) ? 0 : 1].type;
  const bool is_same = has_null ? left.is_null() && right.is_null() : compared(type, *left, *right) == 0;
  if (call.function == FunctionId::kNullIf) {
    return is_same ? Value() : left.take();
  }
  return Value(is_same == (call.function == FunctionId::kIsNotDistinct));
}

/// Sums of so many rows as there may be stay within what travels.
bool has_too_many_digits(const Value& value) {
  const auto* number = std::get_if<Decimal>(&value);
  return number != nullptr && (number->scale > kNumericDigitsMax ||
                               !fits_precision(*number, static_cast<uint32_t>(kNumericDigitsMax + number->scale)));
}

Error too_many_digits() {
  return rejected("22003", "value overflows numeric format",
                  fmt::format("a computed numeric has at most {} digits before its point and as many behind it",
                              kNumericDigitsMax));
}

/// One variable that is returned: nothing is copied on the way to whoever wants the value.
Result<Value> cast_of(const Value& value, const BoundExpression& call, const Row& row) {
  Result<Value> made = cast_value(call.arguments[0].type, value, call.type, row.texts);
  if (made && has_too_many_digits(*made)) {
    made = too_many_digits();
  }
  return made;
}

Result<Value> evaluate_cast(const BoundExpression& call, const Row& row) {
  const Part value(call.arguments[0], row);
  if (!value) {
    return value.error();
  }
  return value.is_null() ? Result<Value>(Value()) : cast_of(*value, call, row);
}

Result<Value> evaluate_form(const BoundExpression& call, const Row& row) {
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

Error too_long_of(const ScalarFunction& function, size_t size) {
  return rejected(
      "54000",
      fmt::format("a text of {} bytes is longer than {}() may make: {}", size, function.name, kStringLengthMax),
      "cut it with left() or substring()");
}

Result<Value> apply(const ScalarFunction& function, Arguments arguments, const BoundExpression& call) {
  Result<Value> made = function.evaluate(arguments, call);
  if (!made) {
    return made;
  }
  const auto* text = std::get_if<std::string>(&*made);
  if (text != nullptr && text->size() > kStringLengthMax) {
    made = too_long_of(function, text->size());
  } else if (has_too_many_digits(*made)) {
    made = too_many_digits();
  }
  return made;
}

/// Room for the arguments of a call: those that have to be made, and where all of them lie.
struct ArgumentRoom {
  std::span<Value> made;
  std::span<const Value*> places;
};

Result<Value> call_in(const ArgumentRoom& room, const BoundExpression& call, const Row& row) {
  const ScalarFunction* function = find_function(call.function);
  CHECK(function != nullptr);
  bool has_null = false;
  for (size_t number = 0; number < call.arguments.size(); ++number) {
    const Value* const value = place_of(call.arguments[number], row, room.made[number]);
    if (value == nullptr) {
      return row.error;
    }
    has_null = has_null || is_null(*value);
    room.places[number] = value;
  }
  if (has_null && !function->takes_nulls) {
    return Value();
  }
  return apply(*function, Arguments(room.places.first(call.arguments.size()), row.texts), call);
}

/// Gives the texts that were made for a call back, when it is done.
Result<Value> call_and_give_back(const ArgumentRoom& room, const BoundExpression& call, const Row& row) {
  Result<Value> made = call_in(room, call, row);
  for (Value& argument : room.made) {
    row.texts.give(std::move(argument));
  }
  return made;
}

/// Without memory of its own.
template <size_t kCount>
Result<Value> call_with(const BoundExpression& call, const Row& row) {
  std::array<Value, kCount> made;
  std::array<const Value*, kCount> places;
  return call_and_give_back({made, places}, call, row);
}

/// Its frame takes five KiB, which calls around it need not have, too; there are at most kCallDepthMax of them.
[[gnu::noinline]] Result<Value> call_with_most(const BoundExpression& call, const Row& row) {
  return call_with<kArgumentsMost>(call, row);
}

Result<Value> evaluate_function(const BoundExpression& call, const Row& row) {
  if (is_evaluation_over()) {
    return rejected("57014", "the evaluation of an expression was ended");
  }
  const size_t count = call.arguments.size();
  if (count <= 2) {
    return count < 2 ? call_with<1>(call, row) : call_with<2>(call, row);
  }
  if (count <= kArgumentsFew) {
    return count == 3 ? call_with<3>(call, row) : call_with<kArgumentsFew>(call, row);
  }
  if (count <= kArgumentsMost) {
    return count <= kArgumentsMore ? call_with<kArgumentsMore>(call, row) : call_with_most(call, row);
  }
  // No text of SQL says so many, but a message may.
  std::vector<Value> made(count);
  std::vector<const Value*> places(count);
  return call_and_give_back({made, places}, call, row);
}

Result<Value> copied(const Value& value, const Row& row) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? Result<Value>(row.texts.take(*text)) : Result<Value>(value);
}

Result<Value> evaluate(const BoundExpression& expression, const Row& row) {
  switch (expression.kind) {
    case BoundExpression::Kind::kInput:
      return copied(row.values[expression.input], row);
    case BoundExpression::Kind::kConstant:
      return copied(expression.value, row);
    case BoundExpression::Kind::kCall:
      return static_cast<uint16_t>(expression.function) < kFunctionsFrom ? evaluate_form(expression, row)
                                                                         : evaluate_function(expression, row);
    case BoundExpression::Kind::kAggregate:
      break;
  }
  CHECK(false);
  return Value();
}

/// Decimal digits of the largest integer of a kind.
uint32_t digits_of(TypeKind kind) {
  constexpr uint32_t kOfSmallint = 5;
  constexpr uint32_t kOfInt = 10;
  constexpr uint32_t kOfBigint = 19;
  return kind == TypeKind::kSmallint ? kOfSmallint : kind == TypeKind::kInt ? kOfInt : kOfBigint;
}

bool can_cast_fail(const Type& from, const Type& to) {
  if (is_string(from.kind) && has_own_blanks(to)) {
    return false;
  }
  if (from.kind == to.kind || from.kind == TypeKind::kDate || !can_cast_implicitly(from.kind, to.kind)) {
    return true;
  }
  if (to.kind == TypeKind::kNumeric && to.precision > 0) {
    return to.precision - to.scale < digits_of(from.kind);
  }
  return from.kind == TypeKind::kNumeric && to.kind == TypeKind::kReal;  // Its range is smaller.
}

}  // namespace

Result<Value> evaluate(const BoundExpression& expression, std::span<const Value> row, SpareTexts& texts) {
  Error error;
  Result<Value> made = evaluate(expression, Row{row, texts, error});
  if (made && is_null(*made) && !expression.nullable) {
    made = unexpected_null(expression);
  }
  return made;
}

Error unexpected_null(const BoundExpression& expression) {
  const ScalarFunction* const function =
      expression.kind == BoundExpression::Kind::kCall ? find_function(expression.function) : nullptr;
  return rejected("XX000", fmt::format("{} is NULL where it is declared never to be",
                                       function != nullptr ? fmt::format("{}()", function->name) : "an expression"));
}

Result<Value> evaluate(const BoundExpression& expression, std::span<const Value> row) {
  SpareTexts texts;
  return evaluate(expression, row, texts);
}

bool can_fail(const BoundExpression& expression) {
  if (expression.kind == BoundExpression::Kind::kCall) {
    if (expression.function == FunctionId::kCast) {
      if (can_cast_fail(expression.arguments[0].type, expression.type)) {
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

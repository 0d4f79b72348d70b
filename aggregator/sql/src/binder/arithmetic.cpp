#include "arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "beyond.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Decimal;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

Error no_operator(const Scope& scope, const Constant& left, std::string_view symbol, const Constant& right,
                  int32_t location) {
  return scope.error(
      "42883", fmt::format("operator does not exist: {} {} {}", type_name(left), symbol, type_name(right)), location);
}

/// The kind both sides of a number's operator are brought to.
TypeKind common_kind(TypeKind left, TypeKind right) {
  if (left == right) {
    return left;
  }
  if (semantics::is_floating(left) || semantics::is_floating(right)) {
    return TypeKind::kDouble;
  }
  return std::max(left, right);  // smallint < int < bigint < numeric, as their numbers are.
}

static_assert(TypeKind::kSmallint < TypeKind::kInt && TypeKind::kInt < TypeKind::kBigint &&
              TypeKind::kBigint < TypeKind::kNumeric);

/// Adds two values of one number kind; `right` is negated before, if that is asked for.
Result<Value> add_values(TypeKind kind, const Value& left, Sign sign, const Value& right) {
  const Type type{kind};
  if (semantics::is_integer(kind)) {
    int64_t sum = 0;
    const bool overflows = sign == Sign::kMinus
                               ? __builtin_sub_overflow(std::get<int64_t>(left), std::get<int64_t>(right), &sum)
                               : __builtin_add_overflow(std::get<int64_t>(left), std::get<int64_t>(right), &sum);
    if (overflows) {
      return rejected("22003", "bigint out of range");
    }
    return semantics::assign(Type{TypeKind::kBigint}, Value(sum), type);
  }
  if (kind == TypeKind::kNumeric) {
    Decimal operand = std::get<Decimal>(right);
    if (sign == Sign::kMinus) {
      operand.unscaled = -operand.unscaled;
    }
    return semantics::assign(type, Value(semantics::add(std::get<Decimal>(left), operand)), type);
  }
  const double operand = sign == Sign::kMinus ? -std::get<double>(right) : std::get<double>(right);
  double sum = std::get<double>(left) + operand;
  if (kind == TypeKind::kReal) {
    sum = static_cast<double>(static_cast<float>(sum));
  }
  if (std::isinf(sum) && !std::isinf(std::get<double>(left)) && !std::isinf(operand)) {
    return rejected("22003", "value out of range: overflow");
  }
  return Value(sum);
}

Result<Constant> add_numbers(const Scope& scope, const Constant& left, Sign sign, const Constant& right,
                             int32_t location) {
  const Type type{common_kind(left.type.kind, right.type.kind)};
  Constant result{type, {}, false, left.location};
  if (semantics::is_null(left.value) || semantics::is_null(right.value)) {
    return result;
  }
  auto first = semantics::assign(left.type, left.value, type);
  auto second = semantics::assign(right.type, right.value, type);
  if (!first || !second) {
    return scope.located(!first ? first.error() : second.error(), location);
  }
  auto sum = add_values(type.kind, *first, sign, *second);
  if (!sum) {
    return scope.located(sum.error(), location);
  }
  result.value = std::move(*sum);
  return result;
}

bool is_infinite_date(const Constant& date) { return semantics::is_infinite_date(std::get<int64_t>(date.value)); }

Result<Constant> add_days(const Scope& scope, const Constant& date, Sign sign, const Constant& days, int32_t location) {
  Constant result{Type{TypeKind::kDate}, {}, false, date.location};
  if (semantics::is_null(date.value) || semantics::is_null(days.value)) {
    return result;
  }
  if (is_infinite_date(date)) {
    result.value = date.value;
    return result;
  }
  const int64_t change = std::get<int64_t>(days.value);
  const int64_t moved = std::get<int64_t>(date.value) + (sign == Sign::kMinus ? -change : change);
  if (moved < semantics::kComputedDaysMin || moved > semantics::kDateDaysMax) {
    return scope.error("22008", "date out of range", location);
  }
  result.value = moved;
  return result;
}

bool is_day_count(const Constant& constant) {
  return constant.type.kind == TypeKind::kInt || constant.type.kind == TypeKind::kSmallint;
}

/// An untyped constant takes the type of the other side.
Result<Constant> typed_like(const Scope& scope, const Constant& constant, const Constant& other) {
  return constant.is_untyped ? resolve_for_comparison(scope, constant, other.type) : Result<Constant>(constant);
}

/// Brings a constant to the type in which both sides of a comparison compare.
Result<Value> comparable(const Constant& constant, const Type& common) {
  if (!semantics::is_string(common.kind)) {
    return semantics::convert(constant.type, constant.value, common);
  }
  std::string text = std::get<std::string>(constant.value);
  if (common.kind == TypeKind::kChar) {
    text.erase(text.find_last_not_of(' ') + 1);
  }
  return Value(std::move(text));
}

/// The type in which two strings compare: char(n) beside varchar stays what it is, beside text it becomes text.
Type common_string(const Constant& left, const Constant& right) {
  const bool has_text = left.is_text || right.is_text;
  const bool has_char = left.type.kind == TypeKind::kChar || right.type.kind == TypeKind::kChar;
  return Type{has_char && !has_text ? TypeKind::kChar : TypeKind::kVarchar};
}

}  // namespace

Result<Constant> apply_sign(const Scope& scope, Sign sign, const Constant& operand, int32_t location) {
  const std::string_view symbol = sign == Sign::kMinus ? "-" : "+";
  if (operand.is_untyped) {
    return scope.error("42725", fmt::format("operator is not unique: {} unknown", symbol), location,
                       "cast the operand to a number");
  }
  if (!semantics::is_numeric(operand.type.kind)) {
    return scope.error("42883", fmt::format("operator does not exist: {} {}", symbol, type_name(operand)), location);
  }
  if (sign == Sign::kPlus || semantics::is_null(operand.value)) {
    return operand;
  }
  if (semantics::is_floating(operand.type.kind)) {
    Constant negated = operand;
    negated.value = -std::get<double>(operand.value);
    return negated;
  }
  const Value zero = operand.type.kind == TypeKind::kNumeric ? Value(Decimal{0, 0}) : Value(int64_t{0});
  Constant from = operand;
  from.value = zero;
  return add_numbers(scope, from, Sign::kMinus, operand, location);
}

Result<Constant> add(const Scope& scope, const Constant& left, Sign sign, const Constant& right, int32_t location) {
  const std::string_view symbol = sign == Sign::kMinus ? "-" : "+";
  if (left.is_untyped && right.is_untyped) {
    return scope.error("42725", fmt::format("operator is not unique: unknown {} unknown", symbol), location,
                       "cast one side to its type");
  }
  if (left.is_untyped != right.is_untyped && !semantics::is_numeric((left.is_untyped ? right : left).type.kind)) {
    return scope.error("42725",
                       fmt::format("operator is not unique: {} {} {}", type_name(left), symbol, type_name(right)),
                       location, "cast the literal to its type");
  }
  auto first = typed_like(scope, left, right);
  auto second = typed_like(scope, right, left);
  if (!first || !second) {
    return !first ? first.error() : second.error();
  }
  if (first->is_beyond || second->is_beyond) {
    return refuse_beyond(scope, first->is_beyond ? *first : *second);
  }
  const TypeKind left_kind = first->type.kind;
  const TypeKind right_kind = second->type.kind;
  if (semantics::is_numeric(left_kind) && semantics::is_numeric(right_kind)) {
    return add_numbers(scope, *first, sign, *second, location);
  }
  if (left_kind == TypeKind::kDate && is_day_count(*second)) {
    return add_days(scope, *first, sign, *second, location);
  }
  if (right_kind == TypeKind::kDate && is_day_count(*first) && sign == Sign::kPlus) {
    return add_days(scope, *second, sign, *first, location);
  }
  if (left_kind == TypeKind::kDate && right_kind == TypeKind::kDate && sign == Sign::kMinus) {
    Constant days{Type{TypeKind::kInt}, {}, false, left.location};
    if (!semantics::is_null(first->value) && !semantics::is_null(second->value)) {
      if (is_infinite_date(*first) || is_infinite_date(*second)) {
        return scope.error("22008", "cannot subtract infinite dates", location);
      }
      days.value = std::get<int64_t>(first->value) - std::get<int64_t>(second->value);
    }
    return days;
  }
  return no_operator(scope, left, symbol, right, location);
}

std::optional<Operator> comparison_of(std::string_view sign) {
  static constexpr std::array kOperators{Operator::kEqual,       Operator::kNotEqual, Operator::kLess,
                                         Operator::kLessOrEqual, Operator::kGreater,  Operator::kGreaterOrEqual};
  const auto* const found = std::find_if(kOperators.begin(), kOperators.end(),
                                         [&](Operator op) { return semantics::operator_sign(op) == sign; });
  return found == kOperators.end() ? std::nullopt : std::optional(*found);
}

Result<std::optional<bool>> compare_constants(const Scope& scope, Operator op, const Constant& left,
                                              const Constant& right, int32_t location) {
  auto first = typed_like(scope, left, right);
  auto second = typed_like(scope, right, left);
  if (!first || !second) {
    return !first ? first.error() : second.error();
  }
  if (first->is_beyond || second->is_beyond) {
    return refuse_beyond(scope, first->is_beyond ? *first : *second);
  }
  const TypeKind left_kind = first->type.kind;
  const TypeKind right_kind = second->type.kind;
  if (left_kind == TypeKind::kInterval || right_kind == TypeKind::kInterval) {
    return scope.refuse("looking up an interval", location);  // It is computed.
  }
  if (is_of_other_clock(scope, left_kind, right_kind)) {
    return scope.refuse("looking up an SQL timestamp among times of a clock", location);  // It is computed.
  }
  Type common{left_kind};
  if (semantics::is_numeric(left_kind) && semantics::is_numeric(right_kind)) {
    common.kind = common_kind(left_kind, right_kind);
  } else if (semantics::is_datetime(left_kind) && semantics::is_datetime(right_kind)) {
    common.kind = std::max(left_kind, right_kind);  // A timestamptz behind a timestamp behind a date.
  } else if (semantics::is_string(left_kind) && semantics::is_string(right_kind)) {
    common = common_string(*first, *second);
  } else if (left_kind != right_kind) {
    return no_operator(scope, left, semantics::operator_sign(op), right, location);
  }
  if (semantics::is_null(first->value) || semantics::is_null(second->value)) {
    return std::optional<bool>();
  }
  auto low = comparable(*first, common);
  auto high = comparable(*second, common);
  if (!low || !high) {
    return scope.located(!low ? low.error() : high.error(), location);
  }
  return std::optional<bool>(semantics::holds(op, semantics::compare(*low, *high)));
}

}  // namespace daedalus::aggregator::sql

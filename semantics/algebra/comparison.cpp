#include "comparison.hpp"

#include <fmt/format.h>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/text.hpp"
#include "int128.hpp"

namespace daedalus::semantics {
namespace {

enum class Family : uint8_t { kBool, kNumber, kSqlTimestamp, kTime, kString, kSpan, kUuid };

Family family(TypeKind kind) {
  if (is_numeric(kind)) {
    return Family::kNumber;
  }
  if (is_string(kind)) {
    return Family::kString;
  }
  if (kind == TypeKind::kInterval) {
    return Family::kSpan;
  }
  if (kind == TypeKind::kTime) {
    return Family::kTime;
  }
  if (kind == TypeKind::kUuid) {
    return Family::kUuid;
  }
  return kind == TypeKind::kBool ? Family::kBool : Family::kSqlTimestamp;
}

Decimal to_decimal(const Value& value) {
  const auto* integer = std::get_if<int64_t>(&value);
  return integer != nullptr ? Decimal{*integer, 0} : std::get<Decimal>(value);
}

/// Infinity is further than any date, which may lie behind the last timestamp.
Int128 to_micros(const TypedValue& sql_timestamp) {
  const auto value = std::get<int64_t>(sql_timestamp.value);
  if (is_infinite_datetime(sql_timestamp.type.kind, value)) {
    constexpr Int128 kInfinity = Int128{1} << 100;
    return value < 0 ? -kInfinity : kInfinity;
  }
  return sql_timestamp.type.kind == TypeKind::kDate ? Int128{value} * kMicrosPerDay : Int128{value};
}

std::string_view without_blanks(const std::string& text) {
  const std::string_view view = text;
  return view.substr(0, view.find_last_not_of(' ') + 1);
}

std::strong_ordering compare_numbers(const TypedValue& left, const TypedValue& right) {
  if (is_floating(left.type.kind) || is_floating(right.type.kind)) {
    const Result<double> left_number = floating_operand(left.value);
    const Result<double> right_number = floating_operand(right.value);
    CHECK(left_number && right_number);
    return compare(*left_number, *right_number);
  }
  return compare(to_decimal(left.value), to_decimal(right.value));
}

/// Trailing blanks of a char(n) never count, not even beside text, whose own do.
std::strong_ordering compare_strings(const TypedValue& left, const TypedValue& right) {
  const auto compared = [](const TypedValue& side) {
    const auto& text = std::get<std::string>(side.value);
    return side.type.kind == TypeKind::kChar ? without_blanks(text) : std::string_view(text);
  };
  return compared(left).compare(compared(right)) <=> 0;
}

}  // namespace

bool is_comparison(Operator op) { return op >= Operator::kEqual && op <= Operator::kGreaterOrEqual; }

Operator negated(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return Operator::kNotEqual;
    case Operator::kNotEqual:
      return Operator::kEqual;
    case Operator::kLess:
      return Operator::kGreaterOrEqual;
    case Operator::kLessOrEqual:
      return Operator::kGreater;
    case Operator::kGreater:
      return Operator::kLessOrEqual;
    case Operator::kGreaterOrEqual:
      return Operator::kLess;
    case Operator::kIn:
      return Operator::kNotIn;
    case Operator::kNotIn:
      return Operator::kIn;
    case Operator::kStartsWith:
      return Operator::kNotStartsWith;
    case Operator::kNotStartsWith:
      return Operator::kStartsWith;
    case Operator::kIsNull:
      return Operator::kIsNotNull;
    case Operator::kIsNotNull:
      return Operator::kIsNull;
    default:
      CHECK(false);
      return op;
  }
}

Operator flipped(Operator op) {
  switch (op) {
    case Operator::kLess:
      return Operator::kGreater;
    case Operator::kLessOrEqual:
      return Operator::kGreaterOrEqual;
    case Operator::kGreater:
      return Operator::kLess;
    case Operator::kGreaterOrEqual:
      return Operator::kLessOrEqual;
    default:
      return op;
  }
}

Result<void> check_comparable(Operator op, const Type& left, const Type& right) {
  if (is_untyped_literal(left) || is_untyped_literal(right)) {
    return {};
  }
  if (family(left.kind) != family(right.kind)) {
    return rejected("42883", fmt::format("operator does not exist: {} {} {}", kind_name(left.kind), operator_sign(op),
                                         kind_name(right.kind)));
  }
  return {};
}

Result<TypedValue> resolve_literal(const Type& other, const Type& type, const Value& value) {
  if (!is_untyped_literal(type)) {
    return TypedValue{type, value};
  }
  Type target = other;
  if (target.kind == TypeKind::kNumeric || is_string(target.kind)) {
    target.precision = target.scale = target.length = 0;  // A literal beside a value is neither rounded nor cut.
  }
  if (is_null(value)) {
    return TypedValue{target, value};
  }
  Result<Value> parsed = parse_text(target, std::get<std::string>(value));
  if (!parsed) {
    return std::move(parsed).error();
  }
  return TypedValue{target, std::move(*parsed)};
}

Result<double> floating_operand(const Value& value) {
  if (const auto* floating = std::get_if<double>(&value)) {
    return *floating;
  }
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  const auto& decimal = std::get<Decimal>(value);
  const std::optional<double> converted = to_double(decimal);
  if (!converted) {
    return rejected("22003", fmt::format("\"{}\" is out of range for type double precision", format_decimal(decimal)));
  }
  return *converted;
}

std::strong_ordering compare_typed(const TypedValue& left, const TypedValue& right) {
  switch (family(left.type.kind)) {
    case Family::kNumber:
      return compare_numbers(left, right);
    case Family::kSqlTimestamp: {
      const Int128 left_micros = to_micros(left);
      const Int128 right_micros = to_micros(right);
      return left_micros < right_micros   ? std::strong_ordering::less
             : left_micros > right_micros ? std::strong_ordering::greater
                                          : std::strong_ordering::equal;
    }
    case Family::kString:
      return compare_strings(left, right);
    case Family::kSpan:
    case Family::kTime:
    case Family::kUuid:
    case Family::kBool:
      return compare(left.value, right.value);
  }
  CHECK(false);
  return std::strong_ordering::equal;
}

}  // namespace daedalus::semantics

// Random schemas, rows and conditions, rich in edges: small domains, so that things meet, and the ends of every type.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/expression.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/types.hpp"
#include "daedalus/semantics/uuid.hpp"

namespace daedalus::semantics::testing {

/// The seed of this run: DAEDALUS_SEED, or a fresh one; printed so that a failure can be repeated.
inline uint64_t seed() {
  static const uint64_t value = [] {
    const char* given = std::getenv("DAEDALUS_SEED");
    const uint64_t drawn = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::cout << "DAEDALUS_SEED=" << drawn << std::endl;
    return drawn;
  }();
  return value;
}

class Random {
 public:
  explicit Random(uint64_t salt) : engine_(seed() * 0x9e3779b97f4a7c15u + salt) {}

  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  uint64_t bits() { return engine_(); }

  template <typename T>
  const T& pick(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int64_t>(choices.size()) - 1))];
  }

  std::string text(size_t size_max) {
    static const std::vector<std::string> kPieces = {"a", "b", "ab",       " ", "  ",  "\x01",
                                                     "~", "z", "\xc3\xa9", "B", "\x7f"};
    std::string made;
    const size_t size = static_cast<size_t>(between(0, static_cast<int64_t>(size_max)));
    while (made.size() < size) {
      made += pick(kPieces);
    }
    while (made.size() > size_max) {
      made = std::string("ab").substr(0, size_max);
    }
    return made;
  }

  int64_t integer(int64_t low, int64_t high) {
    switch (between(0, 5)) {
      case 0:
        return low;
      case 1:
        return high;
      case 2:
        return between(low, high);
      case 3:
        return std::clamp<int64_t>((int64_t{1} << between(0, 62)) + between(-2, 2), low, high);
      default:
        return between(std::max<int64_t>(low, -4), std::min<int64_t>(high, 4));
    }
  }

  double floating() {
    switch (between(0, 9)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return chance(50) ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
      case 2:
        return chance(50) ? 0.0 : -0.0;
      case 3: {
        const double wild = std::bit_cast<double>(bits());
        return wild;
      }
      case 4:
        return static_cast<double>(integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
      case 5:
        return std::nextafter(static_cast<double>(between(-4, 4)), chance(50) ? 100.0 : -100.0);
      default:
        return static_cast<double>(between(-40, 40)) / 10.0;
    }
  }

  Decimal decimal(uint32_t precision, uint32_t scale) {
    BigInt unscaled;
    const BigInt bound = power_of_ten(precision) - 1;
    switch (between(0, 4)) {
      case 0:
        unscaled = bound;
        break;
      case 1: {
        for (int i = 0; i < 3; ++i) {
          unscaled = unscaled * BigInt(UINT64_MAX) + bits();
        }
        unscaled %= bound + 1;
        break;
      }
      default:
        unscaled = BigInt(between(0, 40)) * power_of_ten(static_cast<uint32_t>(between(0, scale)));
        unscaled %= bound + 1;
    }
    return Decimal{chance(50) ? BigInt(-unscaled) : unscaled, static_cast<int32_t>(scale)};
  }

  /// A value of a column of the type; never NULL.
  Value value(const Type& type) {
    switch (type.kind) {
      case TypeKind::kBool:
        return chance(50);
      case TypeKind::kSmallint:
        return integer(std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max());
      case TypeKind::kInt:
        return integer(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
      case TypeKind::kBigint:
        return integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
      case TypeKind::kReal:
        return static_cast<double>(static_cast<float>(std::clamp(floating(), -3e38, 3e38)));
      case TypeKind::kDouble:
        return floating();
      case TypeKind::kNumeric:
        return type.precision == 0 ? decimal(45, static_cast<uint32_t>(between(0, 20)))
                                   : decimal(type.precision, type.scale);
      case TypeKind::kDate:
        return chance(5) ? infinity_of(type.kind, chance(50)) : integer(kDateDaysMin, kDateDaysMax);
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampTz:
        if (chance(5)) {
          return infinity_of(type.kind, chance(50));
        }
        if (chance(50)) {
          return std::clamp(integer(kDateDaysMin, 100) * kMicrosPerDay + between(-1, 1), kTimestampMicrosMin,
                            kTimestampMicrosMax);
        }
        return integer(kTimestampMicrosMin, kTimestampMicrosMax);
      case TypeKind::kUuid: {
        std::string bytes(kUuidSize, chance(30) ? '\xff' : '\0');
        bytes[static_cast<size_t>(between(0, kUuidSize - 1))] = static_cast<char>(between(-128, 127));
        return bytes;
      }
      case TypeKind::kTime:
        return chance(20) ? kTimeMicrosMax : between(0, kTimeMicrosMax);
      case TypeKind::kChar: {
        std::string made = text(type.length);
        made.erase(made.find_last_not_of(' ') + 1);
        return made;
      }
      case TypeKind::kVarchar:
      case TypeKind::kText:
        return text(type.length == 0 ? 8 : type.length);
      case TypeKind::kInterval:
        return interval();
    }
    return Value();
  }

  /// Mostly small ones, many of them equal: a month is 30 days, a day 24 hours.
  Interval interval() {
    if (chance(10)) {
      return {static_cast<int32_t>(integer(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())),
              static_cast<int32_t>(integer(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())),
              integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max())};
    }
    return {static_cast<int32_t>(between(-2, 2)), static_cast<int32_t>(30 * between(-1, 1) + between(-1, 1)),
            kMicrosPerDay * between(-1, 1) + between(-1, 1)};
  }

  Value nullable_value(const Type& type, int null_percent = 20) { return chance(null_percent) ? Value() : value(type); }

  Type type() {
    switch (between(1, 13)) {
      case 7: {
        const auto precision = static_cast<uint32_t>(chance(30) ? 38 : between(1, 38));
        return {TypeKind::kNumeric, precision, static_cast<uint32_t>(between(0, precision)), 0};
      }
      case 10:
        return {TypeKind::kChar, 0, 0, static_cast<uint32_t>(between(1, 6))};
      case 11:
        return {TypeKind::kVarchar, 0, 0, static_cast<uint32_t>(between(1, 6))};
      case 1:
        return {TypeKind::kBool};
      case 2:
        return {TypeKind::kSmallint};
      case 3:
        return {TypeKind::kInt};
      case 4:
        return {TypeKind::kBigint};
      case 5:
        return {TypeKind::kReal};
      case 6:
        return {TypeKind::kDouble};
      case 8:
        return {TypeKind::kDate};
      case 9:
        return {TypeKind::kTime};
      case 12:
        return {TypeKind::kUuid};
      default:
        return {chance(50) ? TypeKind::kTimestamp : TypeKind::kTimestampTz};
    }
  }

  Schema schema(uint32_t columns_max = 5) {
    Schema made;
    made.table_name = "t";
    const int64_t count = between(1, columns_max);
    for (int64_t i = 0; i < count; ++i) {
      Column column;
      column.name = std::string("c").append(std::to_string(i));
      column.type = type();
      made.columns.push_back(column);
    }
    return made;
  }

  std::vector<Value> row(const Schema& of, int null_percent = 20) {
    std::vector<Value> values;
    for (const Column& column : of.columns) {
      values.push_back(nullable_value(column.type, column.nullable ? null_percent : 0));
    }
    return values;
  }

  /// A constant that PostgreSQL compares with a column of the type; sometimes close to `near`, sometimes NULL.
  Expression constant(const Type& column, const Value& near) {
    Type made = comparable_type(column);
    if (chance(8)) {
      return Expression::make_constant(made, Value());
    }
    if (!is_null(near) && chance(60)) {
      const Result<Value> moved = assign(column, near, made);
      if (moved) {
        return Expression::make_constant(made, nudge(made, *moved));
      }
    }
    if (is_untyped_literal(made)) {
      const Type as = is_string(column.kind) ? Type{TypeKind::kVarchar, 0, 0, 8} : column;
      return Expression::make_constant(made, format_text(as, value(as)));
    }
    return Expression::make_constant(made, value(made));
  }

  /// A condition that normalise() accepts unless it is too complex. `near` gives constants something to meet.
  Expression condition(const Schema& of, const std::vector<Value>& near, int depth) {
    if (depth > 0 && chance(65)) {
      if (chance(25)) {
        return Expression::make_call(Operator::kNot, {condition(of, near, depth - 1)});
      }
      std::vector<Expression> arguments;
      const int64_t count = between(1, 3);
      for (int64_t i = 0; i < count; ++i) {
        arguments.push_back(condition(of, near, depth - 1));
      }
      return Expression::make_call(chance(50) ? Operator::kAnd : Operator::kOr, std::move(arguments));
    }
    return leaf(of, near);
  }

 private:
  Type comparable_type(const Type& column) {
    if (chance(15)) {
      return {TypeKind::kVarchar};  // An untyped literal.
    }
    if (is_numeric(column.kind)) {
      static const std::vector<TypeKind> kKinds = {TypeKind::kSmallint, TypeKind::kInt,    TypeKind::kBigint,
                                                   TypeKind::kReal,     TypeKind::kDouble, TypeKind::kNumeric,
                                                   TypeKind::kDouble,   TypeKind::kNumeric};
      return {pick(kKinds)};
    }
    if (is_string(column.kind)) {
      const bool as_char = column.kind == TypeKind::kChar && chance(50);
      return {as_char ? TypeKind::kChar : TypeKind::kVarchar, 0, 0, static_cast<uint32_t>(between(1, 8))};
    }
    if (column.kind == TypeKind::kBool || column.kind == TypeKind::kTime || column.kind == TypeKind::kUuid) {
      return column;
    }
    return {chance(50) ? TypeKind::kDate : chance(50) ? TypeKind::kTimestamp : TypeKind::kTimestampTz};
  }

  /// The value, or one of its neighbours.
  Value nudge(const Type& type, const Value& value) {
    const int64_t step = between(-1, 1);
    if (const auto* floating = std::get_if<double>(&value)) {
      const double towards = step < 0 ? -INFINITY : INFINITY;
      if (type.kind == TypeKind::kReal) {
        return step == 0 ? value
                         : Value(double{std::nextafter(static_cast<float>(*floating), static_cast<float>(towards))});
      }
      return step == 0 ? value : Value(std::nextafter(*floating, towards));
    }
    if (const auto* decimal = std::get_if<Decimal>(&value)) {
      const Decimal finer = chance(50) ? rescale(*decimal, decimal->scale + 1) : *decimal;
      return Decimal{BigInt(finer.unscaled + step), finer.scale};
    }
    if (type.kind == TypeKind::kTime) {
      return std::clamp<int64_t>(std::get<int64_t>(value) + step, 0, kTimeMicrosMax);
    }
    if (is_datetime(type.kind) && is_infinite_datetime(type.kind, std::get<int64_t>(value))) {
      return value;  // Nothing lies beside infinity.
    }
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      const Result<Value> moved = assign({TypeKind::kNumeric}, Decimal{BigInt(*integer) + step, 0},
                                         type.kind == TypeKind::kDate ? Type{TypeKind::kInt}
                                         : is_timestamp(type.kind)    ? Type{TypeKind::kBigint}
                                                                      : type);
      return moved ? *moved : value;
    }
    return value;
  }

  /// The first `size` bytes, or fewer, so that no character is cut in two.
  static std::string head(const std::string& whole, size_t size) {
    size = std::min(size, whole.size());
    while (size < whole.size() && (static_cast<uint8_t>(whole[size]) & 0xc0) == 0x80) {
      --size;
    }
    return whole.substr(0, size);
  }

  Expression leaf(const Schema& of, const std::vector<Value>& near) {
    const auto column = static_cast<uint32_t>(between(0, static_cast<int64_t>(of.columns.size()) - 1));
    const Type& type = of.columns[column].type;
    Expression left = Expression::make_column(column);
    const int64_t kind = between(0, 9);
    if (kind == 0) {
      return Expression::make_call(chance(50) ? Operator::kIsNull : Operator::kIsNotNull, {left});
    }
    if (kind == 1 && type.kind == TypeKind::kBool) {
      return left;
    }
    if (kind <= 3) {
      std::vector<Expression> arguments = {left};
      const int64_t count = between(1, 5);
      for (int64_t i = 0; i < count; ++i) {
        arguments.push_back(constant(type, near[column]));
      }
      return Expression::make_call(chance(60) ? Operator::kIn : Operator::kNotIn, std::move(arguments));
    }
    if (kind <= 5 && is_string(type.kind)) {
      const std::string whole = is_null(near[column]) ? text(4) : format_text(type, near[column]);
      const Value prefix = chance(10) ? Value() : Value(head(whole, static_cast<size_t>(between(0, 6))));
      return Expression::make_call(chance(50) ? Operator::kStartsWith : Operator::kNotStartsWith,
                                   {left, Expression::make_constant({TypeKind::kVarchar}, prefix)});
    }
    const auto op = static_cast<Operator>(between(1, 6));
    Expression right = constant(type, near[column]);
    if (chance(20)) {
      std::swap(left, right);
    }
    if (chance(3)) {
      left = right = constant(type, near[column]);
    }
    return Expression::make_call(op, {left, right});
  }

  std::mt19937_64 engine_;
};

/// For messages.
inline std::string describe(const Expression& expression) {
  if (expression.kind == Expression::Kind::kColumn) {
    return std::string("c").append(std::to_string(expression.column));
  }
  if (expression.kind == Expression::Kind::kConstant) {
    return (is_null(expression.value) ? "NULL" : "'" + format_text(expression.type, expression.value) + "'") +
           "::" + to_string(expression.type);
  }
  std::string made = "(" + std::to_string(static_cast<int>(expression.op));
  for (const Expression& argument : expression.arguments) {
    made += " " + describe(argument);
  }
  return made + ")";
}

inline std::string describe(const Schema& schema, const std::vector<Value>& row) {
  std::string made;
  for (size_t i = 0; i < row.size(); ++i) {
    const Type& type = schema.columns[i].type;
    made += to_string(type) + " " + (is_null(row[i]) ? "NULL" : "'" + format_text(type, row[i]) + "'") + ", ";
  }
  return made;
}

}  // namespace daedalus::semantics::testing

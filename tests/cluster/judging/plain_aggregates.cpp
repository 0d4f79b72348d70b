#include "plain_aggregates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/order.hpp"

namespace daedalus::testing {

namespace {

using semantics::AggregateFunction;
using semantics::BigInt;
using semantics::Decimal;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;
using Rows = std::vector<std::shared_ptr<const Row>>;

/// The arguments of an aggregate, of the rows in the order of their ids.
std::vector<Value> values_of(const Rows& rows, const PlainOutput& output) {
  std::vector<Value> values;
  for (const auto& row : rows) {
    const Value& value = (*row)[output.column];
    const bool is_new = !output.is_distinct || std::find(values.begin(), values.end(), value) == values.end();
    if (!semantics::is_null(value) && is_new) {
      values.push_back(value);
    }
  }
  return values;
}

bool value_less(const Value& left, const Value& right) { return semantics::compare(left, right) < 0; }

Value bits_of(AggregateFunction function, const std::vector<Value>& values) {
  int64_t bits = std::get<int64_t>(values.front());
  for (size_t index = 1; index < values.size(); ++index) {
    const int64_t more = std::get<int64_t>(values[index]);
    bits = function == AggregateFunction::kBitAnd  ? bits & more
           : function == AggregateFunction::kBitOr ? bits | more
                                                   : bits ^ more;
  }
  return Value{bits};
}

Value texts_of(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) {
    text += (&value == &values.front() ? "" : kBetween) + std::get<std::string>(value);
  }
  return Value{std::move(text)};
}

/// The double nearest to numerator / denominator, of two the even one: from a number close by, as long as a neighbour
/// is better. Precondition: denominator > 0; the double is no finer than 2^-200.
double nearest_quotient(const BigInt& numerator, const BigInt& denominator) {
  constexpr int kFine = 200;
  const auto distance = [&](double number) -> BigInt {
    const BigInt units(std::ldexp(number, kFine));
    return abs(BigInt((numerator << kFine) - units * denominator));
  };
  double best = numerator.convert_to<double>() / denominator.convert_to<double>();
  for (const double towards : {HUGE_VAL, -HUGE_VAL}) {
    while (true) {
      const double other = std::nextafter(best, towards);
      const int order = distance(other).compare(distance(best));
      if (order > 0 || (order == 0 && std::bit_cast<uint64_t>(other) % 2 != 0)) {
        break;
      }
      best = other;
    }
  }
  return best;
}

/// From the exact sums of doubles, in units of 2^-70, and of their squares.
Value of_doubles(AggregateFunction function, const std::vector<Value>& values) {
  constexpr int kFine = 70;
  const BigInt rows(values.size());
  BigInt sum;
  BigInt squares;
  for (const Value& value : values) {
    const BigInt units(std::ldexp(std::get<double>(value), kFine));
    sum += units;
    squares += units * units;
  }
  const BigInt unit = BigInt(1) << kFine;
  if (function == AggregateFunction::kSum || function == AggregateFunction::kAvg) {
    return Value{nearest_quotient(sum, function == AggregateFunction::kSum ? unit : BigInt(unit * rows))};
  }
  const BigInt others = function == AggregateFunction::kVarSamp ? BigInt(rows - 1) : rows;
  return others == 0 ? Value{} : Value{nearest_quotient(rows * squares - sum * sum, rows * others * unit * unit)};
}

/// From the exact sums of values and squares.
Value variance_of(AggregateFunction function, const std::vector<Value>& values) {
  const bool is_of_sample = function == AggregateFunction::kVarSamp;
  const auto rows = static_cast<int64_t>(values.size());
  if (is_of_sample && rows == 1) {
    return Value{};
  }
  BigInt sum;
  BigInt squares;
  for (const Value& value : values) {
    sum += std::get<int64_t>(value);
    squares += BigInt(std::get<int64_t>(value)) * std::get<int64_t>(value);
  }
  const BigInt numerator = rows * squares - sum * sum;
  if (numerator == 0) {
    return Value{Decimal{}};
  }
  return Value{semantics::divide(Decimal{numerator, 0}, Decimal{BigInt(rows) * (is_of_sample ? rows - 1 : rows), 0})};
}

Value sum_of(const Type& type, AggregateFunction function, const std::vector<Value>& values) {
  int64_t sum = 0;  // The sum of a few thousand values far below 2^50.
  for (const Value& value : values) {
    sum += std::get<int64_t>(value);
  }
  if (function == AggregateFunction::kAvg) {
    return Value{semantics::average(Decimal{sum, 0}, static_cast<int64_t>(values.size()))};
  }
  return type.kind == TypeKind::kBigint ? Value{Decimal{sum, 0}} : Value{sum};
}

}  // namespace

Value plain_aggregate(const semantics::Schema& schema, const PlainOutput& output, const Rows& rows) {
  const AggregateFunction function = *output.function;
  if (function == AggregateFunction::kCountRows) {
    return Value{static_cast<int64_t>(rows.size())};
  }
  const std::vector<Value> values = values_of(rows, output);
  if (function == AggregateFunction::kCount) {
    return Value{static_cast<int64_t>(values.size())};
  }
  if (values.empty()) {
    return Value{};
  }
  const bool is_of_doubles = std::holds_alternative<double>(values.front());
  switch (function) {
    case AggregateFunction::kMin:
      return *std::min_element(values.begin(), values.end(), value_less);
    case AggregateFunction::kMax:
      return *std::max_element(values.begin(), values.end(), value_less);
    case AggregateFunction::kBitAnd:
    case AggregateFunction::kBitOr:
    case AggregateFunction::kBitXor:
      return bits_of(function, values);
    case AggregateFunction::kStringAgg:
      return texts_of(values);
    case AggregateFunction::kVarSamp:
    case AggregateFunction::kVarPop:
      return is_of_doubles ? of_doubles(function, values) : variance_of(function, values);
    default:
      return is_of_doubles ? of_doubles(function, values)
                           : sum_of(schema.columns[output.column].type, function, values);
  }
}

}  // namespace daedalus::testing

// Variances and standard deviations: of integers and numerics exactly, of floating values by their moments.
#include <cmath>
#include <optional>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "exact_sum.hpp"

namespace daedalus::semantics {
namespace {

Decimal exact_number(const Value& value) {
  const auto* integer = std::get_if<int64_t>(&value);
  return integer != nullptr ? Decimal{BigInt(*integer), 0} : std::get<Decimal>(value);
}

Decimal negated(Decimal value) {
  value.unscaled = -value.unscaled;
  return value;
}

bool is_of_sample(AggregateFunction function) {
  return function == AggregateFunction::kVarSamp || function == AggregateFunction::kStddevSamp;
}

bool is_deviation(AggregateFunction function) {
  return function == AggregateFunction::kStddevPop || function == AggregateFunction::kStddevSamp;
}

/// The root at the scale of the number itself, rounded half away from zero.
Decimal square_root(const Decimal& number) {
  // One digit more than is wanted: the root of what is no square never lies half way.
  const auto shift = static_cast<uint32_t>(number.scale + 2);
  const BigInt root = boost::multiprecision::sqrt(BigInt(number.unscaled * power_of_ten(shift)));
  return {divide_rounded(root, 10), number.scale};
}

/// numeric.c, numeric_stddev_internal.
Decimal exact_spread(AggregateFunction function, const Decimal& sum, const Decimal& squares, int64_t count) {
  const Decimal rows{BigInt(count), 0};
  const Decimal numerator = add(multiply(rows, squares), negated(multiply(sum, sum)));
  if (numerator.unscaled.sign() <= 0) {
    return {};
  }
  const Decimal denominator = multiply(rows, {BigInt(is_of_sample(function) ? count - 1 : count), 0});
  const Decimal variance = divide(numerator, denominator);
  return is_deviation(function) ? square_root(variance) : variance;
}

}  // namespace

void AggregateState::add_spread(const Value& argument) {
  if (is_floating(argument_.kind)) {
    moments_.add(std::get<double>(argument));
    return;
  }
  const bool is_first = count_ == 0;
  ++count_;
  add_to(value_, argument);
  if (is_first || !is_null(squares_)) {
    const Decimal number = exact_number(argument);
    add_to(squares_, multiply(number, number));
  }
}

void AggregateState::merge_spread(std::span<const Value> partial) {
  if (is_null(partial[0]) || is_null(partial[2])) {
    return;
  }
  const int64_t count = std::get<int64_t>(partial[2]);
  if (is_floating(argument_.kind)) {
    moments_.add({count, std::get<double>(partial[0]), is_null(partial[1]) ? 0.0 : std::get<double>(partial[1])});
    return;
  }
  const bool has_squares = count_ == 0 || !is_null(squares_);
  // Counts of rows in memory never reach 2^63; a peer that says so must not make this undefined.
  count_ = static_cast<int64_t>(static_cast<uint64_t>(count_) + static_cast<uint64_t>(count));
  add_to(value_, partial[0]);
  if (has_squares && !is_null(partial[1])) {
    add_to(squares_, partial[1]);
  } else {
    squares_ = Value();
  }
}

std::vector<Value> AggregateState::partial_spread() const {
  if (is_floating(argument_.kind)) {
    return moments_.count == 0 ? std::vector<Value>{Value(), Value(), int64_t{0}}
                               : std::vector<Value>{moments_.sum, moments_.squares, moments_.count};
  }
  const auto* squares = std::get_if<Decimal>(&squares_);
  // A packed numeric has room for squares of numbers of three hundred digits, and no more.
  const bool fits = squares != nullptr && fits_precision(*squares, kDecimalDigitsMax);
  return {value_, fits ? squares_ : Value(), count_};
}

Result<Value> AggregateState::finish_spread() const {
  const bool is_floating_one = is_floating(argument_.kind);
  const int64_t count = is_floating_one ? moments_.count : count_;
  if (count < (is_of_sample(function_) ? 2 : 1)) {
    return Value();
  }
  if (!is_floating_one) {
    if (is_null(squares_)) {
      return rejected("22003", "value overflows numeric format");
    }
    return Value(exact_spread(function_, std::get<Decimal>(value_), std::get<Decimal>(squares_), count));
  }
  if (std::isinf(moments_.squares)) {
    return rejected("22003", "value out of range: overflow");
  }
  const double variance = moments_.squares / static_cast<double>(is_of_sample(function_) ? count - 1 : count);
  return Value(is_deviation(function_) ? std::sqrt(variance) : variance);
}

}  // namespace daedalus::semantics

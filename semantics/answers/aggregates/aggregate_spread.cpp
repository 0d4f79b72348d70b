// Variances and standard deviations: of integers and numerics exactly, of floating values by their moments, rounded
// once.
#include <cmath>
#include <limits>

#include "binary_number.hpp"
#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "exact_sum.hpp"
#include "floating_columns.hpp"
#include "text_parts.hpp"

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

/// PostgreSQL's float8_accum adds up Sxx = Σx² − (Σx)² / N as it goes and fails once that, or the sum, is infinite;
/// here the whole of either decides.
Result<Value> floating_spread(AggregateFunction function, const FloatingMoments& moments) {
  if (!moments.sum.is_finite()) {
    return Value(std::numeric_limits<double>::quiet_NaN());
  }
  const BigInt rows(moments.count);
  const BinaryNumber sum = exact(moments.sum);
  const BinaryNumber squares = exact(moments.squares);
  const BinaryNumber scatter =
      difference({rows * squares.mantissa, squares.exponent}, {sum.mantissa * sum.mantissa, 2 * sum.exponent});
  if (!nearest(sum, kDoubleFormat) || !nearest_quotient(scatter, rows)) {
    return floating_overflow();
  }
  // Digits that states leave out may make it negative, where it is next to nothing beside those that they keep.
  if (scatter.mantissa.sign() <= 0) {
    return Value(0.0);
  }
  const BigInt divisor = rows * BigInt(is_of_sample(function) ? moments.count - 1 : moments.count);
  const double variance = nearest_quotient(scatter, divisor).value_or(std::numeric_limits<double>::infinity());
  return Value(is_deviation(function) ? std::sqrt(variance) : variance);
}

}  // namespace

void AggregateState::add_spread(const Value& argument) {
  const bool is_first = count_ == 0;
  ++count_;
  if (const auto* floating = std::get_if<double>(&argument)) {
    floating_.add(*floating);
    if (std::isfinite(*floating)) {
      floating_squares_.add(*floating);
    }
    return;
  }
  add_to(value_, argument);
  if (is_first || !is_null(squares_)) {
    const Decimal number = exact_number(argument);
    add_to(squares_, multiply(number, number));
  }
}

void AggregateState::merge_spread(std::span<const Value> partial) {
  if (is_null(partial[0]) || is_null(partial.back())) {
    return;
  }
  const int64_t count = std::get<int64_t>(partial.back());
  const bool has_squares = count_ == 0 || !is_null(squares_);
  // Counts of rows in memory never reach 2^63; a peer that says so must not make this undefined.
  count_ = static_cast<int64_t>(static_cast<uint64_t>(count_) + static_cast<uint64_t>(count));
  if (is_floating(argument_.kind)) {
    const int64_t head = std::get<int64_t>(partial[0]);
    const auto counters = partial.subspan(1);
    floating_.add(FloatingSum(head, read_counters<FloatingSum::kPlaces>(counters)));
    floating_squares_.add(
        FloatingSquares(FloatingMoments::squares_top(head),
                        read_counters<FloatingSquares::kPlaces>(counters.subspan(FloatingSum::kPlaces))));
    return;
  }
  add_to(value_, partial[0]);
  if (has_squares && !is_null(partial[1])) {
    add_to(squares_, partial[1]);
  } else {
    squares_ = Value();
  }
}

std::vector<Value> AggregateState::partial_spread() const {
  if (is_floating(argument_.kind)) {
    std::vector<Value> state;
    if (floating_.is_empty()) {
      state.resize(FloatingMoments::kColumns - 1);
    } else {
      state.emplace_back(FloatingMoments{count_, floating_, floating_squares_}.head());
      append_counters(floating_.counters(), state);
      append_counters(floating_squares_.counters(), state);
    }
    state.emplace_back(count_);
    return state;
  }
  const auto* squares = std::get_if<Decimal>(&squares_);
  // A packed numeric has room for squares of numbers of three hundred digits, and no more.
  const bool fits = squares != nullptr && fits_precision(*squares, kDecimalDigitsMax);
  return {value_, fits ? squares_ : Value(), count_};
}

Result<Value> AggregateState::finish_spread() const {
  if (count_ < (is_of_sample(function_) ? 2 : 1)) {
    return Value();
  }
  if (is_floating(argument_.kind)) {
    return floating_spread(function_, {count_, floating_, floating_squares_});
  }
  if (is_null(squares_)) {
    return rejected("22003", "value overflows numeric format");
  }
  return Value(exact_spread(function_, std::get<Decimal>(value_), std::get<Decimal>(squares_), count_));
}

}  // namespace daedalus::semantics

// Aggregates of values in their order: percentiles and the most frequent value.
#include <algorithm>
#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/order.hpp"
#include "interval.hpp"

namespace daedalus::semantics {

namespace {

/// Returns the value that lies this share of the way from the lower value to the other.
Result<Value> between(const Value& low, const Value& high, double share) {
  if (const auto* from = std::get_if<double>(&low)) {
    return Value(*from + share * (std::get<double>(high) - *from));
  }
  const auto& from = std::get<Interval>(low);
  const Result<Interval> opposite = negated(from);
  const Result<Interval> way = opposite ? add_intervals(std::get<Interval>(high), *opposite) : opposite;
  const Result<Interval> part = way ? multiplied(*way, share) : way;
  const Result<Interval> made = part ? add_intervals(*part, from) : part;
  return made ? Result<Value>(Value(*made)) : made.error();
}

}  // namespace

void AggregateState::expect(const Value& value, int64_t rows) { count_ += is_null(value) ? 0 : rows; }

Result<void> AggregateState::take_in_order(const Value& value, const Value& fraction, int64_t rows) {
  if (is_null(value)) {
    return {};
  }
  if (function_ == AggregateFunction::kMode) {
    take_for_mode(value, rows);
    return {};
  }
  return is_null(fraction) ? Result<void>() : take_for_percentile(value, std::get<double>(fraction), rows);
}

/// Positions are counted from 0.
Result<void> AggregateState::take_for_percentile(const Value& value, double fraction, int64_t rows) {
  if (const Result<void> checked = check_fraction(fraction); !checked) {
    return checked;
  }
  const auto holds = [&](double position) {
    return position >= static_cast<double>(passed_) && position < static_cast<double>(passed_ + rows);
  };
  if (function_ == AggregateFunction::kPercentileDisc) {
    if (holds(std::max(std::ceil(fraction * static_cast<double>(count_)), 1.0) - 1)) {
      value_ = value;
    }
    passed_ += rows;
    return {};
  }
  const double position = fraction * static_cast<double>(count_ - 1);
  const double low = std::floor(position);
  if (holds(low)) {
    value_ = value;
  }
  if (const double high = std::ceil(position); high != low && holds(high)) {
    Result<Value> made = between(value_, value, position - low);
    if (!made) {
      return made.error();
    }
    value_ = std::move(*made);
  }
  passed_ += rows;
  return {};
}

/// The first one of several that are as frequent stays.
void AggregateState::take_for_mode(const Value& value, int64_t rows) {
  const bool is_same = !is_null(squares_) && compare(squares_, value) == 0;
  passed_ = is_same ? passed_ + rows : rows;
  if (!is_same) {
    squares_ = value;
  }
  if (passed_ > count_) {
    value_ = squares_;
    count_ = passed_;
  }
}

}  // namespace daedalus::semantics

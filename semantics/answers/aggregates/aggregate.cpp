#include "daedalus/semantics/aggregate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/order.hpp"
#include "exact_sum.hpp"
#include "floating_columns.hpp"
#include "interval.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

/// Floating values are added up as floating_sum.hpp says, all others exactly: those of intervals in one number, too
/// (exact_sum.hpp).
std::vector<Type> sum_state_types(const Type& argument) {
  if (is_floating(argument.kind)) {
    return std::vector<Type>(FloatingSum::kColumns, Type{TypeKind::kBigint});
  }
  return {Type{TypeKind::kNumeric}};
}

std::vector<Type> spread_state_types(const Type& argument) {
  if (is_floating(argument.kind)) {
    return std::vector<Type>(FloatingMoments::kColumns, Type{TypeKind::kBigint});
  }
  return {Type{TypeKind::kNumeric}, Type{TypeKind::kNumeric}, Type{TypeKind::kBigint}};
}

}  // namespace

Decimal average(const Decimal& sum, int64_t count) {
  CHECK(count > 0);
  return divide(sum, Decimal{count, 0});
}

std::vector<Type> partial_types(AggregateFunction function, const Type& argument) {
  switch (entry_of(function).state) {
    case AggregateStateKind::kNone:
      return {};
    case AggregateStateKind::kCount:
      return {Type{TypeKind::kBigint}};
    case AggregateStateKind::kExtreme:
    case AggregateStateKind::kCombined:
      return {argument};
    case AggregateStateKind::kSum:
      return sum_state_types(argument);
    case AggregateStateKind::kSpread:
      return spread_state_types(argument);
    case AggregateStateKind::kAverage: {
      std::vector<Type> types = sum_state_types(argument);
      types.emplace_back(TypeKind::kBigint);
      return types;
    }
  }
  CHECK(false);
  return {};
}

AggregateState::AggregateState(AggregateFunction function, const Type& argument)
    : function_(function), kind_(entry_of(function).state), argument_(argument) {}

namespace {

/// Two booleans, or two integers, as one.
Value combined(AggregateFunction function, const Value& left, const Value& right) {
  switch (function) {
    case AggregateFunction::kBoolAnd:
      return std::get<bool>(left) && std::get<bool>(right);
    case AggregateFunction::kBoolOr:
      return std::get<bool>(left) || std::get<bool>(right);
    case AggregateFunction::kBitAnd:
      return std::get<int64_t>(left) & std::get<int64_t>(right);
    case AggregateFunction::kBitXor:
      return std::get<int64_t>(left) ^ std::get<int64_t>(right);
    default:
      return std::get<int64_t>(left) | std::get<int64_t>(right);
  }
}

/// Says whether a value takes the place of the minimum or maximum so far. Of equal ones the later stays, as in
/// PostgreSQL: −0.0 and 0.0 show it, 1.0 and 1.00, a month and 30 days.
bool is_better(AggregateFunction function, const Value& value, const Value& best) {
  const std::strong_ordering order = compare(value, best);
  if (order == 0) {
    return std::holds_alternative<double>(value) || std::holds_alternative<Decimal>(value) ||
           std::holds_alternative<Interval>(value);
  }
  return (order < 0) == (function == AggregateFunction::kMin);
}

}  // namespace

void AggregateState::add(const Value& argument) {
  if (function_ == AggregateFunction::kCountRows) {
    ++count_;
    return;
  }
  if (is_null(argument)) {
    return;
  }
  switch (kind_) {
    case AggregateStateKind::kCount:
      ++count_;
      return;
    case AggregateStateKind::kExtreme:
      if (is_null(value_) || is_better(function_, argument, value_)) {
        value_ = argument;
      }
      return;
    case AggregateStateKind::kSum:
    case AggregateStateKind::kAverage:
      ++count_;
      if (const auto* floating = std::get_if<double>(&argument)) {
        floating_.add(*floating);
      } else {
        add_to(value_, argument);
      }
      return;
    case AggregateStateKind::kCombined:
      value_ = is_null(value_) ? argument : combined(function_, value_, argument);
      return;
    case AggregateStateKind::kSpread:
      return add_spread(argument);
    case AggregateStateKind::kNone:
      CHECK(false);
  }
}

void AggregateState::append(const Value& text, const Value& between) {
  if (is_null(text)) {
    return;
  }
  if (is_null(value_)) {
    value_ = text;
    return;
  }
  auto& whole = std::get<std::string>(value_);
  // One that is too long already is refused, however much too long it is.
  if (whole.size() <= kStringAggBytesMax) {
    whole += is_null(between) ? "" : std::get<std::string>(between);
    whole += std::get<std::string>(text);
  }
}

void AggregateState::merge(std::span<const Value> partial) {
  CHECK(partial.size() == partial_types(function_, argument_).size());
  switch (kind_) {
    case AggregateStateKind::kCount:
      // Counts of rows in memory never reach 2^63; a peer that says so must not make this undefined.
      count_ = static_cast<int64_t>(static_cast<uint64_t>(count_) +
                                    static_cast<uint64_t>(is_null(partial[0]) ? 0 : std::get<int64_t>(partial[0])));
      return;
    case AggregateStateKind::kExtreme:
    case AggregateStateKind::kCombined:
      add(partial[0]);
      return;
    case AggregateStateKind::kSum:
      merge_sum(partial);
      return;
    case AggregateStateKind::kSpread:
      return merge_spread(partial);
    case AggregateStateKind::kNone:
      return;
    case AggregateStateKind::kAverage:
      if (!is_null(partial[0]) && !is_null(partial.back())) {
        merge_sum(partial);
        count_ = static_cast<int64_t>(static_cast<uint64_t>(count_) +
                                      static_cast<uint64_t>(std::get<int64_t>(partial.back())));
      }
      return;
  }
}

void AggregateState::merge_sum(std::span<const Value> partial) {
  if (is_null(partial[0])) {
    return;
  }
  if (!is_floating(argument_.kind)) {
    add_to(value_, partial[0]);
    return;
  }
  floating_.add(FloatingSum(std::get<int64_t>(partial[0]), read_counters<FloatingSum::kPlaces>(partial.subspan(1))));
}

std::vector<Value> AggregateState::partial() const {
  switch (kind_) {
    case AggregateStateKind::kCount:
      return {count_};
    case AggregateStateKind::kExtreme:
    case AggregateStateKind::kCombined:
      return {value_};
    case AggregateStateKind::kSum:
      return partial_sum();
    case AggregateStateKind::kSpread:
      return partial_spread();
    case AggregateStateKind::kNone:
      return {};
    case AggregateStateKind::kAverage: {
      std::vector<Value> state = partial_sum();
      state.emplace_back(count_);
      return state;
    }
  }
  CHECK(false);
  return {};
}

std::vector<Value> AggregateState::partial_sum() const {
  if (!is_floating(argument_.kind)) {
    return {value_};
  }
  if (floating_.is_empty()) {
    return std::vector<Value>(FloatingSum::kColumns);
  }
  std::vector<Value> state = {floating_.head()};
  append_counters(floating_.counters(), state);
  return state;
}

namespace {

Result<Value> unless_beyond(std::optional<double> number) {
  return number ? Result<Value>(Value(*number)) : floating_overflow();
}

/// Error 22008 where the sum is out of range, whatever its share is: PostgreSQL adds up first.
Result<Value> finish_exact_average(const Type& argument, const Value& sum, int64_t count) {
  const auto& total = std::get<Decimal>(sum);
  if (argument.kind != TypeKind::kInterval) {
    return Value(average(total, count));
  }
  const Result<Interval> whole = interval_of(total.unscaled);
  const Result<Interval> share = whole ? divided(*whole, static_cast<double>(count)) : whole;
  return share ? Result<Value>(Value(*share)) : share.error();
}

Result<Value> finish_exact_sum(const Type& argument, const Value& sum) {
  const auto& total = std::get<Decimal>(sum);
  if (argument.kind == TypeKind::kInterval) {
    const Result<Interval> whole = interval_of(total.unscaled);
    return whole ? Result<Value>(Value(*whole)) : whole.error();
  }
  if (argument.kind == TypeKind::kSmallint || argument.kind == TypeKind::kInt) {
    if (total.scale != 0 || total.unscaled < INT64_MIN || total.unscaled > INT64_MAX) {
      return rejected("22003", "bigint out of range");
    }
    return Value(static_cast<int64_t>(total.unscaled));
  }
  return sum;
}

}  // namespace

Result<Value> AggregateState::finish() const {
  switch (kind_) {
    case AggregateStateKind::kCount:
      return Value(count_);
    case AggregateStateKind::kExtreme:
    case AggregateStateKind::kCombined:
      return value_;
    case AggregateStateKind::kSpread:
      return finish_spread();
    case AggregateStateKind::kNone:
      if (function_ == AggregateFunction::kStringAgg && !is_null(value_) &&
          std::get<std::string>(value_).size() > kStringAggBytesMax) {
        return rejected("54000", fmt::format("a text of string_agg() has more than {} bytes", kStringAggBytesMax));
      }
      return value_;
    case AggregateStateKind::kSum:
      return finish_sum();
    case AggregateStateKind::kAverage:
      return finish_average();
  }
  CHECK(false);
  return Value();
}

Result<Value> AggregateState::finish_sum() const {
  if (!floating_.is_empty()) {
    return unless_beyond(argument_.kind == TypeKind::kReal ? floating_.total_real() : floating_.total());
  }
  return is_null(value_) ? Result<Value>(Value()) : finish_exact_sum(argument_, value_);
}

Result<Value> AggregateState::finish_average() const {
  if ((is_null(value_) && floating_.is_empty()) || count_ <= 0) {
    return Value();
  }
  return floating_.is_empty() ? finish_exact_average(argument_, value_, count_)
                              : unless_beyond(floating_.average(count_));
}

}  // namespace daedalus::semantics

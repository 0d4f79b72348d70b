#include "daedalus/semantics/order.hpp"

#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "interval.hpp"

namespace daedalus::semantics {
namespace {

std::strong_ordering from_sign(int sign) {
  return sign < 0 ? std::strong_ordering::less : sign > 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering compare_doubles(double left, double right) {
  const bool left_nan = std::isnan(left);
  const bool right_nan = std::isnan(right);
  if (left_nan || right_nan) {
    return left_nan <=> right_nan;
  }
  return from_sign(left < right ? -1 : left > right ? 1 : 0);
}

}  // namespace

std::strong_ordering compare(const Value& left, const Value& right) {
  CHECK(left.index() == right.index());
  if (const auto* number = std::get_if<int64_t>(&left)) {
    return *number <=> std::get<int64_t>(right);
  }
  if (const auto* text = std::get_if<std::string>(&left)) {
    return from_sign(text->compare(std::get<std::string>(right)));
  }
  if (const auto* number = std::get_if<double>(&left)) {
    return compare_doubles(*number, std::get<double>(right));
  }
  if (const auto* number = std::get_if<Decimal>(&left)) {
    return from_sign(compare_decimals(*number, std::get<Decimal>(right)));
  }
  if (const auto* interval = std::get_if<Interval>(&left)) {
    return interval_micros(*interval) <=> interval_micros(std::get<Interval>(right));
  }
  CHECK(!is_null(left));
  return std::get<bool>(left) <=> std::get<bool>(right);
}

std::strong_ordering compare_ordered(const Value& left, const Value& right, SortOrder order) {
  if (is_null(left) || is_null(right)) {
    const std::strong_ordering nulls_last = is_null(left) <=> is_null(right);
    return order.nulls_first ? 0 <=> nulls_last : nulls_last;
  }
  const std::strong_ordering ascending = compare(left, right);
  return order.descending ? 0 <=> ascending : ascending;
}

}  // namespace daedalus::semantics

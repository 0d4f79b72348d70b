// Infinity of dates and timestamps: the greatest and the least number that a value's bytes hold, which no finite SQL
// timestamp reaches.
//
// Decides which number stands for it. It compares as a number does, so order, equality and hashes need no case of
// their own; functions leave it as it is, or refuse it, as PostgreSQL's do.
#pragma once

#include <cstdint>
#include <limits>

#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Says whether a date in days since 1970 is infinite.
[[nodiscard]] constexpr bool is_infinite_date(int64_t days) {
  using Days = std::numeric_limits<int32_t>;
  return days == Days::max() || days == Days::min();
}

/// Says whether a timestamp in microseconds since 1970 is infinite.
[[nodiscard]] constexpr bool is_infinite_timestamp(int64_t micros) {
  using Micros = std::numeric_limits<int64_t>;
  return micros == Micros::max() || micros == Micros::min();
}

/// Says whether the number of a date or of a timestamp is infinite; that of another kind never is.
[[nodiscard]] constexpr bool is_infinite_datetime(TypeKind kind, int64_t number) {
  return kind == TypeKind::kDate ? is_infinite_date(number) : is_timestamp(kind) && is_infinite_timestamp(number);
}

/// The number that stands for infinity, or for minus infinity where `is_early`, of a kind of SQL timestamps.
[[nodiscard]] constexpr int64_t infinity_of(TypeKind kind, bool is_early) {
  if (kind == TypeKind::kDate) {
    return is_early ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
  }
  return is_early ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

constexpr int64_t kDaysFrom1970To2000 = 10'957;

/// PostgreSQL's number of an SQL timestamp, which it counts from 2000. Infinity's is the same in both. Finite SQL
/// timestamps behind PostgreSQL's first one only.
[[nodiscard]] constexpr int64_t since_2000(TypeKind kind, int64_t since_1970) {
  if (is_infinite_datetime(kind, since_1970)) {
    return since_1970;
  }
  return since_1970 - kDaysFrom1970To2000 * (kind == TypeKind::kDate ? 1 : kMicrosPerDay);
}

}  // namespace daedalus::semantics

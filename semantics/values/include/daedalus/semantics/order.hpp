// PostgreSQL's order of values under the C collation.
#pragma once

#include <compare>

#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// Orders two non-NULL values of the same alternative. NaN equals NaN and is above everything; −0.0 equals 0.0; strings
/// compare as unsigned bytes; decimals by value whatever their scale. CHECKs that alternatives agree.
[[nodiscard]] std::strong_ordering compare(const Value& left, const Value& right);

/// Direction and place of NULLs of one ORDER BY key.
struct SortOrder {
  bool descending = false;
  bool nulls_first = false;

  friend bool operator==(const SortOrder&, const SortOrder&) = default;
};

/// Orders any two values, NULLs included, as ORDER BY does.
[[nodiscard]] std::strong_ordering compare_ordered(const Value& left, const Value& right, SortOrder order);

}  // namespace daedalus::semantics

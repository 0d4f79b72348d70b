// OVERLAPS: whether two periods have an SQL timestamp in common. One that says how long it is ends at its sum (see
// implementation_names.cpp).
#include <algorithm>
#include <optional>

#include "adder.hpp"

namespace daedalus::semantics::scalar {
namespace {

/// From its known or earlier end to the other one.
struct Period {
  int64_t begin = 0;
  std::optional<int64_t> end;
};

/// Nothing: neither end is known.
std::optional<Period> period_of(const Value& first, const Value& second) {
  if (is_null(first) || is_null(second)) {
    const Value& known = is_null(first) ? second : first;
    return is_null(known) ? std::nullopt : std::optional(Period{integer(known), std::nullopt});
  }
  return Period{std::min(integer(first), integer(second)), std::max(integer(first), integer(second))};
}

/// NULL: an end that is not known would decide.
std::optional<bool> overlap(const Period& left, const Period& right) {
  if (left.begin == right.begin) {
    return left.end && right.end ? std::optional(true) : std::nullopt;
  }
  const Period& earlier = left.begin < right.begin ? left : right;
  const Period& later = left.begin < right.begin ? right : left;
  if (!earlier.end) {
    return std::nullopt;
  }
  if (later.begin < *earlier.end) {
    return true;
  }
  return later.end ? std::optional(false) : std::nullopt;
}

Result<Value> overlaps(Arguments arguments, const BoundExpression&) {
  const auto left = period_of(arguments[0], arguments[1]);
  const auto right = period_of(arguments[2], arguments[3]);
  const std::optional<bool> truth = left && right ? overlap(*left, *right) : std::nullopt;
  return truth ? Value(*truth) : Value();
}

}  // namespace

void add_overlaps(Functions& functions) {
  Adder adder(functions);
  constexpr NumberedKind kKinds[] = {
      {1590, TypeKind::kTime}, {1591, TypeKind::kTimestamp}, {1592, TypeKind::kTimestampTz}};
  for (const auto& [number, kind] : kKinds) {
    adder.add(number, "overlaps", {kind, kind, kind, kind}, TypeKind::kBool, overlaps, nullptr, false);
    adder.takes_nulls();
  }
}

}  // namespace daedalus::semantics::scalar

// One value of any type, for everything that is not a hot loop: constants, keys, merged aggregates, tests.
#pragma once

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <variant>

#include "daedalus/semantics/spare_limbs.hpp"

namespace daedalus::semantics {

/// Boost's cpp_int, in a room of 128 bits and, beyond, in what its thread keeps.
using BigInt =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<0, 0, boost::multiprecision::signed_magnitude,
                                                                         boost::multiprecision::unchecked,
                                                                         SpareLimbs<boost::multiprecision::limb_type>>>;

/// unscaled · 10^-scale. Equality is of both members: 1.0 and 1.00 differ as representations; compare() knows better.
struct Decimal {
  BigInt unscaled;
  int32_t scale = 0;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

/// A span of time whose months and days have no length of their own.
struct Interval {
  int32_t months = 0;
  int32_t days = 0;
  int64_t micros = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A value whose type is known from its place. NULL is std::monostate.
///
///   bool                       bool
///   int64_t                    smallint, int, bigint, date (days), timestamp (microseconds), time (those of
///                              its day)
///   double                     real (rounded to float), double precision
///   Decimal                    numeric; of a column: scale is the column's
///   std::string                char(n) (trailing blanks stripped), varchar, text; uuid: its sixteen bytes
///   Interval                   interval
using Value = std::variant<std::monostate, bool, int64_t, double, Decimal, std::string, Interval>;

[[nodiscard]] inline bool is_null(const Value& value) { return value.index() == 0; }

/// Says whether nothing can tell the two apart: NaN is NaN, and 0.0 is not −0.0.
[[nodiscard]] inline bool is_identical(const Value& left, const Value& right) {
  const auto* number = std::get_if<double>(&left);
  const auto* other = std::get_if<double>(&right);
  if (number == nullptr || other == nullptr) {
    return left == right;
  }
  return std::bit_cast<uint64_t>(*number) == std::bit_cast<uint64_t>(*other) ||
         (*number != *number && *other != *other);
}

}  // namespace daedalus::semantics

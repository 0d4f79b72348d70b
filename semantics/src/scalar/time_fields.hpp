// Fields of dates, timestamps and intervals, by the names that EXTRACT and its kin take.
#pragma once

#include <cstdint>
#include <string>

#include "families.hpp"

namespace daedalus::semantics::scalar {

enum class Field : uint8_t {
  kMicroseconds,
  kMilliseconds,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kMillennium,
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kIsoYear,
  kEpoch,
  kJulian,
  kTimezone,
  kTimezoneHour,
  kTimezoneMinute,
};

/// The field that a text names, of values of this kind. Errors: 22023 there is no such field; 0A000 one that no value
/// of the kind has.
[[nodiscard]] Result<Field> field_of(const Value& unit, TypeKind kind);

/// A field that values of this kind do not have. Error 0A000.
[[nodiscard]] Error field_not_supported(const Value& unit, TypeKind kind);

}  // namespace daedalus::semantics::scalar

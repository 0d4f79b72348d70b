// A template of a date or a time finds fields in a text, one by one, before it is known whether there is such a
// SQL timestamp.
#pragma once

#include <cstdint>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::semantics::scalar {

/// Years of months, or of weeks.
enum class Calendar : uint8_t { kNone, kGregorian, kIso };

/// These fields hold what a text says; 0 is what it does not say.
struct TemplateFields {
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t second_of_day = 0;
  int64_t millis = 0;
  int64_t micros = 0;
  int64_t weekday = 0;  ///< From 1, which is Sunday.
  int64_t day = 0;
  int64_t day_of_year = 0;
  int64_t month = 0;
  int64_t year = 0;
  int64_t century = 0;
  int64_t julian = 0;
  int64_t week = 0;
  int64_t week_of_month = 0;
  int64_t is_before_christ = 0;
  int64_t is_afternoon = 0;
  int64_t zone_hours = 0;
  int64_t zone_minutes = 0;
  int zone_sign = 0;
  int year_digits = 0;
  int fraction_digits = 0;  ///< FF says so many, and what is read is rounded to them.
  bool is_twelve_hours = false;
  Calendar calendar = Calendar::kNone;
};

/// Errors: 22007 what is there is none of what is wanted, or contradicts it; 22008 a number of more than 32 bits; 0A000
/// patterns that are of writing only.
[[nodiscard]] Result<TemplateFields> scan_datetime(std::string_view text, std::string_view format);

}  // namespace daedalus::semantics::scalar

// The proleptic Gregorian calendar: days since 1970-01-01 to and from year, month, day.
#pragma once

#include <cstdint>

namespace daedalus::semantics {

/// Year 0 is 1 BC.
struct CivilDate {
  int64_t year = 1970;
  uint32_t month = 1;
  uint32_t day = 1;
};

/// Days since 1970-01-01 of a legal date.
[[nodiscard]] constexpr int64_t days_from_civil(CivilDate date) {
  // Years start in March, so that the leap day is a year's last; an era is 400 years.
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t month = date.month > 2 ? date.month - 3 : date.month + 9;
  const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

[[nodiscard]] constexpr CivilDate civil_from_days(int64_t days) {
  days += 719'468;
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<uint32_t>(day_of_year - (153 * month + 2) / 5 + 1);
  const auto civil_month = static_cast<uint32_t>(month < 10 ? month + 3 : month - 9);
  return {year_of_era + era * 400 + (civil_month <= 2 ? 1 : 0), civil_month, day};
}

[[nodiscard]] constexpr uint32_t days_in_month(int64_t year, uint32_t month) {
  constexpr uint32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

/// Floor division for divisors above 0: where an SQL timestamp before 1970 lies in its day.
[[nodiscard]] constexpr int64_t floor_div(int64_t numerator, int64_t denominator) {
  const int64_t quotient = numerator / denominator;
  return numerator % denominator < 0 ? quotient - 1 : quotient;
}

/// Gives what is left behind floor_div(): never negative. Any numerator, of which floor_div() times the denominator may
/// be beyond 64 bits.
[[nodiscard]] constexpr int64_t floor_mod(int64_t numerator, int64_t denominator) {
  const int64_t rest = numerator % denominator;
  return rest < 0 ? rest + denominator : rest;
}

/// PostgreSQL's last day of timestamps, which is behind ours.
constexpr int64_t kPostgresTimestampDaysMax = days_from_civil({294'276, 12, 31});

}  // namespace daedalus::semantics

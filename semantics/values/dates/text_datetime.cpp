// Dates and timestamps from and to text. Of what PostgreSQL reads, its answer or a refusal by name.
#include <fmt/format.h>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "datetime_decoder.hpp"
#include "datetime_fields.hpp"
#include "text_parts.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {
namespace {

constexpr std::string_view kNow = "now";
/// 2000-01-01, from which PostgreSQL counts.
constexpr int64_t kPostgresFirstDay = 10'957;

std::string_view short_name(const Type& type) {
  return type.kind == TypeKind::kDate ? "date" : type.kind == TypeKind::kTime ? "time" : "timestamp";
}
/// As it is called where its syntax is wrong.
std::string_view whole_name(const Type& type) {
  return type.kind == TypeKind::kTimestampTz ? kind_name(type.kind) : short_name(type);
}

Error not_supported(std::string_view what, std::string_view text, std::string hint = {}) {
  return rejected("0A000", fmt::format("{} not supported: \"{}\"", what, text), std::move(hint));
}

Error out_of_range(const Type& type, std::string_view text) {
  return rejected("22008", fmt::format("{} out of range: \"{}\"", short_name(type), text));
}

Error fault_error(const Type& type, DatetimeFault fault, std::string_view refers, std::string_view text) {
  switch (fault) {
    case DatetimeFault::kField:
      return rejected("22008", fmt::format("date/time field value out of range: \"{}\"", text));
    case DatetimeFault::kZoneOffset:
      return rejected("22009", fmt::format("time zone displacement out of range: \"{}\"", text));
    case DatetimeFault::kZoneName:
      return rejected("22023", fmt::format("time zone not recognized: \"{}\"", text));
    case DatetimeFault::kNoClock:
      return not_supported(fmt::format("the {} \"{}\" is", short_name(type), refers), text,
                           "write the date itself, or let a SQL statement say it");
    case DatetimeFault::kNone:
    case DatetimeFault::kSyntax:
      break;
  }
  return rejected("22007", fmt::format("invalid input syntax for type {}: \"{}\"", whole_name(type), text));
}

Result<Value> date_value(const Type& type, const SqlTimestamp& sql_timestamp, std::string_view text) {
  if (sql_timestamp.days < kComputedDaysMin || sql_timestamp.days > kDateDaysMax) {
    return out_of_range(type, text);
  }
  if (sql_timestamp.days < kDateDaysMin) {
    return not_supported("dates before the year 1 are", text);
  }
  return Value(sql_timestamp.days);
}

Result<Value> timestamp_value(const Type& type, const SqlTimestamp& sql_timestamp, std::string_view text) {
  const int64_t micros = sql_timestamp.micros - sql_timestamp.offset * kMicrosPerSecond;
  const int64_t days = sql_timestamp.days + floor_div(micros, kMicrosPerDay);
  if (days < kComputedDaysMin || days > kPostgresTimestampDaysMax) {
    return out_of_range(type, text);
  }
  // PostgreSQL takes a time of day that leads to the other side of its first day for an overflow.
  const int64_t first = sql_timestamp.days - kPostgresFirstDay;
  const int64_t last = sql_timestamp.days + floor_div(sql_timestamp.micros, kMicrosPerDay) - kPostgresFirstDay;
  const bool is_at_its_start = last == 0 && sql_timestamp.micros % kMicrosPerDay == 0;
  if (first > 0 ? last < 0 : first < -1 && last >= 0 && !is_at_its_start) {
    return out_of_range(type, text);
  }
  if (days < kDateDaysMin) {
    return not_supported("timestamps before the year 1 are", text);
  }
  if (days > kTimestampMicrosMax / kMicrosPerDay) {
    return not_supported("timestamps after the year 294246 are", text);
  }
  return Value(sql_timestamp.days * kMicrosPerDay + micros);
}

/// Makes the error of a zone that nobody knows: a place is missed by its name, any other word is none at all.
Error no_zone(const Type& type, const SqlTimestamp& sql_timestamp, const Error& error, std::string_view text) {
  if (error.sqlstate != "22023") {
    return error;
  }
  return fault_error(type, sql_timestamp.is_at_place ? DatetimeFault::kZoneName : DatetimeFault::kSyntax, {}, text);
}

Error place_not_supported(std::string_view text) {
  return not_supported("the name of a place as time zone is", text,
                       "leave it out: a timestamp without time zone ignores it");
}

/// An SQL timestamp beyond all clocks ignores the place that its text names, if there is such a place.
Result<void> check_place(const Type& type, const SqlTimestamp& sql_timestamp, std::string_view text,
                         const TimeZones* zones) {
  if (!sql_timestamp.is_at_place) {
    return {};
  }
  if (zones == nullptr) {
    return place_not_supported(text);
  }
  const Result<std::string> bound = bind_zone(sql_timestamp.zone, zones);
  return bound ? Result<void>() : no_zone(type, sql_timestamp, bound.error(), text);
}

/// Seconds east of UTC that a clock in the session's zone is at an SQL timestamp; null: UTC.
int64_t offset_at(const BoundZone* session, int64_t micros) {
  return session == nullptr ? 0 : session->offset_at(floor_div(micros, kMicrosPerSecond));
}

/// Gives what a clock in the session's zone shows.
std::optional<int64_t> local_now(std::optional<int64_t> now_us, const BoundZone* session) {
  return now_us ? std::optional(*now_us + offset_at(session, *now_us) * kMicrosPerSecond) : std::nullopt;
}

int64_t offset_of_clock(const BoundZone& zone, const SqlTimestamp& sql_timestamp) {
  return zone.offset_of_local(sql_timestamp.days * kSecondsPerDay + floor_div(sql_timestamp.micros, kMicrosPerSecond));
}

/// The SQL timestamp in its zone, or in the session's. A date or timestamp ignores it, if there is such a zone.
Result<SqlTimestamp> at_its_zone(const Type& type, SqlTimestamp sql_timestamp, std::string_view text,
                                 const TimeZones* zones, const BoundZone* session, std::optional<int64_t> now_us) {
  const bool has_zone = type.kind == TypeKind::kTimestampTz;
  const bool is_wanted = !sql_timestamp.zone.empty() && (has_zone || (sql_timestamp.is_at_place && zones != nullptr));
  if (is_wanted) {
    const Result<std::string> bound = bind_zone(sql_timestamp.zone, zones);
    if (!bound) {
      return no_zone(type, sql_timestamp, bound.error(), text);
    }
    const Result<BoundZone> zone = BoundZone::read(*bound);
    CHECK(static_cast<bool>(zone));
    sql_timestamp.offset = offset_of_clock(*zone, sql_timestamp);
  } else if (session != nullptr && sql_timestamp.refers == kNow) {
    sql_timestamp.offset =
        offset_at(session, *now_us);  // When a clock is put back it is known which of two SQL timestamps it is.
  } else if (session != nullptr && !sql_timestamp.has_zone) {
    sql_timestamp.offset = offset_of_clock(*session, sql_timestamp);
  }
  sql_timestamp.offset = has_zone ? sql_timestamp.offset : 0;
  return sql_timestamp;
}

/// So many digits, with zeros in front.
template <size_t kCount>
void put_digits(uint64_t number, char* at) {
  for (size_t digit = kCount; digit-- > 0; number /= 10) {
    at[digit] = static_cast<char>('0' + number % 10);
  }
}

void append_civil(const CivilDate& date, std::string& out) {
  constexpr int64_t kYearMax = 9'999;  // The year has four digits.
  const int64_t year = date.year > 0 ? date.year : 1 - date.year;
  char text[] = "0000-00-00";
  constexpr size_t kYearSize = 4;
  if (year <= kYearMax) {
    put_digits<kYearSize>(static_cast<uint64_t>(year), text);
  }
  put_digits<2>(date.month, text + 5);
  put_digits<2>(date.day, text + 8);
  if (year > kYearMax) {
    append_integer(year, out);
  }
  out.append(text + (year > kYearMax ? kYearSize : 0));
}

std::string_view era_of(const CivilDate& date) { return date.year > 0 ? "" : " BC"; }

void append_infinity(bool is_early, std::string& out) { out.append(is_early ? "-infinity" : "infinity"); }

/// +02, +05:30 or -00:25:21.
void append_offset(int64_t seconds, std::string& out) {
  const auto size = static_cast<uint64_t>(seconds < 0 ? -seconds : seconds);
  char text[] = "+00:00:00";
  text[0] = seconds < 0 ? '-' : '+';
  put_digits<2>(size / 3'600, text + 1);
  put_digits<2>(size / 60 % 60, text + 4);
  put_digits<2>(size % 60, text + 7);
  constexpr size_t kHours = 3;
  constexpr size_t kMinutes = 6;
  out.append(text, size % 60 != 0 ? sizeof(text) - 1 : size % 3'600 != 0 ? kMinutes : kHours);
}

/// offset: of the zone's clocks, in seconds, which stands before the era; nothing: no zone is shown.
void append_datetime(int64_t micros, std::optional<int64_t> offset, std::string& out) {
  const int64_t days = floor_div(micros, kMicrosPerDay);
  const CivilDate date = civil_from_days(days);
  append_civil(date, out);
  out.push_back(' ');
  append_time(floor_mod(micros, kMicrosPerDay), out);
  if (offset) {
    append_offset(*offset, out);
  }
  out.append(era_of(date));
}

}  // namespace

Result<Value> parse_datetime(const Type& type, std::string_view text, std::optional<int64_t> now_us,
                             const TimeZones* zones, const BoundZone* zone, DateOrder order) {
  const bool is_date = type.kind == TypeKind::kDate;
  const auto fields = split_datetime(text, is_date ? kDateCharactersMax : kTimestampCharactersMax);
  if (!fields) {
    return fault_error(type, DatetimeFault::kSyntax, {}, text);
  }
  DatetimeDecoder decoder(local_now(now_us, zone), order);
  const DatetimeFault fault = decoder.decode(*fields);
  const SqlTimestamp& sql_timestamp = decoder.sql_timestamp();
  if (fault != DatetimeFault::kNone) {
    return fault_error(type, fault, sql_timestamp.refers, text);
  }
  if (sql_timestamp.kind != SqlTimestamp::Kind::kFinite) {
    if (const Result<void> known = check_place(type, sql_timestamp, text, zones); !known) {
      return known.error();
    }
  }
  switch (sql_timestamp.kind) {
    case SqlTimestamp::Kind::kEpoch:
      return Value(int64_t{0});
    case SqlTimestamp::Kind::kLate:
    case SqlTimestamp::Kind::kEarly:
      return Value(infinity_of(type.kind, sql_timestamp.kind == SqlTimestamp::Kind::kEarly));
    case SqlTimestamp::Kind::kFinite:
      break;
  }
  const Result<SqlTimestamp> placed = at_its_zone(type, sql_timestamp, text, zones, zone, now_us);
  if (!placed) {
    return placed.error();
  }
  Result<Value> value = is_date ? date_value(type, *placed, text) : timestamp_value(type, *placed, text);
  if (value && sql_timestamp.is_at_place && zones == nullptr) {
    return place_not_supported(text);
  }
  return value;
}

Result<Value> parse_time(std::string_view text, std::optional<int64_t> now_us, const BoundZone* zone, DateOrder order) {
  constexpr Type kTime{TypeKind::kTime};
  const auto fields = split_datetime(text, kDateCharactersMax);
  if (!fields) {
    return fault_error(kTime, DatetimeFault::kSyntax, {}, text);
  }
  DatetimeDecoder decoder(local_now(now_us, zone), order);
  const DatetimeFault fault = decoder.decode_time(*fields);
  const SqlTimestamp& sql_timestamp = decoder.sql_timestamp();
  if (fault != DatetimeFault::kNone) {
    return fault_error(kTime, fault, sql_timestamp.refers, text);
  }
  if (sql_timestamp.is_at_place) {
    return not_supported("the name of a time zone is", text, "leave it out: a time without time zone ignores it");
  }
  return Value(sql_timestamp.micros);
}

void append_date(int64_t days, std::string& out) {
  if (is_infinite_date(days)) {
    return append_infinity(days < 0, out);
  }
  const CivilDate date = civil_from_days(days);
  append_civil(date, out);
  out.append(era_of(date));
}

void append_time(int64_t micros, std::string& out) {
  const auto seconds = static_cast<uint64_t>(micros / kMicrosPerSecond);
  const auto fraction = static_cast<uint64_t>(micros % kMicrosPerSecond);
  char text[] = "00:00:00.000000";
  put_digits<2>(seconds / 3'600, text);
  put_digits<2>(seconds / 60 % 60, text + 3);
  put_digits<2>(seconds % 60, text + 6);
  size_t size = 8;
  if (fraction != 0) {
    put_digits<6>(fraction, text + 9);
    for (size = sizeof(text) - 1; text[size - 1] == '0'; --size) {
    }
  }
  out.append(text, size);
}

void append_timestamp(int64_t micros, std::string& out) {
  if (is_infinite_timestamp(micros)) {
    return append_infinity(micros < 0, out);
  }
  append_datetime(micros, std::nullopt, out);
}

void append_timestamptz(int64_t micros, std::string& out, const BoundZone* zone) {
  if (is_infinite_timestamp(micros)) {
    return append_infinity(micros < 0, out);
  }
  const int64_t offset = offset_at(zone, micros);
  append_datetime(micros + offset * kMicrosPerSecond, offset, out);
}

}  // namespace daedalus::semantics

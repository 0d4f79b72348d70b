// to_date() and to_timestamp() of a text: what a template reads out of it, as PostgreSQL's formatting.c does under the
// C locale. Fields are read one after the other (datetime_scanner.hpp) and put together here.
#include <fmt/format.h>

#include <optional>

#include "adder.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "datetime_scanner.hpp"
#include "time_fields.hpp"
#include "timestamptz_functions.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

struct DatetimeRead {
  int64_t days = 0;
  int64_t micros = 0;                   ///< They count from the beginning of the day.
  std::optional<int64_t> zone_seconds;  ///< East of UTC, where it says that.
  int fraction_digits = 0;
};

Error out_of_range_text(std::string_view text) {
  return rejected("22008", fmt::format("date/time field value out of range: \"{}\"", text));
}

/// Puts together what a text says.
class Assembler {
 public:
  Assembler(const TemplateFields& fields, std::string_view text) : fields_(fields), text_(text) {}

  Result<DatetimeRead> made() {
    if (auto done = take_time(); !done) {
      return done.error();
    }
    take_year();
    take_days();
    if (auto done = take_day_of_year(); !done) {
      return done.error();
    }
    if (!is_valid()) {
      return out_of_range_text(text_);
    }
    DatetimeRead sql_timestamp;
    sql_timestamp.days = days_from_civil({year_, static_cast<uint32_t>(month_), 1}) + day_ - 1;
    const int64_t fraction = fields_.millis * 1'000 + fields_.micros;
    if (hour_ < 0 || hour_ > 23 || minute_ < 0 || minute_ > 59 || second_ < 0 || second_ > 59 || fraction < 0 ||
        fraction >= kMicrosPerSecond) {
      return out_of_range_text(text_);
    }
    sql_timestamp.micros = ((hour_ * 60 + minute_) * 60 + second_) * kMicrosPerSecond + fraction;
    if (fields_.zone_sign != 0) {
      constexpr int64_t kZoneHoursMax = 15;
      if (fields_.zone_hours < 0 || fields_.zone_hours > kZoneHoursMax || fields_.zone_minutes < 0 ||
          fields_.zone_minutes > 59) {
        return rejected("22009", fmt::format("time zone displacement out of range: \"{}\"", text_));
      }
      sql_timestamp.zone_seconds = fields_.zone_sign * (fields_.zone_hours * 60 + fields_.zone_minutes) * 60;
    }
    sql_timestamp.fraction_digits = fields_.fraction_digits;
    return sql_timestamp;
  }

 private:
  Result<void> take_time() {
    if (fields_.second_of_day != 0) {
      hour_ = fields_.second_of_day / 3'600;
      minute_ = fields_.second_of_day % 3'600 / 60;
      second_ = fields_.second_of_day % 60;
    }
    second_ = fields_.second != 0 ? fields_.second : second_;
    minute_ = fields_.minute != 0 ? fields_.minute : minute_;
    hour_ = fields_.hour != 0 ? fields_.hour : hour_;
    if (!fields_.is_twelve_hours) {
      return {};
    }
    if (hour_ < 1 || hour_ > 12) {
      return rejected("22007", fmt::format("hour \"{}\" is invalid for the 12-hour clock", hour_),
                      "Use the 24-hour clock, or give an hour between 1 and 12.");
    }
    hour_ = hour_ % 12 + (fields_.is_afternoon != 0 ? 12 : 0);
    return {};
  }

  void take_year() {
    const bool is_before = fields_.is_before_christ != 0;
    const int64_t century = is_before ? -fields_.century : fields_.century;
    if (fields_.year != 0) {
      has_year_ = true;
      if (fields_.century != 0 && fields_.year_digits <= 2) {
        year_ = fields_.year % 100;
        if (year_ != 0) {
          year_ = century >= 0 ? year_ + (century - 1) * 100 : (century + 1) * 100 - year_ + 1;
        } else {
          year_ = century * 100 + (century >= 0 ? 0 : 1);
        }
        return;
      }
      year_ = is_before ? -fields_.year : fields_.year;
      year_ += year_ < 0 ? 1 : 0;
    } else if (fields_.century != 0) {
      has_year_ = true;
      year_ = (century >= 0 ? century - 1 : century) * 100 + 1;
    }
  }

  void set_date(int64_t days) {
    const CivilDate date = civil_from_days(days);
    year_ = date.year;
    month_ = date.month;
    day_ = date.day;
    has_year_ = has_month_ = has_day_ = true;
  }

  void take_days() {
    day_of_year_ = fields_.day_of_year;
    if (fields_.julian != 0) {
      set_date(fields_.julian - kJulianDayOf1970);
    }
    if (fields_.week != 0 && fields_.calendar == Calendar::kIso) {
      const int64_t monday = iso_year_start(year_) + (fields_.week - 1) * 7;
      // From Sunday as 1: it ends the week.
      const int64_t behind = fields_.weekday == 0 ? 0 : fields_.weekday > 1 ? fields_.weekday - 2 : 6;
      set_date(monday + behind);
    } else if (fields_.week != 0) {
      day_of_year_ = (fields_.week - 1) * 7 + 1;
    }
    const int64_t day = fields_.week_of_month != 0 ? (fields_.week_of_month - 1) * 7 + 1 : fields_.day;
    if (day != 0) {
      day_ = day;
      has_day_ = true;
    }
    if (fields_.month != 0) {
      month_ = fields_.month;
      has_month_ = true;
    }
  }

  Result<void> take_day_of_year() {
    if (day_of_year_ == 0 || (month_ > 1 && day_ > 1)) {
      return {};
    }
    if (year_ == 0 && fields_.is_before_christ == 0) {
      return rejected("22007", "cannot calculate day of year without year information");
    }
    if (fields_.calendar == Calendar::kIso) {
      set_date(iso_year_start(year_) - 1 + day_of_year_);
      return {};
    }
    int64_t month = 1;
    int64_t before = 0;
    while (month <= 12 && day_of_year_ > before + days_in_month(year_, static_cast<uint32_t>(month))) {
      before += days_in_month(year_, static_cast<uint32_t>(month));
      ++month;
    }
    month_ = month_ <= 1 ? month : month_;
    day_ = day_ <= 1 ? day_of_year_ - before : day_;
    has_month_ = has_day_ = true;
    return {};
  }

  [[nodiscard]] bool is_valid() const {
    if ((has_month_ && (month_ < 1 || month_ > 12)) || (has_day_ && (day_ < 1 || day_ > 31))) {
      return false;
    }
    return !(has_year_ && has_month_ && has_day_) || day_ <= days_in_month(year_, static_cast<uint32_t>(month_));
  }

  const TemplateFields& fields_;
  std::string_view text_;
  int64_t hour_ = 0;
  int64_t minute_ = 0;
  int64_t second_ = 0;
  int64_t year_ = 0;
  int64_t month_ = 1;
  int64_t day_ = 1;
  int64_t day_of_year_ = 0;
  bool has_year_ = false;
  bool has_month_ = false;
  bool has_day_ = false;
};

Result<DatetimeRead> timestamp_of(Arguments arguments) {
  const std::string& given = text(arguments[0]);
  const Result<TemplateFields> fields = scan_datetime(given, text(arguments[1]));
  return fields ? Assembler(*fields, given).made() : fields.error();
}

Result<Value> to_date(Arguments arguments, const BoundExpression&) {
  const Result<DatetimeRead> sql_timestamp = timestamp_of(arguments);
  if (!sql_timestamp) {
    return sql_timestamp.error();
  }
  if (sql_timestamp->days < kComputedDaysMin || sql_timestamp->days > kDateDaysMax) {
    return rejected("22008", fmt::format("date out of range: \"{}\"", text(arguments[0])));
  }
  return Value(sql_timestamp->days);
}

/// Seconds east of UTC, as the text says or the zone's clocks are; null: UTC.
Result<int64_t> zone_offset_of(const DatetimeRead& sql_timestamp, const Value* zone) {
  if (sql_timestamp.zone_seconds || zone == nullptr) {
    return sql_timestamp.zone_seconds.value_or(0);
  }
  const Result<BoundZone> bound = BoundZone::read(text(*zone));
  return bound ? Result<int64_t>(bound->offset_of_local(sql_timestamp.days * kSecondsPerDay +
                                                        sql_timestamp.micros / kMicrosPerSecond))
               : bound.error();
}

Result<Value> to_timestamp_by_template(Arguments arguments, const BoundExpression&) {
  return read_by_template(arguments, nullptr);
}

}  // namespace

Result<Value> read_by_template(Arguments arguments, const Value* zone) {
  const Result<DatetimeRead> sql_timestamp = timestamp_of(arguments);
  const Result<int64_t> offset = sql_timestamp ? zone_offset_of(*sql_timestamp, zone) : sql_timestamp.error();
  if (!offset) {
    return offset.error();
  }
  __int128 micros = __int128{sql_timestamp->days} * kMicrosPerDay + sql_timestamp->micros - *offset * kMicrosPerSecond;
  if (sql_timestamp->fraction_digits > 0) {
    int64_t unit = 1;
    for (int digits = sql_timestamp->fraction_digits; digits < 6; ++digits) {
      unit *= 10;
    }
    const __int128 since = micros - __int128{946'684'800} * kMicrosPerSecond;
    const __int128 half = unit / 2;
    const __int128 rounded = since >= 0 ? (since + half) / unit * unit : -((-since + half) / unit * unit);
    micros += rounded - since;
  }
  if (micros < kComputedMicrosMin || micros > kTimestampMicrosMax) {
    return rejected("22008", "timestamp out of range");
  }
  return Value(static_cast<int64_t>(micros));
}

void add_text_datetimes(Functions& functions) {
  Adder adder(functions);
  adder.add(1610, "to_date", {kText, kText}, TypeKind::kDate, to_date);
  adder.is_stable();
  adder.add(1611, "to_timestamp", {kText, kText}, TypeKind::kTimestampTz, to_timestamp_by_template);
  adder.is_stable();
}

}  // namespace daedalus::semantics::scalar

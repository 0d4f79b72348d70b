// to_char() of SQL timestamps: what a template of dates and times says, as PostgreSQL's formatting.c reads it under the
// C locale.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adder.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "datetime_template.hpp"
#include "number_template.hpp"
#include "time_fields.hpp"
#include "timestamptz_functions.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

/// An SQL timestamp in parts, as a clock and a calendar show it.
struct ShownSqlTimestamp {
  /// By a clock so many seconds east of UTC, which is the only zone whose name is known.
  explicit ShownSqlTimestamp(int64_t micros, std::string_view zone_name, int64_t east = 0)
      : days(floor_div(micros, kMicrosPerDay)),
        date(civil_from_days(days)),
        of_day((micros - days * kMicrosPerDay) / kMicrosPerSecond),
        fraction((micros - days * kMicrosPerDay) % kMicrosPerSecond),
        zone(zone_name),
        offset(east) {}

  int64_t days;
  CivilDate date;
  int64_t of_day;         ///< Seconds.
  int64_t fraction;       ///< Microseconds.
  std::string_view zone;  ///< Its name.
  int64_t offset;         ///< Seconds.

  [[nodiscard]] int64_t year() const { return of_era(date.year); }
  [[nodiscard]] int64_t iso_year() const { return of_era(iso_year_of(days, date.year)); }
  [[nodiscard]] int64_t day_of_year() const { return days - days_from_civil({date.year, 1, 1}) + 1; }
  /// The year 0 is 1 BC, and shown as 1.
  [[nodiscard]] static int64_t of_era(int64_t year) { return year > 0 ? year : 1 - year; }
};

class SqlTimestampWriter {
 public:
  /// room: an empty text, which it writes to.
  SqlTimestampWriter(const ShownSqlTimestamp& shown, std::string room) : shown_(shown), made_(std::move(room)) {}

  [[nodiscard]] std::string written(std::string_view text) {
    DatetimePieces pieces(text);
    for (auto piece = pieces.next(); piece && made_.size() <= kStringLengthMax; piece = pieces.next()) {
      if (piece->role == DatetimeRole::kField) {
        put_field(*piece);
      } else {
        made_ += piece->text;
      }
    }
    return std::move(made_);
  }
  /// Says whether the zone's name was asked for.
  [[nodiscard]] bool wants_name() const { return wants_name_; }

 private:
  void put_field(const DatetimePiece& piece) {
    is_bare_ = piece.is_bare || piece.is_localised;
    is_filled_ = !piece.is_bare;
    const size_t begin = made_.size();
    const bool is_number = put(piece.pattern);
    if (is_number && !piece.ordinal.empty()) {
      append_with_letters(ordinal_of(std::string_view(made_).substr(begin)),
                          piece.ordinal == "TH" ? Letters::kUpper : Letters::kLower, made_);
    }
  }

  /// Says whether that is a number, which may be an ordinal one.
  bool number(int64_t value, int width) {
    append_padded(value, is_filled_ ? width : 1, made_);
    return true;
  }
  bool word(std::string_view name, Letters letters, size_t width = 0) {
    append_with_letters(name, letters, made_);
    made_.append(width - std::min(width, name.size()), ' ');
    return false;
  }

  bool put(const DatetimePattern& pattern) {
    switch (pattern.item) {
      case DatetimeItem::kEraDots:
        return word(shown_.date.year > 0 ? "A.D." : "B.C.", pattern.letters);
      case DatetimeItem::kEra:
        return word(shown_.date.year > 0 ? "AD" : "BC", pattern.letters);
      case DatetimeItem::kMeridianDots:
        return word(hour() >= 12 ? "P.M." : "A.M.", pattern.letters);
      case DatetimeItem::kMeridian:
        return word(hour() >= 12 ? "PM" : "AM", pattern.letters);
      case DatetimeItem::kDayName:
        return word(kWeekdays[day_of_week(shown_.days)], pattern.letters, is_bare_ ? 0 : kLongNameWidth);
      case DatetimeItem::kDayShort:
        return word(kWeekdays[day_of_week(shown_.days)].substr(0, kShortName), pattern.letters);
      case DatetimeItem::kMonthName:
        return word(kMonths[shown_.date.month - 1], pattern.letters, is_bare_ ? 0 : kLongNameWidth);
      case DatetimeItem::kMonthShort:
        return word(kMonths[shown_.date.month - 1].substr(0, kShortName), pattern.letters);
      case DatetimeItem::kMonthRoman:
        return word(kRomans[shown_.date.month - 1], pattern.letters, is_filled_ ? kRomanWidth : 0);
      case DatetimeItem::kZoneName:
        wants_name_ = true;
        return word(shown_.zone, pattern.letters);
      case DatetimeItem::kZoneOffset:
        put_offset();
        return false;
      case DatetimeItem::kZoneHours:
        made_ += sign();
        append_padded(std::abs(shown_.offset) / 3'600, 2, made_);
        return false;
      case DatetimeItem::kZoneMinutes:
        append_padded(std::abs(shown_.offset) / 60 % 60, 2, made_);
        return false;
      case DatetimeItem::kNothing:
        return false;
      default:
        return put_of_time(pattern.item) || put_of_date(pattern.item) || put_of_year(pattern.item);
    }
  }

  [[nodiscard]] char sign() const { return shown_.offset < 0 ? '-' : '+'; }

  void put_offset() {
    const int64_t minutes = std::abs(shown_.offset) / 60;
    made_ += sign();
    append_padded(minutes / 60, is_filled_ ? 2 : 1, made_);
    if (minutes % 60 != 0) {
      made_ += ':';
      append_padded(minutes % 60, 2, made_);
    }
  }

  [[nodiscard]] int64_t hour() const { return shown_.of_day / 3'600; }

  bool put_of_time(DatetimeItem item) {
    switch (item) {
      case DatetimeItem::kFraction1:
        return fraction(1);
      case DatetimeItem::kFraction2:
        return fraction(2);
      case DatetimeItem::kFraction3:
        return fraction(3);
      case DatetimeItem::kFraction4:
        return fraction(4);
      case DatetimeItem::kFraction5:
        return fraction(5);
      case DatetimeItem::kFraction6:
        return fraction(6);
      case DatetimeItem::kHour24:
        return number(hour(), 2);
      case DatetimeItem::kHour12:
        return number(hour() % 12 == 0 ? 12 : hour() % 12, 2);
      case DatetimeItem::kMinute:
        return number(shown_.of_day / 60 % 60, 2);
      case DatetimeItem::kSecond:
        return number(shown_.of_day % 60, 2);
      case DatetimeItem::kSecondOfDay:
        return number(shown_.of_day, 1);
      default:
        return false;
    }
  }

  /// So many digits of the second's fraction, whatever is before the pattern.
  bool fraction(int digits) {
    int64_t value = shown_.fraction;
    for (int dropped = 6; dropped > digits; --dropped) {
      value /= 10;
    }
    append_padded(value, digits, made_);
    return true;
  }

  bool put_of_date(DatetimeItem item) {
    switch (item) {
      case DatetimeItem::kDay:
        return number(shown_.date.day, 2);
      case DatetimeItem::kDayOfYear:
        return number(shown_.day_of_year(), 3);
      case DatetimeItem::kDayOfWeek:
        return number(day_of_week(shown_.days) + 1, 1);
      case DatetimeItem::kIsoDayOfWeek:
        return number(day_of_week(shown_.days) == 0 ? 7 : day_of_week(shown_.days), 1);
      case DatetimeItem::kIsoDayOfYear:
        return number(shown_.days - iso_year_start(iso_year_of(shown_.days, shown_.date.year)) + 1, 3);
      case DatetimeItem::kIsoWeek:
        return number((shown_.days - iso_year_start(iso_year_of(shown_.days, shown_.date.year))) / 7 + 1, 2);
      case DatetimeItem::kJulian:
        return number(shown_.days + kJulianDayOf1970, 1);
      case DatetimeItem::kMonth:
        return number(shown_.date.month, 2);
      case DatetimeItem::kQuarter:
        return number((shown_.date.month - 1) / 3 + 1, 1);
      case DatetimeItem::kWeek:
        return number((shown_.day_of_year() - 1) / 7 + 1, 2);
      case DatetimeItem::kWeekOfMonth:
        return number((shown_.date.day - 1) / 7 + 1, 1);
      default:
        return false;
    }
  }

  bool put_of_year(DatetimeItem item) {
    const int64_t year = shown_.year();
    switch (item) {
      case DatetimeItem::kCentury:
        return century();
      case DatetimeItem::kYearComma:
        append_padded(year / 1'000, 1, made_);
        made_ += ',';
        append_padded(year % 1'000, 3, made_);
        return true;
      case DatetimeItem::kYear:
        return number(year, 4);
      case DatetimeItem::kYear3:
        return number(year % 1'000, 3);
      case DatetimeItem::kYear2:
        return number(year % 100, 2);
      case DatetimeItem::kYear1:
        return number(year % 10, 1);
      case DatetimeItem::kIsoYear:
        return number(shown_.iso_year(), 4);
      case DatetimeItem::kIsoYear3:
        return number(shown_.iso_year() % 1'000, 3);
      case DatetimeItem::kIsoYear2:
        return number(shown_.iso_year() % 100, 2);
      default:
        return number(shown_.iso_year() % 10, 1);
    }
  }

  /// Negative before Christ, with a sign that takes a place of its own.
  bool century() {
    const int64_t year = shown_.date.year;
    return year > 0 ? number((year - 1) / 100 + 1, 2) : number(year / 100 - 1, 3);
  }

  static constexpr size_t kLongNameWidth = 9;
  static constexpr size_t kRomanWidth = 4;

  const ShownSqlTimestamp& shown_;
  std::string made_;
  bool wants_name_ = false;
  bool is_bare_ = false;   ///< FM or TM make the pattern at hand bare: names without blanks behind them,
  bool is_filled_ = true;  ///< but by FM: numbers with zeros before them.
};

/// `room`: an empty text, which becomes the value.
Result<Value> written(const ShownSqlTimestamp& shown, bool is_name_known, const std::string& format, std::string room) {
  if (format.empty()) {
    return Value();  // As PostgreSQL says it.
  }
  SqlTimestampWriter writer(shown, std::move(room));
  std::string made = writer.written(format);
  if (writer.wants_name() && !is_name_known) {
    return rejected("0A000", "to_char() with the pattern TZ is not supported in a time zone other than UTC",
                    "OF, TZH and TZM say its offset");
  }
  return fit_text(std::move(made));
}

template <bool kHasZone>
Result<Value> datetime_as_text(Arguments arguments, const BoundExpression&) {
  if (is_infinite_timestamp(integer(arguments[0]))) {
    return Value();  // As PostgreSQL says it.
  }
  return written(ShownSqlTimestamp(integer(arguments[0]), kHasZone ? "UTC" : ""), true, text(arguments[1]),
                 arguments.spare_text());
}

}  // namespace

Result<Value> written_at_offset(int64_t sql_timestamp, int64_t offset, const std::string& format, std::string room) {
  return written(ShownSqlTimestamp(sql_timestamp + offset * kMicrosPerSecond, "", offset), false, format,
                 std::move(room));
}

/// It is what the template says of a long name's day, and more digits and letters where other SQL timestamps have them,
/// two for a character at most.
Type type_of_written(Expressions arguments) {
  constexpr int64_t kWednesdayInSeptember = 1'790'812'799'999'999;
  const BoundExpression& format = arguments[1];
  if (!format.is_constant() || is_null(format.value)) {
    return text_of(kStringLengthMax);
  }
  const std::string& given = text(format.value);
  return text_of(SqlTimestampWriter(ShownSqlTimestamp(kWednesdayInSeptember, "UTC"), {}).written(given).size() +
                 2 * given.size());
}

void add_datetime_texts(Functions& functions) {
  Adder adder(functions);
  adder.add(1350, "to_char", {TypeKind::kTimestamp, kText}, kText, datetime_as_text<false>, type_of_written);
  adder.is_stable();
  adder.may_be_null();
  adder.add(1351, "to_char", {TypeKind::kTimestampTz, kText}, kText, datetime_as_text<true>, type_of_written);
  adder.is_stable();
  adder.may_be_null();
}

}  // namespace daedalus::semantics::scalar

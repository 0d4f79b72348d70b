// Fields of a date or timestamp put together: the second half of reading it as PostgreSQL does.
//
// Decides which part of an SQL timestamp each field is: that depends on what came before it, on its length, on labels
// and month names beside it and on the session's order. Refuses to know the types' ranges, and which offset a zone that
// is named has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/semantics/date_order.hpp"
#include "datetime_fields.hpp"
#include "datetime_words.hpp"

namespace daedalus::semantics {

enum class DatetimeFault : uint8_t {
  kNone,
  kSyntax,
  kField,       ///< A part is out of range.
  kZoneOffset,  ///< The offset of a time zone is out of range.
  kZoneName,    ///< No time zone has this name.
  kNoClock,     ///< Today, now and the like where the time is not known.
};

/// An SQL timestamp is what a text says.
struct SqlTimestamp {
  enum class Kind : uint8_t { kFinite, kEpoch, kLate, kEarly };
  Kind kind = Kind::kFinite;
  int64_t days = 0;          ///< Since 1970-01-01.
  int64_t micros = 0;        ///< They count from the beginning of that day, and may lie beyond its end.
  bool is_at_place = false;  ///< Its time zone has a place's name; whether there is such a place is not known here.
  bool has_zone = false;     ///< It says which time zone it is in; `now` does.
  int64_t offset = 0;        ///< Its time zone is so many seconds east of UTC; 0 where it says none.
  std::string zone;          ///< Its time zone's name, in lower case, unless the offset is known here.
  std::string_view refers;   ///< To a word that means another SQL timestamp tomorrow; static storage. For kNoClock.
};

class DatetimeDecoder {
 public:
  /// now_us: what "now" means, in microseconds since 1970; nothing where that is not known.
  DatetimeDecoder(std::optional<int64_t> now_us, DateOrder order) : now_us_(now_us), order_(order) {}

  [[nodiscard]] DatetimeFault decode(const DatetimeFields& fields);
  /// A time of day: a date beside it is taken, and nothing is made of it. Of the SQL timestamp only micros mean
  /// something.
  [[nodiscard]] DatetimeFault decode_time(const DatetimeFields& fields);
  /// Gives what decode() or decode_time() made of the fields, if it found no fault.
  [[nodiscard]] const SqlTimestamp& sql_timestamp() const { return sql_timestamp_; }

 private:
  using Parts = uint32_t;  ///< A set of Part.
  enum Part : Parts {
    kYear = 1,
    kMonth = 1 << 1,
    kDay = 1 << 2,
    kDayOfYear = 1 << 3,
    kHour = 1 << 4,
    kMinute = 1 << 5,
    kSecond = 1 << 6,
    kFraction = 1 << 7,
    kZone = 1 << 8,
    kDaylightZone = 1 << 9,
    kDaylightModifier = 1 << 10,
    kMeridian = 1 << 11,
    kEra = 1 << 12,
    kWeekday = 1 << 13,
    kFarSqlTimestamp = 1 << 14,
    kChangingZone = 1 << 15,  ///< An abbreviation that has meant several offsets.
    kDate = kYear | kMonth | kDay,
    kTime = kHour | kMinute | kSecond | kFraction,
  };
  /// One field adds parts that must be new, or a fault.
  struct Found {
    Parts parts = 0;
    DatetimeFault fault = DatetimeFault::kNone;
  };
  static Found parts(Parts found) { return {found, DatetimeFault::kNone}; }
  static Found fault(DatetimeFault found) { return {0, found}; }
  static Found malformed() { return {0, DatetimeFault::kSyntax}; }

  [[nodiscard]] bool has(Parts wanted) const { return (seen_ & wanted) == wanted; }

  /// Takes all fields, each by `one`, joins what they add, and looks at the date and at AM and PM.
  using Take = Found (DatetimeDecoder::*)(const DatetimeFields& fields, size_t place);
  [[nodiscard]] DatetimeFault take_all(const DatetimeFields& fields, Take one);
  Found take(const DatetimeFields& fields, size_t place);
  Found take_date_field(std::string_view text);
  Found take_time_field(std::string_view text);
  Found take_number_field(const std::string& text);
  Found take_word(const DatetimeFields& fields, size_t place);
  Found take_known_word(DatetimeWord word, bool has_time_next);
  Found take_month_name(int month);

  // These read a time alone (datetime_time_decoder.cpp).
  Found take_of_time(const DatetimeFields& fields, size_t place);
  Found take_date_of_time(const DatetimeFields& fields, size_t place);
  Found take_number_of_time(const DatetimeFields& fields, size_t place);
  Found take_word_of_time(const DatetimeFields& fields, size_t place);
  Found take_known_word_of_time(DatetimeWord word, bool has_time_next);
  [[nodiscard]] DatetimeFault finish_time();

  Found take_labelled(std::string_view text);
  Found take_labelled_value(DatetimeLabel label, int64_t value, std::string_view fraction);
  Found take_julian_day_with_zone(std::string_view text);
  Found take_time_with_zone(std::string_view text);
  Found take_zone_name(std::string_view text);
  Found take_zone_offset(std::string_view text, Parts found);
  [[nodiscard]] std::optional<Found> take_zone_abbreviation(std::string_view text);
  /// The zone behind a time that it is run together with, and that time.
  Found read_time_with_zone(std::string_view text, size_t sign, Parts seen);

  /// hh:mm:ss.fff, hh:mm or mm:ss.fff, its hours as many as they are.
  Found read_time(std::string_view text);
  /// Numbers and month names with separators.
  Found read_date(std::string_view text);
  /// A number alone: part of a date by its length and by what is there already, or a time.
  Found read_number(std::string_view text, bool has_month_name, Parts seen);
  Found place_number(size_t size, int64_t value, bool has_month_name, Parts seen);
  /// yymmdd, yyyymmdd, hhmmss or hhmm, run together.
  Found read_run_together(std::string_view text, Parts seen);

  Found set_now(Parts set, int64_t days);
  void set_julian_day(int64_t day);
  /// Says whether the next field is one that a time can be in.
  [[nodiscard]] static bool has_time_next(const DatetimeFields& fields, size_t place);
  [[nodiscard]] int64_t micros_of_day() const;
  /// "dst" where no standard time of a known offset stands beside it.
  [[nodiscard]] bool has_misplaced_modifier() const;
  [[nodiscard]] DatetimeFault check_date();
  [[nodiscard]] DatetimeFault check_year();
  [[nodiscard]] DatetimeFault apply_meridian();
  [[nodiscard]] DatetimeFault finish();

  std::optional<int64_t> now_us_;
  DateOrder order_;
  Parts seen_ = 0;
  DatetimeLabel label_ = DatetimeLabel::kNone;  ///< It labels the number to come.
  bool has_month_name_ = false;
  bool has_zone_name_ = false;
  bool is_julian_ = false;
  bool has_short_year_ = false;  ///< The year has one or two digits: 1970 to 2069.
  bool is_before_christ_ = false;
  std::optional<bool> is_afternoon_;

  int64_t year_ = 0;
  int64_t month_ = 0;
  int64_t day_ = 0;
  int64_t day_of_year_ = 0;
  int64_t hour_ = 0;
  int64_t minute_ = 0;
  int64_t second_ = 0;
  int64_t micros_ = 0;
  SqlTimestamp sql_timestamp_;
};

}  // namespace daedalus::semantics

// to_char() of intervals. What only a date has is refused as PostgreSQL refuses it; ISO's years and weeks are those of
// a day that years, months and days of the interval would name, however odd.
#include <algorithm>
#include <cstdlib>

#include "adder.hpp"
#include "datetime_template.hpp"
#include "number_template.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

/// PostgreSQL's number of a day, which goes on where months and days are out of their calendar.
int64_t day_number(int64_t year, int64_t month, int64_t day) {
  const int64_t months = month > 2 ? month + 1 : month + 13;
  const int64_t years = year + (month > 2 ? 4'800 : 4'799);
  return years * 365 - 32'167 + years / 4 - years / 100 + years / 400 + 7'834 * months / 256 + day;
}

/// The Monday of an ISO year's first week.
int64_t first_monday(int64_t year) {
  const int64_t fourth = day_number(year, 1, 4);
  const int64_t weekday = fourth % 7;  // From Monday.
  return fourth - (weekday < 0 ? weekday + 7 : weekday);
}

struct Parts {
  explicit Parts(const Interval& interval)
      : year(interval.months / kMonthsPerYear),
        month(interval.months % kMonthsPerYear),
        day(interval.days),
        hour(interval.micros / (3'600 * kMicrosPerSecond)),
        minute(interval.micros / (60 * kMicrosPerSecond) % 60),
        second(interval.micros / kMicrosPerSecond % 60),
        fraction(interval.micros % kMicrosPerSecond),
        day_of_year((year * kMonthsPerYear + month) * kDaysPerMonth + day) {}

  int64_t year;
  int64_t month;
  int64_t day;
  int64_t hour;
  int64_t minute;
  int64_t second;
  int64_t fraction;
  int64_t day_of_year;

  [[nodiscard]] int64_t iso_year() const {
    const int64_t number = day_number(year, month, day);
    if (number < first_monday(year)) {
      return year - 1;
    }
    const bool is_late = (number - first_monday(year)) / 7 + 1 >= 52;
    return is_late && number >= first_monday(year + 1) ? year + 1 : year;
  }
  [[nodiscard]] int64_t iso_day() const { return day_number(year, month, day) - first_monday(iso_year()) + 1; }
};

Error no_date() {
  return rejected("22007", "invalid format specification for an interval value",
                  "Intervals are not tied to specific calendar dates.");
}

class IntervalWriter {
 public:
  /// room: an empty text, which it writes to.
  IntervalWriter(const Interval& interval, std::string room) : parts_(interval), made_(std::move(room)) {}

  Result<Value> written(std::string_view format) {
    DatetimePieces pieces(format);
    while (const std::optional<DatetimePiece> piece = pieces.next()) {
      if (piece->role != DatetimeRole::kField) {
        made_ += piece->text;
        continue;
      }
      if (!put_field(*piece)) {
        return no_date();
      }
      if (made_.size() > kStringLengthMax) {
        return too_long();
      }
    }
    return Value(std::move(made_));
  }

 private:
  /// False: only a date has it.
  bool put_field(const DatetimePiece& piece) {
    is_bare_ = piece.is_bare;
    const size_t begin = made_.size();
    if (!put(piece)) {
      return false;
    }
    if (!piece.ordinal.empty() && made_.size() > begin && has_ordinal_) {
      append_with_letters(ordinal_of(std::string_view(made_).substr(begin)),
                          piece.ordinal == "TH" ? Letters::kUpper : Letters::kLower, made_);
    }
    return true;
  }

  /// So many digits; `sign` says whether there is one more place, for a minus.
  bool number(int64_t value, int width, int64_t sign) {
    append_padded(value, is_bare_ ? 1 : width + (sign < 0 ? 1 : 0), made_);
    has_ordinal_ = true;
    return true;
  }
  bool number(int64_t value, int width) { return number(value, width, value); }

  bool word(std::string_view name, Letters letters, size_t width = 0) {
    append_with_letters(name, letters, made_);
    made_.append(is_bare_ ? 0 : width - std::min(width, name.size()), ' ');
    has_ordinal_ = false;
    return true;
  }

  bool fraction(int digits) {
    int64_t value = parts_.fraction;
    for (int dropped = 6; dropped > digits; --dropped) {
      value /= 10;
    }
    append_padded(value, digits, made_);
    has_ordinal_ = true;
    return true;
  }

  bool put(const DatetimePiece& piece) {
    const DatetimePattern& pattern = piece.pattern;
    if (pattern.item >= DatetimeItem::kFraction1 && pattern.item <= DatetimeItem::kFraction6) {
      return fraction(static_cast<int>(pattern.item) - static_cast<int>(DatetimeItem::kFraction1) + 1);
    }
    switch (pattern.item) {
      case DatetimeItem::kNothing:
        return true;
      case DatetimeItem::kMeridian:
        return word(parts_.hour % 24 >= 12 ? "PM" : "AM", pattern.letters);
      case DatetimeItem::kMeridianDots:
        return word(parts_.hour % 24 >= 12 ? "P.M." : "A.M.", pattern.letters);
      case DatetimeItem::kMonthRoman:
        return roman(pattern.letters);
      case DatetimeItem::kHour24:
        return number(parts_.hour, 2);
      case DatetimeItem::kHour12:
        return number(parts_.hour % 12 == 0 ? 12 : parts_.hour % 12, 2, parts_.hour);
      case DatetimeItem::kMinute:
        return number(parts_.minute, 2);
      case DatetimeItem::kSecond:
        return number(parts_.second, 2);
      case DatetimeItem::kSecondOfDay:
        return number((parts_.hour * 60 + parts_.minute) * 60 + parts_.second, 1, 0);
      default:
        return put_of_days(pattern.item);
    }
  }

  bool put_of_days(DatetimeItem item) {
    switch (item) {
      case DatetimeItem::kDay:
        return number(parts_.day, 2);
      case DatetimeItem::kDayOfYear:
        return number(parts_.day_of_year, 3, 0);
      case DatetimeItem::kIsoDayOfYear:
        return number(parts_.iso_day(), 3, 0);
      case DatetimeItem::kWeek:
        return number((parts_.day_of_year - 1) / 7 + 1, 2, 0);
      case DatetimeItem::kWeekOfMonth:
        return number((parts_.day - 1) / 7 + 1, 1, 0);
      case DatetimeItem::kIsoWeek:
        return number((parts_.iso_day() - 1) / 7 + 1, 2, 0);
      case DatetimeItem::kJulian:
        return number(day_number(parts_.year, parts_.month, parts_.day), 1, 0);
      case DatetimeItem::kMonth:
        return number(parts_.month, 2);
      case DatetimeItem::kQuarter:
        return parts_.month == 0 || number((parts_.month - 1) / 3 + 1, 1, 0);
      default:
        return put_of_years(item);
    }
  }

  bool put_of_years(DatetimeItem item) {
    const int64_t year = parts_.year;
    switch (item) {
      case DatetimeItem::kCentury:
        return number(year / 100, std::abs(year / 100) <= 99 ? 2 : 1);
      case DatetimeItem::kYearComma:
        append_padded(year / 1'000, 1, made_);
        made_ += ',';
        append_padded(year % 1'000, 3, made_);
        has_ordinal_ = true;
        return true;
      case DatetimeItem::kYear:
        return number(year, 4);
      case DatetimeItem::kYear3:
        return number(year % 1'000, 3, year);
      case DatetimeItem::kYear2:
        return number(year % 100, 2, year);
      case DatetimeItem::kYear1:
        return number(year % 10, 1, 0);
      case DatetimeItem::kIsoYear:
        return number(parts_.iso_year(), 4, year);
      case DatetimeItem::kIsoYear3:
        return number(parts_.iso_year() % 1'000, 3, year);
      case DatetimeItem::kIsoYear2:
        return number(parts_.iso_year() % 100, 2, year);
      case DatetimeItem::kIsoYear1:
        return number(parts_.iso_year() % 10, 1, 0);
      default:
        return false;
    }
  }

  /// Months back count from the last one.
  bool roman(Letters letters) {
    constexpr size_t kWidth = 4;
    if (parts_.month == 0 && parts_.year == 0) {
      return true;
    }
    const int64_t month = parts_.month > 0   ? parts_.month
                          : parts_.month < 0 ? kMonthsPerYear + 1 + parts_.month
                          : parts_.year > 0  ? kMonthsPerYear
                                             : 1;
    return word(kRomans[month - 1], letters, kWidth);
  }

  Parts parts_;
  std::string made_;
  bool is_bare_ = false;
  bool has_ordinal_ = false;  ///< The pattern at hand shows a number.
};

Result<Value> interval_as_text(Arguments arguments, const BoundExpression&) {
  const std::string& format = text(arguments[1]);
  if (format.empty()) {
    return Value();  // As PostgreSQL says it.
  }
  return IntervalWriter(std::get<Interval>(arguments[0]), arguments.spare_text()).written(format);
}

/// Gives the type of all that a constant template can come to.
Type type_of_interval_text(Expressions arguments) {
  const BoundExpression& format = arguments[1];
  if (!format.is_constant() || is_null(format.value)) {
    return text_of(kStringLengthMax);
  }
  constexpr uint64_t kFieldSizeMax = 20;  // Seconds of the longest interval, their sign and an ordinal.
  uint64_t size = 0;
  DatetimePieces pieces(text(format.value));
  while (const std::optional<DatetimePiece> piece = pieces.next()) {
    size += piece->role == DatetimeRole::kField ? kFieldSizeMax : piece->text.size();
  }
  return text_of(size);
}

}  // namespace

void add_interval_text(Functions& functions) {
  Adder adder(functions);
  adder.add(1360, "to_char", {TypeKind::kInterval, kText}, kText, interval_as_text, type_of_interval_text);
  adder.is_stable();
  adder.may_be_null();
}

}  // namespace daedalus::semantics::scalar

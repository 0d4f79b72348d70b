#include "datetime_decoder.hpp"

#include <limits>

#include "characters.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/types.hpp"
#include "datetime_numbers.hpp"
#include "units_of_time.hpp"
#include "zone_abbreviations.hpp"

namespace daedalus::semantics {
namespace {

using datetime::is_between;
using datetime::is_fraction;
using datetime::LeadingInteger;
using datetime::read_fraction;
using datetime::read_integer;
using datetime::to_micros;
using Fault = DatetimeFault;
using Label = DatetimeLabel;
using Word = DatetimeWord;

}  // namespace

DatetimeFault DatetimeDecoder::take_all(const DatetimeFields& fields, Take one) {
  for (size_t place = 0; place < fields.size(); ++place) {
    const Found found = (this->*one)(fields, place);
    if (found.fault != Fault::kNone) {
      return found.fault;
    }
    if ((found.parts & seen_) != 0) {
      return Fault::kSyntax;
    }
    seen_ |= found.parts;
  }
  const Fault fault = check_date();
  return fault == Fault::kNone ? apply_meridian() : fault;
}

DatetimeFault DatetimeDecoder::decode(const DatetimeFields& fields) {
  const Fault fault = take_all(fields, &DatetimeDecoder::take);
  return fault == Fault::kNone ? finish() : fault;
}

DatetimeDecoder::Found DatetimeDecoder::take(const DatetimeFields& fields, size_t place) {
  const DatetimeField& field = fields[place];
  switch (field.kind) {
    case DatetimeField::Kind::kDate:
      return take_date_field(field.text);
    case DatetimeField::Kind::kTime:
      return take_time_field(field.text);
    case DatetimeField::Kind::kZone:
      return take_zone_offset(field.text, kZone);
    case DatetimeField::Kind::kNumber:
      return label_ != Label::kNone ? take_labelled(field.text) : take_number_field(field.text);
    case DatetimeField::Kind::kWord:
      return take_word(fields, place);
  }
  return malformed();
}

DatetimeDecoder::Found DatetimeDecoder::take_date_field(std::string_view text) {
  if (label_ == Label::kJulianDay) {
    return take_julian_day_with_zone(text);
  }
  if (label_ == Label::kNone && !has(kMonth | kDay)) {
    return read_date(text);
  }
  // There is a date: this is a time run together with its zone, or the name of a zone.
  return is_digit(text.front()) || label_ != Label::kNone ? take_time_with_zone(text) : take_zone_name(text);
}

DatetimeDecoder::Found DatetimeDecoder::take_julian_day_with_zone(std::string_view text) {
  const LeadingInteger day = read_integer(text);
  if (day.is_too_large || day.value < 0) {
    return fault(Fault::kField);
  }
  set_julian_day(day.value);
  label_ = Label::kNone;
  return take_zone_offset(day.rest, kDate | kTime | kZone);
}

DatetimeDecoder::Found DatetimeDecoder::take_time_with_zone(std::string_view text) {
  const size_t sign = text.find('-');
  if ((label_ != Label::kNone && label_ != Label::kIsoTime) || has(kTime) || sign == std::string_view::npos) {
    return malformed();
  }
  label_ = Label::kNone;
  return read_time_with_zone(text, sign, seen_);
}

DatetimeDecoder::Found DatetimeDecoder::read_time_with_zone(std::string_view text, size_t sign, Parts seen) {
  if (const Found zone = take_zone_offset(text.substr(sign), kZone); zone.fault != Fault::kNone) {
    return zone;
  }
  Found found = read_run_together(text.substr(0, sign), seen);
  found.parts |= kZone;
  return found;
}

DatetimeDecoder::Found DatetimeDecoder::take_zone_offset(std::string_view text, Parts found) {
  const datetime::ZoneOffset zone = datetime::read_zone_offset(text);
  sql_timestamp_.offset = zone.seconds;
  return zone.fault == Fault::kNone ? parts(found) : fault(zone.fault);
}

DatetimeDecoder::Found DatetimeDecoder::take_zone_name(std::string_view text) {
  sql_timestamp_.zone = text;
  switch (find_zone(text)) {
    case ZoneName::kWord:
      has_zone_name_ = true;
      return parts(kZone);
    case ZoneName::kLocation:
      has_zone_name_ = true;
      sql_timestamp_.is_at_place = true;
      return parts(kZone);
    default:
      return fault(Fault::kZoneName);
  }
}

DatetimeDecoder::Found DatetimeDecoder::take_time_field(std::string_view text) {
  if (label_ != Label::kNone && label_ != Label::kIsoTime) {
    return malformed();
  }
  label_ = Label::kNone;
  const Found found = read_time(text);
  if (found.fault != Fault::kNone) {
    return found;
  }
  // 24:00:00 is midnight of the next day, 60 seconds the next minute: so says ISO 8601.
  return hour_ > 24 || micros_of_day() > kMicrosPerDay ? fault(Fault::kField) : found;
}

DatetimeDecoder::Found DatetimeDecoder::read_time(std::string_view text) {
  const LeadingInteger first = read_integer(text);
  const LeadingInteger second = read_integer(first.rest.substr(1));  // Behind the colon.
  LeadingInteger third{0, false, second.rest};
  const bool has_third = second.rest.starts_with(':');
  if (has_third) {
    third = read_integer(second.rest.substr(1));
  }
  // Hours beyond 64 bits are noticed at once, those beyond 32 only when everything else is right.
  if (first.value == std::numeric_limits<int64_t>::max() || second.is_too_large || third.is_too_large) {
    return fault(Fault::kField);
  }
  micros_ = 0;
  if (!third.rest.empty()) {
    if (third.rest.front() != '.' || !is_fraction(third.rest)) {
      return malformed();
    }
    micros_ = to_micros(read_fraction(third.rest));
  }
  const bool is_minutes_and_seconds = !has_third && !third.rest.empty();
  hour_ = is_minutes_and_seconds ? 0 : first.value;
  minute_ = is_minutes_and_seconds ? first.value : second.value;
  second_ = is_minutes_and_seconds ? second.value : third.value;
  return first.is_too_large || minute_ > 59 || second_ > 60 ? fault(Fault::kField) : parts(kTime);
}

DatetimeDecoder::Found DatetimeDecoder::take_number_field(const std::string& text) {
  const size_t point = text.find('.');
  const bool has_point = point != std::string::npos;
  if (has_point && (seen_ & kDate) == 0) {
    return read_date(text);
  }
  // Six digits are a date or a time, unless there is some of both: then they are a year.
  const bool is_run_together =
      has_point && point > 2 ? true : text.size() >= 6 && ((seen_ & kDate) == 0 || (seen_ & kTime) == 0);
  return is_run_together ? read_run_together(text, seen_) : read_number(text, has_month_name_, seen_);
}

DatetimeDecoder::Found DatetimeDecoder::take_labelled(std::string_view text) {
  const Label label = label_;
  const LeadingInteger number = read_integer(text);
  if (number.is_too_large) {
    return fault(Fault::kField);
  }
  const bool may_have_point = label == Label::kJulianDay || label == Label::kIsoTime || label == Label::kSecond;
  if (!number.rest.empty() && (number.rest.front() != '.' || !may_have_point)) {
    return malformed();
  }
  const Found found = label == Label::kIsoTime ? read_run_together(text, seen_ | kDate)
                                               : take_labelled_value(label, number.value, number.rest);
  if (label == Label::kIsoTime && found.fault == Fault::kNone && found.parts != kTime) {
    return malformed();
  }
  label_ = Label::kNone;
  sql_timestamp_.kind = SqlTimestamp::Kind::kFinite;
  return found;
}

DatetimeDecoder::Found DatetimeDecoder::take_labelled_value(Label label, int64_t value, std::string_view fraction) {
  switch (label) {
    case Label::kYear:
      year_ = value;
      return parts(kYear);
    case Label::kMonth:
      // Behind a month and an hour it is minutes.
      (has(kMonth | kHour) ? minute_ : month_) = value;
      return parts(has(kMonth | kHour) ? kMinute : kMonth);
    case Label::kDay:
      day_ = value;
      return parts(kDay);
    case Label::kHour:
      hour_ = value;
      return parts(kHour);
    case Label::kMinute:
      minute_ = value;
      return parts(kMinute);
    case Label::kSecond:
      second_ = value;
      if (!fraction.empty()) {
        micros_ = to_micros(read_fraction(fraction));
      }
      return parts(fraction.empty() ? kSecond : kSecond | kFraction);
    case Label::kJulianDay:
      set_julian_day(value);
      if (fraction.empty()) {
        return parts(kDate);
      }
      hour_ = minute_ = second_ = 0;
      micros_ = static_cast<int64_t>(read_fraction(fraction) * static_cast<double>(kMicrosPerDay));
      hour_ = micros_ / (3600 * kMicrosPerSecond);
      micros_ -= hour_ * 3600 * kMicrosPerSecond;
      return parts(kDate | kTime);
    default:
      return malformed();
  }
}

/// To standard time "dst" may be added.
std::optional<DatetimeDecoder::Found> DatetimeDecoder::take_zone_abbreviation(std::string_view text) {
  constexpr int64_t kSecondsPerMinute = 60;
  const std::optional<ZoneAbbreviation> abbreviation = find_zone_abbreviation(text);
  if (!abbreviation) {
    return std::nullopt;
  }
  sql_timestamp_.offset = abbreviation->minutes * kSecondsPerMinute;
  if (abbreviation->kind == ZoneAbbreviation::Kind::kOfPlace) {
    sql_timestamp_.zone = text;
    return parts(kZone | kChangingZone);
  }
  return parts(abbreviation->kind == ZoneAbbreviation::Kind::kDaylight ? kZone | kDaylightZone : kZone);
}

DatetimeDecoder::Found DatetimeDecoder::take_word(const DatetimeFields& fields, size_t place) {
  const std::string& text = fields[place].text;
  if (const std::optional<Found> abbreviation = take_zone_abbreviation(text)) {
    return *abbreviation;
  }
  const std::optional<Word> word = find_datetime_word(text);
  if (!word) {
    has_zone_name_ = find_zone(text) == ZoneName::kWord;
    sql_timestamp_.zone = text;
    return has_zone_name_ ? parts(kZone) : malformed();
  }
  return take_known_word(*word, has_time_next(fields, place));
}

bool DatetimeDecoder::has_time_next(const DatetimeFields& fields, size_t place) {
  return place + 1 < fields.size() &&
         (fields[place + 1].kind == DatetimeField::Kind::kNumber ||
          fields[place + 1].kind == DatetimeField::Kind::kTime || fields[place + 1].kind == DatetimeField::Kind::kDate);
}

DatetimeDecoder::Found DatetimeDecoder::take_known_word(Word word, bool has_time_next) {
  switch (word.kind) {
    case Word::Kind::kIgnored:
      return parts(0);
    case Word::Kind::kMonth:
      return take_month_name(word.value);
    case Word::Kind::kWeekday:
      return parts(kWeekday);
    case Word::Kind::kMorning:
    case Word::Kind::kAfternoon:
      is_afternoon_ = word.kind == Word::Kind::kAfternoon;
      return parts(kMeridian);
    case Word::Kind::kAfterChrist:
    case Word::Kind::kBeforeChrist:
      is_before_christ_ = word.kind == Word::Kind::kBeforeChrist;
      return parts(kEra);
    case Word::Kind::kLabel:
      label_ = word.label;
      return parts(0);
    case Word::Kind::kIsoTime:
      label_ = Label::kIsoTime;
      return has(kDate) && has_time_next ? parts(0) : malformed();
    case Word::Kind::kNow:
      sql_timestamp_.refers = "now";
      return set_now(kDate | kTime | kZone, 0);
    case Word::Kind::kDay:
      sql_timestamp_.refers = word.value == 0 ? "today" : word.value > 0 ? "tomorrow" : "yesterday";
      return set_now(kDate, word.value);
    case Word::Kind::kMidnight:
      sql_timestamp_.kind = SqlTimestamp::Kind::kFinite;
      hour_ = minute_ = second_ = 0;
      return parts(kTime | kZone);
    case Word::Kind::kEpoch:
      sql_timestamp_.kind = SqlTimestamp::Kind::kEpoch;
      return parts(kFarSqlTimestamp);
    case Word::Kind::kLate:
    case Word::Kind::kEarly:
      sql_timestamp_.kind = word.kind == Word::Kind::kLate ? SqlTimestamp::Kind::kLate : SqlTimestamp::Kind::kEarly;
      return parts(kFarSqlTimestamp);
    case Word::Kind::kDaylightModifier:
      sql_timestamp_.offset += 3'600;
      return parts(kDaylightModifier | kDaylightZone);
  }
  return malformed();
}

/// A number that was taken for the month turns out to be the day.
DatetimeDecoder::Found DatetimeDecoder::take_month_name(int month) {
  const bool was_day = has(kMonth) && !has_month_name_ && !has(kDay) && is_between(month_, 1, 31);
  if (was_day) {
    day_ = month_;
  }
  has_month_name_ = true;
  month_ = month;
  return parts(was_day ? kDay : kMonth);
}

DatetimeDecoder::Found DatetimeDecoder::set_now(Parts set, int64_t days) {
  if (!now_us_) {
    return fault(Fault::kNoClock);
  }
  const int64_t today = floor_div(*now_us_, kMicrosPerDay);
  const CivilDate date = civil_from_days(today + days);
  year_ = date.year;
  month_ = date.month;
  day_ = date.day;
  if ((set & kTime) != 0) {
    const int64_t micros = *now_us_ - today * kMicrosPerDay;
    hour_ = micros / kMicrosPerSecond / 3600;
    minute_ = micros / kMicrosPerSecond / 60 % 60;
    second_ = micros / kMicrosPerSecond % 60;
    micros_ = micros % kMicrosPerSecond;
  }
  sql_timestamp_.kind = SqlTimestamp::Kind::kFinite;
  return parts(set);
}

void DatetimeDecoder::set_julian_day(int64_t day) {
  const CivilDate date = civil_from_days(day - kJulianDayOf1970);
  year_ = date.year;
  month_ = date.month;
  day_ = date.day;
  is_julian_ = true;
}

DatetimeFault DatetimeDecoder::check_year() {
  if (is_julian_) {
    return Fault::kNone;
  }
  if (is_before_christ_) {
    if (year_ <= 0) {
      return Fault::kField;
    }
    year_ = 1 - year_;  // The year 0 is 1 BC.
  } else if (has_short_year_) {
    year_ += is_between(year_, 70, 99) ? 1900 : year_ < 70 ? 2000 : 0;
  } else if (year_ <= 0) {
    return Fault::kField;
  }
  return Fault::kNone;
}

DatetimeFault DatetimeDecoder::check_date() {
  if (has(kYear)) {
    if (const Fault fault = check_year(); fault != Fault::kNone) {
      return fault;
    }
  }
  if (has(kDayOfYear)) {
    const CivilDate date = civil_from_days(days_from_civil({year_, 1, 1}) + day_of_year_ - 1);
    year_ = date.year;
    month_ = date.month;
    day_ = date.day;
  }
  if ((has(kMonth) && !is_between(month_, 1, 12)) || (has(kDay) && !is_between(day_, 1, 31))) {
    return Fault::kField;
  }
  if (has(kDate) && day_ > days_in_month(year_, static_cast<uint32_t>(month_))) {
    return Fault::kField;
  }
  return Fault::kNone;
}

DatetimeFault DatetimeDecoder::apply_meridian() {
  constexpr int64_t kNoon = 12;
  if (!is_afternoon_) {
    return Fault::kNone;
  }
  if (hour_ > kNoon) {
    return Fault::kField;
  }
  hour_ = hour_ % kNoon + (*is_afternoon_ ? kNoon : 0);  // Twelve is the first hour of either half.
  return Fault::kNone;
}

int64_t DatetimeDecoder::micros_of_day() const {
  // PostgreSQL adds up seconds in 32 bits, which hours given as a number of their own may exceed.
  const auto seconds = static_cast<uint32_t>((hour_ * 60 + minute_) * 60 + second_);
  return static_cast<int32_t>(seconds) * kMicrosPerSecond + micros_;
}

bool DatetimeDecoder::has_misplaced_modifier() const {
  return has(kDaylightModifier) && (!has(kZone) || has_zone_name_ || has(kChangingZone));
}

DatetimeFault DatetimeDecoder::finish() {
  if (sql_timestamp_.kind != SqlTimestamp::Kind::kFinite) {
    return Fault::kNone;
  }
  if (!has(kDate) || has_misplaced_modifier()) {
    return Fault::kSyntax;
  }
  sql_timestamp_.days = days_from_civil({year_, static_cast<uint32_t>(month_), static_cast<uint32_t>(day_)});
  sql_timestamp_.micros = micros_of_day();
  sql_timestamp_.has_zone = has(kZone);
  return Fault::kNone;
}

}  // namespace daedalus::semantics

// A time of day out of fields: what PostgreSQL reads as time. Fewer words mean something than in an SQL timestamp, a
// date is taken in a few places only, and whether the time is one is asked when all fields are read.
#include "characters.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/types.hpp"
#include "datetime_decoder.hpp"
#include "datetime_numbers.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {
namespace {

using Fault = DatetimeFault;
using FieldKind = DatetimeField::Kind;
using Label = DatetimeLabel;
using Word = DatetimeWord;

}  // namespace

DatetimeFault DatetimeDecoder::decode_time(const DatetimeFields& fields) {
  const Fault fault = take_all(fields, &DatetimeDecoder::take_of_time);
  return fault == Fault::kNone ? finish_time() : fault;
}

DatetimeDecoder::Found DatetimeDecoder::take_of_time(const DatetimeFields& fields, size_t place) {
  const DatetimeField& field = fields[place];
  switch (field.kind) {
    case FieldKind::kDate:
      return take_date_of_time(fields, place);
    case FieldKind::kTime:
      return read_time(field.text);
    case FieldKind::kZone:
      return take_zone_offset(field.text, kZone);
    case FieldKind::kNumber:
      return label_ != Label::kNone ? take_labelled(field.text) : take_number_of_time(fields, place);
    case FieldKind::kWord:
      return take_word_of_time(fields, place);
  }
  return malformed();
}

/// A date where a time follows at once, or something with hyphens at the end; else a time with its zone, or a zone.
DatetimeDecoder::Found DatetimeDecoder::take_date_of_time(const DatetimeFields& fields, size_t place) {
  const std::string& text = fields[place].text;
  if (place == 0 && fields.size() >= 2 &&
      (fields.back().kind == FieldKind::kDate || fields[1].kind == FieldKind::kTime)) {
    return read_date(text);
  }
  if (!is_digit(text.front())) {
    return take_zone_name(text);
  }
  const size_t sign = text.find('-');
  return has(kTime) || sign == std::string::npos ? malformed() : read_time_with_zone(text, sign, seen_ | kDate);
}

DatetimeDecoder::Found DatetimeDecoder::take_number_of_time(const DatetimeFields& fields, size_t place) {
  const std::string& text = fields[place].text;
  const size_t point = text.find('.');
  if (point != std::string::npos) {
    if (place == 0 && fields.size() >= 2 && fields.back().kind == FieldKind::kDate) {
      return read_date(text);
    }
    return point > 2 ? read_run_together(text, seen_ | kDate) : malformed();
  }
  constexpr size_t kShortMax = 4;
  return text.size() > kShortMax ? read_run_together(text, seen_ | kDate) : read_number(text, false, seen_ | kDate);
}

DatetimeDecoder::Found DatetimeDecoder::take_word_of_time(const DatetimeFields& fields, size_t place) {
  const std::string& text = fields[place].text;
  if (const std::optional<Found> abbreviation = take_zone_abbreviation(text)) {
    return *abbreviation;
  }
  const std::optional<Word> word = find_datetime_word(text);
  if (!word) {
    has_zone_name_ = find_zone(text) == ZoneName::kWord;
    return has_zone_name_ ? parts(kZone) : malformed();
  }
  return take_known_word_of_time(*word, has_time_next(fields, place));
}

DatetimeDecoder::Found DatetimeDecoder::take_known_word_of_time(Word word, bool has_time_next) {
  switch (word.kind) {
    case Word::Kind::kIsoTime:
      label_ = Label::kIsoTime;
      return has_time_next ? parts(0) : malformed();
    case Word::Kind::kNow:
      sql_timestamp_.refers = "now";
      return set_now(kTime, 0);
    case Word::Kind::kIgnored:
    case Word::Kind::kMorning:
    case Word::Kind::kAfternoon:
    case Word::Kind::kAfterChrist:
    case Word::Kind::kBeforeChrist:
    case Word::Kind::kLabel:
    case Word::Kind::kMidnight:
    case Word::Kind::kDaylightModifier:
      return take_known_word(word, has_time_next);
    default:
      return malformed();
  }
}

DatetimeFault DatetimeDecoder::finish_time() {
  const bool is_time = hour_ >= 0 && hour_ <= 24 && minute_ >= 0 && minute_ <= 59 && second_ >= 0 && second_ <= 60;
  if (!is_time || micros_of_day() > kMicrosPerDay) {
    return Fault::kField;
  }
  // Part of a date is not enough to look up an offset, and of no use where there is none to look up.
  const bool is_zone_of_day = !has(kZone) || has(kChangingZone);
  const bool has_part_of_date = is_zone_of_day && (seen_ & kDate) != 0 && !has(kDate);
  if (!has(kTime) || has_part_of_date || has_misplaced_modifier()) {
    return Fault::kSyntax;
  }
  // Without a date PostgreSQL takes zones whose clocks never change; which these are is not known here.
  sql_timestamp_.is_at_place = sql_timestamp_.is_at_place || (has_zone_name_ && !has(kDate));
  sql_timestamp_.micros = micros_of_day();
  return Fault::kNone;
}

}  // namespace daedalus::semantics

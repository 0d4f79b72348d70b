// to_date() and to_timestamp() of a text: what a template reads out of it, as PostgreSQL's formatting.c does under the
// C locale. Fields are read one after the other and put together at the end; years before 1 are out of range here.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "../calendar.hpp"
#include "../characters.hpp"
#include "adder.hpp"
#include "daedalus/semantics/characters.hpp"
#include "moment_template.hpp"
#include "time_fields.hpp"

namespace daedalus::semantics::scalar {
namespace {

constexpr TypeKind kText = TypeKind::kText;
constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kJulianDayOf1970 = 2'440'588;

bool is_space(char c) { return role_of(c) == MomentRole::kSpace; }
bool is_separator(char c) { return role_of(c) == MomentRole::kSeparator; }

// ---- templates ----

/// Whether a field shows a number, so that what follows it without anything between has to know where it ends.
bool is_number(MomentItem item) {
  switch (item) {
    case MomentItem::kEraDots:
    case MomentItem::kEra:
    case MomentItem::kMeridianDots:
    case MomentItem::kMeridian:
    case MomentItem::kDayName:
    case MomentItem::kDayShort:
    case MomentItem::kNothing:
    case MomentItem::kMonthName:
    case MomentItem::kMonthShort:
    case MomentItem::kMonthRoman:
    case MomentItem::kZoneOffset:
    case MomentItem::kZoneHours:
    case MomentItem::kZoneName:
      return false;
    default:
      return true;
  }
}

enum class Calendar : uint8_t { kNone, kGregorian, kIso };

Calendar calendar_of(MomentItem item) {
  switch (item) {
    case MomentItem::kDayOfYear:
    case MomentItem::kDay:
    case MomentItem::kDayOfWeek:
    case MomentItem::kMonth:
    case MomentItem::kMonthName:
    case MomentItem::kMonthShort:
    case MomentItem::kMonthRoman:
    case MomentItem::kWeek:
    case MomentItem::kWeekOfMonth:
    case MomentItem::kYearComma:
    case MomentItem::kYear:
    case MomentItem::kYear3:
    case MomentItem::kYear2:
    case MomentItem::kYear1:
      return Calendar::kGregorian;
    case MomentItem::kIsoDayOfYear:
    case MomentItem::kIsoDayOfWeek:
    case MomentItem::kIsoWeek:
    case MomentItem::kIsoYear:
    case MomentItem::kIsoYear3:
    case MomentItem::kIsoYear2:
    case MomentItem::kIsoYear1:
      return Calendar::kIso;
    default:
      return Calendar::kNone;
  }
}

// ---- fields ----

/// What a text says; 0 is what it does not say.
struct Fields {
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
  int fraction_digits = 0;  ///< Of FF; what is read is rounded to them.
  bool is_twelve_hours = false;
  Calendar calendar = Calendar::kNone;
};

Error invalid(std::string_view text, const MomentPiece& piece) {
  return rejected("22007", fmt::format("invalid value \"{}\" for \"{}\"", text, piece.text));
}

/// The year nearest to 2020 that ends in these digits.
int64_t full_year(int64_t year) {
  return year < 70      ? year + 2'000
         : year < 100   ? year + 1'900
         : year < 520   ? year + 2'000
         : year < 1'000 ? year + 1'000
                        : year;
}

class Scanner {
 public:
  Scanner(std::string_view text, const std::vector<MomentPiece>& pieces) : left_(text), pieces_(pieces) {}

  Result<Fields> scanned() {
    for (at_ = 0; at_ < pieces_.size() && !left_.empty(); ++at_) {
      const MomentPiece& piece = pieces_[at_];
      const bool is_exactly = piece.role == MomentRole::kField && piece.pattern.item == MomentItem::kNothing;
      if (!is_exact_ && !is_exactly && (piece.role == MomentRole::kField || at_ == 0)) {
        skip_spaces();
      }
      if (piece.role != MomentRole::kField) {
        pass(piece);
        continue;
      }
      const Calendar calendar = calendar_of(piece.pattern.item);
      if (calendar != Calendar::kNone && fields_.calendar != Calendar::kNone && calendar != fields_.calendar) {
        return rejected("22007", "invalid combination of date conventions",
                        "Do not mix Gregorian and ISO week date conventions in a formatting template.");
      }
      fields_.calendar = calendar != Calendar::kNone ? calendar : fields_.calendar;
      if (auto read = read_field(piece); !read) {
        return read.error();
      }
      if (!is_exact_) {
        skipped_ = 0;
        skip_spaces();
      }
    }
    return fields_;
  }

 private:
  using Read = Result<void>;

  void skip_spaces() {
    while (!left_.empty() && is_space(left_.front())) {
      step(1);
      ++skipped_;
    }
  }

  void step(size_t bytes) {
    before_ = bytes > 0 ? left_[bytes - 1] : before_;
    left_.remove_prefix(bytes);
  }

  void step_character() {
    if (!left_.empty()) {
      step(std::min(character_size(left_.front()), left_.size()));
    }
  }

  /// What stands for itself passes a character, whichever: one that was skipped already, where FX does not forbid that.
  void pass(const MomentPiece& piece) {
    if (is_exact_) {
      step_character();
    } else if (piece.role == MomentRole::kLetter) {
      if (skipped_ > 0) {
        --skipped_;
      } else {
        step_character();
      }
    } else {
      --skipped_;
      if (!left_.empty() && (is_space(left_.front()) || is_separator(left_.front()))) {
        step(1);
        ++skipped_;
      }
    }
  }

  Read set(int64_t& field, int64_t value, const MomentPiece& piece) {
    if (field != 0 && field != value) {
      return rejected("22007", fmt::format("conflicting values for \"{}\" field in formatting string", piece.text));
    }
    field = value;
    return {};
  }

  /// Whether a number may go on as far as its digits do.
  [[nodiscard]] bool is_end_free() const {
    const MomentPiece& piece = pieces_[at_];
    if (piece.is_bare || !piece.ordinal.empty() || at_ + 1 == pieces_.size()) {
      return true;
    }
    const MomentPiece& next = pieces_[at_ + 1];
    return next.role == MomentRole::kField ? !is_number(next.pattern.item)
                                           : !(next.text.size() == 1 && is_digit(next.text.front()));
  }

  struct Number {
    int64_t value = 0;
    size_t size = 0;  ///< Bytes it took, with blanks before it.
  };

  Result<Number> number(size_t width, const MomentPiece& piece) {
    const size_t whole = left_.size();
    while (!left_.empty() && is_space(left_.front())) {
      step(1);
    }
    const bool is_free = is_end_free();
    const std::string_view from = left_.substr(0, is_free ? left_.size() : width);
    const std::string_view shown = left_.substr(0, offset_of(left_, static_cast<int64_t>(width)));
    if (!is_free && from.size() < width) {
      return rejected("22007", fmt::format("source string too short for \"{}\" formatting field", piece.text));
    }
    Number made;
    size_t at = 0;
    if (!is_free) {
      while (at < from.size() && is_space(from[at])) {
        ++at;
      }
    }
    const bool is_negative = at < from.size() && from[at] == '-';
    const size_t first = at + (at < from.size() && (from[at] == '-' || from[at] == '+') ? 1 : 0);
    size_t end = first;
    bool is_too_large = false;
    for (; end < from.size() && is_digit(from[end]); ++end) {
      is_too_large = is_too_large || made.value > std::numeric_limits<int32_t>::max();
      made.value = is_too_large ? made.value : 10 * made.value + (from[end] - '0');
    }
    const size_t used = end > first ? end : 0;
    if (!is_free && used > 0 && used < width) {
      return invalid(shown, piece);
    }
    step(used);
    made.size = whole - left_.size();
    if (made.size == 0 || (is_free && used == 0)) {
      return invalid(shown, piece);
    }
    made.value = is_negative ? -made.value : made.value;
    if (is_too_large || made.value > std::numeric_limits<int32_t>::max() ||
        made.value < std::numeric_limits<int32_t>::min()) {
      return rejected("22008", fmt::format("value for \"{}\" in source string is out of range", piece.text));
    }
    return made;
  }

  /// TH behind a number passes two characters.
  void pass_ordinal(const MomentPiece& piece) {
    if (!piece.ordinal.empty()) {
      step_character();
      step_character();
    }
  }

  Read read_number(int64_t& field, size_t width, const MomentPiece& piece) {
    const auto read = number(width, piece);
    if (!read) {
      return read.error();
    }
    if (auto done = set(field, read->value, piece); !done) {
      return done;
    }
    pass_ordinal(piece);
    return {};
  }

  Read read_number(int64_t& field, const MomentPiece& piece) { return read_number(field, piece.text.size(), piece); }

  /// Digits behind a point: the first of them counts tenths.
  Read read_fraction(int64_t& field, size_t width, int digits, const MomentPiece& piece) {
    const auto read = number(width, piece);
    if (!read) {
      return read.error();
    }
    if (auto done = set(field, read->value, piece); !done) {
      return done;
    }
    for (auto size = static_cast<int>(read->size); size < digits; ++size) {
      field *= 10;
    }
    pass_ordinal(piece);
    return {};
  }

  /// Which of some words is next, in any letters.
  template <size_t kCount>
  Result<int64_t> word(const std::string_view (&words)[kCount], size_t length, const MomentPiece& piece) {
    for (size_t number = 0; number < kCount; ++number) {
      const std::string_view wanted = words[number].substr(0, length);
      const bool is_it = left_.size() >= wanted.size() &&
                         std::equal(wanted.begin(), wanted.end(), left_.begin(),
                                    [](char one, char other) { return to_lower(one) == to_lower(other); });
      if (is_it) {
        step(wanted.size());
        return static_cast<int64_t>(number);
      }
    }
    return invalid(left_.substr(0, left_.find(' ')), piece);
  }

  template <size_t kCount>
  Read read_word(int64_t& field, const std::string_view (&words)[kCount], size_t length, int64_t first,
                 const MomentPiece& piece) {
    const auto found = word(words, length, piece);
    return found ? set(field, *found + first, piece) : Read(found.error());
  }

  Read read_field(const MomentPiece& piece) {
    static constexpr std::string_view kEras[] = {"AD", "BC"};
    static constexpr std::string_view kErasWithDots[] = {"A.D.", "B.C."};
    static constexpr std::string_view kHalves[] = {"AM", "PM"};
    static constexpr std::string_view kHalvesWithDots[] = {"A.M.", "P.M."};
    constexpr size_t kWhole = std::string_view::npos;
    switch (piece.pattern.item) {
      case MomentItem::kNothing:
        is_exact_ = true;
        return {};
      case MomentItem::kEra:
        return read_word(fields_.is_before_christ, kEras, kWhole, 0, piece);
      case MomentItem::kEraDots:
        return read_word(fields_.is_before_christ, kErasWithDots, kWhole, 0, piece);
      case MomentItem::kMeridian:
        fields_.is_twelve_hours = true;
        return read_word(fields_.is_afternoon, kHalves, kWhole, 0, piece);
      case MomentItem::kMeridianDots:
        fields_.is_twelve_hours = true;
        return read_word(fields_.is_afternoon, kHalvesWithDots, kWhole, 0, piece);
      case MomentItem::kDayName:
        return read_weekday(kWhole, piece);
      case MomentItem::kDayShort:
        return read_weekday(kShortName, piece);
      case MomentItem::kMonthName:
        return read_word(fields_.month, kMonths, kWhole, 1, piece);
      case MomentItem::kMonthShort:
        return read_word(fields_.month, kMonths, kShortName, 1, piece);
      case MomentItem::kMonthRoman:
        return read_roman(piece);
      case MomentItem::kZoneName:
      case MomentItem::kZoneOffset:
        return rejected("0A000", fmt::format("formatting field \"{}\" is only supported in to_char", piece.text));
      default:
        return read_number_field(piece);
    }
  }

  /// It is compared before it counts from 1, so that PostgreSQL takes a day's name said twice for two days.
  Read read_weekday(size_t length, const MomentPiece& piece) {
    auto read = read_word(fields_.weekday, kWeekdays, length, 0, piece);
    fields_.weekday += read ? 1 : 0;
    return read;
  }

  /// The longest first.
  Read read_roman(const MomentPiece& piece) {
    static constexpr std::string_view kFromLast[] = {"XII", "XI", "X",  "IX",  "VIII", "VII",
                                                     "VI",  "V",  "IV", "III", "II",   "I"};
    const auto found = word(kFromLast, std::string_view::npos, piece);
    return found ? set(fields_.month, 12 - *found, piece) : Read(found.error());
  }

  Read read_number_field(const MomentPiece& piece) {
    switch (piece.pattern.item) {
      case MomentItem::kHour12:
        fields_.is_twelve_hours = true;
        return read_number(fields_.hour, 2, piece);
      case MomentItem::kHour24:
        return read_number(fields_.hour, 2, piece);
      case MomentItem::kMinute:
        return read_number(fields_.minute, piece);
      case MomentItem::kSecond:
        return read_number(fields_.second, piece);
      case MomentItem::kSecondOfDay:
        return read_number(fields_.second_of_day, piece);
      case MomentItem::kZoneHours:
        return read_zone_hours(piece);
      case MomentItem::kZoneMinutes:
        fields_.zone_sign = fields_.zone_sign == 0 ? 1 : fields_.zone_sign;
        return read_zone_number(fields_.zone_minutes, piece);
      default:
        return piece.pattern.item >= MomentItem::kFraction1 && piece.pattern.item <= MomentItem::kFraction6
                   ? read_fraction_field(piece)
                   : read_date_field(piece);
    }
  }

  /// MS is FF3 among templates of output; of input it counts milliseconds.
  Read read_fraction_field(const MomentPiece& piece) {
    const bool is_millis = to_lower(piece.text.front()) == 'm';
    if (is_millis) {
      return read_fraction(fields_.millis, 3, 3, piece);
    }
    const int digits = static_cast<int>(piece.pattern.item) - static_cast<int>(MomentItem::kFraction1) + 1;
    if (to_lower(piece.text.front()) == 'f') {
      fields_.fraction_digits = digits;
    }
    return read_fraction(fields_.micros, static_cast<size_t>(digits), 6, piece);
  }

  /// A sign may have passed as a separator.
  Read read_zone_hours(const MomentPiece& piece) {
    if (!left_.empty() && (left_.front() == '+' || left_.front() == '-' || left_.front() == ' ')) {
      fields_.zone_sign = left_.front() == '-' ? -1 : 1;
      step(1);
    } else {
      fields_.zone_sign = skipped_ > 0 && before_ == '-' ? -1 : 1;
    }
    return read_zone_number(fields_.zone_hours, piece);
  }

  /// TH behind it passes nothing.
  Read read_zone_number(int64_t& field, const MomentPiece& piece) {
    const auto read = number(2, piece);
    return read ? set(field, read->value, piece) : Read(read.error());
  }

  Read read_date_field(const MomentPiece& piece) {
    int64_t ignored = 0;
    switch (piece.pattern.item) {
      case MomentItem::kDay:
        return read_number(fields_.day, piece);
      case MomentItem::kDayOfYear:
        return read_number(fields_.day_of_year, piece);
      case MomentItem::kIsoDayOfYear:
        return read_number(fields_.day_of_year, 3, piece);
      case MomentItem::kDayOfWeek:
        return read_number(fields_.weekday, piece);
      case MomentItem::kIsoDayOfWeek:
        return read_iso_weekday(piece);
      case MomentItem::kMonth:
        return read_number(fields_.month, piece);
      case MomentItem::kWeek:
      case MomentItem::kIsoWeek:
        return read_number(fields_.week, piece);
      case MomentItem::kWeekOfMonth:
        return read_number(fields_.week_of_month, piece);
      case MomentItem::kQuarter:
        return read_number(ignored, piece);  // It says less than a month, and would contradict it.
      case MomentItem::kCentury:
        return read_number(fields_.century, piece);
      case MomentItem::kJulian:
        return read_number(fields_.julian, piece);
      case MomentItem::kYearComma:
        return read_year_with_comma(piece);
      default:
        return read_year(piece);
    }
  }

  /// The week begins with Sunday here.
  Read read_iso_weekday(const MomentPiece& piece) {
    const auto read = number(1, piece);
    if (!read) {
      return read.error();
    }
    if (auto done = set(fields_.weekday, read->value, piece); !done) {
      return done;
    }
    fields_.weekday = fields_.weekday >= 7 ? 1 : fields_.weekday + 1;
    pass_ordinal(piece);
    return {};
  }

  Read read_year(const MomentPiece& piece) {
    const auto read = number(piece.text.size(), piece);
    if (!read) {
      return read.error();
    }
    if (auto done = set(fields_.year, read->value, piece); !done) {
      return done;
    }
    fields_.year_digits = static_cast<int>(piece.text.size());
    if (fields_.year_digits < 4 && read->size < 4) {
      fields_.year = full_year(fields_.year);
    }
    pass_ordinal(piece);
    return {};
  }

  /// Thousands of any number of digits, a comma, up to three digits, or a sign and two.
  Read read_year_with_comma(const MomentPiece& piece) {
    const auto digits_from = [&](size_t at, size_t count) {
      size_t end = at;
      while (end < left_.size() && end < at + count && is_digit(left_[end])) {
        ++end;
      }
      return end;
    };
    size_t begin = 0;
    while (begin < left_.size() && is_space(left_[begin])) {
      ++begin;
    }
    const bool has_sign = begin < left_.size() && (left_[begin] == '-' || left_[begin] == '+');
    const size_t first = begin + (has_sign ? 1 : 0);
    const size_t comma = digits_from(first, 9);
    size_t rest = comma + 1;
    while (rest < left_.size() && is_space(left_[rest])) {
      ++rest;
    }
    const bool has_second_sign = rest < left_.size() && (left_[rest] == '-' || left_[rest] == '+');
    const size_t digits = rest + (has_second_sign ? 1 : 0);
    const size_t end = digits_from(digits, has_second_sign ? 2 : 3);
    if (comma == first || comma >= left_.size() || left_[comma] != ',' || end <= digits) {
      return rejected("22007", "invalid input string for \"Y,YYY\"");
    }
    const int64_t thousands = std::stoll(std::string(left_.substr(begin, comma - begin)));
    const int64_t year = std::stoll(std::string(left_.substr(rest, end - rest))) + thousands * 1'000;
    if (auto done = set(fields_.year, year, piece); !done) {
      return done;
    }
    fields_.year_digits = 4;
    step(end);
    pass_ordinal(piece);
    return {};
  }

  std::string_view left_;
  const std::vector<MomentPiece>& pieces_;
  size_t at_ = 0;
  int64_t skipped_ = 0;  ///< Blanks and separators beyond what the template has.
  char before_ = '\0';   ///< What was passed last.
  bool is_exact_ = false;
  Fields fields_;
};

// ---- moments ----

struct Moment {
  int64_t days = 0;
  int64_t micros = 0;  ///< Of the day.
  int64_t zone_seconds = 0;
  int fraction_digits = 0;
};

Error out_of_range_text(std::string_view text) {
  return rejected("22008", fmt::format("date/time field value out of range: \"{}\"", text));
}

/// Puts together what a text says.
class Assembler {
 public:
  Assembler(const Fields& fields, std::string_view text) : fields_(fields), text_(text) {}

  Result<Moment> made() {
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
    Moment moment;
    moment.days = days_from_civil({year_, static_cast<uint32_t>(month_), 1}) + day_ - 1;
    const int64_t fraction = fields_.millis * 1'000 + fields_.micros;
    if (hour_ < 0 || hour_ > 23 || minute_ < 0 || minute_ > 59 || second_ < 0 || second_ > 59 || fraction < 0 ||
        fraction >= kMicrosPerSecond) {
      return out_of_range_text(text_);
    }
    moment.micros = ((hour_ * 60 + minute_) * 60 + second_) * kMicrosPerSecond + fraction;
    if (fields_.zone_sign != 0) {
      constexpr int64_t kZoneHoursMax = 15;
      if (fields_.zone_hours < 0 || fields_.zone_hours > kZoneHoursMax || fields_.zone_minutes < 0 ||
          fields_.zone_minutes > 59) {
        return rejected("22009", fmt::format("time zone displacement out of range: \"{}\"", text_));
      }
      moment.zone_seconds = fields_.zone_sign * (fields_.zone_hours * 60 + fields_.zone_minutes) * 60;
    }
    moment.fraction_digits = fields_.fraction_digits;
    return moment;
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

  const Fields& fields_;
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

Result<Moment> moment_of(Arguments arguments) {
  const std::string& given = text(arguments[0]);
  const std::vector<MomentPiece> pieces = moment_pieces_of(text(arguments[1]));
  const Result<Fields> fields = Scanner(given, pieces).scanned();
  return fields ? Assembler(*fields, given).made() : fields.error();
}

Result<Value> to_date(Arguments arguments, const BoundExpression&) {
  const Result<Moment> moment = moment_of(arguments);
  if (!moment) {
    return moment.error();
  }
  if (moment->days < kDateDaysMin || moment->days > kDateDaysMax) {
    return rejected("22008", fmt::format("date out of range: \"{}\"", text(arguments[0])));
  }
  return Value(moment->days);
}

Result<Value> to_timestamp(Arguments arguments, const BoundExpression&) {
  const Result<Moment> moment = moment_of(arguments);
  if (!moment) {
    return moment.error();
  }
  __int128 micros = __int128{moment->days} * kMicrosPerDay + moment->micros - moment->zone_seconds * kMicrosPerSecond;
  if (moment->fraction_digits > 0) {
    int64_t unit = 1;
    for (int digits = moment->fraction_digits; digits < 6; ++digits) {
      unit *= 10;
    }
    const __int128 since = micros - __int128{946'684'800} * kMicrosPerSecond;
    const __int128 half = unit / 2;
    const __int128 rounded = since >= 0 ? (since + half) / unit * unit : -((-since + half) / unit * unit);
    micros += rounded - since;
  }
  if (micros < kTimestampMicrosMin || micros > kTimestampMicrosMax) {
    return rejected("22008", "timestamp out of range");
  }
  return Value(static_cast<int64_t>(micros));
}

}  // namespace

void add_text_moments(Functions& functions) {
  Adder adder(functions);
  adder.start(1610);
  adder.add("to_date", {kText, kText}, TypeKind::kDate, to_date);
  adder.is_stable();
  adder.add("to_timestamp", {kText, kText}, TypeKind::kTimestampTz, to_timestamp);
  adder.is_stable();
}

}  // namespace daedalus::semantics::scalar

#include "datetime_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"
#include "datetime_template.hpp"
#include "families.hpp"

namespace daedalus::semantics::scalar {
namespace {

bool has_role_of_space(char c) { return role_of(c) == DatetimeRole::kSpace; }
bool is_separator(char c) { return role_of(c) == DatetimeRole::kSeparator; }

/// Says whether a field shows a number, so that what follows it without anything between has to know where it ends.
bool is_number(DatetimeItem item) {
  switch (item) {
    case DatetimeItem::kEraDots:
    case DatetimeItem::kEra:
    case DatetimeItem::kMeridianDots:
    case DatetimeItem::kMeridian:
    case DatetimeItem::kDayName:
    case DatetimeItem::kDayShort:
    case DatetimeItem::kNothing:
    case DatetimeItem::kMonthName:
    case DatetimeItem::kMonthShort:
    case DatetimeItem::kMonthRoman:
    case DatetimeItem::kZoneOffset:
    case DatetimeItem::kZoneHours:
    case DatetimeItem::kZoneName:
      return false;
    default:
      return true;
  }
}

Calendar calendar_of(DatetimeItem item) {
  switch (item) {
    case DatetimeItem::kDayOfYear:
    case DatetimeItem::kDay:
    case DatetimeItem::kDayOfWeek:
    case DatetimeItem::kMonth:
    case DatetimeItem::kMonthName:
    case DatetimeItem::kMonthShort:
    case DatetimeItem::kMonthRoman:
    case DatetimeItem::kWeek:
    case DatetimeItem::kWeekOfMonth:
    case DatetimeItem::kYearComma:
    case DatetimeItem::kYear:
    case DatetimeItem::kYear3:
    case DatetimeItem::kYear2:
    case DatetimeItem::kYear1:
      return Calendar::kGregorian;
    case DatetimeItem::kIsoDayOfYear:
    case DatetimeItem::kIsoDayOfWeek:
    case DatetimeItem::kIsoWeek:
    case DatetimeItem::kIsoYear:
    case DatetimeItem::kIsoYear3:
    case DatetimeItem::kIsoYear2:
    case DatetimeItem::kIsoYear1:
      return Calendar::kIso;
    default:
      return Calendar::kNone;
  }
}

Error invalid(std::string_view text, const DatetimePiece& piece) {
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
  Scanner(std::string_view text, std::string_view format) : left_(text), pieces_(format), next_(pieces_.next()) {}

  Result<TemplateFields> scanned() {
    bool is_first = true;
    for (; next_ && !left_.empty(); is_first = false) {
      const DatetimePiece piece = *next_;
      next_ = pieces_.next();
      const bool is_exactly = piece.role == DatetimeRole::kField && piece.pattern.item == DatetimeItem::kNothing;
      if (!is_exact_ && !is_exactly && (piece.role == DatetimeRole::kField || is_first)) {
        skip_spaces();
      }
      if (piece.role != DatetimeRole::kField) {
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
    while (!left_.empty() && has_role_of_space(left_.front())) {
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

  /// A piece that stands for itself passes a character, whichever: one that was skipped already, where FX does not
  /// forbid that.
  void pass(const DatetimePiece& piece) {
    if (is_exact_) {
      step_character();
    } else if (piece.role == DatetimeRole::kLetter) {
      if (skipped_ > 0) {
        --skipped_;
      } else {
        step_character();
      }
    } else {
      --skipped_;
      if (!left_.empty() && (has_role_of_space(left_.front()) || is_separator(left_.front()))) {
        step(1);
        ++skipped_;
      }
    }
  }

  Read set(int64_t& field, int64_t value, const DatetimePiece& piece) {
    if (field != 0 && field != value) {
      return rejected("22007", fmt::format("conflicting values for \"{}\" field in formatting string", piece.text));
    }
    field = value;
    return {};
  }

  /// Says whether a number may go on as far as its digits do.
  [[nodiscard]] bool is_end_free(const DatetimePiece& piece) const {
    if (piece.is_bare || !piece.ordinal.empty() || !next_) {
      return true;
    }
    return next_->role == DatetimeRole::kField ? !is_number(next_->pattern.item)
                                               : !(next_->text.size() == 1 && is_digit(next_->text.front()));
  }

  struct Number {
    int64_t value = 0;
    size_t size = 0;  ///< Bytes it took, with blanks before it.
  };

  Result<Number> number(size_t width, const DatetimePiece& piece) {
    const size_t whole = left_.size();
    while (!left_.empty() && has_role_of_space(left_.front())) {
      step(1);
    }
    const bool is_free = is_end_free(piece);
    const std::string_view from = left_.substr(0, is_free ? left_.size() : width);
    const std::string_view shown = left_.substr(0, offset_of(left_, static_cast<int64_t>(width)));
    if (!is_free && from.size() < width) {
      return rejected("22007", fmt::format("source string too short for \"{}\" formatting field", piece.text));
    }
    Number made;
    size_t at = 0;
    if (!is_free) {
      while (at < from.size() && has_role_of_space(from[at])) {
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
  void pass_ordinal(const DatetimePiece& piece) {
    if (!piece.ordinal.empty()) {
      step_character();
      step_character();
    }
  }

  Read read_number(int64_t& field, size_t width, const DatetimePiece& piece) {
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

  Read read_number(int64_t& field, const DatetimePiece& piece) { return read_number(field, piece.text.size(), piece); }

  /// Digits behind a point: the first of them counts tenths.
  Read read_fraction(int64_t& field, size_t width, int digits, const DatetimePiece& piece) {
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
  Result<int64_t> word(const std::string_view (&words)[kCount], size_t length, const DatetimePiece& piece) {
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
                 const DatetimePiece& piece) {
    const auto found = word(words, length, piece);
    return found ? set(field, *found + first, piece) : Read(found.error());
  }

  Read read_field(const DatetimePiece& piece) {
    static constexpr std::string_view kEras[] = {"AD", "BC"};
    static constexpr std::string_view kErasWithDots[] = {"A.D.", "B.C."};
    static constexpr std::string_view kHalves[] = {"AM", "PM"};
    static constexpr std::string_view kHalvesWithDots[] = {"A.M.", "P.M."};
    constexpr size_t kWhole = std::string_view::npos;
    switch (piece.pattern.item) {
      case DatetimeItem::kNothing:
        is_exact_ = true;
        return {};
      case DatetimeItem::kEra:
        return read_word(fields_.is_before_christ, kEras, kWhole, 0, piece);
      case DatetimeItem::kEraDots:
        return read_word(fields_.is_before_christ, kErasWithDots, kWhole, 0, piece);
      case DatetimeItem::kMeridian:
        fields_.is_twelve_hours = true;
        return read_word(fields_.is_afternoon, kHalves, kWhole, 0, piece);
      case DatetimeItem::kMeridianDots:
        fields_.is_twelve_hours = true;
        return read_word(fields_.is_afternoon, kHalvesWithDots, kWhole, 0, piece);
      case DatetimeItem::kDayName:
        return read_weekday(kWhole, piece);
      case DatetimeItem::kDayShort:
        return read_weekday(kShortName, piece);
      case DatetimeItem::kMonthName:
        return read_word(fields_.month, kMonths, kWhole, 1, piece);
      case DatetimeItem::kMonthShort:
        return read_word(fields_.month, kMonths, kShortName, 1, piece);
      case DatetimeItem::kMonthRoman:
        return read_roman(piece);
      case DatetimeItem::kZoneName:
      case DatetimeItem::kZoneOffset:
        return rejected("0A000", fmt::format("formatting field \"{}\" is only supported in to_char", piece.text));
      default:
        return read_number_field(piece);
    }
  }

  /// It is compared before it counts from 1, so that PostgreSQL takes a day's name said twice for two days.
  Read read_weekday(size_t length, const DatetimePiece& piece) {
    auto read = read_word(fields_.weekday, kWeekdays, length, 0, piece);
    fields_.weekday += read ? 1 : 0;
    return read;
  }

  /// The longest first.
  Read read_roman(const DatetimePiece& piece) {
    static constexpr std::string_view kFromLast[] = {"XII", "XI", "X",  "IX",  "VIII", "VII",
                                                     "VI",  "V",  "IV", "III", "II",   "I"};
    const auto found = word(kFromLast, std::string_view::npos, piece);
    return found ? set(fields_.month, 12 - *found, piece) : Read(found.error());
  }

  Read read_number_field(const DatetimePiece& piece) {
    switch (piece.pattern.item) {
      case DatetimeItem::kHour12:
        fields_.is_twelve_hours = true;
        return read_number(fields_.hour, 2, piece);
      case DatetimeItem::kHour24:
        return read_number(fields_.hour, 2, piece);
      case DatetimeItem::kMinute:
        return read_number(fields_.minute, piece);
      case DatetimeItem::kSecond:
        return read_number(fields_.second, piece);
      case DatetimeItem::kSecondOfDay:
        return read_number(fields_.second_of_day, piece);
      case DatetimeItem::kZoneHours:
        return read_zone_hours(piece);
      case DatetimeItem::kZoneMinutes:
        fields_.zone_sign = fields_.zone_sign == 0 ? 1 : fields_.zone_sign;
        return read_zone_number(fields_.zone_minutes, piece);
      default:
        return piece.pattern.item >= DatetimeItem::kFraction1 && piece.pattern.item <= DatetimeItem::kFraction6
                   ? read_fraction_field(piece)
                   : read_date_field(piece);
    }
  }

  /// MS is FF3 among templates of output; of input it counts milliseconds.
  Read read_fraction_field(const DatetimePiece& piece) {
    const bool is_millis = to_lower(piece.text.front()) == 'm';
    if (is_millis) {
      return read_fraction(fields_.millis, 3, 3, piece);
    }
    const int digits = static_cast<int>(piece.pattern.item) - static_cast<int>(DatetimeItem::kFraction1) + 1;
    if (to_lower(piece.text.front()) == 'f') {
      fields_.fraction_digits = digits;
    }
    return read_fraction(fields_.micros, static_cast<size_t>(digits), 6, piece);
  }

  /// A sign may have passed as a separator.
  Read read_zone_hours(const DatetimePiece& piece) {
    if (!left_.empty() && (left_.front() == '+' || left_.front() == '-' || left_.front() == ' ')) {
      fields_.zone_sign = left_.front() == '-' ? -1 : 1;
      step(1);
    } else {
      fields_.zone_sign = skipped_ > 0 && before_ == '-' ? -1 : 1;
    }
    return read_zone_number(fields_.zone_hours, piece);
  }

  /// TH behind it passes nothing.
  Read read_zone_number(int64_t& field, const DatetimePiece& piece) {
    const auto read = number(2, piece);
    return read ? set(field, read->value, piece) : Read(read.error());
  }

  Read read_date_field(const DatetimePiece& piece) {
    int64_t ignored = 0;
    switch (piece.pattern.item) {
      case DatetimeItem::kDay:
        return read_number(fields_.day, piece);
      case DatetimeItem::kDayOfYear:
        return read_number(fields_.day_of_year, piece);
      case DatetimeItem::kIsoDayOfYear:
        return read_number(fields_.day_of_year, 3, piece);
      case DatetimeItem::kDayOfWeek:
        return read_number(fields_.weekday, piece);
      case DatetimeItem::kIsoDayOfWeek:
        return read_iso_weekday(piece);
      case DatetimeItem::kMonth:
        return read_number(fields_.month, piece);
      case DatetimeItem::kWeek:
      case DatetimeItem::kIsoWeek:
        return read_number(fields_.week, piece);
      case DatetimeItem::kWeekOfMonth:
        return read_number(fields_.week_of_month, piece);
      case DatetimeItem::kQuarter:
        return read_number(ignored, piece);  // It says less than a month, and would contradict it.
      case DatetimeItem::kCentury:
        return read_number(fields_.century, piece);
      case DatetimeItem::kJulian:
        return read_number(fields_.julian, piece);
      case DatetimeItem::kYearComma:
        return read_year_with_comma(piece);
      default:
        return read_year(piece);
    }
  }

  /// The week begins with Sunday here.
  Read read_iso_weekday(const DatetimePiece& piece) {
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

  Read read_year(const DatetimePiece& piece) {
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
  Read read_year_with_comma(const DatetimePiece& piece) {
    const auto digits_from = [&](size_t at, size_t count) {
      size_t end = at;
      while (end < left_.size() && end < at + count && is_digit(left_[end])) {
        ++end;
      }
      return end;
    };
    const auto spaces_from = [&](size_t at) {
      while (at < left_.size() && has_role_of_space(left_[at])) {
        ++at;
      }
      return at;
    };
    const size_t begin = spaces_from(0);
    const bool has_sign = begin < left_.size() && (left_[begin] == '-' || left_[begin] == '+');
    const size_t first = begin + (has_sign ? 1 : 0);
    const size_t comma = digits_from(first, 9);
    const size_t rest = spaces_from(comma + 1);
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
  DatetimePieces pieces_;
  std::optional<DatetimePiece> next_;  ///< It follows the piece at hand.
  int64_t skipped_ = 0;                ///< Blanks and separators beyond what the template has.
  char before_ = '\0';                 ///< It was passed last.
  bool is_exact_ = false;
  TemplateFields fields_;
};

}  // namespace

Result<TemplateFields> scan_datetime(std::string_view text, std::string_view format) {
  return Scanner(text, format).scanned();
}

}  // namespace daedalus::semantics::scalar

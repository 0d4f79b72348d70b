#include "datetime_template.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>

namespace daedalus::semantics::scalar {
namespace {

/// Ascending by their first letters; of those that begin with the same one the first that fits is meant.
constexpr DatetimePattern kSqlTimestampPatterns[] = {
    {"A.D.", DatetimeItem::kEraDots},
    {"A.M.", DatetimeItem::kMeridianDots},
    {"AD", DatetimeItem::kEra},
    {"AM", DatetimeItem::kMeridian},
    {"B.C.", DatetimeItem::kEraDots},
    {"BC", DatetimeItem::kEra},
    {"CC", DatetimeItem::kCentury},
    {"DAY", DatetimeItem::kDayName},
    {"DDD", DatetimeItem::kDayOfYear},
    {"DD", DatetimeItem::kDay},
    {"DY", DatetimeItem::kDayShort},
    {"Day", DatetimeItem::kDayName, Letters::kFirst},
    {"Dy", DatetimeItem::kDayShort, Letters::kFirst},
    {"D", DatetimeItem::kDayOfWeek},
    {"FF1", DatetimeItem::kFraction1},
    {"FF2", DatetimeItem::kFraction2},
    {"FF3", DatetimeItem::kFraction3},
    {"FF4", DatetimeItem::kFraction4},
    {"FF5", DatetimeItem::kFraction5},
    {"FF6", DatetimeItem::kFraction6},
    {"FX", DatetimeItem::kNothing},
    {"HH24", DatetimeItem::kHour24},
    {"HH12", DatetimeItem::kHour12},
    {"HH", DatetimeItem::kHour12},
    {"IDDD", DatetimeItem::kIsoDayOfYear},
    {"ID", DatetimeItem::kIsoDayOfWeek},
    {"IW", DatetimeItem::kIsoWeek},
    {"IYYY", DatetimeItem::kIsoYear},
    {"IYY", DatetimeItem::kIsoYear3},
    {"IY", DatetimeItem::kIsoYear2},
    {"I", DatetimeItem::kIsoYear1},
    {"J", DatetimeItem::kJulian},
    {"MI", DatetimeItem::kMinute},
    {"MM", DatetimeItem::kMonth},
    {"MONTH", DatetimeItem::kMonthName},
    {"MON", DatetimeItem::kMonthShort},
    {"MS", DatetimeItem::kFraction3},
    {"Month", DatetimeItem::kMonthName, Letters::kFirst},
    {"Mon", DatetimeItem::kMonthShort, Letters::kFirst},
    {"OF", DatetimeItem::kZoneOffset},
    {"P.M.", DatetimeItem::kMeridianDots},
    {"PM", DatetimeItem::kMeridian},
    {"Q", DatetimeItem::kQuarter},
    {"RM", DatetimeItem::kMonthRoman},
    {"SSSSS", DatetimeItem::kSecondOfDay},
    {"SSSS", DatetimeItem::kSecondOfDay},
    {"SS", DatetimeItem::kSecond},
    {"TZH", DatetimeItem::kZoneHours},
    {"TZM", DatetimeItem::kZoneMinutes},
    {"TZ", DatetimeItem::kZoneName},
    {"US", DatetimeItem::kFraction6},
    {"WW", DatetimeItem::kWeek},
    {"W", DatetimeItem::kWeekOfMonth},
    {"Y,YYY", DatetimeItem::kYearComma},
    {"YYYY", DatetimeItem::kYear},
    {"YYY", DatetimeItem::kYear3},
    {"YY", DatetimeItem::kYear2},
    {"Y", DatetimeItem::kYear1},
};

constexpr PatternTable kSqlTimestampTable(kSqlTimestampPatterns);

/// The pattern that a text begins with; an empty one: none.
DatetimePattern pattern_of(std::string_view text) {
  const bool is_small = is_lower(text.front());
  for (const DatetimePattern& pattern : kSqlTimestampTable.from(text.front())) {
    // Names with small letters are spelled once as they are shown, and have no second spelling.
    const bool is_mixed = pattern.letters == Letters::kFirst;
    if (!(is_small && is_mixed) && is_next(text, pattern.name, is_small)) {
      return {pattern.name, pattern.item, is_small ? Letters::kLower : pattern.letters};
    }
  }
  return {{}, DatetimeItem::kNothing};
}

}  // namespace

void append_with_letters(std::string_view word, Letters letters, std::string& out) {
  if (letters == Letters::kFirst) {
    out += word;
  } else {
    std::transform(word.begin(), word.end(), std::back_inserter(out), letters == Letters::kUpper ? to_upper : to_lower);
  }
}

void append_padded(int64_t value, int width, std::string& out) {
  constexpr size_t kDigitsMax = 20;
  std::array<char, kDigitsMax> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(value));
  const auto size = static_cast<int>(end.ptr - digits.data()) + (value < 0 ? 1 : 0);
  out.append(value < 0 ? "-" : "").append(static_cast<size_t>(std::max(width - size, 0)), '0');
  out.append(digits.data(), end.ptr);
}

DatetimeRole role_of(char c) {
  if (c == ' ' || (c >= '\t' && c <= '\r')) {
    return DatetimeRole::kSpace;
  }
  return c > ' ' && c < '\x7f' && !is_letter(c) && !is_digit(c) ? DatetimeRole::kSeparator : DatetimeRole::kLetter;
}

DatetimePiece DatetimePieces::taken(const DatetimePattern& pattern) {
  DatetimePiece piece{DatetimeRole::kField, pattern, text_.take(pattern.name.size())};
  if (text_.left().starts_with("TH") || text_.left().starts_with("th")) {
    piece.ordinal = text_.take(2);
  } else if (text_.left().starts_with("SP")) {
    text_.take(2);  // To be spelled, which PostgreSQL does not do either.
  }
  return piece;
}

std::optional<DatetimePiece> DatetimePieces::next() {
  while (true) {
    if (const std::optional<std::string_view> quoted = text_.take_quoted()) {
      return DatetimePiece{DatetimeRole::kLetter, {}, *quoted};
    }
    if (text_.empty()) {
      return std::nullopt;
    }
    const bool is_small = is_lower(text_.left().front());
    const bool is_bare = is_next(text_.left(), "FM", is_small);
    const bool is_localised = is_next(text_.left(), "TM", is_small);
    text_.take(is_bare || is_localised ? 2 : 0);
    if (text_.empty() || text_.left().front() == '"') {
      continue;
    }
    if (const DatetimePattern pattern = pattern_of(text_.left()); !pattern.name.empty()) {
      DatetimePiece piece = taken(pattern);
      piece.is_bare = is_bare;
      piece.is_localised = is_localised;
      return piece;
    }
    const DatetimeRole role = role_of(text_.left().starts_with("\\\"") ? '"' : text_.left().front());
    return DatetimePiece{role, {}, text_.take_unquoted()};
  }
}

}  // namespace daedalus::semantics::scalar

#include "moment_template.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>

namespace daedalus::semantics::scalar {
namespace {

/// Ascending by their first letters; of those that begin with the same one the first that fits is meant.
constexpr MomentPattern kMomentPatterns[] = {
    {"A.D.", MomentItem::kEraDots},
    {"A.M.", MomentItem::kMeridianDots},
    {"AD", MomentItem::kEra},
    {"AM", MomentItem::kMeridian},
    {"B.C.", MomentItem::kEraDots},
    {"BC", MomentItem::kEra},
    {"CC", MomentItem::kCentury},
    {"DAY", MomentItem::kDayName},
    {"DDD", MomentItem::kDayOfYear},
    {"DD", MomentItem::kDay},
    {"DY", MomentItem::kDayShort},
    {"Day", MomentItem::kDayName, Letters::kFirst},
    {"Dy", MomentItem::kDayShort, Letters::kFirst},
    {"D", MomentItem::kDayOfWeek},
    {"FF1", MomentItem::kFraction1},
    {"FF2", MomentItem::kFraction2},
    {"FF3", MomentItem::kFraction3},
    {"FF4", MomentItem::kFraction4},
    {"FF5", MomentItem::kFraction5},
    {"FF6", MomentItem::kFraction6},
    {"FX", MomentItem::kNothing},
    {"HH24", MomentItem::kHour24},
    {"HH12", MomentItem::kHour12},
    {"HH", MomentItem::kHour12},
    {"IDDD", MomentItem::kIsoDayOfYear},
    {"ID", MomentItem::kIsoDayOfWeek},
    {"IW", MomentItem::kIsoWeek},
    {"IYYY", MomentItem::kIsoYear},
    {"IYY", MomentItem::kIsoYear3},
    {"IY", MomentItem::kIsoYear2},
    {"I", MomentItem::kIsoYear1},
    {"J", MomentItem::kJulian},
    {"MI", MomentItem::kMinute},
    {"MM", MomentItem::kMonth},
    {"MONTH", MomentItem::kMonthName},
    {"MON", MomentItem::kMonthShort},
    {"MS", MomentItem::kFraction3},
    {"Month", MomentItem::kMonthName, Letters::kFirst},
    {"Mon", MomentItem::kMonthShort, Letters::kFirst},
    {"OF", MomentItem::kZoneOffset},
    {"P.M.", MomentItem::kMeridianDots},
    {"PM", MomentItem::kMeridian},
    {"Q", MomentItem::kQuarter},
    {"RM", MomentItem::kMonthRoman},
    {"SSSSS", MomentItem::kSecondOfDay},
    {"SSSS", MomentItem::kSecondOfDay},
    {"SS", MomentItem::kSecond},
    {"TZH", MomentItem::kZoneHours},
    {"TZM", MomentItem::kZoneMinutes},
    {"TZ", MomentItem::kZoneName},
    {"US", MomentItem::kFraction6},
    {"WW", MomentItem::kWeek},
    {"W", MomentItem::kWeekOfMonth},
    {"Y,YYY", MomentItem::kYearComma},
    {"YYYY", MomentItem::kYear},
    {"YYY", MomentItem::kYear3},
    {"YY", MomentItem::kYear2},
    {"Y", MomentItem::kYear1},
};

constexpr PatternTable kMomentTable(kMomentPatterns);

/// The pattern that a text begins with; an empty one: none.
MomentPattern pattern_of(std::string_view text) {
  const bool is_small = is_lower(text.front());
  for (const MomentPattern& pattern : kMomentTable.from(text.front())) {
    // Names with small letters are spelled once as they are shown, and have no second spelling.
    const bool is_mixed = pattern.letters == Letters::kFirst;
    if (!(is_small && is_mixed) && is_next(text, pattern.name, is_small)) {
      return {pattern.name, pattern.item, is_small ? Letters::kLower : pattern.letters};
    }
  }
  return {{}, MomentItem::kNothing};
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

MomentRole role_of(char c) {
  if (c == ' ' || (c >= '\t' && c <= '\r')) {
    return MomentRole::kSpace;
  }
  return c > ' ' && c < '\x7f' && !is_letter(c) && !is_digit(c) ? MomentRole::kSeparator : MomentRole::kLetter;
}

MomentPiece MomentPieces::taken(const MomentPattern& pattern) {
  MomentPiece piece{MomentRole::kField, pattern, text_.take(pattern.name.size())};
  if (text_.left().starts_with("TH") || text_.left().starts_with("th")) {
    piece.ordinal = text_.take(2);
  } else if (text_.left().starts_with("SP")) {
    text_.take(2);  // To be spelled, which PostgreSQL does not do either.
  }
  return piece;
}

std::optional<MomentPiece> MomentPieces::next() {
  while (true) {
    if (const std::optional<std::string_view> quoted = text_.take_quoted()) {
      return MomentPiece{MomentRole::kLetter, {}, *quoted};
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
    if (const MomentPattern pattern = pattern_of(text_.left()); !pattern.name.empty()) {
      MomentPiece piece = taken(pattern);
      piece.is_bare = is_bare;
      piece.is_localised = is_localised;
      return piece;
    }
    const MomentRole role = role_of(text_.left().starts_with("\\\"") ? '"' : text_.left().front());
    return MomentPiece{role, {}, text_.take_unquoted()};
  }
}

}  // namespace daedalus::semantics::scalar

#include "moment_template.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "../characters.hpp"
#include "daedalus/semantics/characters.hpp"

namespace daedalus::semantics::scalar {
namespace {

/// Of those that begin with the same letter the first that fits is meant.
constexpr MomentPattern kPatterns[] = {
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

char raised(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }

class TemplateReader {
 public:
  std::vector<MomentPiece> pieces_of(std::string_view text) {
    while (!text.empty()) {
      take(text);
    }
    return std::move(made_);
  }

 private:
  void take(std::string_view& text) {
    const bool is_small = is_lower(text.front());
    const bool is_bare = is_next(text, "FM", is_small);
    text.remove_prefix(is_bare || is_next(text, "TM", is_small) ? 2 : 0);
    if (text.empty()) {
      return;
    }
    if (const MomentPattern pattern = pattern_of(text); !pattern.name.empty()) {
      MomentPiece& piece =
          made_.emplace_back(MomentPiece{MomentRole::kField, pattern, text.substr(0, pattern.name.size()), is_bare});
      text.remove_prefix(pattern.name.size());
      piece.ordinal = text.starts_with("TH") || text.starts_with("th") ? text.substr(0, 2) : std::string_view();
      text.remove_prefix(!piece.ordinal.empty() || text.starts_with("SP") ? 2 : 0);
    } else if (text.front() == '"') {
      take_quoted(text);
    } else {
      text.remove_prefix(text.starts_with("\\\"") ? 1 : 0);
      take_character(text, role_of(text.front()));
    }
  }

  void take_character(std::string_view& text, MomentRole role) {
    const size_t size = std::min(character_size(text.front()), text.size());
    made_.push_back({role, {}, text.substr(0, size)});
    text.remove_prefix(size);
  }

  void take_quoted(std::string_view& text) {
    text.remove_prefix(1);
    while (!text.empty() && text.front() != '"') {
      text.remove_prefix(text.front() == '\\' && text.size() > 1 ? 1 : 0);
      take_character(text, MomentRole::kLetter);
    }
    text.remove_prefix(text.empty() ? 0 : 1);
  }

  std::vector<MomentPiece> made_;
};

/// Compares by the first letter alone.
struct ByLetter {
  bool operator()(const MomentPattern& pattern, char letter) const { return pattern.name.front() < letter; }
  bool operator()(char letter, const MomentPattern& pattern) const { return letter < pattern.name.front(); }
};

}  // namespace

std::string with_letters(std::string_view word, Letters letters) {
  std::string made(word);
  if (letters != Letters::kFirst) {
    std::transform(made.begin(), made.end(), made.begin(), letters == Letters::kUpper ? raised : to_lower);
  }
  return made;
}

bool is_next(std::string_view text, std::string_view name, bool is_small) {
  return text.size() >= name.size() && std::equal(name.begin(), name.end(), text.begin(), [&](char wanted, char c) {
           return (is_small ? to_lower(wanted) : wanted) == c;
         });
}

MomentPattern pattern_of(std::string_view text) {
  const bool is_small = is_lower(text.front());
  const auto [begin, end] =
      std::equal_range(std::begin(kPatterns), std::end(kPatterns), raised(text.front()), ByLetter());
  for (const MomentPattern& pattern : std::span(begin, end)) {
    // Names with small letters are spelled once as they are shown, and have no second spelling.
    const bool is_mixed = pattern.letters == Letters::kFirst;
    if (!(is_small && is_mixed) && is_next(text, pattern.name, is_small)) {
      return {pattern.name, pattern.item, is_small ? Letters::kLower : pattern.letters};
    }
  }
  return {{}, MomentItem::kNothing};
}

MomentRole role_of(char c) {
  if (c == ' ' || (c >= '\t' && c <= '\r')) {
    return MomentRole::kSpace;
  }
  return c > ' ' && c < '\x7f' && !is_letter(c) && !is_digit(c) ? MomentRole::kSeparator : MomentRole::kLetter;
}

std::vector<MomentPiece> moment_pieces_of(std::string_view text) { return TemplateReader().pieces_of(text); }

}  // namespace daedalus::semantics::scalar

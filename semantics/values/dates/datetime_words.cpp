#include "datetime_words.hpp"

#include <algorithm>
#include <array>

#include "characters.hpp"

namespace daedalus::semantics {
namespace {

using WordKind = DatetimeWord::Kind;

struct NamedWord {
  std::string_view name;
  DatetimeWord word;
};

/// Sorted by name, as all tables here.
constexpr auto kWords = std::to_array<NamedWord>({
    {"-infinity", {WordKind::kEarly}},
    {"ad", {WordKind::kAfterChrist}},
    {"allballs", {WordKind::kMidnight}},
    {"am", {WordKind::kMorning}},
    {"apr", {WordKind::kMonth, 4}},
    {"april", {WordKind::kMonth, 4}},
    {"at", {WordKind::kIgnored}},
    {"aug", {WordKind::kMonth, 8}},
    {"august", {WordKind::kMonth, 8}},
    {"bc", {WordKind::kBeforeChrist}},
    {"d", {WordKind::kLabel, 0, DatetimeLabel::kDay}},
    {"dec", {WordKind::kMonth, 12}},
    {"december", {WordKind::kMonth, 12}},
    {"dow", {WordKind::kLabel, 0, DatetimeLabel::kOther}},
    {"doy", {WordKind::kLabel, 0, DatetimeLabel::kOther}},
    {"dst", {WordKind::kDaylightModifier}},
    {"epoch", {WordKind::kEpoch}},
    {"feb", {WordKind::kMonth, 2}},
    {"february", {WordKind::kMonth, 2}},
    {"fri", {WordKind::kWeekday}},
    {"friday", {WordKind::kWeekday}},
    {"h", {WordKind::kLabel, 0, DatetimeLabel::kHour}},
    {"infinity", {WordKind::kLate}},
    {"isodow", {WordKind::kLabel, 0, DatetimeLabel::kOther}},
    {"isoyear", {WordKind::kLabel, 0, DatetimeLabel::kOther}},
    {"j", {WordKind::kLabel, 0, DatetimeLabel::kJulianDay}},
    {"jan", {WordKind::kMonth, 1}},
    {"january", {WordKind::kMonth, 1}},
    {"jd", {WordKind::kLabel, 0, DatetimeLabel::kJulianDay}},
    {"jul", {WordKind::kMonth, 7}},
    {"julian", {WordKind::kLabel, 0, DatetimeLabel::kJulianDay}},
    {"july", {WordKind::kMonth, 7}},
    {"jun", {WordKind::kMonth, 6}},
    {"june", {WordKind::kMonth, 6}},
    {"m", {WordKind::kLabel, 0, DatetimeLabel::kMonth}},
    {"mar", {WordKind::kMonth, 3}},
    {"march", {WordKind::kMonth, 3}},
    {"may", {WordKind::kMonth, 5}},
    {"mm", {WordKind::kLabel, 0, DatetimeLabel::kMinute}},
    {"mon", {WordKind::kWeekday}},
    {"monday", {WordKind::kWeekday}},
    {"nov", {WordKind::kMonth, 11}},
    {"november", {WordKind::kMonth, 11}},
    {"now", {WordKind::kNow}},
    {"oct", {WordKind::kMonth, 10}},
    {"october", {WordKind::kMonth, 10}},
    {"on", {WordKind::kIgnored}},
    {"pm", {WordKind::kAfternoon}},
    {"s", {WordKind::kLabel, 0, DatetimeLabel::kSecond}},
    {"sat", {WordKind::kWeekday}},
    {"saturday", {WordKind::kWeekday}},
    {"sep", {WordKind::kMonth, 9}},
    {"sept", {WordKind::kMonth, 9}},
    {"september", {WordKind::kMonth, 9}},
    {"sun", {WordKind::kWeekday}},
    {"sunday", {WordKind::kWeekday}},
    {"t", {WordKind::kIsoTime}},
    {"thu", {WordKind::kWeekday}},
    {"thur", {WordKind::kWeekday}},
    {"thurs", {WordKind::kWeekday}},
    {"thursday", {WordKind::kWeekday}},
    {"today", {WordKind::kDay}},
    {"tomorrow", {WordKind::kDay, 1}},
    {"tue", {WordKind::kWeekday}},
    {"tues", {WordKind::kWeekday}},
    {"tuesday", {WordKind::kWeekday}},
    {"wed", {WordKind::kWeekday}},
    {"wednesday", {WordKind::kWeekday}},
    {"weds", {WordKind::kWeekday}},
    {"y", {WordKind::kLabel, 0, DatetimeLabel::kYear}},
    {"yesterday", {WordKind::kDay, -1}},
});

/// Zones of the time zone database whose name is one word, as far as they are no abbreviations.
constexpr auto kZoneWords = std::to_array<std::string_view>({
    "cuba",     "egypt",      "eire",  "factory",   "gb",    "gb-eire",   "greenwich", "hongkong",  "iceland", "iran",
    "israel",   "jamaica",    "japan", "kwajalein", "libya", "localtime", "navajo",    "nz",        "nz-chat", "poland",
    "portugal", "posixrules", "prc",   "roc",       "rok",   "singapore", "turkey",    "universal", "w-su",
});

/// Its other names begin with one of these, up to the first slash.
constexpr auto kZoneAreas = std::to_array<std::string_view>({
    "africa",
    "america",
    "antarctica",
    "arctic",
    "asia",
    "atlantic",
    "australia",
    "brazil",
    "canada",
    "chile",
    "etc",
    "europe",
    "indian",
    "mexico",
    "pacific",
    "posix",
    "right",
    "us",
});

template <size_t kSize>
constexpr bool contains(const std::array<std::string_view, kSize>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

static_assert(std::is_sorted(kWords.begin(), kWords.end(),
                             [](const NamedWord& left, const NamedWord& right) { return left.name < right.name; }));
static_assert(std::is_sorted(kZoneWords.begin(), kZoneWords.end()));
static_assert(std::is_sorted(kZoneAreas.begin(), kZoneAreas.end()));

/// Takes digits that make a number of at most `max` from the front.
bool take_number(std::string_view& rest, int max) {
  if (rest.empty() || !is_digit(rest.front())) {
    return false;
  }
  int number = 0;
  while (!rest.empty() && is_digit(rest.front())) {
    number = number * 10 + (rest.front() - '0');
    if (number > max) {
      return false;
    }
    rest.remove_prefix(1);
  }
  return true;
}

/// Takes [+-]h[:m[:s]] from the front, within the bounds of POSIX's zones.
bool take_offset(std::string_view& rest) {
  constexpr int kHoursMax = 167;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    rest.remove_prefix(1);
  }
  if (!take_number(rest, kHoursMax)) {
    return false;
  }
  for (const int max : {59, 60}) {
    if (rest.empty() || rest.front() != ':') {
      return true;
    }
    rest.remove_prefix(1);
    if (!take_number(rest, max)) {
      return false;
    }
  }
  return true;
}

/// Takes the name of a zone as POSIX spells it.
bool take_name(std::string_view& rest) {
  const size_t size = std::min(rest.find_first_of("0123456789+-"), rest.size());
  rest.remove_prefix(size);
  return size > 0;
}

/// Says whether it is what POSIX puts into TZ, without rules: est5, est5edt, foo+3:30bar.
bool is_posix_zone(std::string_view name) {
  if (!take_name(name) || !take_offset(name)) {
    return false;
  }
  return name.empty() || (take_name(name) && (name.empty() || (take_offset(name) && name.empty())));
}

}  // namespace

std::optional<DatetimeWord> find_datetime_word(std::string_view text) {
  const auto* const found =
      std::lower_bound(kWords.begin(), kWords.end(), text,
                       [](const NamedWord& word, std::string_view wanted) { return word.name < wanted; });
  return found != kWords.end() && found->name == text ? std::optional(found->word) : std::nullopt;
}

ZoneName find_zone(std::string_view name) {
  if (is_posix_zone(name) || contains(kZoneWords, name)) {
    return ZoneName::kWord;
  }
  const size_t slash = name.find('/');
  const bool is_location = slash != std::string_view::npos && contains(kZoneAreas, name.substr(0, slash));
  return is_location ? ZoneName::kLocation : ZoneName::kNone;
}

}  // namespace daedalus::semantics

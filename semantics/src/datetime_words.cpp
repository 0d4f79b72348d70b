#include "datetime_words.hpp"

#include <algorithm>
#include <array>

#include "characters.hpp"

namespace daedalus::semantics {
namespace {

using Kind = DatetimeWord::Kind;

struct NamedWord {
  std::string_view name;
  DatetimeWord word;
};

/// Sorted by name, as all tables here.
constexpr auto kWords = std::to_array<NamedWord>({
    {"-infinity", {Kind::kEarly}},
    {"ad", {Kind::kAfterChrist}},
    {"allballs", {Kind::kMidnight}},
    {"am", {Kind::kMorning}},
    {"apr", {Kind::kMonth, 4}},
    {"april", {Kind::kMonth, 4}},
    {"at", {Kind::kIgnored}},
    {"aug", {Kind::kMonth, 8}},
    {"august", {Kind::kMonth, 8}},
    {"bc", {Kind::kBeforeChrist}},
    {"d", {Kind::kLabel, 0, DatetimeLabel::kDay}},
    {"dec", {Kind::kMonth, 12}},
    {"december", {Kind::kMonth, 12}},
    {"dow", {Kind::kLabel, 0, DatetimeLabel::kOther}},
    {"doy", {Kind::kLabel, 0, DatetimeLabel::kOther}},
    {"dst", {Kind::kDaylightModifier}},
    {"epoch", {Kind::kEpoch}},
    {"feb", {Kind::kMonth, 2}},
    {"february", {Kind::kMonth, 2}},
    {"fri", {Kind::kWeekday}},
    {"friday", {Kind::kWeekday}},
    {"h", {Kind::kLabel, 0, DatetimeLabel::kHour}},
    {"infinity", {Kind::kLate}},
    {"isodow", {Kind::kLabel, 0, DatetimeLabel::kOther}},
    {"isoyear", {Kind::kLabel, 0, DatetimeLabel::kOther}},
    {"j", {Kind::kLabel, 0, DatetimeLabel::kJulianDay}},
    {"jan", {Kind::kMonth, 1}},
    {"january", {Kind::kMonth, 1}},
    {"jd", {Kind::kLabel, 0, DatetimeLabel::kJulianDay}},
    {"jul", {Kind::kMonth, 7}},
    {"julian", {Kind::kLabel, 0, DatetimeLabel::kJulianDay}},
    {"july", {Kind::kMonth, 7}},
    {"jun", {Kind::kMonth, 6}},
    {"june", {Kind::kMonth, 6}},
    {"m", {Kind::kLabel, 0, DatetimeLabel::kMonth}},
    {"mar", {Kind::kMonth, 3}},
    {"march", {Kind::kMonth, 3}},
    {"may", {Kind::kMonth, 5}},
    {"mm", {Kind::kLabel, 0, DatetimeLabel::kMinute}},
    {"mon", {Kind::kWeekday}},
    {"monday", {Kind::kWeekday}},
    {"nov", {Kind::kMonth, 11}},
    {"november", {Kind::kMonth, 11}},
    {"now", {Kind::kNow}},
    {"oct", {Kind::kMonth, 10}},
    {"october", {Kind::kMonth, 10}},
    {"on", {Kind::kIgnored}},
    {"pm", {Kind::kAfternoon}},
    {"s", {Kind::kLabel, 0, DatetimeLabel::kSecond}},
    {"sat", {Kind::kWeekday}},
    {"saturday", {Kind::kWeekday}},
    {"sep", {Kind::kMonth, 9}},
    {"sept", {Kind::kMonth, 9}},
    {"september", {Kind::kMonth, 9}},
    {"sun", {Kind::kWeekday}},
    {"sunday", {Kind::kWeekday}},
    {"t", {Kind::kIsoTime}},
    {"thu", {Kind::kWeekday}},
    {"thur", {Kind::kWeekday}},
    {"thurs", {Kind::kWeekday}},
    {"thursday", {Kind::kWeekday}},
    {"today", {Kind::kDay}},
    {"tomorrow", {Kind::kDay, 1}},
    {"tue", {Kind::kWeekday}},
    {"tues", {Kind::kWeekday}},
    {"tuesday", {Kind::kWeekday}},
    {"wed", {Kind::kWeekday}},
    {"wednesday", {Kind::kWeekday}},
    {"weds", {Kind::kWeekday}},
    {"y", {Kind::kLabel, 0, DatetimeLabel::kYear}},
    {"yesterday", {Kind::kDay, -1}},
});

/// Zones of the time zone database whose name is one word, as far as they are no abbreviations.
constexpr auto kZoneWords = std::to_array<std::string_view>({
    "cuba",     "egypt",      "eire",  "factory",   "gb",    "gb-eire",   "greenwich", "hongkong",  "iceland", "iran",
    "israel",   "jamaica",    "japan", "kwajalein", "libya", "localtime", "navajo",    "nz",        "nz-chat", "poland",
    "portugal", "posixrules", "prc",   "roc",       "rok",   "singapore", "turkey",    "universal", "w-su",
});

/// What its other names begin with, up to the first slash.
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

/// What POSIX puts into TZ, without rules: est5, est5edt, foo+3:30bar.
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

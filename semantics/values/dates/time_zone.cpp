// A zone travels as a text, and is read from it.
//
// A text of characters from '0' to 'o', six bits each, highest first. One kind character: '0' for a zone, '1' for an
// abbreviation: then the size of its zone's text in three characters, that text, and what the abbreviation has meant.
// '!' for none: then the error's words. The rules of each: the number of transitions in two characters; the offset
// before them in four; of each transition its SQL timestamp in six and its offset in four; and, where a rule holds in
// every year, its standard offset, or that and daylight's, and when that begins and ends.
#include "daedalus/semantics/time_zone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "characters.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "datetime_numbers.hpp"
#include "posix_zone.hpp"
#include "units_of_time.hpp"
#include "zone_abbreviations.hpp"

namespace daedalus::semantics {
namespace {

constexpr char kZero = '0';
constexpr uint32_t kBits = 6;
constexpr int64_t kDigitMask = (1 << kBits) - 1;

constexpr char kPlainZone = '0';
constexpr char kAbbreviation = '1';
constexpr char kNoZone = '!';
constexpr size_t kSizeDigits = 3;
constexpr size_t kCountDigits = 2;
constexpr size_t kOffsetDigits = 4;
constexpr size_t kSqlTimestampDigits = 6;
constexpr size_t kTransitionSize = kSqlTimestampDigits + kOffsetDigits;
constexpr size_t kRuleSize = 1 + 1 + 1 + 2 + kOffsetDigits;
constexpr size_t kDaylightSize = kOffsetDigits + 2 * kRuleSize;
/// So that what is written is never negative.
constexpr int64_t kOffsetBias = int64_t{1} << 23;
constexpr int64_t kSqlTimestampBias = int64_t{1} << 35;

// ---- to text ----

void append_number(int64_t number, size_t digits, std::string& out) {
  for (size_t digit = digits; digit > 0; --digit) {
    out.push_back(static_cast<char>(kZero + (number >> (kBits * (digit - 1)) & kDigitMask)));
  }
}

void append_rule(const YearlyRule& rule, std::string& out) {
  append_number(static_cast<int64_t>(rule.kind), 1, out);
  append_number(rule.month, 1, out);
  append_number(rule.week, 1, out);
  append_number(rule.day, 2, out);
  append_number(rule.seconds + kOffsetBias, kOffsetDigits, out);
}

std::string text_of(const ZoneTable& zone) {
  std::string text;
  append_number(static_cast<int64_t>(zone.transitions.size()), kCountDigits, text);
  append_number(zone.first_offset + kOffsetBias, kOffsetDigits, text);
  for (const ZoneTable::Transition& transition : zone.transitions) {
    CHECK(transition.at >= -kSqlTimestampBias && transition.at < kSqlTimestampBias);
    append_number(transition.at + kSqlTimestampBias, kSqlTimestampDigits, text);
    append_number(transition.offset + kOffsetBias, kOffsetDigits, text);
  }
  if (zone.footer) {
    append_number(zone.footer->standard + kOffsetBias, kOffsetDigits, text);
    if (zone.footer->daylight) {
      append_number(zone.footer->daylight->offset + kOffsetBias, kOffsetDigits, text);
      append_rule(zone.footer->daylight->begin, text);
      append_rule(zone.footer->daylight->end, text);
    }
  }
  return text;
}

// ---- from text ----

int64_t number_at(std::string_view text, size_t at, size_t digits) {
  int64_t number = 0;
  for (const char c : text.substr(at, digits)) {
    number = number << kBits | ((c - kZero) & kDigitMask);
  }
  return number;
}

int64_t offset_in(std::string_view text, size_t at) { return number_at(text, at, kOffsetDigits) - kOffsetBias; }

std::optional<YearlyRule> rule_at(std::string_view text, size_t at) {
  YearlyRule rule;
  const int64_t kind = number_at(text, at, 1);
  rule.kind = static_cast<YearlyRule::Kind>(kind);
  rule.month = static_cast<uint8_t>(number_at(text, at + 1, 1));
  rule.week = static_cast<uint8_t>(number_at(text, at + 2, 1));
  rule.day = static_cast<uint16_t>(number_at(text, at + 3, 2));
  rule.seconds = static_cast<int32_t>(offset_in(text, at + 5));
  const bool is_weekday = rule.kind == YearlyRule::Kind::kWeekday;
  const bool is_sound = is_weekday
                            ? rule.month >= 1 && rule.month <= 12 && rule.week >= 1 && rule.week <= 5 && rule.day <= 6
                            : kind <= static_cast<int64_t>(YearlyRule::Kind::kZeroBasedDay) && rule.day <= 365;
  return is_sound ? std::optional(rule) : std::nullopt;
}

std::optional<ZoneFooter> footer_of(std::string_view text) {
  ZoneFooter footer{.standard = static_cast<int32_t>(offset_in(text, 0)), .daylight = {}};
  if (text.size() == kOffsetDigits) {
    return footer;
  }
  const auto begin = rule_at(text, 2 * kOffsetDigits);
  const auto end = rule_at(text, 2 * kOffsetDigits + kRuleSize);
  if (!begin || !end) {
    return std::nullopt;
  }
  footer.daylight = ZoneFooter::Daylight{static_cast<int32_t>(offset_in(text, kOffsetDigits)), *begin, *end};
  return footer;
}

// ---- what holds in every year ----

struct YearlyTransition {
  int64_t at;
  int64_t offset;
};

/// Gives the transitions of the year, ascending.
std::pair<YearlyTransition, YearlyTransition> transitions_of(const ZoneFooter& footer, int64_t year) {
  const ZoneFooter::Daylight& daylight = *footer.daylight;
  YearlyTransition begin{timestamp_in_year(daylight.begin, year) - footer.standard, daylight.offset};
  YearlyTransition end{timestamp_in_year(daylight.end, year) - daylight.offset, footer.standard};
  return begin.at <= end.at ? std::pair(begin, end) : std::pair(end, begin);
}

int64_t year_of(int64_t utc) { return civil_from_days(floor_div(utc, kSecondsPerDay)).year; }

/// The last one up to an SQL timestamp, and the first one after it.
std::pair<YearlyTransition, YearlyTransition> transitions_around(const ZoneFooter& footer, int64_t utc) {
  const int64_t year = year_of(utc);
  YearlyTransition last = transitions_of(footer, year - 2).second;
  for (int64_t near = year - 1;; ++near) {
    const auto [one, other] = transitions_of(footer, near);
    for (const YearlyTransition& each : {one, other}) {
      if (each.at > utc) {
        return {last, each};
      }
      last = each;
    }
  }
}

}  // namespace

// ---- a zone's rules ----

std::optional<BoundZone::Rules> BoundZone::Rules::read(std::string_view text) {
  constexpr size_t kHeadSize = kCountDigits + kOffsetDigits;
  if (text.size() < kHeadSize) {
    return std::nullopt;
  }
  const auto count = static_cast<size_t>(number_at(text, 0, kCountDigits));
  const size_t end = kHeadSize + count * kTransitionSize;
  if (text.size() < end) {
    return std::nullopt;
  }
  Rules rules{text.substr(kCountDigits, kOffsetDigits), text.substr(kHeadSize, count * kTransitionSize), {}};
  const std::string_view rest = text.substr(end);
  if (rest.empty()) {
    return rules;
  }
  if (rest.size() != kOffsetDigits && rest.size() != kOffsetDigits + kDaylightSize) {
    return std::nullopt;
  }
  rules.footer = footer_of(rest);
  return rules.footer ? std::optional(rules) : std::nullopt;
}

int64_t BoundZone::Rules::at(size_t transition) const {
  return number_at(transitions, transition * kTransitionSize, kSqlTimestampDigits) - kSqlTimestampBias;
}

int64_t BoundZone::Rules::offset(size_t transition) const {
  return offset_in(transitions, transition * kTransitionSize + kSqlTimestampDigits);
}

size_t BoundZone::Rules::count_until(int64_t utc) const {
  size_t low = 0;
  size_t high = transitions.size() / kTransitionSize;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (at(middle) <= utc) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

BoundZone::Rules::Next BoundZone::Rules::next_after(int64_t utc) const {
  const size_t count = transitions.size() / kTransitionSize;
  const size_t passed = count_until(utc);
  const int64_t before = passed == 0 ? offset_in(offsets, 0) : offset(passed - 1);
  if (passed < count) {
    return {at(passed), before, offset(passed)};
  }
  if (!footer) {
    return {std::nullopt, before, before};
  }
  if (!footer->daylight) {
    return {std::nullopt, count == 0 ? footer->standard : before, 0};
  }
  const auto [last, next] = transitions_around(*footer, utc);
  // Up to the table's last transition it is the table that counts.
  const bool is_of_table = count > 0 && at(count - 1) >= last.at;
  return {next.at, is_of_table ? before : last.offset, next.offset};
}

int64_t BoundZone::Rules::offset_at(int64_t utc) const { return next_after(utc).before; }

int64_t BoundZone::Rules::offset_of_local(int64_t local) const {
  const Next next = next_after(local - kSecondsPerDay);
  if (!next.at) {
    return next.before;
  }
  const int64_t by_old = local - next.before;
  const int64_t by_new = local - next.after;
  if (by_old < *next.at && by_new < *next.at) {
    return next.before;
  }
  if (by_old > *next.at && by_new >= *next.at) {
    return next.after;
  }
  return by_old > by_new ? next.before : next.after;
}

// ---- a zone ----

Result<BoundZone> BoundZone::read(std::string_view text) {
  const char kind = text.empty() ? '\0' : text.front();
  text.remove_prefix(std::min<size_t>(text.size(), 1));
  if (kind == kNoZone) {
    return rejected("22023", std::string(text));
  }
  const auto malformed = [] { return rejected("08P01", "malformed time zone"); };
  BoundZone made;
  if (kind == kAbbreviation) {
    const size_t size = text.size() < kSizeDigits ? text.size() : static_cast<size_t>(number_at(text, 0, kSizeDigits));
    text.remove_prefix(std::min(text.size(), kSizeDigits));
    if (text.size() < size) {
      return malformed();
    }
    made.abbreviation_ = Rules::read(text.substr(size));
    text = text.substr(0, size);
  }
  const std::optional<Rules> zone = Rules::read(text);
  const bool is_whole = kind == kPlainZone || (kind == kAbbreviation && made.abbreviation_);
  if (!zone || !is_whole) {
    return malformed();
  }
  made.zone_ = *zone;
  return made;
}

BoundZone BoundZone::of_place() const {
  BoundZone place = *this;
  place.abbreviation_.reset();
  return place;
}

bool BoundZone::is_always(int64_t offset) const {
  const bool is_fixed = !abbreviation_ && zone_.transitions.empty() && !(zone_.footer && zone_.footer->daylight);
  return is_fixed && zone_.offset_at(0) == offset;
}

int64_t BoundZone::offset_at(int64_t utc) const {
  return abbreviation_ ? abbreviation_->offset_at(utc) : zone_.offset_at(utc);
}

int64_t BoundZone::offset_of_local(int64_t local) const {
  const int64_t offset = zone_.offset_of_local(local);
  return abbreviation_ ? abbreviation_->offset_at(local - offset) : offset;
}

// ---- names ----

namespace {

Error no_such_zone(std::string_view name) {
  return rejected("22023", fmt::format("time zone \"{}\" not recognized", name));
}

Error no_database(std::string_view name) {
  return rejected("0A000", fmt::format("time zone \"{}\" is not supported where there is no time zone database", name),
                  "install the package tzdata beside the aggregator, or write the offset");
}

/// The offsets that clocks there have called by a name, each until the next.
std::optional<ZoneTable> meanings_of(std::string_view abbreviation, const ZoneTable& zone) {
  const auto is_meant = [&](const std::string& name) {
    return std::equal(name.begin(), name.end(), abbreviation.begin(), abbreviation.end(),
                      [](char left, char right) { return to_lower(left) == right; });
  };
  ZoneTable made;
  for (const ZoneTable::Transition& transition : zone.transitions) {
    if (is_meant(transition.name)) {
      made.transitions.push_back(transition);
    }
  }
  if (made.transitions.empty()) {
    return std::nullopt;
  }
  made.first_offset = made.transitions.front().offset;
  return made;
}

Result<std::string> bound_text(std::string_view name, std::string text) {
  if (text.size() > kZoneTextSizeMax) {
    return rejected("54000", fmt::format("time zone \"{}\" has too many transitions", name));
  }
  return text;
}

Result<std::string> bind_abbreviation(const ZoneAbbreviation& abbreviation, const TimeZones& zones) {
  const ZoneTable* place = zones.find(abbreviation.place);
  if (place == nullptr) {
    return zones.version().empty() ? no_database(abbreviation.name) : no_such_zone(abbreviation.place);
  }
  const std::string zone = text_of(*place);
  const std::optional<ZoneTable> meanings = meanings_of(abbreviation.name, *place);
  if (!meanings) {
    return bound_text(abbreviation.name, kPlainZone + zone);
  }
  std::string text(1, kAbbreviation);
  append_number(static_cast<int64_t>(zone.size()), kSizeDigits, text);
  return bound_text(abbreviation.name, text + zone + text_of(*meanings));
}

class NoZones final : public TimeZones {
 public:
  [[nodiscard]] const ZoneTable* find(std::string_view) const override { return nullptr; }
  [[nodiscard]] const std::string& version() const override { return version_; }

 private:
  std::string version_;
};

}  // namespace

std::string bind_no_zone(const Error& error) { return kNoZone + error.message; }

std::string bind_offset(int32_t offset) {
  return kPlainZone + text_of({.first_offset = offset, .transitions = {}, .footer = {}});
}

namespace {

const TimeZones& known_zones(const TimeZones* zones) {
  static const NoZones kNoZones;
  return zones == nullptr ? static_cast<const TimeZones&>(kNoZones) : *zones;
}

}  // namespace

Result<std::string> bind_zone(std::string_view name, const TimeZones* zones) {
  std::string lower(name.substr(0, kZoneNameSizeMax + 1));
  std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
  if (const auto abbreviation = find_zone_abbreviation(lower)) {
    constexpr int32_t kMinute = 60;
    return abbreviation->kind == ZoneAbbreviation::Kind::kOfPlace
               ? bind_abbreviation(*abbreviation, known_zones(zones))
               : Result<std::string>(bind_offset(abbreviation->minutes * kMinute));
  }
  return bind_session_zone(name, zones);
}

Result<std::string> bind_session_zone(std::string_view name, const TimeZones* zones) {
  const TimeZones& known = known_zones(zones);
  if (name.size() > kZoneNameSizeMax) {
    return no_such_zone(name.substr(0, kZoneNameSizeMax));
  }
  if (const ZoneTable* zone = known.find(name)) {
    return bound_text(name, kPlainZone + text_of(*zone));
  }
  const PosixZone posix = read_posix_zone(in_capitals(name));  // As PostgreSQL reads it.
  if (posix.fault == PosixZoneFault::kNone) {
    return kPlainZone + text_of({.first_offset = posix.footer.standard, .transitions = {}, .footer = posix.footer});
  }
  if (posix.fault == PosixZoneFault::kNoRules) {
    return rejected("0A000",
                    fmt::format("time zone \"{}\", which does not say when its daylight saving time begins, "
                                "is not supported",
                                name),
                    "name a place, or add the rules: EST5EDT,M3.2.0,M11.1.0");
  }
  return known.version().empty() ? no_database(name) : no_such_zone(name);
}

Result<std::string> bind_zone_or_offset(std::string_view name, const TimeZones* zones) {
  if (!name.empty() && is_digit(name.front())) {
    return rejected("22023", fmt::format("invalid input syntax for type numeric time zone: \"{}\"", name),
                    "Numeric time zones must have \"-\" or \"+\" as first character.");
  }
  const datetime::ZoneOffset offset = datetime::read_zone_offset(name);
  switch (offset.fault) {
    case DatetimeFault::kNone:
      return bind_offset(static_cast<int32_t>(offset.seconds));
    case DatetimeFault::kZoneOffset:
      return rejected("22023", fmt::format("numeric time zone \"{}\" out of range", name));
    default:
      return bind_zone(name, zones);
  }
}

}  // namespace daedalus::semantics

#include "daedalus/semantics/session_zone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "characters.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/text.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics {
namespace {

/// UTC has these names, database or not.
constexpr std::array<std::string_view, 11> kNamesOfUtc{"UTC",     "GMT",     "UCT",  "Zulu",  "Universal", "Greenwich",
                                                       "Etc/UTC", "Etc/GMT", "GMT0", "GMT+0", "GMT-0"};

bool is_alike(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char one, char other) { return to_lower(one) == to_lower(other); });
}

/// A zone without a name, so many seconds east of UTC, as POSIX spells it: <-05>+05.
std::string zone_of_seconds(int64_t seconds) {
  const int64_t size = seconds < 0 ? -seconds : seconds;
  std::string shown = fmt::format("{:02}", size / 3600);
  if (size % 3600 != 0) {
    shown += fmt::format(":{:02}", size / 60 % 60);
  }
  if (size % 60 != 0) {
    shown += fmt::format(":{:02}", size % 60);
  }
  return seconds < 0 ? fmt::format("<-{0}>+{0}", shown) : fmt::format("<+{0}>-{0}", shown);
}

/// Hours east of UTC in seconds; nothing: it is no number. Error 22023: so far no zone is.
Result<std::optional<int64_t>> seconds_of_hours(std::string_view text) {
  double hours = 0;
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), hours);
  if (problem == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return std::optional<int64_t>();
  }
  constexpr double kHoursMax = 168;
  if (problem != std::errc() || !(std::abs(hours) < kHoursMax)) {
    return rejected("22023", fmt::format("time zone \"{}\" not recognized", text));
  }
  return std::optional(static_cast<int64_t>(hours * 3600));
}

/// INTERVAL '-08:00', in seconds; nothing: it is none. Errors: those of parse_interval(), 22023.
Result<std::optional<int64_t>> seconds_of_interval(std::string_view text) {
  constexpr std::string_view kWord = "interval";
  const size_t begin = text.find('\'');
  const size_t end = text.rfind('\'');
  if (!is_alike(text.substr(0, kWord.size()), kWord) || begin == std::string_view::npos || begin == end) {
    return std::optional<int64_t>();
  }
  const auto value = parse_text(Type{TypeKind::kInterval}, text.substr(begin + 1, end - begin - 1));
  if (!value) {
    return value.error();
  }
  const auto& interval = std::get<Interval>(*value);
  if (interval.months != 0 || interval.days != 0) {
    return rejected("22023",
                    fmt::format("Cannot specify {} in time zone interval.", interval.months != 0 ? "months" : "days"));
  }
  return std::optional(interval.micros / kMicrosPerSecond);
}

BoundZone read_bound(const std::string& text) {
  const Result<BoundZone> zone = BoundZone::read(text);
  CHECK(static_cast<bool>(zone));
  return *zone;
}

}  // namespace

SessionZone::SessionZone(std::string name, std::string bound)
    : name_(std::move(name)), bound_(std::move(bound)), zone_(read_bound(bound_)), is_utc_(zone_.is_always(0)) {}

Result<std::shared_ptr<const SessionZone>> SessionZone::find(std::string_view name, const TimeZones* zones) {
  const auto made = [](std::string called, std::string bound) {
    return std::shared_ptr<const SessionZone>(new SessionZone(std::move(called), std::move(bound)));
  };
  const ZoneTable* known = zones == nullptr ? nullptr : zones->find(name);
  const auto utc =
      std::find_if(kNamesOfUtc.begin(), kNamesOfUtc.end(), [&](std::string_view each) { return is_alike(each, name); });
  if (known == nullptr && utc != kNamesOfUtc.end()) {
    return made(std::string(*utc), bind_offset(0));
  }
  auto seconds = seconds_of_interval(name);
  if (seconds && !seconds->has_value()) {
    seconds = seconds_of_hours(name);
  }
  if (!seconds) {
    return seconds.error();
  }
  const std::string wanted = seconds->has_value() ? zone_of_seconds(**seconds) : std::string(name);
  auto bound = bind_session_zone(wanted, zones);
  if (!bound) {
    return bound.error();
  }
  return made(known != nullptr && !known->name.empty() ? known->name : in_capitals(wanted), std::move(*bound));
}

}  // namespace daedalus::semantics

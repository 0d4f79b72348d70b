#include "setting_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "client_encoding.hpp"
#include "lower.hpp"

namespace daedalus::postgres {

namespace {

Error invalid(const SettingEntry& entry, std::string_view value, std::string hint = {}) {
  return rejected("22023", fmt::format("invalid value for parameter \"{}\": \"{}\"", entry.name, value),
                  std::move(hint));
}

/// A value that PostgreSQL has and that is not honoured here.
Error unsupported(const SettingEntry& entry, std::string_view value, std::string hint = {}) {
  return rejected("0A000", fmt::format("{} = {} is not supported", entry.name, value), std::move(hint));
}

std::string listed(std::string_view choices) {
  std::string list;
  for (const char c : choices) {
    list += c == '|' ? std::string(", ") : std::string(1, c);
  }
  return list;
}

std::string_view without_blanks(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  const size_t end = text.find_last_not_of(" \t\n");
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

// ---- words ----

Result<std::string> read_choice(const SettingEntry& entry, std::string_view value) {
  const std::string wanted = lower(value);
  if (is_choice(entry.choices, wanted)) {
    return wanted;
  }
  const bool is_on = is_choice("true|yes|1", wanted);  // PostgreSQL takes them where "on" and "off" are choices.
  const bool is_off = is_choice("false|no|0", wanted);
  if ((is_on && is_choice(entry.choices, "on")) || (is_off && is_choice(entry.choices, "off"))) {
    return std::string(is_on ? "on" : "off");
  }
  // PostgreSQL repeats the name as SET has it, in lower case.
  return rejected("22023", fmt::format("invalid value for parameter \"{}\": \"{}\"", lower(entry.name), value),
                  fmt::format("Available values: {}.", listed(entry.choices)));
}

Result<std::string> read_encoding(const SettingEntry& entry, std::string_view value) {
  const auto shown = encoding_name(value);
  return shown ? Result<std::string>(*shown) : unsupported(entry, value, "one of: utf8, latin1, win1252, sqlascii");
}

Result<std::string> read_bool(const SettingEntry& entry, std::string_view value) {
  const std::string wanted = lower(value);
  const auto begins = [&](std::string_view word, size_t least) {
    return wanted.size() >= least && word.substr(0, wanted.size()) == wanted;
  };
  if (begins("true", 1) || begins("yes", 1) || wanted == "on" || wanted == "1") {
    return std::string("on");
  }
  if (begins("false", 1) || begins("no", 1) || begins("off", 2) || wanted == "0") {
    return std::string("off");
  }
  return rejected("22023", fmt::format("parameter \"{}\" requires a Boolean value", entry.name));
}

Result<std::string> read_locale(const SettingEntry& entry, std::string_view value) {
  if (is_choice("C|POSIX|C.UTF-8|C.utf8", value)) {
    return std::string(value);
  }
  return unsupported(entry, value, "names, numbers and messages are those of the locale C");
}

/// The order that a word of DateStyle names, as PostgreSQL reads it; nothing where it names none.
std::optional<semantics::DateOrder> order_of_word(std::string_view word) {
  if (word == "dmy" || word.starts_with("euro")) {
    return semantics::DateOrder::kDayMonthYear;
  }
  if (word == "mdy" || word == "us" || word.starts_with("noneuro")) {
    return semantics::DateOrder::kMonthDayYear;
  }
  return word == "ymd" ? std::optional(semantics::DateOrder::kYearMonthDay) : std::nullopt;
}

bool is_other_style(std::string_view word) {
  return is_choice("sql|german|default", word) || word.starts_with("postgres");
}

/// Words with commas between them: a style, an order, or both; what is left out stays as it is.
Result<std::string> read_date_style(const SettingEntry& entry, std::string_view value, std::string_view current) {
  const std::string parts = lower(value);
  std::optional<semantics::DateOrder> order;
  for (size_t at = 0; at <= parts.size() && !without_blanks(parts).empty();) {
    const size_t end = std::min(parts.find(',', at), parts.size());
    const std::string_view word = without_blanks(std::string_view(parts).substr(at, end - at));
    const auto named = order_of_word(word);
    if (is_other_style(word)) {
      return unsupported(entry, value, "dates are shown as ISO, and read as MDY, DMY or YMD");
    }
    if ((!named && word != "iso") || (named && order && *named != *order)) {
      return invalid(entry, value);
    }
    order = named ? named : order;
    at = end + 1;
  }
  return fmt::format("ISO, {}", semantics::name_of(order.value_or(order_of_date_style(current))));
}

/// As the database of zones spells it.
Result<std::string> read_time_zone(const SettingEntry& entry, std::string_view value,
                                   const semantics::TimeZones* zones) {
  const auto zone = semantics::SessionZone::find(value, zones);
  if (zone) {
    return (*zone)->name();
  }
  return zone.error().sqlstate == "22023" ? invalid(entry, value) : zone.error();
}

// ---- numbers ----

struct Unit {
  std::string_view name;
  double size;
};
/// In milliseconds and in bytes, the greatest first.
constexpr Unit kDurations[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"min", 60'000},
                               {"s", 1'000},      {"ms", 1},        {"us", 0.001}};
constexpr Unit kSizes[] = {{"TB", 1099511627776}, {"GB", 1073741824}, {"MB", 1048576}, {"kB", 1024}, {"B", 1}};

std::span<const Unit> units_of(SettingUnit unit) {
  switch (unit) {
    case SettingUnit::kNone:
      return {};
    case SettingUnit::kMilliseconds:
    case SettingUnit::kSeconds:
      return kDurations;
    case SettingUnit::kBytes:
    case SettingUnit::kKilobytes:
    case SettingUnit::kBlocks:
      break;
  }
  return kSizes;
}

/// The unit that a bare number is counted in, and its name in messages.
Unit base_of(SettingUnit unit) {
  switch (unit) {
    case SettingUnit::kNone:
      return {"", 1};
    case SettingUnit::kMilliseconds:
      return {"ms", 1};
    case SettingUnit::kSeconds:
      return {"s", 1'000};
    case SettingUnit::kBytes:
      return {"B", 1};
    case SettingUnit::kKilobytes:
      return {"kB", 1024};
    case SettingUnit::kBlocks:
      break;
  }
  return {"8kB", 8192};
}

/// A number of the parameter's unit; nothing where the text is none.
std::optional<double> read_number(const SettingEntry& entry, std::string_view value) {
  std::string_view text = without_blanks(value);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !std::isfinite(number)) {
    return std::nullopt;
  }
  const std::string_view name = without_blanks(text.substr(static_cast<size_t>(end - text.data())));
  if (name.empty()) {
    return number;
  }
  const std::span<const Unit> units = units_of(entry.unit);
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& each) { return each.name == name; });
  return unit == units.end() ? std::nullopt : std::optional(number * unit->size / base_of(entry.unit).size);
}

/// A whole number of the parameter's unit, in the greatest unit that leaves no remainder.
std::string shown_with_unit(const SettingEntry& entry, int64_t number) {
  if (number > 0) {
    const double size = static_cast<double>(number) * base_of(entry.unit).size;
    for (const Unit& unit : units_of(entry.unit)) {
      if (std::fmod(size, unit.size) == 0) {
        return fmt::format("{}{}", static_cast<int64_t>(size / unit.size), unit.name);
      }
    }
  }
  return fmt::format("{}", number);
}

Result<std::string> read_numeric(const SettingEntry& entry, std::string_view value) {
  const bool is_whole = entry.kind == SettingKind::kInteger;
  const auto read = read_number(entry, value);
  const double number = is_whole ? std::rint(read.value_or(0)) : read.value_or(0);
  if (!read || (is_whole && (number < INT32_MIN || number > INT32_MAX))) {
    return invalid(entry, value);
  }
  if (number < entry.low || number > entry.high) {
    const std::string_view unit = base_of(entry.unit).name;
    return rejected(
        "22023", fmt::format("{:.{}g}{}{} is outside the valid range for parameter \"{}\" ({:.{}g} .. {:.{}g})", number,
                             is_whole ? 19 : 6, unit.empty() ? "" : " ", unit, entry.name, entry.low, is_whole ? 19 : 6,
                             entry.high, is_whole ? 19 : 6));
  }
  return is_whole ? shown_with_unit(entry, static_cast<int64_t>(number)) : fmt::format("{:.6g}", number);
}

/// A timestamp of the total order; nothing is 0, which is none.
Result<std::string> read_moment(const SettingEntry& entry, std::string_view value) {
  const std::string_view text = without_blanks(value);
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && (problem != std::errc() || end != text.data() + text.size())) {
    return invalid(entry, value, "a timestamp, such as SHOW daedalus.moment shows one; 0: none");
  }
  if (number < 0) {
    return rejected("22023", fmt::format("{} is outside the valid range for parameter \"{}\" (0 .. {})", number,
                                         entry.name, INT64_MAX));
  }
  return fmt::format("{}", number);
}

Result<std::string> read_by_kind(const SettingEntry& entry, std::string_view value, std::string_view current,
                                 const semantics::TimeZones* zones) {
  switch (entry.kind) {
    case SettingKind::kText:
      return std::string(value);
    case SettingKind::kChoice:
      return read_choice(entry, value);
    case SettingKind::kEncoding:
      return read_encoding(entry, value);
    case SettingKind::kBool:
      return read_bool(entry, value);
    case SettingKind::kInteger:
    case SettingKind::kReal:
      return read_numeric(entry, value);
    case SettingKind::kMoment:
      return read_moment(entry, value);
    case SettingKind::kTimeZone:
      return read_time_zone(entry, value, zones);
    case SettingKind::kLocale:
      return read_locale(entry, value);
    case SettingKind::kDateStyle:
      return read_date_style(entry, value, current);
    case SettingKind::kIdentity:
    case SettingKind::kFixed:
      break;
  }
  return rejected("55P02", fmt::format("parameter \"{}\" cannot be changed", entry.name));
}

}  // namespace

semantics::DateOrder order_of_date_style(std::string_view shown) {
  return semantics::date_order_of(shown.substr(shown.find_last_of(' ') + 1));
}

Result<std::string> read_setting(const SettingEntry& entry, std::string_view value, std::string_view current,
                                 const semantics::TimeZones* zones) {
  auto read = read_by_kind(entry, value, current, zones);
  return read && is_choice(entry.refused, *read) ? Result<std::string>(unsupported(entry, value)) : std::move(read);
}

uint64_t read_at_of(std::string_view shown) {
  uint64_t number = 0;
  std::from_chars(shown.data(), shown.data() + shown.size(), number);
  return number;
}

int64_t milliseconds_of(std::string_view shown) {
  constexpr SettingEntry kDuration{
      .name = {}, .description = {}, .kind = SettingKind::kInteger, .value = {}, .unit = SettingUnit::kMilliseconds};
  return static_cast<int64_t>(read_number(kDuration, shown).value_or(0));
}

}  // namespace daedalus::postgres

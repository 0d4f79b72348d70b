#include "settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>

#include "daedalus/base/units.hpp"
#include "lower.hpp"

namespace daedalus::postgres {

namespace {

enum class Kind : uint8_t {
  kFree,       ///< Any text.
  kChoice,     ///< One of its choices, the others are refused.
  kBool,       ///< on or off.
  kDuration,   ///< Milliseconds, or with a unit.
  kInteger,    ///< From low to high.
  kTimeZone,   ///< A zone of the database, one as POSIX spells it, or hours east of UTC.
  kDateStyle,  ///< ISO, MDY in any order, one of them or both.
  kFixed,      ///< Says what is; cannot be changed.
};

struct Entry {
  std::string_view name;  ///< PostgreSQL's spelling.
  std::string_view description;
  Kind kind;
  std::string_view value;  ///< The default.
  bool is_reported = false;
  std::string_view choices = {};  ///< Separated by '|', lower case.
  int64_t low = 0;
  int64_t high = 0;
};

constexpr std::string_view kLevels =
    "debug5|debug4|debug3|debug2|debug1|debug|log|notice|warning|error|fatal|panic|info";
constexpr std::string_view kIsolations = "read committed|read uncommitted|repeatable read";

constexpr std::string_view kTimeZone = "TimeZone";
constexpr std::string_view kUtc = "UTC";
/// In the order of their names, whatever their case.
constexpr Entry kEntries[] = {
    {"application_name", "The client's name for itself.", Kind::kFree, "", true},
    {"bytea_output", "How bytes are shown.", Kind::kChoice, "hex", false, "hex"},
    {"check_function_bodies", "Kept; there are no functions to be checked.", Kind::kBool, "on"},
    {"client_encoding", "The encoding of texts on the wire.", Kind::kChoice, "UTF8", true, "utf8|unicode|sqlascii"},
    {"client_min_messages", "Kept; the messages there are, are sent.", Kind::kChoice, "notice", false, kLevels},
    {"daedalus.compute_ms", "How long a query may compute in a segment; 0: as long as the nodes allow.",
     Kind::kDuration, "0"},
    {"daedalus.copy", "Whether a COPY is one update, or batches that follow each other.", Kind::kChoice, "atomic",
     false, "atomic|batches"},
    {"DateStyle", "How dates are shown and read.", Kind::kDateStyle, "ISO, MDY", true},
    {"default_transaction_deferrable", "Kept; no block has anything to wait for.", Kind::kBool, "off"},
    {"default_transaction_isolation", "The isolation of blocks to come.", Kind::kChoice, "read committed", false,
     kIsolations},
    {"default_transaction_read_only", "Whether blocks to come take no writes.", Kind::kBool, "off", true},
    {"escape_string_warning", "Kept; backslashes in strings mean themselves.", Kind::kBool, "on"},
    {"extra_float_digits",
     "Floating values are shown so that they can be read back exactly.",
     Kind::kInteger,
     "1",
     false,
     {},
     1,
     3},
    {"idle_in_transaction_session_timeout", "A block may be idle as long as it likes.", Kind::kChoice, "0", false, "0"},
    {"idle_session_timeout", "A connection may be idle as long as it likes.", Kind::kChoice, "0", false, "0"},
    {"in_hot_standby", "Whether writes are taken elsewhere only.", Kind::kFixed, "off", true},
    {"integer_datetimes", "Times are whole microseconds.", Kind::kFixed, "on", true},
    {"IntervalStyle", "How intervals are shown.", Kind::kChoice, "postgres", true, "postgres"},
    {"is_superuser", "There are none.", Kind::kFixed, "off", true},
    {"jit", "Kept; statements are not compiled to machine code.", Kind::kBool, "off"},
    {"lc_collate", "The order of texts: by their bytes.", Kind::kFixed, "C"},
    {"lc_ctype", "Which characters are letters: those of ASCII.", Kind::kFixed, "C"},
    {"lc_messages", "The language of messages.", Kind::kFixed, "C"},
    {"lc_monetary", "How amounts of money are shown.", Kind::kFixed, "C"},
    {"lc_numeric", "How numbers are shown.", Kind::kFixed, "C"},
    {"lc_time", "The names of days and months.", Kind::kFixed, "C"},
    {"lock_timeout", "Kept; nothing waits for a lock.", Kind::kDuration, "0"},
    {"max_identifier_length", "Most bytes of a name.", Kind::kFixed, "63"},
    {"max_index_keys", "Most columns of an index; there are none.", Kind::kFixed, "32"},
    {"max_prepared_transactions", "There are none.", Kind::kFixed, "0"},
    {"restrict_nonsystem_relation_kind", "Kept; there are no views and no foreign tables.", Kind::kFree, ""},
    {"row_security", "Kept; every reader sees every row.", Kind::kBool, "on"},
    {"search_path", "Kept; the table is found without it.", Kind::kFree, "\"$user\", public"},
    {"server_encoding", "The encoding of texts in the table.", Kind::kFixed, "UTF8", true},
    {"server_version", "The server that clients speak to.", Kind::kFixed, kServerVersion, true},
    {"server_version_num", "The same as a number.", Kind::kFixed, "150000"},
    {"session_authorization", "The user that has logged in.", Kind::kFixed, "", true},
    {"standard_conforming_strings", "Backslashes in strings mean themselves.", Kind::kChoice, "on", true,
     "on|true|yes|1"},
    {"statement_timeout", "How long a statement may take; 0: ten minutes.", Kind::kDuration, "0"},
    {"synchronize_seqscans", "Kept; who scans alone begins where scans begin.", Kind::kBool, "on"},
    {"synchronous_commit", "Kept; what confirmed means is the cluster's business (durability).", Kind::kChoice, "on",
     false, "on|off|local|remote_write|remote_apply"},
    {kTimeZone, "The zone of the session's clocks.", Kind::kTimeZone, kUtc, true},
    {"transaction_deferrable", "Kept; no block has anything to wait for.", Kind::kBool, "off"},
    {"transaction_isolation", "The isolation of this block.", Kind::kChoice, "read committed", false, kIsolations},
    {"transaction_read_only", "Whether this block takes no writes.", Kind::kBool, "off"},
    {"work_mem", "Kept; what a statement may take is the cluster's business.", Kind::kFree, "4MB"},
    {"xmloption", "Kept; there are no values of XML.", Kind::kChoice, "content", false, "content|document"},
};

constexpr std::string_view kTimeout = "statement_timeout";
constexpr std::string_view kComputeMs = "daedalus.compute_ms";

const Entry* find_entry(std::string_view key) {
  const auto found = std::find_if(std::begin(kEntries), std::end(kEntries),
                                  [&](const Entry& entry) { return lower(entry.name) == key; });
  return found == std::end(kEntries) ? nullptr : found;
}

bool is_custom(std::string_view key) {
  const size_t dot = key.find('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < key.size();
}

Error unknown(std::string_view name) {
  return rejected("42704", fmt::format("unrecognized configuration parameter \"{}\"", name));
}

Error invalid(const Entry& entry, std::string_view value, std::string hint = {}) {
  return rejected("22023", fmt::format("invalid value for parameter \"{}\": \"{}\"", entry.name, value),
                  std::move(hint));
}

/// A value that PostgreSQL has and that is not honoured here.
Error unsupported(const Entry& entry, std::string_view value, std::string hint) {
  return rejected("0A000", fmt::format("{} = {} is not supported", entry.name, value), std::move(hint));
}

bool is_choice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    const size_t end = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, end) == value) {
      return true;
    }
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return false;
}

Result<std::string> read_choice(const Entry& entry, std::string_view value) {
  std::string wanted = lower(value);
  const bool is_encoding = entry.name == "client_encoding";
  if (is_encoding) {  // PostgreSQL looks at letters and digits of its name only.
    std::erase_if(wanted, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
  }
  if (!is_choice(entry.choices, wanted)) {
    std::string hint(entry.choices);
    std::replace(hint.begin(), hint.end(), '|', ',');
    return unsupported(entry, value, fmt::format("one of: {}", hint));
  }
  if (is_encoding) {
    return wanted == "sqlascii" ? std::string("SQL_ASCII") : std::string("UTF8");
  }
  return entry.name == "standard_conforming_strings" ? std::string("on") : wanted;
}

Result<std::string> read_bool(const Entry& entry, std::string_view value) {
  const std::string wanted = lower(value);
  if (is_choice("on|true|yes|1|t|y", wanted)) {
    return std::string("on");
  }
  if (is_choice("off|false|no|0|f|n", wanted)) {
    return std::string("off");
  }
  return invalid(entry, value, "it is on or off");
}

struct Unit {
  std::string_view name;
  int64_t milliseconds;
};
constexpr Unit kUnits[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"min", 60'000}, {"s", 1'000}, {"ms", 1}};

/// Milliseconds; nothing when it is no duration that fits.
std::optional<int64_t> milliseconds_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto found = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& each) {
    return each.name == (unit.empty() ? std::string_view("ms") : unit);
  });
  if (problem != std::errc() || number < 0 || number > INT32_MAX || found == std::end(kUnits)) {
    return std::nullopt;
  }
  const int64_t milliseconds = number * found->milliseconds;
  return milliseconds > INT32_MAX ? std::nullopt : std::optional(milliseconds);
}

/// In the greatest unit that leaves no remainder, as PostgreSQL shows it.
Result<std::string> read_duration(const Entry& entry, std::string_view value) {
  const auto milliseconds = milliseconds_of(value);
  if (!milliseconds) {
    return invalid(entry, value, "it is a number of milliseconds, or of ms, s, min, h or d");
  }
  for (const Unit& unit : kUnits) {
    if (*milliseconds > 0 && *milliseconds % unit.milliseconds == 0) {
      return fmt::format("{}{}", *milliseconds / unit.milliseconds, unit.name);
    }
  }
  return std::string("0");
}

Result<std::string> read_integer(const Entry& entry, std::string_view value) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc() || end != value.data() + value.size()) {
    return invalid(entry, value, "it is a number");
  }
  if (number < entry.low || number > entry.high) {
    return unsupported(entry, value, fmt::format("from {} to {}", entry.low, entry.high));
  }
  return fmt::format("{}", number);
}

Result<std::string> read_date_style(const Entry& entry, std::string_view value) {
  std::string parts = lower(value);
  std::replace(parts.begin(), parts.end(), ',', ' ');
  for (size_t at = parts.find_first_not_of(' '); at < parts.size();) {
    const size_t end = std::min(parts.find(' ', at), parts.size());
    if (!is_choice("iso|mdy|us", std::string_view(parts).substr(at, end - at))) {
      return unsupported(entry, value, "dates are shown and read as ISO, MDY");
    }
    at = parts.find_first_not_of(' ', end);
  }
  return std::string("ISO, MDY");
}

/// As the database spells it.
Result<std::string> read_time_zone(const Entry& entry, std::string_view value, const semantics::TimeZones* zones) {
  const auto zone = semantics::SessionZone::find(value, zones);
  if (zone) {
    return (*zone)->name();
  }
  return zone.error().sqlstate == "22023" ? invalid(entry, value) : zone.error();
}

/// A value as it is kept.
Result<std::string> read_value(const Entry& entry, std::string_view value, const semantics::TimeZones* zones) {
  switch (entry.kind) {
    case Kind::kFree:
      return std::string(value);
    case Kind::kChoice:
      return read_choice(entry, value);
    case Kind::kBool:
      return read_bool(entry, value);
    case Kind::kDuration:
      return read_duration(entry, value);
    case Kind::kInteger:
      return read_integer(entry, value);
    case Kind::kTimeZone:
      return read_time_zone(entry, value, zones);
    case Kind::kDateStyle:
      return read_date_style(entry, value);
    case Kind::kFixed:
      break;
  }
  return rejected("55P02", fmt::format("parameter \"{}\" cannot be changed", entry.name));
}

}  // namespace

bool Settings::is_known(std::string_view name) {
  const std::string key = lower(name);
  return find_entry(key) != nullptr || is_custom(key);
}

Result<void> Settings::set(std::string_view name, std::string_view value) {
  std::string key = lower(name);
  const Entry* const entry = find_entry(key);
  if (value.size() > kValueSizeMax) {
    return rejected("22023", fmt::format("the value of \"{}\" has more than {} bytes", name, kValueSizeMax));
  }
  if (entry == nullptr) {
    if (!is_custom(key) || key.size() > kValueSizeMax) {
      return unknown(name.substr(0, kValueSizeMax));
    }
    const auto custom_count =
        std::count_if(changed_.begin(), changed_.end(), [](const auto& each) { return is_custom(each.first); });
    if (static_cast<size_t>(custom_count) >= kCustomMax && !changed_.contains(key)) {
      return rejected("53400", fmt::format("a session has at most {} parameters of its own", kCustomMax),
                      "RESET some that are not needed any longer");
    }
    changed_.insert_or_assign(std::move(key), std::string(value));
    return {};
  }
  auto read = read_value(*entry, value, zones_);
  if (!read) {
    return read.error();
  }
  changed_.insert_or_assign(std::move(key), std::move(*read));
  learn();
  return {};
}

Result<void> Settings::start_with(std::string_view name, std::string_view value) {
  auto done = set(name, value);
  if (!done && done.error().sqlstate == "0A000" && lower(name) == lower(kTimeZone)) {
    return {};  // Drivers start with their machine's zone, unasked, and go by the one that they are told.
  }
  started_with_ = changed_;
  return done;
}

Result<void> Settings::reset(std::string_view name) {
  const std::string key = lower(name);
  const Entry* const entry = find_entry(key);
  if (entry == nullptr && !is_custom(key)) {
    return unknown(name);
  }
  if (entry != nullptr && entry->kind == Kind::kFixed) {
    return rejected("55P02", fmt::format("parameter \"{}\" cannot be changed", entry->name));
  }
  changed_.erase(key);
  if (const auto start = started_with_.find(key); start != started_with_.end()) {
    changed_.insert(*start);
  }
  learn();
  return {};
}

std::string Settings::current(std::string_view key) const {
  if (const auto own = changed_.find(key); own != changed_.end()) {
    return own->second;
  }
  const Entry* const entry = find_entry(key);
  return entry == nullptr ? std::string() : std::string(entry->value);
}

Result<std::string> Settings::show(std::string_view name) const {
  const std::string key = lower(name);
  if (key == "session_authorization") {
    return std::string(user_);
  }
  if (find_entry(key) == nullptr && !changed_.contains(key)) {
    return unknown(name);
  }
  return current(key);
}

std::vector<Settings::Described> Settings::all() {
  std::vector<Described> described;
  for (const Entry& entry : kEntries) {
    described.push_back({entry.name, entry.description});
  }
  return described;
}

std::vector<Report> Settings::reports() const {
  std::vector<Report> reports;
  for (const Entry& entry : kEntries) {
    if (entry.is_reported) {
      reports.emplace_back(entry.name, *show(entry.name));
    }
  }
  return reports;
}

void Settings::restore(Values values) {
  changed_ = std::move(values);
  learn();
}

void Settings::learn() {
  statement_timeout_ns_ = milliseconds_of(current(kTimeout)).value_or(0) * kMillisecond;
  compute_ms_ = static_cast<uint32_t>(std::min<int64_t>(milliseconds_of(current(kComputeMs)).value_or(0), UINT32_MAX));
  const std::string name = current(lower(kTimeZone));
  if (zone_ != nullptr && zone_->name() == name) {
    return;
  }
  zone_ = nullptr;
  if (name != kUtc) {
    auto zone = semantics::SessionZone::find(name, zones_);
    zone_ = zone && !(*zone)->is_utc() ? std::move(*zone) : nullptr;
  }
}

}  // namespace daedalus::postgres

#include "settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/units.hpp"
#include "lower.hpp"
#include "setting_entries.hpp"
#include "setting_values.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kTimeZone = "TimeZone";
constexpr std::string_view kUtc = "UTC";
constexpr std::string_view kTimeout = "statement_timeout";
constexpr std::string_view kIdleInBlockTimeout = "idle_in_transaction_session_timeout";
constexpr std::string_view kIdleSessionTimeout = "idle_session_timeout";
constexpr std::string_view kEncoding = "client_encoding";
constexpr std::string_view kIntervalStyle = "intervalstyle";
constexpr std::string_view kDateStyle = "datestyle";
constexpr std::string_view kComputeMs = "daedalus.compute_ms";
constexpr std::string_view kReadAt = "daedalus.read_at";
constexpr std::string_view kFreshness = "daedalus.freshness";

bool is_custom(std::string_view key) {
  const size_t dot = key.find('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < key.size();
}

Error unknown(std::string_view name) {
  return rejected("42704", fmt::format("unrecognized configuration parameter \"{}\"", name));
}

/// A parameter that says how PostgreSQL's own server works: nobody changes it in a session, and it has no value here.
Error server_only(std::string_view name, bool is_set) {
  return is_set ? rejected("55P02", fmt::format("parameter \"{}\" cannot be changed", name))
                : rejected("0A000", fmt::format("parameter \"{}\" is not supported", name),
                           "it says how PostgreSQL's own server works; ask for what you need with daedalus status");
}

}  // namespace

bool Settings::is_known(std::string_view name) {
  const std::string key = lower(name);
  return find_setting(key) != nullptr || is_server_setting(key) || is_custom(key);
}

Result<void> Settings::set(std::string_view name, std::string_view value) {
  std::string key = lower(name);
  const SettingEntry* const entry = find_setting(key);
  if (value.size() > kValueSizeMax) {
    return rejected("22023", fmt::format("the value of \"{}\" has more than {} bytes", name, kValueSizeMax));
  }
  if (entry == nullptr && is_server_setting(key)) {
    return server_only(key, /*is_set=*/true);
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
  if (entry->kind == SettingKind::kIdentity) {
    return set_identity(*entry, value);
  }
  auto read = read_setting(*entry, value, current(key), zones_);
  if (!read) {
    return read.error();
  }
  changed_.insert_or_assign(std::move(key), std::move(*read));
  learn();
  return {};
}

Result<void> Settings::set_identity(const SettingEntry& entry, std::string_view value) {
  const bool is_none = value == entry.value && !value.empty();
  if (value != user_ && !is_none) {
    return rejected("0A000", fmt::format("{} = {} is not supported", entry.name, value), "connect as the other user");
  }
  if (!entry.value.empty()) {
    changed_.insert_or_assign(std::string(entry.name), std::string(value));
  }
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
  const SettingEntry* const entry = find_setting(key);
  if (is_server_setting(key) || (entry != nullptr && entry->kind == SettingKind::kFixed)) {
    return server_only(entry == nullptr ? key : entry->name, /*is_set=*/true);
  }
  if (entry == nullptr && !is_custom(key)) {
    return unknown(name);
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
  const SettingEntry* const entry = find_setting(key);
  return entry == nullptr ? std::string() : std::string(entry->value);
}

Result<std::string> Settings::show(std::string_view name) const {
  const std::string key = lower(name);
  if (key == "session_authorization") {
    return std::string(user_);
  }
  if (is_server_setting(key)) {
    return server_only(key, /*is_set=*/false);
  }
  if (find_setting(key) == nullptr && !changed_.contains(key)) {
    return unknown(name);
  }
  return current(key);
}

std::vector<Settings::Described> Settings::all() {
  std::vector<Described> described;
  for (const SettingEntry& entry : setting_entries()) {
    described.push_back({entry.name, entry.description});
  }
  return described;
}

std::vector<Report> Settings::reports() const {
  std::vector<Report> reports;
  for (const SettingEntry& entry : setting_entries()) {
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
  statement_timeout_ns_ = milliseconds_of(current(kTimeout)) * kMillisecond;
  idle_in_block_timeout_ns_ = milliseconds_of(current(kIdleInBlockTimeout)) * kMillisecond;
  idle_session_timeout_ns_ = milliseconds_of(current(kIdleSessionTimeout)) * kMillisecond;
  compute_ms_ = static_cast<uint32_t>(std::min<int64_t>(milliseconds_of(current(kComputeMs)), UINT32_MAX));
  read_at_ = read_at_of(current(kReadAt));
  freshness_ns_ = milliseconds_of(current(kFreshness)) * kMillisecond;
  encoding_ = encoding_of(current(kEncoding));
  interval_style_ = semantics::interval_style_of(current(kIntervalStyle));
  date_order_ = order_of_date_style(current(kDateStyle));
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

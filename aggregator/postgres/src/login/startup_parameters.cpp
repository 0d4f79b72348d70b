#include "startup_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedalus::postgres {

namespace {

/// An option of the protocol's that this side does not know begins with this.
constexpr std::string_view kProtocolOption = "_pq_.";

/// The settings within `options`: "-c name=value" or "--name=value", parted by blanks; a backslash keeps the next one.
Result<std::vector<std::pair<std::string, std::string>>> read_options(std::string_view options) {
  std::vector<std::string> words;
  bool is_open = false;
  for (size_t at = 0; at < options.size(); ++at) {
    if (options[at] == ' ') {
      is_open = false;
      continue;
    }
    at += options[at] == '\\' && at + 1 < options.size() ? 1 : 0;
    if (!std::exchange(is_open, true)) {
      words.emplace_back();
    }
    words.back().push_back(options[at]);
  }
  std::vector<std::pair<std::string, std::string>> settings;
  for (size_t word = 0; word < words.size(); ++word) {
    std::string setting = words[word];
    if (setting == "-c" && word + 1 < words.size()) {
      setting = words[++word];
    } else if (setting.starts_with("--") || (setting.starts_with("-c") && setting.size() > 2)) {
      setting.erase(0, 2);
    } else {
      return rejected("42601", fmt::format("invalid command-line argument for server process: {}", setting),
                      "options are -c name=value");
    }
    const size_t equal = setting.find('=');
    if (equal == std::string::npos) {
      return rejected("42601", fmt::format("-c {} requires a value", setting));
    }
    settings.emplace_back(setting.substr(0, equal), setting.substr(equal + 1));
  }
  return settings;
}

Result<void> take_parameter(const std::string& name, const std::string& value, Settings& settings) {
  if (name == "user" || name == "database") {
    return {};
  }
  if (name == "replication") {
    return value == "false" || value == "off" || value == "0"
               ? Result<void>()
               : rejected("0A000", "replication connections are not supported");
  }
  if (name != "options") {
    return settings.start_with(name, value);
  }
  const auto options = read_options(value);
  if (!options) {
    return options.error();
  }
  for (const auto& [setting, wanted] : *options) {
    if (auto set = settings.start_with(setting, wanted); !set) {
      return set;
    }
  }
  return {};
}

}  // namespace

std::string_view find_parameter(const StartupMessage& message, std::string_view name) {
  const auto found = std::find_if(message.parameters.begin(), message.parameters.end(),
                                  [&](const auto& parameter) { return parameter.first == name; });
  return found == message.parameters.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<std::string> take_protocol_options(StartupMessage& message) {
  std::vector<std::string> taken;
  std::erase_if(message.parameters, [&](const auto& parameter) {
    const bool is_unknown = parameter.first.starts_with(kProtocolOption);
    if (is_unknown) {
      taken.push_back(parameter.first);
    }
    return is_unknown;
  });
  return taken;
}

Result<void> take_settings(const StartupMessage& message, Settings& settings) {
  for (const auto& [name, value] : message.parameters) {
    if (auto taken = take_parameter(name, value, settings); !taken) {
      return taken;
    }
  }
  return {};
}

}  // namespace daedalus::postgres

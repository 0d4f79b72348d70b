// Before and behind the login: requests that come before it, parameters, and what a client is told at first.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "session.hpp"

namespace daedalus::postgres {

namespace {

/// What an option of the protocol's that this side does not know begins with.
constexpr std::string_view kProtocolOption = "_pq_.";

std::string_view find(const StartupMessage& message, std::string_view name) {
  const auto found = std::find_if(message.parameters.begin(), message.parameters.end(),
                                  [&](const auto& parameter) { return parameter.first == name; });
  return found == message.parameters.end() ? std::string_view() : std::string_view(found->second);
}

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

}  // namespace

void PgSession::handle_first(std::string_view body) {
  auto first = read_first(body);
  if (!first) {
    fatal(first.error());
  } else if (std::holds_alternative<SslRequest>(*first) && tls_ == Tls::kOffered) {
    if (input_.size() > 0) {
      // Whoever sits in between could have put it there, to be taken for what comes encrypted.
      return fatal(rejected("08P01", "received unencrypted data after SSL request"));
    }
    tls_ = Tls::kExpected;
    output_.text().push_back('S');
  } else if (std::holds_alternative<SslRequest>(*first) || std::holds_alternative<GssRequest>(*first)) {
    output_.text().push_back('N');  // The client goes on without, or does not.
  } else if (const auto* request = std::get_if<CancelRequest>(&*first)) {
    requests_.stop_another({request->process_id, request->secret});
    finish("a cancel request");
  } else {
    start(std::move(std::get<StartupMessage>(*first)));
  }
}

void PgSession::start(StartupMessage message) {
  std::vector<std::string> unknown_options;
  std::erase_if(message.parameters, [&](const auto& parameter) {
    const bool is_unknown = parameter.first.starts_with(kProtocolOption);
    if (is_unknown) {
      unknown_options.push_back(parameter.first);
    }
    return is_unknown;
  });
  if (auto taken = take_user(message); !taken) {
    return fatal(taken.error());
  }
  seat_ = seats_.take();
  if (!seat_) {
    return fatal(rejected("53300", "sorry, too many clients already",
                          fmt::format("at most {} may be connected at once: let them share connections, or give them "
                                      "another aggregator",
                                      seats_.max())));
  }
  if (message.minor > 0 || !unknown_options.empty()) {
    append_negotiate_version(unknown_options, output_.text());
  }
  log_in(std::move(message));
}

Result<void> PgSession::take_user(const StartupMessage& message) {
  user_ = find(message, "user");
  if (user_.empty() || user_.size() > kUserNameSizeMax) {
    return rejected("28000", user_.empty() ? std::string("no PostgreSQL user name specified in startup packet")
                                           : fmt::format("the user's name has more than {} bytes", kUserNameSizeMax));
  }
  return check_text(user_);
}

void PgSession::enter() {
  const StartupMessage message = std::move(login_->message);
  login_.reset();
  settings_ = Settings(user_, options_.zones.get());
  if (auto known = check_database(message); !known) {
    return fatal(known.error());
  }
  for (const auto& [name, value] : message.parameters) {
    if (auto taken = take_startup_parameter(name, value); !taken) {
      return fatal(taken.error());
    }
  }
  greet();
}

Result<void> PgSession::check_database(const StartupMessage& message) const {
  const std::string_view named = find(message, "database");
  const std::string_view database = named.empty() ? user_ : named;
  if (database != options_.database) {
    return rejected("3D000", fmt::format("database \"{}\" does not exist", database),
                    fmt::format("the only database is \"{}\"", options_.database));
  }
  return {};
}

Result<void> PgSession::take_startup_parameter(const std::string& name, const std::string& value) {
  if (name == "user" || name == "database") {
    return {};
  }
  if (name == "replication") {
    return value == "false" || value == "off" || value == "0"
               ? Result<void>()
               : rejected("0A000", "replication connections are not supported");
  }
  if (name != "options") {
    return settings_.start_with(name, value);
  }
  const auto settings = read_options(value);
  if (!settings) {
    return settings.error();
  }
  for (const auto& [setting, wanted] : *settings) {
    if (auto set = settings_.start_with(setting, wanted); !set) {
      return set;
    }
  }
  return {};
}

void PgSession::greet() {
  std::string& text = output_.text();
  append_authentication_ok(text);
  for (const auto& [name, value] : settings_.reports()) {
    append_parameter_status(name, value, text);
  }
  append_backend_key(identity_.key.process_id, identity_.key.secret, text);
  append_ready(block_.state, text);
  phase_ = Phase::kReady;
  was_up_ = true;
  rpc::PeerInfo info;
  info.hello.set_role(wire::v1::ROLE_CLIENT);
  info.hello.set_name(user_);
  info.address = connection_.address;
  requests_.tell_up(std::move(info));
}

}  // namespace daedalus::postgres

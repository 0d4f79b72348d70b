#include "login_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "backend.hpp"
#include "client_text.hpp"
#include "startup_parameters.hpp"

namespace daedalus::postgres {

namespace {

/// The databases without a table that clients find everywhere.
constexpr std::string_view kOtherDatabases[] = {"postgres", "template1"};

bool is_loopback(std::string_view address) { return address.starts_with("127.") || address.starts_with("[::1]"); }

/// Returns the host of host:port.
std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

}  // namespace

void LoginProcess::on_secured(Secured secured) {
  tls_ = Tls::kOn;
  secured_ = std::make_unique<Secured>(std::move(secured));
}

// ---- the startup packet ----

Result<LoginProcess::Next> LoginProcess::start(StartupMessage message, std::string& out) {
  const std::vector<std::string> unknown_options = take_protocol_options(message);
  if (auto taken = take_user(message); !taken) {
    return taken.error();
  }
  permit_ = connection_limit_.take();
  if (!permit_) {
    return rejected("53300", "sorry, too many clients already",
                    fmt::format("at most {} may be connected at once: let them share connections, or give them "
                                "another aggregator",
                                connection_limit_.max()));
  }
  if (message.minor > 0 || !unknown_options.empty()) {
    append_negotiate_version(unknown_options, out);
  }
  return log_in(std::move(message), out);
}

Result<void> LoginProcess::take_user(const StartupMessage& message) {
  user_ = find_parameter(message, "user");
  if (user_.empty() || user_.size() > kUserNameSizeMax) {
    return rejected("28000", user_.empty() ? std::string("no PostgreSQL user name specified in startup packet")
                                           : fmt::format("the user's name has more than {} bytes", kUserNameSizeMax));
  }
  return check_text(user_);
}

Result<LoginProcess::Next> LoginProcess::log_in(StartupMessage message, std::string& out) {
  if (auto may = check_way_in(); !may) {
    return may.error();
  }
  login_ = std::make_unique<Login>();
  login_->message = std::move(message);
  if (is_trusted() || is_certified()) {
    guard_.on_accepted();
    return Next::kEnter;
  }
  ask_for_password(out);
  return Next::kAnswer;
}

Result<void> LoginProcess::check_way_in() const {
  if (is_trusted()) {
    return {};
  }
  if (options_.requires_tls && tls_ != Tls::kOn && !is_loopback(address_)) {
    return rejected("28000", fmt::format("connections from {} must be encrypted", host_of(address_)),
                    "connect with sslmode=require, or better");
  }
  if (!guard_.has_users()) {
    return rejected(
        "28000", fmt::format("no way to log in is configured for connections from {}", address_),
        "in the aggregator's configuration postgres_users names the file of those who may, which `daedalus user add` "
        "makes; postgres_trust = \"loopback\" lets in clients of its own machine");
  }
  return {};
}

bool LoginProcess::is_trusted() const { return options_.trusts_loopback && is_loopback(address_); }

bool LoginProcess::is_certified() const {
  return secured_ != nullptr && secured_->certified_name == user_ && guard_.role_of(user_).has_value();
}

// ---- the password ----

void LoginProcess::ask_for_password(std::string& out) {
  LoginGuard::Challenge challenge = guard_.challenge(user_);
  std::string binding = secured_ != nullptr ? secured_->binding : std::string();
  std::vector<std::string_view> mechanisms{kScram};
  if (!binding.empty()) {
    mechanisms.insert(mechanisms.begin(), kScramPlus);
  }
  login_->is_mock = challenge.is_mock;
  login_->exchange.emplace(std::move(challenge.verifier), guard_.draw_nonce(), std::move(binding));
  append_sasl(mechanisms, out);
}

Result<LoginProcess::Next> LoginProcess::on_answer(std::string_view body, Instant now, std::string& out) {
  return std::exchange(login_->has_begun, true) ? on_final_answer(body, now) : on_first_answer(body, out);
}

Result<LoginProcess::Next> LoginProcess::on_first_answer(std::string_view body, std::string& out) {
  const auto message = read_sasl(body);
  if (!message) {
    return message.error();
  }
  const auto answer = login_->exchange->on_first(message->mechanism, message->data);
  if (!answer) {
    return answer.error();
  }
  append_sasl_continue(*answer, out);
  return Next::kAnswer;
}

Result<LoginProcess::Next> LoginProcess::on_final_answer(std::string_view body, Instant now) {
  auto outcome = login_->exchange->on_final(body);
  if (!outcome) {
    return outcome.error();
  }
  login_->outcome = std::move(*outcome);
  login_->outcome.is_right = login_->outcome.is_right && !login_->is_mock;
  const std::string host(host_of(address_));
  const auto told_at = guard_.on_try({user_, host}, login_->outcome.is_right, now);
  if (!told_at) {
    return rejected("53300", fmt::format("too many logins of user \"{}\" from {} have failed", user_, host),
                    "try again in a few seconds; this password was not looked at");
  }
  login_->verdict_at = *told_at;
  return Next::kVerdict;
}

Result<void> LoginProcess::tell_verdict(std::string& out) {
  if (!login_->outcome.is_right) {
    return rejected("28P01", fmt::format("password authentication failed for user \"{}\"", user_));
  }
  append_sasl_final(login_->outcome.server_final, out);
  return {};
}

// ---- within ----

Result<Settings> LoginProcess::enter() {
  const StartupMessage message = std::move(login_->message);
  login_.reset();
  if (auto known = take_database(message); !known) {
    return known.error();
  }
  Settings settings(user_, options_.zones.get());
  if (guard_.writes_at_once(user_).value_or(options_.writes_at_once)) {
    static_cast<void>(settings.start_with("daedalus.block_writes", "immediate"));
  }
  if (auto taken = take_settings(message, settings); !taken) {
    return taken.error();
  }
  return settings;
}

std::string_view LoginProcess::database() const {
  return has_table() ? std::string_view(options_.database) : kOtherDatabases[other_database_ - 1];
}

Result<void> LoginProcess::take_database(const StartupMessage& message) {
  const std::string_view named = find_parameter(message, "database");
  const std::string_view database = named.empty() ? user_ : named;
  if (database == options_.database) {
    return {};
  }
  const auto find = [](std::string_view name) {
    return std::find(std::begin(kOtherDatabases), std::end(kOtherDatabases), name);
  };
  const auto* const other = find(database);
  const bool is_name_taken = find(options_.database) != std::end(kOtherDatabases);  // Then the table's is the only one.
  if (other == std::end(kOtherDatabases) || is_name_taken) {
    return rejected("3D000", fmt::format("database \"{}\" does not exist", database),
                    fmt::format("the table is in the database \"{}\"", options_.database));
  }
  other_database_ = static_cast<uint8_t>(other - std::begin(kOtherDatabases) + 1);
  return {};
}

Result<void> LoginProcess::check_role(Role needed, std::string_view what) const {
  const auto role = is_trusted() ? Role::kOperator : guard_.role_of(user_);
  if (role && *role >= needed) {
    return {};
  }
  return rejected("42501", fmt::format("permission denied for table {}", options_.database),
                  role ? fmt::format("user \"{}\" is a {}: {} needs a {}", user_, name_of(*role), what, name_of(needed))
                       : fmt::format("user \"{}\" is not in the users file any longer", user_));
}

}  // namespace daedalus::postgres

// Who may enter, by which proof, and what each may do.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "session.hpp"

namespace daedalus::postgres {

namespace {

bool is_loopback(std::string_view address) { return address.starts_with("127.") || address.starts_with("[::1]"); }

/// Of host:port.
std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

}  // namespace

bool PgSession::is_trusted() const { return options_.trusts_loopback && is_loopback(connection_.address); }

bool PgSession::is_certified() const {
  return secured_ != nullptr && secured_->certified_name == user_ && guard_.role_of(user_).has_value();
}

void PgSession::on_secured(Secured secured) {
  tls_ = Tls::kOn;
  secured_ = std::make_unique<Secured>(std::move(secured));
}

void PgSession::log_in(StartupMessage message) {
  if (auto may = check_way_in(); !may) {
    return fatal(may.error());
  }
  login_ = std::make_unique<LoginRun>();
  login_->message = std::move(message);
  if (is_trusted() || is_certified()) {
    guard_.on_accepted();
    return enter();
  }
  ask_for_password();
}

Result<void> PgSession::check_way_in() const {
  if (is_trusted()) {
    return {};
  }
  if (options_.requires_tls && tls_ != Tls::kOn && !is_loopback(connection_.address)) {
    return rejected("28000", fmt::format("connections from {} must be encrypted", host_of(connection_.address)),
                    "connect with sslmode=require, or better");
  }
  if (!guard_.has_users()) {
    return rejected(
        "28000", fmt::format("no way to log in is configured for connections from {}", connection_.address),
        "in the aggregator's configuration postgres_users names the file of those who may, which `daedalus user add` "
        "makes; postgres_trust = \"loopback\" lets in clients of its own machine");
  }
  return {};
}

void PgSession::ask_for_password() {
  LoginGuard::Challenge challenge = guard_.challenge(user_);
  std::string binding = secured_ != nullptr ? secured_->binding : std::string();
  std::vector<std::string_view> mechanisms{kScram};
  if (!binding.empty()) {
    mechanisms.insert(mechanisms.begin(), kScramPlus);
  }
  login_->is_mock = challenge.is_mock;
  login_->exchange.emplace(std::move(challenge.verifier), guard_.draw_nonce(), std::move(binding));
  append_sasl(mechanisms, output_.text());
  phase_ = Phase::kLogin;
}

void PgSession::on_login(const Frame& frame) {
  if (frame.type == 'X') {
    finish("the client has said goodbye");
  } else if (frame.type != 'p') {
    fatal(rejected("08P01",
                   fmt::format("expected SASL response, got message type {}", static_cast<unsigned char>(frame.type))));
  } else if (!std::exchange(login_->has_begun, true)) {
    on_first_answer(frame.body);
  } else {
    on_final_answer(frame.body);
  }
}

void PgSession::on_first_answer(std::string_view body) {
  const auto message = read_sasl(body);
  if (!message) {
    return fatal(message.error());
  }
  const auto answer = login_->exchange->on_first(message->mechanism, message->data);
  if (!answer) {
    return fatal(answer.error());
  }
  append_sasl_continue(*answer, output_.text());
}

void PgSession::on_final_answer(std::string_view body) {
  auto outcome = login_->exchange->on_final(body);
  if (!outcome) {
    return fatal(outcome.error());
  }
  login_->outcome = std::move(*outcome);
  login_->outcome.is_right = login_->outcome.is_right && !login_->is_mock;
  const std::string host(host_of(connection_.address));
  const auto told_at = guard_.on_try({user_, host}, login_->outcome.is_right, now_);
  if (!told_at) {
    return fatal(rejected("53300", fmt::format("too many logins of user \"{}\" from {} have failed", user_, host),
                          "try again in a few seconds; this password was not looked at"));
  }
  login_->told_at = *told_at;
  if (*told_at > now_) {
    wait_ = Wait::kVerdict;
  } else {
    tell_verdict();
  }
}

void PgSession::tell_verdict() {
  wait_ = Wait::kNothing;
  if (!login_->outcome.is_right) {
    return fatal(rejected("28P01", fmt::format("password authentication failed for user \"{}\"", user_)));
  }
  append_sasl_final(login_->outcome.server_final, output_.text());
  enter();
}

Result<void> PgSession::check_role(Role needed, std::string_view what) const {
  const auto role = is_trusted() ? Role::kOperator : guard_.role_of(user_);
  if (role && *role >= needed) {
    return {};
  }
  return rejected("42501", fmt::format("permission denied for table {}", options_.database),
                  role ? fmt::format("user \"{}\" is a {}: {} needs a {}", user_, name_of(*role), what, name_of(needed))
                       : fmt::format("user \"{}\" is not in the users file any longer", user_));
}

}  // namespace daedalus::postgres

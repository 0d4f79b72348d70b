// Who may enter, by which proof, and what each may do: from a client's startup packet to the verdict on its password.
//
// Decides whether a password is asked for, what is said of a wrong one and when, and whether there is a connection.
// Refuses to know frames, and what a client does once it is in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/postgres/connection_limit.hpp"
#include "daedalus/postgres/login_guard.hpp"
#include "daedalus/postgres/session_options.hpp"
#include "frontend.hpp"
#include "scram.hpp"
#include "settings.hpp"

namespace daedalus::postgres {

/// The encryption of a connection says this of it.
struct Secured {
  std::string certified_name;  ///< The common name of a client certificate that was verified; empty: there is none.
  std::string binding;         ///< A login may be bound to this (tls-server-end-point); empty: to nothing.
};

/// Each call that has `out` appends there what its client is told. What fails ends the connection.
class LoginProcess {
 public:
  /// This has to come before its client is in.
  enum class Next : uint8_t {
    kAnswer,   ///< The client's next message of the login.
    kVerdict,  ///< The time to tell whether the password was right: verdict_at().
    kEnter,    ///< Nothing: enter().
  };

  /// All that is handed in outlives this. `address`: host:port of its client.
  LoginProcess(const SessionOptions& options, LoginGuard& guard, ConnectionLimit& connection_limit,
               const std::string& address)
      : options_(options), guard_(guard), connection_limit_(connection_limit), address_(address) {}

  // ---- encryption, which is somebody else's ----
  /// From now on a client that asks for encryption is to be told that it may begin.
  void offer_tls() { tls_ = Tls::kOffered; }
  [[nodiscard]] bool offers_tls() const { return tls_ == Tls::kOffered; }
  /// The client has been told so: its next bytes are encrypted.
  void expect_tls() { tls_ = Tls::kExpected; }
  [[nodiscard]] bool expects_tls() const { return tls_ == Tls::kExpected; }
  void on_secured(Secured secured);
  [[nodiscard]] bool is_encrypted() const { return tls_ == Tls::kOn; }

  // ---- the way in ----
  /// Errors: 28000 no user, or no way in from there; 22021 a name that is no text; 53300 all connections are taken.
  [[nodiscard]] Result<Next> start(StartupMessage message, std::string& out);
  /// The next message of a login. Errors: those of ScramExchange; 53300 too many logins have failed.
  [[nodiscard]] Result<Next> on_answer(std::string_view body, Instant now, std::string& out);
  /// Precondition: Next::kVerdict, which has not been told.
  [[nodiscard]] Instant verdict_at() const { return login_->verdict_at; }
  /// It is time. Errors: 28P01 the password was wrong.
  [[nodiscard]] Result<void> tell_verdict(std::string& out);
  /// The settings that its client starts with; they know its name by this object. Errors: 3D000 there is no such
  /// database; those of take_settings().
  [[nodiscard]] Result<Settings> enter();
  /// Ends the login that is under way.
  void give_up() { login_.reset(); }

  // ---- who it is ----
  [[nodiscard]] const std::string& user() const { return user_; }
  /// The database that the client has asked for. Precondition: enter() has let it in.
  [[nodiscard]] std::string_view database() const;
  /// Says whether that is the table's: tools look around in another one before they know which that is.
  [[nodiscard]] bool has_table() const { return other_database_ == 0; }
  /// Errors: 42501 the role that `what` needs is not the user's.
  [[nodiscard]] Result<void> check_role(Role needed, std::string_view what) const;

 private:
  enum class Tls : uint8_t { kNever, kOffered, kExpected, kOn };
  /// A login under way.
  struct Login {
    StartupMessage message;
    std::optional<ScramExchange> exchange;  ///< Once a password is needed.
    bool is_mock = false;                   ///< There is no such user; nobody is told.
    bool has_begun = false;                 ///< The client's first message has come.
    ScramExchange::Outcome outcome;         ///< Once its final one has.
    Instant verdict_at{};
  };

  [[nodiscard]] Result<void> take_user(const StartupMessage& message);
  [[nodiscard]] Result<Next> log_in(StartupMessage message, std::string& out);
  [[nodiscard]] Result<void> check_way_in() const;
  [[nodiscard]] Result<void> take_database(const StartupMessage& message);
  [[nodiscard]] bool is_trusted() const;
  [[nodiscard]] bool is_certified() const;
  void ask_for_password(std::string& out);
  [[nodiscard]] Result<Next> on_first_answer(std::string_view body, std::string& out);
  [[nodiscard]] Result<Next> on_final_answer(std::string_view body, Instant now);

  const SessionOptions& options_;
  LoginGuard& guard_;
  ConnectionLimit& connection_limit_;
  const std::string& address_;
  std::optional<ConnectionPermit> permit_;  ///< From the startup packet on.
  Tls tls_ = Tls::kNever;
  uint8_t other_database_ = 0;  ///< Which of those without the table, from 1; 0: the client is in the table's.
  std::unique_ptr<Secured> secured_;
  std::string user_;
  std::unique_ptr<Login> login_;
};

}  // namespace daedalus::postgres

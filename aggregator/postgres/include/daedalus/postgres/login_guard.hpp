// All sessions of one process share what concerns logging in: the users, the tries that failed, and counts: pure.
//
// Decides when a try is answered. A wrong password is answered late, the later the more there were of one user from one
// address; tries of the two stand in a row, however many connections they come on, and a right one, too, once there was
// a wrong one. A row that is too long ends with a refusal that has not looked at the password. So passwords are tried
// at most at a rate, and nobody else waits. Refuses to know sockets, files and the clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daedalus/base/units.hpp"
#include "daedalus/postgres/users.hpp"

namespace daedalus::postgres {

struct LoginCounts {
  uint64_t accepted = 0;
  uint64_t failed = 0;   ///< A wrong password, or no such user.
  uint64_t refused = 0;  ///< Not looked at, because too many failed before.

  friend bool operator==(const LoginCounts&, const LoginCounts&) = default;
};

class LoginGuard {
 public:
  static constexpr int64_t kDelayMinNs = kSecond / 4;  ///< After one wrong password; doubles with each further one.
  static constexpr int64_t kDelayMaxNs = 2 * kSecond;
  static constexpr int64_t kRowNsMax = 4 * kSecond;   ///< Most that a try waits for those before it.
  static constexpr int64_t kForgetNs = 60 * kSecond;  ///< After so long without a failure all is forgotten.
  static constexpr size_t kSuspectsMax = 4'096;       ///< Pairs of user and address; who is due first is forgotten.

  /// Whose password, and from where.
  struct Suspect {
    std::string user;
    std::string host;
    friend auto operator<=>(const Suspect&, const Suspect&) = default;
  };
  /// A password is checked with this.
  struct Challenge {
    ScramVerifier verifier;
    bool is_mock = false;  ///< No password fits.
  };

  /// `random` must be one that nobody can guess.
  explicit LoginGuard(std::function<uint64_t()> random);

  /// Null: there is no users file, and nobody may log in.
  void set_users(std::shared_ptr<const Users> users) { users_ = std::move(users); }
  [[nodiscard]] bool has_users() const { return users_ != nullptr; }
  /// None: there is no such user (any longer).
  [[nodiscard]] std::optional<Role> role_of(std::string_view user) const;
  /// Returns whether the users file lets writes in blocks of the user's take effect at once; nothing: it does not say.
  [[nodiscard]] std::optional<bool> writes_at_once(std::string_view user) const;
  /// Returns the same for the same user, whether there is one or not: for all who have the users file's key of salts,
  /// and as long as the process lives where it has none.
  [[nodiscard]] Challenge challenge(std::string_view user) const;
  [[nodiscard]] std::string draw_nonce() const;

  /// Somebody has tried; when to answer. Nothing: refuse at once, and do not say whether it was right.
  [[nodiscard]] std::optional<Instant> on_try(const Suspect& suspect, bool is_right, Instant now);
  /// A login without a password.
  void on_accepted() { ++counts_.accepted; }
  [[nodiscard]] const LoginCounts& counts() const { return counts_; }
  [[nodiscard]] size_t suspect_count() const { return suspects_.size(); }

 private:
  struct Record {
    uint32_t failures = 0;
    Instant next{};  ///< When the row has come to its end.
  };
  void make_room(Instant now);

  const std::function<uint64_t()> random_;
  const std::string mock_secret_;
  std::shared_ptr<const Users> users_;
  std::map<Suspect, Record> suspects_;
  LoginCounts counts_;
};

}  // namespace daedalus::postgres

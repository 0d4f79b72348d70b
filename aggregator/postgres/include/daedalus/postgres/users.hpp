// Who may log in by PostgreSQL's protocol: the users file, read (docs/postgres.md, "Users").
//
// Decides what a line means. Refuses to know where the file is, and passwords: a line has what a password is checked
// with, of which nobody can make the password, nor log in with it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// A role says what its user may do; each may do what the one before it may.
enum class Role : uint8_t {
  kReader,    ///< Ask.
  kWriter,    ///< INSERT, UPDATE and DELETE.
  kOperator,  ///< May do what concerns the cluster.
};
[[nodiscard]] std::string_view name_of(Role role);

/// The server keeps this of a password for SCRAM-SHA-256 (RFC 5802, section 3); bytes, not base64.
struct ScramVerifier {
  uint32_t iterations = 0;
  std::string salt;
  std::string stored_key;  ///< 32 bytes.
  std::string server_key;  ///< 32 bytes.

  friend bool operator==(const ScramVerifier&, const ScramVerifier&) = default;
};

struct User {
  Role role = Role::kReader;
  std::optional<ScramVerifier> verifier;  ///< None: a client certificate is the only way in.
  std::optional<bool> writes_at_once;     ///< daedalus.block_writes of its sessions; none: as the aggregator says.
};
struct Users {
  std::map<std::string, User, std::less<>> by_name;
  /// The salts of users who do not exist are made of this, so that all who read the file make the same ones; empty: the
  /// file has none. It is random, and not made of verifiers: else who sees such a salt could try passwords against it.
  std::string salt_key;
};

constexpr size_t kUserNameSizeMax = 63;          ///< Bytes, as PostgreSQL's.
constexpr size_t kUsersMax = 65'536;             ///< In one file.
constexpr size_t kUsersFileSizeMax = 16u << 20;  ///< Bytes of it.
constexpr uint32_t kScramIterationsMax = 10'000'000;
constexpr size_t kScramSaltSizeMax = 256;
constexpr size_t kSaltKeySizeMin = 16;
constexpr size_t kSaltKeySizeMax = 256;

/// A line is NAME ROLE VERIFIER [block_writes=refuse|immediate], parted by blanks; VERIFIER is PostgreSQL's
/// SCRAM-SHA-256$ITERATIONS:SALT$STOREDKEY:SERVERKEY, or "-". The line "#salt-key KEY" has the key of salts in base64.
/// Empty lines and others that begin with # mean nothing. Errors (F0000): the first line that is none, by its number;
/// nobody is taken from such a file.
[[nodiscard]] Result<Users> parse_users(std::string_view text);

}  // namespace daedalus::postgres

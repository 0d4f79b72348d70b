// The other side of SCRAM-SHA-256: what a client computes from a password (RFC 5802, section 3).
#pragma once

#include <string>

#include "daedalus/postgres/users.hpp"

namespace daedalus::postgres::testing {

/// Returns what a users file has for a password.
ScramVerifier verifier_of(const std::string& password, const std::string& salt, uint32_t iterations = 4096);

/// Returns the line by which the file says so.
std::string line_of(const ScramVerifier& verifier);

class ScramClient {
 public:
  /// `flag`: "n", "y", or "p=tls-server-end-point" with the data that go with it.
  explicit ScramClient(std::string password, std::string nonce = "abcdef", std::string flag = "n",
                       std::string binding = "");
  [[nodiscard]] std::string first() const { return flag_ + ",," + first_bare_; }
  /// The final message, to what the server has said.
  [[nodiscard]] std::string final(const std::string& server_first);
  /// Returns what the server has to say then.
  [[nodiscard]] const std::string& expected() const { return expected_; }

 private:
  std::string password_;
  std::string first_bare_;
  std::string flag_;
  std::string binding_;
  std::string expected_;
};

}  // namespace daedalus::postgres::testing

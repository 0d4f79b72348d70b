// SCRAM-SHA-256 as the server holds it (RFC 5802, RFC 7677; PostgreSQL's protocol, "SASL Authentication"): pure.
//
// Decides whether a client has proved to know the password. Refuses to know users: whoever has none is given a verifier
// that no password fits, and the same words are exchanged.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/postgres/users.hpp"

namespace daedalus::postgres {

constexpr std::string_view kScram = "SCRAM-SHA-256";
constexpr std::string_view kScramPlus = "SCRAM-SHA-256-PLUS";

class ScramExchange {
 public:
  struct Outcome {
    bool is_right = false;
    std::string server_final;  ///< Proves to the client that this server knows its verifier; only for who is right.
  };

  /// `nonce` is drawn for this exchange, of printable characters without a comma. `binding` is what the connection is
  /// bound to (tls-server-end-point, RFC 5929); empty: nothing, and SCRAM-SHA-256-PLUS is not offered.
  ScramExchange(ScramVerifier verifier, std::string nonce, std::string binding);

  /// The client's first message; what to answer. Errors: 08P01 malformed, or a mechanism that was not offered; 28000
  /// the client thinks that nothing can be bound to, but it can; 0A000 an extension.
  [[nodiscard]] Result<std::string> on_first(std::string_view mechanism, std::string_view message);
  /// Its second. Errors: 08P01.
  [[nodiscard]] Result<Outcome> on_final(std::string_view message) const;

 private:
  [[nodiscard]] Result<void> take_binding_flag(std::string_view mechanism, std::string_view& rest);
  [[nodiscard]] bool is_proof(std::string_view auth_message, std::string_view proof) const;

  const ScramVerifier verifier_;
  const std::string nonce_;  ///< This side's.
  const std::string binding_;
  std::string gs2_header_;  ///< As the client sent it.
  bool is_bound_ = false;
  std::string client_first_;  ///< Without the header.
  std::string both_nonces_;
  std::string server_first_;
};

}  // namespace daedalus::postgres

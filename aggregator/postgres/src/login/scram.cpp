#include "scram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "digests.hpp"

namespace daedalus::postgres {

namespace {

Error malformed_scram(std::string_view what) {
  return rejected("08P01", fmt::format("malformed SCRAM message: {}", what));
}

/// Takes "KEY=value" and the comma behind it from the front; nothing when something else is there.
std::optional<std::string_view> take_attribute(char key, std::string_view& rest) {
  if (rest.size() < 2 || rest[0] != key || rest[1] != '=') {
    return std::nullopt;
  }
  rest.remove_prefix(2);
  const std::string_view value = rest.substr(0, rest.find(','));
  rest.remove_prefix(std::min(rest.size(), value.size() + 1));
  return value;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != ','; });
}

}  // namespace

ScramExchange::ScramExchange(ScramVerifier verifier, std::string nonce, std::string binding)
    : verifier_(std::move(verifier)), nonce_(std::move(nonce)), binding_(std::move(binding)) {}

Result<std::string> ScramExchange::on_first(std::string_view mechanism, std::string_view message) {
  std::string_view rest = message;
  if (auto taken = take_binding_flag(mechanism, rest); !taken) {
    return taken.error();
  }
  if (rest.starts_with(",a=")) {
    return rejected("0A000", "client uses authorization identity, but it is not supported");
  }
  if (!rest.starts_with(",,")) {
    return malformed_scram("two commas are missing behind the channel binding flag");
  }
  rest.remove_prefix(2);
  gs2_header_ = message.substr(0, message.size() - rest.size());
  client_first_ = rest;
  if (rest.starts_with("m=")) {
    return rejected("0A000", "client requires an unsupported SCRAM extension");
  }
  // The name that counts is the one of the startup packet, as in PostgreSQL.
  if (!take_attribute('n', rest)) {
    return malformed_scram("the user's name is missing");
  }
  const auto nonce = take_attribute('r', rest);
  if (!nonce || nonce->empty() || !is_printable(*nonce)) {
    return malformed_scram("the client's nonce is missing, or has characters that are not printable");
  }
  both_nonces_ = std::string(*nonce) + nonce_;
  server_first_ = fmt::format("r={},s={},i={}", both_nonces_, to_base64(verifier_.salt), verifier_.iterations);
  return server_first_;
}

Result<void> ScramExchange::take_binding_flag(std::string_view mechanism, std::string_view& rest) {
  is_bound_ = mechanism == kScramPlus;
  if ((!is_bound_ && mechanism != kScram) || (is_bound_ && binding_.empty())) {
    return rejected("08P01", "client selected an invalid SASL authentication mechanism");
  }
  const std::string_view flag = rest.substr(0, rest.find(','));
  rest.remove_prefix(flag.size());
  if (is_bound_) {
    return flag == "p=tls-server-end-point"
               ? Result<void>()
               : malformed_scram(
                     "SCRAM-SHA-256-PLUS was selected, but no channel binding data of tls-server-end-point");
  }
  if (flag == "y" && !binding_.empty()) {
    return rejected("28000", "SCRAM channel binding negotiation error",
                    "the client thinks that this server has no channel binding, but it has: somebody in between may "
                    "have taken it away");
  }
  return flag == "n" || flag == "y" ? Result<void>() : malformed_scram("the channel binding flag is not n, y or p");
}

Result<ScramExchange::Outcome> ScramExchange::on_final(std::string_view message) const {
  std::string_view rest = message;
  const auto binding = take_attribute('c', rest);
  const auto nonce = take_attribute('r', rest);
  const size_t proof_at = message.rfind(",p=");
  if (!binding || !nonce || proof_at == std::string_view::npos) {
    return malformed_scram("the client's final message has no channel binding, nonce or proof");
  }
  if (*nonce != both_nonces_) {
    return rejected("08P01", "invalid SCRAM response: the nonce is another one");
  }
  if (*binding != to_base64(gs2_header_ + (is_bound_ ? binding_ : std::string()))) {
    return is_bound_ ? rejected("28000", "SCRAM channel binding check failed")
                     : rejected("08P01", "unexpected SCRAM channel-binding attribute in client-final-message");
  }
  const auto proof = from_base64(message.substr(proof_at + 3));
  if (!proof || proof->size() != kDigestSize) {
    return malformed_scram("the proof is not one");
  }
  const std::string auth_message = fmt::format("{},{},{}", client_first_, server_first_, message.substr(0, proof_at));
  Outcome outcome;
  outcome.is_right = is_proof(auth_message, *proof);
  outcome.server_final = "v=" + to_base64(hmac_sha256(verifier_.server_key, auth_message));
  return outcome;
}

/// RFC 5802, section 3: the proof is the client's key, hidden by a signature that only the stored key can make.
bool ScramExchange::is_proof(std::string_view auth_message, std::string_view proof) const {
  std::string client_key = hmac_sha256(verifier_.stored_key, auth_message);
  for (size_t at = 0; at < kDigestSize; ++at) {
    client_key[at] = static_cast<char>(client_key[at] ^ proof[at]);
  }
  return is_equal_in_constant_time(sha256(client_key), verifier_.stored_key);
}

}  // namespace daedalus::postgres

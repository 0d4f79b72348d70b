#include "scram_client.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <utility>

#include "digests.hpp"

namespace daedalus::postgres::testing {

namespace {

std::string salted(const std::string& password, const std::string& salt, uint32_t iterations) {
  std::string key(kDigestSize, '\0');
  PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                    reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()),
                    static_cast<int>(iterations), EVP_sha256(), static_cast<int>(key.size()),
                    reinterpret_cast<unsigned char*>(key.data()));
  return key;
}

/// The value of one attribute of a message.
std::string value_of(const std::string& message, char key) {
  size_t at = message[0] == key ? 0 : message.find(std::string(",") + key + "=") + 1;
  at += 2;
  return message.substr(at, message.find(',', at) - at);
}

}  // namespace

ScramVerifier verifier_of(const std::string& password, const std::string& salt, uint32_t iterations) {
  const std::string key = salted(password, salt, iterations);
  return {iterations, salt, sha256(hmac_sha256(key, "Client Key")), hmac_sha256(key, "Server Key")};
}

std::string line_of(const ScramVerifier& verifier) {
  return fmt::format("SCRAM-SHA-256${}:{}${}:{}", verifier.iterations, to_base64(verifier.salt),
                     to_base64(verifier.stored_key), to_base64(verifier.server_key));
}

ScramClient::ScramClient(std::string password, std::string nonce, std::string flag, std::string binding)
    : password_(std::move(password)),
      first_bare_("n=user,r=" + nonce),
      flag_(std::move(flag)),
      binding_(std::move(binding)) {}

std::string ScramClient::final(const std::string& server_first) {
  const std::string salt = *from_base64(value_of(server_first, 's'));
  const std::string key = salted(password_, salt, static_cast<uint32_t>(std::stoul(value_of(server_first, 'i'))));
  const std::string bare = fmt::format("c={},r={}", to_base64(flag_ + ",," + binding_), value_of(server_first, 'r'));
  const std::string auth_message = first_bare_ + "," + server_first + "," + bare;
  std::string proof = hmac_sha256(key, "Client Key");
  const std::string signature = hmac_sha256(sha256(proof), auth_message);
  for (size_t at = 0; at < proof.size(); ++at) {
    proof[at] = static_cast<char>(proof[at] ^ signature[at]);
  }
  expected_ = "v=" + to_base64(hmac_sha256(hmac_sha256(key, "Server Key"), auth_message));
  return bare + ",p=" + to_base64(proof);
}

}  // namespace daedalus::postgres::testing

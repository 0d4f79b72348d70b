#include "digests.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "daedalus/base/check.hpp"

namespace daedalus::postgres {

namespace {

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

/// Three bytes become four characters, and the other way round.
constexpr size_t kPlainSize = 3;
constexpr size_t kCodedSize = 4;

}  // namespace

std::string sha256(std::string_view text) {
  std::string digest(kDigestSize, '\0');
  CHECK(EVP_Digest(text.data(), text.size(), bytes_of(digest), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string digest(kDigestSize, '\0');
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(), bytes_of(digest),
             nullptr) != nullptr);
  return digest;
}

bool is_equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string to_base64(std::string_view bytes) {
  // One byte more: the function below ends its text with a zero.
  std::string text((bytes.size() + kPlainSize - 1) / kPlainSize * kCodedSize + 1, '\0');
  EVP_EncodeBlock(bytes_of(text), bytes_of(bytes), static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % kCodedSize != 0) {
    return std::nullopt;
  }
  std::string bytes(text.size() / kCodedSize * kPlainSize, '\0');
  if (EVP_DecodeBlock(bytes_of(bytes), bytes_of(text), static_cast<int>(text.size())) < 0) {
    return std::nullopt;
  }
  const size_t padding = text.size() - 1 - text.find_last_not_of('=');
  bytes.resize(padding > bytes.size() ? 0 : bytes.size() - padding);
  // It takes blanks and bits that mean nothing; only one text stands for these bytes.
  return to_base64(bytes) == text ? std::optional<std::string>(std::move(bytes)) : std::nullopt;
}

}  // namespace daedalus::postgres

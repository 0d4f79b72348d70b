#include "daedalus/postgres/tls_context.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <utility>
#include <vector>

#include "daedalus/base/check.hpp"

namespace daedalus::postgres {

namespace {

struct FreeAny {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using Held = std::unique_ptr<T, FreeAny>;

/// Certificates in one text; more are not read.
constexpr size_t kCertificatesMax = 1'024;

Error wrong_file(std::string what) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  if (reason != nullptr) {
    what += fmt::format(" ({})", reason);
  }
  ERR_clear_error();
  return Error{ErrorCategory::kFatal, "F0000", std::move(what), {}, 0};
}

Held<BIO> reader_of(const std::string& text) {
  return Held<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::vector<Held<X509>> read_certificates(const std::string& text) {
  const auto reader = reader_of(text);
  std::vector<Held<X509>> found;
  while (found.size() < kCertificatesMax) {
    Held<X509> certificate(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
    if (certificate == nullptr) {
      break;
    }
    found.push_back(std::move(certificate));
  }
  // At the end of a text it says that there is no further one.
  if (!found.empty()) {
    ERR_clear_error();
  }
  return found;
}

/// Nobody is asked for a password of a key: a server has no terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*is_writing*/, void* /*given*/) { return -1; }

Result<void> use_certificates(SSL_CTX* context, std::vector<Held<X509>> chain, const std::string& key_text) {
  if (chain.empty() || SSL_CTX_use_certificate(context, chain.front().get()) != 1) {
    return wrong_file("there is no usable certificate in postgres_certificate");
  }
  for (size_t at = 1; at < chain.size(); ++at) {
    if (SSL_CTX_add1_chain_cert(context, chain[at].get()) != 1) {
      return wrong_file(fmt::format("certificate {} in postgres_certificate cannot be used", at + 1));
    }
  }
  const Held<EVP_PKEY> key(PEM_read_bio_PrivateKey(reader_of(key_text).get(), nullptr, no_password, nullptr));
  if (key == nullptr) {
    return wrong_file("there is no key without a password in postgres_key");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return wrong_file("postgres_key is not the key of postgres_certificate");
  }
  return {};
}

Result<void> ask_clients(SSL_CTX* context, const std::string& text) {
  const auto authorities = read_certificates(text);
  if (authorities.empty()) {
    return wrong_file("there is no certificate in postgres_client_ca");
  }
  for (const auto& authority : authorities) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1 ||
        SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return wrong_file("a certificate in postgres_client_ca cannot be used");
    }
  }
  // One that nobody may trust ends the handshake; who has none logs in with a password.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return {};
}

/// With the digest of the certificate's own signature, but SHA-256 in place of those that are weak.
std::string binding_of(X509* certificate) {
  int kind = NID_undef;
  if (X509_get_signature_info(certificate, &kind, nullptr, nullptr, nullptr) != 1) {
    ERR_clear_error();
    return {};
  }
  const EVP_MD* const digest = kind == NID_md5 || kind == NID_sha1 ? EVP_sha256() : EVP_get_digestbynid(kind);
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (digest == nullptr || X509_digest(certificate, digest, bytes, &size) != 1) {
    ERR_clear_error();
    return {};
  }
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsTexts& texts) {
  ERR_clear_error();
  const std::shared_ptr<TlsContext> made(new TlsContext());
  made->context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* const context = made->context_.get();
  CHECK(context != nullptr);
  CHECK(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1);
  // Sessions are not resumed: a certificate that was changed, or a client's that was, holds for every connection.
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  CHECK(SSL_CTX_set_num_tickets(context, 0) == 1);
  // An idle connection keeps no buffers.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE);
  auto chain = read_certificates(texts.certificates);
  if (!chain.empty()) {
    made->binding_ = binding_of(chain.front().get());
  }
  if (auto used = use_certificates(context, std::move(chain), texts.key); !used) {
    return used.error();
  }
  if (!texts.client_ca.empty()) {
    if (auto asked = ask_clients(context, texts.client_ca); !asked) {
      return asked.error();
    }
  }
  return std::shared_ptr<const TlsContext>(made);
}

}  // namespace daedalus::postgres

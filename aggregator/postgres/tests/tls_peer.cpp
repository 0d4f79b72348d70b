#include "tls_peer.hpp"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace daedalus::postgres::testing {

namespace {

constexpr long kYearSeconds = 365L * 24 * 3600;
/// A certificate that has signed itself is then an authority without saying so.
constexpr int kVersion1 = 0;

std::string text_of(BIO* bio) {
  std::string text(BIO_ctrl_pending(bio), '\0');
  BIO_read(bio, text.data(), static_cast<int>(text.size()));
  return text;
}

}  // namespace

Certificate::Certificate(const std::string& common_name, const Certificate* issuer)
    : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
  X509* const made = certificate_.get();
  X509_set_version(made, kVersion1);
  static long serial = 1;
  ASN1_INTEGER_set(X509_get_serialNumber(made), serial++);
  X509_gmtime_adj(X509_getm_notBefore(made), -kYearSeconds);
  X509_gmtime_adj(X509_getm_notAfter(made), kYearSeconds);
  X509_set_pubkey(made, key_.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.data()),
                             static_cast<int>(common_name.size()), -1, 0);
  X509_set_issuer_name(made, X509_get_subject_name(issuer == nullptr ? made : issuer->get()));
  X509_sign(made, issuer == nullptr ? key_.get() : issuer->key(), EVP_sha256());
}

std::string Certificate::pem() const {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(bio.get(), certificate_.get());
  return text_of(bio.get());
}

std::string Certificate::key_pem() const {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio.get());
}

TlsClient::TlsClient(const Options& options) : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
  if (options.version_max != 0) {
    SSL_CTX_set_max_proto_version(context_.get(), options.version_max);
  }
  if (options.certificate != nullptr) {
    SSL_CTX_use_certificate(context_.get(), options.certificate->get());
    SSL_CTX_use_PrivateKey(context_.get(), options.certificate->key());
  }
  ssl_ = std::shared_ptr<SSL>(SSL_new(context_.get()), SSL_free);
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(ssl_.get());
  SSL_do_handshake(ssl_.get());
}

void TlsClient::hear(std::string_view bytes) {
  BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
  if (!is_open()) {
    SSL_do_handshake(ssl_.get());
  }
  ERR_clear_error();
}

bool TlsClient::is_open() const { return SSL_is_init_finished(ssl_.get()) == 1; }

std::string TlsClient::take() { return text_of(SSL_get_wbio(ssl_.get())); }

std::string TlsClient::seal(std::string_view plain) {
  SSL_write(ssl_.get(), plain.data(), static_cast<int>(plain.size()));
  return take();
}

std::string TlsClient::opened() {
  std::string plain;
  char piece[4096];
  for (int size = 0; (size = SSL_read(ssl_.get(), piece, sizeof(piece))) > 0;) {
    plain.append(piece, static_cast<size_t>(size));
  }
  ERR_clear_error();
  return plain;
}

bool TlsClient::has_ended() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }

}  // namespace daedalus::postgres::testing

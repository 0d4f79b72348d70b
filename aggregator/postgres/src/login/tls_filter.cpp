#include "tls_filter.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::postgres {

namespace {

/// The greatest record, decrypted (RFC 8446, section 5.1).
constexpr size_t kRecordSize = 16u << 10;

/// After a call that has not done what it should; nothing when it only waits for bytes.
Result<void> problem_of(const SSL* ssl, int returned, std::string_view doing) {
  const int kind = SSL_get_error(ssl, returned);
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE || kind == SSL_ERROR_ZERO_RETURN) {
    return {};
  }
  const char* const reason = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  return rejected("08P01", fmt::format("{}: {}", doing, reason == nullptr ? "broken off" : reason));
}

}  // namespace

void TlsFilter::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsFilter::TlsFilter(std::shared_ptr<const TlsContext> context)
    : context_(std::move(context)), ssl_(SSL_new(context_->get())) {
  CHECK(ssl_ != nullptr);
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  CHECK(in != nullptr && out != nullptr);
  SSL_set_bio(ssl_.get(), in, out);  // They are its own from now on.
  SSL_set_accept_state(ssl_.get());
}

Result<void> TlsFilter::open(std::string_view sealed, std::string& plain) {
  ERR_clear_error();
  CHECK(BIO_write(SSL_get_rbio(ssl_.get()), sealed.data(), static_cast<int>(sealed.size())) ==
        static_cast<int>(sealed.size()));
  if (!is_open()) {
    const int done = SSL_do_handshake(ssl_.get());
    if (done != 1) {
      return problem_of(ssl_.get(), done, "the TLS handshake failed");
    }
  }
  for (;;) {
    const size_t before = plain.size();
    plain.resize(before + kRecordSize);
    const int size = SSL_read(ssl_.get(), plain.data() + before, static_cast<int>(kRecordSize));
    plain.resize(before + static_cast<size_t>(size > 0 ? size : 0));
    if (size <= 0) {
      return problem_of(ssl_.get(), size, "the TLS connection failed");
    }
  }
}

Result<void> TlsFilter::seal(std::string_view plain) {
  ERR_clear_error();
  while (!plain.empty()) {
    const int size = SSL_write(ssl_.get(), plain.data(), static_cast<int>(plain.size()));
    if (size <= 0) {
      auto problem = problem_of(ssl_.get(), size, "the TLS connection failed");
      return problem ? rejected("08P01", "the TLS connection takes nothing more") : problem;
    }
    plain.remove_prefix(static_cast<size_t>(size));
  }
  return {};
}

void TlsFilter::say_goodbye() {
  ERR_clear_error();
  SSL_shutdown(ssl_.get());  // Its answer is not waited for.
  ERR_clear_error();
}

std::string TlsFilter::take_sealed() {
  BIO* const out = SSL_get_wbio(ssl_.get());
  std::string sealed(BIO_ctrl_pending(out), '\0');
  if (!sealed.empty()) {
    CHECK(BIO_read(out, sealed.data(), static_cast<int>(sealed.size())) == static_cast<int>(sealed.size()));
  }
  return sealed;
}

bool TlsFilter::has_sealed() const { return BIO_ctrl_pending(SSL_get_wbio(ssl_.get())) > 0; }

bool TlsFilter::is_open() const { return SSL_is_init_finished(ssl_.get()) == 1; }

bool TlsFilter::has_ended() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }

std::string TlsFilter::certified_name() const {
  const X509* const certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr || SSL_get_verify_result(ssl_.get()) != X509_V_OK) {
    return {};
  }
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  // The last one, as PostgreSQL takes it; in its own bytes, made UTF-8.
  int last = -1;
  for (int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) {
    last = at;
  }
  if (last < 0) {
    return {};
  }
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, last)));
  if (size < 0) {
    ERR_clear_error();
    return {};
  }
  std::string name(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  // A zero byte within would let a name end early for those who read it to there.
  return name.find('\0') == std::string::npos ? name : std::string();
}

}  // namespace daedalus::postgres

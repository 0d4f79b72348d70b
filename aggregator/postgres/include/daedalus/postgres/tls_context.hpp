// The key, the certificate and the authorities by which connections are encrypted and clients certified; TLS 1.3 by
// OpenSSL.
//
// Refuses to know files: texts (PEM) come in. A connection keeps the context that it began with.
#pragma once

#include <memory>
#include <string>

#include "daedalus/base/result.hpp"

struct ssl_ctx_st;

namespace daedalus::postgres {

/// Texts in PEM form.
struct TlsTexts {
  std::string certificates;  ///< The server's first, then those that it was signed with.
  std::string key;           ///< Without a password.
  std::string client_ca;     ///< Empty: clients are not asked for certificates.
};

class TlsContext {
 public:
  /// Errors (F0000): which of the texts is not what it should be, or that they do not belong together.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> make(const TlsTexts& texts);

  [[nodiscard]] ssl_ctx_st* get() const { return context_.get(); }
  /// Returns what a login is bound to: the server certificate's digest (tls-server-end-point, RFC 5929, section 4.1).
  /// Empty: its signature has none.
  [[nodiscard]] const std::string& binding() const { return binding_; }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  TlsContext() = default;
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::string binding_;
};

}  // namespace daedalus::postgres

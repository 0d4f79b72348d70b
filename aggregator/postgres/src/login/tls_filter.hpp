// The encryption of one connection, as a filter: bytes of the wire go in and plain ones come out, and the other way
// round. No sockets, no waiting; the randomness of the handshake is OpenSSL's own.
//
// Keeps at most one record that has not come whole, and what the handshake wants to send.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/postgres/tls_context.hpp"

struct ssl_st;

namespace daedalus::postgres {

class TlsFilter {
 public:
  explicit TlsFilter(std::shared_ptr<const TlsContext> context);

  /// Takes bytes of the wire; appends what they came to. Errors: 08P01 they are no TLS, or somebody is not who they
  /// say; take_sealed() then has what the other side is told.
  [[nodiscard]] Result<void> open(std::string_view sealed, std::string& plain);
  /// Once is_open().
  [[nodiscard]] Result<void> seal(std::string_view plain);
  /// Says that nothing more comes.
  void say_goodbye();
  /// Returns the bytes that are to be written.
  [[nodiscard]] std::string take_sealed();
  /// Returns whether there are any.
  [[nodiscard]] bool has_sealed() const;
  /// The handshake is over, and fine.
  [[nodiscard]] bool is_open() const;
  /// The other side has said goodbye.
  [[nodiscard]] bool has_ended() const;
  /// The common name of the certificate that the client has shown; empty: it has shown none, or one without.
  [[nodiscard]] std::string certified_name() const;
  [[nodiscard]] const std::string& binding() const { return context_->binding(); }

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<ssl_st, Free> ssl_;
};

}  // namespace daedalus::postgres

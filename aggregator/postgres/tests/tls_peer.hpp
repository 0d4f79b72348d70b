// The other side of an encrypted connection, in memory, and certificates that are made on the spot.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "daedalus/postgres/tls_context.hpp"

struct evp_pkey_st;
struct ssl_ctx_st;
struct ssl_st;
struct x509_st;

namespace daedalus::postgres::testing {

class Certificate {
 public:
  /// Signed with `issuer`; null: with its own key.
  explicit Certificate(const std::string& common_name, const Certificate* issuer = nullptr);
  [[nodiscard]] std::string pem() const;
  [[nodiscard]] std::string key_pem() const;
  [[nodiscard]] x509_st* get() const { return certificate_.get(); }
  [[nodiscard]] evp_pkey_st* key() const { return key_.get(); }

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
};

class TlsClient {
 public:
  struct Options {
    const Certificate* certificate = nullptr;
    int version_max = 0;  ///< 0: the newest.
  };
  TlsClient() : TlsClient(Options{}) {}
  explicit TlsClient(const Options& options);

  /// Goes on with the handshake, given what the server has sent.
  void hear(std::string_view bytes);
  [[nodiscard]] bool is_open() const;
  /// Returns what it has to send.
  [[nodiscard]] std::string take();
  [[nodiscard]] std::string seal(std::string_view plain);
  /// Returns what came of hear() that is not the handshake's.
  [[nodiscard]] std::string opened();
  /// The server has said goodbye.
  [[nodiscard]] bool has_ended() const;

 private:
  std::shared_ptr<ssl_ctx_st> context_;
  std::shared_ptr<ssl_st> ssl_;
};

}  // namespace daedalus::postgres::testing

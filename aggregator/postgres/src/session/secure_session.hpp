// A session in front of which encryption may begin: until its client asks for it, bytes pass as they are.
//
// Decides which bytes are the handshake's and which are the session's, and how much of what left is the session's.
// Refuses to know what either means.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daedalus/base/fifo.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "session.hpp"
#include "tls_filter.hpp"

namespace daedalus::postgres {

class SecureSession final : public rpc::ByteSession {
 public:
  /// The session has been given no bytes yet.
  SecureSession(std::shared_ptr<PgSession> session, std::shared_ptr<const TlsContext> context);

  void on_bytes(std::string_view bytes, Instant now) override;
  void on_deadline(Instant now) override { session_->on_deadline(now); }
  void on_unread(Instant now) override { session_->on_unread(now); }
  void on_written(size_t size, Instant now) override;
  void on_lost(std::string reason) override { session_->on_lost(std::move(reason)); }
  void close(std::string reason) override { session_->close(std::move(reason)); }
  [[nodiscard]] bool has_events() const override { return session_->has_events(); }
  void deliver(const IsEnough& is_enough) override { session_->deliver(is_enough); }
  [[nodiscard]] bool takes_input() const override { return session_->takes_input(); }
  [[nodiscard]] bool has_output() const override;
  [[nodiscard]] std::string take_output(Instant now) override;
  [[nodiscard]] uint64_t output_waiting() const override { return session_->output_waiting(); }
  [[nodiscard]] std::optional<uint64_t> awaited_answer() const override { return session_->awaited_answer(); }
  [[nodiscard]] Instant next_deadline() const override { return session_->next_deadline(); }
  [[nodiscard]] bool was_up() const override { return session_->was_up(); }
  [[nodiscard]] const std::optional<std::string>& ended() const override { return session_->ended(); }

 private:
  /// A piece of output: its size as it leaves, and what of the session's output it carries.
  struct Piece {
    size_t wire_size = 0;
    size_t plain_size = 0;
  };
  /// All that the session says now can go out.
  [[nodiscard]] bool is_passing() const { return filter_ == nullptr || filter_->is_open(); }
  [[nodiscard]] bool owes_goodbye() const;
  [[nodiscard]] std::string taken(std::string wire, size_t plain_size);

  const std::shared_ptr<PgSession> session_;
  std::shared_ptr<const TlsContext> context_;  ///< Until it is used.
  std::unique_ptr<TlsFilter> filter_;
  std::string head_;         ///< Said before the encryption began, and not taken yet.
  bool is_secured_ = false;  ///< The session has been told.
  bool is_broken_ = false;   ///< Nobody hears what the session says.
  bool said_goodbye_ = false;
  Fifo<Piece> pieces_;  ///< Taken and not all written.
  size_t written_ = 0;  ///< So much of the first.
};

}  // namespace daedalus::postgres

#include "secure_session.hpp"

namespace daedalus::postgres {

SecureSession::SecureSession(std::shared_ptr<PgSession> session, std::shared_ptr<const TlsContext> context)
    : session_(std::move(session)), context_(std::move(context)) {
  session_->offer_tls();
}

void SecureSession::on_bytes(std::string_view bytes, Instant now) {
  if (is_broken_) {
    return;  // Nobody reads bytes behind a fault.
  }
  if (filter_ == nullptr && !session_->expects_tls()) {
    session_->on_bytes(bytes, now);
    return;
  }
  if (filter_ == nullptr) {
    filter_ = std::make_unique<TlsFilter>(std::move(context_));
    if (session_->has_output()) {
      head_ = session_->take_output(now);
    }
  }
  std::string plain;
  const auto opened = filter_->open(bytes, plain);
  if (filter_->is_open() && !std::exchange(is_secured_, true)) {
    session_->on_secured({filter_->certified_name(), filter_->binding()});
  }
  if (!plain.empty()) {
    session_->on_bytes(plain, now);
  }
  if (!opened) {
    is_broken_ = true;
    session_->on_lost(opened.error().message);
  } else if (filter_->has_ended()) {
    session_->on_lost("the client has ended the encrypted connection");
  }
}

bool SecureSession::owes_goodbye() const {
  return filter_ != nullptr && filter_->is_open() && !is_broken_ && !said_goodbye_ && session_->ended().has_value();
}

bool SecureSession::has_output() const {
  if (!head_.empty() || (filter_ != nullptr && filter_->has_sealed())) {
    return true;
  }
  return (is_passing() && !is_broken_ && session_->has_output()) || owes_goodbye();
}

std::string SecureSession::take_output(Instant now) {
  if (filter_ == nullptr || !head_.empty()) {
    std::string plain = filter_ == nullptr ? session_->take_output(now) : std::exchange(head_, {});
    const size_t size = plain.size();
    return taken(std::move(plain), size);
  }
  size_t plain_size = 0;
  if (is_passing() && !is_broken_ && session_->has_output()) {
    const std::string plain = session_->take_output(now);
    plain_size = plain.size();
    if (const auto sealed = filter_->seal(plain); !sealed) {
      is_broken_ = true;
      session_->on_lost(sealed.error().message);
    }
  }
  if (owes_goodbye() && !session_->has_output()) {
    said_goodbye_ = true;
    filter_->say_goodbye();
  }
  return taken(filter_->take_sealed(), plain_size);
}

std::string SecureSession::taken(std::string wire, size_t plain_size) {
  pieces_.push_back({wire.size(), plain_size});
  return wire;
}

void SecureSession::on_written(size_t size, Instant now) {
  written_ += size;
  size_t plain_size = 0;
  while (!pieces_.empty() && written_ >= pieces_.front().wire_size) {
    const Piece piece = pieces_.take_front();
    written_ -= piece.wire_size;
    plain_size += piece.plain_size;
  }
  session_->on_written(plain_size, now);
}

}  // namespace daedalus::postgres

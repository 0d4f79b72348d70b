#include "connection.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace daedalus::rpc {

namespace asio = boost::asio;

namespace {

/// Bytes read at once; a few hundred small messages, and small enough to have one per connection.
constexpr size_t kInputSize = 64u << 10;
/// How long after its deadline a connection is looked at again when its input is still unread: this process was late.
constexpr int64_t kUnreadGrace = 10 * kMillisecond;

}  // namespace

Connection::Connection(ConnectionOwner& owner, asio::io_context& io, asio::ip::tcp::socket socket, PeerRecord record,
                       Settings settings)
    : owner_(owner),
      socket_(std::move(socket)),
      record_(std::move(record)),
      goodbye_ns_max_(settings.goodbye_ns_max),
      channel_(std::move(settings.hello), settings.limits, steady_now()),
      timer_(io, [this] { on_deadline(); }),
      input_(kInputSize) {}

void Connection::start() {
  boost::system::error_code ignored;  // Without it the connection is slower, not wrong.
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  end_turn();
  read();
}

void Connection::read() {
  if (!socket_open_) {
    return;
  }
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const auto& error, size_t size) { self->on_read(error, size); });
}

void Connection::on_read(const boost::system::error_code& error, size_t size) {
  if (!socket_open_) {
    return;
  }
  if (error) {
    channel_.on_lost(error == asio::error::eof ? "peer closed the connection without goodbye"
                                               : fmt::format("connection lost: {}", error.message()));
    deliver();
    close_socket();
    return;
  }
  channel_.on_bytes(std::string_view(input_.data(), size), steady_now());
  deliver();
  owner_.mark_dirty(shared_from_this());
  read();
}

void Connection::deliver() {
  if (!channel_.has_events()) {
    return;
  }
  const bool was_up = record_.ever_up;
  const auto reason = dispatch(channel_, record_, owner_.handler());
  if (record_.ever_up && !was_up) {
    spdlog::info("connection {} {} is up", record_.link ? "to" : "from", record_.address);
  }
  owner_.want_turn_end();
  if (reason && !closed_reported_) {
    closed_reported_ = true;
    owner_.on_closed(*this, *reason);
  }
}

void Connection::end_turn() {
  deliver();
  write();
  if (!closed_reported_) {
    timer_.set(channel_.next_deadline());
  } else if (socket_open_) {
    finish_when_written();
  }
}

void Connection::write() {
  if (!writing_.empty() || !socket_open_ || !channel_.has_output()) {
    return;
  }
  writing_ = channel_.take_output(steady_now());
  asio::async_write(socket_, asio::buffer(writing_),
                    [self = shared_from_this()](const auto& error, size_t) { self->on_written(error); });
}

void Connection::on_written(const boost::system::error_code& error) {
  channel_.on_written(writing_.size());
  writing_.clear();
  if (!socket_open_) {
    return;
  }
  if (error) {
    channel_.on_lost(fmt::format("connection lost: {}", error.message()));
    deliver();
    close_socket();
    return;
  }
  end_turn();
}

/// After the goodbye only the sending side is closed, and input is read on and ignored until the peer closes: closing
/// with unread input would send a reset, which may overtake the goodbye.
void Connection::finish_when_written() {
  if (writing_.empty() && send_side_open_) {
    send_side_open_ = false;
    boost::system::error_code ignored;  // The peer has closed first.
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }
  if (!linger_set_) {
    linger_set_ = true;
    timer_.set(after(steady_now(), goodbye_ns_max_));
  }
}

void Connection::on_deadline() {
  const auto self = shared_from_this();
  if (closed_reported_) {
    close_socket();
    return;
  }
  boost::system::error_code ignored;  // No answer counts as nothing to read.
  if (socket_.available(ignored) > 0) {
    timer_.set(after(steady_now(), kUnreadGrace));
    return;
  }
  channel_.on_deadline(steady_now());
  end_turn();
}

void Connection::abandon() {
  channel_.on_lost("abandoned");
  deliver();
  close_socket();
}

void Connection::close_socket() {
  if (!socket_open_) {
    return;
  }
  const auto self = shared_from_this();
  socket_open_ = false;
  timer_.set(kNever);
  boost::system::error_code ignored;  // The descriptor is gone either way.
  socket_.close(ignored);
  owner_.on_gone(*this);
}

}  // namespace daedalus::rpc

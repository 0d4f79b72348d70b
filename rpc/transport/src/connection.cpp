#include "connection.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <numeric>
#include <utility>

namespace daedalus::rpc {

namespace asio = boost::asio;

namespace {

/// Bytes read at once: at first, and once a read has filled that: a few hundred small messages.
constexpr size_t kInputSizeMin = 2u << 10;
constexpr size_t kInputSizeMax = 64u << 10;
/// After so many reads that would have fitted into the small one, the large one is given back.
constexpr uint32_t kSmallReadsMax = 64;
/// Pieces of output written at once, and bytes after which no further piece is added.
constexpr size_t kPiecesMax = 16;
constexpr size_t kWriteSize = 256u << 10;
/// After so much time no further message is handed over in the same turn: others' sockets are looked at in between.
constexpr int64_t kDeliverNs = kMillisecond;

size_t size_of(const std::deque<std::string>& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), size_t{0},
                         [](size_t sum, const std::string& piece) { return sum + piece.size(); });
}

}  // namespace

Connection::Connection(ConnectionOwner& owner, asio::io_context& io, StreamSocket socket, ConnectionInfo info,
                       std::shared_ptr<ByteSession> session, Settings settings)
    : owner_(owner),
      socket_(std::move(socket)),
      info_(std::move(info)),
      session_(std::move(session)),
      goodbye_ns_max_(settings.goodbye_ns_max),
      timer_(io, [this] { on_deadline(); }),
      input_(kInputSizeMin) {
  if (settings.output_budget) {
    output_lease_.emplace(std::move(settings.output_budget));
  }
}

void Connection::start() {
  boost::system::error_code ignored;  // Without it the connection is slower, not wrong; a Unix socket has none.
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  end_turn();
  read();
}

void Connection::read() {
  if (!socket_open_ || is_reading_ || resume_posted_ || !session_->takes_input()) {
    return;
  }
  is_reading_ = true;
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const auto& error, size_t size) { self->on_read(error, size); });
}

void Connection::fit_input(size_t read_size) {
  if (read_size == input_.size() && input_.size() < kInputSizeMax) {
    input_ = std::vector<char>(kInputSizeMax);
  } else if (input_.size() == kInputSizeMax) {
    small_reads_ = read_size < kInputSizeMin ? small_reads_ + 1 : 0;
    if (small_reads_ >= kSmallReadsMax) {
      input_ = std::vector<char>(kInputSizeMin);
      small_reads_ = 0;
    }
  }
}

void Connection::on_read(const boost::system::error_code& error, size_t size) {
  is_reading_ = false;
  if (!socket_open_) {
    return;
  }
  if (error) {
    session_->on_lost(error == asio::error::eof ? "peer closed the connection without goodbye"
                                                : fmt::format("connection lost: {}", error.message()));
    deliver();
    close_socket();
    return;
  }
  has_resumed_ = false;
  session_->on_bytes(std::string_view(input_.data(), size), steady_now());
  fit_input(size);
  deliver();
  owner_.mark_dirty(shared_from_this());
  read();
  owner_.watch([this] { return describe("input"); });
}

void Connection::resume() {
  resume_posted_ = false;
  deliver();
  owner_.mark_dirty(shared_from_this());
  if (!resume_posted_) {
    has_resumed_ = true;
    read();
  }
  owner_.watch([this] { return describe("input"); });
}

void Connection::deliver() {
  if (session_->has_events()) {
    hand_over();
  }
  if (const auto& reason = session_->ended(); reason && !closed_reported_) {
    closed_reported_ = true;
    owner_.on_closed(*this, *reason);
  }
}

void Connection::hand_over() {
  const bool was_up = session_->was_up();
  const Instant enough = after(steady_now(), kDeliverNs);
  session_->deliver([this, enough](const char* event) {
    last_event_ = event;
    return steady_now() >= enough;
  });
  if (session_->has_events() && !resume_posted_) {
    resume_posted_ = true;
    owner_.resume_later(shared_from_this());
  }
  if (!was_up && session_->was_up()) {
    spdlog::info("connection {} {} is up", info_.link ? "to" : "from", info_.address);
  }
  owner_.want_turn_end();
}

void Connection::end_turn() {
  if (!resume_posted_) {  // Else this turn's time is spent: what is left is handed over by resume().
    deliver();
  }
  write();
  if (!closed_reported_) {
    timer_.set(session_->next_deadline());
  } else if (socket_open_) {
    finish_when_written();
  }
  read();
}

void Connection::write() {
  if (is_writing_ || !socket_open_) {
    return;
  }
  take_output();
  if (writing_.empty()) {
    return;
  }
  is_writing_ = true;
  std::array<asio::const_buffer, kPiecesMax> buffers;  // Buffers beyond the pieces are empty.
  for (size_t piece = 0; piece < writing_.size(); ++piece) {
    buffers[piece] = asio::buffer(writing_[piece]);
  }
  buffers[0] += written_;
  socket_.async_write_some(
      buffers, [self = shared_from_this()](const auto& error, size_t size) { self->on_written(error, size); });
}

void Connection::take_output() {
  size_t size = size_of(writing_);
  while (size < kWriteSize && writing_.size() < kPiecesMax && session_->has_output()) {
    writing_.push_back(session_->take_output(steady_now()));
    size += writing_.back().size();
  }
}

void Connection::drop_written(size_t size) {
  written_ += size;
  while (!writing_.empty() && written_ >= writing_.front().size()) {
    written_ -= writing_.front().size();
    writing_.pop_front();
  }
}

void Connection::on_written(const boost::system::error_code& error, size_t size) {
  is_writing_ = false;
  const size_t gone = error ? size_of(writing_) - written_ : size;
  drop_written(gone);
  session_->on_written(gone, steady_now());
  count_output(session_->output_waiting());
  if (!socket_open_) {
    return;
  }
  if (error) {
    session_->on_lost(fmt::format("connection lost: {}", error.message()));
    deliver();
    close_socket();
    return;
  }
  end_turn();
  owner_.want_turn_end();  // Whoever waited for this peer to read may go on.
  owner_.watch([this] { return describe("output"); });
}

/// After the goodbye only the sending side is closed, and input is read on and ignored until the peer closes: closing
/// with unread input would send a reset, which may overtake the goodbye.
void Connection::finish_when_written() {
  if (!is_writing_ && !session_->has_output() && send_side_open_) {
    send_side_open_ = false;
    boost::system::error_code ignored;  // The peer has closed first.
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
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
  if (std::exchange(has_resumed_, false) || socket_.available(ignored) > 0) {
    session_->on_unread(steady_now());  // This side's own duties are due all the same.
  }
  session_->on_deadline(steady_now());
  count_output(session_->output_waiting());
  end_turn();
  owner_.watch([this] { return describe("keep-alive"); });
}

void Connection::abandon() {
  session_->on_lost("abandoned");
  do {
    deliver();
  } while (session_->has_events());
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
  output_lease_.reset();
  owner_.on_gone(*this);
}

void Connection::count_output(uint64_t waiting) {
  if (output_lease_) {
    output_lease_->resize_anyway(waiting);
  }
}

std::string Connection::describe(const char* what) const {
  return fmt::format("{} {} {}, last {}", what, info_.link ? "of the link to" : "of the connection from", info_.address,
                     last_event_);
}

}  // namespace daedalus::rpc

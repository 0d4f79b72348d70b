// One connection, by TCP or a Unix socket, with its session: moves bytes and time between socket and state machine,
// whatever its protocol.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "deadline_timer.hpp"
#include "turn_watch.hpp"

namespace daedalus::rpc {

class Connection;

/// A socket of any kind that streams bytes.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

/// The network that a connection belongs to, as far as the connection needs it.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  /// The session's owner has been called, or the connection has output: end this turn soon.
  virtual void want_turn_end() = 0;
  /// The connection has more to hand to its owner than belongs into one turn: call resume() soon.
  virtual void resume_later(const std::shared_ptr<Connection>& connection) = 0;
  /// A turn of the connection has ended.
  virtual void watch(const TurnWatch::Describe& describe) = 0;
  /// The connection has output or events; the owner calls end_turn() at the turn's end.
  virtual void mark_dirty(const std::shared_ptr<Connection>& connection) = 0;
  /// Its session has ended; the socket may still be busy with the last bytes.
  virtual void on_closed(Connection& connection, const std::string& reason) = 0;
  /// Its socket is closed: forget it.
  virtual void on_gone(Connection& connection) = 0;
};

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  struct Settings {
    int64_t goodbye_ns_max;
    std::shared_ptr<ByteBudget> output_budget;  ///< May be null.
  };

  Connection(ConnectionOwner& owner, boost::asio::io_context& io, StreamSocket socket, ConnectionInfo info,
             std::shared_ptr<ByteSession> session, Settings settings);

  /// Starts reading, and sends what the session begins with.
  void start();
  [[nodiscard]] ByteSession& session() { return *session_; }
  [[nodiscard]] const ByteSession& session() const { return *session_; }
  [[nodiscard]] const ConnectionInfo& info() const { return info_; }
  /// The session has `waiting` bytes that have not left: they count from now on.
  void count_output(uint64_t waiting);
  /// Tells the session's owner what has happened, writes what has been queued, sets the timer.
  void end_turn();
  /// Goes on with handing over what was left for a later turn, and with reading.
  void resume();
  /// Closes the socket at once, whatever is under way.
  void abandon();

  bool dirty = false;  ///< In the owner's list for the end of this turn.

 private:
  /// Reads on, unless that is under way, has been left to resume(), or the session has enough.
  void read();
  /// The size of input_ follows what comes: an idle connection keeps little. Nothing is being read.
  void fit_input(size_t read_size);
  void on_read(const boost::system::error_code& error, size_t size);
  void on_written(const boost::system::error_code& error, size_t size);
  void on_deadline();
  /// Tells the session's owner what has happened, and the connection's of the session's end.
  void deliver();
  void hand_over();
  void write();
  /// Takes pieces until there are enough for one write.
  void take_output();
  /// So many bytes of what is being written have gone.
  void drop_written(size_t size);
  void finish_when_written();
  void close_socket();
  [[nodiscard]] std::string describe(const char* what) const;

  ConnectionOwner& owner_;
  StreamSocket socket_;
  ConnectionInfo info_;
  std::shared_ptr<ByteSession> session_;
  int64_t goodbye_ns_max_;
  DeadlineTimer timer_;
  std::vector<char> input_;
  uint32_t small_reads_ = 0;         ///< In a row, into a large input_.
  std::deque<std::string> writing_;  ///< Pieces of output that are being written.
  size_t written_ = 0;               ///< Bytes of the first that are written.
  bool is_writing_ = false;
  bool is_reading_ = false;
  std::optional<ByteLease> output_lease_;
  const char* last_event_ = "handshake";  ///< Handed over, for the watch.
  bool resume_posted_ = false;            ///< Nothing is read until then.
  bool has_resumed_ = false;              ///< It is read again: what waited may have left the socket for on_read().
  bool closed_reported_ = false;
  bool send_side_open_ = true;
  bool linger_set_ = false;  ///< The timer runs for the last bytes.
  bool socket_open_ = true;
};

}  // namespace daedalus::rpc

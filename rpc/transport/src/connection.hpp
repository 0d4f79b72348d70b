// One TCP connection with its Channel: moves bytes and time between socket and state machine.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/rpc/channel.hpp"
#include "daedalus/rpc/dispatch.hpp"
#include "daedalus/rpc/network.hpp"
#include "deadline_timer.hpp"
#include "turn_watch.hpp"

namespace daedalus::rpc {

class Connection;

/// What a connection needs of the network it belongs to.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  [[nodiscard]] virtual PeerHandler& handler() = 0;
  /// The handler has been called, or the connection has output: end this turn soon.
  virtual void want_turn_end() = 0;
  /// The connection has more to hand to the handler than belongs into one turn: call resume() soon.
  virtual void resume_later(const std::shared_ptr<Connection>& connection) = 0;
  /// A turn of the connection has ended.
  virtual void watch(const TurnWatch::Describe& describe) = 0;
  /// The connection has output or events; the owner calls end_turn() at the turn's end.
  virtual void mark_dirty(const std::shared_ptr<Connection>& connection) = 0;
  /// Its channel has closed; the socket may still be busy with the last bytes.
  virtual void on_closed(Connection& connection, const std::string& reason) = 0;
  /// Its socket is closed: forget it.
  virtual void on_gone(Connection& connection) = 0;
};

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  struct Settings {
    wire::v1::Hello hello;
    ChannelLimits limits;
    int64_t goodbye_ns_max;
    std::shared_ptr<ByteBudget> output_budget;  ///< May be null.
  };

  Connection(ConnectionOwner& owner, boost::asio::io_context& io, boost::asio::ip::tcp::socket socket,
             PeerRecord record, Settings settings);

  /// Starts reading, and sends our hello.
  void start();
  [[nodiscard]] Channel& channel() { return channel_; }
  template <typename Message>
  void send(const Message& message) {
    channel_.send(message);
    count_output();
  }
  [[nodiscard]] const PeerRecord& record() const { return record_; }
  /// Tells the handler what has happened, writes what has been queued, sets the timer.
  void end_turn();
  /// Goes on with handing over what was left for a later turn, and with reading.
  void resume();
  /// Closes the socket at once, whatever is under way.
  void abandon();

  bool dirty = false;  ///< In the owner's list for the end of this turn.

 private:
  void read();
  void on_read(const boost::system::error_code& error, size_t size);
  void on_written(const boost::system::error_code& error, size_t size);
  void on_deadline();
  void deliver();
  void write();
  void finish_when_written();
  void close_socket();
  void count_output();
  [[nodiscard]] std::string describe(const char* what) const;

  ConnectionOwner& owner_;
  boost::asio::ip::tcp::socket socket_;
  PeerRecord record_;
  int64_t goodbye_ns_max_;
  Channel channel_;
  DeadlineTimer timer_;
  std::vector<char> input_;
  std::string writing_;  ///< Being written.
  size_t written_ = 0;   ///< Of that.
  bool is_writing_ = false;
  std::optional<ByteLease> output_lease_;
  const char* last_event_ = "handshake";  ///< Handed over, for the watch.
  bool resume_posted_ = false;            ///< Nothing is read until then.
  bool closed_reported_ = false;
  bool send_side_open_ = true;
  bool linger_set_ = false;  ///< The timer runs for the last bytes.
  bool socket_open_ = true;
};

}  // namespace daedalus::rpc

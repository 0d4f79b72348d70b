// The parts of AsioNetwork and how they work together; behind the public header, which knows nothing of Asio.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "connection.hpp"
#include "daedalus/rpc/asio_network.hpp"
#include "daedalus/rpc/peer_session.hpp"
#include "deadline_timer.hpp"
#include "link.hpp"
#include "turn_watch.hpp"

namespace daedalus::rpc {

class AsioNetwork::Impl final : public ConnectionOwner {
 public:
  Impl(AsioOptions options, PeerHandler& handler);
  ~Impl() override;

  [[nodiscard]] Result<std::string> listen(const std::string& endpoint, SessionFactory make_session);
  [[nodiscard]] Result<std::string> listen_for_peers(const std::string& endpoint);
  LinkId dial(const std::string& endpoint);
  void drop_link(LinkId link, const std::string& reason);
  void connect_local(const std::string& path, SessionFactory make_session, OnConnectFailed on_failed);
  void send(Outbox&& outbox);
  [[nodiscard]] uint64_t output_waiting(PeerId peer) const;
  [[nodiscard]] std::optional<uint64_t> awaited_answer(PeerId peer) const;
  void wake(PeerId id);
  void post(const char* what, std::function<void()> task);
  void arm(Instant when, std::function<void()> task);
  void shutdown(std::string reason);
  void on_stop_signal(std::function<void()> task);
  bool run_for(int64_t duration_ns);

  // ---- ConnectionOwner ----
  void want_turn_end() override;
  void resume_later(const std::shared_ptr<Connection>& connection) override;
  void watch(const TurnWatch::Describe& describe) override { watch_.end_turn(describe); }
  void mark_dirty(const std::shared_ptr<Connection>& connection) override;
  void on_closed(Connection& connection, const std::string& reason) override;
  void on_gone(Connection& connection) override;

  AsioOptions options;
  std::function<void()> on_turn_end;

  [[nodiscard]] uint32_t connection_count() const { return static_cast<uint32_t>(connections_.size()); }

 private:
  struct Listener;
  using AddConnection = std::function<void(boost::asio::ip::tcp::socket, ConnectionInfo)>;
  /// A connection of Daedalus's own protocol.
  struct Peer {
    std::shared_ptr<Connection> connection;
    std::shared_ptr<PeerSession> session;
  };

  void accept(const std::shared_ptr<Listener>& listener);
  void on_accepted(const std::shared_ptr<Listener>& listener, const boost::system::error_code& error,
                   boost::asio::ip::tcp::socket socket);
  void on_connected(Link& link, boost::asio::ip::tcp::socket socket);
  void on_dial_failed(Link& link, const std::string& reason);
  [[nodiscard]] Result<std::string> open_listener(const std::string& endpoint, bool is_for_peers, AddConnection add);
  [[nodiscard]] bool is_full(const Listener& listener) const;
  void add_peer(boost::asio::ip::tcp::socket socket, ConnectionInfo info);
  /// Not started yet.
  std::shared_ptr<Connection> add_connection(StreamSocket socket, ConnectionInfo info,
                                             std::shared_ptr<ByteSession> session);
  template <typename Message>
  void send_to(PeerId id, Message&& message);
  void end_turn();
  void begin_shutdown(const std::string& reason);
  void finish_shutdown_when_empty();

  boost::asio::io_context io_;  // First: everything below lives on it.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  PeerHandler& handler_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  /// The links that have not been dropped.
  std::unordered_map<LinkId, std::shared_ptr<Link>> links_;
  std::unordered_map<PeerId, std::shared_ptr<Connection>> connections_;  ///< Whatever their protocol.
  std::unordered_map<PeerId, Peer> peers_;
  std::vector<std::shared_ptr<Connection>> dirty_;
  boost::asio::signal_set signals_;
  std::function<void()> armed_task_;
  DeadlineTimer armed_;
  TurnWatch watch_;
  DeadlineTimer shutdown_timer_;
  uint64_t next_peer_ = 1;
  uint32_t next_link_ = 0;
  bool turn_end_posted_ = false;
  bool shutting_down_ = false;
};

}  // namespace daedalus::rpc

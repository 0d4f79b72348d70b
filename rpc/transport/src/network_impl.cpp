#include "network_impl.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/un.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::rpc {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// The most bytes of a Unix socket's path, without the zero byte at its end.
constexpr size_t kLocalPathSizeMax = sizeof(sockaddr_un::sun_path) - 1;

std::string to_text(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  return address.is_v6() ? fmt::format("[{}]:{}", address.to_string(), endpoint.port())
                         : fmt::format("{}:{}", address.to_string(), endpoint.port());
}

Error listen_error(const std::string& endpoint, const boost::system::error_code& error) {
  if (error == asio::error::address_in_use) {
    return Error{ErrorCategory::kFatal, "55006", fmt::format("cannot listen at {}: the address is in use", endpoint),
                 "stop the other process or choose another port", 0};
  }
  return Error{
      ErrorCategory::kFatal, "58000", fmt::format("cannot listen at {}: {}", endpoint, error.message()), {}, 0};
}

}  // namespace

struct AsioNetwork::Impl::Listener {
  Listener(asio::io_context& io, bool is_for_peers_in, AddConnection add_in)
      : acceptor(io), is_for_peers(is_for_peers_in), add(std::move(add_in)) {}
  tcp::acceptor acceptor;
  const bool is_for_peers;
  AddConnection add;  ///< Decides what becomes of a connection that was accepted.
  std::unique_ptr<DeadlineTimer> retry;
};

AsioNetwork::Impl::Impl(AsioOptions options_in, PeerHandler& handler)
    : options(std::move(options_in)),
      io_(1),
      work_(asio::make_work_guard(io_)),
      handler_(handler),
      signals_(io_),
      armed_(io_,
             [this] {
               const auto task = std::exchange(armed_task_, {});
               task();
               want_turn_end();
               watch_.end_turn([] { return std::string("a deadline"); });
             }),
      watch_(options.turn_ns_max),
      shutdown_timer_(io_, [this] {
        const auto connections = connections_;
        for (const auto& [peer, connection] : connections) {
          connection->abandon();
        }
        finish_shutdown_when_empty();
      }) {}

AsioNetwork::Impl::~Impl() = default;

// ---- listening ----

Result<std::string> AsioNetwork::Impl::listen_for_peers(const std::string& endpoint) {
  return open_listener(endpoint, true, [this](tcp::socket socket, ConnectionInfo info) {
    add_peer(std::move(socket), std::move(info));
  });
}

Result<std::string> AsioNetwork::Impl::listen(const std::string& endpoint, SessionFactory make_session) {
  return open_listener(endpoint, false,
                       [this, make_session = std::move(make_session)](tcp::socket socket, ConnectionInfo info) {
                         auto session = make_session(info, steady_now());
                         CHECK(session != nullptr);
                         add_connection(std::move(socket), std::move(info), std::move(session))->start();
                       });
}

Result<std::string> AsioNetwork::Impl::open_listener(const std::string& endpoint, bool is_for_peers,
                                                     AddConnection add) {
  const auto parsed = parse_host_port(endpoint);
  if (!parsed) {
    return parsed.error();
  }
  boost::system::error_code error;
  tcp::endpoint local;
  const auto address = asio::ip::make_address(parsed->host, error);
  if (!error) {
    local = tcp::endpoint(address, parsed->port);
  } else {
    const auto found = tcp::resolver(io_).resolve(parsed->host, std::to_string(parsed->port), error);
    if (error || found.empty()) {
      return listen_error(endpoint, error);
    }
    local = found.begin()->endpoint();
  }
  auto listener = std::make_shared<Listener>(io_, is_for_peers, std::move(add));
  listener->acceptor.open(local.protocol(), error);
  if (!error) {
    // A restarted process may bind although old connections linger; two listeners still exclude each other.
    listener->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  }
  if (!error) {
    listener->acceptor.bind(local, error);
  }
  if (!error) {
    listener->acceptor.listen(asio::socket_base::max_listen_connections, error);
  }
  if (error) {
    return listen_error(endpoint, error);
  }
  listener->retry = std::make_unique<DeadlineTimer>(io_, [this, weak = std::weak_ptr<Listener>(listener)] {
    if (const auto self = weak.lock()) {
      accept(self);
    }
  });
  listeners_.push_back(listener);
  accept(listener);
  return to_text(listener->acceptor.local_endpoint());
}

void AsioNetwork::Impl::accept(const std::shared_ptr<Listener>& listener) {
  listener->acceptor.async_accept(
      [this, listener](const auto& error, tcp::socket socket) { on_accepted(listener, error, std::move(socket)); });
}

void AsioNetwork::Impl::on_accepted(const std::shared_ptr<Listener>& listener, const boost::system::error_code& error,
                                    tcp::socket socket) {
  if (shutting_down_) {
    return;
  }
  if (error) {
    spdlog::warn("cannot accept a connection: {}", error.message());
    listener->retry->set(after(steady_now(), options.accept_delay_ns));
    return;
  }
  boost::system::error_code gone;
  const auto remote = socket.remote_endpoint(gone);
  if (gone) {
    // It was closed before it was looked at.
  } else if (is_full(*listener)) {
    spdlog::warn("refused a connection from {}: there are as many as there may be", to_text(remote));
  } else {
    listener->add(std::move(socket), ConnectionInfo{PeerId{next_peer_++}, to_text(remote), std::nullopt});
  }
  accept(listener);
}

bool AsioNetwork::Impl::is_full(const Listener& listener) const {
  return listener.is_for_peers ? peers_.size() >= options.connections_max
                               : connections_.size() - peers_.size() >= options.guests_max;
}

// ---- dialling ----

LinkId AsioNetwork::Impl::dial(const std::string& endpoint) {
  CHECK(links_.size() < options.links_max);
  const auto id = LinkId{next_link_++};
  const Link::Delays delays{options.dial_delay_ns_min, options.dial_delay_ns_max, options.dial_ns_max};
  const auto made = std::make_shared<Link>(
      io_, id, endpoint, delays, [this](Link& link, tcp::socket socket) { on_connected(link, std::move(socket)); },
      [this](Link& link, const std::string& reason) { on_dial_failed(link, reason); });
  links_.emplace(id, made);
  if (shutting_down_) {
    made->drop();
  }
  asio::post(io_, [made] { made->dial(); });
  return id;
}

void AsioNetwork::Impl::drop_link(LinkId id, const std::string& reason) {
  const auto found = links_.find(id);
  if (found == links_.end()) {
    return;
  }
  found->second->drop();
  links_.erase(found);
  for (const auto& [peer, connection] : connections_) {
    if (connection->info().link == id) {
      connection->session().close(reason);
      mark_dirty(connection);
    }
  }
}

void AsioNetwork::Impl::on_connected(Link& link, tcp::socket socket) {
  if (peers_.size() >= options.connections_max) {
    on_dial_failed(link, fmt::format("{} connections are the maximum", options.connections_max));
    link.dial_later();
    return;
  }
  add_peer(std::move(socket), ConnectionInfo{PeerId{next_peer_++}, link.endpoint(), link.id()});
}

void AsioNetwork::Impl::on_dial_failed(Link& link, const std::string& reason) {
  if (link.last_failure != reason) {
    link.last_failure = reason;
    spdlog::warn("{}; trying again", reason);
  }
  handler_.on_dial_failed(link.id(), reason);
  want_turn_end();
}

void AsioNetwork::Impl::connect_local(const std::string& path, SessionFactory make_session, OnConnectFailed on_failed) {
  if (path.size() > kLocalPathSizeMax) {
    on_failed(fmt::format("{} has more than {} bytes", path, kLocalPathSizeMax));
    return;
  }
  const auto socket = std::make_shared<asio::local::stream_protocol::socket>(io_);
  const auto on_done = [this, socket, path, make_session = std::move(make_session),
                        on_failed = std::move(on_failed)](const boost::system::error_code& error) {
    if (shutting_down_) {
      return;
    }
    if (error) {
      on_failed(fmt::format("cannot connect to {}: {}", path, error.message()));
    } else {
      ConnectionInfo info{PeerId{next_peer_++}, path, std::nullopt};
      auto session = make_session(info, steady_now());
      CHECK(session != nullptr);
      add_connection(std::move(*socket), std::move(info), std::move(session))->start();
    }
    want_turn_end();
    watch_.end_turn([] { return std::string("a connection to a Unix socket"); });
  };
  socket->async_connect(asio::local::stream_protocol::endpoint(path), on_done);
}

// ---- connections ----

void AsioNetwork::Impl::add_peer(tcp::socket socket, ConnectionInfo info) {
  auto session = std::make_shared<PeerSession>(info, handler_, options.hello, options.limits, steady_now());
  const auto connection = add_connection(std::move(socket), std::move(info), session);
  peers_.emplace(connection->info().id, Peer{connection, std::move(session)});
  connection->start();
}

std::shared_ptr<Connection> AsioNetwork::Impl::add_connection(StreamSocket socket, ConnectionInfo info,
                                                              std::shared_ptr<ByteSession> session) {
  const PeerId id = info.id;
  auto connection = std::make_shared<Connection>(*this, io_, std::move(socket), std::move(info), std::move(session),
                                                 Connection::Settings{options.goodbye_ns_max, options.output_budget});
  connections_.emplace(id, connection);
  return connection;
}

void AsioNetwork::Impl::on_closed(Connection& connection, const std::string& reason) {
  const ConnectionInfo& info = connection.info();
  if (!info.link) {
    spdlog::info("connection from {} closed: {}", info.address, reason);
    return;
  }
  const auto found = links_.find(*info.link);
  if (found == links_.end()) {
    spdlog::info("connection to {} closed: {}", info.address, reason);
    return;
  }
  Link& link = *found->second;
  if (connection.session().was_up()) {
    link.reset_delay();
    link.last_failure.clear();
    spdlog::info("connection to {} closed: {}", info.address, reason);
  } else if (link.last_failure != reason) {
    link.last_failure = reason;
    spdlog::warn("connection to {} failed: {}; trying again", info.address, reason);
  }
  link.dial_later();
}

void AsioNetwork::Impl::on_gone(Connection& connection) {
  const PeerId id = connection.info().id;
  peers_.erase(id);
  connections_.erase(id);
  finish_shutdown_when_empty();
}

// ---- sending, and the end of a turn ----

template <typename Message>
void AsioNetwork::Impl::send_to(PeerId id, Message&& message) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) {
    return;
  }
  const auto& [connection, session] = found->second;
  session->send(std::forward<Message>(message));
  connection->count_output(session->output_waiting());
  mark_dirty(connection);
}

void AsioNetwork::Impl::send(Outbox&& outbox) {
  for (const auto& [peer, operation] : outbox.operations) {
    send_to(peer, operation);
  }
  for (auto& [peer, result] : outbox.results) {
    send_to(peer, std::move(result));
  }
  for (const auto& [peer, reason] : outbox.closes) {
    if (const auto found = peers_.find(peer); found != peers_.end()) {
      found->second.session->close(reason);
      mark_dirty(found->second.connection);
    }
  }
  outbox.clear();
}

void AsioNetwork::Impl::wake(PeerId id) {
  if (const auto found = connections_.find(id); found != connections_.end()) {
    found->second->count_output(found->second->session().output_waiting());
    mark_dirty(found->second);
  }
}

void AsioNetwork::Impl::mark_dirty(const std::shared_ptr<Connection>& connection) {
  if (!connection->dirty) {
    connection->dirty = true;
    dirty_.push_back(connection);
  }
  want_turn_end();
}

/// Posted behind all that the loop has ready now, so that one turn's output leaves together.
void AsioNetwork::Impl::want_turn_end() {
  if (!turn_end_posted_) {
    turn_end_posted_ = true;
    asio::post(io_, [this] { end_turn(); });
  }
}

void AsioNetwork::Impl::end_turn() {
  turn_end_posted_ = false;
  if (on_turn_end) {
    on_turn_end();
  }
  for (const auto& connection : std::exchange(dirty_, {})) {
    connection->dirty = false;
    connection->end_turn();
  }
  watch_.end_turn([] { return std::string("the end of a turn"); });
}

void AsioNetwork::Impl::resume_later(const std::shared_ptr<Connection>& connection) {
  asio::post(io_, [connection] { connection->resume(); });
}

uint64_t AsioNetwork::Impl::output_waiting(PeerId peer) const {
  const auto found = connections_.find(peer);
  return found == connections_.end() ? 0 : found->second->session().output_waiting();
}

std::optional<uint64_t> AsioNetwork::Impl::awaited_answer(PeerId peer) const {
  const auto found = connections_.find(peer);
  return found == connections_.end() ? std::nullopt : found->second->session().awaited_answer();
}

void AsioNetwork::Impl::post(const char* what, std::function<void()> task) {
  asio::post(io_, [this, what, task = std::move(task)] {
    task();
    want_turn_end();
    watch_.end_turn([what] { return std::string(what); });
  });
}

void AsioNetwork::Impl::arm(Instant when, std::function<void()> task) {
  armed_task_ = std::move(task);
  armed_.set(armed_task_ ? when : kNever);
}

// ---- ending ----

void AsioNetwork::Impl::shutdown(std::string reason) {
  asio::post(io_, [this, reason = std::move(reason)] { begin_shutdown(reason); });
}

void AsioNetwork::Impl::begin_shutdown(const std::string& reason) {
  if (std::exchange(shutting_down_, true)) {
    return;
  }
  boost::system::error_code ignored;  // They end either way.
  for (const auto& listener : listeners_) {
    listener->retry->set(kNever);
    listener->acceptor.close(ignored);
  }
  for (const auto& [id, link] : links_) {
    link->drop();
  }
  for (const auto& [peer, connection] : connections_) {
    connection->session().close(reason);
    mark_dirty(connection);
  }
  shutdown_timer_.set(after(steady_now(), options.goodbye_ns_max));
  finish_shutdown_when_empty();
}

void AsioNetwork::Impl::finish_shutdown_when_empty() {
  if (shutting_down_ && connections_.empty()) {
    signals_.cancel();
    work_.reset();
    io_.stop();
  }
}

void AsioNetwork::Impl::on_stop_signal(std::function<void()> task) {
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  signals_.async_wait([this, task = std::move(task)](const boost::system::error_code& error, int) {
    if (error) {
      return;
    }
    signals_.clear();  // A second signal ends the process the plain way.
    task();
    want_turn_end();
  });
}

bool AsioNetwork::Impl::run_for(int64_t duration_ns) {
  if (duration_ns == INT64_MAX) {
    io_.run();
  } else {
    io_.run_for(std::chrono::nanoseconds(duration_ns));
  }
  return !io_.stopped();
}

}  // namespace daedalus::rpc

// Real sockets: TCP and Unix sockets through Asio, one thread, one ByteSession per connection. Decides when to read,
// write, dial and close; what the bytes mean is the session's business. Those of Daedalus's own protocol are made here
// and speak to the handler; whoever listens for another protocol brings a factory of its sessions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "daedalus/rpc/channel.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::rpc {

struct AsioOptions {
  wire::v1::Hello hello;  ///< The greeting of this process.
  ChannelLimits limits;
  uint32_t connections_max = 4096;  ///< Accepted and dialled; further ones are closed at once.
  /// The most connections that are accepted for another protocol.
  uint32_t guests_max = 1024;
  uint32_t links_max = 1024;                      ///< Endpoints dialled and not dropped; more are a bug of the caller.
  int64_t accept_delay_ns = 100 * kMillisecond;   ///< Pause after a failed accept: out of descriptors, most likely.
  int64_t dial_delay_ns_min = 50 * kMillisecond;  ///< Pause after the first failure; doubles with each further one.
  int64_t dial_delay_ns_max = kSecond;
  int64_t dial_ns_max = 2 * kSecond;            ///< Time for resolving and connecting.
  int64_t goodbye_ns_max = 500 * kMillisecond;  ///< Time for the last bytes of a connection that closes.
  /// CPU time of one turn of the network's thread, beyond which it is logged who it was.
  int64_t turn_ns_max = 5 * kMillisecond;
  /// Bytes that wait to be sent count against it; may be null.
  std::shared_ptr<ByteBudget> output_budget;
};

using OnConnectFailed = std::function<void(const std::string& reason)>;

/// Everything is called from, and calls back on, the one thread inside run(), except post() and shutdown(), which are
/// safe from any thread. Before run() starts, all calls are allowed from the thread that will run it.
///
/// Messages sent during one turn of the loop leave in one write per connection at the turn's end. Handler calls never
/// happen inside send(), dial(), arm() or post().
class AsioNetwork final : public Network {
 public:
  /// `handler` must outlive the network.
  AsioNetwork(AsioOptions options, PeerHandler& handler);
  ~AsioNetwork() override;
  AsioNetwork(const AsioNetwork&) = delete;
  AsioNetwork& operator=(const AsioNetwork&) = delete;

  /// Accepts connections at "host:port" (port 0: any free one). Returns the address bound, as "ip:port".
  /// Errors (FATAL): 55006 when the address is in use, 58000 otherwise; the message names the address.
  [[nodiscard]] Result<std::string> listen(const std::string& endpoint);
  /// Listens for connections of another protocol: `make_session` makes the session of each. They count among
  /// guests_max, their output counts against the budget, and shutdown() closes them like any other.
  [[nodiscard]] Result<std::string> listen(const std::string& endpoint, SessionFactory make_session);
  LinkId dial(const std::string& endpoint) override;
  /// Stops dialling; the link's connection, if there is one, says goodbye with `reason`.
  void drop_link(LinkId link, const std::string& reason);
  /// Connects once to the Unix socket at `path`. It is never refused for
  /// being one too many: the caller knows how many it makes. Where that fails `on_failed` is called instead, and at
  /// once where the path is too long.
  void connect_local(const std::string& path, SessionFactory make_session, OnConnectFailed on_failed);
  void send(Outbox&& outbox) override;
  [[nodiscard]] uint64_t output_waiting(PeerId peer) const override;
  [[nodiscard]] std::optional<uint64_t> awaited_answer(PeerId peer) const override;
  /// The session that was made for this connection has output, events or an end that came of something else than the
  /// connection's own bytes and deadline: it is looked at when this turn ends. Ignored when the connection is gone.
  void wake(PeerId session);

  /// Runs `task` on the network's thread, soon. Safe from any thread. The caller bounds how many it has under way.
  /// `what` names it where it takes too long; static storage.
  void post(const char* what, std::function<void()> task);
  /// The one deadline of the owner: `task` runs once at `when`; a later call replaces it; kNever disarms.
  void arm(Instant when, std::function<void()> task);
  /// Called after each turn in which the handler, a posted task or the deadline's task was called, before what they
  /// sent is written.
  void set_on_turn_end(std::function<void()> hook);
  /// Hello of connections made from now on.
  void set_hello(wire::v1::Hello hello);

  /// Steady clock. Safe from any thread.
  [[nodiscard]] Instant now() const;
  [[nodiscard]] uint32_t connection_count() const;

  /// Serves until shutdown has finished.
  void run();
  /// Serves for at most `duration_ns`; false once shutdown has finished.
  bool run_for(int64_t duration_ns);
  /// Stops listening and dialling, says goodbye with `reason` on every connection, and ends run() when all are closed,
  /// at the latest after goodbye_ns_max. on_down is called for every peer. Safe from any thread and repeatable; not
  /// from a signal handler.
  void shutdown(std::string reason);
  /// Calls `task` once, on the network's thread, when the process is asked to stop (SIGINT, SIGTERM).
  void on_stop_signal(std::function<void()> task);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace daedalus::rpc

// The connections to the catalogue's server that one process has, and the statements that wait for one: pure.
//
// Decides which statement runs next and on which connection, how many connections there are, and what is told where
// there is no server. A client has at most one statement here, and a user, over however many clients, all connections
// but one: so no user's slow statements keep all others waiting. Next comes who has the fewest connections, and of
// those who came first. Refuses to know sockets, processes and the clock: its owner carries out what it wants done
// after each call.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/catalogue/server_state.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "daedalus/rpc/byte_session.hpp"

namespace daedalus::catalogue {

class Link;

struct PoolOptions {
  std::string user;  ///< The server's user that clients are.
  std::string database;
  size_t links_max = 4;
  size_t waiting_max = 4096;                      ///< Further statements are refused.
  int64_t connect_delay_ns = 200 * kMillisecond;  ///< Pause after one that failed.
  int64_t start_ns_max = 20 * kSecond;            ///< So long a statement waits for a server that is being started.
};

/// The outcome of a client's statement.
struct Told {
  rpc::PeerId client{};
  uint64_t id = 0;
  Outcome outcome;
};

class Pool {
 public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// The server's state has changed.
  void set_state(const ServerState& state, Instant now);
  [[nodiscard]] const ServerState& state() const { return state_; }
  void submit(rpc::PeerId client, uint64_t id, Statement statement, Instant now);
  /// Nobody waits for this client's statement any longer: if it runs, its connection ends, and the server stops it.
  void abandon(rpc::PeerId client, Instant now);
  void on_deadline(Instant now);
  [[nodiscard]] Instant next_deadline() const;

  // ---- connections, which the owner makes ----
  [[nodiscard]] std::shared_ptr<rpc::ByteSession> make_session(const rpc::ConnectionInfo& connection, Instant now);
  void on_connect_failed(Instant now);

  // ---- to be done after any of these calls, and after any turn of a connection ----
  [[nodiscard]] std::vector<Told> take_told() { return std::exchange(told_, {}); }
  /// How many connections to make to state().socket.
  [[nodiscard]] size_t take_connects(Instant now);
  /// Connections that have something to send, or have ended.
  [[nodiscard]] std::vector<rpc::PeerId> take_wakes() { return std::exchange(wakes_, {}); }
  [[nodiscard]] size_t waiting_count() const { return waiting_.size(); }
  [[nodiscard]] size_t link_count() const { return links_.size(); }

 private:
  class Links;
  struct Waiting {
    rpc::PeerId client{};
    uint64_t id = 0;
    Statement statement;
    Instant deadline;     ///< The time by which the statement itself has to be answered.
    Instant start_until;  ///< The time by which the server has to have started.
  };
  struct Entry {
    std::shared_ptr<Link> link;
    rpc::PeerId client{};  ///< Whose statement it runs.
    uint64_t id = 0;       ///< 0: none.
    std::string user;      ///< Who asked for it.
  };
  void tell(rpc::PeerId client, uint64_t id, Outcome outcome) { told_.push_back({client, id, std::move(outcome)}); }
  /// Gives statements to connections that are idle.
  void assign(Instant now);
  /// How many connections run statements of that user.
  [[nodiscard]] size_t running_count(const std::string& user) const;
  /// The statement that runs next; the end: all who wait have as many connections as they may have.
  [[nodiscard]] std::deque<Waiting>::iterator next_in_turn();
  void refuse_waiting();
  void lose_links(const std::string& reason);
  [[nodiscard]] Failure absence() const;

  const PoolOptions options_;
  ServerState state_;
  const std::unique_ptr<Links> owner_;
  std::map<rpc::PeerId, Entry> links_;
  size_t connecting_ = 0;
  Instant connect_at_{};  ///< Not before.
  std::deque<Waiting> waiting_;
  std::vector<Told> told_;
  std::vector<rpc::PeerId> wakes_;
  Instant now_{};
};

}  // namespace daedalus::catalogue

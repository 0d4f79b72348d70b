// The machinery of the simulated network: a queue of events in virtual time, processes, and connections between them.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daedalus/rpc/channel.hpp"
#include "daedalus/rpc/dispatch.hpp"
#include "daedalus/rpc/simulated_network.hpp"

namespace daedalus::rpc {

struct SimulatedConnection;

/// One end of a connection.
struct SimulatedSide {
  uint32_t process = 0;
  PeerRecord record;
  std::unique_ptr<Channel> channel;  ///< Null once this end is closed or its process is gone.
  Instant timer_at = kNever;         ///< When the next look at the channel's deadline is due.
  bool dirty = false;                ///< Waits for the end of its process's turn.

  // The direction from this side to the other.
  bool severed = false;          ///< Nothing arrives any more.
  Instant last_arrival;          ///< Pieces arrive in order: none before this.
  std::deque<std::string> held;  ///< Stopped by a blackhole; an empty one is the end of the stream.
};

struct SimulatedConnection {
  uint64_t id = 0;
  std::array<SimulatedSide, 2> sides;  ///< 0 dialled, 1 was dialled.
};

struct SimulatedEndpoint::State {
  struct Link {
    uint32_t target = 0;
    int64_t delay_ns = 0;
    bool dropped = false;
  };

  std::string name;
  uint32_t index = 0;
  bool running = false;
  uint64_t incarnation = 0;  ///< Tasks that were scheduled for an earlier one are void.
  PeerHandler* handler = nullptr;
  wire::v1::Hello hello;
  std::vector<Link> links;  ///< Index is the LinkId.
  std::function<void()> on_turn_end;
  std::function<void()> armed_task;
  uint64_t armed_round = 0;
  Instant armed_at = kNever;  ///< By the process's clock.
  int64_t ahead_ns = 0;       ///< The lead of that clock.
  Instant frozen_until{};
  bool turn_end_scheduled = false;
  std::vector<std::pair<std::shared_ptr<SimulatedConnection>, int>> dirty;
};

class SimulatedNetwork::Impl {
 public:
  using State = SimulatedEndpoint::State;
  using ConnectionPtr = std::shared_ptr<SimulatedConnection>;

  Impl(SimulatedNetwork& network, SimulationOptions options_in)
      : options(options_in), random(options_in.seed), network_(network) {}

  // ---- processes (simulated_network.cpp) ----
  [[nodiscard]] uint32_t index_of(const std::string& name);
  [[nodiscard]] SimulatedEndpoint& endpoint(uint32_t index) { return *endpoints_[index]; }
  SimulatedEndpoint& start(const std::string& name, wire::v1::Hello hello, PeerHandler& handler);
  void crash(const std::string& name, Notice notice);
  void freeze(State& process, int64_t duration_ns);
  [[nodiscard]] bool is_frozen(uint32_t process) { return now < endpoint_state(process)->frozen_until; }

  // ---- time (simulated_network.cpp) ----
  void schedule(Instant when, std::function<void()> task);
  /// As schedule(), but void when the process has crashed by then.
  void schedule_for(State& process, Instant when, std::function<void()> task);
  /// Runs the next event if it is due by `limit`; false if there is none.
  bool step(Instant limit);
  void record(uint64_t what, uint64_t a, uint64_t b);

  // ---- connections (simulated_connections.cpp) ----
  void dial(State& process, uint32_t link);
  void dial_later(State& process, uint32_t link);
  void drop_link(State& process, LinkId link, const std::string& reason);
  void send(State& process, const Outbox& outbox);
  [[nodiscard]] uint64_t output_waiting(PeerId peer) const;
  void mark_dirty(const ConnectionPtr& connection, int side);
  void want_turn_end(State& process);
  void end_side_turn(const ConnectionPtr& connection, int side);
  void lose(const ConnectionPtr& connection, bool first_notices, bool second_notices);
  void vanish(const ConnectionPtr& connection, int side, bool other_notices);
  void release(uint32_t from, uint32_t to);
  [[nodiscard]] std::vector<ConnectionPtr> connections_of(uint32_t process) const;

  SimulationOptions options;
  Random random;
  Instant now{kSecond};
  uint64_t hash = 0;
  uint64_t event_count = 0;
  uint64_t resets = 0;
  std::set<std::pair<uint32_t, uint32_t>> cuts;        ///< Ordered pairs: lower index first.
  std::set<std::pair<uint32_t, uint32_t>> blackholes;  ///< From, to.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<int64_t, int64_t>> delays;
  bool in_process = false;  ///< A callback or task of a process is running.

  static std::pair<uint32_t, uint32_t> pair_of(uint32_t a, uint32_t b) { return std::minmax(a, b); }

 private:
  struct Event {
    Instant when;
    uint64_t order;
    std::function<void()> task;
    friend bool operator>(const Event& a, const Event& b) {
      return a.when != b.when ? a.when > b.when : a.order > b.order;
    }
  };

  /// Runs a task that was scheduled for it.
  void run_in(State& process, uint64_t incarnation, std::function<void()> task);
  void attempt(State& process, uint32_t link);
  void connect(State& process, uint32_t link);
  void dial_failed(State& process, uint32_t link, const std::string& reason);
  void open_side(const ConnectionPtr& connection, int side, State& process, std::string address,
                 std::optional<LinkId> link);
  void end_turn(State& process);
  void deliver(const ConnectionPtr& connection, int side);
  void flush(const ConnectionPtr& connection, int side);
  void send_piece(const ConnectionPtr& connection, int from, std::string bytes);
  void arrive(const ConnectionPtr& connection, int from, std::string bytes);
  void take_in(const ConnectionPtr& connection, int from, const std::string& bytes);
  void take_in_what_froze(uint32_t process);
  void take_in_held(const ConnectionPtr& connection, int from);
  void set_timer(const ConnectionPtr& connection, int side);
  void close_side(const ConnectionPtr& connection, int side);
  void forget_if_over(const ConnectionPtr& connection);
  void notice_loss(const ConnectionPtr& connection, int side, Instant when);
  [[nodiscard]] int64_t draw_delay(uint32_t a, uint32_t b);
  [[nodiscard]] State& process_of(const SimulatedSide& side) { return *endpoint_state(side.process); }
  [[nodiscard]] State* endpoint_state(uint32_t index);

  SimulatedNetwork& network_;
  std::vector<Event> events_;  ///< A heap; the next one is in front.
  uint64_t next_order_ = 0;
  uint64_t next_connection_ = 1;
  uint64_t next_peer_ = 1;
  std::map<std::string, uint32_t> indexes_;
  std::vector<std::unique_ptr<SimulatedEndpoint>> endpoints_;
  std::map<uint64_t, ConnectionPtr> connections_;
  std::unordered_map<PeerId, std::pair<ConnectionPtr, int>>
      peers_;  ///< Looked up, never walked: order is not repeatable.
};

}  // namespace daedalus::rpc

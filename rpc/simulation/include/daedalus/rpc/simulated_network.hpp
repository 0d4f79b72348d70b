// A whole cluster's network in one thread, in virtual time, from one seed. Every byte is really encoded, cut into
// pieces and decoded by the same Channel that serves real sockets; only sockets and clock are replaced.
//
// It models TCP as a process sees it: a connection delivers its bytes in order, in pieces of any size, after any
// delay, or is lost as a whole; connections overtake each other. Bytes of a living connection are never lost, doubled
// or reordered: above TCP, loss and doubling appear as lost connections and repeated sends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/rpc/channel.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/rpc/random.hpp"

namespace daedalus::rpc {

struct SimulationOptions {
  uint64_t seed = 1;
  int64_t delay_ns_min = 50 * kMicrosecond;  ///< Each piece travels for a random time between these two.
  int64_t delay_ns_max = 2 * kMillisecond;
  uint32_t piece_size_max = 64u << 10;  ///< Output is cut into pieces of random size up to this, bytes.
  double reset_probability = 0;         ///< Per piece: the connection is lost; half of the time only one side notices.
  int64_t dial_delay_ns_min = 50 * kMillisecond;
  int64_t dial_delay_ns_max = kSecond;
  int64_t dial_ns_max = 2 * kSecond;  ///< Time after which dialling into a blackhole fails.
  ChannelLimits limits;
};

/// How a connection ends for those who are on it.
enum class Notice : uint8_t {
  kBoth,       ///< Both sides see a reset, each after a delay.
  kOnlyFirst,  ///< The first-named sees a reset; the other finds out by keep-alive.
  kNobody,     ///< Both find out by keep-alive.
};

class SimulatedNetwork;

/// The network of one simulated process, instead of AsioNetwork. Same promises: handler calls never happen inside
/// send(), dial(), arm() or post(). After a crash, calls are ignored until the restart.
class SimulatedEndpoint final : public Network {
 public:
  struct State;

  /// Made by SimulatedNetwork::start().
  SimulatedEndpoint(SimulatedNetwork& network, std::unique_ptr<State> state);
  ~SimulatedEndpoint() override;
  SimulatedEndpoint(const SimulatedEndpoint&) = delete;
  SimulatedEndpoint& operator=(const SimulatedEndpoint&) = delete;

  LinkId dial(const std::string& endpoint) override;
  void drop_link(LinkId link, const std::string& reason);
  void send(Outbox&& outbox) override;
  [[nodiscard]] uint64_t output_waiting(PeerId peer) const override;
  void post(std::function<void()> task);
  /// As post(), but later, by the network's clock: what another thread of the process will have done by then.
  void post_at(Instant when, std::function<void()> task);
  /// The one deadline of the owner: `task` runs once at `when`; a later call replaces it; kNever disarms.
  void arm(Instant when, std::function<void()> task);
  void set_on_turn_end(std::function<void()> hook);
  void set_hello(wire::v1::Hello hello);
  /// By the process's own clock, as arm(): ahead of the network's by what it has leapt.
  [[nodiscard]] Instant now() const;
  [[nodiscard]] const std::string& name() const;

 private:
  friend class SimulatedNetwork;
  SimulatedNetwork& network_;
  std::unique_ptr<State> state_;
};

/// Faults and time may be driven from outside run_*(), or from tasks of at(); crash() not from a process's own
/// callbacks.
class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(SimulationOptions options);
  ~SimulatedNetwork();
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  // ---- processes ----
  /// A process that can be dialled at `name` ("host:port") and dials others. The endpoint lives as long as this; so
  /// must `handler`, or until crash().
  SimulatedEndpoint& start(const std::string& name, wire::v1::Hello hello, PeerHandler& handler);
  /// Ends the process: no callback, timer or task of it runs again, its links are forgotten, its connections are lost.
  /// With kBoth or kOnlyFirst the peers see a reset; with kNobody the whole machine vanished. Name `first` is
  /// irrelevant.
  void crash(const std::string& name, Notice notice = Notice::kBoth);
  /// Starts a crashed process anew, under the same name and the same SimulatedEndpoint.
  SimulatedEndpoint& restart(const std::string& name, wire::v1::Hello hello, PeerHandler& handler);
  [[nodiscard]] bool running(const std::string& name) const;
  /// The clock of a process leaps ahead, until it crashes, as after a machine's sleep: deadlines of its owner pass.
  /// Connections go by the network's clock.
  void leap(const std::string& name, int64_t ahead_ns);
  /// For so long nothing runs in a process, as after SIGSTOP; its clock goes on, and what is sent to it waits.
  void freeze(const std::string& name, int64_t duration_ns);
  [[nodiscard]] bool frozen(const std::string& name) const;

  // ---- faults between two processes; a and b in any order unless said otherwise ----
  /// Loses every connection between a and b; new ones may be made at once.
  void reset(const std::string& a, const std::string& b, Notice notice = Notice::kBoth);
  /// As reset(); besides, dialling fails until heal().
  void cut(const std::string& a, const std::string& b, Notice notice = Notice::kBoth);
  /// Bytes from `from` to `to` stop on the way until heal(): they arrive then, or never if the connection died of
  /// silence.
  void blackhole(const std::string& from, const std::string& to);
  /// Ends cuts and blackholes between a and b.
  void heal(const std::string& a, const std::string& b);
  void heal_all();
  /// From now on pieces between a and b travel for a random time in [ns_min, ns_max].
  void set_delay(const std::string& a, const std::string& b, int64_t ns_min, int64_t ns_max);
  /// From now on, for all connections. 0 makes the network quiet.
  void set_reset_probability(double probability);

  // ---- time ----
  [[nodiscard]] Instant now() const;
  /// Runs `task` at `when` (now, if that has passed), belonging to no process.
  void at(Instant when, std::function<void()> task);
  void run_until(Instant when);
  void run_for(int64_t duration_ns);
  /// Runs until `condition` holds, asked after each event; false if `duration_ns` passed first.
  bool run_until(const std::function<bool()>& condition, int64_t duration_ns);

  // ---- observation ----
  /// Of everything that has happened so far: equal seeds and equal calls give equal hashes.
  [[nodiscard]] uint64_t event_hash() const;
  [[nodiscard]] uint64_t event_count() const;
  /// Connections lost by set_reset_probability().
  [[nodiscard]] uint64_t resets() const;
  /// The seed's own sequence, for drivers that want to draw from the same source.
  [[nodiscard]] Random& random();

  class Impl;

 private:
  friend class SimulatedEndpoint;
  std::unique_ptr<Impl> impl_;
};

}  // namespace daedalus::rpc

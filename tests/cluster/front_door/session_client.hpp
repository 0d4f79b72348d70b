// An application that speaks PostgreSQL's protocol to the simulated cluster: connects, logs in, does one act after the
// other, and connects again when it has lost its connection. It reads slowly at times, and asks for what runs to be
// stopped.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "act_player.hpp"
#include "byte_line.hpp"

namespace daedalus::testing {

class SessionClient {
 public:
  struct Connection {
    std::shared_ptr<ByteLine> line;
    rpc::PeerId session{};
    std::string aggregator;
  };

  /// The world around it; all of it outlives the client.
  struct World {
    rpc::SimulatedNetwork& network;
    /// To that aggregator, or to any.
    std::function<Connection(const std::string& aggregator)> connect;
    /// Up to which update everything has been confirmed.
    std::function<Timestamp()> confirmed;
    std::function<void(Act&& act)> on_done;
    std::function<void(const std::string& text)> fault;
    bool has_faults = false;
  };

  /// Counts of what else it did.
  struct Counts {
    uint32_t logins = 0;
    uint32_t cancel_requests = 0;
    uint32_t slow_reads = 0;
    uint32_t lost = 0;
  };

  SessionClient(std::string name, World world);
  ~SessionClient();

  void enqueue(Act act);
  [[nodiscard]] bool is_idle() const { return acts_.empty(); }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  enum class Phase : uint8_t { kAway, kStarting, kReady };

  [[nodiscard]] ByteLine::Schedule schedule() const;
  void after_pause(int64_t ns_min, int64_t ns_max, std::function<void()> task);
  void connect();
  [[nodiscard]] std::string startup();
  void on_bytes(std::string_view bytes);
  void on_message(const ServerMessage& message);
  void on_startup_message(const ServerMessage& message);
  void on_end();
  void leave();

  void begin();
  void speak();
  void finish(bool is_lost);

  // ---- what befalls an act ----
  void trouble();
  void request_cancel();
  void on_cancel_over(uint64_t connection, bool was_taken);
  void read_slowly();
  void watch();

  const std::string name_;
  const World world_;
  Counts counts_;
  Phase phase_ = Phase::kAway;
  bool is_coming_ = false;  ///< A connection is about to be made.
  std::optional<Connection> connection_;
  uint64_t connection_number_ = 0;  ///< Tasks that were scheduled for an earlier one are void.
  uint64_t act_number_ = 0;         ///< Likewise.
  Instant heard_at_{};
  uint32_t process_id_ = 0;
  uint32_t secret_ = 0;
  uint32_t cancels_open_ = 0;  ///< Requests that may still stop something of this connection.
  ServerMessages input_;
  std::unique_ptr<ActPlayer> player_;
  std::deque<Act> acts_;  ///< The first one is being done.
};

}  // namespace daedalus::testing

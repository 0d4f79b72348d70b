// One TCP connection between a client and a process of the cluster, as both see it: bytes come in order, in pieces of
// any size, after any time; what nobody reads waits; at any moment the connection may be lost, with what is on its way.
//
// Decides when bytes arrive. Refuses to know what they say.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "daedalus/rpc/simulated_network.hpp"

namespace daedalus::testing {

class ByteLine : public std::enable_shared_from_this<ByteLine> {
 public:
  enum class Side : uint8_t { kClient, kServer };

  /// The habits of one line.
  struct Temper {
    int64_t delay_ns_max = 2 * kMillisecond;
    uint64_t piece_size_max = 16u << 10;
    double loss_probability = 0;  ///< The probability that a piece is lost, and the line with it.
  };

  /// Whoever is at one end. Each is called from an event of its own.
  struct Listener {
    std::function<void(std::string_view bytes)> on_bytes;
    std::function<void()> on_end;  ///< Nothing more will come, and nothing more will arrive.
    std::function<void(size_t size)> on_written;
  };

  /// Runs a task of one end's process at that time, or never, where the process is gone by then.
  using Schedule = std::function<void(Instant when, std::function<void()> task)>;

  ByteLine(rpc::SimulatedNetwork& network, Temper temper) : network_(network), temper_(temper) {}

  /// From now on this is at that end. Before, what arrives there waits.
  void attach(Side side, Listener listener, Schedule schedule);
  /// Nobody is there any longer: what arrives is dropped.
  void detach(Side side);

  void write(Side from, std::string bytes);
  /// No more will be written from there: the other end is told once it has read all.
  void close(Side from);
  /// Bytes written from there that the other end has not read.
  [[nodiscard]] uint64_t unread(Side from) const { return way(from).unread; }
  /// Sets whether that end reads what arrives.
  void set_reading(Side side, bool is_reading);

  /// Nothing more arrives. The client sees it soon; the server may take its time.
  void lose();
  /// The process at that end is gone; what it has written may still arrive, or not.
  void vanish(Side side);
  [[nodiscard]] bool is_lost() const { return is_lost_; }

 private:
  /// From one side to the other.
  struct Way {
    std::deque<std::string> pieces;  ///< An empty one is the end.
    size_t arrived = 0;              ///< So many of them.
    uint64_t unread = 0;
    Instant last_arrival{};
    bool is_severed = false;
    bool is_read = true;
    bool is_closed = false;
    Listener listener;  ///< At its end.
    Schedule schedule;
  };

  [[nodiscard]] static Side other(Side side) { return side == Side::kClient ? Side::kServer : Side::kClient; }
  [[nodiscard]] Way& way(Side from) { return ways_[static_cast<size_t>(from)]; }
  [[nodiscard]] const Way& way(Side from) const { return ways_[static_cast<size_t>(from)]; }
  void send_piece(Side from, std::string bytes);
  void arrive(Side from);
  void read(Side from);
  void sever(Side from);
  void notice(Side side, Instant when);
  [[nodiscard]] int64_t draw_delay();

  rpc::SimulatedNetwork& network_;
  const Temper temper_;
  std::array<Way, 2> ways_;  ///< By the side they begin at.
  bool is_lost_ = false;
};

}  // namespace daedalus::testing

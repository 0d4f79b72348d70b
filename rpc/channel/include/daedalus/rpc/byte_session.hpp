// One connection as whoever carries its bytes sees it. Decides what a carrier has to know of any protocol: when to
// write, when to call again, when to stop, whose turn it is. Refuses to know frames, messages and sockets.
//
// A carrier hands in every byte that arrives and calls on_deadline() at next_deadline(). After any call it has the
// session deliver() its events, writes take_output() and tells on_written() when that has gone. Once ended() it writes
// what take_output() still gives and closes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/units.hpp"

namespace daedalus::rpc {

/// One connection, from its first byte to its loss. Never reused.
enum class PeerId : uint64_t {};

/// One endpoint this process keeps dialling; each success is a new PeerId.
enum class LinkId : uint32_t {};

/// The connection that a session is made for.
struct ConnectionInfo {
  PeerId id{};
  std::string address;         ///< host:port of the other side, for logs.
  std::optional<LinkId> link;  ///< Set when this side dialled.
};

/// The state machine of one connection of some protocol. Pure: no socket, no thread, no clock. Nothing throws. What it
/// keeps of input and of output is bounded by itself: a peer that makes it keep more is ended.
class ByteSession {
 public:
  /// Asked after each event, which it is told by name (static storage); true: what is left waits for the next turn.
  using IsEnough = std::function<bool(const char* event)>;

  virtual ~ByteSession() = default;

  // ---- what happens to the connection; all but on_written() is ignored once the session is over ----
  virtual void on_bytes(std::string_view bytes, Instant now) = 0;
  virtual void on_deadline(Instant now) = 0;
  /// Bytes of the peer wait to be read: it is not silent. Called before on_deadline().
  virtual void on_unread(Instant now) = 0;
  /// `size` bytes of taken output have left this process (or never will).
  virtual void on_written(size_t size, Instant now) = 0;
  /// The connection is gone. Ends the session.
  virtual void on_lost(std::string reason) = 0;
  /// This process wants no more of it: the session says so to its peer, in its own way, and ends.
  virtual void close(std::string reason) = 0;

  // ---- what its owner is to be told: never inside the calls above ----
  [[nodiscard]] virtual bool has_events() const = 0;
  /// Hands over what has happened, in order, until nothing is left or `is_enough` says so.
  virtual void deliver(const IsEnough& is_enough) = 0;

  /// Returns whether more bytes may be handed in: a session that has enough of them until something else happens says
  /// no, and its peer is made to wait. Asked again whenever the session has been looked at (end of a turn, wake,
  /// written).
  [[nodiscard]] virtual bool takes_input() const { return true; }

  // ---- what comes out ----
  [[nodiscard]] virtual bool has_output() const = 0;
  /// The next piece of what is to be written, in order.
  [[nodiscard]] virtual std::string take_output(Instant now) = 0;
  /// Bytes that have not left this process: those to be written, and those taken and not yet reported by on_written().
  [[nodiscard]] virtual uint64_t output_waiting() const = 0;
  /// The operation whose answer is to come however much of others waits (OutputGauge::awaited_answer).
  [[nodiscard]] virtual std::optional<uint64_t> awaited_answer() const { return std::nullopt; }
  /// kNever when there is none, and once ended.
  [[nodiscard]] virtual Instant next_deadline() const = 0;
  /// The peer has proved to speak this protocol: an endpoint that is dialled again is worth no longer pause.
  [[nodiscard]] virtual bool was_up() const = 0;
  /// Why the session is over; nothing while it is not, or while its owner has not been told of it.
  [[nodiscard]] virtual const std::optional<std::string>& ended() const = 0;
};

/// Makes the session of a connection that was accepted. Never null.
using SessionFactory = std::function<std::shared_ptr<ByteSession>(const ConnectionInfo& connection, Instant now)>;

}  // namespace daedalus::rpc

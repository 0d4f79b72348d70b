// One connection as a state machine: handshake, keep-alive, batching, limits, goodbye. Bytes and the time go in, bytes
// and events come out. Refuses to know what carries the bytes, who runs the clock and what operations mean.
//
//              peer's hello fits            goodbye, fault, silence, slow peer, close()
//   kHandshake ────────────────► kUp ────────────────────────────────────────────────► kClosed
//        └───────── misfit, fault, silence, goodbye, close() ────────────────────────────►
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/base/fifo.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/rpc/frame.hpp"
#include "daedalus/rpc/spare_messages.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "daedalus/wire/v1/session.pb.h"

namespace daedalus::rpc {

/// How long after its deadline a hello may still come when input is unread by then: this process was late.
constexpr int64_t kUnreadGrace = 10 * kMillisecond;

struct ChannelLimits {
  uint32_t frame_size_max = kFrameSizeMax;     ///< Largest frame accepted; announced in our hello.
  uint32_t batch_size = 256u << 10;            ///< A frame that has reached this size takes no further message, bytes.
  uint64_t output_size_max = 64ull << 20;      ///< Output not yet written; beyond it the peer is too slow, bytes.
  int64_t keep_alive_ns = 500 * kMillisecond;  ///< Silence of ours after which a keep-alive is sent.
  int64_t silence_ns_max = 2 * kSecond;        ///< Silence of the peer after which it is dead.
  int64_t handshake_ns_max = 2 * kSecond;      ///< Time from start to the peer's hello.
  int64_t stall_ns_max = 10 * kSecond;         ///< While output waits and none of it leaves: the peer does not read.
};

/// The peer's hello has come and fits ours. Always the first event, unless the channel closes before.
struct ChannelUp {
  wire::v1::Hello hello;
};

/// Always the last event, exactly once.
struct ChannelClosed {
  std::string reason;
};

using ChannelEvent = std::variant<ChannelUp, wire::v1::Operation, wire::v1::Result, ChannelClosed>;

/// Driver's duties: hand in every byte that arrives and call on_deadline() at next_deadline(); after any call, carry
/// take_events() to the owner and take_output() to the wire, and tell on_written() when it has gone. Once closed, write
/// what take_output() still gives (the goodbye) and close the connection.
class Channel {
 public:
  enum class State : uint8_t { kHandshake, kUp, kClosed };

  /// Our hello is the first output. Its frame_size_max is set from `limits`.
  Channel(wire::v1::Hello own_hello, ChannelLimits limits, Instant now);

  // ---- what happens to the connection ----
  void on_bytes(std::string_view bytes, Instant now);
  void on_deadline(Instant now);
  /// Bytes of the peer wait to be read: neither is it silent, nor its hello missing.
  void on_unread(Instant now);
  /// `size` bytes of taken output have left this process (or never will).
  void on_written(size_t size, Instant now);
  /// The connection is gone without goodbye.
  void on_lost(std::string reason);

  // ---- what the owner wants; ignored unless the channel is up ----
  /// Adds to the open batch. An operation larger than the peer takes is answered at once, by an event: Error REJECTED
  /// 54000 with the operation's sequence.
  void send(const wire::v1::Operation& operation);
  /// Adds to the open batch; many rows go out in a frame of their own and are not copied. For a result larger than the
  /// peer takes, an Error REJECTED 54000 goes out in its place.
  void send(wire::v1::Result&& result);
  void send(const wire::v1::Result& result) { send(wire::v1::Result(result)); }
  /// Says goodbye with `reason` and closes. Legal in every state; ignored when closed.
  void close(std::string reason);

  // ---- what comes out ----
  /// The next piece of what is to be written, in order: whole frames, a batch or a little more; or rows, whose frame
  /// begins in the piece before and ends in the next. Closes the open batch.
  [[nodiscard]] std::string take_output(Instant now);
  [[nodiscard]] bool has_output() const { return !output_.empty(); }
  /// Bytes that have not left this process: those to be written, and those taken and not yet reported by on_written().
  [[nodiscard]] uint64_t output_waiting() const { return waiting_size_ + unwritten_size_; }
  /// The oldest event that has not been taken.
  [[nodiscard]] std::optional<ChannelEvent> next_event();
  /// Takes back what a taken event's owner has left of it: its memory is used again.
  void reuse(ChannelEvent&& event);
  [[nodiscard]] std::vector<ChannelEvent> take_events();
  [[nodiscard]] bool has_events() const { return !events_.empty(); }
  /// kNever once closed.
  [[nodiscard]] Instant next_deadline() const;
  [[nodiscard]] State state() const { return state_; }
  /// close() has ended this channel: its owner wants to hear no more of it than the end.
  [[nodiscard]] bool closed_by_owner() const { return closed_by_owner_; }

 private:
  void on_frame(const Frame& frame);
  void on_hello(std::string_view payload);
  void on_keep_alive(std::string_view payload);
  void on_operations(std::string_view payload);
  void on_results(std::string_view payload);
  void on_goodbye(std::string_view payload);
  /// False, and the channel has failed, when the payload is not a message of its frame's type.
  [[nodiscard]] bool parse(std::string_view payload, FrameType type, google::protobuf::MessageLite& message);

  /// Gives each message of a batch to `add`, so that each may be parsed into one whose memory is there. False where
  /// that cannot be, as the batch is malformed or has fields of later versions.
  template <typename Add>
  [[nodiscard]] bool unpack(std::string_view payload, Add add);
  [[nodiscard]] bool add_operation(std::string_view bytes);
  [[nodiscard]] bool add_result(std::string_view bytes);

  template <typename Message>
  void append(FrameType type, const Message& message, size_t message_size);
  /// A result with rows, of so many bytes, in a frame of its own.
  void append_rows(wire::v1::Result result, size_t size);
  /// Ends the channel when more waits than may.
  void check_waiting();
  void finish_batch();
  /// The piece that the next frame goes to.
  [[nodiscard]] std::string& open_piece();
  void drop_output();
  void send_frame(FrameType type, const google::protobuf::MessageLite& message);
  void fail(std::string reason);
  void finish(std::string reason);
  [[nodiscard]] uint32_t message_size_max() const;

  ChannelLimits limits_;
  wire::v1::Hello own_;
  State state_ = State::kHandshake;
  bool closed_by_owner_ = false;
  Framer framer_;
  uint32_t peer_frame_size_max_ = kFrameSizeMaxMin;

  /// In pieces, so that what waits for a slow peer is never copied again: each takes frames until it has batch_size.
  std::deque<std::string> output_;
  uint64_t waiting_size_ = 0;  ///< The bytes of all pieces.
  size_t batch_begin_ = 0;     ///< Start of the open batch in the last piece, when there is one.
  FrameType batch_type_{};     ///< kOperations or kResults while a batch is open.
  bool batch_open_ = false;
  size_t batch_size_ = 0;        ///< The bytes of the last one.
  uint64_t unwritten_size_ = 0;  ///< Taken, not yet reported by on_written().

  Fifo<ChannelEvent> events_;
  SpareMessages spare_;  ///< Messages of events that have been dealt with.
  Instant hello_until_;
  Instant last_heard_;
  Instant last_sent_;
  Instant last_written_;  ///< When taken output last left, or the first of it was taken.
};

}  // namespace daedalus::rpc

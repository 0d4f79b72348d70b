// The byte session of Daedalus's own protocol: a Channel, and the handler that is told what comes of it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "daedalus/rpc/byte_session.hpp"
#include "daedalus/rpc/channel.hpp"
#include "daedalus/rpc/dispatch.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::rpc {

class PeerSession final : public ByteSession {
 public:
  /// `handler` must outlive the session.
  PeerSession(const ConnectionInfo& connection, PeerHandler& handler, wire::v1::Hello own_hello, ChannelLimits limits,
              Instant now)
      : record_{connection.id, connection.address, connection.link},
        handler_(handler),
        channel_(std::move(own_hello), limits, now) {}

  /// As Channel::send() does.
  template <typename Message>
  void send(Message&& message) {
    channel_.send(std::forward<Message>(message));
  }

  void on_bytes(std::string_view bytes, Instant now) override { channel_.on_bytes(bytes, now); }
  void on_deadline(Instant now) override { channel_.on_deadline(now); }
  void on_unread(Instant now) override { channel_.on_unread(now); }
  void on_written(size_t size, Instant now) override { channel_.on_written(size, now); }
  void on_lost(std::string reason) override { channel_.on_lost(std::move(reason)); }
  void close(std::string reason) override { channel_.close(std::move(reason)); }

  [[nodiscard]] bool has_events() const override { return channel_.has_events(); }
  void deliver(const IsEnough& is_enough) override {
    if (auto reason = dispatch(channel_, record_, handler_, is_enough)) {
      ended_ = std::move(reason);
    }
  }

  [[nodiscard]] bool has_output() const override { return channel_.has_output(); }
  [[nodiscard]] std::string take_output(Instant now) override { return channel_.take_output(now); }
  [[nodiscard]] uint64_t output_waiting() const override { return channel_.output_waiting(); }
  [[nodiscard]] Instant next_deadline() const override { return channel_.next_deadline(); }
  [[nodiscard]] bool was_up() const override { return record_.ever_up; }
  [[nodiscard]] const std::optional<std::string>& ended() const override { return ended_; }

 private:
  PeerRecord record_;
  PeerHandler& handler_;
  Channel channel_;
  std::optional<std::string> ended_;
};

}  // namespace daedalus::rpc

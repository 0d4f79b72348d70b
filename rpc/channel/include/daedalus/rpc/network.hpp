// The network as a protocol core sees it: peers come and go, messages arrive and leave. Real sockets and the simulator
// stand behind the same two interfaces.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/rpc/byte_session.hpp"
#include "daedalus/rpc/spare_messages.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "daedalus/wire/v1/session.pb.h"

namespace daedalus::rpc {

/// One operation as it arrived: who is to be answered. Never used twice.
struct Requester {
  PeerId peer{};
  uint64_t sequence = 0;

  friend auto operator<=>(const Requester&, const Requester&) = default;
};

struct PeerInfo {
  wire::v1::Hello hello;
  std::string address;         ///< host:port of the other side, for logs.
  std::optional<LinkId> link;  ///< Set when this side dialled.
};

/// Messages that a core wants sent, and peers that it wants closed, after one step; the driver carries it out in order,
/// batching per peer. One that is used again is better than a new one: it keeps the memory of what has been sent.
struct Outbox {
  std::vector<std::pair<PeerId, wire::v1::Operation>> operations;
  std::vector<std::pair<PeerId, wire::v1::Result>> results;
  std::vector<std::pair<PeerId, std::string>> closes;  ///< Peer and reason, after everything else.

  SpareMessages spare;  ///< Messages that have been sent.

  void clear() {
    for (auto& [peer, operation] : operations) {
      spare.give(std::move(operation));
    }
    for (auto& [peer, result] : results) {
      spare.give(std::move(result));
    }
    operations.clear();
    results.clear();
    closes.clear();
  }
};

/// A new result to `to` at the end of `out`; to be filled at once.
inline wire::v1::Result& add_result(Requester to, Outbox& out, wire::v1::Result result = {}) {
  auto& added = out.results.emplace_back(to.peer, std::move(result)).second;
  added.set_sequence(to.sequence);
  return added;
}
inline wire::v1::QueryRows& add_rows(Requester to, Outbox& out) {
  return *add_result(to, out, out.spare.rows()).mutable_rows();
}
/// The end of an answer, with the mark of whoever sends it.
inline wire::v1::QueryEnd& add_end(Requester to, uint64_t mark, Outbox& out) {
  wire::v1::Result& last = add_result(to, out, out.spare.end());
  last.set_mark(mark);
  return *last.mutable_end();
}

/// Called by the network, always from its one thread. Messages are the handler's to take apart; what it leaves of them
/// is used again.
class PeerHandler {
 public:
  virtual ~PeerHandler() = default;
  virtual void on_up(PeerId peer, const PeerInfo& info) = 0;
  virtual void on_down(PeerId peer, const std::string& reason) = 0;
  virtual void on_operation(PeerId peer, wire::v1::Operation&& operation) = 0;
  virtual void on_result(PeerId peer, wire::v1::Result&& result) = 0;
  /// One attempt to connect a link has failed before it was up: nobody there, or a handshake refused. Dialling goes on.
  virtual void on_dial_failed(LinkId /*link*/, const std::string& /*reason*/) {}
};

/// How much of what was sent has not left yet: who produces more than a peer reads asks before.
class OutputGauge {
 public:
  virtual ~OutputGauge() = default;
  /// Bytes that wait for the peer to read; 0 for a peer that is gone.
  [[nodiscard]] virtual uint64_t output_waiting(PeerId peer) const = 0;
  /// The operation whose answer the peer waits for although it has not read all of others: that one goes on.
  [[nodiscard]] virtual std::optional<uint64_t> awaited_answer(PeerId /*peer*/) const { return std::nullopt; }
};

/// The gauge of peers that read everything at once.
class EmptyGauge final : public OutputGauge {
 public:
  [[nodiscard]] uint64_t output_waiting(PeerId /*peer*/) const override { return 0; }
};

/// Nothing blocks and nothing throws; a message to a peer that is gone is dropped (its on_down is on the way).
class Network : public OutputGauge {
 public:
  /// Keeps a connection to `endpoint` (host:port) from now on, dialling again with bounded back-off whenever it is
  /// lost.
  virtual LinkId dial(const std::string& endpoint) = 0;
  /// Takes everything out of the outbox, which is empty then and may be used again.
  virtual void send(Outbox&& outbox) = 0;
};

}  // namespace daedalus::rpc

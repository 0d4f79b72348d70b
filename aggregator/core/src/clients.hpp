// Who asks: the connections that were dialled to this aggregator, and what each of them waits for.
//
// Decides whether an operation's sequence is legal and whether its sender has room for one more. Refuses to know what
// the operations mean.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/rpc/network.hpp"
#include "ticket.hpp"

namespace daedalus::aggregator {

/// An operation as its sender knows it.
using Upstream = rpc::Requester;

/// Sends `result` to whoever sent the operation.
void reply(const Upstream& upstream, wire::v1::Result result, rpc::Outbox& out);

class Clients {
 public:
  void on_up(rpc::PeerId peer, const wire::v1::Hello& hello);
  /// Returns the operations that the client still waited for, in the order they were sent. Empty for an unknown peer.
  [[nodiscard]] std::vector<OperationRef> on_down(rpc::PeerId peer);

  [[nodiscard]] bool knows(rpc::PeerId peer) const { return clients_.contains(peer); }
  /// Precondition: knows(peer).
  [[nodiscard]] wire::v1::Role role(rpc::PeerId peer) const { return clients_.at(peer).role; }
  /// Returns whether the client knows marks and moments. Precondition: knows(peer).
  [[nodiscard]] bool knows_moments(rpc::PeerId peer) const { return clients_.at(peer).knows_moments; }
  /// Takes the next sequence of a client; false if it is not above all before it. Precondition: knows(peer).
  [[nodiscard]] bool take_sequence(Upstream upstream);
  [[nodiscard]] uint32_t in_flight(rpc::PeerId peer) const;

  /// The operation is now in the hands of `operation`'s machine; a later call moves it on.
  void assign(Upstream upstream, OperationRef operation);
  /// The operation has been answered for good. Ignored when the client is gone.
  void finish(Upstream upstream);
  [[nodiscard]] std::optional<OperationRef> find(Upstream upstream) const;

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(clients_.size()); }
  [[nodiscard]] uint32_t in_flight() const;

 private:
  struct Client {
    wire::v1::Role role = wire::v1::ROLE_UNSPECIFIED;
    bool knows_moments = false;
    uint64_t last_sequence = 0;
    boost::unordered_flat_map<uint64_t, OperationRef> operations;  ///< By sequence.
  };

  boost::unordered_flat_map<rpc::PeerId, Client> clients_;
};

}  // namespace daedalus::aggregator

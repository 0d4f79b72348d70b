// EPOCH: a question or a claim that every storage node must answer.
//
// Decides when all have granted. Refuses to know what an epoch is good for.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "context.hpp"
#include "failures.hpp"
#include "writer_link.hpp"

namespace daedalus::aggregator {

/// Invariant: exactly one EpochReply leaves per round, unless it was forgotten; `granted` only after every node has
/// granted (or, for an inquiry, answered). A claim is sent to nobody while some node cannot be reached.
class EpochRounds {
 public:
  EpochRounds(Context& context, WriterLink& writer) : context_(context), writer_(writer) {}

  void start(Upstream upstream, const wire::v1::EpochBody& body, Instant deadline, Instant now, rpc::Outbox& out);
  void on_result(uint64_t round, NodeId node, const wire::v1::Result& result, rpc::Outbox& out);
  void on_node_lost(uint64_t round, NodeId node, const std::string& reason, rpc::Outbox& out);
  void expire(uint64_t round, rpc::Outbox& out);
  void forget(uint64_t round);

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(rounds_.size()); }

 private:
  struct Round {
    Upstream upstream;
    Instant deadline;
    wire::v1::EpochBody body;
    std::map<NodeId, uint64_t> waiting;  ///< Sequence of the hop to each node that has not answered.
    wire::v1::EpochReply reply;          ///< As far as it is known; granted: nobody has refused.
  };
  using Rounds = std::map<uint64_t, Round>;

  void take(Round& round, NodeId node, const wire::v1::EpochReply& answer);
  void refuse(Round& round, wire::v1::Error error);
  void finish_if_done(Rounds::iterator round, rpc::Outbox& out);
  void erase(Rounds::iterator round);

  Context& context_;
  WriterLink& writer_;
  Rounds rounds_;
};

}  // namespace daedalus::aggregator

// DESCRIBE and STATUS: what this aggregator knows, and how the nodes below it and the writer are.
//
// Who does not answer is itself an answer: STATUS never fails because something is down.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "context.hpp"
#include "writer_link.hpp"

namespace daedalus::aggregator {

/// The table, its map, the limits, and the writer as far as it is known.
[[nodiscard]] wire::v1::DescribeReply describe(const Context& context, const WriterLink& writer);

/// Invariant: exactly one StatusReply, naming every node, leaves per round, unless it was forgotten.
class StatusRounds {
 public:
  StatusRounds(Context& context, WriterLink& writer) : context_(context), writer_(writer) {}

  /// `aggregator` is what this process says about itself.
  void start(Upstream upstream, wire::v1::AggregatorStatus aggregator, Instant deadline, Instant now, rpc::Outbox& out);
  void on_result(uint64_t round, NodeId node, const wire::v1::Result& result, rpc::Outbox& out);
  void on_node_lost(uint64_t round, NodeId node, const std::string& reason, rpc::Outbox& out);
  /// False: what the writer answers is no question of a round's.
  bool on_writer_result(rpc::PeerId peer, const wire::v1::Result& result, rpc::Outbox& out);
  void on_writer_lost(rpc::PeerId peer, const std::string& reason, rpc::Outbox& out);
  void expire(uint64_t round, rpc::Outbox& out);
  void forget(uint64_t round);

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(rounds_.size()); }

 private:
  using WriterQuestion = std::pair<rpc::PeerId, uint64_t>;  ///< Connection and sequence.

  struct Round {
    Upstream upstream;
    Instant deadline;
    wire::v1::AggregatorStatus aggregator;
    std::map<NodeId, uint64_t> waiting;  ///< Sequence of the hop to each node that has not answered.
    std::map<NodeId, wire::v1::NodeStatus> nodes;
    std::optional<WriterQuestion> writer_question;  ///< Until it is answered.
    wire::v1::WriterStatus writer;
  };
  using Rounds = std::map<uint64_t, Round>;

  void ask_writer(Rounds::iterator round, wire::v1::Operation operation, rpc::Outbox& out);
  void on_writer(Rounds::iterator round, wire::v1::WriterStatus status, rpc::Outbox& out);
  [[nodiscard]] wire::v1::WriterStatus unreachable_writer(const std::string& problem) const;
  void add_unreachable(Round& round, NodeId node, const std::string& problem);
  void finish_if_done(Rounds::iterator round, rpc::Outbox& out);
  void erase(Rounds::iterator round);

  Context& context_;
  WriterLink& writer_;
  Rounds rounds_;
  std::map<WriterQuestion, uint64_t> asked_writer_;  ///< Round by what was asked.
};

}  // namespace daedalus::aggregator

// Moments that clients hold, and the aggregator's word to all nodes about what it still reads.
//
// Decides at which moment a hold begins, when all nodes have said yes to it, and when they are told anew. Refuses to
// know what is read at it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "context.hpp"

namespace daedalus::aggregator {

/// Invariants: exactly one Held or Error leaves per HOLD, unless it was forgotten; a moment that a Held names as new is
/// one that every node has been told and has said yes to, knowing of no higher mark. A connection that is gone holds
/// nothing.
class Holds {
 public:
  explicit Holds(Context& context) : context_(context) {}

  /// The client holds what the body lists, and nothing else, once it is answered (docs/protocol.md, "Marks and
  /// moments").
  void start(Upstream upstream, const wire::v1::OperationHeader& header, const wire::v1::HoldBody& body,
             Instant deadline, Instant now, rpc::Outbox& out);

  // ---- what happens to a word, and to those who hold ----
  void on_result(uint64_t word, NodeId node, const wire::v1::Result& result, rpc::Outbox& out);
  /// The next word tells the node what is held.
  void on_node_up() { is_word_due_ |= !moments_.empty(); }
  void on_node_lost(NodeId node, const std::string& reason, rpc::Outbox& out);
  void on_client_down(rpc::PeerId client);
  void abort(uint64_t take, rpc::Outbox& out);
  void expire(uint64_t take, rpc::Outbox& out);
  void forget(uint64_t take);

  // ---- when the nodes are told ----
  /// Queries are under way: if they still are then, the nodes are told after the time of a renewal.
  void note_queries(Instant now);
  /// Some moment has not been said to the nodes yet.
  [[nodiscard]] bool is_word_due() const { return is_word_due_; }
  [[nodiscard]] Instant next_deadline() const { return renew_at_; }
  /// Says to all nodes what is held; `lowest` is the lowest moment of the queries that are under way.
  void say(std::optional<Timestamp> lowest, Instant now, rpc::Outbox& out);

  /// Moments that clients hold, each counted for each of its clients.
  [[nodiscard]] uint32_t count() const { return held_count_; }

 private:
  /// A moment on its way to be held.
  struct Wanted {
    uint64_t moment = 0;
    bool is_firm = false;  ///< The client named it.
  };
  /// A HOLD that has not been answered.
  struct Take {
    Upstream upstream;
    Instant deadline;
    std::vector<Wanted> wanted;
    std::vector<uint64_t> refused;
    uint64_t word = 0;         ///< The first word that had all that is wanted; 0: none has yet.
    std::set<NodeId> waiting;  ///< Nodes that have not said yes to it.
  };
  using Takes = std::map<uint64_t, Take>;

  /// Returns what is wrong with a HOLD whatever is held.
  [[nodiscard]] Result<void> check(Upstream upstream, const wire::v1::HoldBody& body) const;
  /// Returns what is wrong with taking so many new moments.
  [[nodiscard]] Result<void> check_taking(size_t count, const wire::v1::OperationHeader& header, Instant now) const;
  /// Lets go of what the client holds and does not list, and returns what it lists and does not hold.
  [[nodiscard]] std::vector<Wanted> replace(rpc::PeerId client, const wire::v1::HoldBody& body, uint64_t moment);
  /// Takes a node's answer to the word that had the take's moments.
  void on_held(Takes::iterator take, NodeId node, const wire::v1::Held& held, uint64_t mark, rpc::Outbox& out);
  void answer(Upstream upstream, const std::vector<Wanted>& taken, const std::vector<uint64_t>& refused,
              rpc::Outbox& out);
  void finish(Takes::iterator take, rpc::Outbox& out);
  void fail(Takes::iterator take, const Error& error, rpc::Outbox& out);
  void erase(Takes::iterator take);
  void add(uint64_t moment) { ++moments_[moment]; }
  void remove(uint64_t moment);

  Context& context_;
  std::map<rpc::PeerId, std::set<uint64_t>> held_;  ///< By client that holds something.
  uint32_t held_count_ = 0;
  Takes takes_;
  std::map<uint64_t, uint32_t> moments_;  ///< Held and wanted ones, and how often.
  uint64_t last_word_ = 0;
  bool is_word_due_ = false;
  bool has_said_any_ = false;  ///< The last word named a moment.
  Instant renew_at_ = kNever;
};

}  // namespace daedalus::aggregator

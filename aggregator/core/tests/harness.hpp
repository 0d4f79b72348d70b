// An aggregator core with hand-fed nodes, clients and writers around it, and what it sends as readable lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/aggregator/core.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::aggregator::testing {

/// Returns where random tests begin: at DAEDALUS_SEED, or anywhere.
[[nodiscard]] uint64_t base_seed();

/// flights(id int NOT NULL, origin char(3), delay int).
[[nodiscard]] std::shared_ptr<const semantics::Schema> flights();
/// hash(origin) or round_robin; partition p lives on node p % nodes.
[[nodiscard]] std::shared_ptr<const contract::PartitionMap> make_map(uint32_t partitions, uint32_t nodes,
                                                                     semantics::Distribution distribution);
/// An origin whose rows live in `partition` of `partitions`.
[[nodiscard]] std::string origin_in(uint32_t partition, uint32_t partitions);
/// A route that pins origin.
[[nodiscard]] wire::v1::Route route_to(const std::string& origin);
[[nodiscard]] wire::v1::Expression origin_is(const std::string& origin);

// ---- bodies ----
/// SELECT id [WHERE origin = …]
[[nodiscard]] wire::v1::SelectBody select_ids(const std::string& origin = {});
/// SELECT count(*), sum(delay)
[[nodiscard]] wire::v1::SelectBody select_totals();
/// SELECT id ORDER BY id LIMIT 3
[[nodiscard]] wire::v1::SelectBody select_first_ids();

// ---- packed rows ----
[[nodiscard]] std::string pack_ids(const std::vector<int64_t>& ids);
/// Partial rows of select_totals().
[[nodiscard]] std::string pack_totals(int64_t count, int64_t sum);

[[nodiscard]] wire::v1::Operation make_operation(wire::v1::OperationKind kind, std::string body = {});

struct ClusterOptions {
  uint32_t partitions = 2;
  uint32_t nodes = 2;
  semantics::Distribution distribution = semantics::Distribution::kHash;
  AggregatorOptions aggregator;
  bool nodes_up = true;
  contract::HandleLimits node_handles = {};  ///< That nodes announce.
  const semantics::Language* node_language = &semantics::Language::own();
  bool nodes_know_moments = true;
  std::shared_ptr<KnownStatements> known = nullptr;
};

/// Clients that have not read so many bytes.
class UnreadGauge final : public rpc::OutputGauge {
 public:
  [[nodiscard]] uint64_t output_waiting(rpc::PeerId /*peer*/) const override { return bytes; }

  uint64_t bytes = 0;
};

/// Every call that feeds something in collects what leaves; take() gives it as lines, such as
/// "node 0 <- SELECT" or "client 100 #1 <- end rows=3 stamps=2".
class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});
  [[nodiscard]] const ClusterOptions& options() const { return options_; }

  // ---- peers ----
  rpc::PeerId connect(wire::v1::Role role);
  /// Connects a peer of a build that does not know moments.
  rpc::PeerId connect_older(wire::v1::Role role);
  void disconnect(rpc::PeerId peer);
  void node_up(uint32_t node);
  /// Nodes that come up from now on have this language.
  void set_node_language(const semantics::Language& language) { options_.node_language = &language; }
  /// Nodes that come up from now on know moments, or do not.
  void set_nodes_know_moments(bool they_do) { options_.nodes_know_moments = they_do; }
  void node_down(uint32_t node, const std::string& reason = "connection reset");
  /// Dials what the core asked for; the other side then says it is a writer.
  rpc::PeerId writer_up(bool knows_moments = true);

  // ---- operations from above; return the sequence used ----
  uint64_t send(rpc::PeerId peer, wire::v1::Operation operation);
  uint64_t select(rpc::PeerId peer, wire::v1::SelectBody body, wire::v1::ResultForm form = wire::v1::RESULT_FORM_FINAL);
  uint64_t update(rpc::PeerId peer, uint64_t timestamp, const std::string& origin, uint64_t confirmed_through = 0);
  void abort(rpc::PeerId peer, uint64_t sequence);
  uint64_t mark(rpc::PeerId peer, uint64_t timestamp, bool is_passed_on = false);
  /// Ends the turn, too.
  uint64_t hold(rpc::PeerId peer, const std::vector<uint64_t>& moments, uint64_t prefix_min = 0);

  // ---- answers from below ----
  /// Sequence of the latest operation sent to the node; of a peer, for writers.
  [[nodiscard]] uint64_t last(uint32_t node) const { return last_sequence_.at(node_peer_.at(node)); }
  [[nodiscard]] uint64_t last(rpc::PeerId peer) const { return last_sequence_.at(peer); }
  [[nodiscard]] const wire::v1::Operation& operation(rpc::PeerId peer, uint64_t sequence) const {
    return operations_.at({peer, sequence});
  }
  /// The latest operation sent to the node.
  [[nodiscard]] const wire::v1::Operation& last_operation(uint32_t node) const {
    return operations_.at({node_peer_.at(node), last(node)});
  }
  [[nodiscard]] const wire::v1::Operation& last_operation(rpc::PeerId peer) const {
    return operations_.at({peer, last(peer)});
  }
  void answer(rpc::PeerId peer, uint64_t sequence, wire::v1::Result result);
  void rows(uint32_t node, uint64_t sequence, std::string packed, uint32_t row_count);
  void end(uint32_t node, uint64_t sequence, uint64_t row_count, const std::vector<uint32_t>& partitions,
           uint64_t moment = 0);
  /// Ends the answer of one partition before slots of its segments, each given by its number.
  void stop(uint32_t node, uint64_t sequence, uint32_t partition, uint64_t moment,
            const std::map<uint32_t, uint64_t>& next_slots);
  void fail(uint32_t node, uint64_t sequence, const Error& error);
  void confirm(uint32_t node, uint64_t sequence, uint64_t timestamp, const std::vector<uint32_t>& partitions = {});
  /// The node says its mark.
  void marked(uint32_t node, uint64_t sequence, uint64_t mark);
  void held(uint32_t node, uint64_t sequence, uint64_t mark, const std::vector<uint64_t>& refused = {});
  /// The node refuses a query whose moment lies below its mark.
  void refuse_moment(uint32_t node, uint64_t sequence, uint64_t mark);
  void refuse(uint32_t node, uint64_t sequence, uint64_t timestamp, wire::v1::WriteRefusal reason);

  // ---- time and effects ----
  void flush();
  void advance(int64_t duration_ns);
  /// Everything that left since the last call, one line each.
  [[nodiscard]] std::string take();
  /// Results that left since the last take(), by client.
  [[nodiscard]] const std::vector<std::pair<rpc::PeerId, wire::v1::Result>>& results() const { return results_; }
  [[nodiscard]] AggregatorCore& core() { return *core_; }
  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] rpc::PeerId peer_of(uint32_t node) const { return node_peer_.at(node); }
  [[nodiscard]] bool is_up(uint32_t node) const { return node_peer_.contains(node); }
  void collect();
  /// Clients have not read so many bytes from now on.
  void set_unread(uint64_t bytes) {
    gauge_.bytes = bytes;
    collect();
  }
  Effects& effects() { return effects_; }

 private:
  rpc::PeerId connect(const wire::v1::Hello& hello);
  void answer_inquiries(uint32_t node);
  [[nodiscard]] std::string name(rpc::PeerId peer) const;

  ClusterOptions options_;
  std::shared_ptr<const semantics::Schema> schema_ = flights();
  std::shared_ptr<const contract::PartitionMap> map_;
  std::unique_ptr<AggregatorCore> core_;
  Instant now_{kSecond};
  Effects effects_;
  UnreadGauge gauge_;
  uint64_t next_peer_ = 100;
  uint32_t next_link_ = 1'000;
  std::map<uint32_t, rpc::PeerId> node_peer_;
  std::map<rpc::PeerId, uint64_t> last_sequence_;
  std::map<rpc::PeerId, uint64_t> next_sequence_;
  std::map<std::pair<rpc::PeerId, uint64_t>, wire::v1::Operation> operations_;
  std::vector<std::pair<rpc::PeerId, wire::v1::Result>> results_;
  std::string lines_;
  std::map<rpc::PeerId, std::string> names_;
};

}  // namespace daedalus::aggregator::testing

// Whatever arrives in whatever order: one terminal result per operation, and no end before all ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

constexpr uint32_t kNodes = 3;
constexpr uint32_t kPartitions = 5;

/// A random life of one aggregator: operations, answers (doubled, late, cut off), losses, aborts, time.
class RandomLife {
 public:
  explicit RandomLife(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      clients_.push_back(cluster_.connect(wire::v1::ROLE_CLIENT));
    }
    writer_ = cluster_.connect(wire::v1::ROLE_WRITER);
  }

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      one_step();
      observe();
    }
    finish();
  }

  /// Queries that were answered completely.
  [[nodiscard]] uint64_t ends() const { return ends_; }

 private:
  struct Asked {
    uint32_t node = 0;
    uint64_t sequence = 0;
    wire::v1::Operation operation;
    uint32_t rows_sent = 0;
    bool has_ended = false;
  };
  struct Query {
    std::set<uint32_t> ends;  ///< Nodes whose end was delivered while it was in flight.
    std::set<uint32_t> asked;
    uint64_t rows = 0;
  };
  struct Write {
    uint32_t confirmations = 0;
    std::set<uint32_t> refusing_nodes;
  };
  using Key = std::pair<rpc::PeerId, uint64_t>;

  uint64_t below(uint64_t bound) { return random_() % bound; }

  void one_step() {
    switch (below(24)) {
      case 0:
      case 1:
        ask();
        break;
      case 2:
        update();
        break;
      case 3:
        cluster_.flush();
        break;
      case 4:
        lose_or_restore();
        break;
      case 5:
        cluster_.advance(static_cast<int64_t>(below(200)) * kMillisecond);
        break;
      case 6:
        abort();
        break;
      default:
        answer();
    }
  }

  void ask() {
    const auto peer = clients_[below(clients_.size())];
    if (below(5) == 0) {
      const uint64_t sequence = cluster_.send(peer, make_operation(wire::v1::OPERATION_KIND_STATUS));
      open_.insert({peer, sequence});
      queries_[{peer, sequence}];
      note_asked({peer, sequence});
      return;
    }
    const auto body = below(2) == 0 ? select_ids() : select_totals();
    wire::v1::SelectBody final_body = body;
    final_body.set_form(wire::v1::RESULT_FORM_FINAL);
    auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, final_body.SerializeAsString());
    operation.mutable_header()->set_remaining_ns(static_cast<uint64_t>(1 + below(400)) * kMillisecond);
    const uint64_t sequence = cluster_.send(peer, operation);
    open_.insert({peer, sequence});
    Query& query = queries_[{peer, sequence}];
    for (uint32_t node = 0; node < kNodes; ++node) {
      query.asked.insert(node);
    }
    note_asked({peer, sequence});
  }

  void update() {
    const uint64_t timestamp = below(4) == 0 && next_timestamp_ > 3 ? next_timestamp_ - 2 : next_timestamp_++;
    const uint64_t sequence =
        cluster_.update(writer_, timestamp, origin_in(static_cast<uint32_t>(below(kPartitions)), kPartitions));
    open_.insert({writer_, sequence});
    note_asked({writer_, sequence});
  }

  /// Remembers what has just been sent to nodes; it is answered later, or never.
  void note_asked(Key key) {
    for (uint32_t node = 0; node < kNodes; ++node) {
      if (!cluster_.is_up(node)) {
        continue;
      }
      const auto peer = cluster_.peer_of(node);
      for (uint64_t& seen = seen_[peer]; seen < cluster_.last(peer);) {
        ++seen;
        const auto& operation = cluster_.operation(peer, seen);
        asked_.push_back({.node = node, .sequence = seen, .operation = operation});
        owner_[{peer, seen}] = key;
      }
    }
  }

  void answer() {
    note_asked({});
    if (asked_.empty()) {
      return;
    }
    const size_t index = below(asked_.size());
    Asked& asked = asked_[index];
    if (!cluster_.is_up(asked.node) || owner_.count({cluster_.peer_of(asked.node), asked.sequence}) == 0) {
      asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(index));  // Its connection is gone.
      return;
    }
    switch (asked.operation.header().kind()) {
      case wire::v1::OPERATION_KIND_SELECT:
        answer_select(asked);
        break;
      case wire::v1::OPERATION_KIND_STATUS: {
        wire::v1::Result result;
        result.mutable_status()->add_nodes();
        cluster_.answer(cluster_.peer_of(asked.node), asked.sequence, std::move(result));
        break;
      }
      case wire::v1::OPERATION_KIND_UPDATE:
      case wire::v1::OPERATION_KIND_NO_OP_RANGE:
        if (below(8) == 0) {
          cluster_.refuse(asked.node, asked.sequence, asked.operation.header().update().timestamp(),
                          wire::v1::WRITE_REFUSAL_GAP);
        } else {
          cluster_.confirm(asked.node, asked.sequence, asked.operation.header().update().timestamp());
        }
        break;
      default:
        break;
    }
    if (below(4) != 0) {  // Otherwise it may be answered once more.
      asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(index));
    }
  }

  void answer_select(Asked& asked) {
    wire::v1::SelectBody body;
    ASSERT_TRUE(body.ParseFromString(asked.operation.body()));
    const bool is_totals = body.outputs_size() == 2;
    if (asked.has_ended) {
      cluster_.end(asked.node, asked.sequence, asked.rows_sent, partitions_of(asked.node));  // A repetition.
      return;
    }
    if (below(20) == 0) {
      cluster_.fail(asked.node, asked.sequence, Error{ErrorCategory::kRetry, "53000", "full", {}, 0});
      asked.has_ended = true;
      return;
    }
    cluster_.rows(asked.node, asked.sequence, is_totals ? pack_totals(1, 2) : pack_ids({1}), 1);
    ++asked.rows_sent;
    asked.has_ended = true;
    const Key key = owner_.at({cluster_.peer_of(asked.node), asked.sequence});
    queries_[key].ends.insert(asked.node);
    cluster_.end(asked.node, asked.sequence, asked.rows_sent, partitions_of(asked.node));
  }

  static std::vector<uint32_t> partitions_of(uint32_t node) {
    std::vector<uint32_t> partitions;
    for (uint32_t partition = node; partition < kPartitions; partition += kNodes) {
      partitions.push_back(partition);
    }
    return partitions;
  }

  void lose_or_restore() {
    const auto node = static_cast<uint32_t>(below(kNodes));
    if (cluster_.is_up(node)) {
      if (below(10) == 0) {
        note_asked({});
        cluster_.node_down(node);
        std::erase_if(asked_, [&](const Asked& asked) { return asked.node == node; });
      }
    } else {
      cluster_.node_up(node);
      seen_[cluster_.peer_of(node)] = cluster_.last(node);
    }
  }

  void abort() {
    if (open_.empty()) {
      return;
    }
    auto target = open_.begin();
    std::advance(target, static_cast<std::ptrdiff_t>(below(open_.size())));
    if (below(6) == 0 && target->first != writer_) {
      const auto gone = target->first;
      cluster_.disconnect(gone);
      std::erase_if(open_, [&](const Key& key) { return key.first == gone; });
      std::replace(clients_.begin(), clients_.end(), gone, cluster_.connect(wire::v1::ROLE_CLIENT));
      return;
    }
    cluster_.abort(target->first, target->second);
  }

  /// Checks every result that left since the last step.
  void observe() {
    for (const auto& [peer, result] : cluster_.results()) {
      const Key key{peer, result.sequence()};
      if (peer == writer_) {
        observe_write(key, result);
        continue;
      }
      ASSERT_TRUE(open_.contains(key)) << "a result after the last one";
      Query& query = queries_.at(key);
      if (result.has_rows()) {
        query.rows += result.rows().row_count();
        continue;
      }
      open_.erase(key);
      if (result.has_end()) {
        ASSERT_EQ(query.ends, query.asked) << "an end before all ends";
        ASSERT_EQ(result.end().row_count(), query.rows);
        ASSERT_EQ(result.end().stamps_size(), static_cast<int>(kPartitions));
        ++ends_;
      } else if (result.has_status()) {
        ASSERT_EQ(result.status().nodes_size(), static_cast<int>(kNodes));
      } else {
        ASSERT_TRUE(result.has_error());
      }
    }
    static_cast<void>(cluster_.take());
  }

  /// At most two confirmations and one note per node; nothing after a refusal by a responsible node.
  void observe_write(Key key, const wire::v1::Result& result) {
    Write& write = writes_[key];
    if (result.has_confirmed()) {
      ASSERT_LE(++write.confirmations, 2u);
      return;
    }
    ASSERT_TRUE(result.has_refused());
    ASSERT_TRUE(write.refusing_nodes.insert(result.refused().node()).second) << "two refusals for one node";
  }

  void finish() {
    cluster_.flush();
    cluster_.advance(31 * kSecond);
    observe();
    for (const Key& key : open_) {
      ASSERT_TRUE(key.first == writer_) << "a query without an answer";
      ASSERT_TRUE(writes_.contains(key)) << "an update without an answer";
    }
    ASSERT_EQ(cluster_.core().operations_in_flight(), 0u);
  }

  std::mt19937_64 random_;
  Cluster cluster_{{.partitions = kPartitions, .nodes = kNodes}};
  std::vector<rpc::PeerId> clients_;
  rpc::PeerId writer_{};
  uint64_t next_timestamp_ = 1;
  std::vector<Asked> asked_;
  std::map<rpc::PeerId, uint64_t> seen_;
  std::map<Key, Key> owner_;
  std::map<Key, Query> queries_;
  std::set<Key> open_;
  std::map<Key, Write> writes_;
  uint64_t ends_ = 0;
};

TEST(CorePropertyTest, EveryOperationHasOneEndWhateverHappens) {
  const uint64_t seed = base_seed();
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  uint64_t ends = 0;
  for (uint64_t life = 0; life < 300 && !::testing::Test::HasFailure(); ++life) {
    SCOPED_TRACE(fmt::format("DAEDALUS_SEED={} life={}", seed, life));
    RandomLife random_life(seed + life);
    random_life.run(300);
    ends += random_life.ends();
  }
  EXPECT_GT(ends, 300u);  // Or the test would show nothing.
}

}  // namespace
}  // namespace daedalus::aggregator::testing

// Whatever order marks, queries and answers come in: every answer is of one moment, and shows what was told before it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

constexpr uint32_t kJudges = 3;

/// A node that judges moments as docs/protocol.md says, and answers each query with one row: the moment.
class PlainNode {
 public:
  void learn(uint64_t mark) { mark_ = std::max(mark_, mark); }
  [[nodiscard]] uint64_t mark() const { return mark_; }

  void take(const wire::v1::Operation& operation, uint32_t node) {
    const wire::v1::OperationHeader& header = operation.header();
    if (header.kind() == wire::v1::OPERATION_KIND_MARK) {
      learn(header.mark());
      add(header.sequence()).mutable_marked()->add_watermarks()->set_mark(mark_);
    } else if (header.kind() == wire::v1::OPERATION_KIND_SELECT) {
      select(header, node);
    }
  }

  std::deque<wire::v1::Result> answers;  ///< Not delivered yet, in their order.

 private:
  void select(const wire::v1::OperationHeader& header, uint32_t node) {
    if (header.has_at() && header.at() < mark_ && !header.is_firm()) {
      auto& error = *add(header.sequence()).mutable_error();
      error.set_category(wire::v1::ERROR_CATEGORY_RETRY);
      error.set_sqlstate("40001");
      error.set_ask_again_at(mark_);
      return;
    }
    const uint64_t moment = header.has_at() ? header.at() : std::max(header.prefix_min(), mark_);
    auto& rows = *add(header.sequence()).mutable_rows();
    rows.set_rows(pack_ids({static_cast<int64_t>(moment)}));
    rows.set_row_count(1);
    auto& end = *add(header.sequence()).mutable_end();
    end.set_row_count(1);
    end.set_moment(moment);
    end.add_stamps()->set_partition(node);
  }

  wire::v1::Result& add(uint64_t sequence) {
    wire::v1::Result result;
    result.set_sequence(sequence);
    result.set_mark(mark_);
    return answers.emplace_back(std::move(result));
  }

  uint64_t mark_ = 0;
};

class RandomMoments {
 public:
  explicit RandomMoments(uint64_t seed) : random_(seed) {}

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      one_step();
    }
    for (int step = 0; step < 20'000 && !open_.empty() && !::testing::Test::HasFailure(); ++step) {
      work();
      observe();
    }
    EXPECT_TRUE(open_.empty()) << "a query without an answer";
  }

  [[nodiscard]] uint64_t ends() const { return ends_; }
  [[nodiscard]] uint64_t late_moments() const { return late_moments_; }

 private:
  struct Query {
    uint64_t told = 0;      ///< Was known to be confirmed when the query was sent.
    uint64_t mark = 0;      ///< The aggregator's then.
    uint64_t demanded = 0;  ///< By whoever asks.
    std::optional<uint64_t> firm;
    size_t row_count = 0;
    std::set<std::string> rows;
  };

  uint64_t below(uint64_t bound) { return random_() % bound; }

  void one_step() {
    switch (below(12)) {
      case 0:
      case 1:
        ask();
        break;
      case 2:
        through_ += below(4);
        cluster_.mark(writer_, through_, below(2) == 0);
        break;
      case 3:  // Through another aggregator.
        through_ += below(4);
        nodes_[below(kJudges)].learn(through_);
        break;
      default:
        work();
    }
    observe();
  }

  void ask() {
    auto body = select_ids(below(4) == 0 ? origin_in(static_cast<uint32_t>(below(kJudges)), kJudges) : std::string());
    body.set_form(wire::v1::RESULT_FORM_FINAL);
    auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
    Query query;
    query.told = std::min_element(nodes_.begin(), nodes_.end(), [](const auto& left, const auto& right) {
                   return left.mark() < right.mark();
                 })->mark();
    query.mark = raw(cluster_.core().confirmed());
    if (below(4) == 0) {
      query.demanded = through_ + below(3);
      operation.mutable_header()->set_prefix_min(query.demanded);
    }
    if (below(6) == 0) {
      query.firm = below(through_ + 1);
      operation.mutable_header()->set_at(*query.firm);
      operation.mutable_header()->set_is_firm(true);
    }
    open_[cluster_.send(client_, std::move(operation))] = query;
  }

  /// A node takes what it was asked next, or its next answer arrives.
  void work() {
    const auto node = static_cast<uint32_t>(below(kJudges));
    const auto peer = cluster_.peer_of(node);
    if (below(2) == 0 && taken_[node] < cluster_.last(node)) {
      nodes_[node].take(cluster_.operation(peer, ++taken_[node]), node);
    } else if (auto& answers = nodes_[node].answers; !answers.empty()) {
      wire::v1::Result answer = std::move(answers.front());
      answers.pop_front();
      const uint64_t sequence = answer.sequence();
      cluster_.answer(peer, sequence, std::move(answer));
    }
  }

  void observe() {
    for (const auto& [peer, result] : cluster_.results()) {
      if (peer != client_) {
        continue;
      }
      const auto found = open_.find(result.sequence());
      ASSERT_NE(found, open_.end()) << "a result after the last one";
      Query& query = found->second;
      if (result.has_rows()) {
        query.row_count += result.rows().row_count();
        for (size_t at = 0; at < result.rows().rows().size(); at += row_bytes_) {
          query.rows.insert(result.rows().rows().substr(at, row_bytes_));
        }
        continue;
      }
      ASSERT_TRUE(result.has_end()) << result.error().message();
      judge(query, result.end());
      open_.erase(found);
    }
    static_cast<void>(cluster_.take());
  }

  void judge(const Query& query, const wire::v1::QueryEnd& end) {
    ++ends_;
    ASSERT_EQ(end.row_count(), query.row_count);
    ASSERT_EQ(query.row_count, static_cast<size_t>(end.stamps_size())) << "a row of each part, once";
    ASSERT_EQ(query.rows, std::set<std::string>{pack_ids({static_cast<int64_t>(end.moment())})});
    if (query.firm) {
      ASSERT_EQ(end.moment(), *query.firm);
      return;
    }
    ASSERT_GE(end.moment(), query.told);
    ASSERT_GE(end.moment(), query.demanded);
    late_moments_ += end.moment() > std::max(query.mark, query.demanded) ? 1 : 0;
  }

  const size_t row_bytes_ = pack_ids({1}).size();
  std::mt19937_64 random_;
  Cluster cluster_{{.partitions = kJudges, .nodes = kJudges}};
  rpc::PeerId client_ = cluster_.connect(wire::v1::ROLE_CLIENT);
  rpc::PeerId writer_ = cluster_.connect(wire::v1::ROLE_WRITER);
  std::vector<PlainNode> nodes_{kJudges};
  std::map<uint32_t, uint64_t> taken_;
  uint64_t through_ = 0;
  std::map<uint64_t, Query> open_;
  uint64_t ends_ = 0;
  uint64_t late_moments_ = 0;
};

TEST(MomentsPropertyTest, EveryAnswerIsOfOneMomentAndShowsWhatWasToldBefore) {
  const uint64_t seed = base_seed();
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  uint64_t ends = 0;
  uint64_t late_moments = 0;
  for (uint64_t life = 0; life < 200 && !::testing::Test::HasFailure(); ++life) {
    SCOPED_TRACE(fmt::format("DAEDALUS_SEED={} life={}", seed, life));
    RandomMoments moments(seed + life);
    moments.run(300);
    ends += moments.ends();
    late_moments += moments.late_moments();
  }
  EXPECT_GT(ends, 2'000u);
  EXPECT_GT(late_moments, 200u);  // Or no node ever knew more than the aggregator.
}

}  // namespace
}  // namespace daedalus::aggregator::testing

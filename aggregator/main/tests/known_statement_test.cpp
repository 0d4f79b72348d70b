// What a statement by slot that is known allocates in an aggregator: read, bound, sent to its node, answered with a
// row. A bound that holds keeps what was cut from growing back.
#include <gtest/gtest.h>

#include "counted_allocations.hpp"
#include "daedalus/aggregator/compile.hpp"
#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

constexpr uint32_t kSlot = 3;
constexpr uint64_t kBatch = 64;
constexpr double kAllocationsMax = 40;
constexpr const char* kSql = "SELECT id, delay FROM flights WHERE origin = $1 AND delay <= $2";

class KnownStatementTest : public ::testing::Test {
 protected:
  static ClusterOptions options(std::shared_ptr<Compiler> compiler) {
    ClusterOptions made;
    made.node_slots = {16, 4096};
    made.known = std::move(compiler);
    return made;
  }

  static wire::v1::Operation definition() {
    wire::v1::ShapeBody body;
    body.set_sql(kSql);
    wire::v1::Operation made = make_operation(wire::v1::OPERATION_KIND_DEFINE, body.SerializeAsString());
    made.mutable_header()->set_shape_slot(kSlot);
    return made;
  }

  static wire::v1::StatementBody statement(int64_t delay) {
    wire::v1::StatementBody body;
    *body.add_parameters() = contract::from_value({semantics::TypeKind::kChar, 3}, semantics::Value(origin_in(1, 2)));
    *body.add_parameters() = contract::from_value({semantics::TypeKind::kInt}, semantics::Value(delay));
    return body;
  }

  std::string query(int64_t delay) {
    wire::v1::Operation made = make_operation(wire::v1::OPERATION_KIND_STATEMENT, statement(delay).SerializeAsString());
    made.mutable_header()->set_shape_slot(kSlot);
    made.mutable_header()->set_sequence(++sequence_);
    return made.SerializeAsString();
  }

  /// What a node answers, as it comes: a row, and the end.
  static std::vector<std::string> answer(uint64_t sequence) {
    wire::v1::Result rows;
    rows.set_sequence(sequence);
    rows.mutable_rows()->set_rows(pack_ids({1}));
    rows.mutable_rows()->set_row_count(1);
    wire::v1::Result end;
    end.set_sequence(sequence);
    end.mutable_end()->set_row_count(1);
    end.mutable_end()->add_stamps()->set_partition(1);
    return {rows.SerializeAsString(), end.SerializeAsString()};
  }

  std::shared_ptr<Compiler> compiler_ =
      std::make_shared<Compiler>(flights(), make_map(2, 2, semantics::Distribution::kHash));
  Cluster cluster_{options(compiler_)};
  rpc::PeerId client_ = cluster_.connect(wire::v1::ROLE_CLIENT);
  uint64_t sequence_ = 1'000;
  rpc::EmptyGauge gauge_;
};

TEST_F(KnownStatementTest, CostsFewAllocations) {
  wire::v1::StatementBody first = statement(1);
  first.set_sql(kSql);
  ASSERT_TRUE(compiler_->compile(first, 0).has_value());
  cluster_.send(client_, definition());
  Effects effects;
  uint64_t spent = 0;
  for (int round = 0; round < 8; ++round) {
    std::vector<std::string> queries;
    for (uint64_t i = 0; i < kBatch; ++i) {
      queries.push_back(query(static_cast<int64_t>(i)));
    }
    uint64_t before = test::allocations;
    for (const std::string& bytes : queries) {
      wire::v1::Operation operation;
      ASSERT_TRUE(operation.ParseFromString(bytes));
      cluster_.core().on_operation(client_, std::move(operation), cluster_.now(), effects);
    }
    spent = test::allocations - before;
    std::vector<std::string> answers;
    for (const auto& [peer, asked] : effects.operations) {
      if (asked.header().kind() == wire::v1::OPERATION_KIND_SELECT) {
        ASSERT_EQ(peer, cluster_.peer_of(1));
        const std::vector<std::string> made = answer(asked.header().sequence());
        answers.insert(answers.end(), made.begin(), made.end());
      }
    }
    ASSERT_EQ(answers.size(), 2 * kBatch) << "a statement was not known";
    effects.clear();
    before = test::allocations;
    for (const std::string& bytes : answers) {
      wire::v1::Result result;
      ASSERT_TRUE(result.ParseFromString(bytes));
      cluster_.core().on_result(cluster_.peer_of(1), std::move(result), cluster_.now(), effects);
    }
    while (cluster_.core().has_work(gauge_)) {
      cluster_.core().step(semantics::WorkBudget(100'000), gauge_, effects);
    }
    spent += test::allocations - before;
    ASSERT_EQ(effects.results.size(), 2 * kBatch);
    effects.clear();
  }
  const double each = static_cast<double>(spent) / static_cast<double>(kBatch);
  RecordProperty("allocations", std::to_string(each));
  EXPECT_LE(each, kAllocationsMax);
  EXPECT_GT(each, 1) << "nothing was counted";
}

}  // namespace
}  // namespace daedalus::aggregator::testing

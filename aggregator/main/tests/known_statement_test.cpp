// Counts what a statement by handle that is known allocates in an aggregator, from the bytes that come to the bytes
// that leave: read, bound, sent to its node, answered with a row. A bound that holds keeps what was cut from growing
// back.
#include <gtest/gtest.h>

#include "counted_allocations.hpp"
#include "daedalus/aggregator/compile.hpp"
#include "daedalus/rpc/channel.hpp"
#include "daedalus/rpc/dispatch.hpp"
#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

constexpr uint32_t kHandle = 3;
constexpr uint64_t kBatch = 64;
/// Frames and whatever grows with them, of a turn of kBatch statements.
constexpr uint64_t kAllocationsOfATurnMax = 16;
constexpr const char* kSql = "SELECT id, delay FROM flights WHERE origin = $1 AND delay <= $2";

/// Two ends of a connection, without a wire.
class Ends {
 public:
  explicit Ends(wire::v1::Role other) : far(hello(other), {}, now) {
    to_near();
    to_far();
    EXPECT_TRUE(far.next_event().has_value() && near.next_event().has_value());
  }

  /// Gives what it allocated in the aggregator.
  uint64_t to_near() {
    uint64_t spent = 0;
    while (far.has_output()) {
      const std::string bytes = far.take_output(now);
      far.on_written(bytes.size(), now);
      const uint64_t before = test::allocations;
      near.on_bytes(bytes, now);
      spent += test::allocations - before;
    }
    return spent;
  }
  void to_far() {
    while (near.has_output()) {
      const std::string bytes = near.take_output(now);
      near.on_written(bytes.size(), now);
      far.on_bytes(bytes, now);
    }
  }

  const Instant now{kSecond};
  rpc::Channel near{hello(wire::v1::ROLE_AGGREGATOR), {}, now};  ///< The aggregator's.
  rpc::Channel far;

 private:
  static wire::v1::Hello hello(wire::v1::Role role) {
    wire::v1::Hello made;
    made.set_role(role);
    return made;
  }
};

class KnownStatementTest : public ::testing::Test {
 protected:
  static ClusterOptions options(std::shared_ptr<Compiler> compiler) {
    ClusterOptions made;
    made.node_handles = {16, 4096};
    made.known = std::move(compiler);
    return made;
  }

  static wire::v1::Operation definition() {
    wire::v1::ShapeBody body;
    body.set_sql(kSql);
    wire::v1::Operation made = make_operation(wire::v1::OPERATION_KIND_DEFINE, body.SerializeAsString());
    made.mutable_header()->set_shape_handle(kHandle);
    return made;
  }

  static wire::v1::StatementBody statement(int64_t delay) {
    wire::v1::StatementBody body;
    *body.add_parameters() = contract::from_value({semantics::TypeKind::kChar, 3}, semantics::Value(origin_in(1, 2)));
    *body.add_parameters() = contract::from_value({semantics::TypeKind::kInt}, semantics::Value(delay));
    return body;
  }

  wire::v1::Operation query(int64_t delay) {
    wire::v1::Operation made = make_operation(wire::v1::OPERATION_KIND_STATEMENT, statement(delay).SerializeAsString());
    made.mutable_header()->set_shape_handle(kHandle);
    made.mutable_header()->set_sequence(++sequence_);
    return made;
  }

  /// Everything that the aggregator does with what came, but for what it sends: that is taken, and goes nowhere.
  void turn() {
    while (auto event = of_client_.near.next_event()) {
      cluster_.core().on_operation(client_, std::move(std::get<wire::v1::Operation>(*event)), cluster_.now(), effects_);
      of_client_.near.reuse(std::move(*event));
    }
    while (auto event = of_node_.near.next_event()) {
      cluster_.core().on_result(cluster_.peer_of(1), std::move(std::get<wire::v1::Result>(*event)), cluster_.now(),
                                effects_);
      of_node_.near.reuse(std::move(*event));
    }
    while (cluster_.core().has_work(gauge_)) {
      cluster_.core().step(semantics::WorkBudget(100'000), gauge_, cluster_.now(), effects_);
    }
    for (const auto& [peer, operation] : effects_.operations) {
      of_node_.near.send(operation);
    }
    for (auto& [peer, result] : effects_.results) {
      of_client_.near.send(std::move(result));
    }
    effects_.clear();
  }

  /// The node answers each SELECT with a row; how many there were.
  uint64_t answer() {
    uint64_t count = 0;
    while (auto event = of_node_.far.next_event()) {
      const auto& operation = std::get<wire::v1::Operation>(*event);
      if (operation.header().kind() != wire::v1::OPERATION_KIND_SELECT) {
        continue;
      }
      ++count;
      wire::v1::Result rows;
      rows.set_sequence(operation.header().sequence());
      rows.mutable_rows()->set_rows(pack_ids({1, 2, 3, 4, 5}));
      rows.mutable_rows()->set_row_count(5);
      of_node_.far.send(rows);
      wire::v1::Result end;
      end.set_sequence(operation.header().sequence());
      end.mutable_end()->set_row_count(5);
      end.mutable_end()->add_stamps()->set_partition(1);
      of_node_.far.send(end);
    }
    return count;
  }

  /// Ends of answers that the client got.
  uint64_t endings() {
    uint64_t count = 0;
    while (auto event = of_client_.far.next_event()) {
      count += std::get<wire::v1::Result>(*event).has_end() ? 1 : 0;
    }
    return count;
  }

  std::shared_ptr<Compiler> compiler_ =
      std::make_shared<Compiler>(flights(), make_map(2, 2, semantics::Distribution::kHash));
  Cluster cluster_{options(compiler_)};
  rpc::PeerId client_ = cluster_.connect(wire::v1::ROLE_CLIENT);
  uint64_t sequence_ = 1'000;
  rpc::EmptyGauge gauge_;
  Effects effects_;
  Ends of_client_{wire::v1::ROLE_CLIENT};
  Ends of_node_{wire::v1::ROLE_STORAGE_NODE};
};

TEST_F(KnownStatementTest, AllocatesItsFramesOnly) {
  wire::v1::StatementBody first = statement(1);
  first.set_sql(kSql);
  ASSERT_TRUE(compiler_->compile(first, 0).has_value());
  ASSERT_TRUE(compiler_->compile(first, 0).has_value()) << "it is known from the second time on";
  cluster_.send(client_, definition());
  uint64_t spent = 0;
  const auto counted_turn = [&] {
    const uint64_t before = test::allocations;
    turn();
    spent += test::allocations - before;
  };
  for (int round = 0; round < 8; ++round) {
    for (uint64_t i = 0; i < kBatch; ++i) {
      of_client_.far.send(query(static_cast<int64_t>(i)));
    }
    spent = of_client_.to_near();
    counted_turn();
    of_node_.to_far();
    ASSERT_EQ(answer(), kBatch) << "a statement was not known";
    spent += of_node_.to_near();
    counted_turn();
    of_client_.to_far();
    ASSERT_EQ(endings(), kBatch);
  }
  RecordProperty("allocations", std::to_string(spent));
  EXPECT_LE(spent, kAllocationsOfATurnMax);
  EXPECT_GT(spent, 1u) << "nothing was counted";
}

}  // namespace
}  // namespace daedalus::aggregator::testing

// These tests count what a query by slot allocates on its way through a node: from the bytes that came to the bytes
// that leave, all but its sweep. A bound that holds keeps what was cut from growing back.
#include <gtest/gtest.h>

#include "counted_allocations.hpp"
#include "daedalus/contract/shape.hpp"
#include "daedalus/rpc/channel.hpp"
#include "node_harness.hpp"

namespace daedalus::node {
namespace {

constexpr rpc::PeerId kPeer{1};
constexpr uint32_t kSlot = 3;
/// As many as go into one turn under load.
constexpr uint64_t kBatch = 64;
constexpr double kAllocationsMax = 28;

/// Answers every query with one row, at once.
class ReadySegments final : public SegmentPort {
 public:
  [[nodiscard]] bool enqueue(SegmentIndex /*segment*/, engine::Query query) override {
    waiting.push_back(query.handle);
    return true;
  }
  [[nodiscard]] bool enqueue(SegmentIndex /*segment*/, engine::Update /*update*/) override { return true; }
  void keep_from(SegmentIndex /*segment*/, Timestamp /*moment*/) override {}
  [[nodiscard]] SegmentReport report(SegmentIndex /*segment*/) const override { return {}; }

  std::vector<engine::QueryHandle> waiting;
};

/// Two ends of a connection, without a wire.
class Ends {
 public:
  Ends() {
    hand_over(client, node);
    hand_over(node, client);
    EXPECT_TRUE(client.next_event().has_value() && node.next_event().has_value());
  }

  void hand_over(rpc::Channel& from, rpc::Channel& to) const {
    while (from.has_output()) {
      const std::string bytes = from.take_output(now);
      from.on_written(bytes.size(), now);
      to.on_bytes(bytes, now);
    }
  }

  const Instant now{kSecond};
  rpc::Channel client{hello(wire::v1::ROLE_AGGREGATOR), {}, now};
  rpc::Channel node{hello(wire::v1::ROLE_STORAGE_NODE), {}, now};

 private:
  static wire::v1::Hello hello(wire::v1::Role role) {
    wire::v1::Hello made;
    made.set_role(role);
    return made;
  }
};

class KnownShapeTest : public testing::Test {
 protected:
  KnownShapeTest() { core_.on_up(kPeer, {}, ends_.now, effects_); }

  wire::v1::Operation definition() {
    wire::v1::ShapeBody body;
    wire::v1::SelectShape& shape = *body.mutable_select();
    *shape.mutable_select() = select_all();
    shape.mutable_select()->set_form(wire::v1::RESULT_FORM_PARTIAL);
    wire::v1::ShapeLiteral& literal = *shape.add_clauses()->add_literals();
    literal.set_operator_(wire::v1::OPERATOR_EQUAL);
    literal.set_values(1);
    wire::v1::Operation made = NodeHarness::operation(wire::v1::OPERATION_KIND_DEFINE, body.SerializeAsString());
    made.mutable_header()->set_shape_handle(kSlot);
    made.mutable_header()->set_sequence(++sequence_);
    return made;
  }

  wire::v1::Operation query(int64_t id) {
    std::string values;
    contract::append_value(*schema_, 0, semantics::Value(id), values);
    wire::v1::Operation made = NodeHarness::operation(wire::v1::OPERATION_KIND_SELECT, std::move(values));
    made.mutable_header()->set_shape_handle(kSlot);
    made.mutable_header()->set_remaining_ns(kSecond);
    made.mutable_header()->set_sequence(++sequence_);
    return made;
  }

  /// Everything that the node does with what came.
  void turn() {
    while (auto event = ends_.node.next_event()) {
      core_.on_operation(kPeer, std::move(std::get<wire::v1::Operation>(*event)), ends_.now, effects_);
      ends_.node.reuse(std::move(*event));
    }
    for (const engine::QueryHandle handle : segments_.waiting) {
      core_.on_output(SegmentIndex{0}, engine::QueryOutput{.handle = handle, .rows = row_, .row_count = 1}, ends_.now,
                      effects_);
    }
    segments_.waiting.clear();
    while (core_.has_work(gauge_)) {
      core_.step(semantics::WorkBudget(100'000), gauge_, effects_);
    }
    for (auto& [peer, result] : effects_.results) {
      ends_.node.send(std::move(result));
    }
    effects_.clear();
  }

  /// Ends of answers among what came back.
  uint64_t endings() {
    uint64_t count = 0;
    while (auto event = ends_.client.next_event()) {
      count += std::get<wire::v1::Result>(*event).has_end() ? 1 : 0;
    }
    return count;
  }

  static NodeOptions options() {
    NodeOptions made = default_options().node;
    made.segments = 1;
    return made;
  }

  Ends ends_;
  std::shared_ptr<const semantics::Schema> schema_ = tickets_schema();
  ReadySegments segments_;
  NodeCore core_{options(), schema_, default_options().map, segments_};
  Effects effects_;
  rpc::EmptyGauge gauge_;
  uint64_t sequence_ = 0;
  const std::string row_ = std::string("\x60\0\0\0", 4) + std::string(0x60, 'x');
};

TEST_F(KnownShapeTest, CostsFewAllocations) {
  ends_.client.send(definition());
  uint64_t spent = 0;
  for (int round = 0; round < 8; ++round) {
    for (uint64_t i = 0; i < kBatch; ++i) {
      ends_.client.send(query(static_cast<int64_t>(i)));
    }
    ends_.hand_over(ends_.client, ends_.node);
    const uint64_t before = daedalus::test::allocations;
    turn();
    spent = daedalus::test::allocations - before;
    ends_.hand_over(ends_.node, ends_.client);
    ASSERT_EQ(endings(), kBatch);
  }
  const double each = static_cast<double>(spent) / static_cast<double>(kBatch);
  RecordProperty("allocations", std::to_string(each));
  EXPECT_LE(each, kAllocationsMax);
  EXPECT_GT(each, 1) << "nothing was counted";
}

}  // namespace
}  // namespace daedalus::node

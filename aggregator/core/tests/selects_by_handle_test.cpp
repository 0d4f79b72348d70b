// SELECTs whose shape is in a handle of whoever asks them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

/// SELECT id WHERE origin = ? [AND delay <= ?].
wire::v1::SelectShape shape_of_origin(wire::v1::ResultForm form, bool has_delay = false) {
  wire::v1::SelectShape shape;
  *shape.mutable_select() = select_ids();
  shape.mutable_select()->set_form(form);
  const auto add = [&](uint32_t column, wire::v1::Operator op) {
    wire::v1::ShapeLiteral& literal = *shape.add_clauses()->add_literals();
    literal.set_column(column);
    literal.set_operator_(op);
    literal.set_values(1);
  };
  if (has_delay) {
    add(2, wire::v1::OPERATOR_LESS_OR_EQUAL);
  }
  add(1, wire::v1::OPERATOR_EQUAL);
  return shape;
}

wire::v1::Operation by_handle(wire::v1::OperationKind kind, uint32_t handle, std::string body) {
  wire::v1::Operation operation = make_operation(kind, std::move(body));
  operation.mutable_header()->set_shape_handle(handle);
  return operation;
}

wire::v1::Operation define(uint32_t handle, const wire::v1::SelectShape& shape) {
  wire::v1::ShapeBody body;
  *body.mutable_select() = shape;
  return by_handle(wire::v1::OPERATION_KIND_DEFINE, handle, body.SerializeAsString());
}

wire::v1::Operation select_by_handle(uint32_t handle, std::string values) {
  return by_handle(wire::v1::OPERATION_KIND_SELECT, handle, std::move(values));
}

std::string packed_text(const std::string& text) { return std::string{static_cast<char>(text.size()), '\0'} + text; }

class SelectsByHandleTest : public ::testing::Test {
 protected:
  static constexpr auto kFinal = wire::v1::RESULT_FORM_FINAL;
  static constexpr auto kPartial = wire::v1::RESULT_FORM_PARTIAL;

  static ClusterOptions options(uint32_t handles) {
    ClusterOptions made;
    made.node_handles = {handles, 1'000};
    return made;
  }
  std::string asked(const wire::v1::Operation& operation) {
    cluster.send(client, operation);
    return cluster.take();
  }

  Cluster cluster{options(2)};
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  const std::string origin = origin_in(1, 2);
};

TEST_F(SelectsByHandleTest, ValuesTravelOnAsTheyCameToWhereTheRowsAre) {
  EXPECT_EQ(asked(define(3, shape_of_origin(kPartial))), "");
  wire::v1::Operation operation = select_by_handle(3, packed_text(origin));
  operation.mutable_header()->set_request_id("r-1");
  operation.mutable_header()->set_prefix_min(9);
  EXPECT_EQ(asked(operation), "node 1 <- DEFINE\nnode 1 <- SELECT\n");
  const wire::v1::Operation& sent = cluster.last_operation(1);
  EXPECT_EQ(sent.body(), packed_text(origin));
  EXPECT_EQ(sent.header().shape_handle(), 1u);
  EXPECT_EQ(sent.header().request_id(), "r-1");
  EXPECT_EQ(sent.header().prefix_min(), 9u);
  EXPECT_EQ(sent.header().map_version(), 7u);
  EXPECT_EQ(asked(operation), "node 1 <- SELECT\n");
}

TEST_F(SelectsByHandleTest, ValuesBeforeThoseThatPlaceRowsAreSteppedOver) {
  cluster.send(client, define(1, shape_of_origin(kPartial, true)));
  EXPECT_EQ(asked(select_by_handle(1, std::string(4, '\7') + packed_text(origin))),
            "node 1 <- DEFINE\nnode 1 <- SELECT\n");
}

TEST_F(SelectsByHandleTest, ShapesAreThoseOfOthersWithTheSameBytesWhateverTheirForm) {
  const rpc::PeerId other = cluster.connect(wire::v1::ROLE_AGGREGATOR);
  cluster.send(client, define(1, shape_of_origin(kPartial)));
  cluster.send(other, define(5, shape_of_origin(kFinal)));
  cluster.send(client, select_by_handle(1, packed_text(origin)));
  static_cast<void>(cluster.take());
  cluster.send(other, select_by_handle(5, packed_text(origin)));
  EXPECT_EQ(cluster.take(), "node 1 <- SELECT\n");
  EXPECT_EQ(cluster.last_operation(1).header().shape_handle(), 1u);
}

TEST_F(SelectsByHandleTest, PiecesThatFollowTravelWhole) {
  cluster.send(client, define(1, shape_of_origin(kFinal)));
  cluster.send(client, select_by_handle(1, packed_text(origin)));
  EXPECT_GT(cluster.last_operation(1).header().piece_bytes(), 0u);
  cluster.stop(1, cluster.last(1), 1, 8, {{0, 40}});
  EXPECT_EQ(cluster.last_operation(1).header().shape_handle(), 0u);
  wire::v1::SelectBody body;
  ASSERT_TRUE(body.ParseFromString(cluster.last_operation(1).body()));
  EXPECT_EQ(body.slice().first_slot(), 40u);
  EXPECT_TRUE(body.has_filter());
}

TEST_F(SelectsByHandleTest, BothFormsAreAnsweredAsWholeSelectsAre) {
  cluster.send(client, define(1, shape_of_origin(kPartial)));
  const uint64_t final_definition = cluster.send(client, define(2, shape_of_origin(kFinal)));
  const auto answer = [&](uint32_t handle) {
    cluster.send(client, select_by_handle(handle, packed_text(origin)));
    static_cast<void>(cluster.take());
    const uint64_t sequence = cluster.last(1);
    cluster.rows(1, sequence, pack_ids({1}), 1);
    cluster.end(1, sequence, 1, {1});
    const wire::v1::QueryRows rows = cluster.results().front().second.rows();
    EXPECT_THAT(cluster.take(), HasSubstr("end rows=1 stamps=1"));
    return rows;
  };
  const wire::v1::QueryRows partial = answer(1);
  EXPECT_EQ(partial.columns_size(), 0);
  EXPECT_EQ(partial.shape_sequence(), 0u);
  for (const int columns : {1, 0}) {
    const wire::v1::QueryRows rows = answer(2);
    EXPECT_EQ(rows.columns_size(), columns);
    EXPECT_EQ(rows.shape_sequence(), final_definition);
  }
}

TEST_F(SelectsByHandleTest, AWrongRouteLeavesNothingOutAndAMalformedOneIsRefused) {
  cluster.send(client, define(1, shape_of_origin(kPartial)));
  wire::v1::Operation operation = select_by_handle(1, packed_text(origin));
  *operation.mutable_header()->add_routes() = route_to(origin_in(0, 2));
  EXPECT_THAT(asked(operation), HasSubstr("node 1 <- SELECT"));
  operation.mutable_header()->mutable_routes(0)->mutable_equalities(0)->set_column(77);
  EXPECT_THAT(asked(operation), HasSubstr("error REJECTED 08P01"));
}

TEST_F(SelectsByHandleTest, NodesWithoutSlotsAreAskedWholeAndWrongValuesRefused) {
  Cluster other{options(0)};
  const rpc::PeerId asking = other.connect(wire::v1::ROLE_CLIENT);
  other.send(asking, define(1, shape_of_origin(kPartial, true)));
  other.send(asking, select_by_handle(1, std::string(4, '\7') + packed_text(origin)));
  EXPECT_EQ(other.take(), "node 1 <- SELECT\n");
  const wire::v1::Operation& sent = other.last_operation(1);
  EXPECT_EQ(sent.header().shape_handle(), 0u);
  EXPECT_EQ(sent.header().routes_size(), 1);
  wire::v1::SelectBody body;
  ASSERT_TRUE(body.ParseFromString(sent.body()));
  EXPECT_EQ(body.filter().call().arguments_size(), 2);
  for (const std::string& wrong :
       {std::string(4, '\7') + packed_text(origin) + "x", std::string(4, '\7') + packed_text("four"), std::string()}) {
    other.send(asking, select_by_handle(1, wrong));
    EXPECT_THAT(other.take(), HasSubstr("error REJECTED 08P01"));
  }
  EXPECT_EQ(other.core().operations_in_flight(), 1u);
}

TEST_F(SelectsByHandleTest, TellsEachUserOfASlotWhatIsWrongWithIt) {
  EXPECT_THAT(asked(select_by_handle(1, packed_text(origin))), HasSubstr("error REJECTED 08P01"));
  wire::v1::SelectShape wrong = shape_of_origin(kPartial);
  wrong.mutable_clauses(0)->mutable_literals(0)->set_column(77);
  EXPECT_EQ(asked(define(1, wrong)), "");
  EXPECT_THAT(asked(select_by_handle(1, packed_text(origin))), HasSubstr("error REJECTED 42703"));
  wire::v1::ShapeBody text;
  text.set_sql("SELECT id FROM flights");
  EXPECT_EQ(asked(by_handle(wire::v1::OPERATION_KIND_DEFINE, 1, text.SerializeAsString())), "");
  EXPECT_THAT(asked(select_by_handle(1, packed_text(origin))), HasSubstr("error REJECTED 08P01"));
  EXPECT_EQ(asked(define(1, shape_of_origin(kPartial))), "");
  EXPECT_THAT(asked(by_handle(wire::v1::OPERATION_KIND_STATEMENT, 1, "")), HasSubstr("error REJECTED 08P01"));
  EXPECT_THAT(asked(select_by_handle(1, "")), HasSubstr("error REJECTED 08P01"));
  cluster.disconnect(client);
  client = cluster.connect(wire::v1::ROLE_CLIENT);  // A new connection has empty handles.
  EXPECT_THAT(asked(select_by_handle(1, packed_text(origin))), HasSubstr("error REJECTED 08P01"));
}

TEST_F(SelectsByHandleTest, ARedefinitionConcernsWhatFollowsIt) {
  cluster.send(client, define(1, shape_of_origin(kPartial)));
  cluster.send(client, select_by_handle(1, packed_text(origin)));
  const uint64_t before = cluster.last(1);
  cluster.send(client, define(1, shape_of_origin(kPartial, true)));
  cluster.send(client, select_by_handle(1, std::string(4, '\7') + packed_text(origin)));
  EXPECT_EQ(cluster.last_operation(1).header().shape_handle(), 2u);
  EXPECT_EQ(cluster.operation(cluster.peer_of(1), before).header().shape_handle(), 1u);
}

}  // namespace
}  // namespace daedalus::aggregator::testing

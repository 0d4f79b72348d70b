// Tests what travels once: texts in the handles of clients, shapes in those of nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

wire::v1::Operation define(uint32_t handle, const std::string& sql) {
  wire::v1::ShapeBody shape;
  shape.set_sql(sql);
  wire::v1::Operation operation = make_operation(wire::v1::OPERATION_KIND_DEFINE, shape.SerializeAsString());
  operation.mutable_header()->set_shape_handle(handle);
  return operation;
}

wire::v1::Operation state(uint32_t handle, const std::string& sql = {}) {
  wire::v1::StatementBody body;
  body.set_sql(sql);
  wire::v1::Operation operation = make_operation(wire::v1::OPERATION_KIND_STATEMENT, body.SerializeAsString());
  operation.mutable_header()->set_shape_handle(handle);
  return operation;
}

CompiledSelect selection_of(uint64_t limit, const std::string& name = "id") {
  const std::vector<semantics::Column> columns = {{.name = name, .type = {.kind = semantics::TypeKind::kInt}}};
  semantics::Selection selection = *semantics::bind_items({.columns = columns}, {{.name = "id", .column = 0}});
  selection.limit = limit;
  CompiledSelect select;
  select.shape =
      std::make_shared<const contract::ShapeBytes>(contract::shape_of(selection, wire::v1::RESULT_FORM_PARTIAL));
  select.selection = std::make_shared<const semantics::Selection>(std::move(selection));
  select.columns = std::make_shared<const std::vector<semantics::Column>>(columns);
  return select;
}

/// Knows every text "known N", which asks for N rows, and "either", whose column hangs on whether it has a parameter.
class Known final : public KnownStatements {
 public:
  std::shared_ptr<const KnownStatement> find(std::string_view sql) override {
    ++searches;
    if (sql == "either") {
      return std::make_shared<Either>();
    }
    if (!sql.starts_with("known ")) {
      return nullptr;
    }
    return std::make_shared<Statement>(std::stoull(std::string(sql.substr(6))));
  }

  bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) override {
    const auto known = find(statement.sql());
    return known != nullptr && known->bind(statement, bound);
  }

  int searches = 0;

 private:
  class Statement final : public KnownStatement {
   public:
    explicit Statement(uint64_t limit) : limit_(limit) {}
    bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) const override {
      bound = selection_of(limit_);
      return statement.parameters_size() == 0;
    }

   private:
    uint64_t limit_;
  };

  class Either final : public KnownStatement {
   public:
    bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) const override {
      bound = selection_of(1, statement.parameters_size() == 0 ? "id" : "other");
      return true;
    }
  };
};

class ShapesTest : public ::testing::Test {
 protected:
  static ClusterOptions options(uint32_t handles, std::shared_ptr<KnownStatements> known) {
    ClusterOptions made;
    made.partitions = made.nodes = 1;
    made.node_handles = {handles, 1'000};
    made.known = std::move(known);
    return made;
  }

  /// Ends the latest query of the node with a row.
  void answer() {
    const uint64_t sequence = cluster.last(0);
    cluster.rows(0, sequence, pack_ids({1}), 1);
    cluster.end(0, sequence, 1, {0});
  }

  std::shared_ptr<Known> known = std::make_shared<Known>();
  Cluster cluster{options(2, known)};
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
};

TEST_F(ShapesTest, AKnownStatementIsBoundAtOnceAndItsShapeGoesToANodeOnce) {
  cluster.send(client, state(0, "known 1"));
  EXPECT_EQ(cluster.take(), "node 0 <- DEFINE\nnode 0 <- SELECT\n");
  EXPECT_EQ(cluster.last_operation(0).header().shape_handle(), 1u);
  cluster.send(client, state(0, "known 1"));
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\n");
  cluster.send(client, state(0, "known 2"));
  EXPECT_EQ(cluster.take(), "node 0 <- DEFINE\nnode 0 <- SELECT\n");
  EXPECT_EQ(cluster.last_operation(0).header().shape_handle(), 2u);
  cluster.send(client, state(0, "known 3"));  // In place of the one that was not used for longest.
  EXPECT_EQ(cluster.take(), "node 0 <- DEFINE\nnode 0 <- SELECT\n");
  EXPECT_EQ(cluster.last_operation(0).header().shape_handle(), 1u);
  cluster.node_down(0);
  cluster.node_up(0);
  static_cast<void>(cluster.take());
  cluster.send(client, state(0, "known 3"));  // A new connection has empty handles.
  EXPECT_EQ(cluster.take(), "node 0 <- DEFINE\nnode 0 <- SELECT\n");
  EXPECT_TRUE(cluster.effects().compilations.empty());
}

TEST_F(ShapesTest, WithoutSlotsEverythingTravelsWhole) {
  Cluster other{options(0, known)};
  const rpc::PeerId asking = other.connect(wire::v1::ROLE_CLIENT);
  other.send(asking, state(0, "known 7"));
  EXPECT_EQ(other.take(), "node 0 <- SELECT\n");
  wire::v1::SelectBody body;
  ASSERT_TRUE(body.ParseFromString(other.last_operation(0).body()));
  EXPECT_EQ(body.limit(), 7u);
}

TEST_F(ShapesTest, ATextInASlotIsSearchedForOnceAndMeansWhatItMeantWhenItWasNamed) {
  cluster.send(client, define(1, "known 1"));
  for (int i = 0; i < 3; ++i) {
    cluster.send(client, state(1));
  }
  EXPECT_EQ(known->searches, 1);
  cluster.send(client, define(1, "known 9"));
  cluster.send(client, state(1));
  wire::v1::ShapeBody shape;
  const wire::v1::Operation& definition = cluster.operation(cluster.peer_of(0), cluster.last(0) - 1);
  ASSERT_TRUE(shape.ParseFromString(definition.body()));
  EXPECT_EQ(shape.select().select().limit(), 9u);
}

TEST_F(ShapesTest, ColumnsGoWithTheFirstAnswerOfADefinition) {
  const uint64_t definition = cluster.send(client, define(1, "known 1"));
  for (const size_t columns : {1u, 0u, 0u}) {
    cluster.send(client, state(1));
    static_cast<void>(cluster.take());
    answer();
    const wire::v1::QueryRows& rows = cluster.results().front().second.rows();
    EXPECT_EQ(rows.shape_sequence(), definition);
    EXPECT_EQ(static_cast<size_t>(rows.columns_size()), columns);
    static_cast<void>(cluster.take());
  }
  const uint64_t again = cluster.send(client, define(1, "known 1"));
  cluster.send(client, state(1));
  static_cast<void>(cluster.take());
  answer();
  EXPECT_EQ(cluster.results().front().second.rows().shape_sequence(), again);
  EXPECT_EQ(cluster.results().front().second.rows().columns_size(), 1);
}

/// Rows of one would be read as rows of the other.
TEST_F(ShapesTest, AnAnswerWhoseColumnsAreOthersHasThemWithIt) {
  const uint64_t definition = cluster.send(client, define(1, "either"));
  wire::v1::StatementBody body;
  body.add_parameters();
  wire::v1::Operation with_parameter = make_operation(wire::v1::OPERATION_KIND_STATEMENT, body.SerializeAsString());
  with_parameter.mutable_header()->set_shape_handle(1);
  const auto told = [&](const wire::v1::Operation& asked) {
    cluster.send(client, asked);
    static_cast<void>(cluster.take());
    answer();
    const wire::v1::QueryRows rows = cluster.results().front().second.rows();
    static_cast<void>(cluster.take());
    return std::pair(rows.shape_sequence(), rows.columns_size() == 0 ? std::string() : rows.columns(0).name());
  };
  EXPECT_EQ(told(state(1)), std::pair(definition, std::string("id")));
  EXPECT_EQ(told(with_parameter), std::pair(uint64_t{0}, std::string("other")));
  EXPECT_EQ(told(state(1)), std::pair(definition, std::string()));
}

TEST_F(ShapesTest, AStatementThatCannotBeBoundIsCompiledWithItsText) {
  cluster.send(client, define(2, "known 1"));
  wire::v1::StatementBody body;
  body.add_parameters();
  wire::v1::Operation operation = make_operation(wire::v1::OPERATION_KIND_STATEMENT, body.SerializeAsString());
  operation.mutable_header()->set_shape_handle(2);
  cluster.send(client, operation);
  ASSERT_EQ(cluster.effects().compilations.size(), 1u);
  EXPECT_EQ(cluster.effects().compilations[0].statement.sql(), "known 1");
  EXPECT_EQ(cluster.effects().compilations[0].statement.parameters_size(), 1);
}

TEST_F(ShapesTest, TellsEachUserOfASlotWhatIsWrongWithIt) {
  const auto refusal = [&](const wire::v1::Operation& operation) {
    cluster.send(client, operation);
    return cluster.take();
  };
  EXPECT_THAT(refusal(state(1)), HasSubstr("error REJECTED 08P01"));
  EXPECT_EQ(refusal(define(1, std::string(20'000, 'x'))), "");
  EXPECT_THAT(refusal(state(1)), HasSubstr("error REJECTED 08P01"));
  EXPECT_EQ(refusal(define(kClientHandles.handles_max + 1, "known 1")), "");
  EXPECT_THAT(refusal(state(kClientHandles.handles_max + 1)), HasSubstr("error REJECTED 08P01"));
  EXPECT_EQ(refusal(define(1, "known 1")), "");
  EXPECT_THAT(refusal(state(1, "known 2")), HasSubstr("error REJECTED 08P01"));
  EXPECT_THAT(refusal(state(1)), HasSubstr("node 0 <- SELECT"));
}

TEST_F(ShapesTest, RefusesFieldsThatItCannotHonour) {
  wire::v1::Operation by_handle = make_operation(wire::v1::OPERATION_KIND_SUBMIT, "values");
  by_handle.mutable_header()->set_shape_handle(1);
  cluster.send(client, by_handle);
  EXPECT_THAT(cluster.take(), HasSubstr("error REJECTED 0A000"));
  wire::v1::SelectBody with_credit = select_ids();
  with_credit.set_credit_bytes(1);
  cluster.select(client, with_credit);
  EXPECT_THAT(cluster.take(), HasSubstr("error REJECTED 0A000"));
}

}  // namespace
}  // namespace daedalus::aggregator::testing

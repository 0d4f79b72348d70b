// EXPLAIN: what is asked of whom, and what a client gets of it.
#include <fmt/format.h>

#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

class ExplainTest : public SessionTest {
 protected:
  ExplainTest() { log_in(); }

  static aggregator::Plan sweep(std::initializer_list<uint32_t> partitions) {
    aggregator::Plan plan;
    plan.node = aggregator::Plan::Node::kSweep;
    plan.output = {"id"};
    plan.lookups = {"(id = 1)"};
    plan.width = 4;
    plan.partition_count = 4;
    for (const uint32_t partition : partitions) {
      plan.partitions.push_back(PartitionId{partition});
    }
    return plan;
  }
  void explained(aggregator::Plan plan) { done(Result<aggregator::Plan>(std::move(plan))); }
  std::string explained_sql() { return std::get<Work::Explain>(works_.back().what).statement.sql(); }
  /// Answers the latest operation: so many rows in each segment, two of each of these partitions.
  void answer_status(std::initializer_list<uint32_t> partitions, uint64_t rows) {
    EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_STATUS);
    wire::v1::Result result;
    auto& node = *result.mutable_status()->add_nodes();
    for (const uint32_t partition : partitions) {
      for (uint32_t segment = 0; segment < 2; ++segment) {
        auto& status = *node.add_segments();
        status.set_partition(partition);
        status.set_segment(segment);
        status.set_rows(rows);
      }
    }
    answer(std::move(result));
  }
};

TEST_F(ExplainTest, AStatementIsCompiledAndNotRunAndTheNodesTellTheirRows) {
  send(query("EXPLAIN SELECT id FROM tickets WHERE id = 1"));
  EXPECT_EQ(explained_sql(), std::string(8, ' ') + "SELECT id FROM tickets WHERE id = 1");
  EXPECT_TRUE(operations_.empty());
  explained(sweep({1}));
  answer_status({0, 1, 2, 3}, 50);
  EXPECT_EQ(said(),
            "T QUERY PLAN:25|D Sweep on tickets  (cost=0.00..2.00 rows=100 width=4)|D   Index Cond: (id = 1)|"
            "D   Way: sweep over every segment of partition 1 of 4|D   Rows Swept: 100|C EXPLAIN|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(ExplainTest, RowsThatNobodyTellsAreSaidToBeUnknown) {
  send(query("EXPLAIN SELECT id FROM tickets"));
  explained(sweep({0, 1}));
  answer_status({0}, 50);
  const std::string unknown =
      "T QUERY PLAN:25|D Sweep on tickets  (cost=0.00..20.00 rows=1000 width=4)|D   Index Cond: (id = 1)|"
      "D   Way: sweep over every segment of 2 of 4 partitions|"
      "D   Rows Swept: unknown, taken to be 1000: not every node has told its rows|C EXPLAIN|Z I";
  EXPECT_EQ(said(), unknown);
  send(query("EXPLAIN SELECT id FROM tickets"));
  explained(sweep({0, 1}));
  answer_error("53300", "too many STATUS operations are in flight");
  EXPECT_EQ(said(), unknown);
}

TEST_F(ExplainTest, OneSegmentHasItsPartOfThePartitionsRows) {
  send(query("EXPLAIN SELECT id FROM tickets"));
  auto plan = sweep({2});
  plan.is_one_segment = true;
  explained(std::move(plan));
  answer_status({2}, 50);
  EXPECT_EQ(said(),
            "T QUERY PLAN:25|D Sweep on tickets  (cost=0.00..1.00 rows=50 width=4)|D   Index Cond: (id = 1)|"
            "D   Way: sweep over one segment of partition 2 of 4|D   Rows Swept: 50|C EXPLAIN|Z I");
}

TEST_F(ExplainTest, JsonIsOneValueOfItsTypeWithPostgresqlsShape) {
  send(parse("", "EXPLAIN (FORMAT JSON, VERBOSE, SUMMARY) SELECT id FROM tickets WHERE id = $1"));
  described({semantics::TypeKind::kInt});
  send(bind("", "", {"1"}) + message('D', "P" + text("")) + execute("") + sync());
  EXPECT_EQ(std::get<Work::Explain>(works_.back().what).statement.parameters_size(), 1);
  auto plan = sweep({1});
  plan.planning_us = 1'500;
  plan.filters = {"(name = 'a \"b\"\n'::text)"};
  explained(std::move(plan));
  answer_status({1}, 50);
  const std::string expected = R"plan(1|2|T QUERY PLAN:114|D [
  {
    "Plan": {
      "Node Type": "Sweep",
      "Parallel Aware": false,
      "Async Capable": false,
      "Relation Name": "tickets",
      "Schema": "public",
      "Alias": "tickets",
      "Startup Cost": 0.00,
      "Total Cost": 2.00,
      "Plan Rows": 100,
      "Plan Width": 4,
      "Output": ["id"],
      "Index Cond": "(id = 1)",
      "Filter": "(name = 'a \"b\"\u000a'::text)",
      "Way": "sweep over every segment of partition 1 of 4",
      "Rows Swept": "100"
    },
    "Planning Time": 1.500
  }
]|C EXPLAIN|Z I)plan";
  EXPECT_EQ(said(), expected);
}

TEST_F(ExplainTest, AStatementThatReadsNoTableAsksNobody) {
  send(query("EXPLAIN VALUES (1), (2)"));
  aggregator::Plan plan;
  plan.given_rows = 2;
  plan.width = 4;
  explained(plan);
  EXPECT_EQ(said(), "T QUERY PLAN:25|D Result  (cost=0.00..0.02 rows=2 width=4)|C EXPLAIN|Z I");
  send(query("EXPLAIN (COSTS OFF) SELECT version()"));
  EXPECT_EQ(said(), "T QUERY PLAN:25|D Result|C EXPLAIN|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(ExplainTest, AMistakeOfTheStatementIsToldAtItsPlace) {
  send(query("SHOW jit; EXPLAIN SELECT nothing FROM tickets"));
  Error error = rejected("42703", "column \"nothing\" does not exist");
  error.position = 16;
  done(Result<aggregator::Plan>(error));
  EXPECT_EQ(said(), "T jit:25|D off|C SHOW|E 42703 column \"nothing\" does not exist @25|Z I");
}

TEST_F(ExplainTest, AnExplainedExecuteTakesItsValues) {
  send(query("PREPARE q AS DELETE FROM tickets WHERE name = $1"));
  described({semantics::TypeKind::kVarchar}, /*has_columns=*/false);
  static_cast<void>(said());
  send(query("EXPLAIN EXECUTE q"));
  EXPECT_EQ(said(), "E 42601 wrong number of parameters for prepared statement \"q\"|Z I");
  send(query("DEALLOCATE q; PREPARE q AS DELETE FROM tickets"));
  described({}, /*has_columns=*/false);
  static_cast<void>(said());
  send(query("EXPLAIN (COSTS OFF) EXECUTE q"));
  EXPECT_EQ(explained_sql(), std::string(14, ' ') + "DELETE FROM tickets");
  auto plan = sweep({0, 1, 2, 3});
  plan.node = aggregator::Plan::Node::kDelete;
  explained(std::move(plan));
  answer_status({0}, 1);
  EXPECT_EQ(said(),
            "T QUERY PLAN:25|D Delete on tickets|D   Index Cond: (id = 1)|"
            "D   Way: through the writer; sweep over every segment of all 4 partitions|C EXPLAIN|Z I");
}

TEST_F(ExplainTest, AnExecuteOfWhatHasNoPlanIsRefused) {
  send(parse("p", "SHOW jit") + sync());
  static_cast<void>(said());
  send(query("EXPLAIN EXECUTE p"));
  EXPECT_EQ(said(), "E 0A000 EXPLAIN of an EXECUTE of such a statement is not supported|Z I");
}

TEST_F(ExplainTest, OneThatWaitsIsCancelled) {
  send(query("EXPLAIN SELECT id FROM tickets"));
  session_->cancel(now_);
  explained(sweep({1}));
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z I");
  send(query("EXPLAIN SELECT id FROM tickets"));
  explained(sweep({1}));
  session_->cancel(now_);
  answer_status({1}, 1);
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z I");
}

TEST_F(ExplainTest, AStatementOverTheCatalogueIsPostgresqlsToExplain) {
  home_.is_catalogue = true;
  send(query("EXPLAIN SELECT relname FROM pg_class"));
  done(Result<aggregator::Plan>(rejected("42P01", "relation \"pg_class\" does not exist")));
  ASSERT_EQ(catalogue_.size(), 1u);
  EXPECT_EQ(catalogue_[0].statement.sql, "EXPLAIN SELECT relname FROM pg_class");
  catalogue::Answer answer;
  answer.columns = number16(1) + text("QUERY PLAN") + number32(0) + number16(0) + number32(25) + number16(UINT16_MAX) +
                   number32(UINT32_MAX) + number16(0);
  answer.rows = message('D', number16(1) + number32(8) + "Seq Scan");
  answer.tag = "EXPLAIN";
  answer_catalogue(answer);
  EXPECT_EQ(said(), "T QUERY PLAN:25|D Seq Scan|C EXPLAIN|Z I");
}

}  // namespace
}  // namespace daedalus::postgres::testing

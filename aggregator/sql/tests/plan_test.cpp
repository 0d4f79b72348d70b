// Tests what EXPLAIN tells of a statement: its conditions, where it goes, and what it is taken to cost.
#include "daedalus/aggregator/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

class PlanTest : public SqlTest {
 protected:
  Plan plan(std::string_view sql) {
    wire::v1::StatementBody statement;
    statement.set_sql(std::string(sql));
    auto plan = compiler_.explain(statement, kNowUs);
    EXPECT_TRUE(plan) << sql << ": " << (plan ? "" : plan.error().message);
    return plan ? *plan : Plan();
  }
  /// "lookups | filters" of a SELECT with this WHERE.
  std::string conditions(std::string_view where) {
    const Plan of = plan(fmt::format("SELECT i FROM t WHERE {}", where));
    return fmt::format("{} | {}", fmt::join(of.lookups, " AND "), fmt::join(of.filters, " AND "));
  }
  std::string outputs(std::string_view sql) { return fmt::format("{}", fmt::join(plan(sql).output, ", ")); }
};

TEST_F(PlanTest, ConditionsThatNameValuesOfAColumnAreLookedUpAndOthersAreChecked) {
  for (const auto& [where, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"i = 5", "(i = 5) | "},
           {"v IN ('a', 'b') AND l > 3", "(v IN ('a'::character varying, 'b'::character varying)) | (l > 3)"},
           {"i = 1 OR s = 2", " | ((i = 1) OR (s = 2))"},
           {"v LIKE 'a%'", " | (v ^@ 'a'::character varying)"},
           {"i + k > 3", " | ((i + k) > 3)"},
           {"b AND l IS NULL", "(b = true) | (l IS NULL)"},
           {"\"Mixed\" = 'it''s'", "(\"Mixed\" = 'it''s'::character varying) | "},
           {"coalesce(l, 0) = -1", " | (COALESCE(l, 0) = '-1'::bigint)"},
           {"day = DATE '2020-01-02'", "(day = '2020-01-02'::date) | "},
       }) {
    EXPECT_EQ(conditions(where), expected) << where;
  }
}

TEST_F(PlanTest, LongListsAreCutShort) {
  std::string list = "0";
  for (int number = 1; number < 20; ++number) {
    list += fmt::format(", {}", number);
  }
  EXPECT_EQ(plan(fmt::format("SELECT i FROM t WHERE i IN ({})", list)).lookups,
            std::vector<std::string>{"(i IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ... 4 more))"});
}

TEST_F(PlanTest, ColumnsThatRowsArePlacedByLeadToTheirPartitionAndSegment) {
  const auto partitions = [&](std::string_view where) {
    return plan(fmt::format("SELECT i FROM t WHERE {}", where)).partitions.size();
  };
  const uint32_t all = map_->partition_count();
  ASSERT_GT(all, 1u);
  EXPECT_EQ(partitions("i = 5"), 1u);
  EXPECT_EQ(partitions("i > 5"), all);
  EXPECT_TRUE(plan("SELECT i FROM t WHERE s = 1").is_one_segment);
  EXPECT_FALSE(plan("SELECT i FROM t WHERE s IN (1, 2)").is_one_segment);
  EXPECT_EQ(plan("DELETE FROM t WHERE i = 5").partitions.size(), 1u);
  EXPECT_EQ(plan("INSERT INTO t (i) VALUES (5), (5)").partitions.size(), 1u);
  EXPECT_EQ(plan("INSERT INTO t (i) VALUES (5)").partitions, plan("SELECT i FROM t WHERE i = 5").partitions);
}

TEST_F(PlanTest, OutputsGroupsAndOrderAreWrittenOverColumns) {
  EXPECT_EQ(outputs("SELECT i AS other, i + 1, 'x' FROM t"), "i, (i + 1), 'x'::text");
  EXPECT_EQ(outputs("SELECT count(*), count(DISTINCT v), string_agg(v, ',' ORDER BY i) FROM t"),
            "count(*), count(DISTINCT v), string_agg((v)::text, ','::text ORDER BY i)");
  EXPECT_EQ(outputs("SELECT CASE WHEN i = 1 THEN s END FROM t"), "CASE WHEN (i = 1) THEN s ELSE NULL::smallint END");
  EXPECT_EQ(outputs("INSERT INTO t (i) VALUES (1) RETURNING i, v"), "i, v");
  const Plan of = plan(
      "SELECT v, sum(i) FROM t GROUP BY v HAVING count(*) > 1 ORDER BY sum(i) DESC, v NULLS FIRST "
      "LIMIT 3 OFFSET 2");
  EXPECT_EQ(of.group_keys, std::vector<std::string>{"v"});
  EXPECT_EQ(of.having, "(count(*) > 1)");
  EXPECT_EQ(of.sort_keys, (std::vector<std::string>{"sum(i) DESC", "v NULLS FIRST"}));
  EXPECT_EQ(of.limit, 3u);
  EXPECT_EQ(of.offset, 2u);
}

TEST_F(PlanTest, EstimatesAreSimpleAndSayWhatIsKnown) {
  const auto of = [&](std::string_view sql, uint64_t swept) {
    const PlanEstimate it = estimate(plan(sql), swept);
    return fmt::format("{:.2f}..{:.2f} {}", it.startup_cost, it.total_cost, it.rows);
  };
  EXPECT_EQ(of("SELECT i FROM t", 10'000), "0.00..200.00 10000");
  EXPECT_EQ(of("SELECT i FROM t WHERE i = 5", 10'000), "0.00..100.50 50");
  EXPECT_EQ(of("SELECT i FROM t WHERE i IN (5, 6) AND k > 1", 10'000), "0.00..100.33 33");
  EXPECT_EQ(of("SELECT i FROM t WHERE i = 5", 0), "0.00..0.01 1");
  EXPECT_EQ(of("SELECT i FROM t ORDER BY i LIMIT 7", 10'000), "100.00..100.07 7");
  EXPECT_EQ(of("SELECT count(*) FROM t", 10'000), "100.00..100.01 1");
  EXPECT_EQ(of("SELECT v FROM t GROUP BY v", 10'000), "100.00..102.00 200");
  EXPECT_EQ(of("VALUES (1), (2)", 10'000), "0.00..0.02 2");
  EXPECT_EQ(of("SELECT 1", 10'000), "0.00..0.01 1");
  EXPECT_EQ(of("DELETE FROM t", 10'000), "0.00..200.00 0");
  EXPECT_EQ(of("INSERT INTO t (i) VALUES (1), (2)", 10'000), "0.00..0.02 0");
  EXPECT_EQ(of("INSERT INTO t (i) VALUES (1), (2) RETURNING i", 10'000), "0.00..0.02 2");
}

TEST_F(PlanTest, WidthIsThatOfTheAnswersColumns) {
  EXPECT_EQ(plan("SELECT i, l, c, b, tag FROM t").width, 4u + 8 + 5 + 1 + 16);
  EXPECT_EQ(plan("SELECT v || v FROM t").width, kStringWidthMax > 20 ? 20u : kStringWidthMax);
  EXPECT_EQ(plan("DELETE FROM t").width, 0u);
}

}  // namespace
}  // namespace daedalus::aggregator::testing

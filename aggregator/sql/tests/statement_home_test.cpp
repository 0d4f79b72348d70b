// Tests where statements belong that the compiler refuses.
#include "daedalus/aggregator/statement_home.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedalus::aggregator {
namespace {

bool is_catalogue(const std::string& sql) {
  const StatementHome home = home_of(sql, "tickets");
  EXPECT_FALSE(home.is_catalogue && home.refusal) << sql;
  return home.is_catalogue;
}

std::string refusal(const std::string& sql) {
  const StatementHome home = home_of(sql, "tickets");
  return home.refusal ? home.refusal->message : "";
}

TEST(StatementHomeTest, SendsStatementsOverTheCatalogueAloneThere) {
  EXPECT_TRUE(is_catalogue("SELECT relname FROM pg_catalog.pg_class"));
  EXPECT_TRUE(is_catalogue("SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"));
  EXPECT_TRUE(is_catalogue("TABLE information_schema.columns"));
  EXPECT_TRUE(is_catalogue("SELECT 1 WHERE EXISTS (SELECT 1 FROM pg_class WHERE relname = $1)"));
  EXPECT_TRUE(is_catalogue("WITH RECURSIVE t AS (SELECT oid FROM pg_type UNION SELECT oid FROM t) SELECT * FROM t"));
  EXPECT_TRUE(
      is_catalogue("SELECT CASE WHEN c.relkind IN ('r', 'v') THEN 1 END, ARRAY(SELECT 1 FROM pg_attribute a "
                   "WHERE a.attrelid = c.oid) FROM pg_class c ORDER BY 1"));
}

TEST(StatementHomeTest, DeepTextsAreLookedThrough) {
  const auto nested = [](size_t depth) {
    std::string sql = "SELECT ";
    for (size_t level = 0; level < depth; ++level) {
      sql += "CASE WHEN t.oid = 16 THEN 1 ELSE ";
    }
    sql += "0 ";
    for (size_t level = 0; level < depth; ++level) {
      sql += "END ";
    }
    return sql + "FROM pg_type t";
  };
  EXPECT_TRUE(is_catalogue(nested(500)));
  EXPECT_FALSE(is_catalogue(nested(2'000)));
}

TEST(StatementHomeTest, SendsStatementsWithoutARelationToTheCatalogue) {
  EXPECT_TRUE(is_catalogue("SELECT pg_catalog.format_type(25, -1)"));
  EXPECT_TRUE(is_catalogue("SELECT 'pg_class'::regclass, to_regclass('tickets')"));
  EXPECT_TRUE(is_catalogue("SELECT * FROM pg_catalog.pg_get_keywords()"));
}

/// There it is somebody else.
TEST(StatementHomeTest, AnswersWhoHasLoggedInByItself) {
  for (const std::string name : {"current_user", "user", "session_user", "current_role"}) {
    EXPECT_EQ(refusal("SELECT upper(" + name + ")"),
              "current_user and its like within other expressions are not supported");
    EXPECT_EQ(refusal("SELECT 'x' WHERE " + name + " = 'ada'"),
              "current_user and its like within other expressions are not supported");
    EXPECT_TRUE(is_catalogue("SELECT rolname FROM pg_roles WHERE rolname = " + name));
    EXPECT_TRUE(is_catalogue("SELECT has_table_privilege(" + name + ", 'tickets', 'SELECT')"));
    EXPECT_EQ(refusal("SELECT pg_has_role(" + name + " || 'x', 'ada', 'USAGE')"),
              "current_user and its like within other expressions are not supported");
  }
  EXPECT_TRUE(is_catalogue("SELECT current_setting('server_version_num')::int / 100"));
}

TEST(StatementHomeTest, NeverSendsStatementsThatNameTheTableThere) {
  EXPECT_FALSE(is_catalogue("SELECT frobnicate(id) FROM tickets"));
  EXPECT_FALSE(is_catalogue("SELECT 1 WHERE EXISTS (SELECT 1 FROM public.tickets)"));
  EXPECT_FALSE(is_catalogue("SELECT count(*) OVER (PARTITION BY id) FROM tickets"));
  // Inside, the name is the common table's; outside, the table's.
  EXPECT_FALSE(is_catalogue("SELECT (WITH tickets AS (SELECT 1) SELECT 1) FROM tickets"));
  EXPECT_FALSE(is_catalogue("SELECT * FROM ROWS FROM (generate_series(1, (SELECT count(*) FROM tickets)))"));
}

TEST(StatementHomeTest, RefusesStatementsOverTableAndCatalogueByName) {
  EXPECT_EQ(refusal("SELECT * FROM tickets, pg_class"),
            "a statement over the table and the catalogue together is not supported");
  EXPECT_EQ(refusal("SELECT * FROM pg_class WHERE EXISTS (SELECT 1 FROM public.tickets)"),
            "a statement over the table and the catalogue together is not supported");
  EXPECT_EQ(refusal("SELECT (WITH tickets AS (SELECT 1) SELECT 1) FROM tickets, pg_class"),
            "a statement over the table and the catalogue together is not supported");
  EXPECT_EQ(home_of("SELECT 'ä' FROM tickets, pg_class", "tickets").refusal->position, 26u);
}

TEST(StatementHomeTest, RefusesFunctionsOfTheAggregatorOverTheCatalogueByName) {
  EXPECT_EQ(refusal("SELECT * FROM pg_stat_replication"), "pg_stat_replication is not supported here");
  EXPECT_EQ(refusal("SELECT * FROM pg_catalog.pg_stat_bgwriter"), "pg_stat_bgwriter is not supported here");
  EXPECT_EQ(refusal("SELECT * FROM pg_stat_get_activity(NULL)"), "pg_stat_get_activity() is not supported here");
  EXPECT_EQ(refusal("SELECT set_config('transaction_read_only', 'off', true) FROM pg_class"),
            "set_config() is not supported here");
  EXPECT_EQ(refusal("SELECT pg_cancel_backend(1)"), "pg_cancel_backend() is not supported here");
  EXPECT_EQ(refusal("SELECT * FROM pg_statistic_ext"), "");
}

TEST(StatementHomeTest, ViewsOfClientsAndOfCountersAreTheCatalogues) {
  for (const char* const name :
       {"pg_stat_activity", "pg_stat_ssl", "pg_stat_gssapi", "pg_locks", "pg_prepared_xacts", "pg_stat_database",
        "pg_stat_user_tables", "pg_statio_all_tables", "pg_catalog.pg_stat_user_indexes", "pg_stat_xact_user_tables"}) {
    EXPECT_TRUE(is_catalogue(std::string("SELECT * FROM ") + name)) << name;
  }
  EXPECT_TRUE(is_catalogue("SELECT 1 FROM pg_stat_gssapi WHERE pid = pg_backend_pid()"));
}

TEST(StatementHomeTest, WithoutATableEveryQueryIsTheCatalogues) {
  EXPECT_TRUE(home_of("SELECT * FROM tickets", "").is_catalogue);
  EXPECT_TRUE(home_of("SELECT * FROM tickets, pg_class", "").is_catalogue);
  EXPECT_FALSE(home_of("CREATE TABLE t (id int)", "").is_catalogue);
  EXPECT_FALSE(home_of("SELECT FROM WHERE", "").is_catalogue);
  EXPECT_TRUE(home_of("SELECT pg_cancel_backend(1) FROM tickets", "").refusal);
}

TEST(StatementHomeTest, OtherStatementsAndOtherNamesStayWhatTheCompilerSays) {
  for (const char* const sql : {"SELECT * FROM passengers", "SELECT * FROM other.tickets", "DELETE FROM pg_class",
                                "COPY pg_class TO PROGRAM 'cat'", "SELECT FROM WHERE", "", "SELECT 1; SELECT 2",
                                "EXPLAIN SELECT * FROM pg_class", "WITH t AS (DELETE FROM pg_class) SELECT 1"}) {
    EXPECT_FALSE(is_catalogue(sql)) << sql;
    EXPECT_EQ(refusal(sql), "") << sql;
  }
  EXPECT_FALSE(is_catalogue("SELECT " + std::string(2000, '(') + "1" + std::string(2000, ')')));
}

}  // namespace
}  // namespace daedalus::aggregator

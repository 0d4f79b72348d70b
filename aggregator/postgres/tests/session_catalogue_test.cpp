// Statements over the catalogue: who runs them, and what a client gets of it.
#include <string>

#include "byte_order.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using namespace std::string_literals;

class CatalogueTest : public SessionTest {
 protected:
  CatalogueTest() { home_.is_catalogue = true; }

  /// One text column named "relname", and these rows.
  static catalogue::Answer answer_of(const std::vector<std::string>& rows) {
    catalogue::Answer answer;
    answer.columns = number16(1) + text("relname") + number32(1259) + number16(2) + number32(19) + number16(64) +
                     number32(UINT32_MAX) + number16(0);
    for (const std::string& row : rows) {
      answer.rows += message('D', number16(1) + number32(static_cast<uint32_t>(row.size())) + row);
    }
    answer.tag = "SELECT " + std::to_string(rows.size());
    return answer;
  }
  static catalogue::Answer described_as(std::vector<uint32_t> parameters) {
    catalogue::Answer answer = answer_of({});
    answer.parameter_types = std::move(parameters);
    return answer;
  }
};

TEST_F(CatalogueTest, RunsStatementsOfTheCatalogueThatTheCompilerRefuses) {
  log_in();
  send(query("SELECT relname FROM pg_class"));
  answer_error("42P01", "relation \"pg_class\" does not exist", 21);
  ASSERT_EQ(catalogue_.size(), 1u);
  EXPECT_EQ(catalogue_[0].statement.sql, "SELECT relname FROM pg_class");
  EXPECT_FALSE(catalogue_[0].statement.is_described_only);
  answer_catalogue(answer_of({"tickets", "pg_class"}));
  EXPECT_EQ(said(), "T relname:19|D tickets|D pg_class|C SELECT 2|Z I");
}

TEST_F(CatalogueTest, TellsTheCompilersErrorForOtherStatements) {
  log_in();
  home_ = {};
  send(query("SELECT nothing FROM tickets"));
  answer_error("42703", "column \"nothing\" does not exist", 8);
  EXPECT_EQ(said(), "E 42703 column \"nothing\" does not exist @8|Z I");
  home_.refusal = rejected("0A000", "pg_stat_activity is not supported here");
  send(query("SELECT * FROM pg_stat_activity"));
  answer_error("42P01", "relation \"pg_stat_activity\" does not exist");
  EXPECT_EQ(said(), "E 0A000 pg_stat_activity is not supported here|Z I");
  EXPECT_TRUE(catalogue_.empty());
}

TEST_F(CatalogueTest, ErrorsOfAnotherKindAreNotLookedAt) {
  log_in();
  send(query("SELECT 1 / 0"));
  answer_error("22012", "division by zero");
  EXPECT_EQ(said(), "E 22012 division by zero|Z I");
  EXPECT_TRUE(catalogue_.empty());
}

TEST_F(CatalogueTest, ErrorsOfTheCatalogueCarryTheirPlaceInTheWholeText) {
  log_in();
  send(query("SELECT 1; SELECT nothing FROM pg_class"));
  answer_rows({1});
  static_cast<void>(said());
  answer_error("42P01", "relation \"pg_class\" does not exist");
  Error error = rejected("42703", "column \"nothing\" does not exist");
  ASSERT_EQ(catalogue_.back().statement.sql, " SELECT nothing FROM pg_class");
  error.position = 9;
  answer_catalogue(catalogue::Failure{error, {}});
  EXPECT_EQ(said(), "E 42703 column \"nothing\" does not exist @18|Z I");
}

TEST_F(CatalogueTest, StatementsArePreparedDescribedAndExecutedThere) {
  log_in();
  send(parse("", "SELECT relname FROM pg_class WHERE oid = $1 AND relkind = $2", {26}) + message('D', "S" + text("")));
  // The type of $1 is not one that the table's columns may have.
  ASSERT_EQ(catalogue_.size(), 1u);
  EXPECT_TRUE(catalogue_[0].statement.is_described_only);
  EXPECT_EQ(catalogue_[0].statement.parameter_types, (std::vector<uint32_t>{26}));
  answer_catalogue(described_as({26, 18}));
  EXPECT_EQ(said(), "1|t 26 18|T relname:19");
  send(bind("", "", {"1259", "r"}) + message('D', "P" + text("")) + execute("") + sync());
  ASSERT_EQ(catalogue_.size(), 2u);
  EXPECT_EQ(catalogue_[1].statement.parameters, (std::vector<std::optional<std::string>>{"1259", "r"}));
  EXPECT_EQ(catalogue_[1].statement.parameter_types, (std::vector<uint32_t>{26, 18}));
  answer_catalogue(answer_of({"pg_class"}));
  EXPECT_EQ(said(), "2|T relname:19|D pg_class|C SELECT 1|Z I");
}

TEST_F(CatalogueTest, AFetchSizeSuspendsItsPortal) {
  log_in();
  send(parse("s", "SELECT relname FROM pg_class"));
  done(Result<aggregator::StatementDescription>(rejected("42P01", "no")));
  answer_catalogue(described_as({}));
  send(query("BEGIN"));
  send(bind("p", "s") + execute("p", 2));
  answer_catalogue(answer_of({"a", "b", "c"}));
  EXPECT_EQ(said(), "1|C BEGIN|Z T|2|D a|D b|s");
  send(execute("p", 2) + sync());
  EXPECT_EQ(said(), "D c|C SELECT 1|Z T");
}

TEST_F(CatalogueTest, SettingsThatMatterThereGoWithAStatement) {
  log_in();
  send(query("SET search_path = pg_catalog; SET statement_timeout = '2s'; SET TimeZone = 'UTC'; SELECT pg_typeof(1)"));
  answer_error("42883", "function pg_typeof(integer) does not exist");
  using Settings = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(catalogue_.at(0).statement.settings,
            (Settings{{"search_path", "pg_catalog"},
                      {"timezone", "UTC"},
                      {"daedalus.backend_pid", std::to_string(session_->key().process_id)}}));
  EXPECT_EQ(catalogue_[0].statement.timeout_ns, 2 * kSecond);
}

TEST_F(CatalogueTest, ABlockOfInsertsMayLookAtIt) {
  log_in();
  send(query("BEGIN"));
  send(query("INSERT INTO t VALUES (1)"));
  compiled_insert(1);
  send(query("SELECT relname FROM pg_class"));
  answer_catalogue(answer_of({"a"}));
  EXPECT_EQ(said(), "C BEGIN|Z T|C INSERT 0 1|Z T|T relname:19|D a|C SELECT 1|Z T");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(CatalogueTest, ABlockOfRepeatableReadMayLookAtIt) {
  log_in();
  send(query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT relname FROM pg_class"));
  answer_held(7);
  answer_error("42P01", "no");
  answer_catalogue(answer_of({}));
  send(query("SELECT 1"));
  answer_rows({1});
  send(query("SELECT relname FROM pg_class"));
  answer_error("42P01", "no");
  answer_catalogue(answer_of({}));
  EXPECT_EQ(said(), "C BEGIN|T relname:19|C SELECT 0|Z T|T id:23|D 1|C SELECT 1|Z T|T relname:19|C SELECT 0|Z T");
}

TEST_F(CatalogueTest, ACancelGivesItUpAndALateAnswerIsIgnored) {
  log_in();
  send(query("SELECT relname FROM pg_class"));
  answer_error("42P01", "no");
  session_->cancel(now_);
  deliver();
  EXPECT_EQ(abandoned_, 1);
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z I");
  answer_catalogue(answer_of({"a"}));
  EXPECT_EQ(said(), "");
}

TEST_F(CatalogueTest, ColumnsOfTheTableAreToldByTheCataloguesNumbers) {
  log_in();
  descriptions_.set_table_oid(16385);
  send(parse("", "SELECT id, id + 1 FROM tickets") + message('D', "S" + text("")));
  const semantics::Column column{"id", {semantics::TypeKind::kInt}, true, std::nullopt};
  done(Result<aggregator::StatementDescription>(aggregator::StatementDescription{{}, {column, column}, {3, 0}}));
  const std::string type = number32(23) + number16(4) + number32(UINT32_MAX) + number16(0);
  EXPECT_EQ(taken(), message('1', "") + message('t', number16(0)) +
                         message('T', number16(2) + text("id") + number32(16385) + number16(3) + type + text("id") +
                                          number32(0) + number16(0) + type));
}

TEST_F(CatalogueTest, AbortsTheBlockWhenAStatementOfTheCatalogueFails) {
  log_in();
  send(query("BEGIN; SELECT relname FROM pg_class"));
  answer_error("42P01", "no");
  answer_catalogue(catalogue::Failure{rejected("57P01", "the catalogue's server has gone"), {}});
  EXPECT_EQ(said(), "C BEGIN|E 57P01 the catalogue's server has gone|Z E");
}

TEST_F(CatalogueTest, OneIsPreparedAndExecutedInSql) {
  log_in();
  send(query("PREPARE q (oid) AS SELECT relname FROM pg_class WHERE oid = $1"));
  ASSERT_EQ(catalogue_.size(), 1u);
  EXPECT_TRUE(catalogue_[0].statement.is_described_only);
  EXPECT_EQ(catalogue_[0].statement.parameter_types, (std::vector<uint32_t>{26}));
  answer_catalogue(described_as({26}));
  send(query("EXECUTE q ('1259')"));
  ASSERT_EQ(catalogue_.size(), 2u);
  EXPECT_EQ(catalogue_[1].statement.parameters, (std::vector<std::optional<std::string>>{"1259"}));
  EXPECT_EQ(catalogue_[1].statement.parameter_types, (std::vector<uint32_t>{26}));
  answer_catalogue(answer_of({"a"}));
  EXPECT_EQ(said(), "C PREPARE|Z I|T relname:19|D a|C SELECT 1|Z I");
  send(query("EXECUTE q (NULL)"));
  EXPECT_EQ(catalogue_[2].statement.parameters, (std::vector<std::optional<std::string>>{std::nullopt}));
  answer_catalogue(answer_of({}));
  said();
  send(query("EXECUTE q (1000 + 259)"));
  EXPECT_EQ(said(),
            "E 0A000 EXECUTE with values that are no literals over the catalogue (pg_catalog, information_schema) is "
            "not supported|Z I");
  send(query("PREPARE p AS SELECT relname FROM pg_class"));
  done(Result<aggregator::StatementDescription>(rejected("42P01", "no")));
  answer_catalogue(described_as({}));
  send(query("EXECUTE p"));
  answer_catalogue(answer_of({"a", "b"}));
  EXPECT_EQ(said(), "C PREPARE|Z I|T relname:19|D a|D b|C SELECT 2|Z I");
  send(parse("", "EXECUTE p") + bind("", "") + message('D', "P" + text("")) + execute("") + sync());
  answer_catalogue(answer_of({"a"}));
  EXPECT_EQ(said(), "1|2|T relname:19|D a|C SELECT 1|Z I");
}

TEST_F(CatalogueTest, CopyIsRefusedByName) {
  log_in();
  const std::string over = " over the catalogue (pg_catalog, information_schema) is not supported|Z ";
  send(query("COPY (SELECT relname FROM pg_class) TO STDOUT"));
  answer_error("42P01", "no");
  EXPECT_EQ(said(), "E 0A000 COPY" + over + "I");
  send(query("COPY pg_class TO STDOUT"));
  EXPECT_EQ(said(), "E 0A000 COPY" + over + "I");
  EXPECT_TRUE(catalogue_.empty());
}

TEST_F(CatalogueTest, ACursorIsReadWholeWhenItIsDeclaredAndFetchedFromInEveryDirection) {
  log_in();
  send(query("BEGIN; DECLARE c CURSOR FOR SELECT relname FROM pg_class"));
  done(Result<aggregator::StatementDescription>(rejected("42P01", "no")));
  ASSERT_EQ(catalogue_.size(), 1u);
  EXPECT_FALSE(catalogue_[0].statement.is_described_only);
  answer_catalogue(answer_of({"a", "b", "c"}));
  EXPECT_EQ(said(), "C BEGIN|C DECLARE CURSOR|Z T");
  send(query("FETCH 2 FROM c"));
  EXPECT_EQ(said(), "T relname:19|D a|D b|C FETCH 2|Z T");
  send(query("FETCH PRIOR FROM c; MOVE LAST FROM c; FETCH c; FETCH BACKWARD 1 FROM c"));
  EXPECT_EQ(said(), "T relname:19|D a|C FETCH 1|C MOVE 1|T relname:19|C FETCH 0|T relname:19|D c|C FETCH 1|Z T");
  send(query("CLOSE c; COMMIT"));
  EXPECT_EQ(said(), "C CLOSE CURSOR|C COMMIT|Z I");
  EXPECT_EQ(catalogue_.size(), 1u);
}

TEST_F(CatalogueTest, ACursorOfTheProtocolIsDescribedWhenItIsParsedAndReadWhenItIsDeclared) {
  log_in();
  send(query("BEGIN"));
  send(parse("", "DECLARE c CURSOR FOR SELECT relname FROM pg_class") + message('D', "S" + text("")));
  done(Result<aggregator::StatementDescription>(rejected("42P01", "no")));
  ASSERT_EQ(catalogue_.size(), 1u);
  EXPECT_TRUE(catalogue_[0].statement.is_described_only);
  answer_catalogue(described_as({}));
  send(bind("", "") + execute("") + sync());
  ASSERT_EQ(catalogue_.size(), 2u);
  answer_catalogue(answer_of({"a", "b"}));
  EXPECT_EQ(said(), "C BEGIN|Z T|1|t|n|2|C DECLARE CURSOR|Z T");
  send(parse("", "FETCH ALL FROM c") + bind("", "") + message('D', "P" + text("")) + execute("") + sync());
  EXPECT_EQ(said(), "1|2|T relname:19|D a|D b|C FETCH 2|Z T");
  send(parse("", "DECLARE d CURSOR FOR SELECT relname FROM pg_class WHERE oid = $1") + sync());
  done(Result<aggregator::StatementDescription>(rejected("42P01", "no")));
  answer_catalogue(described_as({26}));
  EXPECT_EQ(
      said(),
      "E 0A000 a cursor with parameters over the catalogue (pg_catalog, information_schema) is not supported|Z E");
}

TEST_F(CatalogueTest, ACursorThatMayNotBeDeclaredIsRefusedBeforeTheCatalogueIsAsked) {
  log_in();
  send(query("DECLARE c CURSOR FOR SELECT relname FROM pg_class"));
  done(Result<aggregator::StatementDescription>(rejected("42P01", "no")));
  EXPECT_EQ(said(), "E 25P01 DECLARE CURSOR can only be used in transaction blocks|Z I");
  EXPECT_TRUE(catalogue_.empty());
}

TEST_F(CatalogueTest, InADatabaseWithoutTheTableEverythingIsTheCatalogues) {
  connect();
  send(startup("postgres"));
  static_cast<void>(said());
  send(query("SELECT * FROM tickets"));
  ASSERT_EQ(catalogue_.size(), 1u);
  EXPECT_TRUE(catalogue_[0].statement.is_elsewhere);
  answer_catalogue(catalogue::Failure{rejected("42P01", "relation \"tickets\" does not exist"), {}});
  send(query("INSERT INTO tickets VALUES (1)"));
  answer_catalogue(catalogue::Failure{rejected("42P01", "relation \"tickets\" does not exist"), {}});
  const std::string unknown = "E 42P01 relation \"tickets\" does not exist|Z I";
  EXPECT_EQ(said(), unknown + "|" + unknown);
  send(query("COPY tickets TO STDOUT"));
  EXPECT_EQ(said(), unknown);
  send(query("SELECT current_database()"));
  EXPECT_EQ(said(), "T current_database:19|D postgres|C SELECT 1|Z I");
  send(parse("", "SELECT 1") + bind("", "") + execute("") + sync());
  answer_catalogue(described_as({}));
  answer_catalogue(answer_of({"1"}));
  EXPECT_EQ(said(), "1|2|D 1|C SELECT 1|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(CatalogueTest, TellsTheCompilersErrorForNonQueriesInADatabaseWithoutTheTable) {
  connect();
  send(startup("postgres"));
  static_cast<void>(said());
  home_ = {};
  send(query("CREATE DATABASE other"));
  answer_error("0A000", "CREATE DATABASE is not supported", 1);
  const std::string refused = "E 0A000 CREATE DATABASE is not supported @1|Z I";
  EXPECT_EQ(said(), refused);
  send(parse("", "CREATE DATABASE other") + sync());
  done(Result<aggregator::StatementDescription>(rejected("0A000", "CREATE DATABASE is not supported")));
  EXPECT_EQ(said(), "E 0A000 CREATE DATABASE is not supported|Z I");
  EXPECT_TRUE(catalogue_.empty());
}

TEST_F(CatalogueTest, ARefusalOfWhatOnlyTheAggregatorCouldAnswerHoldsThereToo) {
  connect();
  send(startup("template1"));
  static_cast<void>(said());
  home_.refusal = rejected("0A000", "pg_cancel_backend() is not supported here");
  send(query("SELECT pg_cancel_backend(1)"));
  EXPECT_EQ(said(), "E 0A000 pg_cancel_backend() is not supported here|Z I");
  EXPECT_TRUE(catalogue_.empty());
}

TEST_F(CatalogueTest, ACopyThatReadsTheTableIsToldItsOwnError) {
  log_in();
  home_ = {};
  send(query("COPY (SELECT nothing FROM tickets) TO STDOUT"));
  answer_error("42703", "column \"nothing\" does not exist", 8);
  EXPECT_EQ(said(), "E 42703 column \"nothing\" does not exist @14|Z I");
}

TEST_F(CatalogueTest, OneBehindQueriesOfAPipelineWaitsForThem) {
  log_in();
  send(parse("c", "SELECT relname FROM pg_class"));
  done(Result<aggregator::StatementDescription>(rejected("42P01", "no")));
  answer_catalogue(described_as({}));
  send(parse("t", "SELECT id FROM tickets"));
  described();
  EXPECT_EQ(said(), "1|1");
  send(bind("", "t") + execute("") + bind("", "c") + execute("") + sync());
  EXPECT_EQ(catalogue_.size(), 1u);
  answer_rows({1});
  ASSERT_EQ(catalogue_.size(), 2u);
  answer_catalogue(answer_of({"a"}));
  EXPECT_EQ(said(), "2|D 1|C SELECT 1|2|D a|C SELECT 1|Z I");
}

}  // namespace
}  // namespace daedalus::postgres::testing

// The simple protocol, settings, blocks and writes.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

class SimpleTest : public SessionTest {
 protected:
  SimpleTest() { log_in(); }
};

TEST_F(SimpleTest, AQueryIsAStatementForTheCoreAndItsRowsComeBack) {
  send(query("SELECT id FROM tickets"));
  EXPECT_EQ(said(), "");
  ASSERT_EQ(operations_.size(), 1u);
  EXPECT_EQ(operations_[0].header().kind(), wire::v1::OPERATION_KIND_STATEMENT);
  EXPECT_EQ(operations_[0].header().principal(), "ada");
  EXPECT_EQ(asked_sql(), "SELECT id FROM tickets");
  answer_rows({7, 8}, /*ends=*/false);
  answer_rows({9});
  EXPECT_EQ(said(), "T id:23|D 7|D 8|D 9|C SELECT 3|Z I");
}

TEST_F(SimpleTest, AnAnswerWithoutRowsHasItsColumns) {
  send(query("SELECT id FROM tickets WHERE false"));
  answer_rows({});
  EXPECT_EQ(said(), "T id:23|C SELECT 0|Z I");
}

TEST_F(SimpleTest, SeveralStatementsRunOneAfterTheOther) {
  send(query("SELECT 1; SHOW server_encoding; SELECT 2;"));
  EXPECT_EQ(asked_sql(), "SELECT 1");
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|T server_encoding:25|D UTF8|C SHOW");
  EXPECT_EQ(asked_sql(), " SELECT 2");
  answer_rows({2});
  EXPECT_EQ(said(), "T id:23|D 2|C SELECT 1|Z I");
}

TEST_F(SimpleTest, AnErrorEndsTheRestOfItsMessageAndCountsFromItsStart) {
  send(query("SHOW jit; SELECT ä FROM tickets; SELECT 2"));
  static_cast<void>(said());
  answer_error("42703", "column \"ä\" does not exist", 9);
  EXPECT_EQ(said(), "E 42703 column \"ä\" does not exist @18|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(SimpleTest, ATextWithoutStatementsIsAnsweredAsEmpty) {
  send(query("") + query(" -- nothing\n;"));
  EXPECT_EQ(said(), "I|Z I|I|Z I");
}

TEST_F(SimpleTest, ATextThatIsNoUtf8IsRefused) {
  send(query("SELECT '\xff'"));
  send(parse("", "SELECT '\xc3'") + parse("", "SHOW jit") + sync());
  EXPECT_EQ(said(),
            "E 22021 invalid byte sequence for encoding \"UTF8\"|Z I|E 22021 invalid byte sequence for encoding "
            "\"UTF8\"|Z I");
  EXPECT_TRUE(operations_.empty() && works_.empty());
}

TEST_F(SimpleTest, QueriesThatCameTogetherWaitForEachOther) {
  send(query("SELECT 1") + query("SELECT 2"));
  EXPECT_EQ(operations_.size(), 1u);
  answer_rows({1});
  EXPECT_EQ(operations_.size(), 2u);
  answer_rows({2});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|Z I|T id:23|D 2|C SELECT 1|Z I");
}

TEST_F(SimpleTest, ALongTextIsTakenApartElsewhere) {
  send(query("SELECT 1;" + std::string(40'000, ' ') + "SHOW jit"));
  ASSERT_EQ(works_.size(), 1u);
  done(pieces_of(*std::get<Work::Split>(works_[0].what).text, 10));
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|T jit:25|D off|C SHOW|Z I");
}

TEST_F(SimpleTest, FunctionsOfTheSessionAreAnsweredHere) {
  send(query("SELECT current_database(), current_user AS me, pg_catalog.pg_backend_pid(), current_schema"));
  EXPECT_EQ(said(),
            "T current_database:19 me:19 pg_backend_pid:23 current_schema:19|D tickets ada 42 public|C SELECT 1|Z I");
  send(query("SELECT set_config('search_path', '', false), current_setting('search_path')"));
  EXPECT_EQ(said(), "T set_config:25 current_setting:25|D  |C SELECT 1|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(SimpleTest, SettingsAreSetShownAndReset) {
  send(query("SET application_name TO 'x y'; SHOW application_name; RESET ALL; SET SESSION TIME ZONE 'GMT'"));
  EXPECT_EQ(said(), "C SET|T application_name:25|D x y|C SHOW|C RESET|C SET|S TimeZone=GMT|Z I");
  send(query("SET search_path = a, \"B\"; SHOW search_path; SET datestyle = 'ISO'; SET extra_float_digits = 3"));
  EXPECT_EQ(said(), "C SET|T search_path:25|D a, B|C SHOW|C SET|C SET|Z I");
}

TEST_F(SimpleTest, DateStyleKeepsWhatItsNewValueLeavesOut) {
  send(query("SET datestyle = 'ISO, DMY'; SET datestyle = 'ISO'; SHOW datestyle"));
  EXPECT_EQ(said(), "C SET|C SET|T DateStyle:25|D ISO, DMY|C SHOW|S DateStyle=ISO, DMY|Z I");
}

TEST_F(SimpleTest, RefusesSettingsThatWouldChangeAnswersByName) {
  for (const auto& [sql, told] : std::initializer_list<std::pair<const char*, const char*>>{
           {"SET datestyle = 'German'", "E 0A000 DateStyle = German is not supported|Z I"},
           {"SET datestyle = 'DMY, YMD'", "E 22023 invalid value for parameter \"DateStyle\": \"DMY, YMD\"|Z I"},
           {"SET datestyle = 'ISO DMY'", "E 22023 invalid value for parameter \"DateStyle\": \"ISO DMY\"|Z I"},
           {"SET extra_float_digits = 0", "E 0A000 extra_float_digits = 0 is not supported|Z I"},
           {"SET standard_conforming_strings = off", "E 0A000 standard_conforming_strings = off is not supported|Z I"},
           {"SET client_encoding = 'LATIN2'", "E 0A000 client_encoding = LATIN2 is not supported|Z I"},
           {"SET nonsense = 1", "E 42704 unrecognized configuration parameter \"nonsense\"|Z I"},
           {"SET server_version = 1", "E 55P02 parameter \"server_version\" cannot be changed|Z I"},
           {"SET statement_timeout = soon", "E 22023 invalid value for parameter \"statement_timeout\": \"soon\"|Z I"},
           {"SHOW nonsense", "E 42704 unrecognized configuration parameter \"nonsense\"|Z I"},
           {"LISTEN a", "E 0A000 LISTEN and NOTIFY is not supported|Z I"},
           {"SET shared_buffers = '1GB'", "E 55P02 parameter \"shared_buffers\" cannot be changed|Z I"},
           {"SHOW shared_buffers", "E 0A000 parameter \"shared_buffers\" is not supported|Z I"},
       }) {
    send(query(sql));
    EXPECT_EQ(said(), told) << sql;
  }
}

TEST_F(SimpleTest, TheTimeoutBecomesTheDeadline) {
  send(query("SELECT 1"));
  EXPECT_EQ(operations_.back().header().remaining_ns(), static_cast<uint64_t>(600 * kSecond));
  answer_rows({});
  send(query("SET statement_timeout = '2s'; SELECT 1"));
  EXPECT_EQ(operations_.back().header().remaining_ns(), static_cast<uint64_t>(2 * kSecond));
  static_cast<void>(said());
  answer_error("57014", "the deadline has passed");
  EXPECT_EQ(said(), "E 57014 canceling statement due to statement timeout|Z I");
}

TEST_F(SimpleTest, ACancelAbortsTheOperation) {
  send(query("SELECT 1"));
  session_->cancel(now_);
  deliver();
  ASSERT_EQ(operations_.size(), 2u);
  EXPECT_EQ(operations_[1].header().kind(), wire::v1::OPERATION_KIND_ABORT);
  EXPECT_EQ(operations_[1].header().abort_sequence(), operations_[0].header().sequence());
  operations_.pop_back();
  answer_error("57014", "the query was aborted by its client");
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z I");
  session_->cancel(now_);  // Nothing runs.
  deliver();
  EXPECT_EQ(operations_.size(), 1u);
}

// ---- writes ----

TEST_F(SimpleTest, AWriteIsCompiledSubmittedAndCounted) {
  send(query("UPDATE tickets SET a = 1"));
  ASSERT_EQ(works_.size(), 1u);
  EXPECT_EQ(std::get<Work::Compile>(works_[0].what).statement.sql(), "UPDATE tickets SET a = 1");
  compiled_update();
  ASSERT_EQ(operations_.size(), 1u);
  EXPECT_EQ(operations_[0].header().kind(), wire::v1::OPERATION_KIND_SUBMIT);
  EXPECT_EQ(operations_[0].header().map_version(), 1u);
  EXPECT_EQ(said(), "");
  answer_confirmed(5);
  EXPECT_EQ(said(), "C UPDATE 5|Z I");
}

TEST_F(SimpleTest, InsertsOfOneMessageAreOneUpdate) {
  send(query("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2), (3)"));
  compiled_insert(1);
  EXPECT_EQ(operations_.size(), 0u);
  compiled_insert(2);
  ASSERT_EQ(operations_.size(), 1u);
  wire::v1::SubmitBody body;
  ASSERT_TRUE(body.ParseFromString(operations_[0].body()));
  ASSERT_EQ(body.update().parts_size(), 1);
  EXPECT_EQ(body.update().parts(0).insert().row_count(), 3u);
  EXPECT_EQ(body.submission().client(), std::string(16, 'c'));
  answer_confirmed(3);
  EXPECT_EQ(said(), "C INSERT 0 1|C INSERT 0 2|Z I");
}

TEST_F(SimpleTest, NothingIsToldOfAnUpdateThatFailed) {
  send(query("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)"));
  compiled_insert(1);
  compiled_insert(1);
  answer_error("57P03", "the writer cannot be reached");
  EXPECT_EQ(said(), "E 57P03 the writer cannot be reached|Z I");
}

TEST_F(SimpleTest, AnErrorBehindAWriteInItsMessageLeavesNothingOfIt) {
  send(query("INSERT INTO t VALUES (1); SET nonsense = 1"));
  compiled_insert(1);
  EXPECT_EQ(said(), "E 42704 unrecognized configuration parameter \"nonsense\"|Z I");
  EXPECT_TRUE(operations_.empty());
  send(query("SHOW jit"));
  EXPECT_EQ(said(), "T jit:25|D off|C SHOW|Z I");
}

TEST_F(SimpleTest, TellsTheRowsOfAnInsertOnceItIsConfirmed) {
  send(query("INSERT INTO t VALUES (7), (8) RETURNING id; INSERT INTO t VALUES (9)"));
  compiled_returning({7, 8});
  compiled_insert(1);
  EXPECT_EQ(said(), "");
  answer_confirmed(3);
  EXPECT_EQ(said(), "T id:23|D 7|D 8|C INSERT 0 2|C INSERT 0 1|Z I");
}

TEST_F(SimpleTest, NothingIsReturnedOfAnUpdateThatFailed) {
  send(query("INSERT INTO t VALUES (7) RETURNING id"));
  compiled_returning({7});
  answer_error("57P03", "no writer");
  EXPECT_EQ(said(), "E 57P03 no writer|Z I");
}

TEST_F(SimpleTest, InABlockInsertsReturnAtOnce) {
  send(query("BEGIN; INSERT INTO t VALUES (7) RETURNING id"));
  compiled_returning({7});
  EXPECT_EQ(said(), "C BEGIN|T id:23|D 7|C INSERT 0 1|Z T");
  send(query("COMMIT"));
  answer_confirmed(1);
  EXPECT_EQ(said(), "C COMMIT|Z I");
}

TEST_F(SimpleTest, BoundsTheOutputHeldBackForAConfirmation) {
  std::string sql = "INSERT";
  for (int statement = 0; statement < 40; ++statement) {
    sql += " INTO t VALUES (7) RETURNING id; INSERT";
  }
  send(query(sql));
  const std::vector<int64_t> many(50'000, 1'234'567'890);
  std::string told;
  for (int statement = 0; statement < 40 && told.empty(); ++statement) {
    compiled_returning(many);
    told = said();
  }
  EXPECT_EQ(told.substr(0, 8), "E 54000 ");
}

TEST_F(SimpleTest, AQueryBehindAWriteIsRefused) {
  send(query("INSERT INTO t VALUES (1); SELECT 1"));
  compiled_insert(1);
  EXPECT_EQ(said().substr(0, 60), "E 0A000 a query after a write that has not been submitted ye");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(SimpleTest, RowsThatWereRefusedAreAnErrorWithBothCounts) {
  send(query("UPDATE t SET a = a + 1"));
  compiled_update();
  wire::v1::Result result;
  result.mutable_confirmed()->set_timestamp(9);
  auto& outcome = *result.mutable_confirmed()->add_outcomes();
  outcome.set_rows_applied(3);
  outcome.add_refused()->set_reason(wire::v1::ROW_REFUSAL_OVERFLOW);
  outcome.mutable_refused(0)->set_row_count(2);
  answer(std::move(result));
  EXPECT_EQ(said(),
            "E 22003 3 rows applied, 2 refused: the update has taken effect under timestamp 9 and is not to be "
            "repeated|Z I");
}

TEST_F(SimpleTest, ASubmissionThatKnewTooLittleIsSentAgain) {
  send(query("DELETE FROM t"));
  compiled_update();
  wire::v1::Result stale;
  stale.mutable_refused()->set_reason(wire::v1::WRITE_REFUSAL_STALE_SUBMISSION);
  stale.mutable_refused()->set_epoch(3);
  stale.mutable_refused()->set_timestamp(70);
  answer(std::move(stale));
  ASSERT_EQ(operations_.size(), 2u);
  wire::v1::SubmitBody body;
  ASSERT_TRUE(body.ParseFromString(operations_[1].body()));
  EXPECT_EQ(body.submission().number(), 1u);
  EXPECT_EQ(body.submission().epoch(), 3u);
  EXPECT_EQ(body.submission().numbered_after(), 70u);
  EXPECT_FALSE(body.submission().repeated());
  answer_confirmed(0);
  EXPECT_EQ(said(), "C DELETE 0|Z I");
}

// ---- blocks ----

TEST_F(SimpleTest, ABlockAroundQueriesIsToldInReadyForQuery) {
  send(query("BEGIN"));
  EXPECT_EQ(said(), "C BEGIN|Z T");
  send(query("SELECT 1"));
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|Z T");
  send(query("COMMIT"));
  EXPECT_EQ(said(), "C COMMIT|Z I");
}

TEST_F(SimpleTest, AnErrorInABlockAbortsItUntilItsEnd) {
  send(query("BEGIN"));
  send(query("SELECT nothing"));
  static_cast<void>(said());
  answer_error("42703", "no such column");
  EXPECT_EQ(said(), "E 42703 no such column|Z E");
  send(query("SELECT 1"));
  EXPECT_EQ(said(), "E 25P02 current transaction is aborted, commands ignored until end of transaction block|Z E");
  EXPECT_EQ(operations_.size(), 1u);
  send(query("COMMIT"));
  EXPECT_EQ(said(), "C ROLLBACK|Z I");
}

TEST_F(SimpleTest, InsertsOfABlockAreSubmittedAtItsCommit) {
  send(query("BEGIN"));
  send(query("INSERT INTO t VALUES (1)"));
  compiled_insert(1);
  send(query("INSERT INTO t VALUES (2), (3)"));
  compiled_insert(2);
  EXPECT_EQ(said(), "C BEGIN|Z T|C INSERT 0 1|Z T|C INSERT 0 2|Z T");
  EXPECT_TRUE(operations_.empty());
  send(query("COMMIT"));
  ASSERT_EQ(operations_.size(), 1u);
  EXPECT_EQ(said(), "");
  answer_confirmed(3);
  EXPECT_EQ(said(), "C COMMIT|Z I");
}

TEST_F(SimpleTest, ACommitThatFailsEndsTheBlock) {
  send(query("BEGIN; INSERT INTO t VALUES (1); COMMIT; SELECT 1"));
  compiled_insert(1);
  answer_error("08007", "the writer was lost before it answered");
  EXPECT_EQ(said(), "C BEGIN|C INSERT 0 1|E 08007 the writer was lost before it answered|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(SimpleTest, ARollbackLeavesNothing) {
  send(query("BEGIN; SET application_name = 'a'; INSERT INTO t VALUES (1); ROLLBACK; SHOW application_name"));
  compiled_insert(1);
  EXPECT_EQ(said(), "C BEGIN|C SET|C INSERT 0 1|C ROLLBACK|T application_name:25|D |C SHOW|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(SimpleTest, InABlockWhatWouldHaveToSeeItsInsertsIsRefused) {
  for (const char* const sql : {"SELECT 1", "UPDATE t SET a = 1", "DELETE FROM t"}) {
    send(query("BEGIN"));
    send(query("INSERT INTO t VALUES (1)"));
    compiled_insert(1);
    static_cast<void>(said());
    send(query(sql));
    const std::string told = said();
    EXPECT_EQ(told.substr(0, 8), "E 0A000 ") << sql;
    EXPECT_EQ(told.substr(told.size() - 3), "Z E") << sql;
    send(query("ROLLBACK"));
    EXPECT_EQ(said(), "C ROLLBACK|Z I");
  }
  EXPECT_TRUE(operations_.empty());
}

TEST_F(SimpleTest, ABlockOfInsertsIsBounded) {
  send(query("BEGIN"));
  send(query("INSERT INTO t VALUES (1)"));
  compiled_insert(65'000);
  send(query("INSERT INTO t VALUES (1)"));
  static_cast<void>(said());
  compiled_insert(537);
  EXPECT_EQ(said(), "E 54000 one update takes at most 65536 rows and 8388608 bytes|Z E");
}

TEST_F(SimpleTest, AReadOnlyBlockTakesNoWrite) {
  send(query("START TRANSACTION READ ONLY"));
  send(query("DELETE FROM t"));
  EXPECT_EQ(said(), "C START TRANSACTION|Z T|E 25006 cannot execute DELETE in a read-only transaction|Z E");
}

TEST_F(SimpleTest, BlocksThatAreNotThereAreWarnedOf) {
  send(query("COMMIT"));
  EXPECT_EQ(said(), "N 25P01 there is no transaction in progress|C COMMIT|Z I");
  send(query("BEGIN; BEGIN"));
  EXPECT_EQ(said(), "C BEGIN|N 25001 there is already a transaction in progress|C BEGIN|Z T");
}

// ---- bounds ----

TEST_F(SimpleTest, AMessageHasOnlySoManyStatements) {
  options_.limits.simple_statements_max = 3;
  send(query("SHOW jit; SHOW jit; SHOW jit; SHOW jit"));
  EXPECT_EQ(said(), "E 54000 one message has more than 3 statements|Z I");
  send(query("RESET jit; RESET jit; RESET jit"));
  EXPECT_EQ(said(), "C RESET|C RESET|C RESET|Z I");
}

TEST_F(SimpleTest, SettingsAreBounded) {
  for (size_t setting = 0; setting < Settings::kCustomMax; ++setting) {
    send(query("SET my.setting" + std::to_string(setting) + " = 1"));
    EXPECT_EQ(said(), "C SET|Z I");
  }
  send(query("SET my.other = 1"));
  EXPECT_EQ(said(), "E 53400 a session has at most 32 parameters of its own|Z I");
  send(query("SET my.setting7 = 2; SHOW my.setting7"));
  EXPECT_EQ(said(), "C SET|T my.setting7:25|D 2|C SHOW|Z I");
  send(query("SET application_name = '" + std::string(2'000, 'x') + "'"));
  EXPECT_EQ(said(), "E 22023 the value of \"application_name\" has more than 1024 bytes|Z I");
}

TEST_F(SimpleTest, StopsReadingFromAClientThatDoesNotRead) {
  std::string many;
  for (int message = 0; message < 20'000; ++message) {
    many += query("SHOW server_version");
  }
  send(many);
  EXPECT_FALSE(session_->takes_input());
  EXPECT_LT(session_->output_waiting(), options_.limits.output_pause_size + 1024);
  size_t rows = 0;
  while (session_->has_output()) {
    const std::string bytes = session_->take_output(now_);
    session_->on_written(bytes.size(), now_);
    for (size_t at = bytes.find("D\0\0\0", 0, 4); at != std::string::npos; at = bytes.find("D\0\0\0", at + 1, 4)) {
      ++rows;
    }
  }
  EXPECT_EQ(rows, 20'000u);
  EXPECT_TRUE(session_->takes_input());
}

TEST_F(SimpleTest, WhileAStatementRunsLittleIsReadAhead) {
  send(query("SELECT 1"));
  EXPECT_TRUE(session_->takes_input());
  send(std::string(options_.limits.input_size_max, 'x'));
  EXPECT_FALSE(session_->takes_input());
}

TEST_F(SimpleTest, RowsThatWaitCountAsOutput) {
  send(query("SELECT 1"));
  answer_rows(std::vector<int64_t>(100'000, 1), /*ends=*/false);
  EXPECT_GT(session_->output_waiting(), 900'000u);
  const std::string piece = session_->take_output(now_);
  EXPECT_LT(piece.size(), 2 * Output::kPieceSize);
}

}  // namespace
}  // namespace daedalus::postgres::testing

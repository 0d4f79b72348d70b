// Savepoints, and what blocks do to settings.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

class BlockTest : public SessionTest {
 protected:
  BlockTest() { log_in(); }
  std::string told(const std::string& sql) {
    send(query(sql));
    return said();
  }
  /// Inserts so many rows in a block.
  void insert(uint32_t rows) {
    send(query("INSERT INTO t VALUES (1)"));
    compiled_insert(rows);
    EXPECT_EQ(said(), "C INSERT 0 " + std::to_string(rows) + "|Z T");
  }
};

TEST_F(BlockTest, AfterAnErrorARollbackToASavepointRevivesTheBlock) {
  EXPECT_EQ(told("BEGIN; SAVEPOINT a; SHOW nonsense"),
            "C BEGIN|C SAVEPOINT|E 42704 unrecognized configuration parameter \"nonsense\"|Z E");
  const char* const kAborted =
      "E 25P02 current transaction is aborted, commands ignored until end of transaction block|Z E";
  EXPECT_EQ(told("SHOW jit"), kAborted);
  EXPECT_EQ(told("SAVEPOINT b"), kAborted);
  EXPECT_EQ(told("RELEASE a"), kAborted);
  EXPECT_EQ(told("COPY t FROM STDIN"), kAborted);
  EXPECT_EQ(told("SAVEPOINT"), "E 42601 syntax error at end of input @10|Z E");
  EXPECT_EQ(told("ROLLBACK TO b"), "E 3B001 savepoint \"b\" does not exist|Z E");
  EXPECT_EQ(told("ROLLBACK TRANSACTION TO SAVEPOINT a; SHOW jit"), "C ROLLBACK|T jit:25|D off|C SHOW|Z T");
  EXPECT_EQ(told("RELEASE SAVEPOINT a; COMMIT"), "C RELEASE|C COMMIT|Z I");
}

TEST_F(BlockTest, SavepointsOutsideABlockAreRefused) {
  EXPECT_EQ(told("SAVEPOINT a"), "E 25P01 SAVEPOINT can only be used in transaction blocks|Z I");
  EXPECT_EQ(told("RELEASE a"), "E 25P01 RELEASE SAVEPOINT can only be used in transaction blocks|Z I");
  EXPECT_EQ(told("ROLLBACK TO a"), "E 25P01 ROLLBACK TO SAVEPOINT can only be used in transaction blocks|Z I");
}

TEST_F(BlockTest, InsertsBehindASavepointGoWithIt) {
  EXPECT_EQ(told("BEGIN"), "C BEGIN|Z T");
  insert(2);
  EXPECT_EQ(told("SAVEPOINT a"), "C SAVEPOINT|Z T");
  insert(5);
  EXPECT_EQ(told("SAVEPOINT b"), "C SAVEPOINT|Z T");
  insert(7);
  EXPECT_EQ(told("ROLLBACK TO b"), "C ROLLBACK|Z T");
  insert(1);
  EXPECT_EQ(told("RELEASE b"), "C RELEASE|Z T");
  EXPECT_EQ(told("ROLLBACK TO a"), "C ROLLBACK|Z T");
  insert(3);
  send(query("COMMIT"));
  wire::v1::SubmitBody body;
  ASSERT_TRUE(body.ParseFromString(operations_.back().body()));
  ASSERT_EQ(body.update().parts_size(), 1);
  EXPECT_EQ(body.update().parts(0).insert().row_count(), 5u);
  EXPECT_EQ(body.update().parts(0).insert().rows(), "rrrrr");
  answer_confirmed(5);
  EXPECT_EQ(said(), "C COMMIT|Z I");
}

TEST_F(BlockTest, ASavepointBeforeAnyInsertLeavesRoomForAQuery) {
  EXPECT_EQ(told("BEGIN; SAVEPOINT a"), "C BEGIN|C SAVEPOINT|Z T");
  insert(2);
  EXPECT_EQ(told("SELECT 1").substr(0, 8), "E 0A000 ");
  EXPECT_EQ(told("ROLLBACK TO a"), "C ROLLBACK|Z T");
  send(query("SELECT 1"));
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|Z T");
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(BlockTest, MeansTheLatestOfSeveralSavepointsWithOneName) {
  EXPECT_EQ(told("BEGIN; SAVEPOINT a"), "C BEGIN|C SAVEPOINT|Z T");
  insert(1);
  EXPECT_EQ(told("SAVEPOINT a"), "C SAVEPOINT|Z T");
  insert(1);
  EXPECT_EQ(told("ROLLBACK TO a; RELEASE a; ROLLBACK TO a; RELEASE a; RELEASE a"),
            "C ROLLBACK|C RELEASE|C ROLLBACK|C RELEASE|E 3B001 savepoint \"a\" does not exist|Z E");
}

TEST_F(BlockTest, SettingsGoBackToTheSavepoint) {
  EXPECT_EQ(
      told("BEGIN; SET application_name = 'a'; SET LOCAL jit = on; SAVEPOINT s; SET LOCAL application_name = 'b'"),
      "C BEGIN|C SET|C SET|C SAVEPOINT|C SET|S application_name=b|Z T");
  EXPECT_EQ(told("SET jit = off; ROLLBACK TO s; SHOW application_name; SHOW jit"),
            "C SET|C ROLLBACK|T application_name:25|D a|C SHOW|T jit:25|D on|C SHOW|S application_name=a|Z T");
  EXPECT_EQ(told("COMMIT; SHOW application_name; SHOW jit"),
            "C COMMIT|T application_name:25|D a|C SHOW|T jit:25|D off|C SHOW|Z I");
}

TEST_F(BlockTest, LocalSettingsEndWithTheBlock) {
  EXPECT_EQ(told("SET LOCAL jit = on"), "N 25P01 SET LOCAL can only be used in transaction blocks|C SET|Z I");
  EXPECT_EQ(told("BEGIN; SELECT set_config('jit', 'on', true); SHOW jit; COMMIT; SHOW jit"),
            "C BEGIN|T set_config:25|D on|C SELECT 1|T jit:25|D on|C SHOW|C COMMIT|T jit:25|D off|C SHOW|Z I");
  EXPECT_EQ(told("SELECT current_setting('no.such', true)"), "T current_setting:25|D null|C SELECT 1|Z I");
}

TEST_F(BlockTest, PortalsBehindASavepointEndWithIt) {
  EXPECT_EQ(told("BEGIN"), "C BEGIN|Z T");
  const auto declare = [&](const std::string& name) {
    send(query("DECLARE " + name + " CURSOR FOR SELECT id FROM tickets"));
    if (!works_.empty()) {
      described();
      works_.clear();
    }
    EXPECT_EQ(said(), "C DECLARE CURSOR|Z T");
    const size_t operation = operations_.size() - 1;
    answer_of(operation, {1, 2, 3});
  };
  declare("a");
  EXPECT_EQ(told("SAVEPOINT s; FETCH a"), "C SAVEPOINT|T id:23|D 1|C FETCH 1|Z T");
  declare("bb");
  EXPECT_EQ(told("FETCH bb; ROLLBACK TO s; FETCH a"), "T id:23|D 1|C FETCH 1|C ROLLBACK|T id:23|D 2|C FETCH 1|Z T");
  EXPECT_EQ(told("FETCH bb"), "E 34000 cursor \"bb\" does not exist|Z E");
  EXPECT_EQ(told("ROLLBACK TO s; FETCH a"), "C ROLLBACK|T id:23|D 3|C FETCH 1|Z T");
  declare("cc");
  EXPECT_EQ(told("RELEASE s; FETCH cc"), "C RELEASE|T id:23|D 1|C FETCH 1|Z T");
}

TEST_F(BlockTest, SavepointsAreBounded) {
  EXPECT_EQ(told("BEGIN"), "C BEGIN|Z T");
  std::string last;
  for (int count = 0; count < 100 && last.find("54000") == std::string::npos; ++count) {
    std::string sql = "SET my.a" + std::to_string(count % 32) + " = '" + std::string(1'000, 'x') + "';";
    for (int point = 0; point < 1'000; ++point) {
      sql += "SAVEPOINT a;";
    }
    last = told(sql);
  }
  EXPECT_NE(last.find("E 54000 the savepoints of a block take at most 4194304 bytes"), std::string::npos);
  EXPECT_EQ(told("ROLLBACK TO a; RELEASE a; SAVEPOINT b"), "C ROLLBACK|C RELEASE|C SAVEPOINT|Z T");
}

TEST_F(BlockTest, TheModesOfABlockAreWhatWasSaid) {
  EXPECT_EQ(told("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY, ISOLATION LEVEL REPEATABLE READ"),
            "C SET|S default_transaction_read_only=on|Z I");
  EXPECT_EQ(told("BEGIN; SHOW transaction_read_only; SHOW transaction_isolation"),
            "C BEGIN|T transaction_read_only:25|D on|C SHOW|T transaction_isolation:25|D repeatable read|C SHOW|Z T");
  EXPECT_EQ(told("SET TRANSACTION READ WRITE; SHOW transaction_isolation; COMMIT"),
            "C SET|T transaction_isolation:25|D repeatable read|C SHOW|C COMMIT|Z I");
  EXPECT_EQ(told("BEGIN READ WRITE, ISOLATION LEVEL READ COMMITTED; SHOW transaction_read_only"),
            "C BEGIN|T transaction_read_only:25|D off|C SHOW|Z T");
  EXPECT_EQ(told("COMMIT; BEGIN ISOLATION LEVEL READ UNCOMMITTED; SHOW transaction_isolation"),
            "C COMMIT|C BEGIN|T transaction_isolation:25|D read uncommitted|C SHOW|Z T");
  EXPECT_EQ(told("SAVEPOINT a; SET TRANSACTION ISOLATION LEVEL READ COMMITTED"),
            "C SAVEPOINT|E 25001 SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction|Z E");
}

TEST_F(BlockTest, ModesComeBeforeTheFirstQuery) {
  EXPECT_EQ(told("BEGIN READ ONLY"), "C BEGIN|Z T");
  send(query("SELECT 1"));
  answer_rows({1});
  static_cast<void>(said());
  EXPECT_EQ(told("SET TRANSACTION READ ONLY; SET TRANSACTION READ WRITE"),
            "C SET|E 25001 transaction read-write mode must be set before any query|Z E");
}

TEST_F(BlockTest, ALockThatWaitsForNothingIsHad) {
  const std::string shared = " IN ACCESS SHARE MODE";
  EXPECT_EQ(told("LOCK TABLE tickets" + shared), "E 25P01 LOCK TABLE can only be used in transaction blocks|Z I");
  EXPECT_EQ(told("BEGIN; LOCK tickets" + shared + "; LOCK TABLE ONLY public.tickets, tickets *" + shared + " NOWAIT"),
            "C BEGIN|C LOCK TABLE|C LOCK TABLE|Z T");
  EXPECT_EQ(told("SAVEPOINT a; LOCK TABLE public.others" + shared),
            "C SAVEPOINT|E 42P01 relation \"public.others\" does not exist|Z E");
  for (const char* const mode : {"", " IN SHARE MODE", " IN ACCESS EXCLUSIVE MODE"}) {
    EXPECT_EQ(told(std::string("ROLLBACK TO a; LOCK TABLE tickets") + mode),
              "C ROLLBACK|E 0A000 LOCK in another mode than ACCESS SHARE is not supported|Z E");
  }
  EXPECT_EQ(told("ROLLBACK TO a; LOCK TABLE tickets" + shared + " now"),
            "C ROLLBACK|E 42601 syntax error at or near \"now\" @56|Z E");
}

TEST_F(BlockTest, ASettingIsSetWhereThereIsOne) {
  const std::string set = "SELECT set_config(name, 'view', false) FROM pg_settings WHERE name = ";
  EXPECT_EQ(told(set + "'restrict_nonsystem_relation_kind'; SHOW restrict_nonsystem_relation_kind"),
            "T set_config:25|D view|C SELECT 1|T restrict_nonsystem_relation_kind:25|D view|C SHOW|Z I");
  EXPECT_EQ(told("SELECT set_config('bytea_output','hex',false) FROM pg_catalog.pg_show_all_settings() "
                 "WHERE name = 'bytea_output'"),
            "T set_config:25|D hex|C SELECT 1|Z I");
  EXPECT_EQ(told(set + "'not_in_this_version'"), "T set_config:25|C SELECT 0|Z I");
  EXPECT_EQ(told(set + "'jit'"), "E 22023 parameter \"jit\" requires a Boolean value|Z I");
}

TEST_F(BlockTest, OutsideABlockAccessIsThatOfBlocksToCome) {
  EXPECT_EQ(told("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; SHOW transaction_read_only"),
            "C SET|T transaction_read_only:25|D on|C SHOW|S default_transaction_read_only=on|Z I");
}

TEST_F(BlockTest, AClientThatIsIdleInABlockIsSentAway) {
  EXPECT_EQ(told("SET idle_in_transaction_session_timeout = '2s'"), "C SET|Z I");
  EXPECT_EQ(session_->next_deadline(), kNever);
  EXPECT_EQ(told("BEGIN"), "C BEGIN|Z T");
  EXPECT_EQ(session_->next_deadline(), after(now_, 2 * kSecond));
  send(query("SELECT 1"));  // It waits for an answer now.
  EXPECT_EQ(session_->next_deadline(), kNever);
  answer_rows({1});
  static_cast<void>(said());
  now_ = session_->next_deadline();
  session_->on_deadline(now_);
  EXPECT_EQ(said(), "E 25P03 terminating connection due to idle-in-transaction timeout");
}

TEST_F(BlockTest, AClientThatIsIdleOutsideABlockIsSentAway) {
  EXPECT_EQ(told("SET idle_session_timeout = '3s'"), "C SET|Z I");
  EXPECT_EQ(session_->next_deadline(), after(now_, 3 * kSecond));
  EXPECT_EQ(told("BEGIN"), "C BEGIN|Z T");
  EXPECT_EQ(session_->next_deadline(), kNever);
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
  now_ = session_->next_deadline();
  session_->on_deadline(now_);
  EXPECT_EQ(said(), "E 57P05 terminating connection due to idle-session timeout");
}

TEST_F(BlockTest, SerializableBlocksReadOnly) {
  EXPECT_EQ(told("SET default_transaction_isolation = serializable; BEGIN; SHOW transaction_isolation"),
            "C SET|C BEGIN|T transaction_isolation:25|D serializable|C SHOW|Z T");
  send(query("SELECT 1"));
  answer_held(7);
  answer_rows({1});
  static_cast<void>(said());
  EXPECT_EQ(told("INSERT INTO tickets (id) VALUES (1)"),
            "E 0A000 INSERT behind a query in a block of SERIALIZABLE is not supported|Z E");
}

TEST_F(BlockTest, KeepsSettingsOfOtherServers) {
  EXPECT_EQ(told("SET synchronous_commit = off; SHOW synchronous_commit; SET work_mem = '1GB'; SHOW work_mem"),
            "C SET|T synchronous_commit:25|D off|C SHOW|C SET|T work_mem:25|D 1GB|C SHOW|Z I");
  EXPECT_EQ(told("SHOW max_prepared_transactions"), "T max_prepared_transactions:25|D 0|C SHOW|Z I");
}

TEST_F(BlockTest, UndoesTheSettingsOfAMessageThatFails) {
  static_cast<void>(told("SET application_name = 'before'"));
  EXPECT_EQ(told("SET application_name = 'a'; SET jit = on; SHOW nothing"),
            "C SET|C SET|E 42704 unrecognized configuration parameter \"nothing\"|Z I");
  EXPECT_EQ(told("SHOW application_name; SHOW jit"), "T application_name:25|D before|C SHOW|T jit:25|D off|C SHOW|Z I");
  send(parse("", "RESET application_name") + bind("", "") + execute("") + parse("", "SHOW nothing") + bind("", "") +
       execute("") + sync());
  EXPECT_EQ(said(), "1|2|C RESET|1|2|E 42704 unrecognized configuration parameter \"nothing\"|Z I");
  EXPECT_EQ(told("SHOW application_name"), "T application_name:25|D before|C SHOW|Z I");
}

TEST_F(BlockTest, TiesSettingsBeforeABlockInOneMessageToThatBlock) {
  EXPECT_EQ(told("SET application_name = 'a'; BEGIN; SET jit = on; ROLLBACK; SHOW application_name"),
            "C SET|C BEGIN|C SET|C ROLLBACK|T application_name:25|D |C SHOW|Z I");
  EXPECT_EQ(told("SET application_name = 'a'; BEGIN; COMMIT; SET application_name = 'b'; SHOW nothing"),
            "C SET|C BEGIN|C COMMIT|C SET|E 42704 unrecognized configuration parameter \"nothing\"|"
            "S application_name=a|Z I");
}

TEST_F(BlockTest, EverySettingIsShown) {
  const std::string all = told("SHOW ALL");
  EXPECT_EQ(all.substr(0, 43), "T name:25 setting:25 description:25|D appli");
  EXPECT_NE(all.find("|D TimeZone UTC The zone of the session's clocks.|"), std::string::npos);
  EXPECT_EQ(all.substr(all.size() - 11), "|C SHOW|Z I");
  for (const Settings::Described& setting : Settings::all()) {
    EXPECT_NE(all.find("D " + std::string(setting.name) + " "), std::string::npos) << setting.name;
    EXPECT_NE(told("SHOW " + std::string(setting.name)).find("|C SHOW|Z I"), std::string::npos) << setting.name;
  }
}

}  // namespace
}  // namespace daedalus::postgres::testing

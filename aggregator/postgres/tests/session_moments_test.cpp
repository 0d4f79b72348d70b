// Which moments the queries of a session are asked at.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

class SessionMomentsTest : public SessionTest {
 protected:
  SessionMomentsTest() { log_in(); }
  std::string told(const std::string& sql) {
    send(query(sql));
    return said();
  }
  /// Asks a query, which is answered at this moment; 0: by nobody who has one.
  void select(uint64_t moment) {
    send(query("SELECT 1"));
    moment_ = moment;
    answer_rows({1});
    static_cast<void>(said());
  }
  /// Writes a row, under this timestamp.
  void insert(uint64_t timestamp) {
    send(query("INSERT INTO t VALUES (1)"));
    compiled_insert(1);
    confirmed_at_ = timestamp;
    answer_confirmed(1);
    EXPECT_EQ(said(), "C INSERT 0 1|Z I");
  }
  /// The header of the query that follows, which is answered at no moment.
  wire::v1::OperationHeader next_query() {
    select(0);
    return operations_.back().header();
  }
};

TEST_F(SessionMomentsTest, AQueryDemandsTheMomentOfTheAnswerBeforeIt) {
  EXPECT_EQ(next_query().prefix_min(), 0u);
  select(17);
  EXPECT_EQ(next_query().prefix_min(), 17u);
  EXPECT_EQ(operations_.back().header().at(), 0u);
  EXPECT_FALSE(operations_.back().header().is_firm());
}

TEST_F(SessionMomentsTest, AQueryDemandsTheUpdateThatWasConfirmedBeforeIt) {
  select(17);
  insert(23);
  EXPECT_EQ(next_query().prefix_min(), 23u);
  select(22);
  EXPECT_EQ(next_query().prefix_min(), 23u);
}

TEST_F(SessionMomentsTest, ACopyRaisesTheDemandToo) {
  send(query("COPY tickets (id) FROM STDIN") + message('d', "1\n") + message('c', ""));
  converted();
  confirmed_at_ = 31;
  answer_confirmed(1);
  static_cast<void>(said());
  EXPECT_EQ(next_query().prefix_min(), 31u);
}

TEST_F(SessionMomentsTest, TheMomentOfTheLastAnswerIsShown) {
  EXPECT_EQ(told("SHOW daedalus.moment"), "T daedalus.moment:25|D 0|C SHOW|Z I");
  select(17);
  insert(23);
  EXPECT_EQ(told("SHOW daedalus.moment; SELECT current_setting('Daedalus.Moment')"),
            "T daedalus.moment:25|D 17|C SHOW|T current_setting:25|D 17|C SELECT 1|Z I");
  select(0);
  EXPECT_EQ(told("SHOW daedalus.moment"), "T daedalus.moment:25|D 17|C SHOW|Z I");
  EXPECT_EQ(told("SET daedalus.moment = 5"), "E 55P02 parameter \"daedalus.moment\" cannot be changed|Z I");
}

TEST_F(SessionMomentsTest, FirstRowsOfAnAnswerTellItsMoment) {
  send(query("BEGIN") + query("DECLARE c CURSOR FOR SELECT id FROM tickets"));
  described();
  moment_ = 9;
  answer_of(operations_.size() - 1, {1, 2}, false);
  static_cast<void>(said());
  EXPECT_EQ(told("FETCH 1 FROM c"), "T id:23|D 1|C FETCH 1|Z T");
  EXPECT_EQ(told("SHOW daedalus.moment"), "T daedalus.moment:25|D 9|C SHOW|Z T");
  EXPECT_EQ(next_query().prefix_min(), 9u);
}

TEST_F(SessionMomentsTest, ReadAtAsksForThatMomentAndNoOther) {
  select(17);
  EXPECT_EQ(told("SET daedalus.read_at = 12; SET daedalus.freshness = '1s'"), "C SET|C SET|Z I");
  const auto header = next_query();
  EXPECT_EQ(header.at(), 12u);
  EXPECT_TRUE(header.is_firm());
  EXPECT_EQ(header.prefix_min(), 0u);
  EXPECT_EQ(header.freshness_ns(), 0u);
  select(12);
  EXPECT_EQ(told("SHOW daedalus.moment; RESET daedalus.read_at"), "T daedalus.moment:25|D 12|C SHOW|C RESET|Z I");
  EXPECT_EQ(next_query().at(), 0u);
  EXPECT_EQ(operations_.back().header().prefix_min(), 17u);
}

TEST_F(SessionMomentsTest, ReadAtOfABlockEndsWithIt) {
  EXPECT_EQ(told("BEGIN; SET LOCAL daedalus.read_at = 12"), "C BEGIN|C SET|Z T");
  EXPECT_EQ(next_query().at(), 12u);
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
  EXPECT_EQ(next_query().at(), 0u);
}

TEST_F(SessionMomentsTest, ReadAtTakesTimestampsOnly) {
  EXPECT_EQ(told("SET daedalus.read_at = ''; SHOW daedalus.read_at"), "C SET|T daedalus.read_at:25|D 0|C SHOW|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = 9223372036854775807; SHOW daedalus.read_at"),
            "C SET|T daedalus.read_at:25|D 9223372036854775807|C SHOW|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = 9223372036854775808"),
            "E 22023 invalid value for parameter \"daedalus.read_at\": \"9223372036854775808\"|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = 'yesterday'"),
            "E 22023 invalid value for parameter \"daedalus.read_at\": \"yesterday\"|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = '12 34'"),
            "E 22023 invalid value for parameter \"daedalus.read_at\": \"12 34\"|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = -1"),
            "E 22023 -1 is outside the valid range for parameter \"daedalus.read_at\" (0 .. 9223372036854775807)|Z I");
}

TEST_F(SessionMomentsTest, FreshnessIsADuration) {
  EXPECT_EQ(next_query().freshness_ns(), 0u);
  EXPECT_EQ(told("SET daedalus.freshness = '500ms'; SHOW daedalus.freshness"),
            "C SET|T daedalus.freshness:25|D 500ms|C SHOW|Z I");
  EXPECT_EQ(next_query().freshness_ns(), static_cast<uint64_t>(500 * kMillisecond));
  EXPECT_EQ(told("SET daedalus.freshness = 'soon'"),
            "E 22023 invalid value for parameter \"daedalus.freshness\": \"soon\"|Z I");
  EXPECT_EQ(told("SET daedalus.freshness = -1"),
            "E 22023 -1 ms is outside the valid range for parameter \"daedalus.freshness\" (0 .. 2147483647)|Z I");
  EXPECT_EQ(told("SET daedalus.freshness = 0"), "C SET|Z I");
  EXPECT_EQ(next_query().freshness_ns(), 0u);
}

TEST_F(SessionMomentsTest, AClientMayStartWithThem) {
  connect();
  const std::string body = number32(3u << 16) + text("user") + text("ada") + text("database") + text("tickets") +
                           text("options") + text("-c daedalus.read_at=12 -c daedalus.freshness=2s") + '\0';
  send(number32(static_cast<uint32_t>(body.size() + 4)) + body);
  static_cast<void>(taken());
  EXPECT_EQ(next_query().at(), 12u);
  EXPECT_EQ(told("SET daedalus.read_at = 0; RESET daedalus.read_at; SHOW daedalus.read_at"),
            "C SET|C RESET|T daedalus.read_at:25|D 12|C SHOW|Z I");
  EXPECT_EQ(told("SHOW daedalus.freshness"), "T daedalus.freshness:25|D 2s|C SHOW|Z I");
}

// ---- blocks of REPEATABLE READ ----

TEST_F(SessionMomentsTest, ABlockOfRepeatableReadHoldsOneMomentForAllItsQueries) {
  select(17);
  EXPECT_EQ(told("BEGIN ISOLATION LEVEL REPEATABLE READ"), "C BEGIN|Z T");
  send(query("SELECT 1"));
  EXPECT_EQ(said(), "");
  EXPECT_EQ(held(), std::vector<uint64_t>{0});
  EXPECT_EQ(operations_.back().header().prefix_min(), 17u);
  answer_held(23);
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_STATEMENT);
  EXPECT_EQ(operations_.back().header().at(), 23u);
  EXPECT_TRUE(operations_.back().header().is_firm());
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|Z T");
  EXPECT_EQ(next_query().at(), 23u);
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
  EXPECT_TRUE(held().empty());
  answer_held(0);
  const auto header = next_query();
  EXPECT_EQ(header.kind(), wire::v1::OPERATION_KIND_STATEMENT);
  EXPECT_FALSE(header.has_at());
}

TEST_F(SessionMomentsTest, ABlockWithoutAQueryHoldsNothing) {
  EXPECT_EQ(told("BEGIN ISOLATION LEVEL REPEATABLE READ; SHOW jit; COMMIT"),
            "C BEGIN|T jit:25|D off|C SHOW|C COMMIT|Z I");
  EXPECT_EQ(told("BEGIN ISOLATION LEVEL REPEATABLE READ"), "C BEGIN|Z T");
  send(query("INSERT INTO t VALUES (1)"));
  compiled_insert(1);
  EXPECT_EQ(said(), "C INSERT 0 1|Z T");
  EXPECT_EQ(told("SELECT 1"), "E 0A000 a query after a write that has not been submitted yet is not supported|Z E");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(SessionMomentsTest, EveryWayToAskForRepeatableReadHoldsAMoment) {
  const std::vector<std::string> ways = {
      "START TRANSACTION ISOLATION LEVEL REPEATABLE READ", "BEGIN ISOLATION LEVEL SERIALIZABLE",
      "BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "BEGIN; SET transaction_isolation = 'repeatable read'",
      "SET default_transaction_isolation = 'serializable'; BEGIN"};
  for (const std::string& way : ways) {
    static_cast<void>(told(way));
    send(query("SELECT 1"));
    EXPECT_EQ(held(), std::vector<uint64_t>{0}) << way;
    answer_held(7);
    answer_rows({1});
    static_cast<void>(told("ROLLBACK"));
    EXPECT_TRUE(held().empty()) << way;
    answer_held(0);
  }
}

TEST_F(SessionMomentsTest, WithoutABlockEachStatementHasAMomentOfItsOwn) {
  static_cast<void>(told("SET default_transaction_isolation = 'repeatable read'"));
  send(query("SELECT 1; SELECT 2"));
  moment_ = 7;
  answer_rows({1});
  EXPECT_EQ(operations_.size(), 2u);
  EXPECT_FALSE(operations_.back().header().has_at());
  EXPECT_EQ(operations_.back().header().prefix_min(), 7u);
}

TEST_F(SessionMomentsTest, EveryKindOfReadTakesTheMomentOfItsBlock) {
  static_cast<void>(told("PREPARE p AS SELECT id FROM tickets"));
  described();
  const std::vector<std::string> reads = {"EXECUTE p", "COPY (SELECT id FROM tickets) TO STDOUT",
                                          "COPY tickets TO STDOUT"};
  for (const std::string& read : reads) {
    static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
    send(query(read));
    EXPECT_EQ(held(), std::vector<uint64_t>{0}) << read;
    answer_held(7);
    EXPECT_EQ(operations_.back().header().at(), 7u) << read;
    EXPECT_TRUE(operations_.back().header().is_firm()) << read;
    answer_rows({});
    static_cast<void>(told("ROLLBACK"));
    answer_held(0);
  }
}

TEST_F(SessionMomentsTest, AQueryOfTheExtendedProtocolWaitsForTheMomentAndThoseBehindItRunBesideIt) {
  send(parse("s", "SELECT id FROM tickets"));
  described();
  static_cast<void>(said());
  const std::string once = testing::bind("", "s") + execute("");
  send(query("BEGIN ISOLATION LEVEL REPEATABLE READ") + once + once + sync());
  EXPECT_EQ(held(), std::vector<uint64_t>{0});
  answer_held(7);
  ASSERT_EQ(operations_.size(), 3u);
  for (const size_t operation : {1u, 2u}) {
    EXPECT_EQ(operations_[operation].header().kind(), wire::v1::OPERATION_KIND_STATEMENT);
    EXPECT_EQ(operations_[operation].header().at(), 7u);
  }
}

TEST_F(SessionMomentsTest, AMomentThatCannotBeHeldFailsTheBlock) {
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  answer_error("08006", "node 2 is not reachable");
  EXPECT_EQ(said(), "E 08006 node 2 is not reachable|Z E");
  EXPECT_EQ(told("ROLLBACK"), "C ROLLBACK|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(SessionMomentsTest, AMomentThatIsLostFailsTheQueryThatWantsIt) {
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  answer_held(7);
  answer_rows({1});
  static_cast<void>(said());
  send(query("SELECT 2"));
  answer_error("72000", "moment 7 cannot be had any more");
  EXPECT_EQ(said(), "E 72000 moment 7 cannot be had any more|Z E");
}

TEST_F(SessionMomentsTest, AFailedBlockKeepsItsMomentForItsSavepoints) {
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ; SAVEPOINT a"));
  send(query("SELECT 1"));
  answer_held(7);
  answer_rows({1});
  static_cast<void>(told("SHOW nonsense"));
  static_cast<void>(told("ROLLBACK TO a"));
  EXPECT_EQ(next_query().at(), 7u);
}

TEST_F(SessionMomentsTest, TheNextBlockWaitsUntilTheMomentOfTheLastHasBeenLetGo) {
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  answer_held(7);
  answer_rows({1});
  static_cast<void>(told("COMMIT"));
  EXPECT_TRUE(held().empty());
  const size_t asked = operations_.size();
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  EXPECT_EQ(operations_.size(), asked);
  answer_held(0);
  EXPECT_EQ(operations_.size(), asked + 1);
  EXPECT_EQ(held(), std::vector<uint64_t>{0});
  answer_held(9);
  EXPECT_EQ(operations_.back().header().at(), 9u);
}

TEST_F(SessionMomentsTest, ACancelEndsTheWaitForAMoment) {
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  session_->cancel(now_);
  deliver();
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z E");
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_ABORT);
  EXPECT_EQ(operations_.back().header().abort_sequence(), operations_[0].header().sequence());
  answered_ = 0;
  answer_held(7);  // It has crossed the abort.
  EXPECT_TRUE(held().empty());
}

TEST_F(SessionMomentsTest, TheTimeoutIsThatOfTheHoldToo) {
  static_cast<void>(told("SET statement_timeout = '2s'; SET daedalus.freshness = '1s'"));
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  EXPECT_EQ(operations_.back().header().remaining_ns(), static_cast<uint64_t>(2 * kSecond));
  EXPECT_EQ(operations_.back().header().freshness_ns(), static_cast<uint64_t>(kSecond));
  answer_error("57014", "the time is up");
  EXPECT_EQ(said(), "E 57014 canceling statement due to statement timeout|Z E");
}

TEST_F(SessionMomentsTest, ACursorThatIsHeldHasTheMomentOfItsBlockBehindIt) {
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("DECLARE c CURSOR WITH HOLD FOR SELECT id FROM tickets"));
  answer_held(7);
  described();
  EXPECT_EQ(operations_.back().header().at(), 7u);
  const size_t cursor = operations_.size() - 1;
  static_cast<void>(told("COMMIT"));
  EXPECT_EQ(operations_.size(), cursor + 1) << "nothing is let go";
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  EXPECT_EQ(held(), (std::vector<uint64_t>{7, 0}));
  answer_held(9);
  EXPECT_EQ(operations_.back().header().at(), 9u);
  answer_rows({1});
  static_cast<void>(told("CLOSE c"));
  EXPECT_EQ(held(), std::vector<uint64_t>{9});
}

TEST_F(SessionMomentsTest, ACursorWhoseAnswerHasComeWholeNeedsItsMomentNoLonger) {
  static_cast<void>(told("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("DECLARE c CURSOR WITH HOLD FOR SELECT id FROM tickets"));
  answer_held(7);
  described();
  const size_t cursor = operations_.size() - 1;
  static_cast<void>(told("COMMIT"));
  answer_of(cursor, {1, 2});
  EXPECT_TRUE(held().empty());
}

TEST_F(SessionMomentsTest, ReadAtIsTheMomentOfABlockThatBeginsWithIt) {
  static_cast<void>(told("SET daedalus.read_at = 12; BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  EXPECT_EQ(held(), std::vector<uint64_t>{12});
  answer_held(12);
  EXPECT_EQ(operations_.back().header().at(), 12u);
  answer_rows({1});
  static_cast<void>(said());
  for (const char* const change : {"SET daedalus.read_at = 13", "SELECT set_config('Daedalus.Read_At', '13', false)",
                                   "RESET daedalus.read_at", "SET LOCAL daedalus.read_at = 13"}) {
    EXPECT_EQ(told(std::string("SAVEPOINT a; ") + change + "; ROLLBACK TO a"),
              "C SAVEPOINT|E 25001 daedalus.read_at must be set before any query of the block|Z E");
    static_cast<void>(told("ROLLBACK TO a"));
  }
}

TEST_F(SessionMomentsTest, AReadAtThatCannotBeHeldIsReadAllTheSame) {
  static_cast<void>(told("SET daedalus.read_at = 12; BEGIN ISOLATION LEVEL REPEATABLE READ"));
  send(query("SELECT 1"));
  answer_held(0, {12});
  EXPECT_EQ(operations_.back().header().at(), 12u);
  answer_rows({1});
  static_cast<void>(said());
  EXPECT_EQ(next_query().at(), 12u);
  const size_t asked = operations_.size();
  static_cast<void>(told("COMMIT"));
  EXPECT_EQ(operations_.size(), asked) << "nothing was held";
}

}  // namespace
}  // namespace daedalus::postgres::testing

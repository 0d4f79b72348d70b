// DECLARE, FETCH, MOVE and CLOSE.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using namespace std::string_literals;

std::vector<int64_t> numbers(int64_t first, int64_t last) {
  std::vector<int64_t> values;
  for (int64_t value = first; value <= last; ++value) {
    values.push_back(value);
  }
  return values;
}

class CursorTest : public SessionTest {
 protected:
  CursorTest() { log_in(); }

  /// Declares a cursor in the block there is, or in a new one; nothing of that is shown. Returns its operation.
  size_t open(const std::string& declaration = "DECLARE c CURSOR FOR SELECT id FROM tickets") {
    send(query(is_in_block_ ? declaration : "BEGIN; " + declaration));
    is_in_block_ = true;
    described_if_asked();
    EXPECT_NE(said().find("C DECLARE CURSOR"), std::string::npos);
    return operations_.size() - 1;
  }
  void described_if_asked() {
    if (!works_.empty()) {
      described();
      works_.clear();
    }
  }
  std::string told(const std::string& sql) {
    send(query(sql));
    described_if_asked();
    return said();
  }

  bool is_in_block_ = false;
};

TEST_F(CursorTest, ACursorIsDeclaredFetchedFromMovedAndClosed) {
  send(query("BEGIN"));
  send(query("DECLARE c CURSOR FOR SELECT id FROM tickets"));
  ASSERT_EQ(works_.size(), 1u);
  EXPECT_EQ(std::get<Work::Describe>(works_[0].what).sql, std::string(21, ' ') + "SELECT id FROM tickets");
  EXPECT_TRUE(operations_.empty());
  described_if_asked();
  EXPECT_EQ(said(), "C BEGIN|Z T|C DECLARE CURSOR|Z T");
  ASSERT_EQ(operations_.size(), 1u);
  EXPECT_EQ(operations_[0].header().kind(), wire::v1::OPERATION_KIND_STATEMENT);
  answer_of(0, {1, 2, 3, 4, 5});
  EXPECT_EQ(told("FETCH 2 FROM c"), "T id:23|D 1|D 2|C FETCH 2|Z T");
  EXPECT_EQ(told("MOVE c"), "C MOVE 1|Z T");
  EXPECT_EQ(told("FETCH NEXT IN c; FETCH ALL c; FETCH c"),
            "T id:23|D 4|C FETCH 1|T id:23|D 5|C FETCH 1|T id:23|C FETCH 0|Z T");
  EXPECT_EQ(told("CLOSE c"), "C CLOSE CURSOR|Z T");
  EXPECT_EQ(told("FETCH c"), "E 34000 cursor \"c\" does not exist|Z E");
  EXPECT_EQ(session_->output_waiting(), 0u);
}

TEST_F(CursorTest, AFetchWaitsForItsRowsAndNoLonger) {
  const size_t cursor = open();
  EXPECT_EQ(told("FETCH 3 FROM c"), "T id:23");
  answer_of(cursor, {1, 2}, /*ends=*/false);
  EXPECT_EQ(said(), "D 1|D 2");
  answer_of(cursor, {3, 4}, /*ends=*/false);
  EXPECT_EQ(said(), "D 3|C FETCH 3|Z T");
  EXPECT_EQ(told("FETCH 3 FROM c"), "T id:23|D 4");
  answer_of(cursor, {});
  EXPECT_EQ(said(), "C FETCH 1|Z T");
}

TEST_F(CursorTest, ItGoesBackOverWhatItHasPassed) {
  answer_of(open(), {1, 2, 3, 4, 5});
  EXPECT_EQ(told("FETCH 3 c; FETCH PRIOR c; FETCH RELATIVE 2 c; FETCH ABSOLUTE 1 c; FETCH LAST c; FETCH ABSOLUTE -2 c"),
            "T id:23|D 1|D 2|D 3|C FETCH 3|T id:23|D 2|C FETCH 1|T id:23|D 4|C FETCH 1|T id:23|D 1|C FETCH 1|"
            "T id:23|D 5|C FETCH 1|T id:23|D 4|C FETCH 1|Z T");
  EXPECT_EQ(told("FETCH 0 c; FETCH BACKWARD 2 c; MOVE FORWARD ALL c; FETCH BACKWARD ALL c; FETCH BACKWARD c"),
            "T id:23|D 4|C FETCH 1|T id:23|D 3|D 2|C FETCH 2|C MOVE 3|T id:23|D 5|D 4|D 3|D 2|D 1|C FETCH 5|"
            "T id:23|C FETCH 0|Z T");
  EXPECT_EQ(told("FETCH FORWARD 2 c; MOVE BACKWARD ALL IN c; FETCH FIRST c; FETCH -1 c; FETCH ABSOLUTE 9 c"),
            "T id:23|D 1|D 2|C FETCH 2|C MOVE 1|T id:23|D 1|C FETCH 1|T id:23|C FETCH 0|T id:23|C FETCH 0|Z T");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(CursorTest, OneWithoutScrollGoesForwardsOnly) {
  const char* const kRefused = "E 55000 cursor can only scan forward|Z E";
  for (const char* const sql : {"FETCH PRIOR c", "FETCH 0 c", "FETCH BACKWARD 1 c", "FETCH FIRST c", "FETCH LAST c",
                                "MOVE BACKWARD ALL c", "FETCH ABSOLUTE 2 c", "FETCH RELATIVE -1 c"}) {
    answer_of(open("DECLARE c NO SCROLL CURSOR FOR SELECT id FROM tickets"), {1, 2, 3});
    EXPECT_EQ(told("FETCH ABSOLUTE 1 c; FETCH RELATIVE 1 c; MOVE 0 c"),
              "T id:23|D 1|C FETCH 1|T id:23|D 2|C FETCH 1|C MOVE 1|Z T");
    EXPECT_EQ(told(sql), kRefused) << sql;
    static_cast<void>(told("ROLLBACK"));
    is_in_block_ = false;
  }
}

TEST_F(CursorTest, BoundsTheRowsKeptBehindACursor) {
  options_.limits.cursor_passed_bytes = 100'000;
  const size_t cursor = open();
  for (int64_t first = 1; first < 100'000; first += 10'000) {
    answer_of(cursor, numbers(first, first + 9'999), /*ends=*/false);
    EXPECT_EQ(told("MOVE 10000 IN c"), "C MOVE 10000|Z T");
    EXPECT_LT(session_->output_waiting(), 500'000u);
  }
  EXPECT_EQ(told("FETCH BACKWARD 2 c"), "T id:23|D 99999|D 99998|C FETCH 2|Z T");
  EXPECT_EQ(told("MOVE BACKWARD ALL c"),
            "E 54000 the rows that the cursor would go back to are not kept any longer|Z E");
}

TEST_F(CursorTest, ItsAnswerWaitsUntilItIsWanted) {
  const size_t first = open("DECLARE a CURSOR FOR SELECT id FROM tickets");
  const size_t second = open("DECLARE b CURSOR FOR SELECT id FROM tickets");
  EXPECT_EQ(session_->awaited_answer(), std::nullopt);
  answer_of(first, std::vector<int64_t>(500'000, 1), /*ends=*/false);
  EXPECT_GT(session_->output_waiting(), 4'000'000u);
  static_cast<void>(told("FETCH b"));
  EXPECT_EQ(session_->awaited_answer(), operations_[second].header().sequence());
  answer_of(second, {7}, /*ends=*/false);
  EXPECT_EQ(said(), "D 7|C FETCH 1|Z T");
  EXPECT_EQ(session_->awaited_answer(), std::nullopt);
  send(query("SELECT 1"));
  EXPECT_EQ(session_->awaited_answer(), operations_.back().header().sequence());
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|Z T");
}

TEST_F(CursorTest, ThereAreOnlySoMany) {
  options_.limits.cursors_max = 2;
  open("DECLARE a CURSOR FOR SELECT id FROM tickets");
  open("DECLARE b CURSOR FOR SELECT id FROM tickets");
  EXPECT_EQ(told("DECLARE c CURSOR FOR SELECT id FROM tickets"), "E 54000 a connection has at most 2 cursors|Z E");
}

TEST_F(CursorTest, MistakesHavePostgresCodes) {
  EXPECT_EQ(told("DECLARE c CURSOR FOR SELECT id FROM tickets"),
            "E 25P01 DECLARE CURSOR can only be used in transaction blocks|Z I");
  EXPECT_EQ(told("FETCH c"), "E 34000 cursor \"c\" does not exist|Z I");
  EXPECT_EQ(told("CLOSE c"), "E 34000 cursor \"c\" does not exist|Z I");
  EXPECT_EQ(told("CLOSE ALL"), "C CLOSE CURSOR ALL|Z I");
  for (const auto& [sql, said_of_it] : std::initializer_list<std::pair<const char*, const char*>>{
           {"DECLARE c SCROLL NO SCROLL CURSOR FOR SELECT 1", "E 42P11 cannot specify both SCROLL and NO SCROLL|Z I"},
           {"DECLARE c CURSOR FOR DELETE FROM t", "E 42601 syntax error at or near \"DELETE\" @22|Z I"},
           {"DECLARE c CURSOR SELECT 1", "E 42601 syntax error at or near \"SELECT\" @18|Z I"},
           {"FETCH ABSOLUTE FROM c", "E 42601 syntax error at or near \"FROM\" @16|Z I"},
           {"FETCH 1.5 FROM c", "E 42601 syntax error at or near \"1.5\" @7|Z I"},
           {"FETCH", "E 42601 syntax error at end of input @6|Z I"},
           {"MOVE NEXT FROM c d", "E 42601 syntax error at or near \"d\" @18|Z I"}}) {
    EXPECT_EQ(told(sql), said_of_it) << sql;
  }
  open();
  EXPECT_EQ(told("DECLARE c CURSOR FOR SELECT id FROM tickets"), "E 42P03 cursor \"c\" already exists|Z E");
}

TEST_F(CursorTest, AWrongQueryIsWrongWhenItIsDeclared) {
  send(query("BEGIN"));
  send(query("DECLARE \"ä\" CURSOR FOR SELECT nothing FROM tickets"));
  done(Result<aggregator::StatementDescription>(Error{ErrorCategory::kRejected, "42703", "no such column", "", 31}));
  EXPECT_EQ(said(), "C BEGIN|Z T|E 42703 no such column @31|Z E");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(CursorTest, AFailingScanIsTheErrorOfTheFetchThatMeetsIt) {
  const size_t cursor = open();
  answer_of(cursor, {1, 2}, /*ends=*/false);
  answer_error("22012", "division by zero");
  EXPECT_EQ(told("FETCH c; FETCH 2 c; FETCH c"), "T id:23|D 1|C FETCH 1|T id:23|D 2|E 22012 division by zero|Z E");
}

TEST_F(CursorTest, CursorsEndWithTheirBlock) {
  open();
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_ABORT);
  EXPECT_EQ(told("FETCH c"), "E 34000 cursor \"c\" does not exist|Z I");
}

TEST_F(CursorTest, OneThatIsHeldOutlivesItsBlockAndEndsWithARollback) {
  answer_of(open("DECLARE c CURSOR WITH HOLD FOR SELECT id FROM tickets"), {1, 2, 3});
  EXPECT_EQ(told("FETCH c; COMMIT; FETCH c"), "T id:23|D 1|C FETCH 1|C COMMIT|T id:23|D 2|C FETCH 1|Z I");
  EXPECT_EQ(told("BEGIN; FETCH 9 FROM d"), "C BEGIN|E 34000 cursor \"d\" does not exist|Z E");
  EXPECT_EQ(told("ROLLBACK; FETCH c"), "C ROLLBACK|T id:23|D 3|C FETCH 1|Z I");
  EXPECT_EQ(told("CLOSE c; FETCH c"), "C CLOSE CURSOR|E 34000 cursor \"c\" does not exist|Z I");
  is_in_block_ = false;
  open("DECLARE c CURSOR WITH HOLD FOR SELECT id FROM tickets");
  EXPECT_EQ(told("ROLLBACK; FETCH c"), "C ROLLBACK|E 34000 cursor \"c\" does not exist|Z I");
  is_in_block_ = true;  // None is needed.
  answer_of(open("DECLARE c CURSOR WITH HOLD FOR SELECT id FROM tickets"), {1});
  EXPECT_EQ(told("FETCH c; DISCARD ALL; FETCH c"),
            "T id:23|D 1|C FETCH 1|C DISCARD ALL|E 34000 cursor \"c\" does not exist|Z I");
  EXPECT_EQ(session_->output_waiting(), 0u);
}

TEST_F(CursorTest, StatementsOfOneMessageAreABlockForIt) {
  EXPECT_EQ(told("DECLARE c CURSOR FOR SELECT id FROM tickets; FETCH c"), "C DECLARE CURSOR|T id:23");
  answer_of(0, {1});
  EXPECT_EQ(said(), "D 1|C FETCH 1|Z I");
  EXPECT_EQ(told("FETCH c"), "E 34000 cursor \"c\" does not exist|Z I");
}

TEST_F(CursorTest, ABinaryOneGivesBinaryValues) {
  answer_of(open("DECLARE c BINARY CURSOR FOR SELECT id FROM tickets"), {7});
  send(query("FETCH c"));
  EXPECT_NE(taken().find("\0\1\0\0\0\4\0\0\0\7"s), std::string::npos);
}

TEST_F(CursorTest, TheProtocolDescribesCursorsAndFetchesInItsFormats) {
  send(query("BEGIN") + parse("", "DECLARE c CURSOR FOR SELECT id FROM tickets WHERE id > $1", {23}) +
       bind("", "", {"12"}) + execute("") + sync());
  described({semantics::TypeKind::kInt});
  works_.clear();
  EXPECT_EQ(said(), "C BEGIN|Z T|1|2|C DECLARE CURSOR|Z T");
  wire::v1::StatementBody body;
  ASSERT_TRUE(body.ParseFromString(operations_.back().body()));
  EXPECT_EQ(body.parameters_size(), 1);
  EXPECT_EQ(body.sql(), std::string(21, ' ') + "SELECT id FROM tickets WHERE id > $1");
  answer_of(0, {13, 14, 15});
  send(message('D', "P" + text("c")) + sync());
  EXPECT_EQ(said(), "T id:23|Z T");
  send(parse("", "FETCH FORWARD 2 FROM c") +
       message('B', text("") + text("") + number16(0) + number16(0) + number16(1) + number16(1)) +
       message('D', "P" + text("")) + execute("") + sync());
  const std::string bytes = taken();
  EXPECT_NE(bytes.find("\0\0\0\4\0\0\0\15"s), std::string::npos);
  EXPECT_NE(bytes.find("FETCH 2"), std::string::npos);
  send(parse("", "FETCH 5 c") + bind("", "") + execute("", 1) + execute("", 1) + sync());
  EXPECT_EQ(said(), "1|2|D 15|s|C FETCH 0|Z T");
  send(execute("c") + sync());
  EXPECT_EQ(said(), "E 0A000 Execute of a cursor that DECLARE made is not supported|Z E");
}

TEST_F(CursorTest, ACancelReachesTheScanOfAFetch) {
  const size_t cursor = open();
  static_cast<void>(told("FETCH c"));
  session_->cancel(now_);
  deliver();
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_ABORT);
  EXPECT_EQ(operations_.back().header().abort_sequence(), operations_[cursor].header().sequence());
  operations_.pop_back();
  answer_error("57014", "aborted");
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z E");
}

TEST_F(CursorTest, TheTimeoutIsOfEachFetch) {
  static_cast<void>(told("SET statement_timeout = '2s'"));
  open();
  EXPECT_EQ(operations_.back().header().remaining_ns(), static_cast<uint64_t>(600 * kSecond));
  EXPECT_EQ(session_->next_deadline(), kNever);
  EXPECT_EQ(told("FETCH c"), "T id:23");
  EXPECT_EQ(session_->next_deadline(), after(now_, 2 * kSecond));
  session_->on_deadline(after(now_, 2 * kSecond));
  deliver();
  EXPECT_EQ(said(), "E 57014 canceling statement due to statement timeout|Z E");
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_ABORT);
}

TEST_F(CursorTest, InRepeatableReadAClosedOneIsDeclaredAgainWithTheSameAnswer) {
  send(query("START TRANSACTION ISOLATION LEVEL REPEATABLE READ"));
  send(query("DECLARE c CURSOR FOR SELECT id FROM tickets"));
  is_in_block_ = true;
  answer_held(7);
  described_if_asked();
  static_cast<void>(said());
  answer_of(operations_.size() - 1, {1, 2});
  const size_t asked = operations_.size();
  EXPECT_EQ(told("FETCH 1 FROM c; CLOSE c"), "T id:23|D 1|C FETCH 1|C CLOSE CURSOR|Z T");
  EXPECT_EQ(told("DECLARE e CURSOR FOR SELECT id FROM tickets"), "C DECLARE CURSOR|Z T");
  EXPECT_EQ(told("FETCH 2 FROM e"), "T id:23|D 1|D 2|C FETCH 2|Z T");
  EXPECT_EQ(operations_.size(), asked);
  EXPECT_EQ(told("FETCH 1 FROM c"), "E 34000 cursor \"c\" does not exist|Z E");
}

}  // namespace
}  // namespace daedalus::postgres::testing

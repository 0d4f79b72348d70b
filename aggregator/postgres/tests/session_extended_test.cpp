// The extended protocol.
#include <fmt/format.h>

#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using namespace std::string_literals;
using semantics::TypeKind;

class ExtendedTest : public SessionTest {
 protected:
  ExtendedTest() { log_in(); }
  void prepare(const std::string& name = "", std::vector<aggregator::ParameterKind> parameters = {}) {
    works_.clear();
    send(parse(name, "SELECT id FROM tickets"));
    if (!works_.empty()) {  // Else it is known already.
      described(std::move(parameters));
    }
    ASSERT_EQ(said(), "1");
  }
};

TEST_F(ExtendedTest, AStatementIsPreparedDescribedBoundAndExecuted) {
  send(parse("s", "SELECT id FROM tickets WHERE id = $1", {0}) + message('D', "S" + text("s")) +
       bind("p", "s", {"12"}) + message('D', "P" + text("p")) + execute("p") + sync());
  ASSERT_EQ(works_.size(), 1u);
  EXPECT_EQ(std::get<Work::Describe>(works_[0].what).declared,
            (std::vector<std::optional<aggregator::ParameterKind>>{std::nullopt}));
  described({TypeKind::kInt});
  EXPECT_EQ(said(), "1|t 23|T id:23|2|T id:23");
  wire::v1::StatementBody body;
  ASSERT_TRUE(body.ParseFromString(operations_.back().body()));
  ASSERT_EQ(body.parameters_size(), 1);
  EXPECT_EQ(body.parameters(0).type().kind(), wire::v1::TYPE_KIND_INT);
  answer_rows({12});
  EXPECT_EQ(said(), "D 12|C SELECT 1|Z I");
}

TEST_F(ExtendedTest, DeclaredTypesAreKeptAndUnknownOnesRefused) {
  send(parse("", "SELECT $1", {20}));
  EXPECT_EQ(std::get<Work::Describe>(works_[0].what).declared,
            (std::vector<std::optional<aggregator::ParameterKind>>{TypeKind::kBigint}));
  described({TypeKind::kBigint});
  send(message('D', "S" + text("")));
  EXPECT_EQ(said(), "1|t 20|T id:23");
  send(parse("", "SELECT $1", {1266}));
  EXPECT_EQ(said(), "E 0A000 a parameter of the type with OID 1266 is not supported");
}

TEST_F(ExtendedTest, ArraysComeAsTextAndInBinary) {
  const std::string binary = std::string("\0\0\0\1\0\0\0\1\0\0\0\x17\0\0\0\2\0\0\0\1", 20) +
                             std::string("\0\0\0\4\0\0\0\7\xff\xff\xff\xff", 12);
  for (const uint16_t format : {0, 1}) {
    send(parse("", "SELECT id FROM t WHERE id = ANY ($1)", {1007}));
    if (format == 0) {
      EXPECT_EQ(std::get<Work::Describe>(works_[0].what).declared,
                (std::vector<std::optional<aggregator::ParameterKind>>{{{TypeKind::kInt, true}}}));
      described({{TypeKind::kInt, true}});
    }
    send(message('D', "S" + text("")));
    EXPECT_EQ(said(), "1|t 1007|T id:23");
    send(bind("", "", {format == 0 ? "{7,NULL}" : binary}, {format}) + execute("") + sync());
    wire::v1::StatementBody body;
    ASSERT_TRUE(body.ParseFromString(operations_.back().body()));
    EXPECT_TRUE(body.parameters(0).is_array());
    EXPECT_EQ(body.parameters(0).text(), format == 0 ? "{7,NULL}" : "{\"7\",NULL}");
    answer_rows({7});
    static_cast<void>(said());
  }
  send(parse("", "SELECT id FROM t WHERE id = ANY ($1)", {1007}));
  send(bind("", "", {binary.substr(0, 30)}, {1}) + sync());
  EXPECT_EQ(said(), "1|E 22P03 incorrect binary data format in an array in unnamed portal parameter $1|Z I");
}

/// Whatever its type and format: one that nothing could take has ended the process.
TEST_F(ExtendedTest, LongTextsAreParametersUpToABound) {
  for (const uint32_t oid : {0, 25, 1043}) {
    for (const size_t size : {size_t{4'096}, size_t{4'097}, size_t{65'535}, size_t{65'536}, size_t{1} << 20}) {
      for (const uint16_t format : {0, 1}) {
        works_.clear();
        send(parse("", fmt::format("SELECT id FROM tickets WHERE name = ${} -- {}", 1, oid), {oid}));
        if (!works_.empty()) {
          described({TypeKind::kVarchar});
        }
        send(bind("", "", {std::string(size, 'x')}, {format}) + sync());
        const std::string heard = said();
        EXPECT_EQ(heard.find("E 54000") != std::string::npos, size > 65'535) << heard.substr(0, 200);
        EXPECT_EQ(heard.find("E 08P01"), std::string::npos) << heard.substr(0, 200);
      }
    }
  }
  std::string list = "{1";
  while (list.size() < 70'000) {
    list += ",123456";
  }
  send(parse("", "SELECT id FROM t WHERE id = ANY ($1) -- list", {1007}));
  described({{TypeKind::kInt, true}});
  send(bind("", "", {list + "}"}, {0}) + sync());
  EXPECT_NE(said().find("E 54000"), std::string::npos);
}

TEST_F(ExtendedTest, AStatementIsDescribedOnceForAllConnections) {
  const std::string whole = parse("", "SELECT $1", {20}) + message('D', "S" + text(""));
  send(whole);
  described({TypeKind::kBigint});
  EXPECT_EQ(said(), "1|t 20|T id:23");
  log_in();
  send(whole);
  EXPECT_EQ(said(), "1|t 20|T id:23");
  EXPECT_EQ(works_.size(), 1u);
  send(parse("", "SELECT $1", {21}));
  EXPECT_EQ(works_.size(), 2u);
}

TEST_F(ExtendedTest, RowLimitsSuspendThePortal) {
  prepare();
  send(message('B', text("p") + text("") + number16(0) + number16(0) + number16(0)) + execute("p", 2));
  answer_rows({1, 2, 3, 4, 5}, /*ends=*/false);
  EXPECT_EQ(said(), "2|D 1|D 2|s");
  send(execute("p", 2));
  EXPECT_EQ(said(), "D 3|D 4|s");
  send(execute("p", 2));
  EXPECT_EQ(said(), "D 5");
  answer_end();
  EXPECT_EQ(said(), "C SELECT 1");
  EXPECT_EQ(session_->output_waiting(), 0u);
  send(execute("p") + sync());
  EXPECT_EQ(said(), "C SELECT 0|Z I");
}

TEST_F(ExtendedTest, ASuspendedPortalEndsWithItsTransaction) {
  prepare();
  send(bind("", "") + execute("", 1));
  answer_rows({1, 2, 3}, /*ends=*/false);
  send(sync());
  EXPECT_EQ(said(), "2|D 1|s|Z I");
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_ABORT);
  EXPECT_EQ(session_->output_waiting(), 0u);
  send(execute("", 1) + sync());
  EXPECT_EQ(said(), "E 34000 portal \"\" does not exist|Z I");
}

TEST_F(ExtendedTest, InABlockAPortalOutlivesASync) {
  prepare("s");
  send(query("BEGIN") + bind("c", "s") + execute("c", 1) + sync());
  answer_rows({1, 2}, /*ends=*/false);
  answer_end();
  send(execute("c", 1) + sync());
  EXPECT_EQ(said(), "C BEGIN|Z T|2|D 1|s|Z T|D 2|s|Z T");
  send(query("COMMIT") + execute("c", 1) + sync());
  EXPECT_EQ(said(), "C COMMIT|Z I|E 34000 portal \"c\" does not exist|Z I");
}

TEST_F(ExtendedTest, ASimpleQueryEndsWhatHasNoName) {
  prepare();
  send(query("BEGIN"));
  EXPECT_EQ(said(), "C BEGIN|Z T");
  send(bind("", "") + sync());
  EXPECT_EQ(said(), "E 26000 unnamed prepared statement does not exist|Z E");
  send(query("ROLLBACK; BEGIN"));
  EXPECT_EQ(said(), "C ROLLBACK|C BEGIN|Z T");
  prepare();
  send(bind("", "") + bind("p", "") + execute("", 1) + sync());
  answer_rows({1, 2}, /*ends=*/false);
  EXPECT_EQ(said(), "2|2|D 1|s|Z T");
  send(query("") + execute("", 1) + sync());  // A text without statements runs in no portal.
  EXPECT_EQ(said(), "I|Z T|D 2|s|Z T");
  send(query("SHOW jit") + message('D', "P" + text("p")) + execute("", 1) + sync());
  EXPECT_EQ(said(), "T jit:25|D off|C SHOW|Z T|T id:23|E 34000 portal \"\" does not exist|Z E");
}

TEST_F(ExtendedTest, DescribesAStatementThatFailsWhenItIsBound) {
  aggregator::StatementDescription description;
  description.columns.push_back({"x", {TypeKind::kInt}, true, std::nullopt});
  description.mistake = rejected("22012", "division by zero");
  send(parse("", "SELECT 1 / 0 AS x") + message('D', "S" + text("")) + bind("", "") + execute("") + sync());
  done(Result<aggregator::StatementDescription>(description));
  EXPECT_EQ(said(), "1|t|T x:23|E 22012 division by zero|Z I");
  send(query("BEGIN") + query("DECLARE c CURSOR FOR SELECT 1 / 0 AS x"));
  done(Result<aggregator::StatementDescription>(description));
  EXPECT_EQ(said(), "C BEGIN|Z T|E 22012 division by zero|Z E");
}

TEST_F(ExtendedTest, AfterAnErrorEverythingIsSkippedUpToSync) {
  send(parse("", "SELECT nothing") + bind("", "") + execute("") + message('D', "P" + text("")) + query("SELECT 1") +
       sync() + query("SHOW jit"));
  done(Result<aggregator::StatementDescription>(rejected("42703", "no such column")));
  EXPECT_EQ(said(), "E 42703 no such column|Z I|T jit:25|D off|C SHOW|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(ExtendedTest, WrongCountsAndNamesAreOneErrorEach) {
  prepare("s", {TypeKind::kInt});
  for (const auto& [bytes, told] : std::initializer_list<std::pair<std::string, const char*>>{
           {bind("", "s"), "E 08P01 bind message supplies 0 parameters, but prepared statement \"s\" requires 1"},
           {bind("", "s", {"1", "2"}),
            "E 08P01 bind message supplies 2 parameters, but prepared statement \"s\" requires 1"},
           {bind("", "t"), "E 26000 prepared statement \"t\" does not exist"},
           {execute("p"), "E 34000 portal \"p\" does not exist"},
           {parse("s", "SELECT 1"), "E 42P05 prepared statement \"s\" already exists"},
           {message('B',
                    text("") + text("s") + number16(1) + number16(2) + number16(1) + number32(1) + "1" + number16(0)),
            "E 22023 unsupported format code: 2"},
           {message('B',
                    text("") + text("s") + number16(1) + number16(1) + number16(1) + number32(1) + "1" + number16(0)),
            "E 08P01 insufficient data left in message in unnamed portal parameter $1"},
       }) {
    send(bytes + sync());
    EXPECT_EQ(said(), told + "|Z I"s);
  }
  send(bind("", "s", {"1"}) + execute("") + sync());
  answer_rows({1});
  EXPECT_EQ(said(), "2|D 1|C SELECT 1|Z I");
}

TEST_F(ExtendedTest, NamedStatementsAreBounded) {
  options_.limits.statements_max = 2;
  prepare("a");
  prepare("b");
  send(parse("c", "SELECT 1") + sync());
  EXPECT_EQ(said().substr(0, 8), "E 54000 ");
  send(message('C', "S" + text("a")) + sync());
  EXPECT_EQ(said(), "3|Z I");
  prepare("c");
  send(query("DEALLOCATE c; DEALLOCATE ALL; DEALLOCATE c"));
  EXPECT_EQ(said(), "C DEALLOCATE|C DEALLOCATE ALL|E 26000 prepared statement \"c\" does not exist|Z I");
}

TEST_F(ExtendedTest, PortalsAreBounded) {
  options_.limits.portals_max = 2;
  options_.limits.portal_bytes_max = 10;
  prepare("s", {TypeKind::kInt});
  send(bind("a", "s", {"12345"}) + bind("b", "s", {"1234567890"}) + sync());
  EXPECT_EQ(said().substr(0, 10), "2|E 54000 ");
  send(bind("a", "s", {"1"}) + bind("b", "s", {"2"}) + bind("c", "s", {"3"}) + sync());
  EXPECT_EQ(said().substr(0, 12), "2|2|E 54000 ");
  send(bind("c", "s", {"1234567890"}) + sync());
  EXPECT_EQ(said(), "2|Z I");
}

TEST_F(ExtendedTest, ClosingWhatIsNotThereIsNoError) {
  send(message('C', "S" + text("x")) + message('C', "P" + text("x")) + sync());
  EXPECT_EQ(said(), "3|3|Z I");
}

TEST_F(ExtendedTest, CommandsOfTheSessionArePreparedToo) {
  send(parse("", "BEGIN") + bind("", "") + message('D', "P" + text("")) + execute("") + sync());
  EXPECT_EQ(said(), "1|2|n|C BEGIN|Z T");
  send(parse("", "SHOW jit") + bind("", "") + message('D', "P" + text("")) + execute("") + sync());
  EXPECT_EQ(said(), "1|2|T jit:25|D off|C SHOW|Z T");
  send(parse("", "COMMIT") + bind("", "") + execute("") + sync());
  EXPECT_EQ(said(), "1|2|C COMMIT|Z I");
  send(parse("", "") + bind("", "") + execute("") + sync());
  EXPECT_EQ(said(), "1|2|I|Z I");
}

TEST_F(ExtendedTest, InsertsUpToSyncAreOneUpdate) {
  send(parse("i", "INSERT INTO t VALUES ($1)"));
  described({TypeKind::kInt}, /*has_columns=*/false);
  send(bind("", "i", {"1"}) + execute("") + bind("", "i", {"2"}) + execute("") + sync());
  compiled_insert(1);
  compiled_insert(1);
  ASSERT_EQ(operations_.size(), 1u);
  EXPECT_EQ(said(), "1|2");
  answer_confirmed(2);
  EXPECT_EQ(said(), "C INSERT 0 1|2|C INSERT 0 1|Z I");
}

TEST_F(ExtendedTest, DescribesAndSendsTheRowsThatAnInsertReturns) {
  send(parse("", "INSERT INTO t VALUES ($1) RETURNING id") + bind("", "", {"7"}) + execute("") + sync());
  described({semantics::TypeKind::kInt});
  compiled_returning({7});
  answer_confirmed(1);
  EXPECT_EQ(said(), "1|2|D 7|C INSERT 0 1|Z I");
}

TEST_F(ExtendedTest, RowLimitsSuspendWhatAnInsertReturns) {
  send(parse("", "INSERT INTO t VALUES ($1) RETURNING id") + bind("", "", {"7"}) + execute("", 2) + execute("", 2) +
       sync());
  described({semantics::TypeKind::kInt});
  compiled_returning({7, 8, 9});
  EXPECT_EQ(works_.size(), 2u);  // It is compiled, and inserts, once.
  answer_confirmed(3);
  EXPECT_EQ(said(), "1|2|D 7|D 8|s|D 9|C INSERT 0 3|Z I");
}

TEST_F(ExtendedTest, AnUpdateThatFailsAtSyncIsTheErrorOfItsFirstWrite) {
  send(parse("i", "INSERT INTO t VALUES (1)"));
  described({}, /*has_columns=*/false);
  send(bind("", "i") + execute("") + bind("", "i") + execute("") + sync());
  compiled_insert(1);
  compiled_insert(1);
  answer_error("57P03", "no writer");
  EXPECT_EQ(said(), "1|2|E 57P03 no writer|Z I");
  send(query("SHOW jit"));
  EXPECT_EQ(said(), "T jit:25|D off|C SHOW|Z I");
}

TEST_F(ExtendedTest, AFlushTellsWhatIsKnownOfWrites) {
  send(parse("i", "INSERT INTO t VALUES (1)"));
  described({}, /*has_columns=*/false);
  send(bind("", "i") + execute("") + message('H', ""));
  compiled_insert(1);
  EXPECT_EQ(said(), "1|2|C INSERT 0 1");
  send(sync());
  answer_confirmed(1);
  EXPECT_EQ(said(), "Z I");
  send(parse("u", "UPDATE t SET a = 1"));
  described({}, /*has_columns=*/false);
  send(bind("", "u") + execute("") + message('H', ""));
  compiled_update();
  answer_confirmed(4);
  EXPECT_EQ(said(), "1|2|C UPDATE 4");
  send(sync());
  EXPECT_EQ(said(), "Z I");
}

TEST_F(ExtendedTest, ACancelWhileAStatementIsDescribedIsItsError) {
  send(parse("", "SELECT 1") + sync());
  session_->cancel(now_);
  described();
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z I");
}

TEST_F(ExtendedTest, AnswersOfOtherTypesThanDescribedAreRefused) {
  send(parse("", "SELECT id FROM tickets"));
  aggregator::StatementDescription description;
  description.columns.push_back({"id", {TypeKind::kText}, true, std::nullopt});
  done(Result<aggregator::StatementDescription>(std::move(description)));
  send(bind("", "") + execute("") + sync());
  answer_rows({1});
  EXPECT_EQ(said(), "1|2|E 0A000 the values change the types of the answer that was described|Z I");
}

}  // namespace
}  // namespace daedalus::postgres::testing

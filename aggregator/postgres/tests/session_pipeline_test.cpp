// Queries that run beside each other.
#include <algorithm>
#include <numeric>
#include <random>

#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

class PipelineTest : public SessionTest {
 protected:
  PipelineTest() { log_in(); }
  void prepare(const std::string& name = "s") {
    works_.clear();
    send(parse(name, "SELECT id FROM tickets"));
    if (!works_.empty()) {
      described();
    }
    said();
  }
  static std::string once(const std::string& statement = "s") {
    return testing::bind("", statement) + execute("");  // Not std::bind, which its arguments would find.
  }
  /// Answers the operation of this number.
  void rows_of(size_t operation, const std::vector<int64_t>& values, bool ends = true) {
    answered_ = operation;
    rows_began_ = false;
    answer_rows(values, ends);
  }
  void error_of(size_t operation, const std::string& sqlstate = "22012") {
    answered_ = operation;
    answer_error(sqlstate, "it failed");
  }
  [[nodiscard]] size_t count(wire::v1::OperationKind kind) const {
    return static_cast<size_t>(std::count_if(operations_.begin(), operations_.end(),
                                             [&](const auto& each) { return each.header().kind() == kind; }));
  }
  [[nodiscard]] size_t asked() const { return count(wire::v1::OPERATION_KIND_STATEMENT); }
  [[nodiscard]] size_t aborted() const { return count(wire::v1::OPERATION_KIND_ABORT); }
};

TEST_F(PipelineTest, QueriesRunBesideEachOtherAndAreAnsweredInOrder) {
  prepare();
  send(once() + once() + sync() + once() + sync());
  ASSERT_EQ(asked(), 3u);
  rows_of(2, {3});
  rows_of(1, {2});
  EXPECT_EQ(said(), "2");
  rows_of(0, {1});
  EXPECT_EQ(said(), "D 1|C SELECT 1|2|D 2|C SELECT 1|Z I|2|D 3|C SELECT 1|Z I");
  EXPECT_EQ(session_->output_waiting(), 0u);
}

TEST_F(PipelineTest, RowsOfTheFirstGoOutAsTheyCome) {
  prepare();
  send(once() + once() + sync());
  rows_of(0, {1, 2}, /*ends=*/false);
  EXPECT_EQ(said(), "2|D 1|D 2");
  answer_end();
  EXPECT_EQ(said(), "C SELECT 2|2");
  rows_of(1, {}, /*ends=*/true);
  EXPECT_EQ(said(), "C SELECT 0|Z I");
}

TEST_F(PipelineTest, SkipsMessagesBehindAnErrorUpToSync) {
  prepare();
  send(once() + once() + once() + sync() + once() + sync());
  rows_of(2, {3});
  error_of(1);
  rows_of(0, {1});
  EXPECT_EQ(said(), "2|D 1|C SELECT 1|2|E 22012 it failed|Z I|2");
  rows_of(3, {4});
  EXPECT_EQ(said(), "D 4|C SELECT 1|Z I");
  EXPECT_EQ(session_->output_waiting(), 0u);
}

TEST_F(PipelineTest, StopsQueriesThatRunBehindAnError) {
  prepare();
  send(once() + once());
  error_of(0);
  EXPECT_EQ(said(), "2|E 22012 it failed");
  EXPECT_EQ(aborted(), 1u);
  send(once() + parse("later", "SELECT id FROM tickets") + sync());
  EXPECT_EQ(said(), "Z I");
  EXPECT_EQ(asked(), 2u);
  send(bind("", "later") + sync());
  EXPECT_EQ(said(), "E 26000 prepared statement \"later\" does not exist|Z I");
}

TEST_F(PipelineTest, AMistakeOfTheClientWaitsItsTurn) {
  prepare();
  send(once() + bind("", "nothing") + execute("") + sync() + once() + sync());
  EXPECT_EQ(said(), "2");
  rows_of(0, {1});
  EXPECT_EQ(said(), "D 1|C SELECT 1|E 26000 prepared statement \"nothing\" does not exist|Z I|2");
  rows_of(1, {2});
  EXPECT_EQ(said(), "D 2|C SELECT 1|Z I");
  // An earlier one takes it with it.
  operations_.clear();
  send(once() + bind("", "nothing") + sync());
  error_of(0);
  EXPECT_EQ(said(), "2|E 22012 it failed|Z I");
}

TEST_F(PipelineTest, TheStatementWithoutANameIsWhatItWasBeforeAnError) {
  prepare("");
  send(bind("", "") + execute("") + parse("", "SELECT id, 1 FROM tickets"));
  described();
  send(bind("", "") + execute("") + sync());
  error_of(0);
  EXPECT_EQ(said(), "2|E 22012 it failed|Z I");
  operations_.clear();
  send(bind("", "") + execute("") + sync());
  EXPECT_EQ(asked_sql(), "SELECT id FROM tickets");
}

TEST_F(PipelineTest, AParseThatWaitsIsForgottenWithWhatFailed) {
  prepare();
  send(once() + parse("", "SELECT id FROM tickets WHERE id = 1"));
  error_of(0);
  send(sync());
  described();  // Too late.
  EXPECT_EQ(said(), "2|E 22012 it failed|Z I");
  send(bind("", "") + sync());
  EXPECT_EQ(said(), "E 26000 unnamed prepared statement does not exist|Z I");
}

TEST_F(PipelineTest, WritesAndNamesWaitUntilAllQueriesHaveEnded) {
  prepare();
  prepare("kept");
  works_.clear();
  send(once() + message('C', "S" + text("kept")) + parse("other", "SELECT id FROM tickets") + sync());
  EXPECT_EQ(said(), "2");
  error_of(0);
  EXPECT_EQ(said(), "E 22012 it failed|Z I");
  operations_.clear();
  send(once("kept") + sync());
  rows_of(0, {7});
  EXPECT_EQ(said(), "2|D 7|C SELECT 1|Z I");
}

TEST_F(PipelineTest, InABlockASyncWaits) {
  prepare();
  send(query("BEGIN") + once() + once() + sync() + once() + sync());
  EXPECT_EQ(asked(), 2u);
  error_of(0);
  EXPECT_EQ(said(),
            "C BEGIN|Z T|2|E 22012 it failed|Z E|"
            "E 25P02 current transaction is aborted, commands ignored until end of transaction block|Z E");
}

TEST_F(PipelineTest, ACancelStopsTheOneWhoseTurnItIs) {
  prepare();
  send(once() + sync() + once() + sync());
  session_->cancel(now_);
  deliver();
  ASSERT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_ABORT);
  EXPECT_EQ(operations_.back().header().abort_sequence(), operations_[0].header().sequence());
  error_of(0, "57014");
  rows_of(1, {2});
  EXPECT_EQ(said(), "2|E 57014 canceling statement due to user request|Z I|2|D 2|C SELECT 1|Z I");
}

TEST_F(PipelineTest, RowsBeforeTheirTurnAreBoundedAndAskedForAgain) {
  options_.limits.pipeline_bytes_max = 100;
  log_in();
  prepare();
  send(once() + once() + sync());
  const std::vector<int64_t> many(40, 5);
  rows_of(1, many, /*ends=*/false);
  EXPECT_EQ(aborted(), 1u);
  EXPECT_EQ(said(), "2");
  EXPECT_EQ(session_->output_waiting(), 0u);
  answer_end();  // The aborted query ends; nobody waits for it any longer.
  EXPECT_EQ(asked(), 2u);
  rows_of(0, {1});
  EXPECT_EQ(said(), "D 1|C SELECT 1|2");
  ASSERT_EQ(asked(), 3u);
  rows_of(operations_.size() - 1, many);
  EXPECT_EQ(said().substr(0, 7), "D 5|D 5");
}

TEST_F(PipelineTest, QueriesUnderWayAreBounded) {
  options_.limits.pipeline_max = 3;
  log_in();
  prepare();
  std::string bytes;
  for (int number = 0; number < 5; ++number) {
    bytes += once();
  }
  send(bytes + sync());
  EXPECT_EQ(asked(), 3u);
  for (size_t number = 0; number < 5; ++number) {
    ASSERT_LT(number, asked());
    rows_of(number, {static_cast<int64_t>(number)});
  }
  EXPECT_EQ(said(), "2|D 0|C SELECT 1|2|D 1|C SELECT 1|2|D 2|C SELECT 1|2|D 3|C SELECT 1|2|D 4|C SELECT 1|Z I");
}

/// Whatever order answers come in, and whichever fail, a client sees what it would if they ran one after the other.
TEST_F(PipelineTest, AnyOrderOfAnswersIsTheSameToTheClient) {
  constexpr size_t kRounds = 200;
  std::mt19937 random(1);
  const auto one_in = [&](uint32_t n) { return random() % n == 0; };
  for (size_t round = 0; round < kRounds; ++round) {
    log_in();
    operations_.clear();
    prepare();
    const size_t queries = 1 + random() % 12;
    std::vector<bool> fails(queries);
    std::string bytes;
    std::string expected;
    bool skips = false;
    std::vector<size_t> sent;  // Queries by the number of their operation.
    for (size_t number = 0; number < queries; ++number) {
      fails[number] = one_in(4);
      bytes += once();
      sent.push_back(number);
      if (!skips) {
        expected += "2|" +
                    (fails[number] ? std::string("E 22012 it failed") : "D " + std::to_string(number) + "|C SELECT 1") +
                    "|";
        skips = fails[number];
      }
      if (one_in(3) || number + 1 == queries) {
        bytes += sync();
        expected += "Z I|";
        skips = false;
      }
    }
    send(bytes);
    ASSERT_EQ(asked(), queries);
    std::shuffle(sent.begin(), sent.end(), random);
    for (const size_t number : sent) {
      if (fails[number]) {
        error_of(number);
      } else {
        rows_of(number, {static_cast<int64_t>(number)});
      }
    }
    expected.pop_back();
    ASSERT_EQ(said(), expected) << "round " << round;
    ASSERT_EQ(session_->output_waiting(), 0u);
  }
}

}  // namespace
}  // namespace daedalus::postgres::testing

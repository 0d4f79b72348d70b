// Statements with names go by handle once they run again.
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using semantics::Column;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

class SessionHandlesTest : public SessionTest {
 protected:
  SessionHandlesTest() { log_in(); }

  void prepare(const std::string& name, const std::string& sql = "SELECT id FROM tickets") {
    works_.clear();
    send(parse(name, sql));
    if (!works_.empty()) {
      described();
    }
    said();
  }
  void run(const std::string& name) { send(testing::bind("", name) + execute("") + sync()); }
  void run_and_answer(const std::string& name) {
    run(name);
    rows_began_ = false;
    answer_rows({7});
    EXPECT_EQ(said(), "2|D 7|C SELECT 1|Z I");
  }

  [[nodiscard]] uint32_t asked_handle() const { return operations_.back().header().shape_handle(); }

  /// The row of one int with which the latest operation is answered, by handle.
  void answer_by_handle(const std::vector<Column>& columns, uint64_t definition, int64_t value) {
    wire::v1::Result result;
    auto& rows = *result.mutable_rows();
    rows.set_shape_sequence(definition);
    for (const Column& column : columns) {
      *rows.add_columns() = contract::from_column(column);
    }
    const std::vector<Type> types{Type{TypeKind::kInt}};
    semantics::append_packed_row(types, std::vector<Value>{value}, *rows.mutable_rows());
    rows.set_row_count(1);
    answer(std::move(result));
  }

  /// Has run it twice: it is in a handle. Returns the definition's sequence.
  uint64_t defined(const std::string& name) {
    run_and_answer(name);
    run_and_answer(name);
    return definitions_.back().header().sequence();
  }

  const std::vector<Column> columns_{{"id", {TypeKind::kInt}, true, std::nullopt}};
};

TEST_F(SessionHandlesTest, AStatementWithANameGoesBySlotFromItsSecondRunOn) {
  prepare("s");
  run_and_answer("s");
  EXPECT_EQ(asked_sql(), "SELECT id FROM tickets");
  EXPECT_EQ(asked_handle(), 0u);
  EXPECT_TRUE(definitions_.empty());
  for (int again = 0; again < 3; ++again) {
    run_and_answer("s");
    EXPECT_EQ(asked_sql(), "");
    EXPECT_EQ(asked_handle(), 1u);
  }
  ASSERT_EQ(definitions_.size(), 1u);
  EXPECT_EQ(definitions_[0].header().shape_handle(), 1u);
  wire::v1::ShapeBody shape;
  ASSERT_TRUE(shape.ParseFromString(definitions_[0].body()));
  EXPECT_EQ(shape.sql(), "SELECT id FROM tickets");
  EXPECT_LT(definitions_[0].header().sequence(), operations_.back().header().sequence());
}

TEST_F(SessionHandlesTest, SendsUnnamedAndLongStatementsWhole) {
  prepare("");
  prepare("long", "SELECT id FROM tickets WHERE id = 1" + std::string(contract::kShapeBytesMax, ' '));
  for (const char* const name : {"", "long"}) {
    for (int again = 0; again < 3; ++again) {
      run_and_answer(name);
      EXPECT_EQ(asked_handle(), 0u);
    }
  }
  EXPECT_TRUE(definitions_.empty());
}

TEST_F(SessionHandlesTest, ColumnsComeOnceAndOthersWithTheirAnswer) {
  prepare("s");
  const uint64_t definition = defined("s");
  for (const bool have_columns : {true, false, false}) {
    run("s");
    answer_by_handle(have_columns ? columns_ : std::vector<Column>(), definition, 8);
    answer_end();
    EXPECT_EQ(said(), "2|D 8|C SELECT 1|Z I");
  }
  run("s");
  answer_by_handle({{"id", {TypeKind::kNumeric}, true, std::nullopt}}, 0, 8);
  answer_end();
  EXPECT_NE(said().find("E 0A000 the values change the types"), std::string::npos);
  run("s");
  answer_by_handle({}, definition, 9);
  answer_end();
  EXPECT_EQ(said(), "2|D 9|C SELECT 1|Z I");
}

TEST_F(SessionHandlesTest, SendsColumnsInTheFormatOfEachBind) {
  prepare("s");
  const uint64_t definition = defined("s");
  run("s");
  answer_by_handle(columns_, definition, 8);
  answer_end();
  static_cast<void>(said());
  const std::string binary = message('B', text("") + text("s") + number16(0) + number16(0) + number16(1) + number16(1));
  send(binary + execute("") + sync());
  answer_by_handle({}, definition, 8);
  answer_end();
  EXPECT_NE(taken().find(std::string("\0\0\0\4\0\0\0\x08", 8)), std::string::npos);
  run("s");
  answer_by_handle({}, definition, 8);
  answer_end();
  EXPECT_EQ(said(), "2|D 8|C SELECT 1|Z I");
}

TEST_F(SessionHandlesTest, ADescriptionIsKeptForItsFormatsAndTable) {
  prepare("s");
  const auto described_in = [&](uint16_t format) {
    send(message('B', text("") + text("s") + number16(0) + number16(0) + number16(1) + number16(format)) +
         message('D', "P" + text("")) + sync());
    return taken();
  };
  const std::string first = described_in(0);
  EXPECT_EQ(described_in(0), first);
  const std::string binary = described_in(1);
  EXPECT_NE(binary, first);
  EXPECT_EQ(described_in(1), binary);
  EXPECT_EQ(described_in(0), first);
  const uint64_t kept = kept_->taken();
  EXPECT_GT(kept, std::string("SELECT id FROM tickets").size());
  EXPECT_EQ(described_in(1), binary);
  EXPECT_EQ(kept_->taken(), kept);
}

TEST_F(SessionHandlesTest, ColumnsAreLearntFromAnAnswerThatNobodyWaitsForAnyLonger) {
  prepare("s");
  const uint64_t definition = defined("s");
  send(testing::bind("", "s") + execute("") + testing::bind("", "s") + execute("") + sync());
  const size_t last = operations_.size() - 1;
  answered_ = last - 1;
  answer_error("22012", "it failed");  // Nobody waits any longer for the query behind it.
  answered_ = last;
  answer_by_handle(columns_, definition, 1);
  answered_.reset();
  static_cast<void>(said());
  run("s");
  answer_by_handle({}, definition, 8);
  answer_end();
  EXPECT_EQ(said(), "2|D 8|C SELECT 1|Z I");
}

TEST_F(SessionHandlesTest, AnAnswerWithoutTheColumnsThatItNeedsIsAnError) {
  prepare("s");
  const uint64_t definition = defined("s");
  run("s");
  answer_by_handle({}, definition, 8);
  EXPECT_NE(said().find("E XX000 an answer has come without its columns"), std::string::npos);
}

TEST_F(SessionHandlesTest, AStatementThatIsClosedLeavesItsSlotToTheNext) {
  prepare("s");
  prepare("t", "SELECT id FROM tickets WHERE id = 2");
  defined("s");
  defined("t");
  EXPECT_EQ(asked_handle(), 2u);
  EXPECT_GT(kept_->taken(), 0u);
  send(message('C', "S" + text("s")) + sync());
  static_cast<void>(said());
  prepare("u", "SELECT id FROM tickets WHERE id = 3");
  defined("u");
  EXPECT_EQ(asked_handle(), 1u);
  send(query("DEALLOCATE ALL"));
  static_cast<void>(said());
  EXPECT_EQ(kept_->taken(), 0u);
}

/// Nobody would ever give it back.
TEST_F(SessionHandlesTest, GivesNoSlotToAPortalOfAClosedStatement) {
  for (int turn = 0; turn < 3; ++turn) {
    prepare("s");
    run_and_answer("s");
    send(testing::bind("", "s") + message('C', "S" + text("s")) + message('D', "P" + text("")) + execute("") + sync());
    rows_began_ = false;
    answer_rows({7});
    EXPECT_EQ(said(), "2|3|T id:23|D 7|C SELECT 1|Z I");
    EXPECT_EQ(asked_handle(), 0u);
  }
  EXPECT_TRUE(definitions_.empty());
  EXPECT_EQ(kept_->taken(), 0u);
}

TEST_F(SessionHandlesTest, SendsStatementsWholeWhenAllSlotsAreTaken) {
  options_.handles.handles_max = 1;
  log_in();
  prepare("s");
  prepare("t", "SELECT id FROM tickets WHERE id = 2");
  defined("s");
  run_and_answer("t");
  run_and_answer("t");
  EXPECT_EQ(asked_handle(), 0u);
  EXPECT_EQ(definitions_.size(), 1u);
}

}  // namespace
}  // namespace daedalus::postgres::testing

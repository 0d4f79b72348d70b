// Messages of PostgreSQL's protocol, from its client's side.
#include "messages.hpp"

#include <gmock/gmock.h>

#include <string>

namespace daedalus::catalogue {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

TEST(MessagesTest, AStatementIsSurroundedByItsBlockAndWhatTheSessionSet) {
  Statement statement;
  statement.sql = "SELECT $1";
  statement.parameter_types = {23};
  statement.parameters = {"7", std::nullopt};
  statement.settings = {{"search_path", "\"$user\", it's"}, {"timezone", "Europe/Zurich'; COMMIT; --"}};
  statement.timeout_ns = 2'500'000'000;
  const std::string round = round_of(statement);
  EXPECT_THAT(round, HasSubstr("BEGIN READ ONLY; SET LOCAL \"search_path\" = '$user', 'it''s'; "
                               "SET LOCAL \"timezone\" = 'Europe/Zurich''; COMMIT; --'; "
                               "SET LOCAL statement_timeout = 2500\0"s));
  EXPECT_THAT(round, HasSubstr("P\0\0\0\x15\0SELECT $1\0\0\1\0\0\0\x17"s));
  EXPECT_THAT(round, HasSubstr("B\0\0\0\x15\0\0\0\0\0\2\0\0\0\1"s
                               "7\xff\xff\xff\xff\0\0"s));
  EXPECT_THAT(round, HasSubstr("E\0\0\0\x09\0\0\0\0\0S\0\0\0\4Q\0\0\0\x0b"s
                               "COMMIT\0"s));
  EXPECT_TRUE(round.ends_with("DISCARD ALL\0"s));
}

TEST(MessagesTest, DescribesWithoutExecuting) {
  Statement statement;
  statement.sql = "SELECT 1";
  statement.is_described_only = true;
  const std::string round = round_of(statement);
  EXPECT_THAT(round, HasSubstr("D\0\0\0\6S\0"s));
  EXPECT_THAT(round, ::testing::Not(HasSubstr("E\0\0\0\x09"s)));
}

TEST(MessagesTest, MessagesComeInAnyPiecesAndWrongLengthsAreRefused) {
  const std::string bytes = "Z\0\0\0\5IC\0\0\0\x0dSELECT 1\0"s;
  MessageBuffer buffer;
  std::string types;
  for (const char byte : bytes) {
    buffer.feed(std::string_view(&byte, 1));
    for (auto next = buffer.next(); *next; next = buffer.next()) {
      types += (*next)->type;
      types += (*next)->body.substr(0, 1);
    }
    buffer.drop_read();
  }
  EXPECT_EQ(types, "ZICS");
  buffer.feed("D\x7f\xff\xff\xff"s);
  EXPECT_EQ(buffer.next().error().sqlstate, "08P01");
  MessageBuffer short_one;
  short_one.feed("D\0\0\0\3"s);
  EXPECT_EQ(short_one.next().error().sqlstate, "08P01");
}

TEST(MessagesTest, AnErrorIsReadWholeAndCutShort) {
  const Failure failure = read_failure("SERROR\0C42883\0Mno such function\0Dwhat\0Hcast\0P12\0Fparse_func.c\0\0"s);
  EXPECT_EQ(failure.error, (Error{ErrorCategory::kRejected, "42883", "no such function", "cast", 12}));
  EXPECT_EQ(failure.detail, "what");
  EXPECT_EQ(read_failure("Mcut").error.message, "cut");
  EXPECT_EQ(read_failure("").error.sqlstate, "XX000");
}

TEST(MessagesTest, FormatsAreThoseOfEachColumn) {
  const std::string column(16, '\0');
  const std::string columns = "\0\2a\0"s + column + "\0\0b\0"s + column + "\0\0"s;
  EXPECT_EQ(column_count(columns), 2u);
  const std::string formatted = with_formats(columns, std::vector<int16_t>{0, 1});
  EXPECT_EQ(formatted, "\0\2a\0"s + column + "\0\0b\0"s + column + "\0\1"s);
  EXPECT_EQ(with_formats("\0\5a\0"s, std::vector<int16_t>{1}), "\0\5a\0"s);
}

TEST(MessagesTest, RowsAreTakenByTheirNumber) {
  std::string rows;
  for (const char* const row : {"a", "bc", "def"}) {
    append_row(row, rows);
  }
  uint64_t count = 2;
  const size_t end = end_of_rows(rows, 0, count);
  EXPECT_EQ(end, 13u);
  count = 5;
  EXPECT_EQ(end_of_rows(rows, end, count), rows.size());
  EXPECT_EQ(count, 1u);
}

}  // namespace
}  // namespace daedalus::catalogue

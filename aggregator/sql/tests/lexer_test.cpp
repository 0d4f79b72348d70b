#include "lexer.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace daedalus::aggregator::sql {
namespace {

std::string tokens(std::string_view text) {
  Lexer lexer(text);
  std::string joined;
  while (const auto token = lexer.next()) {
    joined += joined.empty() ? "" : " ";
    joined += token->text;
  }
  return joined;
}

std::string repeated(std::string_view part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += part;
  }
  return text;
}

bool is_simple(std::string_view text) {
  uint32_t location = 0;
  return check_complexity(text, &location).has_value();
}

TEST(LexerTest, SeesStringsNamesAndCommentsAsPostgresDoes) {
  EXPECT_EQ(tokens("SELECT a,b1 FROM t"), "SELECT a , b1 FROM t");
  EXPECT_EQ(tokens("a 'it''s ( not' \"x \"\"(\" b"), "a 'it''s ( not' \"x \"\"(\" b");
  EXPECT_EQ(tokens("a 'back\\' z'"), "a 'back\\' z '");
  EXPECT_EQ(tokens("a E'back\\' b' c"), "a E'back\\' b' c");
  EXPECT_EQ(tokens("a -- ( comment\n b /* ( /* nested */ ( */ c"), "a b c");
  EXPECT_EQ(tokens("a $$ ( $x$ $$ b $tag$ $$ ( $tag$ $1"), "a $$ ( $x$ $$ b $tag$ $$ ( $tag$ $1");
  EXPECT_EQ(tokens("U&'x' b'01' x'1f' N'n' u&\"q\""), "U&'x' b'01' x'1f' N'n' u&\"q\"");
  EXPECT_EQ(tokens("größe>=1"), "größe > = 1");
}

TEST(LexerTest, GoesOnWithAStringOnTheNextLine) {
  EXPECT_EQ(tokens("'a' \n 'b''(' c"), "'a' \n 'b''(' c");
  EXPECT_EQ(tokens("'a' -- why\n-- and\n 'b' (c"), "'a' -- why\n-- and\n 'b' ( c");
  EXPECT_EQ(tokens("E'a'\n'\\'(' (c"), "E'a'\n'\\'(' ( c");  // Its backslashes still escape.
  EXPECT_EQ(tokens("'a' 'b'"), "'a' 'b'");
  EXPECT_EQ(tokens("'a' -- not the 'b'"), "'a'");
  EXPECT_EQ(tokens("'a' /* \n */ 'b'"), "'a' 'b'");
  EXPECT_EQ(tokens("\"a\"\n\"b\""), "\"a\" \"b\"");
}

TEST(LexerTest, CountsWhatCommentMarksCostPostgresScanner) {
  const auto steps = [](const std::string& text) {
    Lexer lexer(text);
    while (lexer.next()) {
    }
    return lexer.comment_steps();
  };
  EXPECT_EQ(steps("a + b -- /*"), 0U);
  EXPECT_EQ(steps("/* a */ b"), 2U);
  EXPECT_EQ(steps("/*/*/* a */*/*/"), 6U + 4U + 2U);
  EXPECT_EQ(steps("/**//**/ b"), 8U + 4U);
  EXPECT_EQ(steps(repeated("/* ", 1000)), 2000U);
  EXPECT_EQ(steps(repeated("/*", 1000)), 1001U * 1000U);
}

TEST(LexerTest, ToleratesWhatNeverEnds) {
  for (const char* text : {"'", "\"", "E'\\", "/*", "/* /* */", "$$", "$a$ $b$", "--", "$", "U&'"}) {
    EXPECT_LE(tokens(text).size(), 16U) << text;
  }
}

TEST(LexerTest, FindsKeywordsOutsideParentheses) {
  EXPECT_EQ(find_keyword("SELECT (distinct) 'distinct' DISTINCT x", "distinct"), 29);
  EXPECT_EQ(find_keyword("SELECT x", "distinct"), -1);
}

TEST(LexerTest, NamesStatements) {
  EXPECT_EQ(statement_name("create table x (a int)", 0), "CREATE TABLE");
  EXPECT_EQ(statement_name("  /* c */ CREATE OR REPLACE TEMP VIEW v AS SELECT 1", 0), "CREATE VIEW");
  EXPECT_EQ(statement_name("explain select 1", 0), "EXPLAIN");
}

TEST(ComplexityTest, AcceptsLongFlatStatements) {
  EXPECT_TRUE(is_simple("SELECT a FROM t WHERE " + repeated("a = -1 OR NOT b <> 2.5 AND ", 4'000) + "c"));
  EXPECT_TRUE(is_simple("SELECT a FROM t WHERE a IN (" + repeated("-1,", 20'000) + "0)"));
  EXPECT_TRUE(is_simple("INSERT INTO t VALUES " + repeated("(1,-2,'x'::varchar,f(-1)),", 20'000) + "(1)"));
  EXPECT_TRUE(is_simple("SELECT '" + repeated("((((", 20'000) + "'"));
}

TEST(ComplexityTest, RefusesWhateverNestsWithoutBound) {
  const size_t count = kTreeDepthMax + 1;
  for (const char* part :
       {"(", "NOT ", "a + ", "a || ", "- ", "a::int::", "x[", "a OPERATOR(pg_catalog.+) ", "x COLLATE \"C\" ",
        "x AT TIME ZONE 'utc' ", "CASE WHEN a THEN ", "SELECT a, b UNION ", "t JOIN t ON a, b = 1 AND "}) {
    EXPECT_FALSE(is_simple("SELECT " + repeated(part, count))) << part;
  }
}

TEST(ComplexityTest, CountsNestingThroughLists) {
  EXPECT_FALSE(is_simple("SELECT " + repeated("f(1, ", kTreeDepthMax + 1)));
  EXPECT_FALSE(is_simple("SELECT " + repeated("(a AND ", kTreeDepthMax + 1)));
}

TEST(ComplexityTest, RefusesCommentMarksThatTakeTheScannerTooLong) {
  for (const size_t count : {20'000, 400'000}) {
    EXPECT_FALSE(is_simple("SELECT 1" + repeated("/*", count))) << count;
    EXPECT_FALSE(is_simple("SELECT 1 " + repeated("/*", count) + repeated("*/", count))) << count;
    EXPECT_FALSE(is_simple("SELECT 1 " + repeated("/**/", count))) << count;
    EXPECT_FALSE(is_simple(repeated("/**/", count))) << count;
    EXPECT_TRUE(is_simple("SELECT 1 " + repeated("/* ", count) + repeated("*/", count))) << count;
    EXPECT_TRUE(is_simple("SELECT 1 " + repeated("/**/ ", count))) << count;
  }
  EXPECT_TRUE(is_simple("SELECT 1 " + repeated("/*", 2'000) + repeated("*/", 2'000)));
}

TEST(ComplexityTest, SeesThroughStringsThatGoOnOnTheNextLine) {
  // For who took the second line for a string of its own, all that follows would be within a string.
  EXPECT_FALSE(is_simple("SELECT E'a'\n'\\'' " + repeated("|| - 1 ", kTreeDepthMax) + " || ''"));
}

TEST(ComplexityTest, BoundsHowMuchIsNestedHowDeep) {
  const auto values = [](size_t depth, size_t count) {
    return "INSERT INTO t VALUES (" + repeated(repeated("-+", depth / 2) + "1,", count) + "1)";
  };
  EXPECT_TRUE(is_simple(values(2, 300'000)));
  EXPECT_TRUE(is_simple(values(200, 1'000)));
  EXPECT_FALSE(is_simple(values(200, 5'000)));
}

TEST(ComplexityTest, BoundsListMembersAndTokens) {
  EXPECT_FALSE(is_simple("INSERT INTO t VALUES (" + repeated("1,", kListMembersMax + 1)));
  EXPECT_TRUE(is_simple("SELECT a FROM t WHERE a IN (" + repeated("1,", kTokensMax / 2 - 10) + "1)"));
  EXPECT_FALSE(is_simple("SELECT a FROM t WHERE a IN (" + repeated("1,", kTokensMax / 2) + "1)"));
  EXPECT_FALSE(is_simple("SELECT " + repeated("a.", kTokensMax)));
  EXPECT_TRUE(is_simple("INSERT INTO t VALUES " + repeated("(-1),", kInsertTokensMax / 5 - 10) + "(1)"));
  EXPECT_FALSE(is_simple("INSERT INTO t VALUES " + repeated("(-1),", kInsertTokensMax / 5) + "(1)"));
}

}  // namespace
}  // namespace daedalus::aggregator::sql

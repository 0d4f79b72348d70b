#include "daedalus/aggregator/statement_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::aggregator {
namespace {

std::vector<std::string> split(std::string_view text, size_t count_max = 100) {
  std::vector<std::string> found;
  for (const StatementText& statement : split_statements(text, count_max)) {
    EXPECT_EQ(text.substr(statement.offset, statement.sql.size()), statement.sql);
    found.emplace_back(statement.sql);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(StatementTextTest, SemicolonsPartStatementsUnlessTheyAreQuotedOrCommentedOut) {
  EXPECT_EQ(split("SELECT 1"), Texts{"SELECT 1"});
  EXPECT_EQ(split("SELECT 1; SELECT 2;"), (Texts{"SELECT 1", " SELECT 2"}));
  EXPECT_EQ(split("SELECT ';', \";\", $a$;$a$ /* ; */ -- ;\n;x"),
            (Texts{"SELECT ';', \";\", $a$;$a$ /* ; */ -- ;\n", "x"}));
}

TEST(StatementTextTest, FindsNoStatementInATextWithoutTokens) {
  EXPECT_EQ(split(""), Texts{});
  EXPECT_EQ(split(" ;; -- nothing\n ; "), Texts{});
}

TEST(StatementTextTest, OneMoreThanTheMostSaysThatThereAreTooMany) {
  EXPECT_EQ(split("a;b;c;d;e", 2).size(), 3u);
  EXPECT_EQ(split("a;b", 2).size(), 2u);
}

TEST(StatementTextTest, ReadsTheValuesOfStrings) {
  EXPECT_EQ(string_values("SELECT 'a', 'it''s', \"b\", 5"), (Texts{"a", "it's"}));
  EXPECT_EQ(string_values("SELECT E'it\\'s', $$c$$, $x$d'$x$"), (Texts{"it's", "c", "d'"}));
  EXPECT_EQ(string_values("SELECT '1/2/'\n  '2013'"), Texts{"1/2/2013"});
}

}  // namespace
}  // namespace daedalus::aggregator

#include "daedalus/aggregator/copy_statement.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::aggregator {
namespace {

using Names = std::vector<std::string>;

CopyStatement read(std::string_view sql) {
  auto copy = read_copy(sql);
  EXPECT_TRUE(copy.has_value()) << sql << ": " << (copy ? "" : copy.error().message);
  return copy ? std::move(*copy) : CopyStatement();
}

std::string options(std::string_view sql) {
  std::string shown;
  for (const StatementOption& option : read(sql).options) {
    shown += (shown.empty() ? "" : "|") + option.name + "=" + option.text;
    for (const std::string& name : option.names) {
      shown += "," + name;
    }
    shown += "@" + std::to_string(option.position);
  }
  return shown;
}

std::string mistake(std::string_view sql) {
  const auto copy = read_copy(sql);
  EXPECT_FALSE(copy.has_value()) << sql;
  return copy ? "" : copy.error().sqlstate + " " + copy.error().message + " @" + std::to_string(copy.error().position);
}

TEST(CopyStatementTest, ATableAndItsColumns) {
  const CopyStatement copy = read("COPY public.\"T\" (id, \"Day\") FROM STDIN");
  EXPECT_EQ(copy.schema, "public");
  EXPECT_EQ(copy.table, "T");
  EXPECT_EQ(copy.columns, (Names{"id", "Day"}));
  EXPECT_TRUE(copy.is_from && !copy.is_program && !copy.file && !copy.has_where);
  EXPECT_TRUE(read("copy t from program 'ls'").is_program);
  EXPECT_EQ(read("copy t to '/tmp/x'").file, "/tmp/x");
  EXPECT_EQ(read("COPY t FROM STDIN WHERE \xc3\xa4 > 1").where_position, 19u);
}

TEST(CopyStatementTest, AQueryIsTextBetweenParentheses) {
  const CopyStatement copy = read("/* \xc3\xa9( */ COPY (SELECT ')', (1 + 2) -- )\n FROM t) TO STDOUT (FORMAT csv)");
  EXPECT_EQ(copy.query, "SELECT ')', (1 + 2) -- )\n FROM t");
  EXPECT_EQ(copy.query_at, 15u);
  EXPECT_TRUE(copy.table.empty() && copy.is_query_read);
  EXPECT_TRUE(read("COPY (VALUES (1)) TO STDOUT").is_query_read);
  EXPECT_FALSE(read("COPY (DELETE FROM t RETURNING id) TO STDOUT").is_query_read);
}

TEST(CopyStatementTest, BothSyntaxesOfOptions) {
  EXPECT_EQ(options("COPY t TO STDOUT (FORMAT csv, HEADER, QUOTE '|', FORCE_QUOTE *, FREEZE 0, FORCE_NULL (a, b))"),
            "format=csv@19|header=@31|quote=|@39|force_quote=*@50|freeze=0@65|force_null=,a,b@75");
  EXPECT_EQ(options("COPY t FROM STDIN (HEADER match, FREEZE true, DELIMITER e'\\t')"),
            "header=match@20|freeze=true@34|delimiter=\t@47");
  EXPECT_EQ(options("COPY t FROM STDIN WITH BINARY"), "format=binary@24");
  EXPECT_EQ(options("COPY t TO STDOUT WITH DELIMITER AS ';' NULL AS 'n' CSV HEADER QUOTE '''' FORCE QUOTE a, b"),
            "delimiter=;@23|null=n@40|format=csv@52|header=true@56|quote='@63|force_quote=,a,b@74");
}

TEST(CopyStatementTest, NamesThePositionOfAMistake) {
  EXPECT_EQ(mistake("COPY t FROM"), "42601 syntax error at end of input @12");
  EXPECT_EQ(mistake("COPY t TO STDOUT WHERE id > 1"), "42601 WHERE clause not allowed with COPY TO @18");
  EXPECT_EQ(mistake("COPY t FROM STDIN; SELECT 1"), "42601 a COPY is one statement of its own @0");
  EXPECT_EQ(mistake("COPY (" + std::string(100'000, 'x') + ") TO STDOUT"),
            "54000 a COPY is too long: at most 65536 bytes are allowed @0");
  EXPECT_TRUE(mistake("COPY (SELECT " + std::string(20'000, '(') + ") TO STDOUT").starts_with("54001"));
}

}  // namespace
}  // namespace daedalus::aggregator

#include "daedalus/aggregator/session_command.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace daedalus::aggregator {
namespace {

template <typename Command>
Command read(std::string_view text) {
  auto command = read_session_command(text);
  EXPECT_TRUE(command.has_value() && std::holds_alternative<Command>(*command)) << text;
  return command && std::holds_alternative<Command>(*command) ? std::get<Command>(std::move(*command)) : Command();
}

std::string refusal(std::string_view text) {
  const auto command = read_session_command(text);
  return command ? "none"
                 : command.error().sqlstate + " " + command.error().message + " at " +
                       std::to_string(command.error().position);
}

TEST(SessionCommandTest, OneThatPostgresRefusesIsRefusedInItsWordsAtItsPlace) {
  EXPECT_EQ(refusal("SET a = 1 2"), "42601 syntax error at or near \"2\" at 11");
  EXPECT_EQ(refusal("/* é */ SHOW a b"), "42601 syntax error at or near \"b\" at 16");
  EXPECT_EQ(refusal("RESET"), "42601 syntax error at end of input at 6");
  EXPECT_EQ(refusal("DEALLOCATE p q"), "42601 syntax error at or near \"q\" at 14");
  EXPECT_EQ(refusal("DECLARE é CURSOR FOR INSERT INTO t VALUES (1)"), "42601 syntax error at or near \"INSERT\" at 22");
  EXPECT_EQ(refusal("PREPARE p AS BEGIN"), "42601 syntax error at or near \"BEGIN\" at 14");
  EXPECT_EQ(refusal("EXPLAIN VERBOSE ANALYZE SELECT 1"), "42601 syntax error at or near \"ANALYZE\" at 17");
  EXPECT_EQ(refusal("BEGIN; COMMIT"), "42601 cannot insert multiple commands into a prepared statement at 0");
}

TEST(SessionCommandTest, ASemicolonAtTheEndChangesNothing) {
  EXPECT_TRUE(read<EndCommand>("COMMIT;").is_commit);
  EXPECT_EQ(read<SetCommand>("SET a = 1 ; ").value, "1");
}

TEST(SessionCommandTest, ValuesOfASettingAreWhatTheirStringsMean) {
  EXPECT_EQ(read<SetCommand>("SET a = E'x\\n'").value, "x\n");
  EXPECT_EQ(read<SetCommand>("SET a = $$b$$, 'it''s', \"B\"\"c\", Word, -1.50").value, "b, it's, B\"c, word, -1.50");
  EXPECT_TRUE(read<SetCommand>("SET TIME ZONE INTERVAL '1' HOUR").is_interval);
}

TEST(SessionCommandTest, ALongNameIsCutBehindAWholeCharacter) {
  std::string name(62, 'a');
  EXPECT_EQ(read<SavepointCommand>("SAVEPOINT " + name + "é").name, name);
}

TEST(SessionCommandTest, ValuesOfAnExecuteKeepTheirTextsAndSayWhichAreLiterals) {
  using Kind = ExecuteCommand::Value::Kind;
  const auto command = read<ExecuteCommand>("EXECUTE p ( 'a,b' ,-3.5, NULL,true,(1 + 2),ARRAY[1,2],f(1, 2),E'\\t')");
  const std::vector<std::pair<std::string, Kind>> expected = {
      {"'a,b' ", Kind::kString},    {"-3.5", Kind::kWord},        {"NULL", Kind::kNull},
      {"true", Kind::kWord},        {"(1 + 2)", Kind::kComputed}, {"ARRAY[1,2]", Kind::kComputed},
      {"f(1, 2)", Kind::kComputed}, {"E'\\t'", Kind::kString}};
  std::vector<std::pair<std::string, Kind>> found;
  for (const auto& value : command.values) {
    found.emplace_back(value.text, value.kind);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(command.values[7].literal, "\t");
}

TEST(SessionCommandTest, ItIsKnownWhereAQueryBegins) {
  EXPECT_EQ(read<DeclareCommand>("DECLARE c CURSOR FOR -- x\n SELECT 1").query_at, 27u);
  EXPECT_EQ(read<PrepareStatement>("PREPARE p (int) AS VALUES ($1)").query_at, 19u);
  EXPECT_EQ(read<ExplainStatement>("EXPLAIN (COSTS off) (SELECT 1)").query_at, 20u);
  EXPECT_EQ(read<ExplainStatement>("EXPLAIN ((SELECT 1))").query_at, 8u);
  EXPECT_EQ(read<ExplainStatement>("EXPLAIN ANALYZE VERBOSE TABLE t").query_at, 24u);
}

TEST(SessionCommandTest, TheQueryBehindItIsNotReadHoweverWrongOrLongItIs) {
  std::string text = "PREPARE p AS INSERT INTO t VALUES (1)";
  for (int row = 0; row < 100000; ++row) {
    text += ",(((1)))";
  }
  EXPECT_EQ(read<PrepareStatement>(text).query_at, 13u);
  EXPECT_EQ(read<PrepareStatement>("PREPARE p AS SELECT FROM FROM").query_at, 13u);
}

TEST(SessionCommandTest, TypesOfParametersHaveTheNamesThatPostgresGivesThem) {
  const auto types = read<PrepareStatement>("PREPARE é (int, double precision[], foo.bar) AS SELECT 1").types;
  ASSERT_EQ(types.size(), 3u);
  EXPECT_EQ(types[0].name, "int4");
  EXPECT_EQ(types[1].name, "float8");
  EXPECT_TRUE(types[1].is_array);
  EXPECT_EQ(types[2].name, "foo.bar");
  EXPECT_EQ(types[2].position, 37u);
}

TEST(SessionCommandTest, ASelectOfFunctionsOfTheSessionIsNoQuery) {
  const auto query =
      read<SessionQuery>("SELECT pg_catalog.set_config('a', 'b', false) AS \"X\", user, current_schema()");
  ASSERT_EQ(query.items.size(), 3u);
  EXPECT_EQ(query.items[0].function, "set_config");
  EXPECT_EQ(query.items[0].column, "X");
  EXPECT_EQ(query.items[0].arguments, (std::vector<std::string>{"a", "b", "false"}));
  EXPECT_TRUE(query.items[1].is_name());
  EXPECT_TRUE(query.items[2].is_name());
}

TEST(SessionCommandTest, ASelectOfAnythingMoreIsAQuery) {
  for (const std::string_view text :
       {"SELECT version() FROM t", "SELECT version(), a", "SELECT version() LIMIT 1", "SELECT DISTINCT version()",
        "SELECT version() || 'x'", "SELECT version", "SELECT user FROM t", "SELECT version() OVER ()",
        "SELECT user user user", "SELECT set_config('a', 'x', false) FROM pg_settings WHERE name = 'b'"}) {
    read<QueryCommand>(text);
  }
}

}  // namespace
}  // namespace daedalus::aggregator

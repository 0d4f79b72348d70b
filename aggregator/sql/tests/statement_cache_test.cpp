#include "statement_cache.hpp"

#include <gtest/gtest.h>

namespace daedalus::aggregator::sql {
namespace {

constexpr StatementCache::Bounds kSmall{3, 1 << 16};

std::string numbered(int i) { return "SELECT a FROM t WHERE a = " + std::to_string(i); }

TEST(StatementCacheTest, ParsesARepeatedTextOnce) {
  StatementCache cache(kSmall);
  const auto first = cache.get(numbered(1), Keep::kFromTheFirstTime);
  const auto second = cache.get(numbered(1), Keep::kFromTheFirstTime);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->parsed, second->parsed);
  EXPECT_EQ(cache.counters().hits, 1U);
  EXPECT_EQ(cache.counters().misses, 1U);
}

TEST(StatementCacheTest, KeepsFromTheSecondTimeWhatMayNeverComeAgain) {
  StatementCache cache(kSmall);
  const auto first = cache.get(numbered(1), Keep::kFromTheSecondTime);
  EXPECT_FALSE(first->is_kept);
  EXPECT_EQ(cache.size(), 0U);
  const auto second = cache.get(numbered(1), Keep::kFromTheSecondTime);
  EXPECT_TRUE(second->is_kept);
  EXPECT_NE(first->parsed, second->parsed);
  const auto third = cache.get(numbered(1), Keep::kFromTheSecondTime);
  EXPECT_TRUE(third->is_kept);
  EXPECT_EQ(second->parsed, third->parsed);
}

TEST(StatementCacheTest, DropsTheLeastRecentlyUsed) {
  StatementCache cache(kSmall);
  for (const int i : {1, 2, 3, 1, 4}) {
    ASSERT_TRUE(cache.get(numbered(i), Keep::kFromTheFirstTime).has_value());
  }
  EXPECT_EQ(cache.size(), 3U);
  const uint64_t hits = cache.counters().hits;
  ASSERT_TRUE(cache.get(numbered(1), Keep::kFromTheFirstTime).has_value());
  EXPECT_EQ(cache.counters().hits, hits + 1);  // Used again before 4 came: kept.
  ASSERT_TRUE(cache.get(numbered(2), Keep::kFromTheFirstTime).has_value());
  EXPECT_EQ(cache.counters().hits, hits + 1);
}

TEST(StatementCacheTest, BoundsTheBytesOfAllTexts) {
  StatementCache cache({1000, 800});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(cache.get(numbered(1000 + i), Keep::kFromTheFirstTime).has_value());
  }
  EXPECT_LE(cache.size() * numbered(1000).size(), 800U);
  EXPECT_GE(cache.size(), 20U);
}

TEST(StatementCacheTest, DoesNotKeepWhatIsLargeOrWrong) {
  StatementCache cache({10, 800});
  EXPECT_TRUE(
      cache.get("SELECT a FROM t WHERE a = '" + std::string(200, 'x') + "'", Keep::kFromTheFirstTime).has_value());
  EXPECT_FALSE(cache.get("SELEC a FROM t", Keep::kFromTheFirstTime).has_value());
  EXPECT_EQ(cache.size(), 0U);
}

TEST(RecentTextsTest, ForgetsWhoseRoomIsTaken) {
  RecentTexts recent_texts;
  EXPECT_FALSE(recent_texts.seen_before("a text"));
  EXPECT_TRUE(recent_texts.seen_before("a text"));
  for (int i = 0; i < 100'000; ++i) {
    recent_texts.seen_before(numbered(i));
  }
  int remembered = 0;
  for (int i = 0; i < 100'000; ++i) {
    remembered += recent_texts.seen_before(numbered(i)) ? 1 : 0;
  }
  EXPECT_LE(remembered, 4'096);
  EXPECT_FALSE(recent_texts.seen_before("a text"));
}

TEST(RecentTextsTest, AsManyAsAreKeptMayComeInTurns) {
  RecentTexts recent_texts;
  constexpr int kTexts = 2048;
  int forgotten = 0;
  for (const bool is_second : {false, true}) {
    for (int i = 0; i < kTexts; ++i) {
      forgotten += recent_texts.seen_before(numbered(i)) == is_second ? 0 : 1;
    }
  }
  EXPECT_LE(forgotten, kTexts / 64);
}

TEST(ParsedStatementTest, CountsPositionsInCharacters) {
  const auto parsed = ParsedStatement::parse("SELECT 'größe€' FROM t");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ((*parsed)->position(0), 1U);
  EXPECT_EQ((*parsed)->position(static_cast<int32_t>((*parsed)->text().find("FROM"))), 17U);
  EXPECT_EQ((*parsed)->position(-1), 0U);
}

TEST(ParsedStatementTest, IsEmptyForAnotherKindOfStatement) {
  const auto parsed = ParsedStatement::parse("SELECT 1 FROM t WHERE a.* IS NULL OR (VALUES (1)) = ALL ('{}')");
  ASSERT_TRUE(parsed.has_value());
  const grammar::Node& root = (*parsed)->root();
  EXPECT_EQ(root.kind(), grammar::Node::kSelect);
  EXPECT_FALSE(root.insert().source.is_present());
  EXPECT_TRUE(root.list().items.empty());
  const grammar::Nodes parts = root.select().where_clause.boolean_expression().arguments;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_TRUE(parts[0].null_test().argument.column().is_star);
  EXPECT_EQ(parts[0].null_test().argument.column().names.size(), 1U);
  EXPECT_EQ(parts[1].operator_expression().kind, grammar::OperatorKind::kAll);
  EXPECT_EQ(parts[1].column().location, -1);
}

}  // namespace
}  // namespace daedalus::aggregator::sql

// Parsed statements that several threads share. Also run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "statement_cache.hpp"

namespace daedalus::aggregator::sql {
namespace {

std::string numbered(int i) { return "SELECT a FROM t WHERE a = " + std::to_string(i); }

TEST(StatementCacheTest, ServesManyThreads) {
  StatementCache cache({8, 1 << 16});
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, &failures, thread] {
      for (int i = 0; i < 500; ++i) {
        const int number = (i * 7 + thread) % 16;
        const auto parsed = cache.get(numbered(number), Keep::kFromTheFirstTime);
        failures += !parsed.has_value() || parsed->parsed->text() != numbered(number) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(cache.counters().hits + cache.counters().misses, 2000U);
}

TEST(ParsedStatementTest, ATreeOutlivesTheThreadThatParsedIt) {
  std::vector<std::shared_ptr<const ParsedStatement>> parsed(64);
  for (size_t i = 0; i < parsed.size(); ++i) {
    std::thread([&parsed, i] {
      EXPECT_FALSE(ParsedStatement::parse("SELECT FROM FROM").has_value());
      parsed[i] = *ParsedStatement::parse("SELECT x.column_" + std::to_string(i) + " FROM t");
    }).join();
  }
  for (size_t i = 0; i < parsed.size(); ++i) {
    const grammar::SelectStatement& select = parsed[i]->root().select();
    ASSERT_EQ(select.target_list.size(), 1U);
    const grammar::Names names = select.target_list[0].target().value.column().names;
    ASSERT_EQ(names.size(), 2U);
    EXPECT_EQ(names[0], "x");
    EXPECT_EQ(names[1], "column_" + std::to_string(i));
  }
}

}  // namespace
}  // namespace daedalus::aggregator::sql

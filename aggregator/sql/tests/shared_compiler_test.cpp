// One compiler asked by several threads at a time, against one that is asked by nobody else. Also run under
// ThreadSanitizer: threads meet in what the compiler keeps of the statements that it has seen.
#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daedalus/aggregator/statement_home.hpp"
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

class SharedCompilerTest : public SqlTest {
 protected:
  static wire::v1::StatementBody statement(std::string sql, const std::vector<int64_t>& values = {}) {
    wire::v1::StatementBody body;
    body.set_sql(std::move(sql));
    for (const int64_t value : values) {
      *body.add_parameters() = typed(Type{TypeKind::kInt}, Value(value));
    }
    return body;
  }

  /// Texts that come again and again; one text with other values, or other literals, each time; and wrong ones.
  static std::vector<wire::v1::StatementBody> statements() {
    std::vector<wire::v1::StatementBody> made;
    for (int64_t number = 0; number < 8; ++number) {
      made.push_back(statement("SELECT i, v FROM t WHERE i = $1 AND l < $2", {number, number + 1}));
      made.push_back(statement(fmt::format("SELECT i FROM t WHERE i = {} OR v LIKE 'a{}%'", number, number)));
      made.push_back(statement(fmt::format("SELEC i FROM t WHERE i = {}", number)));
    }
    made.push_back(
        statement("SELECT c, sum(n), count(*) FROM t WHERE day < '2013-06-15' GROUP BY c ORDER BY 2 LIMIT 3"));
    made.push_back(statement("SELECT upper(v), i + $1 FROM t WHERE abs(l) = 3 AND v ~ '^a.c'", {5}));
    made.push_back(statement("SELECT now(), moment FROM t WHERE i = 1"));
    made.push_back(statement("SELECT nothing FROM t"));
    made.push_back(statement("INSERT INTO t (i, v) VALUES ($1, 'a'), (2, 'b')", {1}));
    made.push_back(statement("UPDATE t SET l = l + 1, v = 'x' WHERE i = $1", {7}));
    made.push_back(statement("DELETE FROM t WHERE i = 3 AND day IS NULL"));
    made.push_back(statement("SELECT moment::date FROM t WHERE moment = '2013-01-01 05:00'"));
    made.back().set_time_zone("<+03>-03");
    return made;
  }

  /// Everything that is asked of the compiler about a statement, by the network's thread and by others.
  std::string asked(Compiler& compiler, const wire::v1::StatementBody& statement) {
    CompiledSelect bound;
    const bool is_bound = compiler.bind(statement, bound);
    bound_ += is_bound ? 1 : 0;
    std::string told = is_bound ? sent(bound) : outcome(compiler.compile(statement, kNowUs));
    const auto description = compiler.describe(statement.sql());
    told += description ? fmt::format(" {} columns", description->columns.size()) : description.error().message;
    return told + (home_of(statement.sql(), "t").is_catalogue ? " of the catalogue" : " of the table");
  }

  std::atomic<int> bound_ = 0;
};

TEST_F(SharedCompilerTest, EveryThreadIsToldWhatACompilerForItselfTells) {
  constexpr size_t kThreads = 4;
  constexpr size_t kRounds = 20;
  const std::vector<wire::v1::StatementBody> all = statements();
  std::vector<std::string> expected;
  for (const wire::v1::StatementBody& statement : all) {
    Compiler alone(schema_, map_);
    expected.push_back(asked(alone, statement));
  }
  ASSERT_EQ(bound_, 0) << "a compiler that knows nothing";
  std::mutex mutex;
  std::vector<std::string> wrong;
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (size_t at = 0; at < kRounds * all.size(); ++at) {
        const size_t number = (at + thread * at / all.size()) % all.size();  // Each thread has an order of its own.
        const std::string told = asked(compiler_, all[number]);
        if (told != expected[number]) {
          const std::lock_guard lock(mutex);
          wrong.push_back(fmt::format("{}\n is {}\nnot {}", all[number].sql(), told, expected[number]));
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(wrong.empty()) << wrong.size() << " are wrong, the first: " << wrong.front();
  EXPECT_GT(bound_, 0) << "no thread found what another one had compiled";
  EXPECT_GT(compiler_.cache_counters().hits, 0u);
}

}  // namespace
}  // namespace daedalus::aggregator::testing

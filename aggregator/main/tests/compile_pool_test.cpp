// Statements handed to the pool's threads and back. Also run under ThreadSanitizer.
#include "compile_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace daedalus::aggregator {
namespace {

using semantics::TypeKind;

std::shared_ptr<Compiler> compiler_of_one_column() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "numbers";
  schema->fingerprint = "test";
  schema->columns = {{"id", {TypeKind::kInt}, false, std::nullopt}};
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 1;
  map->grid = {1};
  map->partitions = {{NodeId{0}}};
  return std::make_shared<Compiler>(schema, map);
}

/// Every third statement is wrong; sixteen texts, so that threads meet in the cache of parsed statements.
CompileRequest request(uint64_t number) {
  CompileRequest request;
  request.ticket = CompileTicket{number};
  request.statement.set_sql(
      (number % 3 == 0 ? "SELEC id FROM numbers WHERE id = " : "SELECT id FROM numbers WHERE id = ") +
      std::to_string(number % 16));
  return request;
}

/// What came back, in the order in which it came; filled by all threads of a pool.
class Answers {
 public:
  OnCompiled taker() {
    return [this](CompileTicket ticket, const Result<Compiled>& compiled) {
      const bool as_expected = compiled.has_value() == (static_cast<uint64_t>(ticket) % 3 != 0);
      const std::lock_guard lock(mutex_);
      tickets_.push_back(static_cast<uint64_t>(ticket));
      wrong_ += as_expected ? 0 : 1;
      came_.notify_all();
    };
  }

  void wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return tickets_.size() >= count; });
  }

  [[nodiscard]] std::vector<uint64_t> sorted_tickets() {
    const std::lock_guard lock(mutex_);
    std::vector<uint64_t> tickets = tickets_;
    std::sort(tickets.begin(), tickets.end());
    return tickets;
  }

  [[nodiscard]] int wrong() {
    const std::lock_guard lock(mutex_);
    return wrong_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<uint64_t> tickets_;
  int wrong_ = 0;
};

TEST(CompilePoolTest, AnswersEveryStatementOnceWhoeverHandsItIn) {
  constexpr uint64_t kProducers = 2;
  constexpr uint64_t kEach = 300;
  Answers answers;
  CompilePool pool({.threads = 3, .queue_max = 32}, compiler_of_one_column(), answers.taker());
  std::vector<std::thread> producers;
  for (uint64_t producer = 0; producer < kProducers; ++producer) {
    producers.emplace_back([&, producer] {
      for (uint64_t number = producer * kEach; number < (producer + 1) * kEach; ++number) {
        while (!pool.submit(request(number))) {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& producer : producers) {
    producer.join();
  }
  answers.wait_for(kProducers * kEach);
  const std::vector<uint64_t> tickets = answers.sorted_tickets();
  ASSERT_EQ(tickets.size(), kProducers * kEach);
  for (uint64_t number = 0; number < tickets.size(); ++number) {
    EXPECT_EQ(tickets[number], number);
  }
  EXPECT_EQ(answers.wrong(), 0);
}

TEST(CompilePoolTest, TakesNoMoreThanItsQueueHolds) {
  std::promise<void> began;
  std::promise<void> may_end;
  std::shared_future<void> end = may_end.get_future().share();
  std::vector<uint64_t> tickets;  // Of the one thread, read when it has ended.
  {
    CompilePool pool({.threads = 1, .queue_max = 2}, compiler_of_one_column(),
                     [&](CompileTicket ticket, const Result<Compiled>&) {
                       tickets.push_back(static_cast<uint64_t>(ticket));
                       if (tickets.size() == 1) {
                         began.set_value();
                         end.wait();
                       }
                     });
    ASSERT_TRUE(pool.submit(request(1)));
    began.get_future().wait();
    EXPECT_TRUE(pool.submit(request(2)));
    EXPECT_TRUE(pool.submit(request(4)));
    EXPECT_FALSE(pool.submit(request(5)));
    may_end.set_value();
    while (!pool.submit(request(7))) {  // Room again as soon as one has been taken out.
      std::this_thread::yield();
    }
  }
  ASSERT_GE(tickets.size(), 2u);  // What still waited at the end is dropped.
  EXPECT_TRUE(std::is_sorted(tickets.begin(), tickets.end()));
  EXPECT_EQ(std::count(tickets.begin(), tickets.end(), 5u), 0);
}

TEST(CompilePoolTest, EndsWithStatementsWaiting) {
  for (uint64_t round = 0; round < 20; ++round) {
    Answers answers;
    {
      CompilePool pool({.threads = 2, .queue_max = 1000}, compiler_of_one_column(), answers.taker());
      for (uint64_t number = 0; number < 10 * round; ++number) {
        ASSERT_TRUE(pool.submit(request(number)));
      }
    }
    const std::vector<uint64_t> tickets = answers.sorted_tickets();
    EXPECT_EQ(std::adjacent_find(tickets.begin(), tickets.end()), tickets.end());
    EXPECT_EQ(answers.wrong(), 0);
  }
}

}  // namespace
}  // namespace daedalus::aggregator

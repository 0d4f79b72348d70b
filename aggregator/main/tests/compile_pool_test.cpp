// Statements handed to the pool's threads and back. Also run under ThreadSanitizer.
#include "compile_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "one_column.hpp"

namespace daedalus::aggregator {
namespace {

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
  CompilePool pool(3, compiler_of_one_column(), answers.taker());
  std::vector<std::thread> producers;
  for (uint64_t producer = 0; producer < kProducers; ++producer) {
    producers.emplace_back([&, producer] {
      for (uint64_t number = producer * kEach; number < (producer + 1) * kEach; ++number) {
        pool.submit(request(number));
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

/// Keeps threads of a pool from going on after their first statement until it is told to.
class Gate {
 public:
  OnCompiled taker() {
    return [this](CompileTicket ticket, const Result<Compiled>&) {
      std::unique_lock lock(mutex_);
      tickets_.push_back(static_cast<uint64_t>(ticket));
      changed_.notify_all();
      changed_.wait(lock, [&] { return is_open_; });
    };
  }

  void wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tickets_.size() >= count; });
  }

  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

  [[nodiscard]] std::vector<uint64_t> tickets() {
    const std::lock_guard lock(mutex_);
    return tickets_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint64_t> tickets_;
  bool is_open_ = false;
};

TEST(CompilePoolTest, ForgetsWhatIsCancelledWhileItWaits) {
  Gate gate;
  {
    CompilePool pool(1, compiler_of_one_column(), gate.taker());
    pool.submit(request(1));
    gate.wait_for(1);
    pool.submit(request(2));
    gate.wait_for(2);  // Both threads have one.
    pool.submit(request(4));
    pool.submit(request(5));
    pool.cancel(CompileTicket{4});
    pool.submit(request(8));
    gate.open();
    gate.wait_for(4);
  }
  std::vector<uint64_t> tickets = gate.tickets();
  std::sort(tickets.begin(), tickets.end());  // The two threads take what was left in order, and tell in any.
  EXPECT_EQ(tickets, (std::vector<uint64_t>{1, 2, 5, 8}));
}

TEST(CompilePoolTest, ALargeStatementHoldsUpLargeOnesOnly) {
  const auto large = [](uint64_t number) {
    CompileRequest made = request(number);
    made.bytes = CompileQueue::kSmallBytesMax + 1;
    return made;
  };
  Gate gate;
  {
    CompilePool pool(2, compiler_of_one_column(), gate.taker());
    pool.submit(large(1));
    pool.submit(large(2));
    gate.wait_for(2);
    pool.submit(large(4));
    pool.submit(request(5));
    gate.wait_for(3);
    EXPECT_EQ(gate.tickets().back(), 5u);
    gate.open();
    gate.wait_for(4);
  }
  EXPECT_EQ(gate.tickets().back(), 4u);
}

TEST(CompilePoolTest, EndsWithStatementsWaiting) {
  for (uint64_t round = 0; round < 20; ++round) {
    Answers answers;
    {
      CompilePool pool(2, compiler_of_one_column(), answers.taker());
      for (uint64_t number = 0; number < 10 * round; ++number) {
        pool.submit(request(number));
      }
    }
    const std::vector<uint64_t> tickets = answers.sorted_tickets();
    EXPECT_EQ(std::adjacent_find(tickets.begin(), tickets.end()), tickets.end());
    EXPECT_EQ(answers.wrong(), 0);
  }
}

}  // namespace
}  // namespace daedalus::aggregator

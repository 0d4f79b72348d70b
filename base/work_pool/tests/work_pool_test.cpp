// Jobs handed to threads by many threads. Also run under ThreadSanitizer.
#include "daedalus/work_pool/work_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "daedalus/base/units.hpp"

namespace daedalus {
namespace {

/// A job that cannot be copied: its own ticket.
using Job = std::unique_ptr<const uint64_t>;
using Pool = WorkPool<Job>;

void submit(Pool& pool, uint64_t ticket, JobSize size = JobSize::kSmall, uint64_t client = 0) {
  pool.submit({JobTicket{ticket}, JobClient{client}, size}, std::make_unique<const uint64_t>(ticket));
}

/// Tickets of jobs, in the order in which their threads told them.
class Tickets {
 public:
  void add(uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    tickets_.push_back(ticket);
    changed_.notify_all();
  }
  void wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tickets_.size() >= count; });
  }
  [[nodiscard]] std::vector<uint64_t> all() {
    const std::lock_guard lock(mutex_);
    return tickets_;
  }
  [[nodiscard]] std::vector<uint64_t> sorted() {
    std::vector<uint64_t> tickets = all();
    std::sort(tickets.begin(), tickets.end());
    return tickets;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint64_t> tickets_;
};

/// Holds threads until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [&] { return is_open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// For pools whose jobs tell that they have begun, and end when the gate is open.
class GatedPoolTest : public ::testing::Test {
 protected:
  Pool::Run run() {
    return [this](Job&& job) {
      begun_.add(*job);
      gate_.pass();
      ended_.add(*job);
    };
  }

  Gate gate_;
  Tickets begun_;
  Tickets ended_;
};

TEST(WorkPoolTest, EveryJobIsDoneOnceWhoeverHandsItIn) {
  constexpr uint64_t kProducers = 3;
  constexpr uint64_t kEach = 2'000;
  Tickets done;
  Pool pool(3, [&](Job&& job) { done.add(*job); });
  std::vector<std::thread> producers;
  for (uint64_t producer = 0; producer < kProducers; ++producer) {
    producers.emplace_back([&, producer] {
      for (uint64_t i = 0; i < kEach; ++i) {
        // Large ones among small ones, of clients that others submit for, too.
        submit(pool, producer * kEach + i, i % 10 == 0 ? JobSize::kLarge : JobSize::kSmall, i % 4);
      }
    });
  }
  for (std::thread& producer : producers) {
    producer.join();
  }
  done.wait_for(kProducers * kEach);
  const std::vector<uint64_t> tickets = done.sorted();
  ASSERT_EQ(tickets.size(), kProducers * kEach);
  for (uint64_t number = 0; number < tickets.size(); ++number) {
    EXPECT_EQ(tickets[number], number);
  }
}

TEST_F(GatedPoolTest, ForgetsWhatIsCancelledWhileItWaits) {
  {
    Pool pool(1, run());
    submit(pool, 1);
    submit(pool, 2);
    begun_.wait_for(2);  // Both threads have one.
    submit(pool, 3);
    submit(pool, 4);
    pool.cancel(JobTicket{3});
    pool.cancel(JobTicket{1});  // Too late: it runs.
    submit(pool, 5);
    gate_.open();
    ended_.wait_for(4);
  }
  EXPECT_EQ(ended_.sorted(), (std::vector<uint64_t>{1, 2, 4, 5}));
}

TEST_F(GatedPoolTest, LargeJobsHoldUpLargeOnesOnly) {
  {
    Pool pool(2, run());
    submit(pool, 1, JobSize::kLarge);
    submit(pool, 2, JobSize::kLarge);
    begun_.wait_for(2);
    submit(pool, 3, JobSize::kLarge);
    submit(pool, 4);
    begun_.wait_for(3);
    EXPECT_EQ(begun_.all().back(), 4u);
    gate_.open();
    begun_.wait_for(4);
  }
  EXPECT_EQ(begun_.all().back(), 3u);
}

TEST_F(GatedPoolTest, SmallJobsMayHaveEveryThread) {
  Pool pool(2, run());
  for (uint64_t ticket = 1; ticket <= 3; ++ticket) {
    submit(pool, ticket);
  }
  begun_.wait_for(3);
  gate_.open();
}

TEST_F(GatedPoolTest, ClientsTakeTurns) {
  {
    Pool pool(1, run());
    submit(pool, 1, JobSize::kLarge);
    submit(pool, 2);
    begun_.wait_for(2);
    for (uint64_t ticket = 3; ticket <= 5; ++ticket) {
      submit(pool, ticket, JobSize::kLarge, /*client=*/7);
    }
    submit(pool, 6, JobSize::kLarge, /*client=*/8);
    gate_.open();
    ended_.wait_for(6);
  }
  std::vector<uint64_t> begun = begun_.all();  // One large job at a time: in the order in which they were taken.
  begun.erase(begun.begin(), begun.begin() + 2);
  EXPECT_EQ(begun, (std::vector<uint64_t>{3, 6, 4, 5}));
}

/// Called when the thread that has it ends.
struct AtThreadEnd {
  std::function<void()> call;
  ~AtThreadEnd() {
    if (call) {
      call();
    }
  }
};

TEST(WorkPoolTest, EndsAfterTheJobThatRunsAndDropsThoseThatWait) {
  Gate gate;
  Tickets begun;
  Tickets ended;
  std::weak_ptr<const uint64_t> waiting;
  {
    WorkPool<std::shared_ptr<const uint64_t>> pool(1, [&](std::shared_ptr<const uint64_t>&& job) {
      thread_local AtThreadEnd at_end;
      begun.add(*job);
      if (*job == 2) {
        at_end.call = [&] { gate.open(); };  // The thread without a job ends first, once the pool is to end.
      } else {
        gate.pass();
      }
      ended.add(*job);
    });
    const auto submit_large = [&](uint64_t ticket) {
      const auto job = std::make_shared<const uint64_t>(ticket);
      waiting = job;
      pool.submit({JobTicket{ticket}, JobClient{}, JobSize::kLarge}, std::shared_ptr(job));
    };
    submit_large(1);
    begun.wait_for(1);
    pool.submit({JobTicket{2}, JobClient{}, JobSize::kSmall}, std::make_shared<const uint64_t>(2));
    ended.wait_for(1);
    submit_large(3);
    submit_large(4);
    EXPECT_FALSE(waiting.expired());
  }
  EXPECT_EQ(begun.all(), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(ended.all(), (std::vector<uint64_t>{2, 1}));
  EXPECT_TRUE(waiting.expired());
}

TEST(WorkPoolTest, EndsAtAnyMoment) {
  for (uint64_t round = 0; round < 20; ++round) {
    Tickets done;
    {
      Pool pool(2, [&](Job&& job) { done.add(*job); });
      for (uint64_t ticket = 0; ticket < 10 * round; ++ticket) {
        submit(pool, ticket, ticket % 3 == 0 ? JobSize::kLarge : JobSize::kSmall);
      }
    }
    const std::vector<uint64_t> tickets = done.sorted();
    EXPECT_EQ(std::adjacent_find(tickets.begin(), tickets.end()), tickets.end());
  }
}

}  // namespace
}  // namespace daedalus

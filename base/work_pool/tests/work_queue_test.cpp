// Whose job is next.
#include "daedalus/work_pool/work_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "daedalus/base/units.hpp"

namespace daedalus {
namespace {

/// A job that cannot be copied: its own ticket.
using Job = std::unique_ptr<const uint64_t>;

class WorkQueueTest : public ::testing::Test {
 protected:
  JobTicket push(uint64_t client, JobSize size = JobSize::kSmall) {
    push_with(++last_, client, size);
    return JobTicket{last_};
  }
  void push_with(uint64_t ticket, uint64_t client, JobSize size = JobSize::kSmall) {
    queue_.push({JobTicket{ticket}, JobClient{client}, size}, std::make_unique<const uint64_t>(ticket));
  }

  /// Tickets in the order in which they come out.
  std::string drained(JobSize largest = JobSize::kLarge) {
    std::string tickets;
    while (const auto next = queue_.pop(largest)) {
      tickets += (tickets.empty() ? "" : " ") + std::to_string(*next->job);
    }
    return tickets;
  }

  WorkQueue<Job> queue_;
  uint64_t last_ = 0;
};

TEST_F(WorkQueueTest, ClientsTakeTurnsEachWithItsOldest) {
  for (int i = 0; i < 4; ++i) {
    push(1);
  }
  push(2);
  push(3);
  push(2);
  EXPECT_EQ(drained(), "1 5 6 2 7 3 4");
}

TEST_F(WorkQueueTest, TakesTheLowestTicketForTheOldestJobOfAClient) {
  push_with(9, 1);
  push_with(8, 2);
  push_with(7, 1);
  EXPECT_EQ(drained(), "7 8 9");
}

TEST_F(WorkQueueTest, SmallOnesDoNotWaitForLargeOnes) {
  push(1, JobSize::kLarge);
  push(1, JobSize::kLarge);
  push(1);
  push(2);
  EXPECT_EQ(drained(JobSize::kSmall), "3 4");
  EXPECT_EQ(queue_.size(), 2u);
  push(2);
  push(2);
  EXPECT_EQ(drained(), "1 5 2 6");
}

TEST_F(WorkQueueTest, SaysWhichAreLarge) {
  push(1, JobSize::kLarge);
  push(1);
  EXPECT_EQ(queue_.pop(JobSize::kLarge)->size, JobSize::kLarge);
  EXPECT_EQ(queue_.pop(JobSize::kLarge)->size, JobSize::kSmall);
  EXPECT_EQ(job_size(kSmallJobBytesMax), JobSize::kSmall);
  EXPECT_EQ(job_size(kSmallJobBytesMax + 1), JobSize::kLarge);
}

TEST_F(WorkQueueTest, ForgetsWhatIsCancelled) {
  const JobTicket first = push(1);
  push(1);
  const JobTicket only = push(2);
  const JobTicket large = push(3, JobSize::kLarge);
  queue_.cancel(first);
  queue_.cancel(only);
  queue_.cancel(large);
  queue_.cancel(large);
  EXPECT_EQ(queue_.size(), 1u);
  EXPECT_EQ(drained(), "2");
  EXPECT_EQ(queue_.size(), 0u);
  queue_.cancel(first);
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(WorkQueueTest, AClientWhoseJobsWereCancelledTakesTurnsAgain) {
  queue_.cancel(push(1));
  push(2);
  push(1);
  push(2);
  EXPECT_EQ(drained(), "2 3 4");
}

}  // namespace
}  // namespace daedalus

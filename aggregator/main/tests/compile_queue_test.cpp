// Whose statement is next.
#include "compile_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedalus::aggregator {
namespace {

class CompileQueueTest : public ::testing::Test {
 protected:
  CompileTicket push(uint64_t client, bool is_large = false) {
    CompileRequest request;
    request.ticket = CompileTicket{++last_};
    request.client = rpc::PeerId{client};
    request.bytes = is_large ? CompileQueue::kSmallBytesMax + 1 : CompileQueue::kSmallBytesMax;
    queue_.push(std::move(request));
    return CompileTicket{last_};
  }

  /// Tickets in the order in which they come out.
  std::string drained(bool may_be_large = true) {
    std::string tickets;
    while (const auto next = queue_.pop(may_be_large)) {
      tickets += (tickets.empty() ? "" : " ") + std::to_string(static_cast<uint64_t>(next->request.ticket));
    }
    return tickets;
  }

  CompileQueue queue_;
  uint64_t last_ = 0;
};

TEST_F(CompileQueueTest, ClientsTakeTurnsEachWithItsOldest) {
  for (int i = 0; i < 4; ++i) {
    push(1);
  }
  push(2);
  push(3);
  push(2);
  EXPECT_EQ(drained(), "1 5 6 2 7 3 4");
}

TEST_F(CompileQueueTest, SmallOnesDoNotWaitForLargeOnes) {
  push(1, true);
  push(1, true);
  push(1);
  push(2);
  EXPECT_EQ(drained(false), "3 4");
  EXPECT_EQ(queue_.size(), 2u);
  EXPECT_TRUE(queue_.has_large());
  push(2);
  push(2);
  EXPECT_EQ(drained(), "1 5 2 6");
}

TEST_F(CompileQueueTest, ForgetsWhatIsCancelled) {
  const CompileTicket first = push(1);
  push(1);
  const CompileTicket only = push(2);
  const CompileTicket large = push(3, true);
  queue_.cancel(first);
  queue_.cancel(only);
  queue_.cancel(large);
  queue_.cancel(large);
  EXPECT_EQ(queue_.size(), 1u);
  EXPECT_EQ(drained(), "2");
  EXPECT_EQ(queue_.size(), 0u);
}

}  // namespace
}  // namespace daedalus::aggregator

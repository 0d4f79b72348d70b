// What compiler threads put, and one thread takes in turns. Also run under ThreadSanitizer.
#include "compiled_mailbox.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace daedalus::aggregator {
namespace {

std::vector<uint64_t> numbers(const std::vector<CompiledMailbox::Letter>& letters) {
  std::vector<uint64_t> numbers;
  for (const CompiledMailbox::Letter& letter : letters) {
    numbers.push_back(static_cast<uint64_t>(letter.ticket));
  }
  return numbers;
}

TEST(CompiledMailboxTest, TellsOnceOfWhatIsTakenTogether) {
  CompiledMailbox mailbox;
  EXPECT_TRUE(mailbox.put(CompileTicket{1}, Compiled(CompiledSelect())));
  EXPECT_FALSE(mailbox.put(CompileTicket{2}, rejected("42601", "wrong")));
  std::vector<CompiledMailbox::Letter> taken;
  EXPECT_FALSE(mailbox.take(taken));
  EXPECT_EQ(numbers(taken), (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(mailbox.put(CompileTicket{3}, Compiled(CompiledSelect())));
}

TEST(CompiledMailboxTest, TakesSoManyInATurnAndNoneBehindAnUpdate) {
  CompiledMailbox mailbox;
  constexpr uint64_t kPut = CompiledMailbox::kTakenMax + 10;
  for (uint64_t number = 0; number < kPut; ++number) {
    const bool is_update = number == 3;
    EXPECT_EQ(mailbox.put(CompileTicket{number}, is_update ? Compiled(CompiledUpdate()) : Compiled(CompiledSelect())),
              number == 0);
  }
  std::vector<CompiledMailbox::Letter> taken;
  EXPECT_TRUE(mailbox.take(taken));
  EXPECT_EQ(numbers(taken), (std::vector<uint64_t>{0, 1, 2, 3}));
  EXPECT_FALSE(mailbox.put(CompileTicket{kPut}, Compiled(CompiledSelect()))) << "the taker comes again by itself";
  taken.clear();
  EXPECT_TRUE(mailbox.take(taken));
  EXPECT_EQ(taken.size(), CompiledMailbox::kTakenMax);
  EXPECT_FALSE(mailbox.take(taken));
  EXPECT_EQ(taken.size(), kPut + 1 - 4);
  EXPECT_EQ(static_cast<uint64_t>(taken.back().ticket), kPut);
}

TEST(CompiledMailboxTest, NothingIsLostBetweenThreads) {
  constexpr uint64_t kThreads = 3;
  constexpr uint64_t kEach = 20'000;
  CompiledMailbox mailbox;
  std::atomic<uint64_t> told = 0;
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < kEach; ++i) {
        told += mailbox.put(CompileTicket{thread * kEach + i}, Compiled(CompiledSelect())) ? 1 : 0;
      }
    });
  }
  // As the network's thread: it takes when it has been told, or when it knows of more.
  std::vector<CompiledMailbox::Letter> taken;
  std::vector<uint64_t> next(kThreads, 0);
  uint64_t heard = 0;
  uint64_t count = 0;
  bool has_more = false;
  while (count < kThreads * kEach) {
    if (!has_more && heard == told) {
      std::this_thread::yield();
      continue;
    }
    heard += has_more ? 0 : 1;
    taken.clear();
    has_more = mailbox.take(taken);
    count += taken.size();
    for (const uint64_t number : numbers(taken)) {
      EXPECT_EQ(number % kEach, next[number / kEach]++) << "out of order";
    }
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(mailbox.take(taken));
}

}  // namespace
}  // namespace daedalus::aggregator

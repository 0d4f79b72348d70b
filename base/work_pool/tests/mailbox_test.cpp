// Tests letters that several threads put and one thread takes in turns. Also run under ThreadSanitizer.
#include "daedalus/work_pool/mailbox.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace daedalus {
namespace {

/// A letter that cannot be copied.
struct Letter {
  std::unique_ptr<const uint64_t> number;
  bool is_long = false;
};

using LetterBox = Mailbox<Letter>;

bool is_long(const Letter& letter) { return letter.is_long; }

Letter letter(uint64_t number, bool is_long = false) { return {std::make_unique<const uint64_t>(number), is_long}; }

std::vector<uint64_t> numbers(const std::vector<Letter>& letters) {
  std::vector<uint64_t> numbers;
  for (const Letter& each : letters) {
    numbers.push_back(*each.number);
  }
  return numbers;
}

TEST(MailboxTest, TellsOnceOfWhatIsTakenTogether) {
  LetterBox mailbox(is_long);
  EXPECT_TRUE(mailbox.put(letter(1)));
  EXPECT_FALSE(mailbox.put(letter(2)));
  std::vector<Letter> taken;
  EXPECT_FALSE(mailbox.take(taken));
  EXPECT_EQ(numbers(taken), (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(mailbox.put(letter(3)));
}

TEST(MailboxTest, TakesSoManyInATurnAndNoneBehindALongOne) {
  LetterBox mailbox(is_long);
  constexpr uint64_t kPut = LetterBox::kTakenMax + 10;
  for (uint64_t number = 0; number < kPut; ++number) {
    EXPECT_EQ(mailbox.put(letter(number, /*is_long=*/number == 3)), number == 0);
  }
  std::vector<Letter> taken;
  EXPECT_TRUE(mailbox.take(taken));
  EXPECT_EQ(numbers(taken), (std::vector<uint64_t>{0, 1, 2, 3}));
  EXPECT_FALSE(mailbox.put(letter(kPut))) << "the taker comes again by itself";
  taken.clear();
  EXPECT_TRUE(mailbox.take(taken));
  EXPECT_EQ(taken.size(), LetterBox::kTakenMax);
  EXPECT_FALSE(mailbox.take(taken));
  EXPECT_EQ(taken.size(), kPut + 1 - 4);
  EXPECT_EQ(*taken.back().number, kPut);
}

TEST(MailboxTest, NothingIsLostBetweenThreads) {
  constexpr uint64_t kThreads = 3;
  constexpr uint64_t kEach = 20'000;
  LetterBox mailbox(is_long);
  std::atomic<uint64_t> told = 0;
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < kEach; ++i) {
        told += mailbox.put(letter(thread * kEach + i)) ? 1 : 0;
      }
    });
  }
  // As the network's thread: it takes when it has been told, or when it knows of more.
  std::vector<Letter> taken;
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
}  // namespace daedalus

// Example tests, and random timestamps at random times beside a twin that forgets nothing.
#include "daedalus/base/past_timestamp.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

namespace daedalus {
namespace {

constexpr Instant kStart{5 * kSecond};
constexpr int64_t kDelay = 2 * kSecond;
constexpr PastTimestamp::Times kTimes{.delay_ns = kDelay, .sample_ns = 100 * kMillisecond};

TEST(PastTimestampTest, SaysWhatItWasTwoSecondsAgo) {
  PastTimestamp marks(kTimes);
  marks.note(Timestamp{3}, kStart);
  marks.note(Timestamp{8}, after(kStart, kSecond));
  EXPECT_EQ(marks.past(), Timestamp{0});
  marks.note(Timestamp{9}, after(kStart, kDelay - 1));
  EXPECT_EQ(marks.past(), Timestamp{0});
  marks.note(Timestamp{9}, after(kStart, kDelay));
  EXPECT_EQ(marks.past(), Timestamp{3});
  marks.note(Timestamp{9}, after(kStart, kSecond + kDelay));
  EXPECT_EQ(marks.past(), Timestamp{8});
}

TEST(PastTimestampTest, WhatItStartsFromIsPast) {
  PastTimestamp marks(kTimes);
  marks.start_from(Timestamp{7});
  EXPECT_EQ(marks.past(), Timestamp{7});
  marks.note(Timestamp{7}, kStart);
  EXPECT_EQ(marks.next_deadline(), kNever) << "nothing will change";
}

TEST(PastTimestampTest, AsksToBeCalledUntilItHasCaughtUpWithATimestampThatStays) {
  PastTimestamp marks(kTimes);
  marks.note(Timestamp{3}, kStart);
  marks.note(Timestamp{4}, after(kStart, kTimes.sample_ns - 1));
  EXPECT_EQ(marks.next_deadline(), after(kStart, kDelay));
  marks.note(Timestamp{4}, marks.next_deadline());
  EXPECT_EQ(marks.past(), Timestamp{3});
  EXPECT_EQ(marks.next_deadline(), after(kStart, 2 * kDelay));
  marks.note(Timestamp{4}, marks.next_deadline());
  EXPECT_EQ(marks.past(), Timestamp{4});
  EXPECT_EQ(marks.next_deadline(), kNever);
}

/// The past mark is never above the one that there was, and lags behind it by one sample at most.
void check_random_marks(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(random); };
  const int64_t pace = 1 + below(300 * kMillisecond);
  PastTimestamp marks(kTimes);
  std::vector<std::pair<Instant, uint64_t>> noted{{Instant{}, 0}};
  const auto mark_at = [&](int64_t ns) {
    uint64_t mark = 0;
    for (const auto& [when, value] : noted) {
      mark = when.ns <= ns ? value : mark;
    }
    return Timestamp{mark};
  };
  Instant now = kStart;
  for (int step = 0; step < 300; ++step) {
    now = after(now, below(pace));
    noted.emplace_back(now, noted.back().second + static_cast<uint64_t>(below(3)));
    const Timestamp mark{noted.back().second};
    marks.note(mark, now);
    ASSERT_LE(marks.past(), mark_at(now.ns - kDelay));
    ASSERT_GE(marks.past(), mark_at(now.ns - 2 * kDelay)) << "after a long rest of the mark";
    ASSERT_TRUE(marks.next_deadline() == kNever ? marks.past() == mark : marks.next_deadline() > now);
  }
}

TEST(PastTimestampProperty, IsNeverAheadOfWhatItWas) {
  const char* given = std::getenv("DAEDALUS_SEED");
  const uint64_t seed = given == nullptr ? 20261129 : std::strtoull(given, nullptr, 10);
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  for (uint64_t round = 0; round < 200; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    check_random_marks(seed + round);
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace daedalus

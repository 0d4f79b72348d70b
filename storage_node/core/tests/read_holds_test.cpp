// Example tests, and random words of random peers beside a plain twin.
#include "daedalus/node/read_holds.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

namespace daedalus::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr rpc::PeerId kOne{1};
constexpr rpc::PeerId kOther{2};
constexpr Instant kStart{kSecond};

HoldWord word(const std::vector<uint64_t>& moments, uint64_t lowest = 0) {
  HoldWord made;
  for (const uint64_t moment : moments) {
    made.moments.push_back(Timestamp{moment});
  }
  if (lowest != 0) {
    made.lowest = Timestamp{lowest};
  }
  return made;
}

TEST(ReadHoldsTest, NobodyHoldsAnythingAtFirst) {
  const ReadHolds holds;
  EXPECT_EQ(holds.lowest(), std::nullopt);
  EXPECT_EQ(holds.next_deadline(), kNever);
}

TEST(ReadHoldsTest, TheLowestIsThatOfAllPeersAndOfAllTheySay) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({9, 7}), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_EQ(holds.lowest(), Timestamp{7});
  EXPECT_THAT(holds.hold(kOther, word({8}, 6), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_EQ(holds.lowest(), Timestamp{6});
}

TEST(ReadHoldsTest, AWordReplacesTheOneBefore) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({7, 9}), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_THAT(holds.hold(kOne, word({9}), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_EQ(holds.lowest(), Timestamp{9});
  EXPECT_THAT(holds.hold(kOne, word({}), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_EQ(holds.lowest(), std::nullopt);
  EXPECT_EQ(holds.count(), 0u);
  EXPECT_EQ(holds.next_deadline(), kNever);
}

TEST(ReadHoldsTest, BelowTheMarkOnlyWhatIsHeldAlreadyIsHeld) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({5, 6}), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_THAT(holds.hold(kOne, word({8, 7, 5, 4, 4}), Timestamp{8}, kStart),
              Optional(ElementsAre(Timestamp{4}, Timestamp{7})));
  EXPECT_EQ(holds.lowest(), Timestamp{5});
  EXPECT_THAT(holds.hold(kOne, word({6}), Timestamp{8}, kStart), Optional(ElementsAre(Timestamp{6})))
      << "the word before has let it go";
}

/// An aggregator that has lost its connection says on the next one what it holds.
TEST(ReadHoldsTest, APeerMayTakeOverWhatAnotherHolds) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({5}), Timestamp{5}, kStart), Optional(IsEmpty()));
  holds.on_peer_down(kOne, kStart);
  EXPECT_THAT(holds.hold(kOther, word({5}), Timestamp{9}, after(kStart, kSecond)), Optional(IsEmpty()));
  holds.on_deadline(after(kStart, 2 * kSecond));
  EXPECT_EQ(holds.lowest(), Timestamp{5});
  EXPECT_EQ(holds.count(), 1u);
}

/// It says how low its queries are; those were judged when they came.
TEST(ReadHoldsTest, TheLowestOfAllElseIsNotRefusedAndLetsNobodyHoldIt) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({}, 3), Timestamp{9}, kStart), Optional(IsEmpty()));
  EXPECT_EQ(holds.lowest(), Timestamp{3});
  EXPECT_THAT(holds.hold(kOther, word({3}), Timestamp{9}, kStart), Optional(ElementsAre(Timestamp{3})));
}

TEST(ReadHoldsTest, AWordEndsTwoSecondsAfterItWasSaidLast) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({5}), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_EQ(holds.next_deadline(), after(kStart, 2 * kSecond));
  EXPECT_THAT(holds.hold(kOne, word({5}), Timestamp{9}, after(kStart, kSecond)), Optional(IsEmpty()));
  holds.on_deadline(after(kStart, 3 * kSecond - 1));
  EXPECT_EQ(holds.lowest(), Timestamp{5});
  holds.on_deadline(after(kStart, 3 * kSecond));
  EXPECT_EQ(holds.lowest(), std::nullopt);
}

TEST(ReadHoldsTest, AWordEndsTwoSecondsAfterItsConnectionIsLost) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({5}), Timestamp{5}, kStart), Optional(IsEmpty()));
  holds.on_peer_down(kOne, after(kStart, kSecond));
  holds.on_peer_down(kOther, after(kStart, kSecond));
  EXPECT_EQ(holds.next_deadline(), after(kStart, 3 * kSecond));
  holds.on_deadline(after(kStart, 3 * kSecond));
  EXPECT_EQ(holds.count(), 0u);
}

/// Nobody called on_deadline() in time.
TEST(ReadHoldsTest, AWordThatHasEndedLetsNobodyHoldItsMoments) {
  ReadHolds holds;
  EXPECT_THAT(holds.hold(kOne, word({5}), Timestamp{5}, kStart), Optional(IsEmpty()));
  EXPECT_THAT(holds.hold(kOne, word({5}), Timestamp{9}, after(kStart, 2 * kSecond)),
              Optional(ElementsAre(Timestamp{5})));
}

TEST(ReadHoldsTest, AllPeersTogetherHoldABoundedNumberOfMoments) {
  ReadHolds holds;
  HoldWord most;
  for (uint64_t moment = 1; moment < ReadHolds::kMomentsMax; ++moment) {
    most.moments.push_back(Timestamp{moment});
  }
  EXPECT_THAT(holds.hold(kOne, most, Timestamp{}, kStart), Optional(IsEmpty()));
  EXPECT_THAT(holds.hold(kOther, word({5}), Timestamp{}, kStart), Optional(IsEmpty()));
  EXPECT_EQ(holds.hold(kOther, word({5}, 4), Timestamp{}, kStart), std::nullopt);
  EXPECT_EQ(holds.hold(rpc::PeerId{3}, word({5}), Timestamp{}, kStart), std::nullopt);
  EXPECT_EQ(holds.count(), 2u) << "the word before holds on";
  most.moments.pop_back();
  EXPECT_THAT(holds.hold(kOne, most, Timestamp{}, kStart), Optional(IsEmpty()));
  EXPECT_THAT(holds.hold(kOther, word({5}, 4), Timestamp{}, kStart), Optional(IsEmpty()));
  holds.on_deadline(after(kStart, 2 * kSecond));
  EXPECT_THAT(holds.hold(kOther, most, Timestamp{}, after(kStart, 2 * kSecond)), Optional(IsEmpty()));
}

/// The plain twin: every word that was ever said, looked through for each question.
class PlainHolds {
 public:
  void say(uint64_t peer, std::set<uint64_t> moments, uint64_t lowest, Instant now) {
    words_[peer] = {std::move(moments), lowest, after(now, 2 * kSecond)};
  }
  void lose(uint64_t peer, Instant now) {
    if (auto found = words_.find(peer); found != words_.end() && found->second.end > now) {
      found->second.end = after(now, 2 * kSecond);
    }
  }
  [[nodiscard]] bool is_held(uint64_t moment, Instant now) const {
    return std::any_of(words_.begin(), words_.end(), [&](const auto& entry) {
      return entry.second.end > now && entry.second.moments.contains(moment);
    });
  }
  [[nodiscard]] std::optional<Timestamp> lowest(Instant now) const {
    std::set<uint64_t> all;
    for (const auto& [peer, said] : words_) {
      if (said.end > now) {
        all.insert(said.moments.begin(), said.moments.end());
        if (said.lowest != 0) {
          all.insert(said.lowest);
        }
      }
    }
    return all.empty() ? std::nullopt : std::optional(Timestamp{*all.begin()});
  }

 private:
  struct Said {
    std::set<uint64_t> moments;
    uint64_t lowest = 0;
    Instant end;
  };
  std::map<uint64_t, Said> words_;
};

void compare_with_twin(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random); };
  ReadHolds holds;
  PlainHolds plain;
  Instant now = kStart;
  uint64_t mark = 1;
  for (int step = 0; step < 300; ++step) {
    now = after(now, static_cast<int64_t>(below(700)) * kMillisecond);
    holds.on_deadline(now);
    mark += below(3);
    const uint64_t peer = 1 + below(4);
    if (below(6) == 0) {
      holds.on_peer_down(rpc::PeerId{peer}, now);
      plain.lose(peer, now);
    } else {
      std::vector<uint64_t> moments;
      for (uint64_t count = below(4); count > 0; --count) {
        moments.push_back(mark + below(4) - std::min<uint64_t>(mark, 2));
      }
      const uint64_t lowest = below(3) == 0 ? 1 + below(mark) : 0;
      std::set<uint64_t> held;
      std::set<uint64_t> refused;
      for (const uint64_t moment : moments) {
        (moment >= mark || plain.is_held(moment, now) ? held : refused).insert(moment);
      }
      const auto said = holds.hold(rpc::PeerId{peer}, word(moments, lowest), Timestamp{mark}, now);
      ASSERT_TRUE(said);
      std::vector<Timestamp> expected;
      for (const uint64_t moment : refused) {
        expected.push_back(Timestamp{moment});
      }
      ASSERT_EQ(*said, expected) << "step " << step;
      plain.say(peer, held, lowest, now);
    }
    ASSERT_EQ(holds.lowest(), plain.lowest(now)) << "step " << step;
    ASSERT_GT(holds.next_deadline(), now);
  }
}

TEST(ReadHoldsProperty, HoldsAsThePlainTwinDoes) {
  const char* given = std::getenv("DAEDALUS_SEED");
  const uint64_t seed = given == nullptr ? 20261128 : std::strtoull(given, nullptr, 10);
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  for (uint64_t round = 0; round < 100; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    compare_with_twin(seed + round);
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace daedalus::node

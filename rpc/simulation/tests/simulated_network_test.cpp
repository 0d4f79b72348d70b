#include "daedalus/rpc/simulated_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "recorder.hpp"

namespace daedalus::rpc {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

uint64_t base_seed() {
  const char* text = std::getenv("DAEDALUS_SEED");
  const uint64_t seed = text == nullptr ? 20'130'101 : std::strtoull(text, nullptr, 10);
  testing::Test::RecordProperty("seed", std::to_string(seed));
  return seed;
}

/// "a:1" dials "b:1".
struct Two {
  explicit Two(SimulationOptions options = {}) : network(options) {
    a_end = &network.start("a:1", hello("a"), a);
    b_end = &network.start("b:1", hello("b"), b);
    a.network = a_end;
    b.network = b_end;
    link = a_end->dial("b:1");
  }
  bool come_up() {
    return network.run_until([&] { return a.up.size() == 1 && b.up.size() == 1; }, 5 * kSecond);
  }

  SimulatedNetwork network;
  Recorder a;
  Recorder b;
  SimulatedEndpoint* a_end;
  SimulatedEndpoint* b_end;
  LinkId link;
};

TEST(SimulatedNetworkTest, JoinsTwoProcessesAndCarriesBothWays) {
  Two two;
  ASSERT_TRUE(two.come_up());
  EXPECT_EQ(two.a.up.begin()->second.link, two.link);
  EXPECT_EQ(two.a.up.begin()->second.address, "b:1");
  EXPECT_FALSE(two.b.up.begin()->second.link);
  for (uint64_t sequence = 1; sequence <= 1000; ++sequence) {
    two.a.send(two.a.only_peer(), sequence);
    two.b.send(two.b.only_peer(), sequence);
  }
  EXPECT_TRUE(two.network.run_until([&] { return two.a.result_count == 1000 && two.b.result_count == 1000; }, kSecond));
  for (uint64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(two.a.results.begin()->second[i], i + 1);
    ASSERT_EQ(two.b.operations.begin()->second[i], i + 1);
  }
}

TEST(SimulatedNetworkTest, StaysUpWhileNobodySpeaks) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.network.run_for(60 * kSecond);
  EXPECT_THAT(two.a.log, ElementsAre("up b"));
  EXPECT_THAT(two.b.log, ElementsAre("up a"));
}

TEST(SimulatedNetworkTest, TakesTimeToDeliver) {
  Two two({.delay_ns_min = 10 * kMillisecond, .delay_ns_max = 20 * kMillisecond});
  ASSERT_TRUE(two.come_up());
  const Instant sent = two.network.now();
  two.a.send(two.a.only_peer(), 1);
  ASSERT_TRUE(two.network.run_until([&] { return two.a.result_count == 1; }, kSecond));
  EXPECT_GE(two.network.now(), after(sent, 20 * kMillisecond));
  EXPECT_LE(two.network.now(), after(sent, 100 * kMillisecond));
}

TEST(SimulatedNetworkTest, ConnectionsOvertakeEachOther) {
  Two two;
  Recorder c;
  c.network = &two.network.start("c:1", hello("c"), c);
  static_cast<SimulatedEndpoint*>(c.network)->dial("b:1");
  two.network.set_delay("a:1", "b:1", 50 * kMillisecond, 60 * kMillisecond);
  ASSERT_TRUE(two.network.run_until([&] { return two.b.up.size() == 2 && two.a.up.size() == 1 && c.up.size() == 1; },
                                    5 * kSecond));
  two.a.send(two.a.only_peer(), 1);
  two.network.run_for(kMillisecond);
  c.send(c.only_peer(), 2);
  ASSERT_TRUE(two.network.run_until([&] { return two.b.operation_count == 1; }, kSecond));
  EXPECT_EQ(c.up.size(), 1u);
  EXPECT_TRUE(two.network.run_until([&] { return c.result_count == 1; }, kSecond));
  EXPECT_EQ(two.a.result_count, 0u);
}

// ---- faults ----

TEST(SimulatedNetworkTest, AResetIsSeenByBothAndDialledAgain) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.network.reset("a:1", "b:1");
  ASSERT_TRUE(two.network.run_until([&] { return two.a.up.empty() && two.b.up.empty(); }, 100 * kMillisecond));
  EXPECT_EQ(two.a.last_line(), "down: connection reset by peer");
  EXPECT_TRUE(two.come_up());
}

TEST(SimulatedNetworkTest, AHalfOpenConnectionIsFoundByKeepAlive) {
  Two two;
  ASSERT_TRUE(two.come_up());
  const Instant cut = two.network.now();
  two.network.reset("b:1", "a:1", Notice::kOnlyFirst);
  ASSERT_TRUE(two.network.run_until([&] { return two.b.up.empty(); }, 100 * kMillisecond));
  EXPECT_EQ(two.a.up.size(), 1u);
  ASSERT_TRUE(two.network.run_until([&] { return two.a.up.empty(); }, 3 * kSecond));
  EXPECT_EQ(two.a.last_line(), "down: peer silent for 2000 ms");
  EXPECT_LE(two.network.now(), after(cut, 2 * kSecond));
}

TEST(SimulatedNetworkTest, ACutLastsUntilHealed) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.network.cut("a:1", "b:1");
  two.network.run_for(10 * kSecond);
  EXPECT_TRUE(two.a.up.empty());
  EXPECT_THAT(two.a.last_line(), HasSubstr("cannot connect to b:1: network is unreachable"));
  two.network.heal("b:1", "a:1");
  EXPECT_TRUE(two.network.run_until([&] { return two.a.up.size() == 1; }, 2 * kSecond));
}

TEST(SimulatedNetworkTest, ABlackholeKillsBySilenceAndAShortOneOnlyDelays) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.network.blackhole("a:1", "b:1");
  for (uint64_t sequence = 1; sequence <= 50; ++sequence) {
    two.a.send(two.a.only_peer(), sequence);
    two.network.run_for(10 * kMillisecond);
  }
  EXPECT_EQ(two.b.operation_count, 0u);
  two.network.heal("a:1", "b:1");
  ASSERT_TRUE(two.network.run_until([&] { return two.b.operation_count == 50; }, kSecond));
  EXPECT_TRUE(std::is_sorted(two.b.operations.begin()->second.begin(), two.b.operations.begin()->second.end()));
  two.network.blackhole("a:1", "b:1");
  two.a.send(two.a.only_peer(), 51);
  two.network.run_for(4 * kSecond);
  EXPECT_THAT(two.b.log, Contains("down: peer silent for 2000 ms"));
  EXPECT_EQ(two.b.operation_count, 50u);
  two.network.heal_all();
  EXPECT_TRUE(two.come_up());
  EXPECT_EQ(two.b.operation_count, 50u);
}

TEST(SimulatedNetworkTest, TasksRunWhenTheyAreDueBesideTheOneTimer) {
  Two two;
  const Instant start = two.network.now();
  std::vector<int64_t> ran;
  const auto note = [&] { ran.push_back((two.network.now().ns - start.ns) / kMillisecond); };
  two.b_end->post_at(after(start, 5 * kMillisecond), note);
  two.b_end->arm(after(start, 4 * kMillisecond), note);
  two.b_end->post_at(after(start, 2 * kMillisecond), note);
  two.network.run_for(10 * kMillisecond);
  EXPECT_THAT(ran, ElementsAre(2, 4, 5));
}

TEST(SimulatedNetworkTest, ACrashedProcessIsLostAndComesBackWithNothing) {
  Two two;
  ASSERT_TRUE(two.come_up());
  bool late_task_ran = false;
  two.b_end->arm(after(two.network.now(), kSecond), [&] { late_task_ran = true; });
  two.b_end->post([&] { late_task_ran = true; });
  two.b_end->post_at(after(two.network.now(), kSecond), [&] { late_task_ran = true; });
  two.network.crash("b:1");
  EXPECT_FALSE(two.network.running("b:1"));
  ASSERT_TRUE(two.network.run_until([&] { return two.a.up.empty(); }, 100 * kMillisecond));
  two.network.run_for(5 * kSecond);
  EXPECT_EQ(two.a.last_line(), "link 0 failed: cannot connect to b:1: connection refused");
  EXPECT_THAT(two.b.log, ElementsAre("up a"));
  EXPECT_FALSE(late_task_ran);
  Recorder again;
  again.network = &two.network.restart("b:1", hello("b again"), again);
  ASSERT_TRUE(two.network.run_until([&] { return again.up.size() == 1 && two.a.up.size() == 1; }, 2 * kSecond));
  EXPECT_EQ(two.a.last_line(), "up b again");
}

TEST(SimulatedNetworkTest, AVanishedMachineIsFoundByKeepAlive) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.network.crash("b:1", Notice::kNobody);
  two.network.run_for(kSecond);
  EXPECT_EQ(two.a.up.size(), 1u);
  ASSERT_TRUE(two.network.run_until([&] { return two.a.up.empty(); }, 3 * kSecond));
  EXPECT_THAT(two.a.log, Contains("down: peer silent for 2000 ms"));
}

TEST(SimulatedNetworkTest, ProcessesOfDifferentClustersRefuseEachOtherByName) {
  SimulatedNetwork network({});
  Recorder a;
  Recorder b;
  auto stranger = hello("b");
  stranger.set_cluster_id("trains");
  a.network = &network.start("a:1", hello("a"), a);
  b.network = &network.start("b:1", stranger, b);
  static_cast<SimulatedEndpoint*>(a.network)->dial("b:1");
  network.run_for(kSecond);
  EXPECT_TRUE(a.up.empty());
  EXPECT_TRUE(b.up.empty());
  EXPECT_THAT(a.log, Contains(HasSubstr("cluster id differs")));
  EXPECT_TRUE(b.log.empty());
}

// ---- the owner's wishes ----

TEST(SimulatedNetworkTest, ClosingAPeerDeliversWhatWasSentBefore) {
  Two two;
  ASSERT_TRUE(two.come_up());
  Outbox outbox;
  outbox.operations.emplace_back(two.a.only_peer(), operation(1));
  outbox.closes.emplace_back(two.a.only_peer(), "enough");
  two.a_end->send(std::move(outbox));
  two.a_end->drop_link(two.link, "unused");
  two.network.run_for(kSecond);
  EXPECT_THAT(two.a.log, ElementsAre("up b", "down: enough"));
  EXPECT_THAT(two.b.log, ElementsAre("up a", "down: peer said goodbye: enough"));
  EXPECT_EQ(two.b.operation_count, 1u);
}

TEST(SimulatedNetworkTest, ArmedDeadlineIsReplacedAndDisarmed) {
  Two two;
  std::vector<int> rung;
  int turns = 0;
  two.a_end->set_on_turn_end([&] { ++turns; });
  const Instant start = two.network.now();
  two.a_end->arm(after(start, kSecond), [&] { rung.push_back(1); });
  two.a_end->arm(after(start, 2 * kSecond), [&] { rung.push_back(2); });
  two.b_end->arm(after(start, kSecond), [&] { rung.push_back(3); });
  two.b_end->arm(kNever, {});
  two.network.run_for(1900 * kMillisecond);
  EXPECT_TRUE(rung.empty());
  two.network.run_for(kSecond);
  EXPECT_THAT(rung, ElementsAre(2));
  EXPECT_GT(turns, 0);
}

TEST(SimulatedNetworkTest, ALeapOfAClockPassesItsOwnDeadlinesAlone) {
  Two two;
  std::vector<std::string> rung;
  const Instant start = two.network.now();
  two.a_end->arm(after(start, 10 * kSecond), [&] { rung.emplace_back("a"); });
  two.b_end->arm(after(start, 10 * kSecond), [&] { rung.emplace_back("b"); });
  two.network.leap("a:1", 9 * kSecond);
  EXPECT_EQ(two.a_end->now(), after(start, 9 * kSecond));
  EXPECT_EQ(two.b_end->now(), start);
  two.network.run_for(2 * kSecond);
  EXPECT_THAT(rung, ElementsAre("a"));
  two.a_end->post([&] { rung.emplace_back("at once"); });
  two.a_end->arm(after(two.a_end->now(), kSecond), [&] { rung.emplace_back("again"); });
  two.network.run_for(500 * kMillisecond);
  EXPECT_THAT(rung, ElementsAre("a", "at once"));
  two.network.run_for(kSecond);
  EXPECT_THAT(rung, ElementsAre("a", "at once", "again"));
}

TEST(SimulatedNetworkTest, AProcessThatIsFrozenDoesNothingAndThenAllThatWaited) {
  Two two;
  ASSERT_TRUE(two.come_up());
  std::vector<std::string> rung;
  const Instant start = two.network.now();
  two.a_end->arm(after(start, 100 * kMillisecond), [&] { rung.emplace_back("a"); });
  two.b_end->arm(after(start, 200 * kMillisecond), [&] { rung.emplace_back("b"); });
  two.network.freeze("a:1", kSecond);
  two.network.freeze("a:1", kMillisecond);  // It is frozen for longer already.
  EXPECT_TRUE(two.network.frozen("a:1"));
  EXPECT_FALSE(two.network.frozen("b:1"));
  two.b.send(two.b.up.begin()->first, 1, 200);
  two.b.send(two.b.up.begin()->first, 2, 200);
  two.network.run_for(900 * kMillisecond);
  EXPECT_THAT(rung, ElementsAre("b"));
  EXPECT_TRUE(two.a.operations.empty());
  two.network.run_for(200 * kMillisecond);
  EXPECT_FALSE(two.network.frozen("a:1"));
  EXPECT_THAT(rung, ElementsAre("b", "a"));
  EXPECT_THAT(two.a.operations.begin()->second, ElementsAre(1, 2));
  EXPECT_THAT(two.a.log, ElementsAre("up b"));
}

TEST(SimulatedNetworkTest, FindsAFrozenPeerDead) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.network.freeze("a:1", 10 * kSecond);
  two.network.run_for(5 * kSecond);
  EXPECT_EQ(two.b.log.size(), 2U) << "up and down";
  EXPECT_THAT(two.a.log, ElementsAre("up b"));
  two.network.run_for(10 * kSecond);
  EXPECT_EQ(two.a.log.size(), 3U) << "up, down and up again";
}

// ---- determinism ----

uint64_t hash_of_a_rough_run(uint64_t seed) {
  SimulationOptions options;
  options.seed = seed;
  options.reset_probability = 0.01;
  options.piece_size_max = 512;
  Two two(options);
  uint64_t sequence = 0;
  for (int round = 0; round < 200; ++round) {
    two.network.run_for(20 * kMillisecond);
    for (const auto& [peer, info] : two.a.up) {
      two.a.send(peer, ++sequence, 200);
    }
    if (two.network.random().chance(0.02)) {
      two.network.cut("a:1", "b:1", Notice::kNobody);
    } else if (two.network.random().chance(0.1)) {
      two.network.heal_all();
    }
  }
  return two.network.event_hash();
}

TEST(SimulatedNetworkTest, OneSeedIsOneRun) {
  const uint64_t seed = base_seed();
  EXPECT_EQ(hash_of_a_rough_run(seed), hash_of_a_rough_run(seed)) << "DAEDALUS_SEED=" << seed;
  EXPECT_NE(hash_of_a_rough_run(seed), hash_of_a_rough_run(seed + 1)) << "DAEDALUS_SEED=" << seed;
}

TEST(SimulatedNetworkTest, EveryConnectionDeliversAPrefixOfWhatWasSentWhateverHappens) {
  const uint64_t first_seed = base_seed();
  for (uint64_t seed = first_seed; seed < first_seed + 100; ++seed) {
    SimulationOptions options;
    options.seed = seed;
    options.reset_probability = 0.02;
    options.piece_size_max = 300;
    Two two(options);
    uint64_t sent = 0;
    for (int round = 0; round < 50; ++round) {
      two.network.run_for(30 * kMillisecond);
      for (const auto& [peer, info] : two.a.up) {
        two.a.send(peer, ++sent, 100);
        two.a.send(peer, ++sent, 1000);
      }
    }
    two.network.set_reset_probability(0);
    two.network.run_for(5 * kSecond);
    EXPECT_EQ(two.a.up.size(), 1u) << "DAEDALUS_SEED=" << seed;
    EXPECT_EQ(two.b.up.size(), 1u) << "DAEDALUS_SEED=" << seed;
    for (const auto& [peer, arrived] : two.b.operations) {
      for (size_t i = 1; i < arrived.size(); ++i) {
        ASSERT_EQ(arrived[i], arrived[0] + i) << "DAEDALUS_SEED=" << seed;
      }
    }
    const uint64_t before = two.a.result_count;
    two.a.send(two.a.only_peer(), ++sent);
    EXPECT_TRUE(two.network.run_until([&] { return two.a.result_count == before + 1; }, kSecond));
  }
}

}  // namespace
}  // namespace daedalus::rpc

// The simulator is put to the test: with each of six faults in the cores, it must find that something is wrong within
// 200 seeds. The cores are the product's sources, compiled once more (planted_faults.hpp); without a fault they run as
// the product does.
//
// DAEDALUS_SEED says where the seeds start.
#include "daedalus/base/planted_faults.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "simulated_cluster.hpp"

namespace daedalus {

namespace {

Fault planted = Fault::kNone;

}  // namespace

bool is_planted(Fault fault) { return fault == planted; }

namespace testing {
namespace {

constexpr uint64_t kSeedsMax = 200;

struct Planted {
  const char* name;
  Fault fault;
};

class PlantedFaultTest : public ::testing::TestWithParam<Planted> {
 protected:
  ~PlantedFaultTest() override { planted = Fault::kNone; }

  static RunReport run(uint64_t seed, Fault fault) {
    planted = fault;
    return SimulatedCluster(options_of(seed)).run();
  }

  static uint64_t first_seed() {
    const char* text = std::getenv("DAEDALUS_SEED");
    return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  }
};

TEST_P(PlantedFaultTest, IsFound) {
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + kSeedsMax; ++seed) {
    const RunReport report = run(seed, GetParam().fault);
    if (report.violations.empty()) {
      continue;
    }
    std::printf("%s: found with DAEDALUS_SEED=%lu, seed %lu of %lu: %s\n", GetParam().name, seed, seed - first + 1,
                kSeedsMax, report.violations.front().c_str());
    EXPECT_TRUE(run(seed, Fault::kNone).violations.empty()) << "seed " << seed << " finds something without it, too";
    return;
  }
  ADD_FAILURE() << GetParam().name << " was not found in " << kSeedsMax << " seeds from " << first;
}

INSTANTIATE_TEST_SUITE_P(Faults, PlantedFaultTest,
                         ::testing::Values(Planted{"PartitionDropped", Fault::kPartitionDropped},
                                           Planted{"NoOpLost", Fault::kNoOpLost},
                                           Planted{"ConfirmedAtFirstNode", Fault::kConfirmedAtFirstNode},
                                           Planted{"AnswerMergedTwice", Fault::kAnswerMergedTwice},
                                           Planted{"StaleMapAccepted", Fault::kStaleMapAccepted},
                                           Planted{"QueryAdmittedAtAccepted", Fault::kQueryAdmittedAtAccepted}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace testing
}  // namespace daedalus

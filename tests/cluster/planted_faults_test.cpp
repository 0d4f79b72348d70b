// The simulator is put to the test: with each of the faults below in the cores, it must find that something is wrong
// within 200 seeds. The cores are the product's sources, compiled once more (planted_faults.hpp); without a fault they
// run as the product does.
//
// DAEDALUS_SEED says where the seeds start.
#include "daedalus/base/planted_faults.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "daedalus/base/check.hpp"
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

  /// Returns the first fault that a run finds; empty: none. In a process of its own: some faults are found by a CHECK,
  /// which ends it.
  static std::string run(uint64_t seed, Fault fault) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      tell(ends[1], seed, fault);
    }
    close(ends[1]);
    std::string found;
    char bytes[4096];
    for (ssize_t size = 0; (size = read(ends[0], bytes, sizeof bytes)) > 0;) {
      found.append(bytes, static_cast<size_t>(size));
    }
    close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return status == 0 ? found : "the process ended with a failed CHECK or worse";
  }

  /// Noexcept: nothing of the child may get back into the test.
  [[noreturn]] static void tell(int out, uint64_t seed, Fault fault) noexcept {
    planted = fault;
    const RunReport report = SimulatedCluster(options_of(seed)).run();
    const std::string found = report.violations.empty() ? "" : report.violations.front();
    const bool is_told = write(out, found.data(), found.size()) == static_cast<ssize_t>(found.size());
    _exit(is_told ? 0 : 1);
  }

  static uint64_t first_seed() {
    const char* text = std::getenv("DAEDALUS_SEED");
    return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  }
};

TEST_P(PlantedFaultTest, IsFound) {
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + kSeedsMax; ++seed) {
    const std::string found = run(seed, GetParam().fault);
    if (found.empty()) {
      continue;
    }
    std::printf("%s: found with DAEDALUS_SEED=%lu, seed %lu of %lu: %s\n", GetParam().name, seed, seed - first + 1,
                kSeedsMax, found.c_str());
    EXPECT_EQ(run(seed, Fault::kNone), "") << "seed " << seed << " finds something without it, too";
    return;
  }
  ADD_FAILURE() << GetParam().name << " was not found in " << kSeedsMax << " seeds from " << first;
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PlantedFaultTest,
    ::testing::Values(
        Planted{"PartitionDropped", Fault::kPartitionDropped}, Planted{"NoOpLost", Fault::kNoOpLost},
        Planted{"ConfirmedAtFirstNode", Fault::kConfirmedAtFirstNode},
        Planted{"AnswerMergedTwice", Fault::kAnswerMergedTwice}, Planted{"StaleMapAccepted", Fault::kStaleMapAccepted},
        Planted{"NoOpNotLogged", Fault::kNoOpNotLogged},
        Planted{"JournalTruncatedAtConfirmed", Fault::kJournalTruncatedAtConfirmed},
        Planted{"SlotsChosenAgain", Fault::kSlotsChosenAgain},
        Planted{"EpochGrantedUnsynced", Fault::kEpochGrantedUnsynced},
        Planted{"ChunkStampWrong", Fault::kChunkStampWrong},
        Planted{"CheckpointBeforeUpdates", Fault::kCheckpointBeforeUpdates},
        Planted{"CheckpointBeforeOutcomes", Fault::kCheckpointBeforeOutcomes},
        Planted{"SketchNotMade", Fault::kSketchNotMade}, Planted{"CoolingSlotTwice", Fault::kCoolingSlotTwice},
        Planted{"PastNotCompared", Fault::kPastNotCompared},
        Planted{"SuspendedRowDropped", Fault::kSuspendedRowDropped},
        Planted{"PipelinedTakenForOther", Fault::kPipelinedTakenForOther},
        Planted{"InsertNotSubmitted", Fault::kInsertNotSubmitted},
        Planted{"QueryAdmittedAtAccepted", Fault::kQueryAdmittedAtAccepted},
        Planted{"MomentBelowMark", Fault::kMomentBelowMark}, Planted{"HoldForgotten", Fault::kHoldForgotten},
        Planted{"MaximumForPrefix", Fault::kMaximumForPrefix}, Planted{"PartsAtTwoMoments", Fault::kPartsAtTwoMoments},
        Planted{"RecentRowShownTwice", Fault::kRecentRowShownTwice},
        Planted{"VersionSeenTooLong", Fault::kVersionSeenTooLong},
        Planted{"OldestUndoneFirst", Fault::kOldestUndoneFirst},
        Planted{"SliceWithoutRecentRows", Fault::kSliceWithoutRecentRows},
        Planted{"TrimmedTooFar", Fault::kTrimmedTooFar}, Planted{"ReplayNotRecorded", Fault::kReplayNotRecorded},
        Planted{"SlotsFreeOnceTrimmed", Fault::kSlotsFreeOnceTrimmed}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace testing
}  // namespace daedalus

// What disks do to those who trust them: the faults of a run with logs, by name, and how many of each a run has.
//
// A torn write is none of them: every loss of power leaves any sectors of what was not synced.
#pragma once

#include <array>
#include <cstdint>

namespace daedalus::testing {

enum class DiskFault : uint8_t { kFailedSyncs, kFull, kSlow, kPowerLostAtCheckpoint };

struct DiskFaultRate {
  DiskFault fault;
  const char* name;
  double per_run;  ///< Of all disks together; of kPowerLostAtCheckpoint per checkpoint that becomes current.
};

inline constexpr std::array kDiskFaultRates = {
    DiskFaultRate{DiskFault::kFailedSyncs, "fails a few syncs", 1},
    DiskFaultRate{DiskFault::kFull, "is full", 1},
    DiskFaultRate{DiskFault::kSlow, "is slow to sync", 1.5},
    DiskFaultRate{DiskFault::kPowerLostAtCheckpoint, "loses its power when a checkpoint has become current", 0.01},
};

/// What becomes of the disk of a node that is down, in a run of Story::kDiskLies: the node comes back whole, or refuses
/// to start and names the file, or declares itself incomplete.
enum class DiskLie : uint8_t { kFlippedBit, kMisdirectedWrite, kOldDirectory };

struct DiskLieWeight {
  DiskLie lie;
  const char* name;
  uint32_t weight;
};

inline constexpr std::array kDiskLieWeights = {
    DiskLieWeight{DiskLie::kFlippedBit, "a bit has turned", 6},
    DiskLieWeight{DiskLie::kMisdirectedWrite, "a write has gone elsewhere in its file", 2},
    DiskLieWeight{DiskLie::kOldDirectory, "an old directory has been put back", 2},
};

}  // namespace daedalus::testing

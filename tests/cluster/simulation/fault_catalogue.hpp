// Everything that can befall a run, by name: how often it is meant to, and what has.
//
// One table. Whatever is not in it does not happen to a simulated cluster; cluster_test says that everything that is in
// it has happened within 200 seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/durability/simulated_disk.hpp"

namespace daedalus::testing {

enum class FaultPoint : uint8_t {
  // ---- connections and messages ----
  kResetSeenByBoth,
  kResetSeenByOne,
  kResetSeenByNobody,
  kResetMidway,
  kDelay,
  kOvertaken,
  kDuplicate,
  kCut,
  kSilentThere,
  kSilentBack,
  // ---- processes ----
  kAggregatorKilled,
  kNodeSlow,
  kNodeClockLeaps,
  kAggregatorClockLeaps,
  kWriterClockLeaps,
  kWallClockSetAhead,
  kWallClockSetBack,
  kNodeFrozen,
  kAggregatorFrozen,
  kWriterFrozen,
  kNodeKilled,
  kNodeVanishes,
  kWriterKilled,
  kWriterVanishes,
  // ---- disks ----
  kSyncFails,
  kDiskFull,
  kDiskSlow,
  kTornWrite,
  kPowerLostAtCheckpoint,
  // ---- stories, one a run ----
  kRowsLost,
  kEverybodyKilled,
  kTakeOverInQuiet,
  kTakeOverMidway,
  kOlderMapAtAggregator,
  kOlderMapAtClient,
  kOldJournal,
  kOldJournalUnseen,
  kFlippedJournal,
  kFlippedJournalTail,
  // A disk that lies: the first is dealt to the first such run, and so on.
  kFlippedUpdates,
  kFlippedOutcomes,
  kFlippedData,
  kFlippedManifest,
  kFlippedEpoch,
  kMisdirectedWrite,
  kOldDirectory,
  /// The first of power_points(): they follow in their order.
  kPowerLost,
};

/// How a fault comes about.
enum class Occasion : uint8_t {
  kAnyTime,         ///< In a run with faults, drawn.
  kAnyTimeWithLog,  ///< Likewise, where nodes have logs.
  kByItself,        ///< Follows from others; it is only counted.
  /// It happens in runs of that story; the rate is that of the story's share of them.
  kStory,
  kDealt,  ///< In runs where nodes have logs, in turn, so many of them a run.
};

struct FaultEntry {
  std::string name;
  Occasion occasion;
  double per_run;  ///< How often it is meant to happen; 0: as it comes.
};

/// A point at which power can be lost: one moment of one operation on one kind of file.
struct PowerPoint {
  const char* kind;  ///< As kind_of_file() says.
  durability::DiskOperation operation;
  durability::Moment moment;
};

[[nodiscard]] const std::vector<PowerPoint>& power_points();
/// Index is the FaultPoint.
[[nodiscard]] const std::vector<FaultEntry>& fault_catalogue();
[[nodiscard]] FaultPoint power_lost_at(size_t power_point);

/// The kind of a file of a node's directory: updates, outcomes, checkpoint data, manifest, epoch; of a folder likewise,
/// but that "checkpoint data" stands for its folder.
[[nodiscard]] std::string kind_of_file(const std::string& name);

/// How often each has happened.
class FaultCounts {
 public:
  FaultCounts() : counts_(fault_catalogue().size()) {}

  void count(FaultPoint point, uint64_t times = 1) { counts_[static_cast<size_t>(point)] += times; }
  void add(const FaultCounts& other);
  [[nodiscard]] uint64_t of(FaultPoint point) const { return counts_[static_cast<size_t>(point)]; }
  [[nodiscard]] std::vector<std::string> never() const;
  /// A line each: how often, and the name.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<uint64_t> counts_;
};

}  // namespace daedalus::testing

// Places in the cores where a test build plants a fault, to see whether the cluster simulator finds it.
//
// In the product is_planted() is a constant: no instruction and no symbol of it is left. tests/cluster compiles the
// same core sources once more with DAEDALUS_PLANTED_FAULTS, and says at run time which fault there is.
#pragma once

#include <cstdint>

namespace daedalus {

enum class Fault : uint8_t {
  kNone,
  kPartitionDropped,             ///< An aggregator leaves a node out of a query, and its stamps out of the answer.
  kNoOpLost,                     ///< An aggregator forgets to send a no-op range.
  kConfirmedAtFirstNode,         ///< An aggregator confirms an update when the first responsible node has.
  kMaximumForPrefix,             ///< An aggregator takes an update for its mark although an earlier one is open.
  kPartsAtTwoMoments,            ///< An aggregator asks the part alone again whose node names a higher mark.
  kAnswerMergedTwice,            ///< An aggregator or a node takes the rows of a part twice.
  kStaleMapAccepted,             ///< A node takes operations that were routed by another partition map.
  kNoOpNotLogged,                ///< A node does not log a no-op range that nothing waits before.
  kJournalTruncatedAtConfirmed,  ///< The writer forgets an update once it is confirmed, durable everywhere or not.
  kSlotsChosenAgain,             ///< Recovery chooses slots although they are recorded.
  kEpochGrantedUnsynced,         ///< A node grants an epoch that a loss of power takes from it.
  kChunkStampWrong,              ///< A checkpoint says of a chunk that one more update is in it.
  kCheckpointBeforeUpdates,      ///< A checkpoint becomes current although updates in it are not durable.
  kCheckpointBeforeOutcomes,     ///< Likewise of their outcomes.
  kSketchNotMade,                ///< The engine takes sketches for made that are not.
  kCoolingSlotTwice,             ///< After recovery, a slot that cools is free besides.
  kPastNotCompared,              ///< A node confirms what comes under a past timestamp, whatever it is.
  kSuspendedRowDropped,          ///< PostgreSQL's port forgets a row of a portal that it suspends.
  kPipelinedTakenForOther,       ///< It takes two queries of a pipeline for each other.
  kInsertNotSubmitted,           ///< It confirms what comes up to a Sync without having submitted it.
  kQueryAdmittedAtAccepted,  ///< A node lets a query run before the updates it demands are in the log and in the rings.
  kMomentBelowMark,          ///< A node answers at a moment below its mark, which nobody has demanded.
  kHoldForgotten,            ///< A node says yes to a hold and trims what is held.
  kRecentRowShownTwice,      ///< A segment shows recent rows where they lie, besides their versions.
  kVersionSeenTooLong,       ///< A segment shows a version of a row to the first moment that sees the next one, too.
  kOldestUndoneFirst,        ///< A segment undoes what was overwritten last after what was overwritten before.
  kSliceWithoutRecentRows,   ///< A slice has no rows that have just changed.
  kTrimmedTooFar,            ///< A window drops what one update more has overwritten than it says.
  kReplayNotRecorded,        ///< A segment that replays keeps nothing of what is overwritten, and does not say so.
  kSlotsFreeOnceTrimmed,     ///< A segment uses slots again as soon as its window is trimmed.
};

#ifdef DAEDALUS_PLANTED_FAULTS
[[nodiscard]] bool is_planted(Fault fault);
#else
[[nodiscard]] constexpr bool is_planted(Fault /*fault*/) { return false; }
#endif

}  // namespace daedalus

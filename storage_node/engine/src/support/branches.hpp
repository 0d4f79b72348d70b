// Coverage of the branches that operations take in a cycle, so that a test of random ones can say that it took them
// all.
//
// Decides nothing. In builds without DCHECKs marks are nothing; in others each is a load and a branch: one a query
// and block of rows, one a row that changes, or one a tail that a pass compares.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace daedalus::engine {

enum class Branch : uint8_t {
  kKeyOfOneColumn,     ///< An index over operations by one column,
  kKeyOfTwoColumns,    ///< and by two.
  kKeyOfRange,         ///< A key whose values a range names.
  kKeyOfSketches,      ///< An index over queries by the sketches of a key.
  kChangesBySketches,  ///< An index over changes whose rows are found by sketches.
  kManyKeys,           ///< Its filter is larger than the least.
  kSharedKey,          ///< Several operations ask for one key.
  kCandidatesInParts,  ///< A chunk's candidates are verified before all are found.
  kSharedPredicate,    ///< A query uses bitmaps that others have asked for.
  kMasks,              ///< Rows are found by masks of eight queries.
  kBucketBitmap,       ///< A bitmap of a single bucket.
  kDisjunction,        ///< A bitmap of several ranges.
  kNoSketch,           ///< No bitmaps in this chunk: queries pass over columns.
  kSketchMade,         ///< For the first time,
  kSketchMadeAnew,     ///< and after its buckets were drawn anew.
  kSketchWritten,      ///< A row's byte after a change.
  kPassTaken,          ///< Aggregated straight from a bitmap: of passes over columns,
  kFilterTaken,        ///< of sketches, narrowed by passes where they do not decide,
  kFilterTested,       ///< or tested row by row, where few rows are left.
  kSharedFilter,       ///< Several queries filter alike.
  kFewCandidates,      ///< A query's candidates in a block go to those of others,
  kManyCandidates,     ///< or are tested on their own.
  kSketchesTested,     ///< A candidate is judged by its row's sketches.
  kPartProbesRow,      ///< A part of an update finds its rows by an index;
  kPartScansChunk,     ///< by a pass over columns;
  kPartSkipsChunk,     ///< no row of the chunk can match,
  kPartTakesChunk,     ///< or all must.
  kQuerySkipsChunk,    ///< A query whose condition no row of the chunk can satisfy.
  kInsertedRowFound,   ///< A part finds a row that came in this cycle,
  kChangedRowFound,    ///< or that an earlier part gave the key it asks for.
  kConditionHolds,     ///< The computed part of a condition is true,
  kConditionIsNot,     ///< or is not,
  kConditionFails,     ///< or cannot be computed of the row.
  kAssignmentFails,    ///< A row cannot be given what a part computes for it.
  kAdmissionWaits,     ///< Slots depend on deletes of this cycle.
  kCoolingSlotsTaken,  ///< No other slots were left.
  kMarkedBySketch,     ///< A pass reads bytes of sketches in place of values.
  kTailDecides,        ///< A pass over a column of strings finds one whose first bytes are the constant's.
  kTreeOfRow,          ///< A tree is decided for a single row,
  kTreeOfChunk,        ///< or for a chunk's rows together;
  kTreeChoice,         ///< its alternatives are entered by a value.
  kListKey,            ///< A key of a list that is longer than what keys of two columns take,
  kAlternatives,       ///< or of the values that a disjunction's alternatives name;
  kJoinedRow,          ///< a row that two of a query's keys find,
  kGatheredRows,       ///< and many rows of a query that are tested together.
  kTwin,               ///< A query aggregates what another one does.
  kCells,              ///< Rows are added to cells that queries put together.
  kBucketsDecide,      ///< A computed part of a condition is decided by buckets of its column.
  kTopRows,            ///< ORDER BY with LIMIT.
  kRowsHidden,         ///< A chunk has rows that changed after the moment of some query;
  kRecentLaidOut,      ///< they come in recent chunks: in one that holds all that are left,
  kRecentInParts,      ///< or in one of several;
  kSeveralVersions,    ///< a row comes in more than one version;
  kRecentChunkHeld,    ///< Most rows of one are held for an ORDER BY with LIMIT,
  kHolderFails,        ///< or all rows of all are.
  kMomentLost,         ///< A moment that the window no longer has.
  kPieceEnds,          ///< A query has enough bytes and leaves what follows to a slice;
  kPieceTakenBack,     ///< recent rows take too much room, and rows that it had are left to that slice, too.
  kEnoughRows,         ///< A query ends in the middle of a segment.
};
constexpr size_t kBranchCount = static_cast<size_t>(Branch::kEnoughRows) + 1;

#ifdef DAEDALUS_DCHECK
inline std::array<std::atomic<bool>, kBranchCount> branches_taken{};

/// Any thread. The line is written once a branch: after that all threads only read it.
inline void mark_branch(Branch branch) noexcept {
  std::atomic<bool>& taken = branches_taken[static_cast<size_t>(branch)];
  if (!taken.load(std::memory_order_relaxed)) {
    taken.store(true, std::memory_order_relaxed);
  }
}
#else
inline void mark_branch(Branch) noexcept {}
#endif

}  // namespace daedalus::engine

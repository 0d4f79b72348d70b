// Defines what is decided about a segment before there is one: its memory, the bounds of its cycles, and what answers
// may take.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/engine/checkpoint.hpp"

namespace daedalus::engine {

/// Rows of a chunk, the unit of a scan: so many where memory allows, fewer where rows are wide, so many at least.
constexpr uint32_t kChunkRowsUsual = 16384;
constexpr uint32_t kChunkRowsMin = 64;
constexpr uint32_t kChunkRowsMax = 1u << 16;  ///< Rows of a chunk are numbered in two bytes here and there.

/// How operations find their rows. The answers are the same; all but the first are there for tests and experiments.
enum class AccessPaths : uint8_t {
  kByCost,
  kKeys,      ///< Every equality through an index over operations, whatever it costs.
  kSketches,  ///< Queries by predicates shared over sketches only.
  kPasses,    ///< Each operation by passes over its columns.
  kMasks,     ///< Queries by masks over sketches where they are selective, by bitmaps otherwise.
  kCells,     ///< By cost, but aggregates by cells wherever they can be.
  // By cost, but without one of the ways: what it is worth.
  kWithoutKeys,          ///< No index over operations.
  kWithoutPairs,         ///< No key of two columns; of queries, as all below.
  kWithoutSketchKeys,    ///< Keys by values only,
  kWithoutValueKeys,     ///< or by sketches only.
  kWithoutAlternatives,  ///< A disjunction's alternatives are no entries of an index.
  kWithoutMasks,         ///< No masks of eight queries.
  kWithoutBitmaps,       ///< No bitmaps that queries share,
  kWithoutBuckets,       ///< or none of single buckets.
  kWithoutWindows,       ///< Candidates are not judged by their row's sketches.
  kWithoutGathering,     ///< A query's many candidates are tested with those of others.
  kWithoutBounds,        ///< Queries look at chunks in which no row can satisfy them.
  kWithoutCells          ///< Aggregates that differ in their bounds share no sums.
};
constexpr uint32_t kAccessPathsCount = static_cast<uint32_t>(AccessPaths::kWithoutCells) + 1;

/// Returns whether costs decide.
[[nodiscard]] constexpr bool is_by_cost(AccessPaths paths) {
  return paths == AccessPaths::kByCost || paths >= AccessPaths::kCells;
}

struct SegmentOptions {
  uint64_t memory_bytes = 64u << 20;  ///< Row capacity follows from it and the schema (segment_shape.hpp).
  /// 0: as many as the width of rows and the memory allow. Else a multiple of 64, at most 65,536, and at least one
  /// chunk whatever memory it takes. Small ones defeat the prefetcher.
  uint32_t chunk_rows = 0;
  uint32_t operations_in_flight_max = 8192;  ///< Enqueued and not yet dequeued; both rings hold as many.
  uint32_t share_factor_max = 1024;          ///< Most queries that ride one cycle.
  uint32_t updates_per_cycle_max = 1024;
  /// Holds what a cycle should take at most; 0: whatever it takes. After a cycle that was late, the next ones carry
  /// fewer queries, not fewer than 64, until they are in time. Works on what record_cycle_ns() is told.
  uint64_t cycle_ns_target = 0;
  uint64_t answer_bytes_max = 64u << 20;     ///< Bounds one query.
  std::string answer_owner = "the segment";  ///< Whose setting that is, for the error.
  /// From so many bytes on, rows of an answer leave at the next chunk boundary, ahead of the rest. By default answers
  /// come whole.
  uint64_t answer_part_bytes = UINT64_MAX;
  /// Parts that may wait to be dequeued. Beyond, rows stay in the buffer of their query: the scan never waits.
  uint32_t answer_parts_max = 256;
  /// All answers together: rows encoded and not yet dequeued, groups in progress, rows kept for an ORDER BY with LIMIT.
  /// A query that wants more fails (53200); what it held serves the others from then on.
  uint64_t answers_waiting_bytes_max = 1u << 30;
  /// The bound that takes the place of answers_waiting_bytes_max where others keep answers, too: other segments, and
  /// whoever merges and sends what they put out. What a query put out counts until its lease goes.
  std::shared_ptr<ByteBudget> answer_budget;
  /// How long one query may compute what has to be computed of rows: parts of its condition, outputs, arguments, keys.
  /// Beyond, it fails (54000): everybody else waits meanwhile. The second is for each row of the segment.
  int64_t compute_ns_max = 5 * kSecond;
  int64_t compute_ns_per_row = 10 * kMicrosecond;
  /// Most columns of chunks whose sketch is made in one cycle: each takes 0.1 to 0.2 ms, so this bounds what a cycle
  /// may take longer while rows are new.
  uint32_t sketch_planes_per_cycle_max = 32;
  /// Bounds the records of overwritten values, by which queries can ask for a moment of the past; when they would take
  /// more, the oldest go. 0: nothing is recorded.
  uint64_t window_bytes = 64u << 20;
  AccessPaths access_paths = AccessPaths::kByCost;
  CheckpointHook* checkpoint_hook = nullptr;     ///< Outlives the segment.
  uint32_t checkpoint_chunks_per_cycle_max = 4;  ///< Bounds what a checkpoint adds to a cycle.
};

}  // namespace daedalus::engine

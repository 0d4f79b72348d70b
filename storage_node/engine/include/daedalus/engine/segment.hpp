// A memory segment: a fixed-size slice of rows, swept in cycles by exactly one thread that carries queries and updates
// along.
//
// Decides which rows an operation touches and in which order updates take effect. Refuses to know networks, files,
// peers, clocks and the partition map: operations come in through a bounded ring, outputs leave through another.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/engine/checkpoint.hpp"
#include "daedalus/engine/cycle_buckets.hpp"
#include "daedalus/engine/memory_placement.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "daedalus/semantics/row_codec.hpp"

namespace daedalus::engine {

/// How much one step may do.
struct StepBudget {
  uint32_t chunks_max = UINT32_MAX;  ///< At least 1.
  /// Looked at between rows that are computed one at a time, so that a query which is too late by then ends within a
  /// chunk. Null: only between chunks.
  Instant (*clock)() = nullptr;
};

struct SegmentStatistics {
  uint64_t rows = 0;
  uint64_t rows_max = 0;
  uint32_t chunk_rows = 0;        ///< The part of them that is scanned at a time.
  uint64_t memory_bytes = 0;      ///< Reserved for rows_max rows.
  uint64_t window_bytes = 0;      ///< Records of overwritten values take so much (SegmentOptions::window_bytes),
  uint64_t window_bytes_max = 0;  ///< and may take so much.
  Timestamp window_from{};        ///< The oldest moment that can be answered: not above the prefix.
  uint32_t row_bytes = 0;         ///< Counts the bytes of one row's values alone: the raw row.
  Timestamp prefix{};
  uint64_t cycles = 0;
  uint64_t cycle_ns_last = 0;
  uint64_t cycle_ns_max = 0;
  std::array<uint64_t, kCycleBuckets> cycle_counts{};  ///< By how long they took: cycle_bucket().
  uint32_t queue_queries = 0;
  uint32_t queue_updates = 0;
  uint32_t share_factor_max = 0;  ///< As configured.
  uint32_t updates_per_cycle_max = 0;
  uint64_t cycle_ns_target = 0;
  uint64_t cycles_late = 0;  ///< That took longer than the target.
  MemoryPlacement placement;

  /// Memory reserved for a row, NULL bits, live bits and sketches included, for each byte of the raw row. 0 before.
  [[nodiscard]] double memory_ratio() const {
    return rows_max == 0 ? 0.0 : static_cast<double>(memory_bytes) / static_cast<double>(rows_max * row_bytes);
  }
};

/// Threads: enqueue_* by one producer, dequeue by one consumer (may be the same thread), step by one scanner;
/// statistics by anyone.
class Segment {
 public:
  /// Reserves all memory. Preconditions: schema and codec outlive the segment and describe the same table; where the
  /// options leave the rows of a chunk open, segment_shape() has one for them (CHECKed).
  Segment(const semantics::Schema& schema, semantics::RowCodec codec, const SegmentOptions& options);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// False when operations_in_flight_max are under way: refuse or keep it, nothing was taken.
  [[nodiscard]] bool enqueue(Query query);
  /// Updates arrive in timestamp order (CHECKed): each higher than the one before. Numbers left out had no part here.
  [[nodiscard]] bool enqueue(Update update);

  /// The next output; every enqueued operation has exactly one that is its last. Updates' outputs come in timestamp
  /// order; a query's last output, unless it is an error, comes after those of all updates in its prefix.
  [[nodiscard]] std::optional<Output> dequeue();

  /// Runs at most one cycle, or what is left of one: admits what is pending, sweeps every chunk (updates in order
  /// first, then queries), completes. False when nothing was pending. A query enqueued after an update sees that
  /// update. `now` only judges deadlines. Outcomes and slots depend on the sequence of updates alone, not on how cycles
  /// cut it. The slots of an update's inserts are reserved when it is admitted: room that its own delete parts make is
  /// there for later updates.
  bool step(Instant now);
  /// Does the same, but stops after so many chunks; the next step goes on from there. A query that has enough rows, has
  /// failed, was aborted or is too late ends at the next chunk boundary; with it its place and its memory are free. A
  /// cycle that has begun admits nothing more.
  bool step(Instant now, StepBudget budget);
  /// Returns whether a cycle has begun and not ended. The scanner's.
  [[nodiscard]] bool is_mid_cycle() const;
  /// How many outputs there have ever been: the scanner tells from it whether to call the consumer.
  [[nodiscard]] uint64_t outputs_put() const;

  /// No query that is enqueued from now on names a lower moment (Query::at): what serves those alone goes, once all
  /// that was enqueued before is answered. Any thread.
  void keep_from(Timestamp moment);

  /// Shows every chunk to SegmentOptions::checkpoint_hook until it was taken, a bounded number in each of the next
  /// cycles, beside whatever they carry; without operations, cycles run for it alone while the hook is ready. False
  /// when one is under way or there is no hook. Any thread; a thread that sleeps has to be woken.
  [[nodiscard]] bool begin_checkpoint();

  /// Loading a checkpoint: each chunk, in any order, and the state of the slot allocator at the end of that checkpoint,
  /// in one thread, before the first step; no step until finish_restore(). Memory should have been settled. Error
  /// (XX001): it does not fit this segment or does not agree with itself. The segment is of no use then.
  [[nodiscard]] Result<void> load_chunk(const ChunkImage& image);
  [[nodiscard]] Result<void> load_allocator(const AllocatorImage& image);

  /// From here on the segment is in the lowest prefix of its chunks, or in `begins_after`, a lower one, and is to be
  /// given all updates after that, in order. Each chunk leaves out those it has already. Up to the allocator's prefix
  /// each update brings along where its rows went (Update::recorded), and its outcome counts only the rows of chunks
  /// that did not have it; above that, outcomes and slots are decided anew, and are what they were. Queries are refused
  /// (57P03) until all chunks are in one prefix. Error (XX001): a chunk or the allocator is missing, or the allocator's
  /// prefix is below a chunk's.
  [[nodiscard]] Result<void> finish_restore(std::optional<Timestamp> begins_after = std::nullopt);

  /// Makes the memory of this segment its owner's, in the owner's thread, before the first step: bound to the NUMA node
  /// of `core`, touched, verified; statistics() tell from then on. Without it memory is touched when it is written.
  void settle_memory(std::optional<uint32_t> core);

  /// The scanner says how long its last step took, for statistics: whoever steps has the clock.
  void record_cycle_ns(uint64_t duration_ns);

  /// Returns whether a step would do anything: operations wait, a cycle is under way, or a checkpoint whose hook is
  /// ready. Any thread.
  [[nodiscard]] bool has_work() const;

  [[nodiscard]] SegmentStatistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::engine

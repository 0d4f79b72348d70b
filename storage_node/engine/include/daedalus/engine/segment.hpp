// A memory segment: a fixed-size slice of rows, swept in cycles by exactly one thread that carries queries and updates
// along.
//
// Decides which rows an operation touches and in which order updates take effect. Refuses to know networks, files,
// peers, clocks and the partition map: operations come in through a bounded ring, outputs leave through another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/engine/checkpoint.hpp"
#include "daedalus/engine/memory_placement.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "daedalus/semantics/update.hpp"

namespace daedalus::engine {

/// The caller's name for a query; unique among those in flight.
enum class QueryHandle : uint64_t {};

/// Shared by all segments of a node. An aborted query ends with error 57014 at the next cycle or at one of the next
/// chunks.
struct Query {
  QueryHandle handle{};
  std::shared_ptr<const semantics::Selection> selection;
  Instant deadline = kNever;                         ///< Past it the query is dropped unanswered-by-rows: error 57014.
  std::shared_ptr<const std::atomic<bool>> aborted;  ///< May be null.
};

/// Rows of one insert part that live in this segment. `owner` keeps the bytes alive.
struct InsertRows {
  std::shared_ptr<const std::string> owner;
  std::vector<std::string_view> rows;  ///< Packed, after their u32 size; checked already.
};

using UpdatePart = std::variant<InsertRows, std::shared_ptr<const semantics::ModifyPart>,
                                std::shared_ptr<const semantics::DeletePart>>;

/// One update as this segment sees it; parts take effect in order and together. No parts: only the prefix moves.
struct Update {
  Timestamp timestamp{};
  std::vector<UpdatePart> parts;
};

/// The answer of this segment to one query in partial form (semantics/answer.hpp), from one prefix: all of it, or one
/// part where SegmentOptions::answer_part_bytes allows parts. Parts come in the order of their rows; what the query is
/// answered is whole only once the last has come without an error.
struct QueryOutput {
  QueryHandle handle{};
  Timestamp prefix{};
  std::string rows;
  uint64_t row_count = 0;      ///< In `rows`.
  std::optional<Error> error;  ///< Set: rows is empty. 57014 aborted or too late, 54000 answer or groups too large,
                               ///< 53200 no memory for more answers.
  bool is_last = true;         ///< False: rows that are ready ahead of the others. Never with an error.
  std::optional<uint64_t> next_slot;  ///< The last of a slice: where the next begins; none where no slots are left.
  ByteLease lease;                    ///< The memory of `rows`.
};

/// What one update did here. Insert parts match the rows they bring.
struct UpdateOutput {
  Timestamp timestamp{};
  uint64_t rows_matched = 0;
  uint64_t rows_applied = 0;
  uint64_t refused_no_room = 0;
  uint64_t refused_overflow = 0;
};

using Output = std::variant<QueryOutput, UpdateOutput>;

/// How operations find their rows. The answers are the same; all but the first are there for tests and experiments.
enum class AccessPaths : uint8_t {
  kByCost,
  kKeys,      ///< Every equality through an index over operations, whatever it costs.
  kSketches,  ///< Queries by predicates shared over sketches only.
  kPasses,    ///< Each operation by passes over its columns.
};

struct SegmentOptions {
  uint64_t memory_bytes = 64u << 20;  ///< Row capacity follows from it and the schema (segment_shape.hpp).
  /// 0: as many as the width of rows and the memory allow. Else a multiple of 64, at most 65,536, and at least one
  /// chunk whatever memory it takes. Small ones defeat the prefetcher.
  uint32_t chunk_rows = 0;
  uint32_t operations_in_flight_max = 8192;  ///< Enqueued and not yet dequeued; both rings hold as many.
  uint32_t share_factor_max = 1024;          ///< Most queries that ride one cycle.
  uint32_t updates_per_cycle_max = 1024;
  /// What a cycle should take at most; 0: whatever it takes. After a cycle that was late, the next ones carry fewer
  /// queries, not fewer than 64, until they are in time. Works on what record_cycle_ns() is told.
  uint64_t cycle_ns_target = 0;
  uint64_t answer_bytes_max = 64u << 20;     ///< Of one query.
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
  /// Most columns of chunks whose sketch is made in one cycle: each takes 0.1 to 0.2 ms, so this bounds what a cycle
  /// may take longer while rows are new.
  uint32_t sketch_planes_per_cycle_max = 32;
  AccessPaths access_paths = AccessPaths::kByCost;
  CheckpointHook* checkpoint_hook = nullptr;     ///< Outlives the segment.
  uint32_t checkpoint_chunks_per_cycle_max = 4;  ///< Bounds what a checkpoint adds to a cycle.
};

/// How much one step may do.
struct StepBudget {
  uint32_t chunks_max = UINT32_MAX;  ///< At least 1.
};

struct SegmentStatistics {
  uint64_t rows = 0;
  uint64_t rows_max = 0;
  uint32_t chunk_rows = 0;    ///< The part of them that is scanned at a time.
  uint64_t memory_bytes = 0;  ///< Reserved for rows_max rows.
  uint32_t row_bytes = 0;     ///< Of one row's values alone: the raw row.
  Timestamp prefix{};
  uint64_t cycles = 0;
  uint64_t cycle_ns_last = 0;
  uint64_t cycle_ns_max = 0;
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
  /// The same, but stops after so many chunks; the next step goes on from there. A query that has enough rows, has
  /// failed, was aborted or is too late ends at the next chunk boundary; with it its place and its memory are free. A
  /// cycle that has begun admits nothing more.
  bool step(Instant now, StepBudget budget);
  /// Whether a cycle has begun and not ended. The scanner's.
  [[nodiscard]] bool is_mid_cycle() const;
  /// How many outputs there have ever been: the scanner tells from it whether to call the consumer.
  [[nodiscard]] uint64_t outputs_put() const;

  /// Shows every chunk once to SegmentOptions::checkpoint_hook, a bounded number in each of the next cycles, beside
  /// whatever they carry; without operations, cycles run for it alone. False when one is under way or there is no hook.
  /// Any thread; a thread that sleeps has to be woken.
  [[nodiscard]] bool begin_checkpoint();

  /// Makes the memory of this segment its owner's, in the owner's thread, before the first step: bound to the NUMA node
  /// of `core`, touched, verified; statistics() tell from then on. Without it memory is touched when it is written.
  void settle_memory(std::optional<uint32_t> core);

  /// The scanner says how long its last step took, for statistics: whoever steps has the clock.
  void record_cycle_ns(uint64_t duration_ns);

  /// Whether a step would do anything: operations wait, a cycle or a checkpoint is under way. Any thread.
  [[nodiscard]] bool has_work() const;

  [[nodiscard]] SegmentStatistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::engine

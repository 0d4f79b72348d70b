// One sweep over a segment with everything that rides on it.
//
// Decides the order in which updates and queries take each chunk: first the updates by timestamp, their parts in order,
// then the queries, then a checkpoint. So every query sees exactly the prefix after the cycle's last update. Decides
// also what leaves at a chunk boundary and what at the end. Refuses to know threads and clocks.
#pragma once

#include <vector>

#include "answer_flow.hpp"
#include "checkpoint_round.hpp"
#include "cycle_memory.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "moments.hpp"
#include "query_run.hpp"
#include "query_sweep.hpp"
#include "sketches.hpp"
#include "update_sweep.hpp"

namespace daedalus::engine {

class Cycle {
 public:
  /// Everything given outlives this object. `flow` and `outlet` are the segment's; flow.now is kept by the caller.
  Cycle(const TableLayout& layout, ChunkStore& store, const SegmentOptions& options, AnswerFlow& flow, Outlet& outlet,
        CheckpointRound& checkpoint);

  /// Admits a query; flow.now judges its deadline. Precondition: the sweep has not begun.
  void admit(Query query);
  /// Admits an update; see UpdateSweep. Precondition: the sweep has not begun.
  [[nodiscard]] bool admit(Update& update) { return updates_.admit(update); }

  /// Returns whether everything admitted takes so much memory, compiled, that everything else had better wait for the
  /// next cycle. Never before something was. What queries ask indexes for counts, too. Constants of long strings take
  /// their column's width: an operation of a few kilobytes may take some megabytes.
  [[nodiscard]] bool is_full() const {
    return memory_.taken() + updates_.assigned_bytes() + entry_bytes_ >= kCompiledBytesMax;
  }

  [[nodiscard]] uint32_t query_count() const { return static_cast<uint32_t>(queries_.size()); }
  [[nodiscard]] uint32_t update_count() const { return updates_.count(); }

  /// Plans the sweep of a segment that is in prefix `before`.
  void begin(Timestamp before);

  /// Sweeps up to `chunks_max` chunks of those that anything admitted may touch, and hands over what is ready at each.
  /// Whether that was the last.
  [[nodiscard]] bool sweep(uint32_t chunks_max);

  /// Hands over every output that is left: updates by timestamp, then queries. The cycle is then empty.
  void finish();

  /// Returns what queries of this cycle see, and what the segment is in when it has been swept.
  [[nodiscard]] Timestamp prefix() const { return prefix_; }

  /// Live rows after the sweep.
  [[nodiscard]] uint64_t live_rows() const { return updates_.live_rows(); }

  /// Nobody will ask at a lower moment. Precondition: the cycle is empty.
  void trim_window(Timestamp keep_from) { updates_.trim_window(keep_from); }

  /// Returns where rows go that are loaded before the first cycle.
  [[nodiscard]] UpdateSweep& updates() { return updates_; }

 private:
  static constexpr size_t kCompiledBytesMax = 256u << 20;

  [[nodiscard]] uint32_t next_chunk() const;
  void refuse_queries();
  void hand_over();
  [[nodiscard]] bool hand_over(QueryRun& query);

  const TableLayout* layout_;
  ChunkStore* store_;
  AnswerFlow* flow_;
  Outlet* outlet_;
  CheckpointRound* checkpoint_;
  CycleMemory memory_;  ///< Outlives everything compiled into it.
  Sketches sketches_;
  UpdateSweep updates_;
  Groupings groupings_;
  SharedRowOutputs outputs_;
  Moments moments_;
  CycleShared shared_{memory_, groupings_, outputs_, sketches_, moments_.recent_rows()};
  std::vector<QueryRun> queries_;
  QuerySweep query_sweep_;
  size_t entry_bytes_ = 0;  ///< That indexes of queries may take.
  uint32_t chunk_ = 0;      ///< Chunks before it have been swept.
  Timestamp prefix_{};      ///< Swept chunks are in this prefix.
};

}  // namespace daedalus::engine

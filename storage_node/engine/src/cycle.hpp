// One sweep over a segment with everything that rides on it.
//
// Decides the order in which updates and queries meet each chunk: first the updates by timestamp, their parts in order,
// then the queries. So every query sees exactly the prefix after the cycle's last update. Refuses to know rings,
// threads and clocks.
#pragma once

#include <vector>

#include "cycle_memory.hpp"
#include "daedalus/engine/segment.hpp"
#include "query_run.hpp"
#include "query_sweep.hpp"
#include "sketches.hpp"
#include "update_sweep.hpp"

namespace daedalus::engine {

class Cycle {
 public:
  Cycle(const TableLayout& layout, ChunkStore& store, const SegmentOptions& options);

  /// Admits a query. `now` judges its deadline.
  void admit(Query query, Instant now);
  /// Admits an update; see UpdateSweep.
  [[nodiscard]] bool admit(Update& update) { return updates_.admit(update); }

  [[nodiscard]] uint32_t query_count() const { return static_cast<uint32_t>(queries_.size()); }
  [[nodiscard]] uint32_t update_count() const { return updates_.count(); }

  /// Sweeps all chunks that anything admitted may touch.
  void sweep();

  /// The prefix the segment is in after this cycle, having been in `before`.
  [[nodiscard]] Timestamp prefix_after(Timestamp before) const {
    return updates_.outputs().empty() ? before : updates_.outputs().back().timestamp;
  }

  /// Hands every output to use(Output): updates by timestamp, then queries, answered from `prefix`. The cycle is then
  /// empty.
  template <typename Use>
  void finish(Timestamp prefix, Use&& use);

  /// Live rows after the sweep.
  [[nodiscard]] uint64_t live_rows() const { return updates_.live_rows(); }

 private:
  const TableLayout* layout_;
  ChunkStore* store_;
  uint64_t answer_bytes_max_;
  CycleMemory memory_;  ///< Outlives everything compiled into it.
  Sketches sketches_;
  UpdateSweep updates_;
  Groupings groupings_;
  std::vector<QueryRun> queries_;
  QuerySweep query_sweep_;
};

template <typename Use>
void Cycle::finish(Timestamp prefix, Use&& use) {
  for (const UpdateOutput& output : updates_.outputs()) {
    use(Output{output});
  }
  for (QueryRun& query : queries_) {
    use(Output{query.finish(prefix)});
  }
  updates_.end();
  query_sweep_.end();
  queries_.clear();
  groupings_.clear();
  memory_.reset();
}

}  // namespace daedalus::engine

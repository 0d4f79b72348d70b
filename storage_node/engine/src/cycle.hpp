// One sweep over a segment with everything that rides on it.
//
// Decides the order in which updates and queries meet each chunk: first the updates by timestamp, their parts in order,
// then the queries. So every query sees exactly the prefix after the cycle's last update. Refuses to know rings,
// threads and clocks.
#pragma once

#include <span>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "query_plan.hpp"
#include "query_run.hpp"
#include "row_changes.hpp"
#include "slot_allocator.hpp"

namespace daedalus::engine {

class Cycle {
 public:
  Cycle(const TableLayout& layout, ChunkStore& store, uint64_t answer_bytes_max);

  /// Admits a query. `now` judges its deadline.
  void admit(Query query, Instant now);

  /// Admits an update and reserves the slots of its inserts: room that its own deletes make is for later updates.
  /// False, and `update` untouched, when it has to wait for the next cycle. Never false for a cycle's first update.
  [[nodiscard]] bool admit(Update& update);

  [[nodiscard]] uint32_t query_count() const { return static_cast<uint32_t>(queries_.size()); }
  [[nodiscard]] uint32_t update_count() const { return static_cast<uint32_t>(outputs_.size()); }

  /// Sweeps all chunks that anything admitted may touch.
  void sweep();

  /// The prefix the segment is in after this cycle, having been in `before`.
  [[nodiscard]] Timestamp prefix_after(Timestamp before) const {
    return outputs_.empty() ? before : outputs_.back().timestamp;
  }

  /// Hands every output to use(Output): updates by timestamp, then queries, answered from `prefix`. The cycle is then
  /// empty.
  template <typename Use>
  void finish(Timestamp prefix, Use&& use);

  /// Live rows after the sweep.
  [[nodiscard]] uint64_t live_rows() const { return live_rows_; }

 private:
  /// A row on its way into its slot.
  struct Insertion {
    uint32_t slot = 0;
    uint32_t sequence = 0;
    uint32_t update = 0;
    std::string_view row;
  };

  /// A part that has to meet every chunk: a modification or, without one, a delete.
  struct Change {
    uint32_t sequence = 0;
    uint32_t update = 0;
    CompiledPredicate predicate;
    std::optional<CompiledModification> modification;
  };

  void admit_part(const InsertRows& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>& slots);
  void update_chunk(uint32_t chunk);
  void insert(const Insertion& insertion);
  void change(Change& part, uint32_t chunk);
  void query_chunk(uint32_t chunk);
  void clear();

  const TableLayout* layout_;
  ChunkStore* store_;
  SlotAllocator slots_;
  uint64_t answer_bytes_max_;
  uint64_t live_rows_ = 0;

  std::vector<Update> updates_;  ///< Keeps what insertions point to.
  std::vector<UpdateOutput> outputs_;
  std::vector<Insertion> insertions_;  ///< Sorted by slot's chunk, then sequence, when the sweep starts.
  size_t next_insertion_ = 0;
  std::vector<Change> changes_;
  uint32_t next_sequence_ = 0;
  std::vector<QueryRun> queries_;
  QueryPlan plan_;
  uint32_t active_queries_ = 0;

  std::vector<uint32_t> reserved_;
  SelectionScratch scratch_;
  std::vector<uint64_t> selection_;
  std::vector<uint32_t> rows_;
};

template <typename Use>
void Cycle::finish(Timestamp prefix, Use&& use) {
  for (const UpdateOutput& output : outputs_) {
    use(Output{output});
  }
  for (QueryRun& query : queries_) {
    use(Output{query.finish(prefix)});
  }
  clear();
}

}  // namespace daedalus::engine

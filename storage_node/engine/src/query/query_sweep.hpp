// The queries of one cycle on their way over the chunks.
//
// Decides which rows each query takes, in ascending order, so that the order of groups repeats. Refuses to know
// updates: by the time a chunk is swept they have been applied to it.
#pragma once

#include <cstdint>
#include <vector>

#include "branches.hpp"
#include "candidates.hpp"
#include "chunk_bounds.hpp"
#include "joined_rows.hpp"
#include "mask_sweep.hpp"
#include "moments.hpp"
#include "query_plan.hpp"
#include "shared_cells.hpp"
#include "sketch_sweep.hpp"

namespace daedalus::engine {

class QuerySweep {
 public:
  /// All outlive this object.
  QuerySweep(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches, const ChunkBounds& bounds,
             Moments& moments, Groupings& groupings, AccessPaths paths);

  /// Plans for all queries; they stay where they are until the sweep has ended.
  void begin(std::vector<QueryRun>& queries);
  /// Gives queries what was found for several of them at once, or waits to be tested. When all chunks were swept.
  void hand_over();
  void end() {
    plan_ = {};
    cells_.end();
  }

  /// Returns whether some query wants more rows.
  [[nodiscard]] bool is_active() const { return active_; }

  /// Lets every query take its rows of one chunk, and drops those of the next 64 queries that were aborted meanwhile:
  /// all have been looked at after a chunk for each 64.
  void sweep(uint32_t chunk);

  /// Once all chunks were swept: lets every query take its rows of one more recent chunk. False: there are no more.
  [[nodiscard]] bool sweep_recent();

 private:
  void sweep_rows(const ChunkView& view);
  /// Returns whether some query may take rows of the chunk.
  [[nodiscard]] bool is_wanted(uint32_t chunk) const;
  /// Tells pieces how many rows were hidden so far, if that matters to one of them.
  void end_chunk_of_pieces(uint32_t chunk);
  /// Has rows of the recent chunk held that some query will read again.
  void mark_held();
  /// Fails those queries: there is no room beside what they hold.
  void fail_holders();
  /// Lets queries take what waits to be tested.
  void take_what_waits();
  /// Lets aggregating queries take rows together where they can.
  void share(std::vector<QueryRun>& queries);
  void look_for_aborts();
  void find_bounded();
  /// Marks those queries that bounds keep from the chunk. Whether some query may want rows of it.
  [[nodiscard]] bool pass_by(uint32_t chunk);
  void sweep_index(QueryIndex& index, const ChunkView& view);
  void sweep_masks(const ChunkView& view);
  /// Does the same for an index some of whose queries gather their rows.
  void sweep_joined(QueryIndex& index, const ChunkView& view);
  void add_joined(const ChunkView& view);
  void add(uint32_t row, uint32_t query) {
    candidates_.add(row, query);
    if (candidates_.is_full()) {
      mark_branch(Branch::kCandidatesInParts);
      candidates_.test();
    }
  }

  const TableLayout* layout_;
  const ChunkStore* store_;
  const Sketches* sketches_;
  const ChunkBounds* bounds_;
  Moments* moments_;
  AccessPaths paths_;
  std::vector<QueryRun>* queries_ = nullptr;
  QueryPlan plan_;
  std::vector<uint32_t> with_residual_;
  std::vector<uint32_t> pieces_;   ///< Lists them in a cycle that has recent rows.
  uint64_t hidden_rows_ = 0;       ///< Counts those of the chunks so far.
  uint64_t hidden_rows_told_ = 0;  ///< Beyond so many, a piece has to be told.
  std::vector<uint32_t> bounded_;  ///< Queries whose condition says something of a clustered column.
  bool active_ = false;
  uint32_t next_look_ = 0;  ///< The query to look at next for an abort.

  IndexScratch probe_;
  Candidates candidates_;
  JoinedRows joined_;
  std::vector<uint32_t> rows_;  ///< The rows of one query.
  MaskSweep mask_sweep_;
  SketchSweep sketch_sweep_;
  SharedCells cells_;
};

}  // namespace daedalus::engine

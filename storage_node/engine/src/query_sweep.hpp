// The queries of one cycle on their way over the chunks.
//
// Decides which rows each query takes, in ascending order, so that floating-point sums repeat. Refuses to know updates:
// by the time a chunk is swept they have been applied to it.
#pragma once

#include <cstdint>
#include <vector>

#include "query_plan.hpp"

namespace daedalus::engine {

class QuerySweep {
 public:
  QuerySweep(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches, AccessPaths paths);

  /// Plans for all queries; they stay where they are until the sweep has ended.
  void begin(std::vector<QueryRun>& queries);
  void end() { plan_ = {}; }

  /// Whether some query wants more rows.
  [[nodiscard]] bool is_active() const { return active_; }

  /// Lets every query take its rows of one chunk, and drops some of those that were aborted meanwhile: a few chunks
  /// look at all of them.
  void sweep(uint32_t chunk);

 private:
  /// A row that a query may take.
  struct Candidate {
    uint32_t row = 0;
    uint32_t query = 0;
  };

  void look_for_aborts();
  void sweep_index(const KeyIndex& index, const ChunkView& view);
  void sweep_batch(const SketchBatch& batch, uint32_t chunk, const ChunkView& view);
  void mark_predicates(const SketchBatch& batch, uint32_t chunk);
  void sweep_query(const SketchQuery& query, const ChunkView& view);
  void sweep_plainly(uint32_t query, uint32_t row_count, const ChunkView& view);
  void verify_many(uint32_t query, uint32_t row_count, const ChunkView& view);
  void add_candidate(uint32_t row, uint32_t query);
  void verify_candidates(const ChunkView& view);
  [[nodiscard]] uint32_t verify_sketches(uint32_t count);
  [[nodiscard]] uint32_t verify_level(uint32_t level, uint32_t count, const ChunkView& view);

  [[nodiscard]] bool sketches_match(const QueryTests& tests, uint32_t row) const {
    const uint8_t* row_sketches = row_sketches_ + size_t{row} * store_->row_sketch_bytes();
    const SketchTest* test = plan_.sketch_tests.data() + tests.sketches.first;
    for (const SketchTest* end = test + tests.sketches.count; test != end; ++test) {
      if (!passes(*test, row_sketches)) {
        return false;
      }
    }
    return true;
  }
  /// How many of a query's tests have to be done on rows of this chunk.
  [[nodiscard]] uint32_t row_test_count(const QueryTests& tests) const {
    return row_sketches_ != nullptr ? tests.inexact : tests.rows.count;
  }

  const TableLayout* layout_;
  const ChunkStore* store_;
  const Sketches* sketches_;
  AccessPaths paths_;
  std::vector<QueryRun>* queries_ = nullptr;
  QueryPlan plan_;
  uint32_t chunk_ = 0;                     ///< Being swept.
  const uint8_t* row_sketches_ = nullptr;  ///< Of its rows; null: not there.
  bool active_ = false;
  uint32_t next_look_ = 0;  ///< The query to look at next for an abort.

  ProbeScratch probe_;
  SelectionScratch scratch_;
  std::vector<uint64_t> selection_;
  std::vector<uint32_t> rows_;
  std::vector<uint64_t> bitmaps_;   ///< Of a batch's predicates.
  std::vector<uint8_t> is_marked_;  ///< By predicate of a batch: its bitmap is there.
  std::vector<const uint64_t*> sources_;
  std::vector<Candidate> candidates_;
};

}  // namespace daedalus::engine

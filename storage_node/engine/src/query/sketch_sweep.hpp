// Queries without a key on their way over one chunk: block by block, through the bitmaps that they share.
//
// Decides which rows are candidates. Refuses to know keys and updates.
#pragma once

#include <cstdint>
#include <vector>

#include "candidates.hpp"
#include "filters.hpp"
#include "kernels_sketch.hpp"

namespace daedalus::engine {

class SketchSweep {
 public:
  SketchSweep(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches);

  /// A cycle begins.
  void begin(const QueryPlan& plan, const std::vector<QueryRun>& queries) { filters_.begin(plan, queries); }

  /// Lets the queries take their rows, or makes candidates of them. The plan's sketch queries are these.
  void sweep(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view, Candidates& candidates);

  /// One query takes its rows by passes over columns.
  void pass_over(const ChunkView& view, QueryRun& run);

 private:
  [[nodiscard]] bool find_bytes(const QueryPlan& plan, uint32_t chunk);
  void sweep_plainly(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view);
  void mark_block(const QueryPlan& plan, uint32_t first_row);
  void join_spans(const QueryPlan& plan, const SketchUnion& all);
  [[nodiscard]] const uint64_t* live_block(const ChunkView& view, uint32_t first_row);
  /// Fetches the live bitmap of the same rows of the next chunk: with few queries nothing else hides its misses.
  void fetch_next_live(uint32_t chunk, uint32_t first_row) const;
  [[nodiscard]] BitmapChoice choice_of(const QueryPlan& plan, const SketchQuery& query) const;

  const ChunkStore* store_;
  const Sketches* sketches_;
  Filters filters_;
  SelectionScratch scratch_;
  std::vector<uint64_t> selection_;
  std::vector<uint32_t> rows_;
  std::vector<const uint8_t*> bytes_;      ///< Holds the bytes of the chunk, by the plan's bounds.
  std::vector<SketchBitmap> bitmaps_;      ///< The bitmaps of the block, by number.
  uint64_t last_live_[kSketchWords] = {};  ///< Marks the live rows of a block that the chunk's end cuts short.
};

}  // namespace daedalus::engine

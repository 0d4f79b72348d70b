// Queries that find their rows by masks, chunk by chunk.
//
// Decides nothing but the order: a block of rows at a time, all groups of queries over it while its codes are in the
// cache. What masks leave become candidates. Refuses to know how groups were made.
#pragma once

#include <cstdint>
#include <vector>

#include "candidates.hpp"
#include "query_plan.hpp"

namespace daedalus::engine {

class MaskSweep {
 public:
  explicit MaskSweep(const Sketches& sketches) : sketches_(&sketches) {}

  /// Adds the rows of a chunk that queries may want to the candidates. False: the chunk has no sketches of some column,
  /// and nothing was done.
  [[nodiscard]] bool sweep(const QueryPlan& plan, const std::vector<QueryRun>& queries, const ChunkView& view,
                           Candidates& candidates);

 private:
  [[nodiscard]] bool find_bytes(const QueryMasks& masks, uint32_t chunk);
  void find_active(const QueryMasks& masks, const std::vector<QueryRun>& queries, uint32_t chunk);
  void sweep_block(const QueryMasks& masks, const ChunkView& view, uint32_t first_row, Candidates& candidates);

  const Sketches* sketches_;
  std::vector<const uint8_t*> bytes_;  ///< Holds the bytes of the chunk, by place.
  std::vector<uint8_t> active_;        ///< By group: which of its queries want rows of the chunk.
  std::vector<CodeBlock> blocks_;      ///< By place.
  MaskedRow rows_[kMaskBlockRows] = {};
};

}  // namespace daedalus::engine

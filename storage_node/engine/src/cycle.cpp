#include "cycle.hpp"

namespace daedalus::engine {

Cycle::Cycle(const TableLayout& layout, ChunkStore& store, const SegmentOptions& options)
    : layout_(&layout),
      store_(&store),
      answer_bytes_max_(options.answer_bytes_max),
      sketches_(layout, store, options.sketch_planes_per_cycle_max),
      updates_(layout, store, sketches_, memory_, options.access_paths),
      query_sweep_(layout, store, sketches_, options.access_paths) {}

void Cycle::admit(Query query, Instant now) {
  queries_.emplace_back(*layout_, *store_, std::move(query), answer_bytes_max_, now, memory_, groupings_);
}

void Cycle::sweep() {
  sketches_.begin_cycle();
  updates_.begin();
  query_sweep_.begin(queries_);
  for (uint32_t chunk = 0; chunk < store_->chunk_count(); ++chunk) {
    if (!query_sweep_.is_active()) {
      chunk = updates_.next_chunk(chunk);
      if (chunk == store_->chunk_count()) {
        return;
      }
    }
    updates_.sweep(chunk);
    query_sweep_.sweep(chunk);
  }
}

}  // namespace daedalus::engine

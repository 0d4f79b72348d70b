#include "daedalus/engine/segment_shape.hpp"

#include "chunk_shape.hpp"

namespace daedalus::engine {

Result<SegmentShape> segment_shape(const semantics::Schema& schema, uint64_t memory_bytes) {
  const TableLayout layout(schema, {});
  if (const std::optional<ChunkShape> shape = shape_within(layout, memory_bytes)) {
    return SegmentShape{shape->rows, shape->count, memory_of(layout, *shape), row_bytes(layout)};
  }
  constexpr uint64_t kMib = 1u << 20;
  const uint64_t needed = memory_of(layout, {kChunkRowsMin, 1});
  const uint64_t row = chunk_bytes(layout, kChunkRowsMin) / kChunkRowsMin;
  return rejected("53200",
                  "a segment of " + std::to_string(memory_bytes / kMib) + " MiB has no room for " +
                      std::to_string(kChunkRowsMin) + " rows of table \"" + schema.table_name +
                      "\", its least: each takes " + std::to_string(row) + " bytes",
                  "give a segment " + std::to_string((needed + kMib - 1) / kMib) +
                      " MiB or more, or shorten the longest strings of the table");
}

}  // namespace daedalus::engine

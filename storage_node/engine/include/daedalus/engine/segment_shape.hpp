// How many rows of a table a segment of so much memory has room for: asked before there is a segment, by whoever checks
// a configuration.
#pragma once

#include <cstdint>

#include "daedalus/base/result.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::engine {

struct SegmentShape {
  uint32_t chunk_rows = 0;
  uint32_t chunk_count = 0;
  uint64_t memory_bytes = 0;  ///< Counts the bytes of those chunks: at most what was given.
  uint32_t row_bytes = 0;     ///< Counts the bytes of one row's values alone.

  [[nodiscard]] uint64_t rows_max() const { return uint64_t{chunk_rows} * chunk_count; }
  friend bool operator==(const SegmentShape&, const SegmentShape&) = default;
};

/// The shape of a segment that may take `memory_bytes`, as SegmentOptions choose it by default. Error (53200): not even
/// one chunk of kChunkRowsMin rows fits; says how wide a row is and how many MiB it takes.
[[nodiscard]] Result<SegmentShape> segment_shape(const semantics::Schema& schema, uint64_t memory_bytes);

}  // namespace daedalus::engine

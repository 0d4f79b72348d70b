// How the memory of a segment is cut into chunks.
//
// Decides how many rows a chunk has and how many chunks there are, from the width of a row and the memory there is, and
// what that takes. Refuses to know where in a chunk anything lies, and what is done with the rows.
#pragma once

#include <cstdint>
#include <optional>

#include "daedalus/engine/segment_options.hpp"
#include "native.hpp"

namespace daedalus::engine {

/// Bounds the recent chunks of a segment (ChunkStore): their slots follow those of the table.
constexpr uint32_t kRecentChunksMax = 8;

constexpr uint64_t kPlaneAlignment = 64;  ///< A cache line; also enough for every vector register.

struct ChunkShape {
  uint32_t rows = 0;   ///< Counts the rows of one chunk: a multiple of 64.
  uint32_t count = 0;  ///< Counts the chunks, at least one; all slots are countable in 32 bits.

  friend bool operator==(const ChunkShape&, const ChunkShape&) = default;
};

/// The shape that bounds memory by `memory_bytes`, whatever a row takes: chunks of kChunkRowsUsual rows where eight of
/// them fit, fewer, by halves, where they do not, and never fewer than kChunkRowsMin. Nothing when not even one chunk
/// of those fits.
///
/// Small chunks cost a scan time (each query looks at each chunk), eight of them leave at most a ninth of the memory
/// unused, and the shape follows from schema and memory alone.
[[nodiscard]] std::optional<ChunkShape> shape_within(const TableLayout& layout, uint64_t memory_bytes);

/// Chunks of so many rows, as many as `memory_bytes` holds, at least one. Precondition (CHECKed): a multiple of 64 from
/// 64 to kChunkRowsMax.
[[nodiscard]] ChunkShape shape_of(const TableLayout& layout, uint32_t chunk_rows, uint64_t memory_bytes);

/// Bytes of one row's values, without NULL bits and whatever else is kept beside them.
[[nodiscard]] uint32_t row_bytes(const TableLayout& layout);

/// Bytes of one chunk: rows of sketches, live rows, and of each column its values, sketches and NULL bitmap.
[[nodiscard]] uint64_t chunk_bytes(const TableLayout& layout, uint32_t chunk_rows);

/// Returns what chunks of that shape take, with what is read behind the last of them.
[[nodiscard]] uint64_t memory_of(const TableLayout& layout, ChunkShape shape);

/// Bytes of one row's sketches side by side: a power of two, so that no row's lie in two cache lines.
[[nodiscard]] uint32_t sketch_bytes_a_row(const TableLayout& layout);

}  // namespace daedalus::engine

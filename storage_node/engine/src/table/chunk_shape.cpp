#include "chunk_shape.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "daedalus/base/check.hpp"
#include "kernels_window.hpp"

namespace daedalus::engine {
namespace {

constexpr uint64_t kBytesBehindChunk = 4096;  // Kernels read whole blocks of rows, also where a chunk ends within one.
/// So many chunks at least, unless they would have fewer than kChunkRowsMin rows: what is left over in the end is less
/// than one of them.
constexpr uint64_t kChunksWanted = 8;

/// Returns what does not depend on the number of chunks: the ends of planes and bitmaps, so that the next begins at its
/// alignment, and what is read behind the last of them.
uint64_t fixed_bytes(const TableLayout& layout) {
  constexpr uint64_t kPartsOfRows = 2;    // Their sketches, and which are live.
  constexpr uint64_t kPartsOfColumn = 4;  // Values, tails, sketches, NULLs.
  return kPlaneAlignment * (kPartsOfRows + kPartsOfColumn * layout.columns.size()) + kBytesBehindChunk;
}

/// Whole chunks in `memory_bytes`; slots, those of recent chunks included, stay countable in 32 bits.
uint32_t chunks_within(const TableLayout& layout, uint32_t chunk_rows, uint64_t memory_bytes) {
  const uint64_t room = memory_bytes - std::min(memory_bytes, fixed_bytes(layout));
  const uint32_t countable = UINT32_MAX / chunk_rows - kRecentChunksMax;
  return static_cast<uint32_t>(std::min<uint64_t>(room / chunk_bytes(layout, chunk_rows), countable));
}

}  // namespace

uint32_t row_bytes(const TableLayout& layout) {
  return std::accumulate(layout.columns.begin(), layout.columns.end(), 0u,
                         [](uint32_t sum, const ColumnLayout& column) { return sum + column.width; });
}

uint32_t sketch_bytes_a_row(const TableLayout& layout) {
  return std::bit_ceil(std::min(static_cast<uint32_t>(layout.columns.size()), kRowSketchColumnsMax));
}

uint64_t chunk_bytes(const TableLayout& layout, uint32_t chunk_rows) {
  uint64_t bytes = uint64_t{sketch_bytes_a_row(layout)} * chunk_rows + chunk_rows / 8;
  for (const ColumnLayout& column : layout.columns) {
    bytes += (uint64_t{column.width} + 1) * chunk_rows + (column.nullable ? chunk_rows / 8 : 0);
  }
  return bytes;
}

std::optional<ChunkShape> shape_within(const TableLayout& layout, uint64_t memory_bytes) {
  uint32_t rows = kChunkRowsUsual;
  while (rows > kChunkRowsMin && chunks_within(layout, rows, memory_bytes) < kChunksWanted) {
    rows /= 2;
  }
  const uint32_t count = chunks_within(layout, rows, memory_bytes);
  return count == 0 ? std::nullopt : std::optional(ChunkShape{rows, count});
}

ChunkShape shape_of(const TableLayout& layout, uint32_t chunk_rows, uint64_t memory_bytes) {
  CHECK(chunk_rows > 0 && chunk_rows % 64 == 0 && chunk_rows <= kChunkRowsMax);
  return {chunk_rows, std::max(chunks_within(layout, chunk_rows, memory_bytes), 1u)};
}

uint64_t memory_of(const TableLayout& layout, ChunkShape shape) {
  return shape.count * chunk_bytes(layout, shape.rows) + fixed_bytes(layout);
}

}  // namespace daedalus::engine

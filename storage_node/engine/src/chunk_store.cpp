#include "chunk_store.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace daedalus::engine {
namespace {

constexpr uint64_t kAlignment = 64;           // A cache line; also enough for every vector register.
constexpr uint32_t kChunkRowsMax = 1u << 16;  // Rows of a chunk are numbered in two bytes here and there.
constexpr uint64_t kReadBehind = 4096;        // Kernels read whole blocks of rows, also where a chunk ends within one.

uint64_t rounded_up(uint64_t size, uint64_t unit) { return (size + unit - 1) / unit * unit; }

/// Bytes of one row's sketches side by side: a power of two, so that no row's lie in two cache lines.
uint32_t sketch_bytes_a_row(const TableLayout& layout) {
  return std::bit_ceil(std::min(static_cast<uint32_t>(layout.columns.size()), kRowSketchColumnsMax));
}

/// Bytes of one chunk: rows of sketches, planes, NULL bitmaps, live rows, planes of sketches.
uint64_t chunk_bytes(const TableLayout& layout, uint32_t chunk_rows) {
  uint64_t bytes = uint64_t{sketch_bytes_a_row(layout)} * chunk_rows + chunk_rows / 8;
  for (const ColumnLayout& column : layout.columns) {
    bytes += (uint64_t{column.width} + 1) * chunk_rows + (column.nullable ? chunk_rows / 8 : 0);
  }
  return rounded_up(bytes, kAlignment);
}

uint32_t row_bytes(const TableLayout& layout) {
  return std::accumulate(layout.columns.begin(), layout.columns.end(), 0u,
                         [](uint32_t sum, const ColumnLayout& column) { return sum + column.width; });
}

/// Whole chunks in `memory_bytes`; slots stay countable in 32 bits.
uint32_t chunks_within(uint64_t memory_bytes, uint64_t bytes_per_chunk, uint32_t chunk_rows) {
  CHECK(chunk_rows > 0 && chunk_rows % 64 == 0 && chunk_rows <= kChunkRowsMax);
  const uint64_t slots_max = uint64_t{UINT32_MAX} / chunk_rows;
  return static_cast<uint32_t>(std::clamp<uint64_t>(memory_bytes / bytes_per_chunk, 1, slots_max));
}

}  // namespace

ChunkStore::ChunkStore(const TableLayout& layout, uint32_t chunk_rows, uint64_t memory_bytes)
    : chunk_rows_(chunk_rows),
      column_count_(static_cast<uint32_t>(layout.columns.size())),
      row_sketch_bytes_(sketch_bytes_a_row(layout)),
      chunk_count_(chunks_within(memory_bytes, chunk_bytes(layout, chunk_rows), chunk_rows)),
      row_bytes_(engine::row_bytes(layout)),
      memory_(chunk_count_ * chunk_bytes(layout, chunk_rows) + kReadBehind),
      no_nulls_(bitmap_words(chunk_rows), 0),
      live_rows_(chunk_count_, 0) {
  const uint64_t stride = chunk_bytes(layout, chunk_rows);
  planes_.reserve(chunk_count_ * layout.plane_count());
  nulls_.reserve(size_t{chunk_count_} * column_count_);
  live_.reserve(chunk_count_);
  sketches_.reserve(chunk_count_);
  row_sketches_.reserve(chunk_count_);
  for (uint32_t chunk = 0; chunk < chunk_count_; ++chunk) {
    uint8_t* next = memory_.data() + chunk * stride;
    row_sketches_.push_back(next);
    next += uint64_t{row_sketch_bytes_} * chunk_rows;
    for (const ColumnLayout& column : layout.columns) {
      planes_.push_back(next);
      next += uint64_t{column.stride} * chunk_rows;
    }
    for (const ColumnLayout& column : layout.columns) {
      planes_.push_back(column.tail_width() > 0 ? next : nullptr);
      next += uint64_t{column.tail_width()} * chunk_rows;
    }
    for (const ColumnLayout& column : layout.columns) {
      nulls_.push_back(column.nullable ? reinterpret_cast<uint64_t*>(next) : no_nulls_.data());
      next += column.nullable ? chunk_rows / 8 : 0;
    }
    live_.push_back(reinterpret_cast<uint64_t*>(next));
    sketches_.push_back(next + chunk_rows / 8);
  }
}

void ChunkStore::mark_live(uint32_t chunk, uint32_t row) {
  DCHECK(!test_bit(live_[chunk], row));
  set_bit(live_[chunk], row);
  ++live_rows_[chunk];
}

void ChunkStore::mark_dead(uint32_t chunk, uint32_t row) {
  DCHECK(test_bit(live_[chunk], row));
  clear_bit(live_[chunk], row);
  --live_rows_[chunk];
}

uint32_t ChunkStore::mark_dead(uint32_t chunk, const uint64_t* rows) {
  const uint32_t words = bitmap_words(chunk_rows_);
  const uint32_t count = count_bits(rows, words);
  and_not_into(live_[chunk], rows, words);
  live_rows_[chunk] -= count;
  return count;
}

}  // namespace daedalus::engine

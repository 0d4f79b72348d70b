#include "chunk_store.hpp"

#include <algorithm>

namespace daedalus::engine {

ChunkStore::ChunkStore(const TableLayout& layout, uint32_t chunk_rows, uint64_t memory_bytes)
    : ChunkStore(layout, shape_of(layout, chunk_rows, memory_bytes)) {}

ChunkStore::ChunkStore(const TableLayout& layout, ChunkShape shape)
    : layout_(&layout),
      chunk_rows_(shape.rows),
      column_count_(static_cast<uint32_t>(layout.columns.size())),
      row_sketch_bytes_(sketch_bytes_a_row(layout)),
      chunk_count_(shape.count),
      row_bytes_(engine::row_bytes(layout)),
      memory_(memory_of(layout, shape)),
      no_nulls_(bitmap_words(chunk_rows_), 0),
      planes_(size_t{chunk_count_ + kRecentChunksMax} * layout.plane_count()),
      nulls_(size_t{chunk_count_ + kRecentChunksMax} * column_count_, no_nulls_.data()),
      live_rows_(chunk_count_, 0),
      changed_(chunk_count_),
      recent_(kRecentChunksMax) {
  lay_out();
}

void ChunkStore::lay_out() {
  const TableLayout& layout = *layout_;
  uint64_t used = 0;
  const auto take = [&](uint64_t bytes_a_chunk) {
    uint8_t* const taken = memory_.data() + used;
    used = rounded_up(used + chunk_count_ * bytes_a_chunk, kPlaneAlignment);
    return taken;
  };
  const auto take_plane = [&](uint32_t number, uint32_t width) {
    const uint64_t bytes_a_chunk = uint64_t{width} * chunk_rows_;
    uint8_t* const first = take(bytes_a_chunk);
    for (uint32_t chunk = 0; chunk < chunk_count_; ++chunk) {
      planes_[chunk * layout.plane_count() + number] = first + chunk * bytes_a_chunk;
    }
  };
  row_sketches_ = take(uint64_t{row_sketch_bytes_} * chunk_rows_);
  live_ = reinterpret_cast<uint64_t*>(take(chunk_rows_ / 8));
  for (uint32_t number = 0; number < column_count_; ++number) {
    const ColumnLayout& column = layout.columns[number];
    take_plane(number, column.stride);
    if (column.tail_width() > 0) {
      take_plane(layout.tail_plane(number), column.tail_width());
    }
    sketches_.push_back(take(chunk_rows_));
    if (column.nullable) {
      auto* const first = reinterpret_cast<uint64_t*>(take(chunk_rows_ / 8));
      for (uint32_t chunk = 0; chunk < chunk_count_; ++chunk) {
        nulls_[size_t{chunk} * column_count_ + number] = first + size_t{chunk} * bitmap_words(chunk_rows_);
      }
    }
  }
}

void ChunkStore::mark_live(uint32_t chunk, uint32_t row) {
  DCHECK(!test_bit(live(chunk), row));
  set_bit(live(chunk), row);
  ++live_rows_[chunk];
}

void ChunkStore::mark_dead(uint32_t chunk, uint32_t row) {
  DCHECK(test_bit(live(chunk), row));
  clear_bit(live(chunk), row);
  --live_rows_[chunk];
}

uint32_t ChunkStore::mark_dead(uint32_t chunk, const uint64_t* rows) {
  const uint32_t words = bitmap_words(chunk_rows_);
  const uint32_t count = count_bits(rows, words);
  and_not_into(live(chunk), rows, words);
  live_rows_[chunk] -= count;
  return count;
}

void ChunkStore::mark_loaded(uint32_t chunk, std::span<const uint64_t> rows) {
  DCHECK(live_rows_[chunk] == 0 && rows.size() == bitmap_words(chunk_rows_));
  std::copy(rows.begin(), rows.end(), live(chunk));
  live_rows_[chunk] = count_bits(rows.data(), bitmap_words(chunk_rows_));
}

void ChunkStore::make_recent(uint32_t chunk) {
  Recent& made = recent_[chunk - chunk_count_];
  if (made.store != nullptr) {
    return;
  }
  made.store = std::make_unique<ChunkStore>(*layout_, ChunkShape{.rows = chunk_rows_, .count = 1});
  const size_t planes = layout_->plane_count();
  std::copy_n(made.store->planes_.begin(), planes, planes_.begin() + static_cast<std::ptrdiff_t>(chunk * planes));
  std::copy_n(made.store->nulls_.begin(), column_count_,
              nulls_.begin() + static_cast<std::ptrdiff_t>(size_t{chunk} * column_count_));
}

void ChunkStore::fill_recent(uint32_t chunk, std::span<const uint64_t> rows, std::span<const uint64_t> held) {
  DCHECK(rows.size() == bitmap_words(chunk_rows_) && held.size() == rows.size());
  Recent& filled = recent_[chunk - chunk_count_];
  std::copy(rows.begin(), rows.end(), filled.store->live(0));
  filled.word_count = static_cast<uint32_t>(rows.size());
  while (filled.word_count > 0 && (rows[filled.word_count - 1] | held[filled.word_count - 1]) == 0) {
    --filled.word_count;
  }
  filled.contents = uint64_t{chunk_count_} + fillings_++;
}

ChunkView ChunkStore::recent_view(uint32_t chunk) const {
  ChunkView view = recent(chunk).store->view(0);
  view.row_count = recent(chunk).word_count * 64;
  view.number = chunk;
  view.contents = recent(chunk).contents;
  return view;
}

}  // namespace daedalus::engine

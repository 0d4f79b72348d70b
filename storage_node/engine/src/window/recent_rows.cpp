#include "recent_rows.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "kernels_bitmap.hpp"

namespace daedalus::engine {

RecentRows::RecentRows(const TableLayout& layout, ChunkStore& store)
    : store_(&store),
      columns_(layout, store),
      words_(bitmap_words(store.chunk_rows())),
      written_(words_),
      listed_(store.chunk_rows()),
      marked_(words_) {}

void RecentRows::begin(uint32_t chunk, uint32_t moment_count, std::span<const uint64_t> held) {
  chunk_ = chunk;
  columns_.begin(chunk);
  held_.assign(held.begin(), held.end());
  written_.assign(words_, 0);
  seen_.assign(moment_count * words_, 0);
  next_ = 0;
  find_next();
}

void RecentRows::find_next() {
  while (next_ < listed_.size() && test_bit(held_.data(), next_)) {
    ++next_;
  }
}

void RecentRows::add(uint32_t slot, MomentRange moments) {
  DCHECK(next_ < listed_.size());
  for (uint32_t moment = moments.first; moment < moments.end; ++moment) {
    set_bit(seen_.data() + moment * words_, next_);
  }
  set_bit(written_.data(), next_);
  columns_.add(next_++, slot);
  find_next();
}

std::span<const OtherValue> RecentRows::lay_out() {
  store_->fill_recent(chunk_, written_, held_);
  return columns_.lay_out();
}

/// Somebody may have computed something of all rows of the chunk, so its contents are others.
void RecentRows::lay_out_taken(std::span<const uint32_t> rows) {
  if (columns_.lay_out_taken(rows)) {
    store_->fill_recent(chunk_, written_, held_);
  }
}

std::span<const uint32_t> RecentRows::seen(uint32_t moment, SlotRange slots, std::span<const uint32_t> rows) {
  const uint64_t* seen = seen_.data() + moment * words_;
  uint32_t count = 0;
  for (const uint32_t row : rows) {
    listed_[count] = row;
    count += test_bit(seen, row) && is_within(slots, row) ? 1 : 0;
  }
  const std::span<const uint32_t> taken = std::span(listed_).first(count);
  lay_out_taken(taken);
  return taken;
}

const uint64_t* RecentRows::seen(uint32_t moment, SlotRange slots, const uint64_t* rows, uint32_t word_count) {
  const uint64_t* seen = seen_.data() + moment * words_;
  std::transform(rows, rows + word_count, seen, marked_.begin(),
                 [](uint64_t marked, uint64_t seen_by_moment) { return marked & seen_by_moment; });
  if (slots.first > 0 || slots.end < UINT64_MAX) {
    for_each_bit(marked_.data(), word_count, [&](uint32_t row) {
      if (!is_within(slots, row)) {
        clear_bit(marked_.data(), row);
      }
    });
  }
  lay_out_taken(std::span(listed_).first(list_rows(marked_.data(), word_count, listed_.data())));
  return marked_.data();
}

}  // namespace daedalus::engine

#include "record_index.hpp"

#include <algorithm>

#include "daedalus/base/planted_faults.hpp"
#include "kernels_bitmap.hpp"

namespace daedalus::engine {

RecordIndex::RecordIndex(uint32_t chunk_rows)
    : chunk_rows_(chunk_rows), newest_(chunk_rows + bitmap_words(chunk_rows), 0) {}

void RecordIndex::make(const ChunkLog& log, Timestamp moment) {
  clear();
  slabs_.clear();
  log.for_each_slab_above(moment, [this](const Slab& slab) { slabs_.push_back(&slab); });
  std::for_each(slabs_.rbegin(), slabs_.rend(), [&](const Slab* slab) {
    for (uint32_t number = 0; number < slab->count; ++number) {
      const Record& record = slab->record(number);
      if (record.timestamp > moment) {
        add(record, slab->bytes_of(record));
      }
    }
  });
}

void RecordIndex::add(const Record& record, const uint8_t* bytes) {
  const auto link = [&](uint32_t place) {
    links_.push_back({&record, bytes, place, newest_[place]});
    if (is_planted(Fault::kOldestUndoneFirst) && newest_[place] != 0) {
      Link& before = links_[newest_[place] - 1];
      std::swap(before.record, links_.back().record);
      std::swap(before.bytes, links_.back().bytes);
    }
    newest_[place] = static_cast<uint32_t>(links_.size());
  };
  if (!record.is_of_many()) {
    return link(record.row);
  }
  for (uint32_t word = record.row; word < uint32_t{record.row} + record.count; ++word) {
    link(place_of_word(word));
  }
}

void RecordIndex::clear() {
  // Few rows of a chunk have records, so only their places are emptied.
  for (const Link& link : links_) {
    newest_[link.place] = 0;
  }
  links_.clear();
}

}  // namespace daedalus::engine

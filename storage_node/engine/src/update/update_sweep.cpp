#include "update_sweep.hpp"

#include "daedalus/base/planted_faults.hpp"

namespace daedalus::engine {

UpdateSweep::UpdateSweep(const TableLayout& layout, ChunkStore& store, Sketches& sketches,
                         std::pmr::memory_resource& memory, AccessPaths paths, uint64_t window_bytes)
    : slots_(store.slot_count()),
      changes_(layout, sketches, memory, paths),
      window_(layout, store, window_bytes),
      replay_(store),
      admission_(slots_, replay_, changes_, admitted_),
      application_(layout, store, sketches, slots_, replay_, changes_, admitted_, window_) {}

Result<void> UpdateSweep::load(const AllocatorImage& image) {
  replay_.begin_recorded();
  return slots_.load(image);
}

void UpdateSweep::begin_replay(std::vector<Timestamp> prefixes) {
  replay_.begin(std::move(prefixes));
  window_.trim(replay_.highest_prefix());
}

void UpdateSweep::trim_window(Timestamp keep_from) {
  if (is_planted(Fault::kSlotsFreeOnceTrimmed) && keep_from > window_.oldest()) {
    slots_.end_cooling();
  }
  window_.trim(keep_from);
}

void UpdateSweep::end() {
  application_.end();
  slots_.begin_cycle();
  if (replay_.is_recorded() && count() > 0) {
    replay_.end_cycle(admitted_.insertions, outputs().back().timestamp, slots_.known_through());
  }
  admission_.end();
  admitted_.clear();
  changes_.clear();
}

}  // namespace daedalus::engine

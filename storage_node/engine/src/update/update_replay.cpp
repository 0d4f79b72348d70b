#include "update_replay.hpp"

#include "daedalus/base/check.hpp"
#include "kernels_bitmap.hpp"

namespace daedalus::engine {

void UpdateReplay::begin_recorded() { recorded_slots_.assign(bitmap_words(store_->slot_count()), 0); }

void UpdateReplay::begin(std::vector<Timestamp> prefixes) {
  highest_prefix_ = *std::max_element(prefixes.begin(), prefixes.end());
  prefixes_ = std::move(prefixes);
}

bool UpdateReplay::is_any_occupied(Timestamp timestamp, const SlotRuns& recorded) const {
  for (const SlotRun& run : recorded) {
    CHECK(uint64_t{run.first} + run.count <= store_->slot_count());
    for (uint32_t slot = run.first; slot < run.first + run.count; ++slot) {
      if (is_occupied(timestamp, slot)) {
        return true;
      }
    }
  }
  return false;
}

bool UpdateReplay::is_occupied(Timestamp timestamp, uint32_t slot) const {
  const uint32_t chunk = slot / store_->chunk_rows();
  const bool is_known = !prefixes_.empty() && timestamp <= prefixes_[chunk];
  return !is_known &&
         (test_bit(recorded_slots_.data(), slot) || test_bit(store_->view(chunk).live, slot % store_->chunk_rows()));
}

void UpdateReplay::take(const SlotRuns& recorded, uint32_t row_count, std::vector<uint32_t>& slots) {
  for (const SlotRun& run : recorded) {
    CHECK(run.count <= row_count - slots.size());
    for (uint32_t slot = run.first; slot < run.first + run.count; ++slot) {
      slots.push_back(slot);
      set_bit(recorded_slots_.data(), slot);
    }
  }
}

void UpdateReplay::end_cycle(std::span<const Insertion> insertions, Timestamp prefix, Timestamp known_through) {
  for (const Insertion& insertion : insertions) {
    clear_bit(recorded_slots_.data(), insertion.slot);
  }
  if (!is_under_way(prefix)) {
    prefixes_.clear();
  }
  if (prefix >= known_through) {
    recorded_slots_ = {};
  }
}

}  // namespace daedalus::engine

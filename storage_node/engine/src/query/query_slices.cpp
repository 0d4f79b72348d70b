// How a query takes a slice of its segment: rows from a slot on, until they have enough bytes.
#include <algorithm>

#include "query_run.hpp"

namespace daedalus::engine {

void QueryRun::take_of_slice(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches) {
  if (store_->is_recent(chunk)) {
    // They belong in its slots, and it has them whatever room they take.
    return take_encoded(chunk, rows, row_count, sketches);
  }
  const uint64_t chunk_slot = uint64_t{chunk} * store_->chunk_rows();
  const auto first_from = [&](uint64_t slot) {
    return std::partition_point(rows, rows + row_count, [&](uint32_t row) { return chunk_slot + row < slot; });
  };
  const uint32_t* next = first_from(slots().first);
  const uint32_t* const end = first_from(slots().end);
  while (next != end && active_) {
    // A batch has no more rows than surely fit: the slice ends with the row that reaches its bytes.
    const uint64_t fitting = std::max<uint64_t>(bytes_left_of_slice() / encoder_->row_size_max(), 1);
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(fitting, static_cast<uint64_t>(end - next)));
    take_encoded(chunk, next, count, sketches);
    next += count;
    if (active_ && bytes_left_of_slice() == 0) {
      return end_slice(chunk_slot + next[-1] + 1);
    }
  }
}

SlotRange QueryRun::slots() const {
  return slice_ == nullptr ? SlotRange{} : SlotRange{slice_->first_slot, slice_->next_slot.value_or(UINT64_MAX)};
}

uint64_t QueryRun::bytes_left_of_slice() const {
  const uint64_t taken = encoder_->total_bytes() + slice_->recent_bytes;
  return slice_->answer_bytes - std::min(slice_->answer_bytes, taken);
}

void QueryRun::end_slice(uint64_t next_slot) {
  slice_->next_slot = next_slot;
  if (!has_recent_) {
    active_ = false;
    become_ready();
  }
}

void QueryRun::end_chunk_of_slice(uint32_t chunk, uint32_t recent_rows) {
  if (!active_ || !slice_reaches(chunk)) {
    return;
  }
  slice_->recent_bytes += uint64_t{recent_rows} * encoder_->row_size_max();
  if (recent_rows > 0 && bytes_left_of_slice() == 0 && chunk + 1 < store_->chunk_count()) {
    end_slice((uint64_t{chunk} + 1) * store_->chunk_rows());
  }
}

}  // namespace daedalus::engine

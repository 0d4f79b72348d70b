// How a query takes a piece of its segment: rows from a slot on, until they have enough bytes. Rows that changed after
// its moment come last (moments.hpp): a piece has those of its own slots, and ends earlier where they are too many. One
// that is no slice becomes the slice from the first slot on when its rows might have enough.
#include <algorithm>

#include "branches.hpp"
#include "daedalus/base/planted_faults.hpp"
#include "query_run.hpp"

namespace daedalus::engine {
namespace {

/// With recent rows from behind its cut a piece takes at most so many times its bytes.
constexpr uint64_t kPieceBytesFactor = 2;

}  // namespace

void QueryRun::take_of_slice(uint32_t chunk, const uint32_t* rows, uint32_t row_count, const RowSketches& sketches) {
  if (store_->is_recent(chunk)) {
    if (is_planted(Fault::kSliceWithoutRecentRows)) {
      return;
    }
    return take_recent_of_slice(chunk, rows, row_count, sketches);
  }
  make_slice();
  const uint64_t chunk_slot = uint64_t{chunk} * store_->chunk_rows();
  const auto first_from = [&](uint64_t slot) {
    return std::partition_point(rows, rows + row_count, [&](uint32_t row) { return chunk_slot + row < slot; });
  };
  const uint32_t* next = first_from(slots().first);
  const uint32_t* const end = first_from(slots().end);
  while (next != end && active_) {
    // A batch has no more rows than surely fit: the slice ends with the row that reaches its bytes.
    const uint64_t fitting = std::max<uint64_t>(bytes_left_of_piece() / encoder_->row_size_max(), 1);
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(fitting, static_cast<uint64_t>(end - next)));
    take_encoded(chunk, next, count, sketches);
    next += count;
    if (active_ && bytes_left_of_piece() == 0) {
      return end_slice(chunk_slot + next[-1] + 1);
    }
  }
}

void QueryRun::take_recent_of_slice(uint32_t chunk, const uint32_t* rows, uint32_t row_count,
                                    const RowSketches& sketches) {
  if (!is_held_back()) {
    return take_encoded(chunk, rows, row_count, sketches);
  }
  const auto first_from = [&](uint64_t slot) {
    return std::partition_point(rows, rows + row_count, [&](uint32_t row) { return recent_->slot_of(row) < slot; });
  };
  Cut& cut = *slice_->cut;
  cut.recent = cut.recent.value_or(encoder_->position());
  const uint32_t* const end = first_from(slots().end);
  const uint32_t* const beyond = std::min(first_from(cut.slot), end);
  if (beyond != rows) {
    take_encoded(chunk, rows, static_cast<uint32_t>(beyond - rows), sketches);
  }
  if (beyond == end || !active_) {
    return;
  }
  cut.beyond = cut.beyond.value_or(encoder_->position());
  const auto count = static_cast<uint32_t>(end - beyond);
  if (may_exceed(kPieceBytesFactor * piece_bytes_, count)) {
    return end_before_recent(recent_->slot_of(*beyond));
  }
  take_encoded(chunk, beyond, count, sketches);
}

void QueryRun::make_slice() {
  if (slice_ == nullptr) {
    slice_ = std::make_unique<SliceRun>();
  }
}

SlotRange QueryRun::slots() const {
  return slice_ == nullptr ? SlotRange{} : SlotRange{slice_->first_slot, slice_->next_slot.value_or(UINT64_MAX)};
}

uint64_t QueryRun::bytes_left_of_piece() const {
  return piece_bytes_ - std::min(piece_bytes_, encoder_->total_bytes());
}

void QueryRun::end_slice(uint64_t next_slot) {
  mark_branch(Branch::kPieceEnds);
  slice_->next_slot = next_slot;
  if (!has_recent_) {
    active_ = false;
    become_ready();
  }
}

uint64_t QueryRun::end_chunk_of_piece(uint32_t chunk, uint64_t recent_rows) {
  if (!active_) {
    return UINT64_MAX;
  }
  const uint64_t allowed = piece_bytes_ / encoder_->row_size_max();
  const uint64_t chunk_end = (uint64_t{chunk} + 1) * store_->chunk_rows();
  if (slice_ != nullptr && chunk_end <= slice_->first_slot) {
    slice_->recent_before = recent_rows;
    return recent_rows + allowed;
  }
  const uint64_t before = slice_ == nullptr ? 0 : slice_->recent_before;
  if (recent_rows <= before + allowed) {
    return before + allowed;
  }
  take_what_waits();  // These rows lie before the cut.
  const bool has_ended = !active_ || slots().end != UINT64_MAX;
  if (!has_ended && chunk + 1 < store_->chunk_count()) {
    make_slice();
    slice_->cut = Cut{.slot = chunk_end, .position = encoder_->position()};
  }
  return UINT64_MAX;
}

void QueryRun::end_before_recent(uint64_t slot) {
  const Cut& cut = *slice_->cut;
  if (cut.position.bytes == cut.recent->bytes) {
    return end_slice(slot);  // It has none but recent rows behind the cut, and of these none from that slot on.
  }
  mark_branch(Branch::kPieceTakenBack);
  encoder_->drop(*cut.beyond, encoder_->position());
  encoder_->drop(cut.position, *cut.recent);
  end_slice(cut.slot);
}

}  // namespace daedalus::engine

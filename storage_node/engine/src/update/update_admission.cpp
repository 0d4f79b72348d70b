// How updates come into a cycle: what makes one wait for the next, and which slots their rows get.
#include <algorithm>

#include "update_sweep.hpp"

namespace daedalus::engine {
namespace {

/// Slots as runs, in their order.
SlotRuns runs_of(std::span<const uint32_t> slots) {
  SlotRuns runs;
  for (const uint32_t slot : slots) {
    if (!runs.empty() && runs.back().first + runs.back().count == slot) {
      ++runs.back().count;
    } else {
      runs.push_back({slot, 1});
    }
  }
  return runs;
}

}  // namespace

bool UpdateSweep::admit(Update& update) {
  SlotAllocator::Demand demand{.timestamp = update.timestamp};
  for (const UpdatePart& part : update.parts) {
    if (const auto* rows = std::get_if<InsertRows>(&part)) {
      demand.insert_rows += static_cast<uint32_t>(rows->rows.size());
    }
    demand.deletes |= std::holds_alternative<std::shared_ptr<const semantics::DeletePart>>(part);
  }
  reserved_.clear();
  if (has_to_wait(update)) {
    CHECK(!outputs_.empty());
    return false;
  }
  if (update.timestamp <= slots_.known_through()) {
    CHECK(update.recorded.has_value() || demand.insert_rows == 0);
    take_recorded(update.recorded.value_or(SlotRuns{}), demand.insert_rows);
  } else if (!slots_.admit(demand, reserved_)) {
    CHECK(!outputs_.empty());
    return false;
  }
  outputs_.push_back({.timestamp = update.timestamp, .slots = runs_of(reserved_)});
  if (update.parts.size() > 1 && update.parts.size() <= semantics::kCountedPartsMax) {
    outputs_.back().part_rows.resize(update.parts.size());
  }
  first_sequences_.push_back(next_sequence_);
  std::span<const uint32_t> slots = reserved_;
  for (UpdatePart& part : update.parts) {
    std::visit([&](auto& any) { admit_part(any, slots); }, part);
    ++next_sequence_;
  }
  return true;
}

/// A slot that a delete of this cycle frees is not used again before the next one. The allocator sees to that, but for
/// what it knew when it was loaded.
bool UpdateSweep::has_to_wait(const Update& update) const {
  if (recorded_slots_.empty()) {
    return false;
  }
  if (update.timestamp > slots_.known_through()) {
    return !outputs_.empty() && outputs_.front().timestamp <= slots_.known_through();
  }
  for (const SlotRun& run : update.recorded.value_or(SlotRuns{})) {
    CHECK(uint64_t{run.first} + run.count <= store_->slot_count());
    for (uint32_t slot = run.first; slot < run.first + run.count; ++slot) {
      if (is_occupied(update.timestamp, slot)) {
        return true;
      }
    }
  }
  return false;
}

bool UpdateSweep::is_occupied(Timestamp timestamp, uint32_t slot) const {
  const uint32_t chunk = slot / store_->chunk_rows();
  const bool is_known = !prefixes_.empty() && timestamp <= prefixes_[chunk];
  return !is_known &&
         (test_bit(recorded_slots_.data(), slot) || test_bit(store_->view(chunk).live, slot % store_->chunk_rows()));
}

void UpdateSweep::take_recorded(const SlotRuns& runs, uint32_t row_count) {
  for (const SlotRun& run : runs) {
    CHECK(run.count <= row_count - reserved_.size());
    for (uint32_t slot = run.first; slot < run.first + run.count; ++slot) {
      reserved_.push_back(slot);
      set_bit(recorded_slots_.data(), slot);
    }
  }
}

void UpdateSweep::admit_part(InsertRows& part, std::span<const uint32_t>& slots) {
  const uint32_t update = count() - 1;
  const bool is_counted = !outputs_[update].part_rows.empty();
  const size_t placed = std::min(part.rows.size(), slots.size());
  for (size_t row = 0; row < placed; ++row) {
    insertions_.push_back({slots[row], next_sequence_, update, is_counted, part.rows[row]});
  }
  slots = slots.subspan(placed);
  outputs_[update].rows_matched += part.rows.size();
  outputs_[update].refused_no_room += part.rows.size() - placed;
  owners_.push_back(std::move(part.owner));
}

void UpdateSweep::admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>&) {
  changes_.add_modification({next_sequence_, count() - 1, !outputs_.back().part_rows.empty()}, *part);
}

void UpdateSweep::admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>&) {
  changes_.add_delete({next_sequence_, count() - 1, !outputs_.back().part_rows.empty()}, *part);
}

}  // namespace daedalus::engine

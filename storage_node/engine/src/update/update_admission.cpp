#include "update_admission.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"

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

SlotAllocator::Demand demand_of(const Update& update) {
  SlotAllocator::Demand demand{.timestamp = update.timestamp};
  for (const UpdatePart& part : update.parts) {
    if (const auto* rows = std::get_if<InsertRows>(&part)) {
      demand.insert_rows += static_cast<uint32_t>(rows->rows.size());
    }
    demand.deletes |= std::holds_alternative<std::shared_ptr<const semantics::DeletePart>>(part);
  }
  return demand;
}

}  // namespace

bool UpdateAdmission::admit(Update& update) {
  const SlotAllocator::Demand demand = demand_of(update);
  std::vector<UpdateOutput>& outputs = admitted_->outputs;
  reserved_.clear();
  if (has_to_wait(update)) {
    CHECK(!outputs.empty());
    return false;
  }
  if (update.timestamp <= slots_->known_through()) {
    CHECK(update.recorded.has_value() || demand.insert_rows == 0);
    replay_->take(update.recorded.value_or(SlotRuns{}), demand.insert_rows, reserved_);
  } else if (!slots_->admit(demand, reserved_)) {
    CHECK(!outputs.empty());
    return false;
  }
  outputs.push_back({.timestamp = update.timestamp, .slots = runs_of(reserved_)});
  if (update.parts.size() > 1 && update.parts.size() <= semantics::kCountedPartsMax) {
    outputs.back().part_rows.resize(update.parts.size());
  }
  admitted_->first_sequences.push_back(next_sequence_);
  std::span<const uint32_t> slots = reserved_;
  for (UpdatePart& part : update.parts) {
    std::visit([&](auto& any) { admit_part(any, slots); }, part);
    ++next_sequence_;
  }
  return true;
}

/// A slot that a delete of this cycle frees is not used again before the next one. The allocator sees to that, but for
/// what it knew when it was loaded.
bool UpdateAdmission::has_to_wait(const Update& update) const {
  if (!replay_->is_recorded()) {
    return false;
  }
  if (update.timestamp > slots_->known_through()) {
    const std::vector<UpdateOutput>& outputs = admitted_->outputs;
    return !outputs.empty() && outputs.front().timestamp <= slots_->known_through();
  }
  return replay_->is_any_occupied(update.timestamp, update.recorded.value_or(SlotRuns{}));
}

void UpdateAdmission::admit_part(InsertRows& part, std::span<const uint32_t>& slots) {
  const ChangeList::Source from = source();
  const size_t placed = std::min(part.rows.size(), slots.size());
  for (size_t row = 0; row < placed; ++row) {
    admitted_->insertions.push_back({slots[row], from.sequence, from.update, from.is_counted, part.rows[row]});
  }
  slots = slots.subspan(placed);
  UpdateOutput& output = admitted_->outputs.back();
  output.rows_matched += part.rows.size();
  output.refused_no_room += part.rows.size() - placed;
  admitted_->owners.push_back(std::move(part.owner));
}

void UpdateAdmission::admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>&) {
  changes_->add_modification(source(), *part);
}

void UpdateAdmission::admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>&) {
  changes_->add_delete(source(), *part);
}

ChangeList::Source UpdateAdmission::source() const {
  return {next_sequence_, admitted_->count() - 1, !admitted_->outputs.back().part_rows.empty()};
}

}  // namespace daedalus::engine

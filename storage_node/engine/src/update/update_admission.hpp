// How updates come into a cycle.
//
// Decides what makes one wait for the next cycle, and which slots its rows get. Refuses to know how rows are found and
// changed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "admitted_updates.hpp"
#include "change_list.hpp"
#include "slot_allocator.hpp"
#include "update_replay.hpp"

namespace daedalus::engine {

class UpdateAdmission {
 public:
  /// All outlive this object: what is admitted goes to `changes` and `admitted`.
  UpdateAdmission(SlotAllocator& slots, UpdateReplay& replay, ChangeList& changes, AdmittedUpdates& admitted)
      : slots_(&slots), replay_(&replay), changes_(&changes), admitted_(&admitted) {}

  /// See UpdateSweep::admit().
  [[nodiscard]] bool admit(Update& update);

  /// The cycle has ended: the next one begins with nothing.
  void end() { next_sequence_ = 0; }

 private:
  [[nodiscard]] bool has_to_wait(const Update& update) const;
  void admit_part(InsertRows& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>& slots);
  [[nodiscard]] ChangeList::Source source() const;

  SlotAllocator* slots_;
  UpdateReplay* replay_;
  ChangeList* changes_;
  AdmittedUpdates* admitted_;
  uint32_t next_sequence_ = 0;
  std::vector<uint32_t> reserved_;  ///< The slots of the update that is being admitted.
};

}  // namespace daedalus::engine

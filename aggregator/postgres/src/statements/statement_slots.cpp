#include "statement_slots.hpp"

#include <utility>

namespace daedalus::postgres {

namespace {

/// Many clients prepare what they run once.
constexpr uint32_t kRunsMin = 2;
/// A definition has so many bytes beside its text; in truth a little fewer.
constexpr size_t kDefinitionOverhead = 16;
constexpr size_t kDescriptionSizeMax = 4096;

}  // namespace

StatementSlots::Use StatementSlots::use(SlottedStatement& statement, const std::string& sql) {
  if (statement.slot != 0) {
    return Use::kBySlot;
  }
  const bool has_room = !statement.is_dropped && (!free_.empty() || used_ < limits_.slots_max);
  return ++statement.runs >= kRunsMin && has_room && sql.size() + kDefinitionOverhead <= limits_.bytes_max
             ? Use::kDefine
             : Use::kWhole;
}

void StatementSlots::define(const std::shared_ptr<SlottedStatement>& statement, const std::string& sql,
                            uint64_t sequence) {
  if (free_.empty()) {
    free_.push_back(++used_);
  }
  statement->slot = free_.back();
  statement->sequence = sequence;
  free_.pop_back();
  bytes_ += sql.size();
  by_sequence_.emplace(sequence, statement);
}

std::shared_ptr<SlottedStatement> StatementSlots::find(uint64_t sequence) const {
  const auto found = by_sequence_.find(sequence);
  return found == by_sequence_.end() ? nullptr : found->second.lock();
}

void StatementSlots::keep_description(SlottedStatement& statement, std::string_view description,
                                      const std::vector<int16_t>& formats, uint32_t table) {
  if (statement.is_dropped || description.size() > kDescriptionSizeMax) {
    return;
  }
  bytes_ += description.size();
  bytes_ -= statement.description.size();
  statement.description = description;
  statement.description_formats = formats;
  statement.description_table = table;
}

void StatementSlots::drop(SlottedStatement& statement, const std::string& sql) {
  statement.is_dropped = true;
  bytes_ -= std::exchange(statement.description, {}).size();
  if (statement.slot == 0) {
    return;
  }
  free_.push_back(statement.slot);
  bytes_ -= sql.size();
  statement.slot = 0;
  std::erase_if(by_sequence_, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace daedalus::postgres

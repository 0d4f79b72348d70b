#include "statement_handles.hpp"

#include <utility>

namespace daedalus::postgres {

namespace {

/// Many clients prepare what they run once.
constexpr uint32_t kRunsMin = 2;
/// A definition has so many bytes beside its text; in truth a little fewer.
constexpr size_t kDefinitionOverhead = 16;
constexpr size_t kDescriptionSizeMax = 4096;

}  // namespace

StatementHandles::Use StatementHandles::use(RegisteredStatement& statement, const std::string& sql) {
  if (statement.handle != 0) {
    return Use::kByHandle;
  }
  const bool has_room = !statement.is_dropped && (!free_.empty() || used_ < limits_.handles_max);
  return ++statement.runs >= kRunsMin && has_room && sql.size() + kDefinitionOverhead <= limits_.bytes_max
             ? Use::kDefine
             : Use::kWhole;
}

void StatementHandles::define(const std::shared_ptr<RegisteredStatement>& statement, const std::string& sql,
                              uint64_t sequence) {
  if (free_.empty()) {
    free_.push_back(++used_);
  }
  statement->handle = free_.back();
  statement->sequence = sequence;
  free_.pop_back();
  bytes_ += sql.size();
  by_sequence_.emplace(sequence, statement);
}

std::shared_ptr<RegisteredStatement> StatementHandles::find(uint64_t sequence) const {
  const auto found = by_sequence_.find(sequence);
  return found == by_sequence_.end() ? nullptr : found->second.lock();
}

void StatementHandles::keep_description(RegisteredStatement& statement, std::string_view description,
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

void StatementHandles::drop(RegisteredStatement& statement, const std::string& sql) {
  statement.is_dropped = true;
  bytes_ -= std::exchange(statement.description, {}).size();
  if (statement.handle == 0) {
    return;
  }
  free_.push_back(statement.handle);
  bytes_ -= sql.size();
  statement.handle = 0;
  std::erase_if(by_sequence_, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace daedalus::postgres

#include "descriptions.hpp"

#include <utility>

namespace daedalus::postgres {

namespace {

/// Types, then the text: no two statements have one key.
std::string key_of(std::string_view sql, Descriptions::Declared declared) {
  std::string key;
  key.reserve(declared.size() + 1 + sql.size());
  constexpr char kUndeclared = '\x7f';
  constexpr char kOfArrays = '\x40';  // Beside the number of the type.
  for (const auto& type : declared) {
    const auto kind = type ? static_cast<char>(type->kind) : kUndeclared;
    key.push_back(type && type->is_array ? static_cast<char>(kind | kOfArrays) : kind);
  }
  key.push_back('\0');
  key.append(sql);
  return key;
}

size_t bytes_of(const std::string& key, const aggregator::StatementDescription& description) {
  size_t bytes = sizeof(description) + 2 * sizeof(key) + key.size() +
                 description.parameters.size() * sizeof(aggregator::ParameterKind) +
                 description.origins.size() * sizeof(uint16_t) +
                 (description.mistake ? description.mistake->message.size() : 0);
  for (const semantics::Column& column : description.columns) {
    bytes += sizeof(column) + column.name.size();
  }
  return bytes;
}

}  // namespace

const aggregator::StatementDescription* Descriptions::find(std::string_view sql, Declared declared) {
  if (sql.size() > kEntryBytesMax) {
    return nullptr;
  }
  const auto found = by_key_.find(key_of(sql, declared));
  if (found == by_key_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return &found->second->description;
}

void Descriptions::keep(std::string_view sql, Declared declared, const aggregator::StatementDescription& description) {
  std::string key = key_of(sql, declared);
  const size_t bytes = bytes_of(key, description);
  if (bytes > kEntryBytesMax || by_key_.contains(key)) {
    return;
  }
  entries_.push_front({std::move(key), description, bytes});
  by_key_.emplace(entries_.front().key, entries_.begin());
  bytes_ += bytes;
  while (bytes_ > kBytesMax) {
    bytes_ -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace daedalus::postgres

#include "column_names.hpp"

#include <bit>
#include <functional>
#include <utility>

namespace daedalus::aggregator::sql {

ColumnNames::ColumnNames(std::shared_ptr<const semantics::Schema> schema)
    : schema_(std::move(schema)), slots_(std::bit_ceil(2 * schema_->columns.size() + 1)) {
  for (uint32_t column = 0; column < schema_->columns.size(); ++column) {
    uint32_t& slot = slots_[slot_of(schema_->columns[column].name)];
    slot = slot == 0 ? column + 1 : slot;
  }
}

std::optional<uint32_t> ColumnNames::find(std::string_view name) const {
  const uint32_t found = slots_[slot_of(name)];
  return found == 0 ? std::nullopt : std::optional<uint32_t>(found - 1);
}

size_t ColumnNames::slot_of(std::string_view name) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = std::hash<std::string_view>()(name) & mask;
  while (slots_[slot] != 0 && schema_->columns[slots_[slot] - 1].name != name) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

}  // namespace daedalus::aggregator::sql

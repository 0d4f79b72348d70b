#include "list_values.hpp"

#include <algorithm>
#include <cstring>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "int128.hpp"

namespace daedalus::semantics {
namespace {

/// Says whether values that are one key may be shown differently.
bool has_several_forms(const Type& type) {
  return type.kind == TypeKind::kReal || type.kind == TypeKind::kDouble || type.kind == TypeKind::kInterval ||
         (type.kind == TypeKind::kNumeric && type.precision == 0);
}

/// As append_key_value(), but in the form in which the value is shown.
void append_as_it_is(const Type& type, const Value& value, std::string& bytes) {
  bytes.push_back(is_null(value) ? '\0' : '\1');
  if (!is_null(value)) {
    append_packed(type, value, bytes);
  }
}

}  // namespace

ListValues::ListValues(const MergePlan& plan, uint32_t list) : first_value_(plan.key_count()) {
  std::vector<uint32_t> places = plan.lists[list].values;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const uint32_t place : places) {
    parts_.push_back({place, plan.partial_types[first_value_ + place]});
    shows_as_it_came_ = shows_as_it_came_ || has_several_forms(parts_.back().type);
  }
}

void ListValues::add(uint32_t owner, std::span<const Value> row) {
  key_.clear();
  shown_.clear();
  append(owner, key_);
  for (const Part& part : parts_) {
    const Value& value = row[first_value_ + part.place];
    append_key_value(part.type, value, key_);
    if (shows_as_it_came_) {
      append_as_it_is(part.type, value, shown_);
    }
  }
  const KeyStore::Found found = keys_.find(key_, shown_);
  if (found.is_new) {
    if (found.number % kBlockRows == 0) {
      rows_.emplace_back();
    }
    const size_t room = rows_.back().capacity();
    rows_.back().push_back(0);
    rows_bytes_ += (rows_.back().capacity() - room) * sizeof(int64_t);
  }
  // Whoever sends such numbers may send any: they wrap.
  int64_t& rows = rows_[found.number / kBlockRows][found.number % kBlockRows];
  rows = static_cast<int64_t>(static_cast<uint64_t>(rows) + static_cast<uint64_t>(std::get<int64_t>(row.back())));
}

uint32_t ListValues::owner(uint32_t number) const {
  uint32_t owner = 0;
  std::memcpy(&owner, keys_.key(number).data(), sizeof owner);
  return owner;
}

void ListValues::read(uint32_t number, std::span<Value> list_values) const {
  std::string_view rest = shows_as_it_came_ ? keys_.beside(number) : keys_.key(number).substr(sizeof(uint32_t));
  for (const Part& part : parts_) {
    const bool is_value = rest.front() != '\0';
    rest.remove_prefix(1);
    list_values[part.place] = Value();
    if (is_value) {
      Result<Value> value = take_packed(part.type, rest);
      CHECK(value);  // The bytes are those of a value of this type.
      list_values[part.place] = std::move(*value);
    }
  }
}

bool ListValues::drop(WorkBudget& budget) {
  while (!rows_.empty() && !budget.is_spent()) {
    budget.spend(1 + page_units(rows_.back().capacity() * sizeof(int64_t)));
    rows_bytes_ -= rows_.back().capacity() * sizeof(int64_t);
    rows_.pop_back();
  }
  return rows_.empty() && keys_.drop(budget);
}

}  // namespace daedalus::semantics

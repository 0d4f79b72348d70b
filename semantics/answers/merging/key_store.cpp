#include "key_store.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::semantics {

KeyStore::Found KeyStore::find(std::string_view key, std::string_view beside) {
  const auto hash = static_cast<uint32_t>(XXH3_64bits(key.data(), key.size()));
  if (tables_.empty()) {
    directory_.push_back(0);
    tables_.push_back(make_table(kTableSlotsMin, 0));
  }
  const Table& table = tables_[table_of(hash)];
  const uint32_t mask = table.slot_count - 1;
  for (uint32_t at = hash & mask; table.slots[at] != 0; at = (at + 1) & mask) {
    const uint32_t number = table.slots[at] - 1;
    if (entry(number).hash == hash && this->key(number) == key) {
      return {number, false};
    }
  }
  append(key, beside, hash);
  // No chain is long while a quarter of the slots is free.
  while (tables_[table_of(hash)].used >= tables_[table_of(hash)].slot_count / 4 * 3) {
    grow(table_of(hash));
  }
  put(tables_[table_of(hash)], hash, size_);
  return {size_ - 1, true};
}

std::string_view KeyStore::key(uint32_t number) const { return {entry(number).key, entry(number).key_size}; }

std::string_view KeyStore::beside(uint32_t number) const {
  const char* const end = entry(number).key - sizeof(uint32_t);
  uint32_t size = 0;
  std::memcpy(&size, end, sizeof size);
  return {end - size, size};
}

KeyStore::Table KeyStore::make_table(uint32_t slot_count, uint32_t depth) {
  memory_bytes_ += slot_count * sizeof(uint32_t);
  return {std::make_unique<uint32_t[]>(slot_count), slot_count, 0, depth};
}

void KeyStore::put(Table& table, uint32_t hash, uint32_t slot) {
  const uint32_t mask = table.slot_count - 1;
  uint32_t at = hash & mask;
  while (table.slots[at] != 0) {
    at = (at + 1) & mask;
  }
  table.slots[at] = slot;
  ++table.used;
}

void KeyStore::grow(uint32_t table) {
  const Table full = std::move(tables_[table]);
  memory_bytes_ -= full.slot_count * sizeof(uint32_t);
  const bool is_larger = full.slot_count < kTableSlots || full.depth == kDepthMax;
  if (is_larger) {
    tables_[table] = make_table(2 * full.slot_count, full.depth);
  } else {
    if (full.depth == depth_) {
      std::vector<uint32_t> twice(2 * directory_.size());
      for (size_t place = 0; place < twice.size(); ++place) {
        twice[place] = directory_[place / 2];
      }
      directory_ = std::move(twice);
      ++depth_;
    }
    tables_[table] = make_table(full.slot_count, full.depth + 1);
    tables_.push_back(make_table(full.slot_count, full.depth + 1));
    for (size_t place = 0; place < directory_.size(); ++place) {
      if (directory_[place] == table && ((place >> (depth_ - full.depth - 1)) & 1) != 0) {
        directory_[place] = static_cast<uint32_t>(tables_.size() - 1);
      }
    }
  }
  for (uint32_t at = 0; at < full.slot_count; ++at) {
    if (full.slots[at] != 0) {
      const uint32_t hash = entry(full.slots[at] - 1).hash;
      put(tables_[table_of(hash)], hash, full.slots[at]);
    }
  }
}

std::string& KeyStore::room_for(size_t bytes) {
  if (bytes_.empty() || bytes_.back().capacity() - bytes_.back().size() < bytes) {
    const size_t next = bytes_.empty() ? kKeyBytesMin : std::min(kKeyBytes, 2 * bytes_.back().capacity());
    bytes_.emplace_back().reserve(std::max(next, bytes));
    memory_bytes_ += bytes_.back().capacity();
  }
  return bytes_.back();
}

void KeyStore::append(std::string_view key, std::string_view beside, uint32_t hash) {
  CHECK(size_ < UINT32_MAX / 2);
  if (size_ % kBlockEntries == 0) {
    blocks_.emplace_back();
  }
  std::vector<Entry>& entries = blocks_.back();
  const size_t room = entries.capacity();
  const auto beside_size = static_cast<uint32_t>(beside.size());
  std::string& to = room_for(key.size() + (beside.empty() ? 0 : beside.size() + sizeof beside_size));
  if (!beside.empty()) {
    to.append(beside).append(reinterpret_cast<const char*>(&beside_size), sizeof beside_size);
  }
  entries.push_back({to.data() + to.size(), hash, static_cast<uint32_t>(key.size())});
  to.append(key);
  memory_bytes_ += (entries.capacity() - room) * sizeof(Entry);
  ++size_;
}

bool KeyStore::drop(WorkBudget& budget) {
  while (!tables_.empty() && !budget.is_spent()) {
    budget.spend(1 + page_units(tables_.back().slot_count * sizeof(uint32_t)));
    tables_.pop_back();
  }
  while (!blocks_.empty() && !budget.is_spent()) {
    budget.spend(1 + page_units(blocks_.back().capacity() * sizeof(Entry)));
    blocks_.pop_back();
  }
  while (!bytes_.empty() && !budget.is_spent()) {
    budget.spend(1 + page_units(bytes_.back().capacity()));
    bytes_.pop_back();
  }
  if (!tables_.empty() || !blocks_.empty() || !bytes_.empty()) {
    return false;
  }
  memory_bytes_ = 0;
  return true;
}

}  // namespace daedalus::semantics

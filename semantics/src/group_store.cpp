#include "group_store.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "daedalus/base/check.hpp"

namespace daedalus::semantics {

void GroupStore::reserve(uint64_t groups_max) {
  CHECK(size_ == 0 && groups_max < (uint64_t{1} << 31));
  const uint64_t slots = std::max(std::bit_ceil(2 * groups_max + 2), uint64_t{64});
  slots_.resize((slots + kTableSlots - 1) / kTableSlots);
  slot_mask_ = slots - 1;
  groups_max_ = groups_max;
}

uint32_t& GroupStore::slot_of(uint64_t at) {
  std::unique_ptr<uint32_t[]>& table = slots_[at / kTableSlots];
  if (table == nullptr) {
    table = std::make_unique<uint32_t[]>(table_slots());
    memory_bytes_ += table_slots() * sizeof(uint32_t);
  }
  return table[at % kTableSlots];
}

uint32_t GroupStore::find(std::string_view key, bool& is_new) {
  const uint64_t hash = XXH3_64bits(key.data(), key.size());
  for (uint64_t at = hash & slot_mask_;; at = (at + 1) & slot_mask_) {
    uint32_t& slot = slot_of(at);
    const uint32_t found = slot;
    if (found == 0) {
      slot = append(key, hash) + 1;
      is_new = true;
      return size_ - 1;
    }
    const Entry& entry = block_of(found - 1).entries[(found - 1) % kBlockGroups];
    if (entry.hash == hash && std::string_view(entry.key, entry.key_size) == key) {
      is_new = false;
      return found - 1;
    }
  }
}

uint32_t GroupStore::append(std::string_view key, uint64_t hash) {
  CHECK(size_ < slot_mask_);
  if (size_ % kBlockGroups == 0) {
    const auto groups = std::min<uint64_t>(kBlockGroups, std::max<uint64_t>(groups_max_, size_ + 1) - size_);
    Block& block = *blocks_.emplace_back(std::make_unique<Block>());
    block.entries.reserve(groups);
    block.plain.reserve(groups * plain_count_);
    block.states.reserve(groups * state_count_);
    memory_bytes_ += groups * (sizeof(Entry) + plain_count_ * sizeof(Value) + state_count_ * sizeof(AggregateState));
  }
  if (keys_.empty() || keys_.back().capacity() - keys_.back().size() < key.size()) {
    const size_t next = keys_.empty() ? kKeyBytesMin : std::min(kKeyBytes, 2 * keys_.back().capacity());
    keys_.emplace_back().reserve(std::max(next, key.size()));
    memory_bytes_ += keys_.back().capacity();
  }
  std::string& to = keys_.back();
  const size_t begin = to.size();
  to.append(key);
  Block& block = *blocks_.back();
  block.entries.push_back(
      {hash, to.data() + begin, static_cast<uint32_t>(key.size()), static_cast<uint32_t>(block.states.size())});
  block.plain.resize(block.plain.size() + plain_count_);
  return size_++;
}

std::span<Value> GroupStore::plain(uint32_t group) {
  return {block_of(group).plain.data() + size_t{group % kBlockGroups} * plain_count_, plain_count_};
}

void GroupStore::add_state(AggregateFunction function, const Type& argument) {
  std::vector<AggregateState>& states = blocks_.back()->states;
  const size_t room = states.capacity();
  states.emplace_back(function, argument);
  memory_bytes_ += (states.capacity() - room) * sizeof(AggregateState);
}

std::span<AggregateState> GroupStore::states(uint32_t group) {
  Block& block = block_of(group);
  const size_t place = group % kBlockGroups;
  const size_t first = block.entries[place].first_state;
  const size_t end = place + 1 < block.entries.size() ? block.entries[place + 1].first_state : block.states.size();
  return {block.states.data() + first, end - first};
}

bool GroupStore::drop(WorkBudget& budget) {
  while (!slots_.empty() && !budget.is_spent()) {
    budget.spend(page_units(kTableSlots * sizeof(uint32_t)));
    slots_.pop_back();
  }
  while (!blocks_.empty() && !budget.is_spent()) {
    budget.spend(uint64_t{kBlockGroups} * 3 * (1 + plain_count_ + state_count_));
    blocks_.pop_back();
  }
  while (!keys_.empty() && !budget.is_spent()) {
    budget.spend(1 + page_units(keys_.back().capacity()));
    keys_.pop_back();
  }
  if (!slots_.empty() || !blocks_.empty() || !keys_.empty()) {
    return false;
  }
  memory_bytes_ = 0;
  return true;
}

}  // namespace daedalus::semantics

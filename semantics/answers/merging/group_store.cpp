#include "group_store.hpp"

namespace daedalus::semantics {

KeyStore::Found GroupStore::find(std::string_view key) {
  const KeyStore::Found found = keys_.find(key);
  if (found.is_new) {
    if (found.number % kBlockGroups == 0) {
      blocks_.push_back(std::make_unique<Block>());
    }
    std::vector<Value>& plain = blocks_.back()->plain;
    const size_t room = plain.capacity();
    plain.resize(plain.size() + plain_count_);
    memory_bytes_ += (plain.capacity() - room) * sizeof(Value);
  }
  return found;
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
  return {block_of(group).states.data() + size_t{group % kBlockGroups} * state_count_, state_count_};
}

bool GroupStore::drop(WorkBudget& budget) {
  while (!blocks_.empty() && !budget.is_spent()) {
    budget.spend(uint64_t{kBlockGroups} * 3 * (1 + plain_count_ + state_count_));
    blocks_.pop_back();
  }
  if (!blocks_.empty() || !keys_.drop(budget)) {
    return false;
  }
  memory_bytes_ = 0;
  return true;
}

}  // namespace daedalus::semantics

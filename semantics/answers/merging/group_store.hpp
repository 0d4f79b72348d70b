// The groups of one merge: found by key, kept in blocks, so that they grow and go a piece at a time. Blocks of few
// groups are small: most answers have one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/work_budget.hpp"
#include "key_store.hpp"

namespace daedalus::semantics {

class GroupStore {
 public:
  /// Makes a store of groups that have so many plain values and states each.
  GroupStore(uint32_t plain_count, uint32_t state_count) : plain_count_(plain_count), state_count_(state_count) {}

  /// The number of the group with this key, a new one after the last where there is none yet.
  [[nodiscard]] KeyStore::Found find(std::string_view key);

  [[nodiscard]] uint32_t size() const { return keys_.size(); }
  /// Gives the plain values of a group. Those of a new group are NULL: whoever found it fills them.
  [[nodiscard]] std::span<Value> plain(uint32_t group);
  [[nodiscard]] std::span<AggregateState> states(uint32_t group);
  /// The next state of the newest group. Precondition: it is the newest, and lacks states.
  void add_state(AggregateFunction function, const Type& argument);

  [[nodiscard]] uint64_t memory_bytes() const { return memory_bytes_ + keys_.memory_bytes(); }
  /// Frees a piece; true when nothing is left.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  static constexpr uint32_t kBlockGroups = 1024;

  struct Block {
    std::vector<Value> plain;
    std::vector<AggregateState> states;
  };

  [[nodiscard]] Block& block_of(uint32_t group) { return *blocks_[group / kBlockGroups]; }

  uint32_t plain_count_;
  uint32_t state_count_;
  KeyStore keys_;
  std::vector<std::unique_ptr<Block>> blocks_;
  uint64_t memory_bytes_ = 0;  ///< Beside the keys.
};

}  // namespace daedalus::semantics

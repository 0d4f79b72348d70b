// The groups of one merge: found by key, kept in blocks, so that they grow and go a piece at a time. Blocks of few
// groups are small: most answers have one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/work_budget.hpp"

namespace daedalus::semantics {

class GroupStore {
 public:
  /// plain_count: of one group. state_count: of most groups; others may have more or fewer.
  GroupStore(uint32_t plain_count, uint32_t state_count) : plain_count_(plain_count), state_count_(state_count) {}

  /// Room to find so many groups; a bound on how many may come. Precondition: none has come.
  void reserve(uint64_t groups_max);

  /// The number of the group with this key, a new one after the last where there is none yet. Precondition: fewer
  /// groups than were reserved for, or the key is known.
  [[nodiscard]] uint32_t find(std::string_view key, bool& is_new);

  [[nodiscard]] uint32_t size() const { return size_; }
  /// Of a new group these are empty: whoever found it fills them, once, in order.
  [[nodiscard]] std::span<Value> plain(uint32_t group);
  [[nodiscard]] std::span<AggregateState> states(uint32_t group);
  /// Precondition: the group is the newest.
  void add_state(AggregateFunction function, const Type& argument);

  [[nodiscard]] uint64_t memory_bytes() const { return memory_bytes_; }
  /// Frees a piece; true when nothing is left.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  static constexpr uint32_t kBlockGroups = 1024;
  static constexpr size_t kKeyBytesMin = 256;
  static constexpr size_t kKeyBytes = 64u << 10;
  static constexpr uint64_t kTableSlots = 16u << 10;

  struct Entry {
    uint64_t hash = 0;
    const char* key = nullptr;
    uint32_t key_size = 0;
    uint32_t first_state = 0;  ///< Up to the next group's.
  };
  struct Block {
    std::vector<Entry> entries;
    std::vector<Value> plain;
    std::vector<AggregateState> states;
  };

  [[nodiscard]] Block& block_of(uint32_t group) { return *blocks_[group / kBlockGroups]; }
  [[nodiscard]] uint32_t append(std::string_view key, uint64_t hash);

  [[nodiscard]] uint32_t& slot_of(uint64_t at);
  /// Says how many slots one table has.
  [[nodiscard]] uint64_t table_slots() const { return std::min(slot_mask_ + 1, kTableSlots); }

  uint32_t plain_count_;
  uint32_t state_count_;
  uint64_t groups_max_ = 0;
  /// Group number + 1, or 0; open addressing. In tables of kTableSlots, made when a group comes that belongs there, so
  /// that none is long to make or to give back.
  std::vector<std::unique_ptr<uint32_t[]>> slots_;
  uint64_t slot_mask_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::string> keys_;
  uint32_t size_ = 0;
  uint64_t memory_bytes_ = 0;
};

}  // namespace daedalus::semantics

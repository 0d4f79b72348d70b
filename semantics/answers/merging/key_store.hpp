// Keys of a merge: bytes that are found again, numbered from 0 in the order in which they came.
//
// Decides where they lie, and how they are found: open addressing in tables of one size, of which one that gets full
// becomes two. So everything grows and goes a piece at a time, and takes little more than the keys, however many there
// are. Refuses to know what keys mean.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/semantics/work_budget.hpp"

namespace daedalus::semantics {

class KeyStore {
 public:
  struct Found {
    uint32_t number = 0;
    bool is_new = false;
  };

  /// The number of the key, that of a new one after the last where it is not there yet. `beside`: what is kept with a
  /// new key and has no part in what it is; of one store either empty for all keys or for none.
  /// Precondition: fewer than 2^31 keys.
  [[nodiscard]] Found find(std::string_view key, std::string_view beside = {});

  [[nodiscard]] uint32_t size() const { return size_; }
  /// Stays where it is.
  [[nodiscard]] std::string_view key(uint32_t number) const;
  /// Precondition: something is kept with keys.
  [[nodiscard]] std::string_view beside(uint32_t number) const;

  [[nodiscard]] uint64_t memory_bytes() const { return memory_bytes_; }
  /// Frees a piece; true when nothing is left.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  static constexpr uint32_t kBlockEntries = 1024;
  static constexpr size_t kKeyBytesMin = 256;
  static constexpr size_t kKeyBytes = 64u << 10;
  static constexpr uint32_t kTableSlotsMin = 64;
  /// One that is full is made anew in the time of some thousand look-ups.
  static constexpr uint32_t kTableSlots = 4u << 10;
  /// Beyond, keys are alike in so many bits of their hashes that two tables would not part them: one grows instead.
  static constexpr uint32_t kDepthMax = 16;

  struct Entry {
    const char* key = nullptr;
    uint32_t hash = 0;
    uint32_t key_size = 0;
  };
  /// Key numbers + 1, or 0, of the keys whose hashes have the same `depth` highest bits.
  struct Table {
    std::unique_ptr<uint32_t[]> slots;
    uint32_t slot_count = 0;
    uint32_t used = 0;
    uint32_t depth = 0;
  };

  [[nodiscard]] const Entry& entry(uint32_t number) const {
    return blocks_[number / kBlockEntries][number % kBlockEntries];
  }
  [[nodiscard]] uint32_t table_of(uint32_t hash) const {
    return directory_[static_cast<size_t>(uint64_t{hash} >> (32 - depth_))];
  }
  [[nodiscard]] Table make_table(uint32_t slot_count, uint32_t depth);
  static void put(Table& table, uint32_t hash, uint32_t slot);
  /// Makes room in the table for more keys: by a larger one, or by one more.
  void grow(uint32_t table);
  void append(std::string_view key, std::string_view beside, uint32_t hash);
  /// Gives a string to which so many bytes may be appended.
  [[nodiscard]] std::string& room_for(size_t bytes);

  std::vector<uint32_t> directory_;  ///< Tables by the depth_ highest bits of a hash.
  std::vector<Table> tables_;
  uint32_t depth_ = 0;
  std::vector<std::vector<Entry>> blocks_;  ///< Each has kBlockEntries; the first grows up to that.
  std::vector<std::string> bytes_;          ///< They are keys'; none is moved once it is there.
  uint32_t size_ = 0;
  uint64_t memory_bytes_ = 0;
};

}  // namespace daedalus::semantics

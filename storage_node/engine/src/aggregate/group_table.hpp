// Group keys, each numbered from 0 in the order of arrival, looked up a batch at a time.
//
// Decides how a key is found. Where keys are small numbers, and enough of them have come, a table has a place for each
// of them. Elsewhere an open-addressed one is asked for all keys of a batch, its answers fetched ahead: an entry holds
// the whole key where that is short enough, so that one look decides, and a part of its hash where it is not. Places
// follow the hash's high bits: a table that doubles is read and written from one end to the other, however far it is
// beyond the caches. Refuses to know what keys mean.
#pragma once

#include <cstdint>
#include <vector>

#include "answer_memory.hpp"
#include "group_keys.hpp"
#include "large_memory.hpp"

namespace daedalus::engine {

class GroupTable {
 public:
  enum class Found : uint8_t {
    kAll,
    kTooMany,   ///< There would be more groups than allowed.
    kNoMemory,  ///< The table would have to grow, and there is no memory for it.
  };

  /// Keys of `key_words` words, all below 2^domain_bits (0: anything). `memory` outlives this object, which asks it
  /// before it grows, and takes nothing before the first key comes.
  GroupTable(uint32_t key_words, uint32_t domain_bits, AnswerMemory& memory);

  [[nodiscard]] uint32_t size() const { return size_; }
  /// See MemoryShare.
  [[nodiscard]] uint64_t counted_for_others() const { return memory_.counted_for_others(); }
  [[nodiscard]] const uint64_t* key(uint32_t group) const { return keys_.data() + size_t{group} * key_words_; }

  /// Writes the group of every key to `groups`; a key that was not there becomes a new group. At most `groups_max`,
  /// which is not above 2^20. Unless all are found, groups of some keys are missing.
  ///
  /// Cost  1 to 3 ns a key while the table fits the caches, about 5 beyond. Allocates when the table doubles.
  [[nodiscard]] Found find_or_add(const KeyWords& keys, uint32_t groups_max, uint32_t* groups, BatchScratch& scratch);

 private:
  /// A place of the open-addressed table: its group + 1 in the lowest kGroupBits, above them its tag; 0 for none.
  using Entry = uint64_t;
  static constexpr uint32_t kGroupBits = 21;
  static constexpr uint32_t kTagBits = 64 - kGroupBits;

  [[nodiscard]] Found find_direct(const KeyWords& keys, uint32_t groups_max, uint32_t* groups);
  template <bool kIsNarrow>
  [[nodiscard]] Found find_hashed(const KeyWords& keys, uint32_t groups_max, uint32_t* groups, BatchScratch& scratch);
  void hash(const KeyWords& keys, BatchScratch& scratch) const;
  /// Lists the positions whose guessed group has another key, or that have none. kWords: of a key; 0: any number.
  template <uint32_t kWords>
  void list_missing(const KeyWords& keys, const uint32_t* groups, std::vector<uint32_t>& missing) const;
  [[nodiscard]] Found add_missing(const KeyWords& keys, uint32_t groups_max, uint32_t* groups,
                                  const BatchScratch& scratch);
  [[nodiscard]] bool equals(uint32_t group, const KeyWords& keys, uint32_t position) const;
  void append_key(const KeyWords& keys, uint32_t position);
  /// Makes room for one more group than size_, in fact for many more; false when there is no memory.
  [[nodiscard]] bool make_room();
  [[nodiscard]] bool begin();
  /// Returns whether a table with a place for each key is worth its memory: it is small, or many keys have been looked
  /// for.
  [[nodiscard]] bool wants_direct(uint32_t keys) const;
  /// Makes one, unless there is no memory to spare for it.
  void make_direct();
  /// Makes room for more keys, no more than the table has places for.
  [[nodiscard]] bool grow_keys();
  /// Groups that the table has places for.
  [[nodiscard]] uint32_t table_room() const;
  void rehash();
  /// Puts entries of a table that was left into the present one.
  void put(const Entry* entries, uint32_t count);

  /// Returns whether a tag is the key itself. Else it is the highest bits of the key's hash.
  [[nodiscard]] bool is_narrow() const { return domain_bits_ > 0 && domain_bits_ <= kTagBits; }
  [[nodiscard]] uint64_t tag_of(const KeyWords& keys, uint32_t position, uint64_t hash) const {
    return is_narrow() ? keys.words[position] : hash >> kGroupBits;
  }
  [[nodiscard]] static uint32_t group_of(Entry entry) {
    return static_cast<uint32_t>(entry & ((Entry{1} << kGroupBits) - 1)) - 1;
  }

  uint32_t key_words_;
  uint32_t domain_bits_;
  MemoryShare memory_;
  uint32_t size_ = 0;
  uint32_t room_ = 0;  ///< Groups that fit without asking for memory; 0 before the first.
  uint32_t keys_room_ = 0;
  LargeArray<uint64_t> keys_;
  bool may_be_direct_;            ///< Keys are few enough, and memory for it has not been refused yet.
  uint64_t looked_for_ = 0;       ///< Keys, while it may be.
  std::vector<uint32_t> direct_;  ///< By key: its group + 1, 0 for none. Empty: there is none.
  LargeArray<Entry> entries_;     ///< A power of two of them.
  uint32_t place_shift_ = 0;      ///< A hash shifted right by so many bits is its position.
};

}  // namespace daedalus::engine

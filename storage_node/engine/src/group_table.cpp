#include "group_table.hpp"

#include <algorithm>
#include <numeric>

#include "kernels_group.hpp"

namespace daedalus::engine {
namespace {

/// Keys below 2 to this power have a place each: a nullable smallint, two of char(1).
constexpr uint32_t kDirectBitsMax = 17;
constexpr uint32_t kEntriesMin = 64;
/// At least; at most twice as many. So sparse a table seldom sends anybody beyond the second place.
constexpr size_t kEntriesPerGroup = 3;
/// From so many entries on, a table leaves the first-level cache and is fetched ahead.
constexpr size_t kEntriesInCache = 4096;
constexpr uint32_t kFetchAhead = 16;

constexpr uint64_t kUpperHalf = ~uint64_t{0} << 32;
constexpr uint64_t kLowerHalf = ~kUpperHalf;

/// All bits or none: which of two it is cannot be predicted, so it had better not be a branch.
uint64_t ones_if(bool condition) { return -uint64_t{condition}; }

uint32_t group_of(uint64_t entry) { return static_cast<uint32_t>(entry) - 1; }

}  // namespace

GroupTable::GroupTable(uint32_t key_words, uint32_t domain_bits) : key_words_(key_words) {
  if (domain_bits > 0 && domain_bits <= kDirectBitsMax) {
    direct_.resize(size_t{1} << domain_bits);
  } else {
    entries_.resize(kEntriesMin);
  }
}

bool GroupTable::find_or_add(const KeyWords& keys, uint32_t groups_max, uint32_t* groups) {
  return direct_.empty() ? find_hashed(keys, groups_max, groups) : find_direct(keys, groups_max, groups);
}

bool GroupTable::find_direct(const KeyWords& keys, uint32_t groups_max, uint32_t* groups) {
  uint32_t lowest = UINT32_MAX;
  for (uint32_t position = 0; position < keys.count; ++position) {
    const uint32_t place = direct_[keys.words[position]];
    groups[position] = place - 1;
    lowest = std::min(lowest, place);
  }
  if (lowest > 0) {
    return true;
  }
  for (uint32_t position = 0; position < keys.count; ++position) {
    uint32_t& place = direct_[keys.words[position]];
    if (place == 0) {
      if (size_ >= groups_max) {
        return false;
      }
      keys_.push_back(keys.words[position]);
      place = ++size_;
    }
    groups[position] = place - 1;
  }
  return true;
}

void GroupTable::hash(const KeyWords& keys) {
  batch_hashes_.assign(std::max<size_t>(batch_hashes_.size(), keys.count), kHashSeed);
  for (uint32_t word = 0; word < key_words_; ++word) {
    mix_words(keys.words + size_t{word} * keys.stride, keys.count, batch_hashes_.data());
  }
}

bool GroupTable::equals(uint32_t group, const KeyWords& keys, uint32_t position) const {
  const uint64_t* known = key(group);
  uint64_t differences = 0;
  for (uint32_t word = 0; word < key_words_; ++word) {
    differences |= known[word] ^ keys.words[size_t{word} * keys.stride + position];
  }
  return differences == 0;
}

bool GroupTable::find_hashed(const KeyWords& keys, uint32_t groups_max, uint32_t* groups) {
  hash(keys);
  const uint64_t mask = entries_.size() - 1;
  if (entries_.size() > kEntriesInCache) {
    for (uint32_t position = 0; position < keys.count; ++position) {
      __builtin_prefetch(&entries_[batch_hashes_[position] & mask]);
    }
  }
  // First what lies at its own place or the next, as nearly all do, without knowing whether the keys are equal: the
  // halves of the hashes are. Only then are keys compared, each fetched some positions ahead.
  for (uint32_t position = 0; position < keys.count; ++position) {
    const uint64_t hash = batch_hashes_[position];
    const uint64_t first = entries_[hash & mask];
    const uint64_t second = entries_[(hash + 1) & mask];
    const uint64_t entry = second ^ ((first ^ second) & ones_if((first ^ hash) <= kLowerHalf));
    groups[position] = group_of(entry) | static_cast<uint32_t>(ones_if((entry ^ hash) > kLowerHalf));
  }
  key_words_ == 1   ? list_missing<1>(keys, groups)
  : key_words_ == 2 ? list_missing<2>(keys, groups)
                    : list_missing<0>(keys, groups);
  return missing_.empty() || add_missing(keys, groups_max, groups);
}

template <uint32_t kWords>
void GroupTable::list_missing(const KeyWords& keys, const uint32_t* groups) {
  const uint32_t words = kWords == 0 ? key_words_ : kWords;
  if (size_ == 0) {
    missing_.resize(keys.count);
    return std::iota(missing_.begin(), missing_.end(), 0);
  }
  missing_.resize(std::max<size_t>(missing_.size(), keys.count));
  const bool is_fetched = size_ > kEntriesInCache;
  uint32_t missing = 0;
  for (uint32_t position = 0; position < keys.count; ++position) {
    if (is_fetched) {
      const uint32_t ahead = groups[std::min(position + kFetchAhead, keys.count - 1)];
      __builtin_prefetch(keys_.data() + size_t{ahead < size_ ? ahead : 0} * words);
    }
    const uint32_t group = groups[position];
    const uint64_t* known = keys_.data() + size_t{group < size_ ? group : 0} * words;
    uint64_t differences = group < size_ ? 0 : 1;
    for (uint32_t word = 0; word < words; ++word) {
      differences |= known[word] ^ keys.words[size_t{word} * keys.stride + position];
    }
    missing_[missing] = position;
    missing += differences != 0 ? 1 : 0;
  }
  missing_.resize(missing);
}

bool GroupTable::add_missing(const KeyWords& keys, uint32_t groups_max, uint32_t* groups) {
  for (const uint32_t position : missing_) {
    const uint64_t hash = batch_hashes_[position];
    uint64_t mask = entries_.size() - 1;
    uint64_t place = hash & mask;
    for (; entries_[place] != 0; place = (place + 1) & mask) {
      const uint32_t group = group_of(entries_[place]);
      if (((entries_[place] ^ hash) & kUpperHalf) == 0 && equals(group, keys, position)) {
        break;
      }
    }
    if (entries_[place] == 0) {
      if (size_ >= groups_max) {
        return false;
      }
      append_key(keys, position);
      entries_[place] = (hash & kUpperHalf) | ++size_;
      groups[position] = size_ - 1;
      if (size_t{size_} * kEntriesPerGroup > entries_.size()) {
        grow();
      }
    } else {
      groups[position] = group_of(entries_[place]);
    }
  }
  return true;
}

void GroupTable::append_key(const KeyWords& keys, uint32_t position) {
  for (uint32_t word = 0; word < key_words_; ++word) {
    keys_.push_back(keys.words[size_t{word} * keys.stride + position]);
  }
}

void GroupTable::grow() {
  entries_.assign(entries_.size() * 2, 0);
  const uint64_t mask = entries_.size() - 1;
  for (uint32_t group = 0; group < size_; ++group) {
    uint64_t hash = kHashSeed;
    for (uint32_t word = 0; word < key_words_; ++word) {
      scalar::mix_words(key(group) + word, 1, &hash);
    }
    uint64_t place = hash & mask;
    while (entries_[place] != 0) {
      place = (place + 1) & mask;
    }
    entries_[place] = (hash & kUpperHalf) | (group + 1);
  }
}

}  // namespace daedalus::engine

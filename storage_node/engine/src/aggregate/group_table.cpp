#include "group_table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels_group.hpp"

namespace daedalus::engine {
namespace {

/// Keys below 2 to this power have a place each: a nullable smallint, two of char(1).
constexpr uint32_t kDirectBitsMax = 17;
constexpr uint32_t kEntriesMin = 64;
constexpr uint32_t kKeysMin = 16;
/// Below 2 to this power the table of all places is as small as any other.
constexpr uint32_t kDirectBitsSmall = 9;
/// A larger one pays once so many keys for each of its places have been looked for, over all groups.
constexpr uint32_t kPlacesPerKey = 8;
/// At least; at most twice as many. So sparse a table seldom sends anybody beyond the second place.
constexpr size_t kEntriesPerGroup = 3;
/// From so many entries on, a table leaves the first-level cache and is fetched ahead.
constexpr size_t kEntriesInCache = 4096;
constexpr uint32_t kFetchAhead = 16;

/// Entries whose places are found together when a table doubles.
constexpr uint32_t kEntriesMoved = 256;

/// All bits or none: which of two it is cannot be predicted, so it had better not be a branch.
uint64_t ones_if(bool condition) { return -uint64_t{condition}; }

}  // namespace

GroupTable::GroupTable(uint32_t key_words, uint32_t domain_bits, AnswerMemory& memory)
    : key_words_(key_words),
      domain_bits_(domain_bits),
      memory_(memory),
      may_be_direct_(domain_bits > 0 && domain_bits <= kDirectBitsMax) {}

GroupTable::Found GroupTable::find_or_add(const KeyWords& keys, uint32_t groups_max, uint32_t* groups,
                                          BatchScratch& scratch) {
  if (room_ == 0 && !begin()) {
    return Found::kNoMemory;
  }
  DCHECK(groups_max < 1u << kGroupBits);
  if (may_be_direct_) {
    if (wants_direct(keys.count)) {
      make_direct();
    }
    looked_for_ += keys.count;
  }
  if (!direct_.empty()) {
    return find_direct(keys, groups_max, groups);
  }
  return is_narrow() ? find_hashed<true>(keys, groups_max, groups, scratch)
                     : find_hashed<false>(keys, groups_max, groups, scratch);
}

bool GroupTable::begin() {
  if (!memory_.add(kEntriesMin * sizeof(Entry))) {
    return false;
  }
  entries_.resize(kEntriesMin);
  place_shift_ = 64 - std::countr_zero(kEntriesMin);
  return grow_keys();
}

bool GroupTable::wants_direct(uint32_t keys) const {
  return domain_bits_ <= kDirectBitsSmall || (looked_for_ + keys) * kPlacesPerKey >= uint64_t{1} << domain_bits_;
}

void GroupTable::make_direct() {
  // Half a megabyte at most, whatever keys there are. A thousand of them would leave nothing for tables that do with
  // little, so they take what can be spared.
  may_be_direct_ = false;
  const size_t places = size_t{1} << domain_bits_;
  if (!memory_.add_spare(places * sizeof(uint32_t))) {
    return;
  }
  direct_.resize(places);
  for (uint32_t group = 0; group < size_; ++group) {
    direct_[keys_[group]] = group + 1;
  }
  memory_.remove(entries_.size() * sizeof(Entry));
  entries_ = LargeArray<Entry>();
}

uint32_t GroupTable::table_room() const {
  return direct_.empty() ? static_cast<uint32_t>(entries_.size() / kEntriesPerGroup) : UINT32_MAX;
}

bool GroupTable::grow_keys() {
  const uint64_t key_bytes = key_words_ * sizeof(uint64_t);
  const uint32_t room = std::min(std::max(grown_room(keys_room_, size_ + 1, key_bytes), kKeysMin), table_room());
  if (!memory_.add((room - keys_room_) * key_bytes)) {
    return false;
  }
  keys_.reserve(size_t{room} * key_words_);
  keys_room_ = room;
  room_ = room;
  return true;
}

bool GroupTable::make_room() {
  if (size_ < room_) {
    return true;
  }
  if (size_ >= table_room()) {
    if (!memory_.add(entries_.size() * sizeof(Entry))) {
      return false;
    }
    rehash();
  }
  if (size_ < keys_room_) {
    room_ = std::min(keys_room_, table_room());
    return true;
  }
  return grow_keys();
}

GroupTable::Found GroupTable::find_direct(const KeyWords& keys, uint32_t groups_max, uint32_t* groups) {
  uint32_t lowest = UINT32_MAX;
  for (uint32_t position = 0; position < keys.count; ++position) {
    const uint32_t place = direct_[keys.words[position]];
    groups[position] = place - 1;
    lowest = std::min(lowest, place);
  }
  if (lowest > 0) {
    return Found::kAll;
  }
  for (uint32_t position = 0; position < keys.count; ++position) {
    uint32_t& place = direct_[keys.words[position]];
    if (place == 0) {
      if (size_ >= groups_max) {
        return Found::kTooMany;
      }
      if (!make_room()) {
        return Found::kNoMemory;
      }
      keys_.push_back(keys.words[position]);
      place = ++size_;
    }
    groups[position] = place - 1;
  }
  return Found::kAll;
}

void GroupTable::hash(const KeyWords& keys, BatchScratch& scratch) const {
  uint64_t* hashes = room_for(scratch.hashes, keys.count);
  std::fill_n(hashes, keys.count, kHashSeed);
  for (uint32_t word = 0; word < key_words_; ++word) {
    mix_words(keys.words + size_t{word} * keys.stride, keys.count, hashes);
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

template <bool kIsNarrow>
GroupTable::Found GroupTable::find_hashed(const KeyWords& keys, uint32_t groups_max, uint32_t* groups,
                                          BatchScratch& scratch) {
  hash(keys, scratch);
  const uint64_t* hashes = scratch.hashes.data();
  const Entry* entries = entries_.data();
  const uint64_t mask = entries_.size() - 1;
  if (entries_.size() > kEntriesInCache) {
    for (uint32_t position = 0; position < keys.count; ++position) {
      __builtin_prefetch(&entries[hashes[position] >> place_shift_]);
    }
  }
  // First what lies at its own place or the next, as nearly all do. Where a tag is not the key only then are keys
  // compared, each fetched some positions ahead.
  scratch.missing.resize(keys.count);
  uint32_t* listed = scratch.missing.data();
  uint32_t missing = 0;
  for (uint32_t position = 0; position < keys.count; ++position) {
    const uint64_t hash = hashes[position];
    const uint64_t tag = kIsNarrow ? keys.words[position] : hash >> kGroupBits;
    const uint64_t place = hash >> place_shift_;
    const Entry first = entries[place];
    const Entry second = entries[(place + 1) & mask];
    const Entry entry = second ^ ((first ^ second) & ones_if((first >> kGroupBits) == tag));
    const bool is_missing = (entry >> kGroupBits) != tag || entry == 0;
    groups[position] = group_of(entry) | static_cast<uint32_t>(ones_if(is_missing));
    listed[missing] = position;
    missing += is_missing ? 1 : 0;
  }
  scratch.missing.resize(missing);
  if constexpr (!kIsNarrow) {
    key_words_ == 1   ? list_missing<1>(keys, groups, scratch.missing)
    : key_words_ == 2 ? list_missing<2>(keys, groups, scratch.missing)
                      : list_missing<0>(keys, groups, scratch.missing);
  }
  return scratch.missing.empty() ? Found::kAll : add_missing(keys, groups_max, groups, scratch);
}

template <uint32_t kWords>
void GroupTable::list_missing(const KeyWords& keys, const uint32_t* groups, std::vector<uint32_t>& listed) const {
  const uint32_t words = kWords == 0 ? key_words_ : kWords;
  if (size_ == 0) {
    listed.resize(keys.count);
    return std::iota(listed.begin(), listed.end(), 0);
  }
  listed.resize(keys.count);
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
    listed[missing] = position;
    missing += differences != 0 ? 1 : 0;
  }
  listed.resize(missing);
}

GroupTable::Found GroupTable::add_missing(const KeyWords& keys, uint32_t groups_max, uint32_t* groups,
                                          const BatchScratch& scratch) {
  for (const uint32_t position : scratch.missing) {
    const uint64_t hash = scratch.hashes[position];
    const uint64_t tag = tag_of(keys, position, hash);
    const uint64_t mask = entries_.size() - 1;
    uint64_t place = hash >> place_shift_;
    for (; entries_[place] != 0; place = (place + 1) & mask) {
      if ((entries_[place] >> kGroupBits) == tag &&
          (is_narrow() || equals(group_of(entries_[place]), keys, position))) {
        break;
      }
    }
    if (entries_[place] != 0) {
      groups[position] = group_of(entries_[place]);
      continue;
    }
    if (size_ >= groups_max) {
      return Found::kTooMany;
    }
    append_key(keys, position);
    entries_[place] = (tag << kGroupBits) | ++size_;
    groups[position] = size_ - 1;
    if (!make_room()) {
      return Found::kNoMemory;
    }
  }
  return Found::kAll;
}

void GroupTable::append_key(const KeyWords& keys, uint32_t position) {
  for (uint32_t word = 0; word < key_words_; ++word) {
    keys_.push_back(keys.words[size_t{word} * keys.stride + position]);
  }
}

void GroupTable::rehash() {
  const LargeArray<Entry> left = std::move(entries_);
  entries_ = LargeArray<Entry>(left.size() * 2);
  --place_shift_;
  Entry moved[kEntriesMoved];
  uint32_t count = 0;
  for (size_t at = 0; at < left.size(); ++at) {
    moved[count] = left[at];
    count += left[at] != 0 ? 1 : 0;
    if (count == kEntriesMoved) {
      put(moved, count);
      count = 0;
    }
  }
  put(moved, count);
}

void GroupTable::put(const Entry* entries, uint32_t count) {
  uint64_t tags[kEntriesMoved];
  uint64_t hashes[kEntriesMoved];
  for (uint32_t at = 0; at < count; ++at) {
    tags[at] = entries[at] >> kGroupBits;
    hashes[at] = is_narrow() ? kHashSeed : tags[at] << kGroupBits;
  }
  if (is_narrow()) {
    mix_words(tags, count, hashes);
  }
  const uint64_t mask = entries_.size() - 1;
  for (uint32_t at = 0; at < count; ++at) {
    uint64_t place = hashes[at] >> place_shift_;
    while (entries_[place] != 0) {
      place = (place + 1) & mask;
    }
    entries_[place] = entries[at];
  }
}

}  // namespace daedalus::engine

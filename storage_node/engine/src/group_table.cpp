#include <cstring>

#include "aggregation.hpp"
#include "hash_bytes.hpp"

namespace daedalus::engine {

GroupTable::GroupTable(uint32_t key_size) : key_size_(key_size), places_(16, 0) {}

uint32_t GroupTable::find_or_add(const uint8_t* key) {
  const uint64_t hash = hash_bytes(key, key_size_);
  size_t place = hash & (places_.size() - 1);
  while (places_[place] != 0) {
    const uint32_t group = places_[place] - 1;
    if (hashes_[group] == hash && std::memcmp(this->key(group), key, key_size_) == 0) {
      return group;
    }
    place = (place + 1) & (places_.size() - 1);
  }
  keys_.insert(keys_.end(), key, key + key_size_);
  hashes_.push_back(hash);
  places_[place] = ++size_;
  if (size_t{size_} * 2 > places_.size()) {
    grow();
  }
  return size_ - 1;
}

void GroupTable::grow() {
  places_.assign(places_.size() * 2, 0);
  for (uint32_t group = 0; group < size_; ++group) {
    size_t place = hashes_[group] & (places_.size() - 1);
    while (places_[place] != 0) {
      place = (place + 1) & (places_.size() - 1);
    }
    places_[place] = group + 1;
  }
}

}  // namespace daedalus::engine

#include "operation_table.hpp"

#include <algorithm>
#include <bit>

#include "branches.hpp"

namespace daedalus::engine {

OperationTable::Place& OperationTable::place_of(uint32_t hash) {
  uint32_t at = hash & place_mask_;
  while (places_[at].count != 0 && places_[at].hash != hash) {
    at = (at + 1) & place_mask_;
  }
  return places_[at];
}

void OperationTable::build() {
  const uint32_t places = std::bit_ceil(std::max(16u, size() * 2));
  places_.assign(places, {});
  place_mask_ = places - 1;
  // An operation that asks for a hash twice, by a list of values, is found once.
  std::erase_if(keys_, [this](const Key& key) {
    Place& place = place_of(key.hash);
    const bool is_known = place.count != 0 && place.last == key.operation;
    if (!is_known) {
      place = {key.hash, 0, place.count + 1, key.operation};
    }
    return is_known;
  });
  uint32_t end = 0;
  for (Place& place : places_) {
    end += place.count;
    place.first = end;
    if (place.count > 1) {
      mark_branch(Branch::kSharedKey);
    }
  }
  operations_.resize(end);
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
    operations_[--place_of(key->hash).first] = key->operation;
  }
}

}  // namespace daedalus::engine

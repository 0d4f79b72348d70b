#include "operation_table.hpp"

#include <algorithm>
#include <bit>

#include "ways.hpp"

namespace daedalus::engine {

void OperationTable::build() {
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  const uint32_t places = std::bit_ceil(std::max(16u, size() * 2));
  places_.assign(places, {});
  place_mask_ = places - 1;
  operations_.resize(size());
  for (uint32_t at = 0; at < size();) {
    const auto hash = static_cast<uint32_t>(keys_[at] >> 32);
    const uint32_t first = at;
    for (; at < size() && keys_[at] >> 32 == hash; ++at) {
      operations_[at] = static_cast<uint32_t>(keys_[at]);
    }
    if (at - first > 1) {
      mark_way(Way::kSharedKey);
    }
    uint32_t place = hash & place_mask_;
    while (places_[place].count != 0) {
      place = (place + 1) & place_mask_;
    }
    places_[place] = {hash, first, at - first};
  }
}

}  // namespace daedalus::engine

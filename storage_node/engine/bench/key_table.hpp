// From keys to the items that have them: open addressing over stretches of one sorted list.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace daedalus::engine::bench {

class KeyTable {
 public:
  using Entry = std::pair<uint64_t, uint32_t>;

  KeyTable() : KeyTable(std::vector<Entry>{}) {}

  explicit KeyTable(std::vector<Entry> entries) {
    std::sort(entries.begin(), entries.end());
    size_t key_count = 0;
    for (size_t at = 0; at < entries.size(); ++at) {
      key_count += at == 0 || entries[at].first != entries[at - 1].first ? 1 : 0;
    }
    places_.resize(std::bit_ceil(key_count * 2 + 2));
    shift_ = 64 - static_cast<uint32_t>(std::countr_zero(places_.size()));
    items_.reserve(entries.size());
    for (uint32_t at = 0; at < entries.size(); ++at) {
      Place& place = places_[place_of(entries[at].first)];
      if (place.count == 0) {
        place = {entries[at].first, at, 0};
      }
      ++place.count;
      items_.push_back(entries[at].second);
    }
  }

  /// Fetches what find() reads first.
  void fetch_place(uint64_t key) const { __builtin_prefetch(&places_[key * kMultiplier >> shift_]); }

  [[nodiscard]] std::span<const uint32_t> find(uint64_t key) const {
    const Place& place = places_[place_of(key)];
    return {items_.data() + place.first, place.count};
  }

 private:
  static constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15u;

  struct Place {
    uint64_t key = 0;
    uint32_t first = 0;
    uint32_t count = 0;  ///< 0: empty.
  };

  [[nodiscard]] size_t place_of(uint64_t key) const {
    size_t at = key * kMultiplier >> shift_;
    while (places_[at].count != 0 && places_[at].key != key) {
      at = (at + 1) & (places_.size() - 1);
    }
    return at;
  }

  uint32_t shift_ = 0;
  std::vector<Place> places_;
  std::vector<uint32_t> items_;
};

}  // namespace daedalus::engine::bench

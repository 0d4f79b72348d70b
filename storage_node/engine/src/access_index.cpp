#include "access_index.hpp"

#include <algorithm>
#include <numeric>

namespace daedalus::engine {
namespace {

/// Filter bits per place of the table: with a table at most half full, at most one miss in sixteen passes the filter.
constexpr size_t kFilterBitsPerPlace = 8;

uint64_t mixed(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9fb21c651e98df25u;
  x ^= x >> 29;
  return x;
}

}  // namespace

uint64_t hash_bytes(const uint8_t* bytes, uint32_t size) noexcept {
  uint64_t hash = 0x8a5cd789635d2dffu ^ size;
  while (size >= 8) {
    hash = mixed(hash ^ load<uint64_t>(bytes)) * 0xd6e8feb86659fd93u;
    bytes += 8;
    size -= 8;
  }
  uint64_t rest = 0;
  switch (size) {
    case 1:
      rest = *bytes;
      break;
    case 2:
      rest = load<uint16_t>(bytes);
      break;
    case 4:
      rest = load<uint32_t>(bytes);
      break;
    default:
      std::memcpy(&rest, bytes, size);
      break;
  }
  return mixed(hash ^ rest) * 0xd6e8feb86659fd93u;
}

void AccessIndex::add(const uint8_t* value, uint32_t query) {
  keys_.resize(keys_.size() + layout_.width);
  copy_canonical(layout_, value, keys_.data() + keys_.size() - layout_.width);
  askers_.push_back(query);
}

void AccessIndex::build() {
  const auto count = static_cast<uint32_t>(askers_.size());
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](uint32_t left, uint32_t right) { return std::memcmp(key(left), key(right), layout_.width); };
  std::sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
    const int difference = compare(left, right);
    return difference != 0 ? difference < 0 : askers_[left] < askers_[right];
  });
  size_t places = 16;
  while (places < size_t{count} * 2) {
    places *= 2;
  }
  table_.assign(places, {});
  filter_.assign(places * kFilterBitsPerPlace / 64, 0);
  std::vector<uint32_t> askers(count);
  for (uint32_t first = 0; first < count;) {
    uint32_t end = first;
    while (end < count && compare(order[first], order[end]) == 0) {
      askers[end] = askers_[order[end]];
      ++end;
    }
    insert(order[first], first, end - first);
    first = end;
  }
  askers_ = std::move(askers);
}

void AccessIndex::insert(uint32_t key_position, uint32_t first, uint32_t count) {
  const uint64_t hash = hash_bytes(key(key_position), layout_.width);
  const uint64_t bit = (hash >> 32) & (filter_.size() * 64 - 1);
  filter_[bit / 64] |= uint64_t{1} << (bit % 64);
  size_t place = hash & (table_.size() - 1);
  while (table_[place].count != 0) {
    place = (place + 1) & (table_.size() - 1);
  }
  table_[place] = {hash, key_position, first, count};
}

std::span<const uint32_t> AccessIndex::find(const uint8_t* value) const {
  const uint64_t hash = hash_bytes(value, layout_.width);
  const uint64_t bit = (hash >> 32) & (filter_.size() * 64 - 1);
  if (((filter_[bit / 64] >> (bit % 64)) & 1) == 0) {
    return {};
  }
  for (size_t place = hash & (table_.size() - 1); table_[place].count != 0; place = (place + 1) & (table_.size() - 1)) {
    const Entry& entry = table_[place];
    if (entry.hash == hash && std::memcmp(key(entry.key), value, layout_.width) == 0) {
      return {askers_.data() + entry.first, entry.count};
    }
  }
  return {};
}

}  // namespace daedalus::engine

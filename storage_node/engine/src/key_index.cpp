#include "key_index.hpp"

#include <algorithm>
#include <bit>

#include "ways.hpp"

namespace daedalus::engine {
namespace {

/// With so many bits a key, one row in sixty-four that nobody asks for passes a filter; half as well once the filter
/// leaves the first-level cache.
constexpr uint32_t kFilterBitsPerKey = 64;
constexpr uint32_t kFilterBitsCached = 1u << 18;
constexpr uint32_t kFilterBitsMin = 2048;
/// The largest filter: beyond the second-level cache it would cost more than it saves.
constexpr uint32_t kFilterBitsMax = 1u << 22;
/// With more keys than that, a first filter of 4,096 bits lets too many rows through to be worth asking
/// (engine_mix_bench).
constexpr size_t kFirstFilterKeysMax = 4096;

}  // namespace

KeyIndex::KeyIndex(const TableLayout& layout, std::span<const uint32_t> columns)
    : column_count_(static_cast<uint32_t>(columns.size())) {
  CHECK(column_count_ > 0 && column_count_ <= kKeyColumnsMax);
  for (uint32_t place = 0; place < column_count_; ++place) {
    columns_[place] = columns[place];
    widths_[place] = layout.columns[columns[place]].width;
  }
}

void KeyIndex::add(std::span<const uint64_t> raw_values, uint32_t operation) {
  uint32_t sum = 0;
  for (uint32_t place = 0; place < column_count_; ++place) {
    sum += folded(raw_values[place]) * key_multiplier(place);
  }
  keys_.push_back(uint64_t{finished_hash(sum)} << 32 | operation);
  has_first_ = keys_.size() <= kFirstFilterKeysMax;
  if (has_first_) {
    first_.add(sum);
  }
}

void KeyIndex::build() {
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  const auto count = static_cast<uint32_t>(keys_.size());
  mark_way(column_count_ == 1 ? Way::kKeyOfOneColumn : Way::kKeyOfTwoColumns);
  const uint32_t places = std::bit_ceil(std::max(16u, count * 2));
  const uint32_t wanted = std::bit_ceil(std::min(count, kFilterBitsMax / kFilterBitsPerKey) * kFilterBitsPerKey);
  const uint32_t bits = std::max(kFilterBitsMin, wanted > kFilterBitsCached ? wanted / 2 : wanted);
  places_.assign(places, {});
  place_mask_ = places - 1;
  filter_.assign(bits / 32, 0);
  if (bits > kFilterBitsMin) {
    mark_way(Way::kManyKeys);
  }
  filter_shift_ = 32 - static_cast<uint32_t>(std::countr_zero(bits));
  operations_.resize(count);
  for (uint32_t at = 0; at < count; ++at) {
    const auto hash = static_cast<uint32_t>(keys_[at] >> 32);
    operations_[at] = static_cast<uint32_t>(keys_[at]);
    if (at > 0 && keys_[at - 1] >> 32 == hash) {
      continue;
    }
    uint32_t end = at + 1;
    while (end < count && keys_[end] >> 32 == hash) {
      ++end;
    }
    uint32_t place = hash & place_mask_;
    while (places_[place].count != 0) {
      place = (place + 1) & place_mask_;
    }
    if (end - at > 1) {
      mark_way(Way::kSharedKey);
    }
    places_[place] = {hash, at, end - at};
    const uint32_t bit = hash >> filter_shift_;
    filter_[bit / 32] |= 1u << (bit % 32);
  }
}

uint32_t KeyIndex::survivors(const ChunkView& chunk, uint32_t first_row, uint32_t row_count,
                             ProbeScratch& scratch) const {
  KeyPlanes key{.count = column_count_};
  for (uint32_t place = 0; place < column_count_; ++place) {
    const uint32_t width = widths_[place];
    key.columns[place] = {chunk.planes[columns_[place]] + size_t{first_row} * width, width};
  }
  const ProbeFilter filter{filter_.data(), filter_shift_, has_first_ ? &first_ : nullptr};
  return probe_keys(key, row_count, filter, scratch);
}

std::span<const uint32_t> KeyIndex::find(const ChunkView& chunk, uint32_t row) const {
  uint32_t sum = 0;
  for (uint32_t place = 0; place < column_count_; ++place) {
    const uint32_t width = widths_[place];
    uint64_t raw = load<uint64_t>(chunk.planes[columns_[place]] + size_t{row} * width);
    raw &= width >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * width)) - 1;
    sum += folded(raw) * key_multiplier(place);
  }
  return find(finished_hash(sum));
}

}  // namespace daedalus::engine

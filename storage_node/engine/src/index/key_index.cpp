#include "key_index.hpp"

#include <algorithm>
#include <bit>

#include "branches.hpp"

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
    widths_[place] = layout.columns[columns[place]].stride;
  }
}

void KeyIndex::add(std::span<const CodedValue> members, uint32_t operation) {
  uint32_t sum = 0;
  for (uint32_t place = 0; place < column_count_; ++place) {
    sum += folded(members[place].raw) * key_multiplier(place);
  }
  operations_.add(finished_hash(sum), operation);
  first_.add(sum);
}

void KeyIndex::build() {
  operations_.build();
  const uint32_t count = operations_.size();
  has_first_ = count <= kFirstFilterKeysMax;
  mark_branch(column_count_ == 1 ? Branch::kKeyOfOneColumn : Branch::kKeyOfTwoColumns);
  const uint32_t wanted = std::bit_ceil(std::min(count, kFilterBitsMax / kFilterBitsPerKey) * kFilterBitsPerKey);
  const uint32_t bits = std::max(kFilterBitsMin, wanted > kFilterBitsCached ? wanted / 2 : wanted);
  if (bits > kFilterBitsMin) {
    mark_branch(Branch::kManyKeys);
  }
  filter_.assign(bits / 32, 0);
  filter_shift_ = 32 - static_cast<uint32_t>(std::countr_zero(bits));
  operations_.for_each_hash([this](uint32_t hash) {
    const uint32_t bit = hash >> filter_shift_;
    filter_[bit / 32] |= 1u << (bit % 32);
  });
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
    sum += folded(raw(chunk, row, place)) * key_multiplier(place);
  }
  return operations_.find(finished_hash(sum));
}

}  // namespace daedalus::engine

#include "change_index.hpp"

#include <algorithm>

#include "branches.hpp"
#include "prefetch.hpp"

namespace daedalus::engine {
namespace {

/// Bits for the values of the leading column: enough that few of thousands share one, and in the first-level cache.
constexpr uint32_t kFilterLog = 18;
/// With more pairs most lines of the key's planes hold some row that has to be looked at: reading all is faster.
constexpr uint32_t kPairsMax = 16'384;

/// Rows that are listed while the memory sends the values of those listed before.
constexpr uint32_t kBlockRows = 2048;

uint32_t bit_of(uint64_t raw) { return finished_hash(folded(raw)) >> (32 - kFilterLog); }

}  // namespace

ChangeIndex::ChangeIndex(const TableLayout& layout, const Sketches& sketches, const Key& key)
    : by_values_(layout, key.columns) {
  if (key.form == KeyForm::kSketches) {
    pairs_ = std::make_unique<PairFilter>();
    leading_filter_.resize((1u << kFilterLog) / 64);
    const double first = sketches.histogram(key.columns.front()).commonest_share();
    leading_ = sketches.histogram(key.columns.back()).commonest_share() < first ? 1 : 0;
  }
}

void ChangeIndex::add(std::span<const CodedValue> members, const Sketches& sketches, uint32_t change) {
  by_values_.add(members, change);
  if (pairs_ != nullptr) {
    const auto [first, second] = sketches.pair_of(columns(), members);
    pairs_->add(first, second);
    set_bit(leading_filter_.data(), bit_of(members[leading_].raw));
    if (pairs_->count > kPairsMax) {
      pairs_ = nullptr;  // Nothing that comes after need be looked up in histograms.
    }
  }
}

void ChangeIndex::build() {
  by_values_.build();
  if (pairs_ != nullptr) {
    mark_branch(Branch::kChangesBySketches);
  }
}

uint32_t ChangeIndex::list_rows(const ChunkView& view, PairPlanes planes, const AheadPlanes& ahead,
                                uint16_t* rows) const {
  uint16_t* kept = rows;
  std::span<uint16_t> fetched(rows, 0);  // Rows of the block before, whose values are on their way.
  for (uint32_t first = 0; first < view.row_count; first += kBlockRows) {
    const uint32_t row_count = std::min(kBlockRows, view.row_count - first);
    uint16_t* end = fetched.data() + fetched.size();
    const std::span<uint16_t> listed(end, list_pairs(planes.from(first), row_count, *pairs_, end, ahead.from(first)));
    for (uint16_t& row : listed) {
      row = static_cast<uint16_t>(row + first);
    }
    fetch_values(view, listed, leading_);
    kept = filter_leading(view, fetched, kept);
    fetched = listed;
  }
  return static_cast<uint32_t>(filter_leading(view, fetched, kept) - rows);
}

uint16_t* ChangeIndex::filter_leading(const ChunkView& view, std::span<const uint16_t> listed, uint16_t* kept) const {
  uint16_t* const first = kept;
  for (const uint16_t row : listed) {
    *kept = row;
    kept += test_bit(leading_filter_.data(), bit_of(by_values_.raw(view, row, leading_))) ? 1 : 0;
  }
  fetch_values(view, {first, kept}, trailing_place());
  return kept;
}

void ChangeIndex::fetch_values(const ChunkView& view, std::span<const uint16_t> rows, uint32_t place) const {
  for (const uint16_t row : rows) {
    fetch_ahead(by_values_.value_at(view, row, place));
  }
}

}  // namespace daedalus::engine

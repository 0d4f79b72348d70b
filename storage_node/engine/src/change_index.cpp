#include "change_index.hpp"

#include "ways.hpp"

namespace daedalus::engine {
namespace {

/// Bits for the values of the judging column: enough that few of thousands share one, and in the first-level cache.
constexpr uint32_t kAskedLog = 18;
/// With more pairs most lines of the key's planes hold some row that has to be looked at: reading all is faster.
constexpr uint32_t kPairsMax = 16'384;

uint32_t bit_of(uint64_t raw) { return finished_hash(folded(raw)) >> (32 - kAskedLog); }

}  // namespace

ChangeIndex::ChangeIndex(const TableLayout& layout, const Sketches& sketches, const Key& key)
    : by_values_(layout, key.columns) {
  if (key.form == KeyForm::kSketches) {
    pairs_ = std::make_unique<PairFilter>();
    asked_.resize((1u << kAskedLog) / 64);
    const double first = sketches.histogram(key.columns.front()).commonest_share();
    judge_ = sketches.histogram(key.columns.back()).commonest_share() < first ? 1 : 0;
  }
}

void ChangeIndex::add(std::span<const CodedValue> members, const Sketches& sketches, uint32_t change) {
  by_values_.add(members, change);
  if (pairs_ != nullptr) {
    const auto [first, second] = sketches.pair_of(columns(), members);
    pairs_->add(first, second);
    set_bit(asked_.data(), bit_of(members[judge_].raw));
  }
}

void ChangeIndex::build() {
  by_values_.build();
  if (pairs_ != nullptr && pairs_->count > kPairsMax) {
    pairs_ = nullptr;
  }
  if (pairs_ != nullptr) {
    mark_way(Way::kChangesBySketches);
  }
}

uint32_t ChangeIndex::keep_asked(const ChunkView& view, uint16_t* rows, uint32_t count) const {
  uint32_t kept = 0;
  for (uint32_t position = 0; position < count; ++position) {
    fetch_ahead(by_values_.value_at(view, rows[std::min(position + kValuesInFlight, count - 1)], judge_));
    const uint16_t row = rows[position];
    rows[kept] = row;
    kept += test_bit(asked_.data(), bit_of(by_values_.raw(view, row, judge_))) ? 1 : 0;
  }
  return kept;
}

}  // namespace daedalus::engine

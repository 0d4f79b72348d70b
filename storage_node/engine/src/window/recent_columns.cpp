#include "recent_columns.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// A chunk is laid out with fewer rows than it has where these have more old values than so many each.
constexpr size_t kOldValuesOfRow = 4;

}  // namespace

RecentColumns::RecentColumns(const TableLayout& layout, const ChunkStore& store)
    : layout_(&layout),
      store_(&store),
      old_values_max_(store.chunk_rows() * kOldValuesOfRow),
      versions_(store.chunk_rows()),
      taken_(bitmap_words(store.chunk_rows())),
      undo_(layout) {}

void RecentColumns::begin(uint32_t chunk) {
  chunk_ = chunk;
  rows_.clear();
  old_values_.clear();
  std::fill(taken_.begin(), taken_.end(), 0);
}

void RecentColumns::add(uint32_t row, uint32_t slot) {
  const uint32_t first = rows_.empty() ? 0 : versions_[rows_.back().row].end;
  versions_[row] = {slot, first, static_cast<uint32_t>(old_values_.size())};
  rows_.push_back({row, slot});
}

std::span<const OtherValue> RecentColumns::lay_out() {
#ifdef DAEDALUS_DCHECK
  spoil(rows_);
#endif
  lay_out(rows_, read_.of_all);
  return undo_.put();
}

bool RecentColumns::lay_out_taken(std::span<const uint32_t> rows) {
  listed_.clear();
  for (const uint32_t row : rows) {
    if (!test_bit(taken_.data(), row)) {
      set_bit(taken_.data(), row);
      listed_.push_back({row, versions_[row].slot});
    }
  }
  if (listed_.empty() || read_.of_taken.empty()) {
    return false;
  }
  lay_out(listed_, read_.of_taken);
  return true;
}

void RecentColumns::lay_out(std::span<const RecentRow> rows, const std::vector<uint32_t>& columns) {
  copies_.clear();
  for (const RecentRow& row : rows) {
    const uint32_t chunk = row.slot / store_->chunk_rows();
    copies_.push_back({{store_->planes(chunk), store_->nulls(chunk)}, row.slot % store_->chunk_rows(), row.row});
  }
  const RowPlanes into{store_->planes(chunk_), store_->nulls(chunk_)};
  for (const uint32_t column : columns) {
    copy_values(*layout_, column, copies_, into);
  }
  undo_.begin(columns);
  for (const RowCopy& copy : copies_) {
    const Version& version = versions_[copy.into_row];
    for (uint32_t number = version.first; number < version.end; ++number) {
      undo_.put_back(old_values_[number], copy.from_row, into, copy.into_row);
    }
  }
}

void RecentColumns::spoil(std::span<const RecentRow> rows) {
  constexpr uint8_t kNonsense = 0x5a;
  uint8_t* const* planes = store_->planes(chunk_);
  for (uint32_t column = 0; column < layout_->columns.size(); ++column) {
    uint8_t* const plane = planes[column];
    const uint32_t stride = layout_->columns[column].stride;
    for (const RecentRow& row : rows) {
      plane[size_t{row.row} * stride] ^= kNonsense;
    }
  }
}

}  // namespace daedalus::engine

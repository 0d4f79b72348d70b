#include "mask_sweep.hpp"

#include <algorithm>

#include "branches.hpp"

namespace daedalus::engine {

bool MaskSweep::sweep(const QueryPlan& plan, const std::vector<QueryRun>& queries, const ChunkView& view,
                      Candidates& candidates) {
  const QueryMasks& masks = plan.masks;
  if (!find_bytes(masks, view.number)) {
    return false;
  }
  mark_branch(Branch::kMasks);
  find_active(masks, queries, view.number);
  if (std::all_of(active_.begin(), active_.end(), [](uint8_t active) { return active == 0; })) {
    return true;
  }
  for (uint32_t first_row = 0; first_row < view.row_count; first_row += kMaskBlockRows) {
    sweep_block(masks, view, first_row, candidates);
  }
  return true;
}

bool MaskSweep::find_bytes(const QueryMasks& masks, uint32_t chunk) {
  bytes_.clear();
  for (const QueryMasks::Column& column : masks.columns) {
    bytes_.push_back(sketches_->bytes(chunk, column.column));
    if (bytes_.back() == nullptr) {
      return false;
    }
  }
  blocks_.resize(std::max(blocks_.size(), bytes_.size()));
  return true;
}

void MaskSweep::find_active(const QueryMasks& masks, const std::vector<QueryRun>& queries, uint32_t chunk) {
  active_.clear();
  for (const QueryMasks::Group& group : masks.groups) {
    uint32_t active = 0;
    for (uint32_t place = 0; place < group.query_count; ++place) {
      const QueryRun& query = queries[group.queries[place]];
      active |= (query.is_active() && query.reaches(chunk) ? 1u : 0u) << place;
    }
    active_.push_back(static_cast<uint8_t>(active));
  }
}

void MaskSweep::sweep_block(const QueryMasks& masks, const ChunkView& view, uint32_t first_row,
                            Candidates& candidates) {
  const uint32_t words = std::min(kMaskWords, (view.row_count - first_row) / 64);
  const uint64_t* live = view.live + first_row / 64;
  if (std::all_of(live, live + words, [](uint64_t word) { return word == 0; })) {
    return;
  }
  for (size_t place = 0; place < masks.columns.size(); ++place) {
    make_codes(bytes_[place] + first_row, masks.columns[place].shift, words, blocks_[place]);
  }
  for (size_t number = 0; number < masks.groups.size(); ++number) {
    const QueryMasks::Group& group = masks.groups[number];
    const MaskGroup tables{masks.tables.data() + group.first_table, masks.places.data() + group.first_table,
                           group.table_count};
    const uint32_t count = list_masked(blocks_.data(), tables, live, words, active_[number], rows_);
    for (uint32_t position = 0; position < count; ++position) {
      for (uint32_t left = rows_[position].queries; left != 0; left &= left - 1) {
        candidates.add(first_row + rows_[position].row, group.queries[static_cast<uint32_t>(__builtin_ctz(left))]);
      }
    }
    if (candidates.is_full()) {
      candidates.test();
    }
  }
}

}  // namespace daedalus::engine

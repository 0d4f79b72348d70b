#include "group_finder.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// Earlier groupings that a query is compared with: a comparison of two predicates costs about as much as compiling
/// one.
constexpr size_t kGroupingsCompared = 16;

}  // namespace

GroupFinder::GroupFinder(std::vector<ColumnSource> keys)
    : keys_(std::move(keys)), table_(keys_.word_count(), keys_.domain_bits()) {
  CHECK(keys_.word_count() > 0);
}

void GroupFinder::join(uint32_t groups_max) {
  groups_max_ = std::max(groups_max_, groups_max);
  ++queries_;
}

bool GroupFinder::is_known(const RowBatch& batch, const FindProgress& progress) const {
  if (progress.chunk != chunk_ || progress.batches >= batches_.size()) {
    return false;
  }
  const KnownBatch& known = batches_[progress.batches];
  if (known.count != batch.count || known.is_list != (batch.rows != nullptr)) {
    return false;
  }
  return known.is_list ? std::equal(batch.rows, batch.rows + batch.count, rows_.data() + known.place)
                       : known.first == batch.first;
}

uint32_t* GroupFinder::make_room(const RowBatch& batch, const FindProgress& progress) {
  if (queries_ < 2 || progress.batches != batches_.size()) {
    unshared_.resize(std::max<size_t>(unshared_.size(), batch.count));
    return unshared_.data();
  }
  const size_t place = groups_.size();
  batches_.push_back({batch.rows != nullptr, batch.first, batch.count, place});
  groups_.resize(place + batch.count);
  rows_.resize(place + batch.count);
  if (batch.rows != nullptr) {
    std::copy_n(batch.rows, batch.count, rows_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return groups_.data() + place;
}

const uint32_t* GroupFinder::find(const RowBatch& batch, FindProgress& progress) {
  if (is_full_) {
    return nullptr;
  }
  if (progress.chunk != batch.chunk->live) {
    progress = {batch.chunk->live, 0};
  }
  if (chunk_ != progress.chunk) {
    chunk_ = progress.chunk;
    batches_.clear();
    rows_.clear();
    groups_.clear();
  }
  if (is_known(batch, progress)) {
    return groups_.data() + batches_[progress.batches++].place;
  }
  uint32_t* groups = make_room(batch, progress);
  ++progress.batches;
  is_full_ = !table_.find_or_add(keys_.pack(batch), groups_max_, groups);
  return is_full_ ? nullptr : groups;
}

std::shared_ptr<GroupFinder> Groupings::finder(const TableLayout& layout, const semantics::Selection& selection) {
  for (const Grouping& grouping : recent_) {
    if (grouping.selection->group_by == selection.group_by && grouping.selection->predicate == selection.predicate) {
      return grouping.finder;
    }
  }
  std::vector<ColumnSource> keys;
  for (const uint32_t column : selection.group_by) {
    keys.emplace_back(layout, column);
  }
  Grouping made = {&selection, std::make_shared<GroupFinder>(std::move(keys))};
  if (recent_.size() < kGroupingsCompared) {
    recent_.push_back(made);
  } else {
    recent_[next_] = made;
    next_ = (next_ + 1) % kGroupingsCompared;
  }
  return made.finder;
}

}  // namespace daedalus::engine

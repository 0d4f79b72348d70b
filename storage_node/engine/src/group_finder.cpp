#include "group_finder.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// Earlier groupings that a query is compared with: a comparison of two predicates costs about as much as compiling
/// one.
constexpr size_t kGroupingsCompared = 16;

}  // namespace

GroupFinder::GroupFinder(std::vector<ColumnSource> keys, AnswerMemory& memory)
    : keys_(std::move(keys)), table_(keys_.word_count(), keys_.domain_bits(), memory), known_memory_(memory) {
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

/// Whether a batch of so many rows can be kept for other queries. Without memory for that each finds its groups itself.
bool GroupFinder::can_remember(uint32_t rows) {
  const size_t rows_wanted = groups_.size() + rows;
  if (rows_wanted > groups_.capacity()) {
    const size_t room = std::max(rows_wanted, 2 * groups_.capacity());
    if (!known_memory_.add_spare((room - groups_.capacity()) * (sizeof groups_[0] + sizeof rows_[0]))) {
      return false;
    }
    groups_.reserve(room);
    rows_.reserve(room);
  }
  if (batches_.size() == batches_.capacity()) {
    const size_t room = std::max<size_t>(16, 2 * batches_.capacity());
    if (!known_memory_.add_spare((room - batches_.capacity()) * sizeof batches_[0])) {
      return false;
    }
    batches_.reserve(room);
  }
  return true;
}

uint32_t* GroupFinder::make_room(const RowBatch& batch, const FindProgress& progress, BatchScratch& scratch) {
  if (queries_ < 2 || progress.batches != batches_.size() || !can_remember(batch.count)) {
    return room_for(scratch.groups, batch.count);
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

GroupFinder::Groups GroupFinder::find(const RowBatch& batch, FindProgress& progress, BatchScratch& scratch) {
  if (found_ != Found::kAll) {
    return {found_, nullptr};
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
    return {Found::kAll, groups_.data() + batches_[progress.batches++].place};
  }
  uint32_t* groups = make_room(batch, progress, scratch);
  ++progress.batches;
  found_ = table_.find_or_add(keys_.pack(batch, scratch), groups_max_, groups, scratch);
  return {found_, found_ == Found::kAll ? groups : nullptr};
}

std::shared_ptr<GroupFinder> Groupings::finder(const TableLayout& layout, const semantics::Selection& selection) {
  for (const Grouping& grouping : recent_) {
    std::shared_ptr<GroupFinder> finder = grouping.finder.lock();
    if (finder != nullptr && grouping.selection->group_by == selection.group_by &&
        grouping.selection->predicate == selection.predicate) {
      return finder;
    }
  }
  std::vector<ColumnSource> keys;
  for (const uint32_t column : selection.group_by) {
    keys.emplace_back(layout, column);
  }
  auto made = std::make_shared<GroupFinder>(std::move(keys), *memory_);
  if (recent_.size() < kGroupingsCompared) {
    recent_.push_back({&selection, made});
  } else {
    recent_[next_] = {&selection, made};
    next_ = (next_ + 1) % kGroupingsCompared;
  }
  return made;
}

}  // namespace daedalus::engine

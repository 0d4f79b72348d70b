#include "group_finder.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// Earlier groupings that a query is compared with: a comparison of two predicates costs about as much as compiling
/// one.
constexpr size_t kGroupingsCompared = 16;

bool is_minus_zero(const ColumnLayout& layout, const uint8_t* value) {
  return layout.native == Native::kFloat ? load<uint32_t>(value) == uint32_t{1} << 31
                                         : load<uint64_t>(value) == uint64_t{1} << 63;
}

}  // namespace

GroupFinder::GroupFinder(std::vector<ColumnSource> keys, AnswerMemory& memory)
    : memory_(&memory),
      keys_(std::move(keys), memory),
      table_(keys_.word_count(), keys_.domain_bits(), memory),
      minus_zeros_memory_(memory),
      known_memory_(MemoryShare::of_nobody(memory)) {
  CHECK(keys_.word_count() > 0);
  for (uint32_t column = 0; column < keys_.columns().size(); ++column) {
    const Native native = keys_.columns()[column].layout().native;
    if (native == Native::kFloat || native == Native::kDouble) {
      minus_zeros_.push_back({.column = column, .groups = {}});
    }
  }
}

void GroupFinder::append(uint32_t group, uint32_t column, semantics::PackedRowWriter& row) const {
  const uint64_t* key = table_.key(group);
  bool is_minus = false;
  if (keys_.is_floating_zero(key, column)) {
    const auto zeros = std::find_if(minus_zeros_.begin(), minus_zeros_.end(),
                                    [&](const MinusZeros& candidate) { return candidate.column == column; });
    is_minus = std::binary_search(zeros->groups.begin(), zeros->groups.end(), group);
  }
  keys_.append(key, column, is_minus, row);
}

uint64_t GroupFinder::wanted_in_vain() const {
  return refused_bytes_ + table_.counted_for_others() + keys_.counted_for_others() +
         minus_zeros_memory_.counted_for_others();
}

bool GroupFinder::note_minus_zeros(const RowBatch& batch, const uint32_t* groups, uint32_t first,
                                   BatchScratch& scratch) {
  for (MinusZeros& zeros : minus_zeros_) {
    const ColumnSource& source = keys_.columns()[zeros.column];
    const Result<ColumnVector> read = source.read(batch, scratch.room);
    if (!read) {
      error_ = read.error();
      return true;
    }
    const ColumnVector vector = *read;
    // New groups are numbered in the order in which the batch meets them.
    uint32_t next = first;
    for (uint32_t position = 0; position < batch.count && next < table_.size(); ++position) {
      if (groups[position] != next) {
        continue;
      }
      ++next;
      const bool is_null = vector.nulls != nullptr && test_bit(vector.nulls, position);
      if (is_null || !is_minus_zero(source.layout(), vector.at(source.layout(), position).bytes)) {
        continue;
      }
      if (zeros.groups.size() == zeros.groups.capacity()) {
        const size_t room = std::max<size_t>(16, 2 * zeros.groups.capacity());
        if (!minus_zeros_memory_.add((room - zeros.groups.capacity()) * sizeof zeros.groups[0])) {
          return false;
        }
        zeros.groups.reserve(room);
      }
      zeros.groups.push_back(next - 1);
    }
  }
  return true;
}

void GroupFinder::join(uint32_t groups_max) {
  groups_max_ = std::max(groups_max_, groups_max);
  ++queries_;
}

bool GroupFinder::is_known(const RowBatch& batch, const FindProgress& progress) const {
  if (progress.contents != contents_ || progress.batches >= batches_.size()) {
    return false;
  }
  const KnownBatch& known = batches_[progress.batches];
  if (known.count != batch.count || known.is_list != (batch.rows != nullptr)) {
    return false;
  }
  return known.is_list ? std::equal(batch.rows, batch.rows + batch.count, rows_.data() + known.place)
                       : known.first == batch.first;
}

/// Returns whether a batch of so many rows can be kept for other queries. Without memory for that each finds its groups
/// itself.
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

Result<GroupFinder::Groups> GroupFinder::find(const RowBatch& batch, FindProgress& progress, BatchScratch& scratch) {
  if (error_) {
    return *error_;
  }
  if (found_ != Found::kAll) {
    return Groups{found_, nullptr};
  }
  if (progress.contents != batch.chunk->contents) {
    progress = {batch.chunk->contents, 0};
  }
  if (contents_ != progress.contents) {
    contents_ = progress.contents;
    batches_.clear();
    rows_.clear();
    groups_.clear();
  }
  if (is_known(batch, progress)) {
    return Groups{Found::kAll, groups_.data() + batches_[progress.batches++].place};
  }
  uint32_t* groups = make_room(batch, progress, scratch);
  ++progress.batches;
  const uint32_t known = table_.size();
  const Result<KeyWords> keys = keys_.pack(batch, scratch);
  if (!keys) {
    error_ = keys.error();
    return *error_;
  }
  found_ = keys_.has_memory() ? table_.find_or_add(*keys, groups_max_, groups, scratch) : Found::kNoMemory;
  if (found_ == Found::kAll && table_.size() > known && !note_minus_zeros(batch, groups, known, scratch)) {
    found_ = Found::kNoMemory;
  }
  refused_bytes_ = found_ == Found::kNoMemory ? memory_->refused() : 0;
  if (error_) {
    return *error_;
  }
  return Groups{found_, found_ == Found::kAll ? groups : nullptr};
}

std::shared_ptr<GroupFinder> Groupings::finder(const TableLayout& layout, const Query& query) {
  const std::vector<semantics::BoundExpression>& group_by = query.selection->grouping->keys;
  const semantics::Predicate& predicate = query.predicate();
  const std::vector<semantics::BoundExpression>& residuals = query.selection->residuals;
  for (const Grouping& grouping : recent_) {
    std::shared_ptr<GroupFinder> finder = grouping.finder.lock();
    if (finder != nullptr && grouping.at == query.at && *grouping.group_by == group_by &&
        *grouping.predicate == predicate && *grouping.residuals == residuals) {
      return finder;
    }
  }
  std::vector<ColumnSource> keys;
  for (const semantics::BoundExpression& key : group_by) {
    keys.push_back(source_of(layout, key, &expressions_));
  }
  auto made = std::make_shared<GroupFinder>(std::move(keys), *memory_);
  if (recent_.size() < kGroupingsCompared) {
    recent_.push_back({&group_by, &predicate, &residuals, query.at, made});
  } else {
    recent_[next_] = {&group_by, &predicate, &residuals, query.at, made};
    next_ = (next_ + 1) % kGroupingsCompared;
  }
  return made;
}

}  // namespace daedalus::engine

#include "update_sweep.hpp"

#include <algorithm>

#include "branches.hpp"

namespace daedalus::engine {
namespace {

/// Candidates whose values are fetched together: enough for the memory's answers to overlap, few enough to stay in the
/// first-level cache until it is their turn.
constexpr size_t kBatch = 128;

}  // namespace

UpdateSweep::UpdateSweep(const TableLayout& layout, ChunkStore& store, Sketches& sketches,
                         std::pmr::memory_resource& memory, AccessPaths paths)
    : layout_(&layout),
      store_(&store),
      sketches_(&sketches),
      bounds_(layout, store),
      slots_(store.slot_count()),
      changes_(layout, sketches, memory, paths),
      probe_(store.chunk_rows()),
      scratch_(store.chunk_rows()),
      selection_(bitmap_words(store.chunk_rows())) {}

void UpdateSweep::begin() {
  const uint32_t chunk_rows = store_->chunk_rows();
  std::sort(insertions_.begin(), insertions_.end(), [=](const Insertion& left, const Insertion& right) {
    const uint32_t left_chunk = left.slot / chunk_rows;
    const uint32_t right_chunk = right.slot / chunk_rows;
    return left_chunk != right_chunk ? left_chunk < right_chunk : left.sequence < right.sequence;
  });
  changes_.index();
}

uint32_t UpdateSweep::next_chunk(uint32_t chunk) const {
  if (changes_.size() > 0) {
    return chunk;
  }
  if (next_insertion_ == insertions_.size()) {
    return store_->chunk_count();
  }
  return insertions_[next_insertion_].slot / store_->chunk_rows();
}

void UpdateSweep::sweep(uint32_t chunk) {
  chunk_ = chunk;
  view_ = store_->view(chunk);
  touches_ = 0;
  if (!prefixes_.empty()) {
    leave_out_known();
  }
  find_candidates();
  for (const uint32_t change : changes_.scans()) {
    if (change >= first_change_) {
      apply_until(change);
      scan(change);
    }
  }
  apply_until(changes_.size());
  if (touches_ > 0) {
    store_->mark_changed(chunk, outputs_[touches_ - 1].timestamp);
  }
}

void UpdateSweep::on_load(uint32_t chunk) {
  live_rows_ += store_->live_rows(chunk);
  sketches_->on_load(store_->live_rows(chunk));
  bounds_.on_load(chunk);
}

Result<void> UpdateSweep::load(const AllocatorImage& image) {
  recorded_slots_.assign(bitmap_words(store_->slot_count()), 0);
  return slots_.load(image);
}

void UpdateSweep::begin_replay(std::vector<Timestamp> prefixes) {
  highest_prefix_ = *std::max_element(prefixes.begin(), prefixes.end());
  prefixes_ = std::move(prefixes);
}

/// Puts what the chunk has already ahead of what it has not, among the changes and among its insertions.
void UpdateSweep::leave_out_known() {
  const auto first =
      std::partition_point(outputs_.begin(), outputs_.end(),
                           [has = prefixes_[chunk_]](const UpdateOutput& output) { return output.timestamp <= has; });
  const auto first_update = static_cast<uint32_t>(first - outputs_.begin());
  first_change_ = changes_.first_of(first_update);
  while (has_insertion_before(changes_.size()) && insertions_[next_insertion_].update < first_update) {
    ++next_insertion_;
  }
}

void UpdateSweep::find_candidates() {
  found_.clear();
  next_found_ = 0;
  if (store_->live_rows(chunk_) == 0 || first_change_ == changes_.size()) {
    return;
  }
  for (const ChangeIndex& index : changes_.indexes()) {
    index.probe(view_, chunk_, *sketches_, probe_, [this](uint32_t row, uint32_t change) {
      __builtin_prefetch(&changes_[change]);
      found_.push_back({row, change});
    });
  }
  if (first_change_ > 0) {
    std::erase_if(found_, [first = first_change_](const Candidate& candidate) { return candidate.change < first; });
  }
  if (!changes_.scans().empty()) {
    const auto epoch = [scans = changes_.scans()](const Candidate& candidate) {
      return std::lower_bound(scans.begin(), scans.end(), candidate.change) - scans.begin();
    };
    std::sort(found_.begin(), found_.end(), [&](const Candidate& left, const Candidate& right) {
      const auto left_epoch = epoch(left);
      const auto right_epoch = epoch(right);
      return left_epoch != right_epoch ? left_epoch < right_epoch : left < right;
    });
  } else if (changes_.indexes().size() > 1) {
    std::sort(found_.begin(), found_.end());
  }
}

bool UpdateSweep::has_insertion_before(uint32_t end) const {
  return next_insertion_ < insertions_.size() && insertions_[next_insertion_].slot / store_->chunk_rows() == chunk_ &&
         (end == changes_.size() || insertions_[next_insertion_].sequence < changes_.sequence(end));
}

void UpdateSweep::apply_until(uint32_t end) {
  while (has_insertion_before(end)) {
    insert(insertions_[next_insertion_++], end);
  }
  const size_t first = next_found_;
  while (next_found_ < found_.size() && found_[next_found_].change < end) {
    ++next_found_;
  }
  const std::span<const Candidate> found = std::span(found_).subspan(first, next_found_ - first);
  if (deferred_.empty() || deferred_.front().change >= end) {
    return apply_candidates(found, end);
  }
  merged_.assign(found.begin(), found.end());
  while (!deferred_.empty() && deferred_.front().change < end) {
    merged_.push_back(deferred_.front());
    std::pop_heap(deferred_.begin(), deferred_.end(), ComesLater());
    deferred_.pop_back();
  }
  // A change takes effect once on each row, however often the row was found.
  std::sort(merged_.begin(), merged_.end());
  merged_.erase(std::unique(merged_.begin(), merged_.end()), merged_.end());
  apply_candidates(merged_, end);
}

void UpdateSweep::apply_candidates(std::span<const Candidate> candidates, uint32_t end) {
  while (!candidates.empty()) {
    size_t size = std::min(candidates.size(), kBatch);
    while (size < candidates.size() && candidates[size].row == candidates[size - 1].row) {
      ++size;
    }
    apply_batch(candidates.first(size), end);
    candidates = candidates.subspan(size);
  }
}

void UpdateSweep::apply_batch(std::span<const Candidate> candidates, uint32_t end) {
  for (const Candidate& candidate : candidates) {
    changes_.prefetch_tests(candidate.change, view_, candidate.row);
  }
  // A row that does not match now will not match in its turn, unless another change comes to the row before it.
  kept_.clear();
  for (size_t at = 0; at < candidates.size(); ++at) {
    const Candidate& candidate = candidates[at];
    const bool alone = (at == 0 || candidates[at - 1].row != candidate.row) &&
                       (at + 1 == candidates.size() || candidates[at + 1].row != candidate.row);
    const bool matches = changes_.matches(candidate.change, view_, candidate.row);
    if (matches) {
      changes_.prefetch_writes(candidate.change, view_, candidate.row);
      for (const Write& write : changes_.modifications().writes(changes_[candidate.change].writes())) {
        sketches_->prefetch_write(chunk_, candidate.row, write.column);
      }
      __builtin_prefetch(&outputs_[changes_[candidate.change].update], 1);
    }
    if (matches || !alone) {
      kept_.push_back(candidate);
    }
  }
  for (size_t at = 0; at < kept_.size();) {
    const uint32_t row = kept_[at].row;
    pending_.clear();
    for (; at < kept_.size() && kept_[at].row == row; ++at) {
      pending_.push_back(kept_[at].change);
    }
    apply_pending(row, end);
  }
}

void UpdateSweep::insert(const Insertion& insertion, uint32_t end) {
  const uint32_t row = insertion.slot % store_->chunk_rows();
  CHECK(recorded_slots_.empty() || !test_bit(view_.live, row));  // A slot that was recorded for another row.
  const int32_t stored = layout_->codec.store_row(
      layout_->codec.context, reinterpret_cast<const uint8_t*>(insertion.row.data()),
      static_cast<uint32_t>(insertion.row.size()), store_->planes(chunk_), store_->nulls(chunk_), row);
  CHECK(stored == 0);  // Rows were checked before their update got a number.
  store_->mark_live(chunk_, row);
  sketches_->on_insert(chunk_, row);
  bounds_.on_insert(chunk_, row);
  ++live_rows_;
  ++outputs_[insertion.update].rows_applied;
  if (insertion.is_counted) {
    count_part(insertion.update, insertion.sequence, 1);
  }
  note_touch(insertion.update);
  if (!changes_.indexes().empty()) {
    pending_.clear();
    look_up_again(row, changes_.first_after(insertion.sequence), end);
    if (!pending_.empty()) {
      mark_branch(Branch::kInsertedRowFound);
    }
    apply_pending(row, end);
  }
}

void UpdateSweep::apply_pending(uint32_t row, uint32_t end) {
  // The list grows while it is worked off: by later changes only.
  for (size_t at = 0; at < pending_.size(); ++at) {
    const uint32_t change = pending_[at];
    if (!test_bit(view_.live, row)) {
      return;
    }
    if (changes_.matches(change, view_, row)) {
      mark_branch(Branch::kPartProbesRow);
      apply_change(change, row);
      if (changes_[change].touches_keys != 0) {
        look_up_again(row, change + 1, end);
        if (at + 1 < pending_.size()) {
          mark_branch(Branch::kChangedRowFound);
        }
      }
    }
  }
}

void UpdateSweep::look_up_again(uint32_t row, uint32_t first_change, uint32_t end) {
  for (const ChangeIndex& index : changes_.indexes()) {
    const std::span<const uint32_t> found = index.find(view_, row);
    for (auto change = std::lower_bound(found.begin(), found.end(), first_change); change != found.end(); ++change) {
      if (*change < end) {
        add_pending(*change);
      } else {
        deferred_.push_back({row, *change});
        std::push_heap(deferred_.begin(), deferred_.end(), ComesLater());
      }
    }
  }
}

void UpdateSweep::add_pending(uint32_t change) {
  const auto place = std::lower_bound(pending_.begin(), pending_.end(), change);
  if (place == pending_.end() || *place != change) {
    pending_.insert(place, change);
  }
}

bool UpdateSweep::qualifies(uint32_t number, uint32_t row) {
  const Change& change = changes_[number];
  if (change.has_residuals == 0) {
    return true;
  }
  const Result<bool> holds = changes_.satisfies(number, view_, row);
  if (!holds) {
    mark_branch(Branch::kConditionFails);
    ++outputs_[change.update].rows_matched;
    count_refused(outputs_[change.update], holds.error().sqlstate);
    return false;
  }
  mark_branch(*holds ? Branch::kConditionHolds : Branch::kConditionIsNot);
  return *holds;
}

void UpdateSweep::apply_change(uint32_t number, uint32_t row) {
  if (!qualifies(number, row)) {
    return;
  }
  const Change& change = changes_[number];
  UpdateOutput& output = outputs_[change.update];
  ++output.rows_matched;
  if (change.is_delete != 0) {
    store_->mark_dead(chunk_, row);
    slots_.release(output.timestamp, chunk_ * store_->chunk_rows() + row);
    --live_rows_;
  } else {
    const auto failed =
        changes_.modifications().apply(change.writes(), store_->planes(chunk_), store_->nulls(chunk_), row);
    if (failed) {
      mark_branch(Branch::kAssignmentFails);
      count_refused(output, *failed);
      return;
    }
    for (const Write& write : changes_.modifications().writes(change.writes())) {
      sketches_->on_write(chunk_, row, write.column);
      bounds_.on_write(chunk_, row, write.column);
    }
  }
  ++output.rows_applied;
  if (change.is_counted != 0) {
    count_part(change.update, changes_.sequence(number), 1);
  }
  note_touch(change.update);
  sketches_->on_change();
}

void UpdateSweep::scan(uint32_t change) {
  if (store_->live_rows(chunk_) == 0) {
    return;
  }
  const CompiledPredicate& predicate = changes_.predicate(change);
  const Reach reach = bounds_.reach(chunk_, predicate);
  if (reach == Reach::kNone) {
    mark_branch(Branch::kPartSkipsChunk);
    return;
  }
  mark_branch(reach == Reach::kAll ? Branch::kPartTakesChunk : Branch::kPartScansChunk);
  if (reach == Reach::kAll) {
    std::copy_n(view_.live, view_.word_count(), selection_.begin());
  } else {
    predicate.select(view_, scratch_, selection_.data());
  }
  if (changes_[change].is_delete != 0) {
    delete_all(change, selection_);
  } else {
    modify_all(change, selection_);
  }
}

/// Leaves those that are to be changed.
void UpdateSweep::keep_qualifying(uint32_t change, std::span<uint64_t> rows) {
  if (changes_[change].has_residuals == 0) {
    return;
  }
  for_each_bit(rows.data(), static_cast<uint32_t>(rows.size()), [&](uint32_t row) {
    if (!qualifies(change, row)) {
      clear_bit(rows.data(), row);
    }
  });
}

void UpdateSweep::delete_all(uint32_t change, std::span<uint64_t> rows) {
  keep_qualifying(change, rows);
  UpdateOutput& output = outputs_[changes_[change].update];
  slots_.release(output.timestamp, chunk_ * store_->chunk_rows(), rows);
  const uint32_t count = store_->mark_dead(chunk_, rows.data());
  live_rows_ -= count;
  if (count > 0) {
    note_touch(changes_[change].update);
  }
  output.rows_matched += count;
  output.rows_applied += count;
  if (changes_[change].is_counted != 0) {
    count_part(changes_[change].update, changes_.sequence(change), count);
  }
  for (uint32_t row = 0; row < count; ++row) {
    sketches_->on_change();
  }
  if (changes_[change].has_residuals == 0) {
    bounds_.on_delete_all(chunk_, changes_.predicate(change));
  }
}

void UpdateSweep::modify_all(uint32_t number, std::span<uint64_t> rows) {
  const Change& change = changes_[number];
  const auto words = static_cast<uint32_t>(rows.size());
  const uint32_t end = number + 1;
  const auto look_up = [&](uint32_t row) {
    if (change.touches_keys != 0) {
      look_up_again(row, end, end);  // All that is applied to it from now on comes after this scan.
    }
  };
  if (changes_.modifications().depends_on_row(change.writes())) {
    return for_each_bit(rows.data(), words, [&](uint32_t row) {
      apply_change(number, row);
      look_up(row);
    });
  }
  keep_qualifying(number, rows);
  changes_.modifications().apply_all(change.writes(), store_->planes(chunk_), store_->nulls(chunk_), rows);
  UpdateOutput& output = outputs_[change.update];
  const uint64_t applied_before = output.rows_applied;
  for_each_bit(rows.data(), words, [&](uint32_t row) {
    for (const Write& write : changes_.modifications().writes(change.writes())) {
      sketches_->on_write(chunk_, row, write.column);
      bounds_.on_write(chunk_, row, write.column);
    }
    sketches_->on_change();
    ++output.rows_matched;
    ++output.rows_applied;
    note_touch(change.update);
    look_up(row);
  });
  if (change.is_counted != 0) {
    count_part(change.update, changes_.sequence(number), output.rows_applied - applied_before);
  }
}

void UpdateSweep::note_replayed(Timestamp prefix) {
  for (const Insertion& insertion : insertions_) {
    clear_bit(recorded_slots_.data(), insertion.slot);
  }
  if (!is_replaying(prefix)) {
    prefixes_.clear();
    first_change_ = 0;
  }
  if (prefix >= slots_.known_through()) {
    recorded_slots_ = {};
  }
}

void UpdateSweep::end() {
  CHECK(next_insertion_ == insertions_.size() && deferred_.empty());
  slots_.begin_cycle();
  if (!recorded_slots_.empty() && !outputs_.empty()) {
    note_replayed(outputs_.back().timestamp);
  }
  owners_.clear();
  outputs_.clear();
  first_sequences_.clear();
  insertions_.clear();
  next_insertion_ = 0;
  changes_.clear();
  next_sequence_ = 0;
}

}  // namespace daedalus::engine

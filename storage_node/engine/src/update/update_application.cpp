#include "update_application.hpp"

#include <algorithm>

#include "branches.hpp"

namespace daedalus::engine {
namespace {

/// Candidates whose values are fetched together: enough for the memory's answers to overlap, few enough to stay in the
/// first-level cache until it is their turn.
constexpr size_t kBatch = 128;

}  // namespace

UpdateApplication::UpdateApplication(const TableLayout& layout, ChunkStore& store, Sketches& sketches,
                                     SlotAllocator& slots, const UpdateReplay& replay, ChangeList& changes,
                                     AdmittedUpdates& admitted, Window& window)
    : layout_(&layout),
      store_(&store),
      sketches_(&sketches),
      slots_(&slots),
      replay_(&replay),
      changes_(&changes),
      admitted_(&admitted),
      window_(&window),
      bounds_(layout, store),
      probe_(store.chunk_rows()),
      scratch_(store.chunk_rows()),
      selection_(bitmap_words(store.chunk_rows())) {}

void UpdateApplication::begin() {
  const uint32_t chunk_rows = store_->chunk_rows();
  std::vector<Insertion>& insertions = admitted_->insertions;
  std::sort(insertions.begin(), insertions.end(), [=](const Insertion& left, const Insertion& right) {
    const uint32_t left_chunk = left.slot / chunk_rows;
    const uint32_t right_chunk = right.slot / chunk_rows;
    return left_chunk != right_chunk ? left_chunk < right_chunk : left.sequence < right.sequence;
  });
  changes_->index();
}

uint32_t UpdateApplication::next_chunk(uint32_t chunk) const {
  if (changes_->size() > 0) {
    return chunk;
  }
  if (next_insertion_ == admitted_->insertions.size()) {
    return store_->chunk_count();
  }
  return admitted_->insertions[next_insertion_].slot / store_->chunk_rows();
}

void UpdateApplication::sweep(uint32_t chunk) {
  chunk_ = chunk;
  view_ = store_->view(chunk);
  touches_ = 0;
  first_change_ = 0;
  if (const std::optional<Timestamp> has = replay_->loaded_prefix(chunk)) {
    leave_out_known(*has);
  }
  find_candidates();
  for (const uint32_t change : changes_->scans()) {
    if (change >= first_change_) {
      apply_until(change);
      scan(change);
    }
  }
  apply_until(changes_->size());
  if (touches_ > 0) {
    store_->mark_changed(chunk, admitted_->outputs[touches_ - 1].timestamp);
  }
}

void UpdateApplication::on_load(uint32_t chunk) {
  live_rows_ += store_->live_rows(chunk);
  sketches_->on_load(store_->live_rows(chunk));
  bounds_.on_load(chunk);
}

/// Puts what the chunk has already ahead of what it has not, among the changes and among its insertions.
void UpdateApplication::leave_out_known(Timestamp has) {
  const std::vector<UpdateOutput>& outputs = admitted_->outputs;
  const auto first = std::partition_point(outputs.begin(), outputs.end(),
                                          [=](const UpdateOutput& output) { return output.timestamp <= has; });
  const auto first_update = static_cast<uint32_t>(first - outputs.begin());
  first_change_ = changes_->first_of(first_update);
  while (has_insertion_before(changes_->size()) && admitted_->insertions[next_insertion_].update < first_update) {
    ++next_insertion_;
  }
}

void UpdateApplication::find_candidates() {
  found_.clear();
  next_found_ = 0;
  if (store_->live_rows(chunk_) == 0 || first_change_ == changes_->size()) {
    return;
  }
  for (const ChangeIndex& index : changes_->indexes()) {
    index.probe(view_, chunk_, *sketches_, probe_, [this](uint32_t row, uint32_t change) {
      __builtin_prefetch(&(*changes_)[change]);
      found_.push_back({row, change});
    });
  }
  if (first_change_ > 0) {
    std::erase_if(found_, [first = first_change_](const Candidate& candidate) { return candidate.change < first; });
  }
  if (!changes_->scans().empty()) {
    const auto epoch = [scans = changes_->scans()](const Candidate& candidate) {
      return std::lower_bound(scans.begin(), scans.end(), candidate.change) - scans.begin();
    };
    std::sort(found_.begin(), found_.end(), [&](const Candidate& left, const Candidate& right) {
      const auto left_epoch = epoch(left);
      const auto right_epoch = epoch(right);
      return left_epoch != right_epoch ? left_epoch < right_epoch : left < right;
    });
  } else if (changes_->indexes().size() > 1) {
    std::sort(found_.begin(), found_.end());
  }
}

bool UpdateApplication::has_insertion_before(uint32_t end) const {
  return next_insertion_ < admitted_->insertions.size() &&
         admitted_->insertions[next_insertion_].slot / store_->chunk_rows() == chunk_ &&
         (end == changes_->size() || admitted_->insertions[next_insertion_].sequence < changes_->sequence(end));
}

void UpdateApplication::apply_until(uint32_t end) {
  while (has_insertion_before(end)) {
    insert(admitted_->insertions[next_insertion_++], end);
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

void UpdateApplication::apply_candidates(std::span<const Candidate> candidates, uint32_t end) {
  while (!candidates.empty()) {
    size_t size = std::min(candidates.size(), kBatch);
    while (size < candidates.size() && candidates[size].row == candidates[size - 1].row) {
      ++size;
    }
    apply_batch(candidates.first(size), end);
    candidates = candidates.subspan(size);
  }
}

void UpdateApplication::apply_batch(std::span<const Candidate> candidates, uint32_t end) {
  for (const Candidate& candidate : candidates) {
    changes_->prefetch_tests(candidate.change, view_, candidate.row);
  }
  // A row that does not match now will not match in its turn, unless another change comes to the row before it.
  kept_.clear();
  for (size_t at = 0; at < candidates.size(); ++at) {
    const Candidate& candidate = candidates[at];
    const bool alone = (at == 0 || candidates[at - 1].row != candidate.row) &&
                       (at + 1 == candidates.size() || candidates[at + 1].row != candidate.row);
    const bool matches = changes_->matches(candidate.change, view_, candidate.row);
    if (matches) {
      changes_->prefetch_writes(candidate.change, view_, candidate.row);
      for (const Write& write : changes_->modifications().writes((*changes_)[candidate.change].writes())) {
        sketches_->prefetch_write(chunk_, candidate.row, write.column);
      }
      __builtin_prefetch(&admitted_->outputs[(*changes_)[candidate.change].update], 1);
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

void UpdateApplication::insert(const Insertion& insertion, uint32_t end) {
  const uint32_t row = insertion.slot % store_->chunk_rows();
  CHECK(!replay_->is_recorded() || !test_bit(view_.live, row));  // A slot that was recorded for another row.
  window_->on_insert(chunk_, row, admitted_->outputs[insertion.update].timestamp);
  const int32_t stored = layout_->codec.store_row(
      layout_->codec.context, reinterpret_cast<const uint8_t*>(insertion.row.data()),
      static_cast<uint32_t>(insertion.row.size()), store_->planes(chunk_), store_->nulls(chunk_), row);
  CHECK(stored == 0);  // Rows were checked before their update got a number.
  store_->mark_live(chunk_, row);
  sketches_->on_insert(chunk_, row);
  bounds_.on_insert(chunk_, row);
  ++live_rows_;
  ++admitted_->outputs[insertion.update].rows_applied;
  if (insertion.is_counted) {
    admitted_->count_part(insertion.update, insertion.sequence, 1);
  }
  note_touch(insertion.update);
  if (!changes_->indexes().empty()) {
    pending_.clear();
    look_up_again(row, changes_->first_after(insertion.sequence), end);
    if (!pending_.empty()) {
      mark_branch(Branch::kInsertedRowFound);
    }
    apply_pending(row, end);
  }
}

void UpdateApplication::apply_pending(uint32_t row, uint32_t end) {
  // The list grows while it is worked off: by later changes only.
  for (size_t at = 0; at < pending_.size(); ++at) {
    const uint32_t change = pending_[at];
    if (!test_bit(view_.live, row)) {
      return;
    }
    if (changes_->matches(change, view_, row)) {
      mark_branch(Branch::kPartProbesRow);
      apply_change(change, row);
      if ((*changes_)[change].touches_keys != 0) {
        look_up_again(row, change + 1, end);
        if (at + 1 < pending_.size()) {
          mark_branch(Branch::kChangedRowFound);
        }
      }
    }
  }
}

void UpdateApplication::look_up_again(uint32_t row, uint32_t first_change, uint32_t end) {
  for (const ChangeIndex& index : changes_->indexes()) {
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

void UpdateApplication::add_pending(uint32_t change) {
  const auto place = std::lower_bound(pending_.begin(), pending_.end(), change);
  if (place == pending_.end() || *place != change) {
    pending_.insert(place, change);
  }
}

bool UpdateApplication::qualifies(uint32_t number, uint32_t row) {
  const Change& change = (*changes_)[number];
  if (change.has_residuals == 0) {
    return true;
  }
  const Result<bool> holds = changes_->satisfies(number, view_, row);
  if (!holds) {
    mark_branch(Branch::kConditionFails);
    ++admitted_->outputs[change.update].rows_matched;
    count_refused(admitted_->outputs[change.update], holds.error().sqlstate);
    return false;
  }
  mark_branch(*holds ? Branch::kConditionHolds : Branch::kConditionIsNot);
  return *holds;
}

void UpdateApplication::apply_change(uint32_t number, uint32_t row) {
  if (!qualifies(number, row)) {
    return;
  }
  if ((*changes_)[number].is_delete != 0) {
    delete_row(number, row);
  } else {
    modify_row(number, row, Recorded::kNo);
  }
}

void UpdateApplication::delete_row(uint32_t number, uint32_t row) {
  const Change& change = (*changes_)[number];
  UpdateOutput& output = admitted_->outputs[change.update];
  ++output.rows_matched;
  window_->on_delete(chunk_, row, output.timestamp);
  store_->mark_dead(chunk_, row);
  slots_->release(output.timestamp, chunk_ * store_->chunk_rows() + row);
  --live_rows_;
  count_applied(change, number);
}

void UpdateApplication::modify_row(uint32_t number, uint32_t row, Recorded recorded) {
  const Change& change = (*changes_)[number];
  UpdateOutput& output = admitted_->outputs[change.update];
  Modifications& modifications = changes_->modifications();
  ++output.rows_matched;
  if (const auto failed = modifications.prepare(change.writes(), store_->planes(chunk_), store_->nulls(chunk_), row)) {
    mark_branch(Branch::kAssignmentFails);
    count_refused(output, *failed);
    return;
  }
  if (recorded == Recorded::kNo && window_->records(output.timestamp)) {
    window_->on_modify(chunk_, row, output.timestamp, columns_of(change));
  }
  modifications.write(change.writes(), store_->planes(chunk_), store_->nulls(chunk_), row);
  for (const Write& write : modifications.writes(change.writes())) {
    sketches_->on_write(chunk_, row, write.column);
    bounds_.on_write(chunk_, row, write.column);
  }
  count_applied(change, number);
}

void UpdateApplication::count_applied(const Change& change, uint32_t number) {
  ++admitted_->outputs[change.update].rows_applied;
  if (change.is_counted != 0) {
    admitted_->count_part(change.update, changes_->sequence(number), 1);
  }
  note_touch(change.update);
  sketches_->on_change();
}

std::span<const uint32_t> UpdateApplication::columns_of(const Change& change) {
  columns_.clear();
  for (const Write& write : changes_->modifications().writes(change.writes())) {
    columns_.push_back(write.column);
  }
  return columns_;
}

void UpdateApplication::end() {
  CHECK(next_insertion_ == admitted_->insertions.size() && deferred_.empty());
  next_insertion_ = 0;
}

}  // namespace daedalus::engine

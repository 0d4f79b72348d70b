// How a change that no index finds rows for takes a chunk as a whole.
#include <algorithm>

#include "branches.hpp"
#include "update_application.hpp"

namespace daedalus::engine {

void UpdateApplication::scan(uint32_t change) {
  if (store_->live_rows(chunk_) == 0) {
    return;
  }
  const CompiledPredicate& predicate = changes_->predicate(change);
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
  if ((*changes_)[change].is_delete != 0) {
    delete_all(change, selection_);
  } else {
    modify_all(change, selection_);
  }
}

/// Leaves those that are to be changed.
void UpdateApplication::keep_qualifying(uint32_t change, std::span<uint64_t> rows) {
  if ((*changes_)[change].has_residuals == 0) {
    return;
  }
  for_each_bit(rows.data(), static_cast<uint32_t>(rows.size()), [&](uint32_t row) {
    if (!qualifies(change, row)) {
      clear_bit(rows.data(), row);
    }
  });
}

void UpdateApplication::delete_all(uint32_t change, std::span<uint64_t> rows) {
  keep_qualifying(change, rows);
  UpdateOutput& output = admitted_->outputs[(*changes_)[change].update];
  window_->on_delete_all(chunk_, rows, output.timestamp);
  slots_->release(output.timestamp, chunk_ * store_->chunk_rows(), rows);
  const uint32_t count = store_->mark_dead(chunk_, rows.data());
  live_rows_ -= count;
  if (count > 0) {
    note_touch((*changes_)[change].update);
  }
  output.rows_matched += count;
  output.rows_applied += count;
  if ((*changes_)[change].is_counted != 0) {
    admitted_->count_part((*changes_)[change].update, changes_->sequence(change), count);
  }
  for (uint32_t row = 0; row < count; ++row) {
    sketches_->on_change();
  }
  if ((*changes_)[change].has_residuals == 0) {
    bounds_.on_delete_all(chunk_, changes_->predicate(change));
  }
}

void UpdateApplication::modify_all(uint32_t number, std::span<uint64_t> rows) {
  const Change& change = (*changes_)[number];
  const auto words = static_cast<uint32_t>(rows.size());
  const uint32_t end = number + 1;
  const auto look_up = [&](uint32_t row) {
    if (change.touches_keys != 0) {
      look_up_again(row, end, end);  // All that is applied to it from now on comes after this scan.
    }
  };
  UpdateOutput& output = admitted_->outputs[change.update];
  keep_qualifying(number, rows);
  // Also rows that an assignment fails on: they are recorded as they stay.
  window_->on_modify_all(chunk_, rows, output.timestamp, columns_of(change));
  if (changes_->modifications().depends_on_row(change.writes())) {
    return for_each_bit(rows.data(), words, [&](uint32_t row) {
      modify_row(number, row, Recorded::kYes);
      look_up(row);
    });
  }
  changes_->modifications().apply_all(change.writes(), store_->planes(chunk_), store_->nulls(chunk_), rows);
  const uint64_t applied_before = output.rows_applied;
  for_each_bit(rows.data(), words, [&](uint32_t row) {
    for (const Write& write : changes_->modifications().writes(change.writes())) {
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
    admitted_->count_part(change.update, changes_->sequence(number), output.rows_applied - applied_before);
  }
}

}  // namespace daedalus::engine

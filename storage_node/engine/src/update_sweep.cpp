#include "update_sweep.hpp"

#include <algorithm>
#include <functional>

namespace daedalus::engine {
namespace {

/// ns a row that a part costs when it passes over columns on its own.
constexpr double kScanCost = 0.4;
/// Meetings whose rows are fetched ahead of time.
constexpr size_t kFetchAhead = 12;

constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

UpdateSweep::UpdateSweep(const TableLayout& layout, ChunkStore& store, Sketches& sketches,
                         std::pmr::memory_resource& memory, AccessPaths paths)
    : layout_(&layout),
      store_(&store),
      sketches_(&sketches),
      bounds_(layout, store),
      memory_(&memory),
      paths_(paths),
      slots_(store.slot_count()),
      scratch_(store.chunk_rows()),
      selection_(bitmap_words(store.chunk_rows())) {}

bool UpdateSweep::admit(Update& update) {
  SlotAllocator::Demand demand{.timestamp = update.timestamp};
  for (const UpdatePart& part : update.parts) {
    if (const auto* rows = std::get_if<InsertRows>(&part)) {
      demand.insert_rows += static_cast<uint32_t>(rows->rows.size());
    }
    demand.deletes |= std::holds_alternative<std::shared_ptr<const semantics::DeletePart>>(part);
  }
  reserved_.clear();
  if (!slots_.admit(demand, reserved_)) {
    CHECK(!outputs_.empty());
    return false;
  }
  outputs_.push_back({.timestamp = update.timestamp});
  updates_.push_back(std::move(update));
  std::span<const uint32_t> slots = reserved_;
  for (const UpdatePart& part : updates_.back().parts) {
    std::visit([&](const auto& any) { admit_part(any, slots); }, part);
    ++next_sequence_;
  }
  return true;
}

void UpdateSweep::admit_part(const InsertRows& part, std::span<const uint32_t>& slots) {
  const uint32_t update = count() - 1;
  const size_t placed = std::min(part.rows.size(), slots.size());
  for (size_t row = 0; row < placed; ++row) {
    insertions_.push_back({slots[row], next_sequence_, update, part.rows[row]});
  }
  slots = slots.subspan(placed);
  outputs_[update].rows_matched += part.rows.size();
  outputs_[update].refused_no_room += part.rows.size() - placed;
}

void UpdateSweep::admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>&) {
  add_change(part->predicate, CompiledModification(*layout_, part->assignments));
}

void UpdateSweep::admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>&) {
  add_change(part->predicate, std::nullopt);
}

void UpdateSweep::add_change(const semantics::Predicate& predicate, std::optional<CompiledModification> modification) {
  CompiledPredicate compiled(*layout_, predicate, memory_);
  if (!compiled.is_never()) {
    changes_.push_back({next_sequence_, count() - 1, std::move(compiled), std::move(modification)});
  }
}

void UpdateSweep::begin() {
  const uint32_t chunk_rows = store_->chunk_rows();
  std::sort(insertions_.begin(), insertions_.end(), [=](const Insertion& left, const Insertion& right) {
    const uint32_t left_chunk = left.slot / chunk_rows;
    const uint32_t right_chunk = right.slot / chunk_rows;
    return left_chunk != right_chunk ? left_chunk < right_chunk : left.sequence < right.sequence;
  });
  index_changes();
}

void UpdateSweep::index_changes() {
  size_t clauses = 0;
  for (const Change& change : changes_) {
    clauses += change.predicate.clauses().size();
  }
  std::vector<WeighedClause> weighed(clauses);
  std::vector<KeyedOperation> operations;
  operations.reserve(changes_.size());
  WeighedClause* next = weighed.data();
  for (uint32_t number = 0; number < changes_.size(); ++number) {
    Change& change = changes_[number];
    weigh_clauses(change.predicate, *sketches_, next);
    operations.push_back({number, &change.predicate, {next, change.predicate.clauses().size()}});
    next += change.predicate.clauses().size();
    change.first_test = static_cast<uint32_t>(tests_.size());
    for (const WeighedClause& clause : operations.back().clauses) {
      tests_.push_back(row_test(change.predicate, clause.clause));
    }
  }
  const Keys keys = choose_keys(*layout_, operations, cost_without_key(paths_, kScanCost));
  is_key_.assign(layout_->columns.size(), false);
  for (const std::vector<uint32_t>& columns : keys.columns) {
    indexes_.emplace_back(*layout_, columns);
    for (const uint32_t column : columns) {
      is_key_[column] = true;
    }
  }
  for (uint32_t number = 0; number < changes_.size(); ++number) {
    Change& change = changes_[number];
    if (change.modification.has_value()) {
      change.modification->for_each_column([&](uint32_t column) { change.touches_keys |= is_key_[column]; });
    }
    if (!keys.choices[number].has_value()) {
      scans_.push_back(number);
      continue;
    }
    KeyIndex& index = indexes_[keys.choices[number]->key];
    for_each_key(*layout_, change.predicate, *keys.choices[number], static_cast<uint32_t>(index.columns().size()),
                 [&](std::span<const uint64_t> raw) { index.add(raw, number); });
  }
  for (KeyIndex& index : indexes_) {
    index.build();
  }
}

uint32_t UpdateSweep::next_chunk(uint32_t chunk) const {
  if (!changes_.empty()) {
    return chunk;
  }
  if (next_insertion_ == insertions_.size()) {
    return store_->chunk_count();
  }
  return insertions_[next_insertion_].slot / store_->chunk_rows();
}

void UpdateSweep::find_meetings(uint32_t chunk) {
  found_.clear();
  next_found_ = 0;
  late_.clear();
  if (store_->live_rows(chunk) == 0) {
    return;
  }
  const ChunkView view = store_->view(chunk);
  for (const KeyIndex& index : indexes_) {
    index.probe(view, probe_, [this](uint32_t row, uint32_t change) { found_.push_back({change, row}); });
  }
  std::sort(found_.begin(), found_.end());
}

void UpdateSweep::sweep(uint32_t chunk) {
  find_meetings(chunk);
  size_t next_scan = 0;
  while (true) {
    // What comes next, of four lists that are each in order.
    const uint32_t scanned = next_scan < scans_.size() ? scans_[next_scan] : kNone;
    const uint32_t met = std::min(next_found_ < found_.size() ? found_[next_found_].change : kNone,
                                  late_.empty() ? kNone : late_.front().change);
    const uint32_t change = std::min(scanned, met);
    const bool inserts =
        next_insertion_ < insertions_.size() && insertions_[next_insertion_].slot / store_->chunk_rows() == chunk;
    if (inserts && (change == kNone || insertions_[next_insertion_].sequence < changes_[change].sequence)) {
      insert(insertions_[next_insertion_++]);
    } else if (change == kNone) {
      return;
    } else if (change == scanned) {
      scan(change, chunk);
      ++next_scan;
    } else {
      meet(change, chunk);
    }
  }
}

void UpdateSweep::insert(const Insertion& insertion) {
  const uint32_t chunk = insertion.slot / store_->chunk_rows();
  const uint32_t row = insertion.slot % store_->chunk_rows();
  const int32_t stored = layout_->codec.store_row(
      layout_->codec.context, reinterpret_cast<const uint8_t*>(insertion.row.data()),
      static_cast<uint32_t>(insertion.row.size()), store_->planes(chunk), store_->nulls(chunk), row);
  CHECK(stored == 0);  // Rows were checked before their update got a number.
  store_->mark_live(chunk, row);
  sketches_->on_insert(chunk, row);
  bounds_.on_insert(chunk, row);
  ++live_rows_;
  ++outputs_[insertion.update].rows_applied;
  look_up_again(chunk, row, first_change_after(insertion.sequence));
}

uint32_t UpdateSweep::first_change_after(uint32_t sequence) const {
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), sequence,
                                      [](uint32_t left, const Change& right) { return left < right.sequence; });
  return static_cast<uint32_t>(after - changes_.begin());
}

void UpdateSweep::look_up_again(uint32_t chunk, uint32_t row, uint32_t first_change) {
  const ChunkView view = store_->view(chunk);
  for (const KeyIndex& index : indexes_) {
    const std::span<const uint32_t> found = index.find(view, row);
    for (auto change = std::lower_bound(found.begin(), found.end(), first_change); change != found.end(); ++change) {
      late_.push_back({*change, row});
      std::push_heap(late_.begin(), late_.end(), std::greater<>());
    }
  }
}

void UpdateSweep::scan(uint32_t change, uint32_t chunk) {
  if (store_->live_rows(chunk) == 0 || !bounds_.may_match(chunk, changes_[change].predicate)) {
    return;
  }
  const ChunkView view = store_->view(chunk);
  changes_[change].predicate.select(view, scratch_, selection_.data());
  for_each_bit(selection_.data(), view.word_count(), [&](uint32_t row) { apply(change, chunk, row); });
}

void UpdateSweep::fetch_ahead(const ChunkView& view, size_t meeting) const {
  if (meeting < found_.size()) {
    const Change& change = changes_[found_[meeting].change];
    for (uint32_t test = 0; test < std::min<size_t>(change.predicate.clauses().size(), 2); ++test) {
      __builtin_prefetch(tested_value(*layout_, tests_[change.first_test + test], view, found_[meeting].row));
    }
    if (change.modification.has_value()) {
      change.modification->for_each_column([&](uint32_t column) {
        __builtin_prefetch(view.planes[column] + size_t{found_[meeting].row} * layout_->columns[column].width);
      });
    }
  }
}

void UpdateSweep::meet(uint32_t change, uint32_t chunk) {
  const ChunkView view = store_->view(chunk);
  meeting_rows_.clear();
  for (; next_found_ < found_.size() && found_[next_found_].change == change; ++next_found_) {
    meeting_rows_.push_back(found_[next_found_].row);
    fetch_ahead(view, next_found_ + kFetchAhead);
  }
  if (!late_.empty() && late_.front().change == change) {
    while (!late_.empty() && late_.front().change == change) {
      meeting_rows_.push_back(late_.front().row);
      std::pop_heap(late_.begin(), late_.end(), std::greater<>());
      late_.pop_back();
    }
    std::sort(meeting_rows_.begin(), meeting_rows_.end());
  }
  // A part takes effect once on each row, however often the row was found.
  meeting_rows_.erase(std::unique(meeting_rows_.begin(), meeting_rows_.end()), meeting_rows_.end());
  const Change& part = changes_[change];
  const auto clause_count = static_cast<uint32_t>(part.predicate.clauses().size());
  for (const uint32_t row : meeting_rows_) {
    bool matches = test_bit(view.live, row);
    for (uint32_t test = 0; test < clause_count && matches; ++test) {
      matches = passes(*layout_, tests_[part.first_test + test], part.predicate, view, row);
    }
    if (matches) {
      apply(change, chunk, row);
    }
  }
}

void UpdateSweep::apply(uint32_t change, uint32_t chunk, uint32_t row) {
  Change& part = changes_[change];
  UpdateOutput& output = outputs_[part.update];
  ++output.rows_matched;
  if (!part.modification.has_value()) {
    store_->mark_dead(chunk, row);
    slots_.release(output.timestamp, chunk * store_->chunk_rows() + row);
    --live_rows_;
  } else if (part.modification->apply(store_->planes(chunk), store_->nulls(chunk), row)) {
    part.modification->for_each_column([&](uint32_t column) {
      sketches_->on_write(chunk, row, column);
      bounds_.on_write(chunk, row, column);
    });
    if (part.touches_keys) {
      look_up_again(chunk, row, change + 1);
    }
  } else {
    ++output.refused_overflow;
    return;
  }
  ++output.rows_applied;
  sketches_->on_change();
}

void UpdateSweep::end() {
  CHECK(next_insertion_ == insertions_.size());
  slots_.begin_cycle();
  updates_.clear();
  outputs_.clear();
  insertions_.clear();
  next_insertion_ = 0;
  changes_.clear();
  next_sequence_ = 0;
  indexes_.clear();
  scans_.clear();
  tests_.clear();
}

}  // namespace daedalus::engine

#include "cycle.hpp"

#include <algorithm>

namespace daedalus::engine {

Cycle::Cycle(const TableLayout& layout, ChunkStore& store, uint64_t answer_bytes_max)
    : layout_(&layout),
      store_(&store),
      slots_(store.slot_count()),
      answer_bytes_max_(answer_bytes_max),
      scratch_(store.chunk_rows()),
      selection_(bitmap_words(store.chunk_rows())),
      rows_(store.chunk_rows()) {}

void Cycle::admit(Query query, Instant now) {
  queries_.emplace_back(*layout_, *store_, std::move(query), answer_bytes_max_, now);
}

bool Cycle::admit(Update& update) {
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

void Cycle::admit_part(const InsertRows& part, std::span<const uint32_t>& slots) {
  const uint32_t update = update_count() - 1;
  const size_t placed = std::min(part.rows.size(), slots.size());
  for (size_t row = 0; row < placed; ++row) {
    insertions_.push_back({slots[row], next_sequence_, update, part.rows[row]});
  }
  slots = slots.subspan(placed);
  outputs_[update].rows_matched += part.rows.size();
  outputs_[update].refused_no_room += part.rows.size() - placed;
}

void Cycle::admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>&) {
  changes_.push_back({next_sequence_, update_count() - 1, CompiledPredicate(*layout_, part->predicate),
                      CompiledModification(*layout_, part->assignments)});
}

void Cycle::admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>&) {
  changes_.push_back({next_sequence_, update_count() - 1, CompiledPredicate(*layout_, part->predicate), std::nullopt});
}

void Cycle::sweep() {
  plan_ = plan_queries(*layout_, *store_, queries_);
  const uint32_t chunk_rows = store_->chunk_rows();
  std::sort(insertions_.begin(), insertions_.end(), [=](const Insertion& left, const Insertion& right) {
    const uint32_t left_chunk = left.slot / chunk_rows;
    const uint32_t right_chunk = right.slot / chunk_rows;
    return left_chunk != right_chunk ? left_chunk < right_chunk : left.sequence < right.sequence;
  });
  active_queries_ = static_cast<uint32_t>(
      std::count_if(queries_.begin(), queries_.end(), [](const QueryRun& query) { return query.is_active(); }));
  for (uint32_t chunk = 0; chunk < store_->chunk_count(); ++chunk) {
    if (changes_.empty() && active_queries_ == 0) {
      if (next_insertion_ == insertions_.size()) {
        break;
      }
      chunk = insertions_[next_insertion_].slot / chunk_rows;
    }
    update_chunk(chunk);
    query_chunk(chunk);
  }
  CHECK(next_insertion_ == insertions_.size());
}

void Cycle::update_chunk(uint32_t chunk) {
  auto change_part = changes_.begin();
  while (true) {
    const bool inserts =
        next_insertion_ < insertions_.size() && insertions_[next_insertion_].slot / store_->chunk_rows() == chunk;
    if (inserts && (change_part == changes_.end() || insertions_[next_insertion_].sequence < change_part->sequence)) {
      insert(insertions_[next_insertion_++]);
    } else if (change_part != changes_.end()) {
      change(*change_part++, chunk);
    } else {
      return;
    }
  }
}

void Cycle::insert(const Insertion& insertion) {
  const uint32_t chunk = insertion.slot / store_->chunk_rows();
  const uint32_t row = insertion.slot % store_->chunk_rows();
  const int32_t stored = layout_->codec.store_row(
      layout_->codec.context, reinterpret_cast<const uint8_t*>(insertion.row.data()),
      static_cast<uint32_t>(insertion.row.size()), store_->planes(chunk), store_->nulls(chunk), row);
  CHECK(stored == 0);  // Rows were checked before their update got a number.
  store_->mark_live(chunk, row);
  ++live_rows_;
  ++outputs_[insertion.update].rows_applied;
}

void Cycle::change(Change& part, uint32_t chunk) {
  if (store_->live_rows(chunk) == 0) {
    return;
  }
  const ChunkView view = store_->view(chunk);
  UpdateOutput& output = outputs_[part.update];
  part.predicate.select(view, scratch_, selection_.data());
  for_each_bit(selection_.data(), view.word_count(), [&](uint32_t row) {
    ++output.rows_matched;
    if (!part.modification.has_value()) {
      store_->mark_dead(chunk, row);
      slots_.release(output.timestamp, chunk * store_->chunk_rows() + row);
      --live_rows_;
      ++output.rows_applied;
    } else if (part.modification->apply(store_->planes(chunk), store_->nulls(chunk), row)) {
      ++output.rows_applied;
    } else {
      ++output.refused_overflow;
    }
  });
}

void Cycle::query_chunk(uint32_t chunk) {
  if (active_queries_ == 0) {
    return;
  }
  active_queries_ = 0;
  for (QueryRun& query : queries_) {
    if (query.is_active()) {
      query.check_aborted();
      active_queries_ += query.is_active() ? 1 : 0;
    }
  }
  if (store_->live_rows(chunk) == 0) {
    return;
  }
  const ChunkView view = store_->view(chunk);
  for (const AccessIndex& index : plan_.indexes) {
    index.probe(view, [&](uint32_t row, uint32_t number) {
      QueryRun& query = queries_[number];
      if (query.is_active() && query.predicate().matches(view, row, plan_.indexed_clause[number])) {
        query.take(chunk, &row, 1);
      }
    });
  }
  for (const uint32_t number : plan_.scans) {
    QueryRun& query = queries_[number];
    if (query.is_active()) {
      query.predicate().select(view, scratch_, selection_.data());
      const uint32_t row_count = list_rows(selection_.data(), view.word_count(), rows_.data());
      query.take(chunk, rows_.data(), row_count);
    }
  }
}

void Cycle::clear() {
  slots_.begin_cycle();
  updates_.clear();
  outputs_.clear();
  insertions_.clear();
  next_insertion_ = 0;
  changes_.clear();
  next_sequence_ = 0;
  queries_.clear();
  plan_ = {};
}

}  // namespace daedalus::engine

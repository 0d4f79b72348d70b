#include "query_sweep.hpp"

#include <algorithm>

#include "kernels_range.hpp"

namespace daedalus::engine {
namespace {

/// Candidates that are verified together, at most: enough that the memory's answers overlap, few enough to stay in the
/// first caches.
constexpr size_t kCandidatesMax = 8192;
/// From so many rows on, a query's candidates are tested on their own: its tests stay the same from row to row.
constexpr uint32_t kManyRows = 64;
/// How far ahead values are fetched: about as many as the memory answers at a time.
constexpr uint32_t kFetchAhead = 24;
/// A pass over a column touches every row; testing a row costs about this many times as much as one row of a pass.
constexpr uint32_t kRowTestCost = 16;
/// Queries looked at for an abort, at each chunk.
constexpr uint32_t kLooks = 256;

}  // namespace

QuerySweep::QuerySweep(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches, AccessPaths paths)
    : layout_(&layout),
      store_(&store),
      sketches_(&sketches),
      paths_(paths),
      scratch_(store.chunk_rows()),
      selection_(bitmap_words(store.chunk_rows())),
      rows_(store.chunk_rows()),
      bitmaps_(size_t{kSharedPredicatesMax} * bitmap_words(store.chunk_rows())),
      is_marked_(kSharedPredicatesMax),
      sources_(kSharedPredicatesMax + 1) {
  candidates_.reserve(kCandidatesMax + store.chunk_rows());
}

void QuerySweep::begin(std::vector<QueryRun>& queries) {
  queries_ = &queries;
  plan_ = plan_queries(*layout_, *sketches_, queries, paths_);
  active_ = std::any_of(queries.begin(), queries.end(), [](const QueryRun& query) { return query.is_active(); });
  next_look_ = 0;
}

void QuerySweep::look_for_aborts() {
  const auto count = static_cast<uint32_t>(queries_->size());
  for (uint32_t look = 0; look < std::min(count, kLooks); ++look) {
    QueryRun& query = (*queries_)[next_look_];
    if (query.is_active()) {
      query.check_aborted();
    }
    next_look_ = next_look_ + 1 == count ? 0 : next_look_ + 1;
  }
  if (next_look_ < kLooks) {
    active_ = std::any_of(queries_->begin(), queries_->end(), [](const QueryRun& query) { return query.is_active(); });
  }
}

void QuerySweep::sweep(uint32_t chunk) {
  look_for_aborts();
  if (!active_ || store_->live_rows(chunk) == 0) {
    return;
  }
  chunk_ = chunk;
  row_sketches_ = sketches_->rows(chunk);
  const ChunkView view = store_->view(chunk);
  for (const KeyIndex& index : plan_.indexes) {
    sweep_index(index, view);
  }
  for (const SketchBatch& batch : plan_.batches) {
    sweep_batch(batch, chunk, view);
  }
  verify_candidates(view);
}

void QuerySweep::sweep_index(const KeyIndex& index, const ChunkView& view) {
  index.probe(view, probe_, [&](uint32_t row, uint32_t query) {
    add_candidate(row, query);
    if (candidates_.size() >= kCandidatesMax) {
      verify_candidates(view);
    }
  });
}

void QuerySweep::sweep_batch(const SketchBatch& batch, uint32_t chunk, const ChunkView& view) {
  mark_predicates(batch, chunk);
  for (uint32_t at = batch.queries.first; at < batch.queries.first + batch.queries.count; ++at) {
    if ((*queries_)[plan_.sketch_queries[at].query].is_active()) {
      sweep_query(plan_.sketch_queries[at], view);
    }
  }
}

void QuerySweep::mark_predicates(const SketchBatch& batch, uint32_t chunk) {
  const uint32_t words = bitmap_words(store_->chunk_rows());
  for (uint32_t number = 0; number < batch.predicates.count; ++number) {
    const Part& predicate = plan_.predicates[batch.predicates.first + number];
    uint64_t* bitmap = bitmaps_.data() + size_t{number} * words;
    is_marked_[number] = 1;
    for (uint32_t at = 0; at < predicate.count; ++at) {
      const SketchRange& range = plan_.ranges[predicate.first + at];
      const uint8_t* bytes = sketches_->bytes(chunk, range.column);
      if (bytes == nullptr) {
        is_marked_[number] = 0;
        break;
      }
      mark_byte_range(bytes, store_->chunk_rows(), range.low, range.high, at == 0 ? bitmap : scratch_.literal.data());
      if (at > 0) {
        or_into(bitmap, scratch_.literal.data(), words);
      }
    }
  }
}

void QuerySweep::sweep_query(const SketchQuery& query, const ChunkView& view) {
  const uint32_t words = view.word_count();
  uint32_t sources = 0;
  sources_[sources++] = view.live;
  for (uint32_t use = 0; use < query.predicates.count; ++use) {
    const uint32_t number = plan_.uses[query.predicates.first + use];
    if (is_marked_[number] != 0) {
      sources_[sources++] = bitmaps_.data() + size_t{number} * words;
    }
  }
  intersect(sources_.data(), sources, words, selection_.data());
  QueryRun& run = (*queries_)[query.query];
  if (sources > query.predicates.count && plan_.tests_of[query.query].rows.count == 0 && run.takes_selections()) {
    return run.take_selection(chunk_, selection_.data());
  }
  const uint32_t row_count = list_rows(selection_.data(), words, rows_.data());
  if (sources <= query.predicates.count) {
    return sweep_plainly(query.query, row_count, view);
  }
  if (row_count >= kManyRows) {
    return verify_many(query.query, row_count, view);
  }
  for (uint32_t position = 0; position < row_count; ++position) {
    add_candidate(rows_[position], query.query);
  }
  if (candidates_.size() >= kCandidatesMax) {
    verify_candidates(view);
  }
}

void QuerySweep::sweep_plainly(uint32_t query, uint32_t row_count, const ChunkView& view) {
  QueryRun& run = (*queries_)[query];
  if (row_count < view.row_count / kRowTestCost) {
    const auto end = std::remove_if(rows_.begin(), rows_.begin() + row_count,
                                    [&](uint32_t row) { return !run.predicate().matches(view, row); });
    row_count = static_cast<uint32_t>(end - rows_.begin());
  } else {
    run.predicate().select(view, scratch_, selection_.data());
    if (run.takes_selections()) {
      return run.take_selection(chunk_, selection_.data());
    }
    row_count = list_rows(selection_.data(), view.word_count(), rows_.data());
  }
  if (row_count > 0) {
    run.take(chunk_, rows_.data(), row_count);
  }
}

void QuerySweep::verify_many(uint32_t query, uint32_t row_count, const ChunkView& view) {
  QueryRun& run = (*queries_)[query];
  const QueryTests& tests = plan_.tests_of[query];
  if (row_sketches_ != nullptr && tests.sketches.count > 0) {
    uint32_t kept = 0;
    for (uint32_t position = 0; position < row_count; ++position) {
      const uint32_t ahead = rows_[std::min(position + kFetchAhead, row_count - 1)];
      __builtin_prefetch(row_sketches_ + size_t{ahead} * store_->row_sketch_bytes());
      const uint32_t row = rows_[position];
      rows_[kept] = row;
      kept += sketches_match(tests, row) ? 1 : 0;
    }
    row_count = kept;
  }
  for (uint32_t level = 0; level < row_test_count(tests) && row_count > 0; ++level) {
    const RowTest& test = plan_.row_tests[tests.rows.first + level];
    uint32_t kept = 0;
    for (uint32_t position = 0; position < row_count; ++position) {
      const uint32_t row = rows_[position];
      __builtin_prefetch(tested_value(*layout_, test, view, rows_[std::min(position + kFetchAhead, row_count - 1)]));
      rows_[kept] = row;
      kept += passes(*layout_, test, run.predicate(), view, row) ? 1 : 0;
    }
    row_count = kept;
  }
  if (row_count > 0) {
    run.take(chunk_, rows_.data(), row_count);
  }
}

void QuerySweep::add_candidate(uint32_t row, uint32_t query) {
  if (row_sketches_ != nullptr) {
    __builtin_prefetch(row_sketches_ + size_t{row} * store_->row_sketch_bytes());
  }
  candidates_.push_back({row, query});
}

uint32_t QuerySweep::verify_sketches(uint32_t count) {
  Candidate* candidates = candidates_.data();
  uint32_t kept = 0;
  for (uint32_t position = 0; position < count; ++position) {
    const Candidate candidate = candidates[position];
    candidates[kept] = candidate;
    kept += sketches_match(plan_.tests_of[candidate.query], candidate.row) ? 1 : 0;
  }
  return kept;
}

uint32_t QuerySweep::verify_level(uint32_t level, uint32_t count, const ChunkView& view) {
  Candidate* candidates = candidates_.data();
  uint32_t kept = 0;
  for (uint32_t position = 0; position < count; ++position) {
    const Candidate& ahead = candidates[std::min(position + kFetchAhead, count - 1)];
    const QueryTests& tests_ahead = plan_.tests_of[ahead.query];
    if (level < row_test_count(tests_ahead)) {
      __builtin_prefetch(tested_value(*layout_, plan_.row_tests[tests_ahead.rows.first + level], view, ahead.row));
    }
    const Candidate candidate = candidates[position];
    const QueryTests& tests = plan_.tests_of[candidate.query];
    candidates[kept] = candidate;
    kept += level >= row_test_count(tests) || passes(*layout_, plan_.row_tests[tests.rows.first + level],
                                                     (*queries_)[candidate.query].predicate(), view, candidate.row)
                ? 1
                : 0;
  }
  return kept;
}

void QuerySweep::verify_candidates(const ChunkView& view) {
  auto count = static_cast<uint32_t>(candidates_.size());
  if (row_sketches_ != nullptr) {
    count = verify_sketches(count);
  }
  uint32_t levels = 0;
  for (uint32_t position = 0; position < count; ++position) {
    levels = std::max(levels, row_test_count(plan_.tests_of[candidates_[position].query]));
  }
  for (uint32_t level = 0; level < levels && count > 0; ++level) {
    count = verify_level(level, count, view);
  }
  constexpr uint32_t kRowsAhead = 2;
  for (uint32_t position = 0; position < count; ++position) {
    if (position + kRowsAhead < count) {
      const Candidate& ahead = candidates_[position + kRowsAhead];
      (*queries_)[ahead.query].prefetch(view, ahead.row);
    }
    const Candidate& candidate = candidates_[position];
    QueryRun& query = (*queries_)[candidate.query];
    if (query.is_active()) {
      query.take(chunk_, &candidate.row, 1);
    }
  }
  candidates_.clear();
}

}  // namespace daedalus::engine

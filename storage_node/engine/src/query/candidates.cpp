#include "candidates.hpp"

#include <algorithm>

#include "branches.hpp"
#include "prefetch.hpp"

namespace daedalus::engine {
namespace {

/// How far ahead what taking a row needs is fetched, each to be there before the next is asked for: the query, its list
/// of columns, and the row's values, many of them and each in a place of its own.
constexpr uint32_t kQueryAhead = 8;
constexpr uint32_t kOutputsAhead = 4;
constexpr uint32_t kValuesAhead = 2;

}  // namespace

Candidates::Candidates(const TableLayout& layout, const ChunkStore& store) : layout_(&layout), store_(&store) {
  // Whoever adds looks whether they are many once a chunk, or once a block of eight queries' masks.
  waiting_.resize(kWaitingMax + std::max(store.chunk_rows(), kMaskBlockRows * kMaskQueries));
}

void Candidates::begin(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view,
                       const uint8_t* row_sketches) {
  plan_ = &plan;
  queries_ = &queries;
  view_ = view;
  row_sketches_ = {row_sketches, store_->row_sketch_bytes()};
}

uint32_t Candidates::test_level(uint32_t level, uint32_t count) {
  Candidate* candidates = waiting_.data();
  uint32_t kept = 0;
  for (uint32_t position = 0; position < count; ++position) {
    const Candidate& ahead = candidates[std::min(position + kValuesInFlight, count - 1)];
    const QueryTests& tests_ahead = plan_->tests_of[ahead.query];
    if (level < row_test_count(tests_ahead)) {
      __builtin_prefetch(tested_value(*layout_, plan_->row_tests[tests_ahead.rows.first + level], view_, ahead.row));
    }
    const Candidate candidate = candidates[position];
    const QueryTests& tests = plan_->tests_of[candidate.query];
    candidates[kept] = candidate;
    kept += level >= row_test_count(tests) || passes(*layout_, plan_->row_tests[tests.rows.first + level],
                                                     (*queries_)[candidate.query].predicate(), view_, candidate.row)
                ? 1
                : 0;
  }
  return kept;
}

void Candidates::test() {
  uint32_t count = waiting_count_;
  if (has_sketches()) {
    mark_branch(Branch::kSketchesTested);
    count = keep_within(row_sketches_, plan_->windows.data(), waiting_.data(), count);
  }
  uint32_t levels = 0;
  for (uint32_t position = 0; position < count; ++position) {
    levels = std::max(levels, row_test_count(plan_->tests_of[waiting_[position].query]));
  }
  for (uint32_t level = 0; level < levels && count > 0; ++level) {
    count = test_level(level, count);
  }
  take(count);
  waiting_count_ = 0;
}

void Candidates::fetch_self(uint32_t position, uint32_t count) const {
  if (position < count) {
    (*queries_)[waiting_[position].query].prefetch_self();
  }
}

void Candidates::fetch_outputs(uint32_t position, uint32_t count) const {
  if (position < count) {
    (*queries_)[waiting_[position].query].prefetch_outputs();
  }
}

void Candidates::fetch_values(uint32_t position, uint32_t count) const {
  if (position < count) {
    (*queries_)[waiting_[position].query].prefetch(view_, waiting_[position].row, row_sketches_);
  }
}

void Candidates::take(uint32_t count) {
  // Few rows of a chunk are taken: those that nothing comes before are fetched, too.
  for (uint32_t position = 0; position < kQueryAhead; ++position) {
    fetch_self(position, count);
  }
  for (uint32_t position = 0; position < kOutputsAhead; ++position) {
    fetch_outputs(position, count);
  }
  for (uint32_t position = 0; position < kValuesAhead; ++position) {
    fetch_values(position, count);
  }
  for (uint32_t position = 0; position < count; ++position) {
    fetch_self(position + kQueryAhead, count);
    fetch_outputs(position + kOutputsAhead, count);
    fetch_values(position + kValuesAhead, count);
    const Candidate& candidate = waiting_[position];
    QueryRun& query = (*queries_)[candidate.query];
    if (query.is_active()) {
      query.take(view_.number, &candidate.row, 1, row_sketches_);
    }
  }
}

void Candidates::test(uint32_t query, uint32_t* rows, uint32_t row_count, uint32_t known) {
  test();  // Earlier rows of this query may wait.
  QueryRun& run = (*queries_)[query];
  const QueryTests& tests = plan_->tests_of[query];
  if (has_sketches() && tests.has_window) {
    row_count = keep_within(row_sketches_, plan_->windows[query], rows, row_count);
  }
  for (uint32_t level = known; level < row_test_count(tests) && row_count > 0; ++level) {
    const RowTest& row_test = plan_->row_tests[tests.rows.first + level];
    uint32_t kept = 0;
    for (uint32_t position = 0; position < row_count; ++position) {
      const uint32_t row = rows[position];
      __builtin_prefetch(
          tested_value(*layout_, row_test, view_, rows[std::min(position + kValuesInFlight, row_count - 1)]));
      rows[kept] = row;
      kept += passes(*layout_, row_test, run.predicate(), view_, row) ? 1 : 0;
    }
    row_count = kept;
  }
  if (row_count > 0 && run.is_active()) {
    run.take(view_.number, rows, row_count, row_sketches_);
  }
}

}  // namespace daedalus::engine

#include "sketch_sweep.hpp"

#include <algorithm>

#include "branches.hpp"
#include "prefetch.hpp"

namespace daedalus::engine {
namespace {

/// From so many rows of a block on, a query's candidates are tested on their own: its tests stay the same from row to
/// row.
constexpr uint32_t kManyRows = 128;

}  // namespace

SketchSweep::SketchSweep(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches)
    : store_(&store),
      sketches_(&sketches),
      filters_(layout, store, sketches),
      scratch_(store.chunk_rows()),
      selection_(bitmap_words(store.chunk_rows())),
      rows_(std::max(store.chunk_rows(), kSketchBlockRows)) {}

void SketchSweep::sweep(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view,
                        Candidates& candidates) {
  const uint32_t chunk = view.number;
  const auto wants_rows = [&](const SketchQuery& query) { return queries[query.query].reaches(chunk); };
  if (std::none_of(plan.sketch_queries.begin(), plan.sketch_queries.end(), wants_rows)) {
    return;
  }
  if (!find_bytes(plan, chunk)) {
    mark_branch(Branch::kNoSketch);
    return sweep_plainly(plan, queries, view);
  }
  for (uint32_t first_row = 0; first_row < view.row_count; first_row += kSketchBlockRows) {
    const uint64_t* live = live_block(view, first_row);
    fetch_next_live(chunk, first_row);
    mark_block(plan, first_row);
    for (size_t filter = 0; filter < filters_.firsts().size(); ++filter) {
      choose_rows(live, choice_of(plan, plan.sketch_queries[filters_.firsts()[filter]]),
                  filters_.candidates(filter) + first_row / 64);
    }
    for (size_t number = 0; number < plan.sketch_queries.size(); ++number) {
      const SketchQuery& query = plan.sketch_queries[number];
      if (!filters_.has(number) && queries[query.query].is_active() && queries[query.query].reaches(chunk)) {
        const uint32_t row_count = list_chosen_rows(live, choice_of(plan, query), first_row, rows_.data());
        mark_branch(row_count >= kManyRows ? Branch::kManyCandidates : Branch::kFewCandidates);
        if (row_count >= kManyRows) {
          candidates.test(query.query, rows_.data(), row_count);
          continue;
        }
        for (uint32_t position = 0; position < row_count; ++position) {
          candidates.add(rows_[position], query.query);
        }
        if (candidates.is_full()) {
          candidates.test();
        }
      }
    }
  }
  filters_.take(plan, queries, view, candidates);
}

bool SketchSweep::find_bytes(const QueryPlan& plan, uint32_t chunk) {
  bytes_.clear();
  bitmaps_.resize(std::max(bitmaps_.size(), size_t{plan.bitmap_count}));
  for (const SketchBound& bound : plan.bounds) {
    bytes_.push_back(sketches_->bytes(chunk, bound.column));
    if (bytes_.back() == nullptr) {
      return false;
    }
  }
  return true;
}

const uint64_t* SketchSweep::live_block(const ChunkView& view, uint32_t first_row) {
  const uint32_t words = std::min(kSketchWords, (view.row_count - first_row) / 64);
  const uint64_t* live = view.live + first_row / 64;
  if (words == kSketchWords) {
    return live;
  }
  std::fill(std::copy_n(live, words, last_live_), std::end(last_live_), 0);
  return last_live_;
}

void SketchSweep::fetch_next_live(uint32_t chunk, uint32_t first_row) const {
  constexpr uint32_t kLineWords = 8;
  if (chunk + 1 < store_->chunk_count()) {
    const uint64_t* live = store_->view(chunk + 1).live + first_row / 64;
    for (uint32_t word = 0; word < kSketchWords; word += kLineWords) {
      fetch_ahead(live + word);
    }
  }
}

BitmapChoice SketchSweep::choice_of(const QueryPlan& plan, const SketchQuery& query) const {
  const uint16_t* uses = plan.uses.data();
  return {.bitmaps = reinterpret_cast<const uint64_t*>(bitmaps_.data()),
          .within = uses + query.within.first,
          .within_count = query.within.count,
          .without = uses + query.without.first,
          .without_count = query.without.count};
}

void SketchSweep::mark_block(const QueryPlan& plan, uint32_t first_row) {
  for (size_t number = 0; number < plan.bounds.size(); ++number) {
    const SketchBound& bound = plan.bounds[number];
    uint64_t* bitmap = bitmaps_[bound.bitmap].words;
    bound.is_bucket ? mark_equal(bytes_[number] + first_row, bound.bound, bitmap)
                    : mark_above(bytes_[number] + first_row, bound.bound, bitmap);
  }
  for (const SketchUnion& all : plan.unions) {
    join_spans(plan, all);
  }
}

void SketchSweep::join_spans(const QueryPlan& plan, const SketchUnion& all) {
  uint64_t* joined = bitmaps_[all.bitmap].words;
  std::fill_n(joined, kSketchWords, 0);
  for (uint32_t at = all.spans.first; at < all.spans.first + all.spans.count; ++at) {
    const SketchSpan& span = plan.spans[at];
    const uint64_t* within = span.has_within ? bitmaps_[span.within].words : nullptr;
    const uint64_t* without = span.has_without ? bitmaps_[span.without].words : nullptr;
    for (uint32_t word = 0; word < kSketchWords; ++word) {
      joined[word] |= (within != nullptr ? within[word] : ~uint64_t{0}) & ~(without != nullptr ? without[word] : 0);
    }
  }
}

void SketchSweep::sweep_plainly(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view) {
  for (const SketchQuery& query : plan.sketch_queries) {
    pass_over(view, queries[query.query]);
  }
}

void SketchSweep::pass_over(const ChunkView& view, QueryRun& run) {
  const uint32_t chunk = view.number;
  if (!run.is_active() || !run.reaches(chunk)) {
    return;
  }
  run.predicate().select(view, scratch_, selection_.data(), {sketches_, chunk});
  if (run.takes_selections()) {
    mark_branch(Branch::kPassTaken);
    run.take_selection(chunk, selection_.data());
  } else if (const uint32_t row_count = list_rows(selection_.data(), view.word_count(), rows_.data()); row_count > 0) {
    run.take(chunk, rows_.data(), row_count);
  }
}

}  // namespace daedalus::engine

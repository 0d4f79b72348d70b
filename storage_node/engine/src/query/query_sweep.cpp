#include "query_sweep.hpp"

#include <algorithm>

#include "branches.hpp"
#include "query_twins.hpp"

namespace daedalus::engine {
namespace {

/// Queries looked at for an abort, at each chunk.
constexpr uint32_t kLooks = 64;
/// From so many gathered rows of a chunk on, a query's are tested on their own.
constexpr size_t kManyRows = 128;
/// From so many for each comparison of the condition on, passes over the chunk are cheaper than a test of each.
constexpr size_t kPassRows = 24;

/// Returns whether passes find a query's rows of a chunk in less time than it takes to test those that indexes have
/// found. A condition of few comparisons is quickly tested, and a long list slow to pass over.
bool is_for_passes(const CompiledPredicate& predicate, size_t rows) {
  constexpr uint32_t kComparisonsMin = 4;
  constexpr uint32_t kMembersMax = 16;
  const uint32_t comparisons = predicate.literal_count();
  if (rows < kManyRows || rows < kPassRows * comparisons || comparisons < kComparisonsMin) {
    return false;
  }
  return std::all_of(predicate.clauses().begin(), predicate.clauses().end(), [&](const CompiledClause& clause) {
    const std::span<const CompiledLiteral> literals = predicate.literals(clause);
    return std::all_of(literals.begin(), literals.end(),
                       [](const CompiledLiteral& literal) { return literal.constant_count <= kMembersMax; });
  });
}

}  // namespace

QuerySweep::QuerySweep(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches,
                       const ChunkBounds& bounds, Moments& moments, Groupings& groupings, AccessPaths paths)
    : layout_(&layout),
      store_(&store),
      sketches_(&sketches),
      bounds_(&bounds),
      moments_(&moments),
      paths_(paths),
      probe_(store.chunk_rows()),
      candidates_(layout, store),
      joined_(store.chunk_rows()),
      mask_sweep_(sketches),
      sketch_sweep_(layout, store, sketches),
      cells_(layout, sketches, groupings, paths) {}

void QuerySweep::begin(std::vector<QueryRun>& queries) {
  queries_ = &queries;
  share(queries);
  plan_ = plan_queries(*layout_, *sketches_, queries, paths_);
  sketch_sweep_.begin(plan_, queries);
  active_ = std::any_of(queries.begin(), queries.end(), [](const QueryRun& query) { return query.is_active(); });
  next_look_ = 0;
  joined_.begin(plan_.joined.size());
  find_bounded();
}

void QuerySweep::share(std::vector<QueryRun>& queries) {
  // Most cycles have none of these queries: of thousands of others none is looked at twice for it.
  bool has_aggregates = false;
  with_residual_.clear();
  pieces_.clear();
  hidden_rows_ = 0;
  hidden_rows_told_ = 0;
  for (uint32_t number = 0; number < queries.size(); ++number) {
    has_aggregates = has_aggregates || queries[number].is_aggregating();
    if (queries[number].has_residual()) {
      with_residual_.push_back(number);
    }
    if (moments_->have_past() && queries[number].is_piece()) {
      pieces_.push_back(number);
    }
  }
  if (has_aggregates) {
    join_twins(queries);
    cells_.begin(queries);
  }
}

void QuerySweep::hand_over() {
  take_what_waits();
  cells_.hand_over();
}

void QuerySweep::take_what_waits() {
  for (const uint32_t number : with_residual_) {
    (*queries_)[number].take_what_waits();
  }
}

void QuerySweep::find_bounded() {
  bounded_.clear();
  if (!is_by_cost(paths_) || paths_ == AccessPaths::kWithoutBounds) {
    return;
  }
  const std::vector<bool> clustered = bounds_->clustered();
  if (std::find(clustered.begin(), clustered.end(), true) == clustered.end()) {
    return;
  }
  for (uint32_t number = 0; number < queries_->size(); ++number) {
    const CompiledPredicate& predicate = (*queries_)[number].predicate();
    const auto is_bounded = [&](const CompiledClause& clause) {
      const std::span<const CompiledLiteral> any = predicate.literals(clause);
      return std::all_of(any.begin(), any.end(), [&](const CompiledLiteral& one) { return clustered[one.column]; });
    };
    if (std::any_of(predicate.clauses().begin(), predicate.clauses().end(), is_bounded)) {
      bounded_.push_back(number);
    }
  }
}

bool QuerySweep::pass_by(uint32_t chunk) {
  size_t passed = 0;
  for (const uint32_t number : bounded_) {
    QueryRun& query = (*queries_)[number];
    if (bounds_->reach(chunk, query.predicate()) == Reach::kNone) {
      mark_branch(Branch::kQuerySkipsChunk);
      query.pass_by(chunk);
      ++passed;
    }
  }
  return passed < queries_->size();
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

/// Slices look at few chunks: rows of others that changed are not laid out for them.
bool QuerySweep::is_wanted(uint32_t chunk) const {
  return pieces_.size() < queries_->size() || std::any_of(pieces_.begin(), pieces_.end(), [&](uint32_t number) {
           const QueryRun& query = (*queries_)[number];
           return query.is_active() && query.reaches(chunk);
         });
}

void QuerySweep::sweep(uint32_t chunk) {
  look_for_aborts();
  if (active_) {
    moments_->drop_lost();
  }
  if (active_ && is_wanted(chunk)) {
    const ChunkView view = moments_->visible(chunk);
    if (store_->live_rows(chunk) > 0 && pass_by(chunk)) {
      sweep_rows(view);
    }
    end_chunk_of_pieces(chunk);
  }
}

void QuerySweep::end_chunk_of_pieces(uint32_t chunk) {
  hidden_rows_ += moments_->hidden_count();
  if (hidden_rows_ <= hidden_rows_told_) {
    return;
  }
  hidden_rows_told_ = UINT64_MAX;
  for (const uint32_t number : pieces_) {
    hidden_rows_told_ = std::min(hidden_rows_told_, (*queries_)[number].end_chunk_of_piece(chunk, hidden_rows_));
  }
}

bool QuerySweep::sweep_recent() {
  if (!active_ || !moments_->have_past()) {
    return false;
  }
  take_what_waits();  // While rows are where they were found, and before a slice's slots are final.
  mark_held();
  if (moments_->lacks_room()) {
    fail_holders();
    mark_held();
  }
  look_for_aborts();
  if (!active_ || !moments_->lay_out_next()) {
    return false;
  }
  sweep_rows(store_->view(moments_->recent_chunk()));
  return true;
}

/// First rows are read again when the sweep has ended.
void QuerySweep::mark_held() {
  const std::span<uint64_t> held = moments_->begin_held();
  for (QueryRun& query : *queries_) {
    if (query.is_active() && query.holds_slots()) {
      query.mark_held(moments_->recent_chunk(), held);
    }
  }
}

void QuerySweep::fail_holders() {
  mark_branch(Branch::kHolderFails);
  for (QueryRun& query : *queries_) {
    if (query.is_active() && query.holds_slots()) {
      query.fail_all(
          {ErrorCategory::kRetry, "53200",
           "more rows have changed since the moment of a query than a segment keeps for its ORDER BY with LIMIT",
           "Ask again, at a later moment.", 0});
    }
  }
}

void QuerySweep::sweep_rows(const ChunkView& view) {
  candidates_.begin(plan_, *queries_, view, sketches_->rows(view.number));
  for (QueryIndex& index : plan_.indexes) {
    index.is_joined() ? sweep_joined(index, view) : sweep_index(index, view);
  }
  add_joined(view);
  if (store_->is_recent(view.number)) {
    cells_.for_each_active([&](QueryRun& query) { sketch_sweep_.pass_over(view, query); });
  } else {
    cells_.sweep(view);
  }
  sweep_masks(view);
  sketch_sweep_.sweep(plan_, *queries_, view, candidates_);
  candidates_.test();
}

void QuerySweep::sweep_index(QueryIndex& index, const ChunkView& view) {
  index.probe(view, *sketches_, probe_, [&](uint32_t row, uint32_t query) { add(row, query); });
}

void QuerySweep::sweep_masks(const ChunkView& view) {
  if (plan_.masks.groups.empty() || mask_sweep_.sweep(plan_, *queries_, view, candidates_)) {
    return;
  }
  mark_branch(Branch::kNoSketch);
  for (const QueryMasks::Group& group : plan_.masks.groups) {
    for (uint32_t place = 0; place < group.query_count; ++place) {
      sketch_sweep_.pass_over(view, (*queries_)[group.queries[place]]);
    }
  }
}

void QuerySweep::sweep_joined(QueryIndex& index, const ChunkView& view) {
  index.probe(view, *sketches_, probe_, [&](uint32_t row, uint32_t query) {
    const uint32_t place = plan_.joined_place[query];
    if (place == QueryPlan::kAlone) {
      add(row, query);
    } else {
      joined_.add(place, row);
    }
  });
}

void QuerySweep::add_joined(const ChunkView& view) {
  for (uint32_t place = 0; place < plan_.joined.size(); ++place) {
    rows_.clear();
    joined_.take(place, [&](uint32_t row) { rows_.push_back(row); });
    const uint32_t query = plan_.joined[place];
    QueryRun& run = (*queries_)[query];
    if (is_for_passes(run.predicate(), rows_.size())) {
      sketch_sweep_.pass_over(view, run);
      continue;
    }
    if (rows_.size() >= kManyRows && run.is_active()) {
      mark_branch(Branch::kGatheredRows);
      candidates_.test(query, rows_.data(), static_cast<uint32_t>(rows_.size()));
      continue;
    }
    for (const uint32_t row : rows_) {
      add(row, query);
    }
  }
}

}  // namespace daedalus::engine

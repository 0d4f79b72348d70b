#include "filters.hpp"

#include <algorithm>

#include "branches.hpp"
#include "kernels_sketch.hpp"

namespace daedalus::engine {
namespace {

/// Filters that take whole bitmaps: each holds one of a chunk, two megabytes in all.
constexpr size_t kFiltersMax = 1024;
/// Testing a row costs about this many times as much as one row of a pass over a sketch (form random-counts of
/// engine_mix_bench).
constexpr uint32_t kRowTestCost = 64;

}  // namespace

Filters::Filters(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches)
    : layout_(&layout),
      sketches_(&sketches),
      words_(bitmap_words((store.chunk_rows() + kSketchBlockRows - 1) / kSketchBlockRows * kSketchBlockRows)),
      scratch_(store.chunk_rows()),
      rows_(store.chunk_rows()) {}

void Filters::begin(const QueryPlan& plan, const std::vector<QueryRun>& queries) {
  is_filtered_.assign(plan.sketch_queries.size(), 0);
  members_.clear();
  firsts_.clear();
  ends_.clear();
  for (uint32_t number = 0; number < plan.sketch_queries.size(); ++number) {
    const SketchQuery& query = plan.sketch_queries[number];
    if (queries[query.query].takes_selections()) {
      members_.push_back({queries[query.query].predicate().fingerprint(), number});
    }
  }
  // In the order of the plan where filters are the same: so which query's bitmaps are used does not hang on the sort.
  std::sort(members_.begin(), members_.end(), [](const Member& left, const Member& right) {
    return left.hash != right.hash ? left.hash < right.hash : left.number < right.number;
  });
  const auto condition = [&](uint32_t number) -> const semantics::Predicate& {
    return queries[plan.sketch_queries[number].query].condition();
  };
  for (size_t at = 0; at < members_.size(); ++at) {
    const Member& member = members_[at];
    const bool is_same =
        at > 0 && members_[at - 1].hash == member.hash && condition(firsts_.back()) == condition(member.number);
    if (is_same) {
      mark_branch(Branch::kSharedFilter);
      ++ends_.back();
    } else if (firsts_.size() == kFiltersMax) {
      members_.resize(at);
      break;
    } else {
      firsts_.push_back(member.number);
      ends_.push_back(static_cast<uint32_t>(at) + 1);
    }
    is_filtered_[member.number] = 1;
  }
  bitmaps_.resize(std::max(bitmaps_.size(), firsts_.size() * words_));
}

void Filters::take(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view,
                   Candidates& candidates) {
  uint32_t at = 0;
  for (size_t filter = 0; filter < firsts_.size(); ++filter) {
    const uint32_t first = plan.sketch_queries[firsts_[filter]].query;
    uint64_t* selection = this->candidates(filter);
    const uint32_t known = narrow(plan, queries[first], first, view, selection);
    for (; at < ends_[filter]; ++at) {
      const uint32_t query = plan.sketch_queries[members_[at].number].query;
      if (!queries[query].is_active() || !queries[query].reaches(view.number)) {
        continue;
      }
      if (known == plan.tests_of[first].rows.count) {
        mark_branch(Branch::kFilterTaken);
        queries[query].take_selection(view.number, selection);
      } else {
        test_rows(query, known, selection, view, candidates);
      }
    }
  }
}

uint32_t Filters::narrow(const QueryPlan& plan, const QueryRun& run, uint32_t query, const ChunkView& view,
                         uint64_t* selection) {
  const CompiledPredicate& predicate = run.predicate();
  const ChunkSketches sketches{sketches_, view.number};
  const LiteralMarker marker(*layout_, predicate.constants(), view, sketches);
  const Part& tests = plan.tests_of[query].rows;
  for (uint32_t test = tests.first; test < tests.first + tests.count; ++test) {
    if (count_bits(selection, view.word_count()) * kRowTestCost < view.row_count) {
      return test - tests.first;
    }
    const CompiledClause& clause = predicate.clauses()[plan.row_tests[test].clause];
    if (clause.is_tree) {
      predicate.select(view, scratch_, selection, sketches);  // All other clauses, too.
      return tests.count;
    }
    mark_clause(predicate, clause, marker, selection, view.word_count());
    and_into(selection, scratch_.clause.data(), view.word_count());
  }
  return tests.count;
}

/// Marks the rows of one clause in scratch_.clause.
void Filters::mark_clause(const CompiledPredicate& predicate, const CompiledClause& clause, const LiteralMarker& marker,
                          const uint64_t* among, uint32_t words) {
  const std::span<const CompiledLiteral> literals = predicate.literals(clause);
  uint64_t* marked = scratch_.clause.data();
  for (const CompiledLiteral& literal : literals) {
    const bool is_first = &literal == literals.data();
    uint64_t* next = is_first ? marked : scratch_.literal.data();
    marker.mark(literal, among, next);
    if (!is_first) {
      or_into(marked, next, words);
    }
  }
}

void Filters::test_rows(uint32_t query, uint32_t known, const uint64_t* selection, const ChunkView& view,
                        Candidates& candidates) {
  const uint32_t row_count = list_rows(selection, view.word_count(), rows_.data());
  if (row_count > 0) {
    mark_branch(Branch::kFilterTested);
    candidates.test(query, rows_.data(), row_count, known);
  }
}

}  // namespace daedalus::engine

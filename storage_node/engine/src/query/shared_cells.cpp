#include "shared_cells.hpp"

#include <algorithm>

#include "branches.hpp"
#include "clause_ranges.hpp"

namespace daedalus::engine {
namespace {

using semantics::AggregateFunction;
using semantics::BoundAggregate;

/// Fewer queries are left alone.
constexpr size_t kMembersMin = 4;
/// Sets of queries that aggregate the same.
constexpr size_t kSetsMax = 16;
/// Cells of a set: with their states a few megabytes at most, as large as the second-level cache.
constexpr uint64_t kCellsMax = 1u << 16;
constexpr uint32_t kBatchRows = 1024;

// ns (forms `sums` and `flags` of engine_mix_bench, variants of TPC-H Q6 in experiments/sql).
constexpr double kRowCost = 1.5;           ///< A row,
constexpr double kColumnCost = 1;          ///< for each column of cells,
constexpr double kAggregateCost = 2.5;     ///< and for each aggregate.
constexpr double kMergeCost = 3;           ///< A cell that a query puts to others, for each aggregate.
constexpr double kTakenCost = 6;           ///< A row that a query takes by itself,
constexpr double kTakenAggregateCost = 4;  ///< for each aggregate.
constexpr double kPassCost = 0.03;         ///< A row of a chunk that a query aggregates by passes over columns,
constexpr double kPassAggregateCost = 0.07;

/// A row of the segment for a query by itself.
double cost_alone(double share, size_t aggregates, bool has_computed) {
  const auto count = static_cast<double>(aggregates);
  const double by_row = share * (kTakenCost + kTakenAggregateCost * count);
  return has_computed ? by_row : std::min(by_row, kPassCost + kPassAggregateCost * count);
}

bool is_computed(const BoundAggregate& aggregate) { return aggregate.argument && !aggregate.argument->is_input(); }

}  // namespace

SharedCells::SharedCells(const TableLayout& layout, const Sketches& sketches, Groupings& groupings, AccessPaths paths)
    : layout_(&layout),
      sketches_(&sketches),
      groupings_(&groupings),
      paths_(paths),
      numbers_(kBatchRows),
      all_(kBatchRows),
      rows_(kBatchRows),
      cells_(kBatchRows) {}

void SharedCells::begin(std::vector<QueryRun>& queries) {
  queries_ = &queries;
  if (!is_by_cost(paths_) || paths_ == AccessPaths::kWithoutCells) {
    return;
  }
  for (uint32_t query = 0; query < queries.size(); ++query) {
    if (std::optional<Member> member = member_of(query)) {
      add(std::move(*member));
    }
  }
  std::erase_if(sets_, [&](Set& set) { return !is_worthwhile(set) || !complete(set); });
  for (const Set& set : sets_) {
    mark_branch(Branch::kCells);
    for (const Member& member : set.members) {
      queries[member.query].join_cells();
    }
  }
}

std::optional<SharedCells::Member> SharedCells::member_of(uint32_t query) const {
  QueryRun& run = (*queries_)[query];
  if (!run.needs_plan() || run.grouping() == nullptr || run.states() == nullptr || !run.states()->can_merge()) {
    return std::nullopt;
  }
  Member member{.query = query, .bounds = {}, .wants = {}};
  const CompiledPredicate& predicate = run.predicate();
  ClauseRanges described;
  for (uint32_t number = 0; number < predicate.clauses().size(); ++number) {
    const CompiledClause& clause = predicate.clauses()[number];
    const std::span<const CompiledLiteral> literals = predicate.literals(clause);
    const bool is_range = !clause.is_tree && literals.size() == 1 &&
                          literals[0].kind == CompiledLiteral::Kind::kRange && !literals[0].negated;
    if (!is_range || bound_of(member, literals[0].column) != nullptr) {
      return std::nullopt;
    }
    member.bounds.push_back({literals[0].column, literals[0].codes});
    describe_clause(*sketches_, predicate, number, described);
    member.share *= described.share;
  }
  return member;
}

const SharedCells::Bound* SharedCells::bound_of(const Member& member, uint32_t column) {
  const auto bound = std::find_if(member.bounds.begin(), member.bounds.end(),
                                  [&](const Bound& each) { return each.column == column; });
  return bound == member.bounds.end() ? nullptr : &*bound;
}

IntervalRange SharedCells::intervals_of(const Member& member, const CutColumn& column) {
  const Bound* bound = bound_of(member, column.column());
  return bound == nullptr ? column.all() : column.intervals(bound->codes);
}

void SharedCells::add(Member member) {
  const std::vector<BoundAggregate>& aggregates = (*queries_)[member.query].grouping()->aggregates;
  for (Set& set : sets_) {
    if (grouping_of(set).aggregates == aggregates) {
      if (add(set, member)) {
        set.members.push_back(std::move(member));
      }
      return;
    }
  }
  if (Set set; sets_.size() < kSetsMax && add(set, member)) {
    set.members.push_back(std::move(member));
    sets_.push_back(std::move(set));
  }
}

uint64_t SharedCells::cells_with(const Set& set, const Member& member) const {
  uint64_t cells = 1;
  const auto add_column = [&](const CutColumn& column, const Bound* bound) {
    cells *= column.interval_count() + (bound == nullptr ? 0 : column.missing(bound->codes));
    cells = std::min(cells, kCellsMax + 1);
  };
  for (const CutColumn& column : set.columns) {
    add_column(column, bound_of(member, column.column()));
  }
  for (const Bound& bound : member.bounds) {
    if (std::none_of(set.columns.begin(), set.columns.end(),
                     [&](const CutColumn& column) { return column.column() == bound.column; })) {
      add_column(CutColumn(*layout_, bound.column), &bound);
    }
  }
  return cells;
}

bool SharedCells::add(Set& set, const Member& member) const {
  const uint64_t cells = cells_with(set, member);
  if (cells > kCellsMax) {
    return false;
  }
  for (const Bound& bound : member.bounds) {
    auto column = std::find_if(set.columns.begin(), set.columns.end(),
                               [&](const CutColumn& each) { return each.column() == bound.column; });
    if (column == set.columns.end()) {
      column = set.columns.emplace(column, *layout_, bound.column);
    }
    column->add(bound.codes);
  }
  set.cell_count = static_cast<uint32_t>(cells);
  return true;
}

bool SharedCells::is_worthwhile(const Set& set) const {
  if (paths_ == AccessPaths::kCells) {
    return true;
  }
  if (set.members.size() < kMembersMin) {
    return false;
  }
  const std::vector<BoundAggregate>& aggregates = grouping_of(set).aggregates;
  const bool has_computed = std::any_of(aggregates.begin(), aggregates.end(), is_computed);
  double alone = 0;
  double merged = 0;
  for (const Member& member : set.members) {
    alone += cost_alone(member.share, aggregates.size(), has_computed);
    double cells = 1;
    for (const CutColumn& column : set.columns) {
      const IntervalRange range = intervals_of(member, column);
      cells *= range.last - range.first + 1;
    }
    merged += cells;
  }
  const auto rows = static_cast<double>(sketches_->row_count());
  const auto count = static_cast<double>(aggregates.size());
  const double row_cost = kRowCost + kColumnCost * static_cast<double>(set.columns.size()) + kAggregateCost * count;
  return rows * row_cost + merged * kMergeCost * count < rows * alone;
}

bool SharedCells::complete(Set& set) {
  set.states.emplace(plan_of(*layout_, grouping_of(set), groupings_->expressions()).aggregates, /*is_grouped=*/true);
  set.memory.emplace(MemoryShare::of_nobody(groupings_->memory()));
  if (!set.memory->add_spare(set.cell_count * (set.states->state_bytes() + 1))) {
    return false;
  }
  set.states->resize(set.cell_count);
  set.time.allowed_ns = 0;
  for (const Member& member : set.members) {
    set.time.allowed_ns = std::max(set.time.allowed_ns, (*queries_)[member.query].compute_ns_allowed());
  }
  uint32_t weight = 1;
  for (CutColumn& column : set.columns) {
    column.end(weight);
    weight *= column.interval_count();
  }
  set.is_wanted.assign(set.cell_count, 0);
  for (Member& member : set.members) {
    for (const CutColumn& column : set.columns) {
      member.wants.push_back(intervals_of(member, column));
    }
    list_cells(set, member);
    for (const uint32_t cell : listed_) {
      set.is_wanted[cell] = 1;
    }
  }
  return true;
}

void SharedCells::list_cells(const Set& set, const Member& member) {
  listed_.assign(1, 0);
  for (size_t place = 0; place < set.columns.size(); ++place) {
    const auto [first, last] = member.wants[place];
    const size_t known = listed_.size();
    const uint32_t weight = set.columns[place].weight();
    for (uint32_t interval = last; interval > first; --interval) {
      for (size_t at = 0; at < known; ++at) {
        listed_.push_back(listed_[at] + interval * weight);
      }
    }
    for (size_t at = 0; at < known; ++at) {
      listed_[at] += first * weight;
    }
  }
}

void SharedCells::sweep(const ChunkView& view) {
  for (Set& set : sets_) {
    const bool has_taker = std::any_of(set.members.begin(), set.members.end(), [&](const Member& member) {
      const QueryRun& query = (*queries_)[member.query];
      return query.is_active() && query.reaches(view.number);
    });
    if (has_taker) {
      sweep(set, view);
    }
  }
}

void SharedCells::sweep(Set& set, const ChunkView& view) {
  for (uint32_t first = 0; first < view.row_count; first += kBatchRows) {
    const uint32_t count = std::min(kBatchRows, view.row_count - first);
    const uint32_t wanted = list_rows(set, view, first, count);
    if (wanted == count) {
      take(set, {.chunk = &view, .first = first, .count = count});
    } else if (wanted > 0) {
      take(set, {.chunk = &view, .rows = rows_.data(), .count = wanted});
    }
  }
}

uint32_t SharedCells::list_rows(const Set& set, const ChunkView& view, uint32_t first, uint32_t count) {
  std::fill_n(all_.data(), count, 0);
  for (const CutColumn& column : set.columns) {
    column.number(view, first, count, numbers_.data(), all_.data());
  }
  const uint8_t* is_wanted = set.is_wanted.data();
  uint32_t wanted = 0;
  for (uint32_t word = 0; word < count / 64; ++word) {
    uint64_t live = view.live[first / 64 + word];
    for (uint32_t position = word * 64; position < word * 64 + 64; ++position) {
      const uint32_t cell = all_[position];
      rows_[wanted] = first + position;
      cells_[wanted] = cell;
      wanted += is_wanted[cell] & (live & 1);
      live >>= 1;
    }
  }
  return wanted;
}

Instant SharedCells::waits_until(const Set& set) const {
  Instant until{};
  for (const Member& member : set.members) {
    const QueryRun& query = (*queries_)[member.query];
    until = query.is_active() ? std::max(until, query.waits_until()) : until;
  }
  return until;
}

void SharedCells::take(Set& set, RowBatch batch) {
  batch.number = ++groupings_->scratch().batches;
  DeadlineCheck* const deadline_check = groupings_->expressions().deadline_check();
  if (deadline_check == nullptr || !set.states->has_computed()) {
    if (!take_together(set, batch)) {
      take_by_query(set, batch);
    }
    return;
  }
  std::optional<Error> over;
  bool is_taken = false;
  {
    const DeadlineCheck::Work work(*deadline_check, waits_until(set), nullptr, &set.time);
    is_taken = take_together(set, batch);
    if (!is_taken && deadline_check->is_over()) {
      over = deadline_check->error();
    }
  }
  if (over) {
    fail(set, *over);
  } else if (!is_taken) {
    take_by_query(set, batch);
  }
}

bool SharedCells::take_together(Set& set, const RowBatch& batch) {
  BatchScratch& scratch = groupings_->scratch();
  // One aggregate takes all of a batch or nothing; of several, earlier ones would have taken it.
  const bool must_ask = set.states->count() > 1 && set.states->has_computed();
  return (!must_ask || set.states->can_take(batch, scratch)) && set.states->take(batch, cells_.data(), scratch);
}

void SharedCells::fail(const Set& set, const Error& error) {
  for (const Member& member : set.members) {
    if (QueryRun& query = (*queries_)[member.query]; query.is_active()) {
      query.fail_all(error);
    }
  }
}

/// Something cannot be computed for some row: only who wants that row ends with the error.
void SharedCells::take_by_query(const Set& set, const RowBatch& batch) {
  for (const Member& member : set.members) {
    QueryRun& query = (*queries_)[member.query];
    if (!query.is_active()) {
      continue;
    }
    listed_.clear();
    for (uint32_t position = 0; position < batch.count; ++position) {
      bool is_within = true;
      for (size_t place = 0; place < set.columns.size(); ++place) {
        is_within = is_within && set.columns[place].lies_within(cells_[position], member.wants[place]);
      }
      if (is_within) {
        listed_.push_back(batch.row(position));
      }
    }
    if (!listed_.empty()) {
      query.take(batch.chunk->number, listed_.data(), static_cast<uint32_t>(listed_.size()));
    }
  }
}

void SharedCells::hand_over() {
  for (const Set& set : sets_) {
    for (const Member& member : set.members) {
      if (QueryRun& query = (*queries_)[member.query]; query.is_active()) {
        list_cells(set, member);
        query.states()->merge(0, *set.states, listed_);
      }
    }
  }
}

}  // namespace daedalus::engine

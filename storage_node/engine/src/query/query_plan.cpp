#include "query_plan.hpp"

#include <algorithm>
#include <optional>

#include "branches.hpp"
#include "shared_bitmaps.hpp"

namespace daedalus::engine {
namespace {

/// ns a row of the segment, from engine_mix_bench: a bitmap that no other query has asked for yet, and one that is
/// there.
constexpr double kBitmapCost = 0.0065;
constexpr double kUseCost = 0.0015;

/// Bounds of a column that bitmaps are made for. Many queries without a key share them, and making them is what costs;
/// few have hardly two in common, and candidates are what costs (engine_mix_bench).
constexpr int64_t kFewQueries = 384;
constexpr uint32_t kBoundsOfFew = 64;
constexpr uint32_t kBoundsOfMany = 32;

/// Candidates of one query, as a share of rows, that are tested together rather than with those of others.
constexpr double kGatheredShareMin = 0.01;

class Planner {
 public:
  Planner(const TableLayout& layout, const Sketches& sketches, const std::vector<QueryRun>& queries, AccessPaths paths)
      : layout_(layout),
        sketches_(sketches),
        queries_(queries),
        paths_(paths),
        masks_(sketches, static_cast<uint32_t>(layout.columns.size())),
        bitmaps_(static_cast<uint32_t>(layout.columns.size()), plan_) {
    plan_.tests_of.resize(queries.size());
    plan_.windows.resize(queries.size());
  }

  QueryPlan plan() {
    weigh();
    const QueryKeys keys(layout_, sketches_, operations_, trees_, paths_);
    size_t sketched = 0;
    for (size_t position = 0; position < operations_.size(); ++position) {
      sketched += keys.has_key(position) ? 0 : 1;
    }
    bounds_max_ = sketched <= kFewQueries ? kBoundsOfFew : kBoundsOfMany;
    for (const Key& key : keys.keys()) {
      plan_.indexes.emplace_back(layout_, key);
    }
    for (size_t position = 0; position < operations_.size(); ++position) {
      if (keys.has_key(position)) {
        add_indexed(position, keys);
      } else if (!add_masked(operations_[position])) {
        add_sketched(operations_[position]);
      }
    }
    bitmaps_.end();
    plan_.masks = masks_.end();
    for (QueryIndex& index : plan_.indexes) {
      index.build();
    }
    return std::move(plan_);
  }

 private:
  void weigh() {
    size_t clauses = 0;
    for (const QueryRun& query : queries_) {
      clauses += query.needs_plan() ? query.predicate().clauses().size() : 0;
    }
    weighed_.resize(clauses);
    WeighedClause* next = weighed_.data();
    for (uint32_t query = 0; query < queries_.size(); ++query) {
      if (queries_[query].needs_plan()) {
        const CompiledPredicate& predicate = queries_[query].predicate();
        weigh_clauses(predicate, sketches_, next);
        operations_.push_back({query, &predicate, {next, predicate.clauses().size()}});
        trees_.push_back(&queries_[query].tree());
        next += predicate.clauses().size();
      }
    }
  }

  void begin_tests(uint32_t query) {
    QueryTests& tests = plan_.tests_of[query];
    tests.rows.first = static_cast<uint32_t>(plan_.row_tests.size());
    later_.clear();
  }

  /// The clause is tested on rows; where sketches were tested only if they leave it open.
  void add_row_test(const KeyedOperation& operation, uint32_t clause, bool is_open) {
    if (is_open) {
      plan_.row_tests.push_back(row_test(*operation.predicate, clause));
    } else {
      later_.push_back(clause);
    }
  }

  /// The clause is tested on sketches, if it has such a form, and on rows. Uses described_.
  void add_tests(const KeyedOperation& operation, uint32_t clause) {
    const bool has_test = paths_ != AccessPaths::kWithoutWindows && described_.ranges.size() == 1 &&
                          described_.ranges[0].column < kRowSketchColumnsMax &&
                          plan_.windows[operation.operation].narrow(
                              described_.ranges[0].column, described_.ranges[0].low, described_.ranges[0].high);
    plan_.tests_of[operation.operation].has_window |= has_test;
    add_row_test(operation, clause, !(described_.is_exact && has_test));
  }

  void end_tests(const KeyedOperation& operation) {
    QueryTests& tests = plan_.tests_of[operation.operation];
    const auto row_tests = static_cast<uint32_t>(plan_.row_tests.size());
    tests.inexact = row_tests - tests.rows.first;
    for (const uint32_t clause : later_) {
      plan_.row_tests.push_back(row_test(*operation.predicate, clause));
    }
    tests.rows.count = tests.inexact + static_cast<uint32_t>(later_.size());
  }

  void add_indexed(size_t position, const QueryKeys& keys) {
    const KeyedOperation& operation = operations_[position];
    for (const QueryKeys::Entry& entry : keys.entries(position)) {
      QueryIndex& index = plan_.indexes[entry.choice.key];
      keys.for_each_key(position, entry, [&](std::span<const CodedValue> members) {
        index.add(members, sketches_, operation.operation);
      });
    }
    begin_tests(operation.operation);
    const std::span<const QueryKeys::Entry> entries = keys.entries(position);
    if (entries.size() == 1 && entries[0].group == QueryKeys::kConjunction) {
      test_conjunction(operation, entries[0].choice);
    } else {
      test_alternatives(operation);
    }
    end_tests(operation);
    gather(operation, entries);
  }

  /// Candidates hold what the key's clauses name, or nearly so.
  void test_conjunction(const KeyedOperation& operation, const KeyChoice& choice) {
    QueryIndex& index = plan_.indexes[choice.key];
    const auto column_count = static_cast<uint32_t>(index.columns().size());
    const auto is_key = [&](uint32_t clause) {
      return clause == choice.sources[0] || (column_count > 1 && clause == choice.sources[1]);
    };
    for (const WeighedClause& weighed : operation.clauses) {
      if (index.is_by_sketches() || !is_key(weighed.clause)) {
        describe_clause(sketches_, *operation.predicate, weighed.clause, described_);
        add_tests(operation, weighed.clause);
      }
    }
    if (!index.is_by_sketches()) {
      // The key's own clauses come last: nearly every candidate has the key it was found by.
      for (uint32_t place = 0; place < column_count; ++place) {
        add_row_test(operation, choice.sources[place], true);
      }
    }
  }

  /// Candidates hold what some alternative names: all of the condition is tested, what takes longest last,
  /// but for what follows from its tree.
  void test_alternatives(const KeyedOperation& operation) {
    for (const bool is_joined : {false, true}) {
      for (const WeighedClause& weighed : operation.clauses) {
        const CompiledClause& clause = operation.predicate->clauses()[weighed.clause];
        if ((clause.count > 1) == is_joined && !clause.is_implied) {
          describe_clause(sketches_, *operation.predicate, weighed.clause, described_);
          add_tests(operation, weighed.clause);
        }
      }
    }
  }

  /// Rows of a query that several indexes find, or many of a chunk, are gathered: each then leaves once, in order, and
  /// all are tested together. So are those of a query with many constants: the caches hold them for as long.
  void gather(const KeyedOperation& operation, std::span<const QueryKeys::Entry> entries) {
    const bool has_much = operation.predicate->clause_constants_max() > kPairMembersMax;
    const auto is_large = [&](const QueryKeys::Entry& entry) {
      return paths_ != AccessPaths::kWithoutGathering && (has_much || entry.share > kGatheredShareMin);
    };
    const bool is_gathered = std::any_of(entries.begin(), entries.end(), [&](const QueryKeys::Entry& entry) {
      return entry.choice.key != entries[0].choice.key || is_large(entry);
    });
    if (is_gathered) {
      plan_.joined_place.resize(queries_.size(), QueryPlan::kAlone);
      plan_.joined_place[operation.operation] = static_cast<uint32_t>(plan_.joined.size());
      plan_.joined.push_back(operation.operation);
      for (const QueryKeys::Entry& entry : entries) {
        plan_.indexes[entry.choice.key].set_joined();
      }
    }
  }

  /// Returns whether bitmaps that leave this share of what is left save more tests of rows than they cost.
  [[nodiscard]] bool is_worth_bitmaps(double left, double share, uint32_t missing) const {
    if (!is_by_cost(paths_) || paths_ == AccessPaths::kWithoutBitmaps) {
      return paths_ == AccessPaths::kSketches || paths_ == AccessPaths::kMasks;
    }
    return left * (1 - share) * kBitmapCandidateCost > missing * kBitmapCost + kUseCost;
  }

  /// Lets bitmaps do the clause at hand if that pays. Uses described_. Returns whether they decide it, or nothing.
  std::optional<bool> use_bitmaps(double& left) {
    wide_ = described_.ranges;
    is_wide_ = false;
    for (SketchRange& range : wide_) {
      const SketchRange narrow = range;
      if (widen(sketches_.histogram(range.column), bounds_max_, range)) {
        continue;
      }
      if (narrow.low == narrow.high && paths_ != AccessPaths::kWithoutBuckets && bitmaps_.has_room_for_buckets()) {
        range = narrow;
        range.is_bucket = true;
      } else {
        is_wide_ = true;
      }
    }
    const std::optional<uint32_t> missing = wide_.empty() ? std::nullopt : bitmaps_.missing(wide_);
    if (!missing.has_value() || !is_worth_bitmaps(left, described_.share, *missing)) {
      return std::nullopt;
    }
    if (*missing == 0) {
      mark_branch(Branch::kSharedPredicate);
    }
    if (wide_.size() > 1) {
      mark_branch(Branch::kDisjunction);
    }
    const SketchSpan span = bitmaps_.add(wide_);
    if (span.has_within) {
      within_.push_back(span.within);
    }
    if (span.has_without) {
      without_.push_back(span.without);
    }
    left *= described_.share;
    return described_.is_exact && !is_wide_;
  }

  /// Queries that take rows one by one, and few of them.
  bool add_masked(const KeyedOperation& operation) {
    if (!uses_masks(paths_) || queries_[operation.operation].takes_selections() || !masks_.add(operation, described_)) {
      return false;
    }
    begin_tests(operation.operation);
    for (const WeighedClause& weighed : operation.clauses) {
      describe_clause(sketches_, *operation.predicate, weighed.clause, described_);
      add_tests(operation, weighed.clause);
    }
    end_tests(operation);
    return true;
  }

  void add_sketched(const KeyedOperation& operation) {
    begin_tests(operation.operation);
    within_.clear();
    without_.clear();
    double left = 1;
    for (const WeighedClause& weighed : operation.clauses) {
      describe_clause(sketches_, *operation.predicate, weighed.clause, described_);
      // A look at the row's sketches comes before its values, and knows buckets that bitmaps do not tell apart.
      if (const std::optional<bool> is_decided = use_bitmaps(left); !is_decided.has_value() || is_wide_) {
        add_tests(operation, weighed.clause);
      } else if (!*is_decided) {
        add_row_test(operation, weighed.clause, true);
      }
    }
    end_tests(operation);
    plan_.sketch_queries.push_back({operation.operation, add_uses(within_), add_uses(without_)});
  }

  Part add_uses(const std::vector<uint16_t>& bitmaps) {
    const Part part{static_cast<uint32_t>(plan_.uses.size()), static_cast<uint32_t>(bitmaps.size())};
    plan_.uses.insert(plan_.uses.end(), bitmaps.begin(), bitmaps.end());
    return part;
  }

  const TableLayout& layout_;
  const Sketches& sketches_;
  const std::vector<QueryRun>& queries_;
  AccessPaths paths_;
  QueryPlan plan_;
  std::vector<WeighedClause> weighed_;
  std::vector<KeyedOperation> operations_;
  std::vector<const semantics::Condition*> trees_;  ///< By position in operations_.
  MaskPlanner masks_;
  SharedBitmaps bitmaps_;
  uint32_t bounds_max_ = 0;        ///< Bounds those of a column that bitmaps are made for.
  ClauseRanges described_;         ///< The clause at hand.
  std::vector<SketchRange> wide_;  ///< Its ranges as bitmaps have them,
  bool is_wide_ = false;           ///< which hold more than those.
  std::vector<uint16_t> within_;   ///< Bitmaps of the operation at hand.
  std::vector<uint16_t> without_;
  std::vector<uint32_t> later_;  ///< Its clauses that sketches decide.
};

}  // namespace

QueryPlan plan_queries(const TableLayout& layout, const Sketches& sketches, const std::vector<QueryRun>& queries,
                       AccessPaths paths) {
  return Planner(layout, sketches, queries, paths).plan();
}

}  // namespace daedalus::engine

#include "query_plan.hpp"

#include <algorithm>
#include <optional>

#include "shared_bitmaps.hpp"
#include "ways.hpp"

namespace daedalus::engine {
namespace {

/// ns a row of the segment, from engine_mix_bench: a query that is found by bitmaps, a bitmap that no other query
/// has asked for yet, one that is there, and (ns a candidate) what a row costs that they let through.
constexpr double kSketchQueryCost = 0.08;
constexpr double kBitmapCost = 0.0065;
constexpr double kUseCost = 0.0015;
constexpr double kCandidateCost = 5;
/// What passes nearly all rows is not worth a look at their sketches.
constexpr double kUselessShare = 0.98;
/// Queries that may take whole bitmaps: each holds one of a chunk.
constexpr uint32_t kSelectionsMax = 256;

class Planner {
 public:
  Planner(const TableLayout& layout, const Sketches& sketches, const std::vector<QueryRun>& queries, AccessPaths paths)
      : layout_(layout),
        sketches_(sketches),
        queries_(queries),
        paths_(paths),
        bitmaps_(static_cast<uint32_t>(layout.columns.size()), plan_) {
    plan_.tests_of.resize(queries.size());
  }

  QueryPlan plan() {
    weigh();
    const Keys keys = choose_keys(layout_, operations_, cost_without_key(paths_, kSketchQueryCost));
    for (const std::vector<uint32_t>& columns : keys.columns) {
      plan_.indexes.emplace_back(layout_, columns);
    }
    for (size_t position = 0; position < operations_.size(); ++position) {
      if (keys.choices[position].has_value()) {
        add_indexed(operations_[position], *keys.choices[position]);
      } else {
        add_sketched(operations_[position]);
      }
    }
    bitmaps_.end();
    for (KeyIndex& index : plan_.indexes) {
      index.build();
    }
    return std::move(plan_);
  }

 private:
  void weigh() {
    size_t clauses = 0;
    for (const QueryRun& query : queries_) {
      clauses += query.is_active() ? query.predicate().clauses().size() : 0;
    }
    weighed_.resize(clauses);
    WeighedClause* next = weighed_.data();
    for (uint32_t query = 0; query < queries_.size(); ++query) {
      if (queries_[query].is_active()) {
        const CompiledPredicate& predicate = queries_[query].predicate();
        weigh_clauses(predicate, sketches_, next);
        operations_.push_back({query, &predicate, {next, predicate.clauses().size()}});
        next += predicate.clauses().size();
      }
    }
  }

  void begin_tests(uint32_t query) {
    QueryTests& tests = plan_.tests_of[query];
    tests.sketches.first = static_cast<uint32_t>(plan_.sketch_tests.size());
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
    const bool has_test = described_.ranges.size() == 1 && described_.share < kUselessShare &&
                          described_.ranges[0].column < kRowSketchColumnsMax;
    if (has_test) {
      const SketchRange& range = described_.ranges[0];
      plan_.sketch_tests.push_back(
          {static_cast<uint8_t>(range.column), range.low, static_cast<uint8_t>(range.high - range.low)});
    }
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
    tests.sketches.count = static_cast<uint32_t>(plan_.sketch_tests.size()) - tests.sketches.first;
  }

  void add_indexed(const KeyedOperation& operation, const KeyChoice& choice) {
    KeyIndex& index = plan_.indexes[choice.key];
    const auto column_count = static_cast<uint32_t>(index.columns().size());
    for_each_key(layout_, *operation.predicate, choice, column_count,
                 [&](std::span<const uint64_t> raw) { index.add(raw, operation.operation); });
    const auto is_key = [&](uint32_t clause) {
      return clause == choice.clauses[0] || (column_count > 1 && clause == choice.clauses[1]);
    };
    begin_tests(operation.operation);
    for (const WeighedClause& weighed : operation.clauses) {
      if (!is_key(weighed.clause)) {
        describe_clause(layout_, sketches_, *operation.predicate, weighed.clause, described_);
        add_tests(operation, weighed.clause);
      }
    }
    // The key's own clauses come last: nearly every candidate has the key it was found by.
    for (uint32_t place = 0; place < column_count; ++place) {
      add_row_test(operation, choice.clauses[place], true);
    }
    end_tests(operation);
  }

  /// Whether bitmaps that leave this share of what is left save more tests of rows than they cost.
  [[nodiscard]] bool is_worth_bitmaps(double left, double share, uint32_t missing) const {
    return paths_ == AccessPaths::kByCost ? left * (1 - share) * kCandidateCost > missing * kBitmapCost + kUseCost
                                          : paths_ == AccessPaths::kSketches;
  }

  /// Lets bitmaps do the clause at hand if that pays. Uses described_. Returns whether they decide it, or nothing.
  std::optional<bool> use_bitmaps(double& left) {
    wide_ = described_.ranges;
    bool is_exact = described_.is_exact;
    for (SketchRange& range : wide_) {
      is_exact &= widen(sketches_.histogram(range.column), range);
    }
    const std::optional<uint32_t> missing = wide_.empty() ? std::nullopt : bitmaps_.missing(wide_);
    if (!missing.has_value() || !is_worth_bitmaps(left, described_.share, *missing)) {
      return std::nullopt;
    }
    if (*missing == 0) {
      mark_way(Way::kSharedPredicate);
    }
    if (wide_.size() > 1) {
      mark_way(Way::kDisjunction);
    }
    const SketchSpan span = bitmaps_.add(wide_);
    if (span.has_within) {
      within_.push_back(span.within);
    }
    if (span.has_without) {
      without_.push_back(span.without);
    }
    left *= described_.share;
    return is_exact;
  }

  void add_sketched(const KeyedOperation& operation) {
    begin_tests(operation.operation);
    within_.clear();
    without_.clear();
    double left = 1;
    for (const WeighedClause& weighed : operation.clauses) {
      describe_clause(layout_, sketches_, *operation.predicate, weighed.clause, described_);
      if (const std::optional<bool> is_decided = use_bitmaps(left); !is_decided.has_value()) {
        add_tests(operation, weighed.clause);
      } else if (!*is_decided) {
        add_row_test(operation, weighed.clause, true);
      }
    }
    end_tests(operation);
    SketchQuery query{.query = operation.operation, .within = add_uses(within_), .without = add_uses(without_)};
    query.is_selection = plan_.tests_of[query.query].rows.count == 0 && selections_ < kSelectionsMax &&
                         queries_[query.query].takes_selections();
    selections_ += query.is_selection ? 1 : 0;
    plan_.sketch_queries.push_back(query);
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
  SharedBitmaps bitmaps_;
  uint32_t selections_ = 0;
  ClauseRanges described_;         ///< The clause at hand.
  std::vector<SketchRange> wide_;  ///< Its ranges as bitmaps have them.
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

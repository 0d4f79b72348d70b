#include "query_plan.hpp"

#include <algorithm>
#include <array>

namespace daedalus::engine {
namespace {

/// ns a row of the segment, from engine_mix_bench: a query that is found by its predicates' bitmaps, one such
/// predicate, and (ns a candidate) what a row costs that they let through.
constexpr double kSketchQueryCost = 0.035;
constexpr double kPredicateCost = 0.012;
constexpr double kCandidateCost = 20;
/// Ranges of one shared predicate: longer disjunctions are tested on rows.
constexpr uint32_t kRangesMax = 8;
/// What passes nearly all rows is not worth a look at their sketches.
constexpr double kUselessShare = 0.98;

class Planner {
 public:
  Planner(const TableLayout& layout, const Sketches& sketches, const std::vector<QueryRun>& queries, AccessPaths paths)
      : layout_(layout), sketches_(sketches), queries_(queries), paths_(paths) {
    plan_.tests_of.resize(queries.size());
  }

  QueryPlan plan() {
    weigh();
    const Keys keys = choose_keys(layout_, operations_, cost_without_key(paths_, kSketchQueryCost));
    for (const std::vector<uint32_t>& columns : keys.columns) {
      plan_.indexes.emplace_back(layout_, columns);
    }
    places_.fill(kNoPlace);
    for (size_t position = 0; position < operations_.size(); ++position) {
      if (keys.choices[position].has_value()) {
        add_indexed(operations_[position], *keys.choices[position]);
      } else {
        add_sketched(operations_[position]);
      }
    }
    end_batch();
    for (KeyIndex& index : plan_.indexes) {
      index.build();
    }
    return std::move(plan_);
  }

 private:
  static constexpr uint32_t kPlaces = kSharedPredicatesMax * 2;
  static constexpr uint16_t kNoPlace = UINT16_MAX;

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

  /// The clause is tested on sketches, if it has such a form, and on rows. Uses ranges_.
  void add_tests(const KeyedOperation& operation, uint32_t clause) {
    double share = 1;
    ranges_.clear();
    const bool is_exact = append_ranges(operation, clause, share);
    const bool has_test = ranges_.size() == 1 && ranges_[0].column < kRowSketchColumnsMax;
    if (has_test && share < kUselessShare) {
      const SketchRange& range = ranges_[0];
      plan_.sketch_tests.push_back(
          {static_cast<uint8_t>(range.column), range.low, static_cast<uint8_t>(range.high - range.low)});
    }
    add_row_test(operation, clause, !(is_exact && has_test && share < kUselessShare));
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
        add_tests(operation, weighed.clause);
      }
    }
    // The key's own clauses come last: nearly every candidate has the key it was found by.
    for (uint32_t place = 0; place < column_count; ++place) {
      add_row_test(operation, choice.clauses[place], true);
    }
    end_tests(operation);
  }

  /// The clause as ranges of buckets, appended to ranges_; whether they hold exactly its rows. Nothing is appended when
  /// there is no such form.
  bool append_ranges(const KeyedOperation& operation, uint32_t number, double& share) {
    const CompiledClause& clause = operation.predicate->clauses()[number];
    if (clause.count > kRangesMax) {
      return false;
    }
    ranges_.clear();
    bool is_exact = true;
    share = 0;
    for (const CompiledLiteral& literal : operation.predicate->literals(clause)) {
      const Histogram& histogram = sketches_.histogram(literal.column);
      if (literal.kind == CompiledLiteral::Kind::kIsNull) {
        ranges_.push_back({literal.column, kNullBucket, kNullBucket});
        share += histogram.null_share();
      } else if (literal.kind == CompiledLiteral::Kind::kIsNotNull) {
        ranges_.push_back({literal.column, 0, kNullBucket - 1});
        share += 1 - histogram.null_share();
      } else {
        const BucketRange buckets = histogram.buckets(literal.reach());
        ranges_.push_back({literal.column, buckets.low, buckets.high});
        share += histogram.share(buckets);
        is_exact &= buckets.is_exact && literal.kind == CompiledLiteral::Kind::kRange && !literal.negated;
      }
    }
    return is_exact;
  }

  /// Whether a predicate that leaves this share of what is left saves more tests of rows than its bitmap costs.
  [[nodiscard]] bool is_worth_sharing(double left, double share) const {
    return paths_ == AccessPaths::kByCost ? left * (1 - share) * kCandidateCost > kPredicateCost
                                          : paths_ == AccessPaths::kSketches;
  }

  void add_sketched(const KeyedOperation& operation) {
    if (batch_.predicates.count + operation.clauses.size() > kSharedPredicatesMax) {
      end_batch();
    }
    SketchQuery query{operation.operation, {static_cast<uint32_t>(plan_.uses.size()), 0}};
    begin_tests(operation.operation);
    double left = 1;
    for (const WeighedClause& weighed : operation.clauses) {
      double share = 1;
      ranges_.clear();
      const bool is_exact = append_ranges(operation, weighed.clause, share);
      if (!ranges_.empty() && is_worth_sharing(left, share) && query.predicates.count < kSharedPredicatesMax) {
        plan_.uses.push_back(shared_predicate());
        ++query.predicates.count;
        left *= share;
        if (!is_exact) {
          add_row_test(operation, weighed.clause, true);
        }
      } else {
        add_tests(operation, weighed.clause);
      }
    }
    end_tests(operation);
    plan_.sketch_queries.push_back(query);
    ++batch_.queries.count;
  }

  /// The number within the batch of the predicate that ranges_ describe; a new one if there was none.
  uint32_t shared_predicate() {
    const SketchRange& range = ranges_[0];
    uint32_t place = ((range.column * 0x9e3779b1u) ^ (range.low * 0x85ebca6bu) ^ (range.high * 0xc2b2ae35u)) >> 7;
    for (;; ++place) {
      uint16_t& number = places_[place % kPlaces];
      if (number == kNoPlace) {
        number = static_cast<uint16_t>(batch_.predicates.count);
        break;
      }
      const Part& predicate = plan_.predicates[batch_.predicates.first + number];
      if (predicate.count == ranges_.size() &&
          std::equal(ranges_.begin(), ranges_.end(), plan_.ranges.begin() + predicate.first)) {
        return number;
      }
    }
    plan_.predicates.push_back({static_cast<uint32_t>(plan_.ranges.size()), static_cast<uint32_t>(ranges_.size())});
    plan_.ranges.insert(plan_.ranges.end(), ranges_.begin(), ranges_.end());
    return batch_.predicates.count++;
  }

  void end_batch() {
    if (batch_.queries.count > 0) {
      plan_.batches.push_back(batch_);
    }
    batch_ = {{static_cast<uint32_t>(plan_.sketch_queries.size()), 0},
              {static_cast<uint32_t>(plan_.predicates.size()), 0}};
    places_.fill(kNoPlace);
  }

  const TableLayout& layout_;
  const Sketches& sketches_;
  const std::vector<QueryRun>& queries_;
  AccessPaths paths_;
  QueryPlan plan_;
  std::vector<WeighedClause> weighed_;
  std::vector<KeyedOperation> operations_;
  SketchBatch batch_;
  std::vector<SketchRange> ranges_;  ///< Of the clause at hand.
  std::vector<uint32_t> later_;      ///< Clauses of the operation at hand that sketches decide.
  std::array<uint16_t, kPlaces> places_{};
};

}  // namespace

QueryPlan plan_queries(const TableLayout& layout, const Sketches& sketches, const std::vector<QueryRun>& queries,
                       AccessPaths paths) {
  return Planner(layout, sketches, queries, paths).plan();
}

}  // namespace daedalus::engine

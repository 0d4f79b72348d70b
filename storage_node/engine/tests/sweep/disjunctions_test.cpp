// Lists, floating numbers and disjunctions through the cycle's indexes: each row once, in order, by whatever path.
#include <gtest/gtest.h>

#include <limits>

#include "daedalus/engine/segment.hpp"
#include "operation_mix.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Condition;
using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;

constexpr AccessPaths kPaths[] = {AccessPaths::kByCost, AccessPaths::kKeys, AccessPaths::kSketches,
                                  AccessPaths::kPasses};

const double kNaN = std::numeric_limits<double>::quiet_NaN();

Literal list(uint32_t column, std::vector<Value> values) {
  return {.column = column, .kind = Literal::Kind::kIn, .values = std::move(values)};
}

/// Rows in a segment, and as values.
class FilledSegment {
 public:
  FilledSegment(std::vector<Row> rows, AccessPaths paths)
      : rows_(std::move(rows)), segment_(test_schema(), test_codec(), options(paths)) {
    EXPECT_TRUE(segment_.enqueue(Update{Timestamp{1}, {insert_rows(test_schema(), rows_)}}));
    EXPECT_TRUE(segment_.step({0}));
    EXPECT_TRUE(segment_.dequeue().has_value());
  }

  /// Asks all at once and compares ids, in order, and counts with what single rows say.
  void expect_answers(const std::vector<Predicate>& predicates) {
    for (const bool is_counted : {false, true}) {
      for (size_t number = 0; number < predicates.size(); ++number) {
        semantics::Selection selection =
            is_counted
                ? selection_of({aggregate_of(semantics::AggregateFunction::kCountRows, 0)}, {}, predicates[number])
                : select({kId}, predicates[number]);
        ASSERT_TRUE(segment_.enqueue(
            Query{QueryHandle{number}, std::make_shared<const semantics::Selection>(std::move(selection))}));
      }
      while (segment_.step({0})) {
      }
      while (const std::optional<Output> output = segment_.dequeue()) {
        const auto& answer = std::get<QueryOutput>(*output);
        ASSERT_FALSE(answer.error.has_value());
        const std::vector<int64_t> expected = expected_ids(predicates[static_cast<size_t>(answer.handle)]);
        const std::vector<Row> rows = decode({test_schema().columns[kId].type}, answer.rows);
        if (is_counted) {
          ASSERT_EQ(rows, (std::vector<Row>{{static_cast<int64_t>(expected.size())}}));
          continue;
        }
        std::vector<int64_t> found;
        for (const Row& row : rows) {
          found.push_back(std::get<int64_t>(row[0]));
        }
        ASSERT_EQ(found, expected) << "query " << static_cast<size_t>(answer.handle);
      }
    }
  }

 private:
  static SegmentOptions options(AccessPaths paths) {
    return {.memory_bytes = 4u << 20, .chunk_rows = 512, .sketch_planes_per_cycle_max = 4096, .access_paths = paths};
  }

  [[nodiscard]] std::vector<int64_t> expected_ids(const Predicate& predicate) const {
    std::vector<int64_t> ids;
    for (const Row& row : rows_) {
      if (semantics::evaluate(test_schema(), predicate, row)) {
        ids.push_back(std::get<int64_t>(row[kId]));
      }
    }
    return ids;
  }

  std::vector<Row> rows_;
  Segment segment_;
};

/// Makes some rows of each kind of floating number, and NULL.
std::vector<Row> floating_rows(int64_t count) {
  std::vector<Row> rows = rows_of(count);
  const std::vector<Value> numbers = {0.0, -0.0, kNaN, 1.5, -2.25, Value{}};
  for (int64_t id = 0; id < count; ++id) {
    rows[static_cast<size_t>(id)][kDouble] = numbers[static_cast<size_t>(id) % numbers.size()];
    rows[static_cast<size_t>(id)][kReal] = numbers[static_cast<size_t>(id / 7) % numbers.size()];
  }
  return rows;
}

TEST(DisjunctionsTest, FloatingNumbersAreFoundWhateverTheirSpellingAndNullIsNot) {
  for (const AccessPaths paths : kPaths) {
    FilledSegment segment(floating_rows(1500), paths);
    for (uint32_t cycle = 0; cycle < 3; ++cycle) {  // Before there are sketches, and after.
      std::vector<Predicate> predicates;
      for (const uint32_t column : {uint32_t{kDouble}, uint32_t{kReal}}) {
        predicates.push_back(where(column, Operator::kEqual, 0.0));
        predicates.push_back(where(column, Operator::kEqual, kNaN));
        predicates.push_back({.clauses = {{list(column, {-2.25, 0.0, kNaN})}}});
        predicates.push_back({.clauses = {{list(column, {-7.0, 8.0, 9.0})}}});
        predicates.push_back({.clauses = {{list(column, {0.0, kNaN}), list(kKey, {int64_t{3}, int64_t{4}})}}});
      }
      ASSERT_NO_FATAL_FAILURE(segment.expect_answers(predicates));
    }
  }
}

TEST(DisjunctionsTest, ARowThatSeveralAlternativesFindIsDeliveredAndCountedOnce) {
  std::vector<Row> rows = rows_of(2000);
  for (Row& row : rows) {
    const int64_t id = std::get<int64_t>(row[kId]);
    row[kInt] = id % 40;
    row[kBig] = id % 60;
    row[kDay] = id % 7 == 0 ? Value{} : Value{id % 30};
  }
  const auto equal = [](uint32_t column, int64_t value) { return compare_literal(column, Operator::kEqual, value); };
  const std::vector<Predicate> predicates = {
      {.clauses = {{equal(kInt, 20), equal(kBig, 20), equal(kDay, 20)}}},
      {.clauses = {{equal(kInt, 20), equal(kInt, 20), equal(kKey, 20)}}},
      {.clauses = {{equal(kInt, 0), equal(kDay, 0)}, {equal(kBig, 0), equal(kBig, 30)}}},
      {.clauses = {{list(kInt, {int64_t{1}, int64_t{2}, int64_t{3}, int64_t{4}, int64_t{5}}), equal(kBig, 1)}}},
  };
  for (const AccessPaths paths : kPaths) {
    FilledSegment segment(rows, paths);
    for (uint32_t cycle = 0; cycle < 3; ++cycle) {
      ASSERT_NO_FATAL_FAILURE(segment.expect_answers(predicates));
    }
  }
}

/// A condition of so many comparisons, nested any way.
Condition thicket(Random& random, const std::vector<Row>& rows, uint64_t leaves, uint32_t depth) {
  if (leaves == 1) {
    while (true) {
      const auto column = static_cast<uint32_t>(below(random, test_schema().columns.size()));
      const Value value = rows[below(random, rows.size())][column];
      if (is_null(value)) {
        return {.kind = Condition::Kind::kLiteral, .literal = {.column = column, .kind = Literal::Kind::kIsNull}};
      }
      const auto op = one_in(random, 4) ? static_cast<Operator>(1 + below(random, 6)) : Operator::kEqual;
      const auto* number = std::get_if<double>(&value);
      return {.kind = Condition::Kind::kLiteral,
              .literal = compare_literal(column, op, number != nullptr && *number == 0 ? Value{0.0} : value)};
    }
  }
  Condition condition{.kind = depth % 2 == 0 ? Condition::Kind::kOr : Condition::Kind::kAnd};
  const uint64_t parts = depth == 30 ? leaves : std::min(leaves, 2 + below(random, one_in(random, 3) ? 40 : 3));
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t own = part + 1 == parts ? leaves : 1 + below(random, leaves - (parts - part) + 1);
    leaves -= own;
    condition.children.push_back(thicket(random, rows, own, depth + 1));
  }
  return condition;
}

TEST(DisjunctionsTest, ConditionsOfAThousandComparisonsAreAnsweredHoweverTheyNest) {
  const uint64_t seed = test_seed();
  for (uint64_t round = 0; round < 12; ++round) {
    Random random(seed + round);
    OperationMix mix(random);
    std::vector<Row> rows;
    while (rows.size() < 400) {
      rows.push_back(mix.row());
    }
    std::vector<Predicate> predicates;
    for (uint64_t query = 0; query < 6; ++query) {
      predicates.push_back(semantics::normal_form(
          semantics::simplified(thicket(random, rows, query == 0 ? 1000 : 2 + below(random, 999), 0))));
    }
    FilledSegment segment(rows, round % 3 == 0 ? AccessPaths::kKeys : AccessPaths::kByCost);
    for (uint32_t cycle = 0; cycle < 2; ++cycle) {
      ASSERT_NO_FATAL_FAILURE(segment.expect_answers(predicates)) << "DAEDALUS_SEED=" << seed + round;
    }
  }
}

}  // namespace
}  // namespace daedalus::engine::test

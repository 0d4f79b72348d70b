// Predicates on planes, by whole columns and row by row, against their evaluation on rows of values: every type, NULL
// and dead rows, on every instruction set that the build carries and this machine has.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <set>

#include "compiled_predicate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "operation_mix.hpp"
#include "row_test.hpp"

namespace daedalus::engine {
namespace {

using test::OperationMix;
using test::Random;

/// A chunk, and the same rows as values.
class Rows {
 public:
  Rows(Random& random, OperationMix& mix, uint32_t chunk_rows) : store_(layout_, chunk_rows, 1) {
    std::string packed;
    for (uint32_t row = 0; row < chunk_rows; ++row) {
      rows_.push_back(mix.row());
      packed.clear();
      semantics::append_packed_row(semantics::column_types(test::test_schema()), rows_.back(), packed);
      // A size of four bytes comes before the row.
      EXPECT_EQ(
          layout_.codec.store_row(layout_.codec.context, reinterpret_cast<const uint8_t*>(packed.data()) + 4,
                                  static_cast<uint32_t>(packed.size() - 4), store_.planes(0), store_.nulls(0), row),
          0);
      if (!test::one_in(random, 5)) {
        store_.mark_live(0, row);
      }
    }
  }

  [[nodiscard]] const TableLayout& layout() const { return layout_; }
  [[nodiscard]] ChunkView view() const { return store_.view(0); }
  [[nodiscard]] bool satisfies(uint32_t row, const semantics::Predicate& predicate) const {
    return semantics::evaluate(test::test_schema(), predicate, rows_[row]);
  }

  void expect_literal(const semantics::Literal& literal) const {
    const ColumnLayout& column = layout_.columns[literal.column];
    CompiledLiteral compiled;
    NativeBytes constants;
    const Verdict verdict = compile_literal(column, literal, compiled, constants);
    const ChunkView chunk = view();
    std::vector<uint64_t> matches(bitmap_words(chunk.row_count) + 1, 0x5555);
    if (verdict == Verdict::kDepends) {
      mark_rows(column, compiled, constants.data(), chunk, matches.data());
      ASSERT_EQ(matches.back(), 0x5555u);
    }
    for (uint32_t row = 0; row < chunk.row_count; ++row) {
      const bool expected = satisfies(row, {{{literal}}});
      if (verdict == Verdict::kDepends) {
        ASSERT_EQ(test_bit(matches.data(), row), expected);
        ASSERT_EQ(row_matches(column, compiled, constants.data(), chunk, row), expected);
      } else {
        const bool is_null = column.nullable && test_bit(chunk.nulls[literal.column], row);
        ASSERT_EQ(verdict == Verdict::kIfNotNull && !is_null, expected);
      }
    }
  }

  /// A row satisfies a clause that names its values exactly where it has one of them.
  void expect_members(const CompiledPredicate& compiled) {
    const ChunkView chunk = view();
    for (uint32_t clause = 0; clause < compiled.clauses().size(); ++clause) {
      const CompiledLiteral& literal = compiled.literals(compiled.clauses()[clause])[0];
      const uint32_t count = compiled.clauses()[clause].count == 1 ? compiled.member_count(literal) : 0;
      const ColumnLayout& column = layout_.columns[literal.column];
      if (count == 0 || column.code.is_floating || !column.code.is_exact) {
        continue;
      }
      std::set<uint64_t> members;
      for (uint32_t member = 0; member < count; ++member) {
        const CodedValue value = compiled.member(literal, member);
        EXPECT_EQ(code_of_raw(column.code, value.raw), value.code);
        EXPECT_TRUE(members.insert(value.code).second);
      }
      ranges_with_members += literal.is_equality() ? 0 : 1;
      for (uint32_t row = 0; row < chunk.row_count; ++row) {
        const uint64_t code = code_of(column.code, chunk.planes[literal.column] + size_t{row} * column.stride);
        const bool is_null = column.nullable && test_bit(chunk.nulls[literal.column], row);
        ASSERT_EQ(compiled.clause_matches(clause, chunk, row), !is_null && members.contains(code));
      }
    }
  }

  uint32_t ranges_with_members = 0;  ///< Seen by expect_members().

  void expect_predicate(const semantics::Predicate& predicate) {
    const CompiledPredicate compiled(layout_, predicate);
    const ChunkView chunk = view();
    ASSERT_NO_FATAL_FAILURE(expect_members(compiled));
    SelectionScratch scratch(chunk.row_count);
    std::vector<uint64_t> selection(bitmap_words(chunk.row_count), 0x5555);
    compiled.select(chunk, scratch, selection.data());
    for (uint32_t row = 0; row < chunk.row_count; ++row) {
      const bool expected = satisfies(row, predicate);
      ASSERT_EQ(compiled.matches(chunk, row), expected);
      ASSERT_EQ(test_bit(selection.data(), row), expected && test_bit(chunk.live, row));
      bool passed = !compiled.is_never();
      for (uint32_t clause = 0; clause < compiled.clauses().size(); ++clause) {
        passed = passed && passes(layout_, row_test(compiled, clause), compiled, chunk, row);
      }
      ASSERT_EQ(passed, expected);
    }
  }

 private:
  TableLayout layout_{test::test_schema(), test::test_codec()};
  ChunkStore store_;
  std::vector<test::Row> rows_;
};

TEST(Predicates, AnAlternativeThatAlwaysHoldsLeavesNoLeafThatMustHold) {
  using semantics::Condition;
  Random random(test::test_seed());
  OperationMix mix(random);
  Rows rows(random, mix, 64);
  const semantics::Schema& schema = test::test_schema();
  const auto solid = static_cast<uint32_t>(
      std::find_if(schema.columns.begin(), schema.columns.end(), [](const auto& column) { return !column.nullable; }) -
      schema.columns.begin());
  const auto hollow = static_cast<uint32_t>(
      std::find_if(schema.columns.begin(), schema.columns.end(), [](const auto& column) { return column.nullable; }) -
      schema.columns.begin());
  ASSERT_LT(std::max(solid, hollow), schema.columns.size());
  const auto leaf = [](uint32_t column, semantics::Literal::Kind kind) {
    Condition made{.kind = Condition::Kind::kLiteral};
    made.literal.column = column;
    made.literal.kind = kind;
    return made;
  };
  semantics::Predicate predicate;
  predicate.tree = Condition{.kind = Condition::Kind::kOr};
  predicate.tree.children = {leaf(hollow, semantics::Literal::Kind::kIsNull),
                             leaf(solid, semantics::Literal::Kind::kIsNotNull)};
  rows.expect_predicate(predicate);
}

TEST(Predicates, ValuesBesideAnAlternativeThatAlwaysHoldsAreNoChoice) {
  using semantics::Condition;
  using Kind = semantics::Literal::Kind;
  Random random(test::test_seed());
  OperationMix mix(random);
  Rows rows(random, mix, 64);
  constexpr uint32_t kId = 0;  // Never NULL.
  semantics::Predicate predicate;
  predicate.tree = Condition{.kind = Condition::Kind::kOr};
  for (int64_t value = 0; value < 16; ++value) {
    Condition is_value{.kind = Condition::Kind::kLiteral};
    is_value.literal = {.column = kId, .kind = Kind::kCompare, .values = {value}};
    predicate.tree.children.push_back(is_value);
  }
  Condition always{.kind = Condition::Kind::kLiteral};
  always.literal = {.column = kId, .kind = Kind::kIsNotNull, .values = {}};
  predicate.tree.children.push_back(always);
  rows.expect_predicate(predicate);
}

TEST(Predicates, AreOnPlanesWhatTheyAreOnValues) {
  Random random(test::test_seed());
  uint32_t ranges_with_members = 0;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (const uint32_t chunk_rows : {64u, 128u, 192u, 448u}) {
      for (int draw = 0; draw < 4; ++draw) {
        OperationMix mix(random);
        Rows rows(random, mix, chunk_rows);
        for (int number = 0; number < 40; ++number) {
          const semantics::Predicate predicate = mix.query_predicate();
          ASSERT_NO_FATAL_FAILURE(rows.expect_predicate(predicate));
          for (const semantics::Clause& clause : predicate.clauses) {
            for (const semantics::Literal& literal : clause) {
              ASSERT_NO_FATAL_FAILURE(rows.expect_literal(literal));
            }
          }
        }
        ranges_with_members += rows.ranges_with_members;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GT(ranges_with_members, 30u);  // One seed has brought 94.
}

}  // namespace
}  // namespace daedalus::engine

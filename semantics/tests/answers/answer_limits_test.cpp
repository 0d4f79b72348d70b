// A merger refuses what is too much, and does little at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "answer_rows.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/packed.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

Error error_of(const Selection& selection, std::string rows) {
  AnswerMerger merger(selection, AnswerForm::kFinal);
  EXPECT_TRUE(merger.add(0, rows_of(std::move(rows))));
  return merge_all(merger).error();
}

TEST(AnswerMerger, RefusesMalformedParts) {
  const Schema schema = two_columns();
  const std::string stray("\1\0\0\0\0", 5);
  Selection selection = selection_of(schema, {plain(1)});
  selection.limit = 5;
  EXPECT_EQ(error_of(selection, "abc").sqlstate, "08P01");
  EXPECT_EQ(error_of(selection, stray).sqlstate, "08P01");
  selection.order_by = {{0, {}}};
  EXPECT_EQ(error_of(selection, "abc").sqlstate, "08P01");
  EXPECT_EQ(error_of(selection, stray).sqlstate, "08P01");
  selection = selection_of(schema, {aggregate(AggregateFunction::kCount, 1)});
  EXPECT_EQ(error_of(selection, "abc").sqlstate, "08P01");
  EXPECT_EQ(error_of(selection, stray).sqlstate, "08P01");
  EXPECT_EQ(error_of(selection, encode({{TypeKind::kBigint}}, {{Value()}})).sqlstate, "08P01");
}

TEST(AnswerMerger, StepsStayWithinTheirBudgetWhateverTheAnswer) {
  Random random(71);
  Schema schema;
  schema.columns = {{"k", {TypeKind::kInt}, true, {}}, {"v", {TypeKind::kVarchar, 0, 0, 40}, true, {}}};
  // The largest piece that a step may overdraw by: sorting one run.
  constexpr int64_t kPieceMax = 100'000;
  for (const bool is_grouped : {false, true}) {
    Selection selection =
        is_grouped ? selection_of(schema, {plain(0), plain(1), aggregate(AggregateFunction::kCountRows, 0)}, {0, 1})
                   : selection_of(schema, {plain(0), plain(1)});
    selection.visible_outputs = 2;
    selection.order_by = {{1, {true, false}}, {0, {}}};
    AnswerMerger merger(selection, AnswerForm::kFinal);
    const std::vector<Type> types = partial_row_types(selection);
    constexpr uint64_t kRows = 60'000;
    for (uint32_t part = 0; part < 3; ++part) {
      Rows rows;
      for (uint64_t i = part; i < kRows; i += 3) {
        rows.push_back({random.between(0, 1'000'000), "row " + std::to_string(random.between(0, 1'000'000))});
        if (is_grouped) {
          rows.back().push_back(int64_t{1});
        }
      }
      ASSERT_TRUE(merger.add(part, {encode(types, rows), rows.size()}));
    }
    merger.end_parts();
    uint64_t steps = 0;
    uint64_t row_count = 0;
    while (merger.has_work()) {
      WorkBudget budget(1'000);
      const Result<MergedRows> rows = merger.step(budget, 1u << 20);
      ASSERT_TRUE(rows);
      ASSERT_GE(budget.left(), -kPieceMax);
      row_count += rows->row_count;
      ++steps;
    }
    EXPECT_GT(steps, 1'000u);
    EXPECT_GE(row_count, kRows - 100);
    EXPECT_LE(row_count, kRows);
  }
}

TEST(AnswerMerger, GivesItsMemoryBackPieceByPiece) {
  Random random(73);
  const Schema schema = two_columns();
  Selection selection = selection_of(schema, {plain(0), plain(1)});
  selection.order_by = {{0, {}}};
  AnswerMerger merger(selection, AnswerForm::kFinal);
  const std::vector<Type> types = partial_row_types(selection);
  for (int i = 0; i < 20; ++i) {
    Rows rows;
    for (int j = 0; j < 5'000; ++j) {
      rows.push_back({static_cast<double>(random.between(0, 1'000'000)), int64_t{j}});
    }
    ASSERT_TRUE(merger.add(0, {encode(types, rows), rows.size()}));
    WorkBudget budget = WorkBudget::unbounded();
    ASSERT_TRUE(merger.step(budget, 1u << 20));
  }
  EXPECT_GT(merger.memory_bytes(), 20u * 5'000 * 20);
  uint64_t pieces = 1;
  for (WorkBudget budget(100); !merger.drop(budget); budget = WorkBudget(100)) {
    ++pieces;
  }
  EXPECT_GT(pieces, 10u);
  EXPECT_EQ(merger.memory_bytes(), 0u);
}

TEST(CheckRowSize, RefusesWhatMayNotFitIntoOneRow) {
  Schema schema;
  schema.columns = {{"v", {TypeKind::kVarchar, 0, 0, 4096}, true, {}}};
  const std::vector<SelectItem> many(300, plain(0));
  EXPECT_TRUE(check_row_size(selection_of(schema, {many.begin(), many.begin() + 255})));
  // A group has the value once, its row of the answer as often as it is asked for.
  for (const std::vector<uint32_t>& group_by : {std::vector<uint32_t>{}, std::vector<uint32_t>{0}}) {
    const Result<void> checked = check_row_size(selection_of(schema, many, group_by));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().sqlstate, "54000");
  }
}

TEST(AnswerMerger, StopsAtItsDeclaredMaximum) {
  Schema schema;
  schema.columns = {{"v", {TypeKind::kVarchar, 0, 0, 4096}, true, {}}};
  Selection selection = selection_of(schema, {plain(0)});
  AnswerMerger merger(selection, AnswerForm::kFinal);
  const std::string row = encode({schema.columns[0].type}, {{std::string(4096, 'x')}});
  std::string batch;
  for (int i = 0; i < 1024; ++i) {
    batch += row;
  }
  Result<void> added;
  uint64_t bytes = 0;
  while (added && bytes <= 2 * kAnswerBytesMax) {
    added = merger.add(0, {batch, 1024});
    bytes += batch.size();
    WorkBudget budget = WorkBudget::unbounded();
    if (const auto stepped = merger.step(budget, 1u << 20); added && !stepped) {
      added = stepped.error();
    }
  }
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().sqlstate, "54000");
  EXPECT_LE(bytes, kAnswerBytesMax + batch.size());
}

TEST(AnswerMerger, RefusesMoreGroupsThanItsMaximum) {
  Schema schema;
  schema.columns = {{"v", {TypeKind::kInt}, true, {}}};
  const Selection selection = selection_of(schema, {plain(0)}, {0});
  const auto merged = [&](int64_t groups) -> Result<bool> {
    AnswerMerger merger(selection, AnswerForm::kFinal);
    std::string block;
    for (int64_t value = 0; value < groups; ++value) {
      block += encode({schema.columns[0].type}, {{value}});
    }
    block += encode({schema.columns[0].type}, {{int64_t{0}}});  // The group is there already.
    EXPECT_TRUE(merger.add(0, {block, static_cast<uint32_t>(groups + 1)}));
    merger.end_parts();
    WorkBudget budget = WorkBudget::unbounded();
    const auto stepped = merger.step(budget, 1u << 20);
    return stepped ? Result<bool>(true) : Result<bool>(stepped.error());
  };
  EXPECT_TRUE(merged(kGroupsMax));
  const Result<bool> refused = merged(int64_t{kGroupsMax} + 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the answer has more than 1048576 groups");
  EXPECT_EQ(refused.error().sqlstate, "54000");
}

TEST(AnswerMergerLimit, IsASettingThatTheErrorNames) {
  Schema schema;
  schema.columns = {{"v", {TypeKind::kInt}, true, {}}};
  Selection selection = selection_of(schema, {plain(0)});
  const std::string row = encode({schema.columns[0].type}, {{int64_t{7}}});
  for (const bool is_sorted : {false, true}) {
    selection.order_by.clear();
    if (is_sorted) {
      selection.order_by.push_back({});
    }
    AnswerMerger merger(selection, AnswerForm::kFinal, {.bytes_max = 2 * row.size(), .whose = "node 3"});
    ASSERT_TRUE(merger.add(0, {row + row, 2}));
    WorkBudget budget = WorkBudget::unbounded();
    ASSERT_TRUE(merger.step(budget, 1u << 20));
    Result<void> added = merger.add(0, {row, 1});
    if (const auto stepped = merger.step(budget, 1u << 20); added && !stepped) {
      added = stepped.error();
    }
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().sqlstate, "54000");
    EXPECT_EQ(added.error().message,
              "the answer is larger than answer_mib of node 3: " + std::to_string(2 * row.size()) + " bytes");
    EXPECT_NE(added.error().hint.find("daedalus export"), std::string::npos);
  }
  EXPECT_EQ(answer_too_large({64u << 20, "node 1"}).message, "the answer is larger than answer_mib of node 1: 64 MiB");
}

TEST(CanStream, OnlyWhatNeedsNoMerge) {
  Selection selection = selection_of(two_columns(), {plain(0)});
  EXPECT_TRUE(can_stream(selection));
  selection.limit = 1;
  EXPECT_FALSE(can_stream(selection));
  selection.limit.reset();
  selection = selection_of(two_columns(), {plain(0), plain(1)});
  EXPECT_TRUE(can_stream(selection));
  selection.visible_outputs = 1;
  EXPECT_FALSE(can_stream(selection));
  EXPECT_FALSE(can_stream(selection_of(two_columns(), {plain(0)}, {0})));
}

}  // namespace
}  // namespace daedalus::semantics

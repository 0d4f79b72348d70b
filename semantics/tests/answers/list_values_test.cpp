// Lists of distinct values where partial answers are merged: what they take, and how many there may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "answer_rows.hpp"
#include "daedalus/semantics/bound_expression.hpp"

namespace daedalus::semantics {
namespace {

constexpr int64_t kValues = 200'000;
/// Rows of one message, as a node sends them.
constexpr int64_t kMessageRows = 4'096;

Schema table_of(Type type) {
  Schema schema;
  schema.table_name = "t";
  schema.columns = {{"a", type, true, {}}, {"b", type, true, {}}};
  return schema;
}

/// count(DISTINCT) of the first columns, so many of them.
Selection distinct_counts(const Schema& schema, uint32_t lists) {
  SelectList list;
  for (uint32_t column = 0; column < lists; ++column) {
    list.outputs.push_back(
        {"d", *make_aggregate(AggregateFunction::kCount, {column_of(schema, column)}, {.is_distinct = true})});
  }
  return *bind_select(schema, std::move(list));
}

Value value_of(const Type& type, int64_t number) {
  if (!is_string(type.kind)) {
    return number;
  }
  std::string text = std::to_string(number);
  text.resize(type.length, 'x');
  return text;
}

/// Adds the values from `first` to `end` of one list, as one part sends them: the group's row before them.
void add_list(AnswerMerger& merger, const Selection& selection, uint32_t list, int64_t first, int64_t end) {
  const std::vector<Type> types = partial_row_types(selection);
  std::vector<Value> row(types.size());
  row[0] = int64_t{0};
  ASSERT_TRUE(merger.add(0, {encode(types, {row}), 1}));
  row[0] = int64_t{1} + list;
  row.back() = int64_t{1};
  for (int64_t from = first; from < end; from += kMessageRows) {
    Rows rows;
    for (int64_t number = from; number < std::min(from + kMessageRows, end); ++number) {
      row[1 + list] = value_of(types[1 + list], number);
      rows.push_back(row);
    }
    std::string bytes = encode(types, rows);
    bytes.shrink_to_fit();
    ASSERT_TRUE(merger.add(0, {std::move(bytes), rows.size()}));
  }
}

struct Merged {
  Result<MergedRows> rows = MergedRows{};
  uint64_t memory_bytes = 0;  ///< At the most.
};

Merged merge(AnswerMerger& merger) {
  Merged merged;
  merger.end_parts();
  while (merged.rows && !merger.is_finished()) {
    WorkBudget budget(100'000);
    Result<MergedRows> rows = merger.step(budget, kAnswerBytesMax);
    merged.memory_bytes = std::max(merged.memory_bytes, merger.memory_bytes());
    if (!rows) {
      merged.rows = rows.error();
    } else {
      merged.rows->rows += rows->rows;
      merged.rows->row_count += rows->row_count;
    }
  }
  return merged;
}

/// The rows that wait included, which go while their values are kept: no state of an aggregate, no value decoded.
TEST(ListValues, TakeNoMoreThanTheirBytesAndAHashTable) {
  constexpr uint64_t kBesidesMax = 48;
  for (const Type& type : {Type{TypeKind::kInt}, Type{TypeKind::kVarchar, 0, 0, 15}, Type{TypeKind::kChar, 0, 0, 39}}) {
    for (const uint32_t lists : {1u, 2u}) {
      for (const AnswerForm form : {AnswerForm::kPartial, AnswerForm::kFinal}) {
        const Selection selection = distinct_counts(table_of(type), lists);
        AnswerMerger merger(selection, form);
        for (uint32_t list = 0; list < lists; ++list) {
          add_list(merger, selection, list, 0, kValues);
        }
        const Merged merged = merge(merger);
        ASSERT_TRUE(merged.rows);
        const uint64_t each = merged.memory_bytes / (lists * kValues);
        const uint64_t value_bytes = is_string(type.kind) ? 2 + type.length : 4;
        RecordProperty(to_string(type) + std::to_string(lists), static_cast<int>(each));
        EXPECT_LE(each, value_bytes + kBesidesMax) << to_string(type) << ", lists: " << lists;
        if (form == AnswerForm::kFinal) {
          const auto row = read_packed_row(std::vector<Type>(lists, {TypeKind::kBigint}),
                                           std::string_view(merged.rows->rows).substr(sizeof(uint32_t)));
          EXPECT_EQ(*row, std::vector<Value>(lists, kValues));
        }
        while (true) {
          WorkBudget budget(10'000);
          if (merger.drop(budget)) {
            break;
          }
        }
        EXPECT_EQ(merger.memory_bytes(), 0u);
      }
    }
  }
}

/// Each list has its own bound, whatever the others have.
TEST(ListValues, AreAtMostAsManyAsGroups) {
  const Selection selection = distinct_counts(table_of({TypeKind::kInt}), 2);
  for (const int64_t more : {0, 1}) {
    AnswerMerger merger(selection, AnswerForm::kFinal);
    add_list(merger, selection, 1, 0, 1'000);
    add_list(merger, selection, 0, 0, int64_t{kGroupsMax} + more);
    const Merged merged = merge(merger);
    ASSERT_EQ(merged.rows.has_value(), more == 0);
    if (more > 0) {
      EXPECT_EQ(merged.rows.error().sqlstate, "54000");
      EXPECT_EQ(merged.rows.error().message, "an aggregate of the answer is made of more than 1048576 distinct values");
    }
  }
}

}  // namespace
}  // namespace daedalus::semantics

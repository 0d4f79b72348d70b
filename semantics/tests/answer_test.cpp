#include "daedalus/semantics/answer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "answer_rows.hpp"
#include "daedalus/semantics/packed.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

Rows decode(const std::vector<Type>& types, const MergedRows& merged) {
  Rows rows;
  PackedRows split(merged.rows);
  for (auto row = split.next(); row && row->has_value(); row = split.next()) {
    rows.push_back(*read_packed_row(types, **row));
  }
  EXPECT_EQ(rows.size(), merged.row_count);
  return rows;
}

std::vector<Type> final_types(const Schema& schema, const Selection& selection) {
  const Result<std::vector<Column>> columns = final_columns(schema, selection);
  std::vector<Type> types;
  for (const Column& column : *columns) {
    types.push_back(column.type);
  }
  return types;
}

std::string show(const std::vector<Type>& types, const Rows& rows) {
  std::string text;
  for (const std::vector<Value>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      text.append(i == 0 ? "" : ",").append(is_null(row[i]) ? "NULL" : format_text(types[i], row[i]));
    }
    text.append(";");
  }
  return text;
}

std::vector<std::string> lines(const std::vector<Type>& types, const Rows& rows) {
  std::vector<std::string> made;
  for (const std::vector<Value>& row : rows) {
    made.push_back(show(types, {row}));
  }
  return made;
}

/// What a segment sends for its rows: the partial form, from the plain definition of every aggregate.
Rows partial_rows(const Schema& schema, const Selection& selection, const Rows& table) {
  Rows out;
  std::vector<std::pair<std::vector<Value>, std::vector<AggregateState>>> groups;
  const auto same_key = [&](const std::vector<Value>& left, const std::vector<Value>& right) {
    return std::all_of(selection.group_by.begin(), selection.group_by.end(),
                       [&](uint32_t column) { return compare_ordered(left[column], right[column], {}) == 0; });
  };
  const auto find = [&](const std::vector<Value>& row) -> std::vector<AggregateState>& {
    for (auto& [key, states] : groups) {
      if (same_key(key, row)) {
        return states;
      }
    }
    std::vector<AggregateState> states;
    for (const OutputColumn& output : selection.outputs) {
      states.emplace_back(output.function, schema.columns[output.column].type);
    }
    groups.emplace_back(row, std::move(states));
    return groups.back().second;
  };
  if (selection.is_aggregated && selection.group_by.empty()) {
    find(std::vector<Value>(schema.columns.size()));
  }
  for (const std::vector<Value>& row : table) {
    if (!selection.is_aggregated) {
      std::vector<Value> made;
      for (const OutputColumn& output : selection.outputs) {
        made.push_back(row[output.column]);
      }
      out.push_back(std::move(made));
      continue;
    }
    std::vector<AggregateState>& states = find(row);
    for (size_t i = 0; i < states.size(); ++i) {
      if (selection.outputs[i].is_aggregate) {
        states[i].add(row[selection.outputs[i].column]);
      }
    }
  }
  for (const auto& [key, states] : groups) {
    std::vector<Value> made;
    for (size_t i = 0; i < states.size(); ++i) {
      if (selection.outputs[i].is_aggregate) {
        const std::vector<Value> partial = states[i].partial();
        made.insert(made.end(), partial.begin(), partial.end());
      } else {
        made.push_back(key[selection.outputs[i].column]);
      }
    }
    out.push_back(std::move(made));
  }
  return out;
}

Selection random_selection(Random& random, const Schema& schema) {
  Selection selection;
  const auto any_column = [&] {
    return static_cast<uint32_t>(random.between(0, static_cast<int64_t>(schema.columns.size()) - 1));
  };
  const bool is_aggregated = random.chance(50);
  if (is_aggregated && random.chance(70)) {
    for (int64_t i = random.between(1, 2); i > 0; --i) {
      const uint32_t column = any_column();
      if (std::find(selection.group_by.begin(), selection.group_by.end(), column) == selection.group_by.end()) {
        selection.group_by.push_back(column);
      }
    }
  }
  selection.is_aggregated = is_aggregated;
  for (int64_t i = random.between(1, 4); i > 0; --i) {
    const auto function = static_cast<AggregateFunction>(random.between(1, 6));
    const uint32_t column = any_column();
    if (!is_aggregated) {
      selection.outputs.push_back(plain(column));
    } else {
      const bool exists = aggregate_type(function, schema.columns[column].type).has_value();
      selection.outputs.push_back(aggregate(exists ? function : AggregateFunction::kCount, column));
    }
  }
  for (const uint32_t column : selection.group_by) {
    selection.outputs.push_back(plain(column));
  }
  selection.visible_outputs = static_cast<uint32_t>(random.between(1, static_cast<int64_t>(selection.outputs.size())));
  for (int64_t i = random.between(0, 3); i > 0; --i) {
    selection.order_by.push_back(
        {static_cast<uint32_t>(random.between(0, static_cast<int64_t>(selection.outputs.size()) - 1)),
         {random.chance(50), random.chance(50)}});
  }
  if (random.chance(40)) {
    selection.limit = static_cast<uint64_t>(random.between(0, 12));
  }
  selection.offset = random.chance(30) ? static_cast<uint64_t>(random.between(0, 6)) : 0;
  return selection;
}

/// The answer by the plain definition: one merge of everything in the order of parts, no trimming.
Rows expected_answer(const Schema& schema, const Selection& selection, const std::vector<Rows>& parts) {
  Rows all;
  for (const Rows& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  Rows rows;
  for (std::vector<Value>& partial : partial_rows(schema, selection, all)) {
    std::vector<Value> row;
    size_t at = 0;
    for (const OutputColumn& output : selection.outputs) {
      if (!output.is_aggregate) {
        row.push_back(partial[at++]);
        continue;
      }
      const Type& type = schema.columns[output.column].type;
      const size_t width = partial_types(output.function, type).size();
      AggregateState state(output.function, type);
      state.merge({partial.data() + at, width});
      row.push_back(*state.finish());
      at += width;
    }
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const std::vector<Value>& left, const std::vector<Value>& right) {
    for (const OrderKey& key : selection.order_by) {
      const auto ordering = compare_ordered(left[key.output], right[key.output], key.order);
      if (ordering != 0) {
        return ordering < 0;
      }
    }
    return false;
  });
  Rows cut;
  for (uint64_t i = selection.offset; i < rows.size() && i - selection.offset < selection.limit.value_or(UINT64_MAX);
       ++i) {
    rows[i].resize(selection.visible_outputs);
    cut.push_back(rows[i]);
  }
  return cut;
}

bool has_inexact_sum(const Schema& schema, const Selection& selection) {
  return std::any_of(selection.outputs.begin(), selection.outputs.end(), [&](const OutputColumn& output) {
    return output.is_aggregate &&
           (output.function == AggregateFunction::kSum || output.function == AggregateFunction::kAvg) &&
           is_floating(schema.columns[output.column].type.kind);
  });
}

/// Works with small random budgets and messages until the merger has nothing to do.
Result<MergedRows> work(Random& random, AnswerMerger& merger) {
  const auto message_bytes_max = static_cast<size_t>(random.between(1, 80));
  MergedRows all;
  while (merger.has_work()) {
    WorkBudget budget(random.between(1, 60));
    Result<MergedRows> rows = merger.step(budget, message_bytes_max);
    if (!rows) {
      return rows.error();
    }
    EXPECT_TRUE(rows->rows.size() <= message_bytes_max || rows->row_count == 1);
    all.rows += rows->rows;
    all.row_count += rows->row_count;
  }
  return all;
}

/// Merges parts in a random order of arrival, in random pieces, a little at a time.
MergedRows merge(Random& random, const Schema& schema, const Selection& selection,
                 std::vector<std::pair<uint32_t, std::string>> parts, AnswerForm form) {
  AnswerMerger merger(schema, selection, form);
  MergedRows early;
  while (!parts.empty()) {
    const auto pick = static_cast<size_t>(random.between(0, static_cast<int64_t>(parts.size()) - 1));
    auto& [number, rows] = parts[pick];
    size_t size = 0;
    uint64_t count = 0;
    PackedRows split(rows);
    for (int64_t wanted = random.between(1, 3); count < static_cast<uint64_t>(wanted); ++count) {
      const auto row = split.next();
      if (!row->has_value()) {
        break;
      }
      size += sizeof(uint32_t) + (*row)->size();
    }
    EXPECT_TRUE(merger.add(number, {rows.substr(0, size), count}));
    rows.erase(0, size);
    if (rows.empty()) {
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    if (random.chance(30)) {
      const Result<MergedRows> ready = work(random, merger);
      EXPECT_TRUE(ready);
      early.rows += ready->rows;
      early.row_count += ready->row_count;
    }
  }
  EXPECT_TRUE(early.rows.empty() || can_stream(selection));
  merger.end_parts();
  const Result<MergedRows> rest = work(random, merger);
  EXPECT_TRUE(rest) << rest.error().message;
  EXPECT_TRUE(merger.is_finished());
  WorkBudget unbounded = WorkBudget::unbounded();
  EXPECT_TRUE(merger.drop(unbounded));
  return {early.rows + rest->rows, early.row_count + rest->row_count};
}

TEST(AnswerMerger, AgreesWithThePlainDefinitionThroughTwoLevels) {
  Random random(61);
  for (int round = 0; round < 3'000; ++round) {
    const Schema schema = random.schema(4);
    const Selection selection = random_selection(random, schema);
    if (has_inexact_sum(schema, selection)) {
      continue;
    }
    const std::vector<Type> types = partial_row_types(schema, selection);
    // Nodes of segments of rows; few distinct rows, so that groups meet.
    Rows pool;
    for (int i = 0; i < 6; ++i) {
      pool.push_back(random.row(schema));
    }
    std::vector<Rows> segments;
    std::vector<std::pair<uint32_t, std::string>> node_parts;
    const int64_t nodes = random.between(0, 3);
    for (int64_t node = 0; node < nodes; ++node) {
      std::vector<std::pair<uint32_t, std::string>> segment_parts;
      for (uint32_t segment = 0; segment < 2; ++segment) {
        Rows rows;
        for (int64_t i = random.between(0, 10); i > 0; --i) {
          rows.push_back(random.pick(pool));
        }
        segments.push_back(rows);
        segment_parts.emplace_back(segment, encode(types, partial_rows(schema, selection, rows)));
      }
      node_parts.emplace_back(static_cast<uint32_t>(node),
                              merge(random, schema, selection, segment_parts, AnswerForm::kPartial).rows);
    }
    const MergedRows merged = merge(random, schema, selection, node_parts, AnswerForm::kFinal);
    const std::vector<Type> visible = final_types(schema, selection);
    std::vector<std::string> made = lines(visible, decode(visible, merged));
    std::vector<std::string> expected = lines(visible, expected_answer(schema, selection, segments));
    if (can_stream(selection)) {
      // Rows that pass as they come have no order among parts.
      std::sort(made.begin(), made.end());
      std::sort(expected.begin(), expected.end());
    }
    ASSERT_EQ(made, expected);
  }
}

TEST(AnswerMerger, AGlobalAggregateOfNothingIsOneRow) {
  const Schema schema = two_columns();
  Selection selection;
  selection.outputs = {aggregate(AggregateFunction::kCountRows, 0), aggregate(AggregateFunction::kSum, 1)};
  selection.visible_outputs = 2;
  selection.is_aggregated = true;
  AnswerMerger merger(schema, selection, AnswerForm::kFinal);
  const std::vector<Type> types = final_types(schema, selection);
  EXPECT_EQ(show(types, decode(types, *merge_all(merger))), "0,NULL;");
  selection.group_by = {0};
  selection.outputs.push_back(plain(0));
  AnswerMerger grouped(schema, selection, AnswerForm::kFinal);
  EXPECT_EQ(merge_all(grouped)->row_count, 0u);
}

TEST(AnswerMerger, NullNaNAndBothZerosAreOneGroupEach) {
  const Schema schema = two_columns();
  Selection selection;
  selection.outputs = {plain(0), aggregate(AggregateFunction::kCountRows, 0)};
  selection.visible_outputs = 2;
  selection.group_by = {0};
  selection.is_aggregated = true;
  AnswerMerger merger(schema, selection, AnswerForm::kFinal);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Rows rows = {{Value(), int64_t{1}}, {nan, int64_t{1}},  {0.0, int64_t{1}},
                     {-0.0, int64_t{1}},    {-nan, int64_t{1}}, {Value(), int64_t{1}}};
  for (uint32_t part = 0; part < rows.size(); ++part) {
    ASSERT_TRUE(merger.add(part, rows_of(encode(partial_row_types(schema, selection), {rows[part]}))).has_value());
  }
  const std::vector<Type> types = final_types(schema, selection);
  EXPECT_EQ(show(types, decode(types, *merge_all(merger))), "NULL,2;NaN,2;0,2;");
}

TEST(AnswerMerger, AGroupShowsTheZeroThatTheFirstPartHas) {
  const Schema schema = two_columns();
  Selection selection;
  selection.outputs = {plain(0), aggregate(AggregateFunction::kMax, 0)};
  selection.visible_outputs = 2;
  selection.group_by = {0};
  selection.is_aggregated = true;
  const std::vector<Type> partial = partial_row_types(schema, selection);
  for (const auto& [first, second, expected] : {std::tuple(-0.0, 0.0, "-0,0;"), std::tuple(0.0, -0.0, "0,-0;")}) {
    AnswerMerger merger(schema, selection, AnswerForm::kFinal);
    ASSERT_TRUE(merger.add(7, rows_of(encode(partial, {{second, second}}))));
    ASSERT_TRUE(merger.add(3, rows_of(encode(partial, {{first, first}}))));
    const std::vector<Type> types = final_types(schema, selection);
    EXPECT_EQ(show(types, decode(types, *merge_all(merger))), expected);
  }
}

TEST(AnswerMerger, FloatingSumsRepeatWhateverTheOrderOfArrival) {
  const Schema schema = two_columns();
  Selection selection;
  selection.outputs = {aggregate(AggregateFunction::kSum, 0)};
  selection.visible_outputs = 1;
  selection.is_aggregated = true;
  const std::vector<double> sums = {1e16, 1.0, -1e16, 1.0, 0.1};
  std::vector<uint32_t> order = {0, 1, 2, 3, 4};
  std::string first;
  do {
    AnswerMerger merger(schema, selection, AnswerForm::kFinal);
    for (const uint32_t part : order) {
      ASSERT_TRUE(merger.add(part, rows_of(encode({{TypeKind::kDouble}, {TypeKind::kDouble}}, {{sums[part], Value()}})))
                      .has_value());
    }
    const std::string rows = merge_all(merger)->rows;
    first = first.empty() ? rows : first;
    ASSERT_EQ(rows, first);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(AnswerMerger, KeepsTheBestOfManyUnderALimit) {
  const Schema schema = two_columns();
  Selection selection;
  selection.outputs = {plain(1)};
  selection.visible_outputs = 1;
  selection.order_by = {{0, {true, false}}};
  selection.limit = 3;
  selection.offset = 1;
  AnswerMerger merger(schema, selection, AnswerForm::kFinal);
  const std::vector<Type> types = {{TypeKind::kInt}};
  for (int64_t i = 0; i < 50'000; ++i) {
    ASSERT_TRUE(merger.add(static_cast<uint32_t>(i % 7), rows_of(encode(types, {{i * 7'919 % 50'000}}))));
  }
  EXPECT_EQ(show(types, decode(types, *merge_all(merger))), "49998;49997;49996;");
}

}  // namespace
}  // namespace daedalus::semantics

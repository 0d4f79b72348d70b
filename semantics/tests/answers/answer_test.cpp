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

std::vector<Type> final_types(const Selection& selection) {
  std::vector<Type> types;
  for (const Column& column : final_columns(selection)) {
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

std::vector<Value> values_of(const std::vector<BoundExpression>& expressions, const std::vector<Value>& row) {
  std::vector<Value> values;
  for (const BoundExpression& expression : expressions) {
    values.push_back(row[expression.input]);
  }
  return values;
}

std::vector<AggregateState> new_states(const Grouping& grouping) {
  std::vector<AggregateState> states;
  for (const BoundAggregate& aggregate : grouping.aggregates) {
    states.emplace_back(aggregate.function, aggregate.argument_type());
  }
  return states;
}

bool is_same_key(const std::vector<Value>& left, const std::vector<Value>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Value& a, const Value& b) { return compare_ordered(a, b, {}) == 0; });
}

/// The partial rows of groups, from the plain definition of every aggregate.
Rows partial_groups(const Grouping& grouping, const Rows& table) {
  std::vector<std::pair<std::vector<Value>, std::vector<AggregateState>>> groups;
  if (grouping.keys.empty()) {
    groups.emplace_back(std::vector<Value>(), new_states(grouping));
  }
  for (const std::vector<Value>& row : table) {
    const std::vector<Value> key = values_of(grouping.keys, row);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& it) { return is_same_key(it.first, key); });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {key, new_states(grouping)});
    }
    for (size_t i = 0; i < grouping.aggregates.size(); ++i) {
      const auto& argument = grouping.aggregates[i].argument;
      group->second[i].add(argument ? row[argument->input] : Value());
    }
  }
  Rows out;
  for (const auto& [key, states] : groups) {
    std::vector<Value>& made = out.emplace_back(key);
    for (const AggregateState& state : states) {
      const std::vector<Value> partial = state.partial();
      made.insert(made.end(), partial.begin(), partial.end());
    }
  }
  return out;
}

std::vector<Value> outputs_of(const Selection& selection, const std::vector<Value>& row) {
  std::vector<Value> made;
  for (const OutputColumn& output : selection.outputs) {
    made.push_back(row[output.expression.input]);
  }
  return made;
}

/// Gives what a segment sends for its rows.
Rows partial_rows(const Selection& selection, const Rows& table) {
  if (selection.grouping) {
    return partial_groups(*selection.grouping, table);
  }
  Rows out;
  for (const std::vector<Value>& row : table) {
    out.push_back(outputs_of(selection, row));
  }
  return out;
}

Selection random_selection(Random& random, const Schema& schema) {
  const auto any_column = [&] {
    return static_cast<uint32_t>(random.between(0, static_cast<int64_t>(schema.columns.size()) - 1));
  };
  const bool is_aggregated = random.chance(50);
  std::vector<uint32_t> group_by;
  if (is_aggregated && random.chance(70)) {
    for (int64_t i = random.between(1, 3); i > 0; --i) {
      group_by.push_back(any_column());
    }
  }
  std::vector<SelectItem> items;
  for (int64_t i = random.between(1, 4); i > 0; --i) {
    const auto function = static_cast<AggregateFunction>(random.between(1, 6));
    const uint32_t column = any_column();
    if (!is_aggregated) {
      items.push_back(plain(column));
    } else if (!group_by.empty() && random.chance(30)) {
      items.push_back(plain(random.pick(group_by)));
    } else {
      const bool exists = aggregate_type(function, schema.columns[column].type).has_value();
      items.push_back(aggregate(exists ? function : AggregateFunction::kCount, column));
    }
  }
  if (is_aggregated && group_by.empty()) {
    items.push_back(aggregate(AggregateFunction::kCountRows, 0));
  }
  Selection selection = selection_of(schema, items, group_by);
  selection.visible_outputs = static_cast<uint32_t>(random.between(1, static_cast<int64_t>(items.size())));
  for (int64_t i = random.between(0, 3); i > 0; --i) {
    selection.order_by.push_back({static_cast<uint32_t>(random.between(0, static_cast<int64_t>(items.size()) - 1)),
                                  {random.chance(50), random.chance(50)}});
  }
  if (random.chance(40)) {
    selection.limit = static_cast<uint64_t>(random.between(0, 12));
  }
  selection.offset = random.chance(30) ? static_cast<uint64_t>(random.between(0, 6)) : 0;
  const auto key_count = static_cast<int64_t>(selection.order_by.size());
  if (key_count > 0 && selection.limit.value_or(0) > 0 && random.chance(50)) {
    selection.ties_by = static_cast<uint32_t>(random.between(1, key_count));
  }
  if (key_count > 0 && random.chance(30)) {
    selection.distinct_by = static_cast<uint32_t>(random.between(1, key_count));
  }
  return selection;
}

/// A group's keys and finished aggregates.
std::vector<Value> finished_group(const Grouping& grouping, const std::vector<Value>& partial) {
  auto at = partial.begin() + static_cast<std::ptrdiff_t>(grouping.keys.size());
  std::vector<Value> made(partial.begin(), at);
  for (const BoundAggregate& aggregate : grouping.aggregates) {
    AggregateState state(aggregate.function, aggregate.argument_type());
    const size_t width = partial_types(aggregate.function, aggregate.argument_type()).size();
    state.merge({&*at, width});
    made.push_back(*state.finish());
    at += static_cast<std::ptrdiff_t>(width);
  }
  return made;
}

/// Says whether two rows are equal by so many keys of the order.
bool are_equal(const Selection& selection, uint32_t key_count, const std::vector<Value>& left,
               const std::vector<Value>& right) {
  return std::all_of(selection.order_by.begin(), selection.order_by.begin() + key_count, [&](const OrderKey& key) {
    return compare_ordered(left[key.output], right[key.output], key.order) == 0;
  });
}

/// The answer by the plain definition: one merge of everything in the order of parts, no trimming.
Rows expected_answer(const Selection& selection, const std::vector<Rows>& parts) {
  Rows all;
  for (const Rows& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  Rows rows;
  for (const std::vector<Value>& partial : partial_rows(selection, all)) {
    rows.push_back(selection.grouping ? outputs_of(selection, finished_group(*selection.grouping, partial)) : partial);
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
  if (selection.distinct_by > 0) {
    rows.erase(std::unique(rows.begin(), rows.end(),
                           [&](const auto& left, const auto& right) {
                             return are_equal(selection, selection.distinct_by, left, right);
                           }),
               rows.end());
  }
  const uint64_t begin = std::min<uint64_t>(selection.offset, rows.size());
  uint64_t end = begin + std::min<uint64_t>(selection.limit.value_or(UINT64_MAX), rows.size() - begin);
  while (selection.ties_by > 0 && end > begin && end < rows.size() &&
         are_equal(selection, selection.ties_by, rows[end - 1], rows[end])) {
    ++end;
  }
  Rows cut(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::vector<Value>& row : cut) {
    row.resize(selection.visible_outputs);
  }
  return cut;
}

/// Says whether sums of floating values may leave their range, which fails the answer.
bool may_overflow(const Selection& selection, const Rows& rows) {
  const auto is_floating_sum = [](const BoundAggregate& aggregate) {
    return (aggregate.function == AggregateFunction::kSum || aggregate.function == AggregateFunction::kAvg) &&
           is_floating(aggregate.argument_type().kind);
  };
  const auto is_large = [](const Value& value) {
    const auto* number = std::get_if<double>(&value);
    return number != nullptr && std::isfinite(*number) && std::abs(*number) > 1e36;
  };
  return selection.grouping &&
         std::any_of(selection.grouping->aggregates.begin(), selection.grouping->aggregates.end(), is_floating_sum) &&
         std::any_of(rows.begin(), rows.end(),
                     [&](const std::vector<Value>& row) { return std::any_of(row.begin(), row.end(), is_large); });
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
MergedRows merge(Random& random, const Selection& selection, std::vector<std::pair<uint32_t, std::string>> parts,
                 AnswerForm form) {
  AnswerMerger merger(selection, form);
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

TEST(BindItems, KeepsEachKeyAndAggregateOnce) {
  const Schema schema = two_columns();
  const Selection selection = selection_of(
      schema, {aggregate(AggregateFunction::kSum, 1), plain(0), aggregate(AggregateFunction::kSum, 1), plain(0)},
      {0, 0});
  ASSERT_TRUE(selection.grouping);
  EXPECT_EQ(selection.grouping->keys.size(), 1u);
  ASSERT_EQ(selection.grouping->aggregates.size(), 1u);
  EXPECT_EQ(selection.grouping->aggregates[0].type.kind, TypeKind::kBigint);
  std::vector<uint32_t> inputs;
  for (const OutputColumn& output : selection.outputs) {
    inputs.push_back(output.expression.input);
  }
  EXPECT_EQ(inputs, (std::vector<uint32_t>{1, 0, 1, 0}));
  EXPECT_EQ(partial_row_types(selection).size(), 2u);
  const std::vector<Column> columns = final_columns(selection);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_TRUE(columns[0].nullable && columns[1].nullable);
  EXPECT_EQ(columns[1].type.kind, TypeKind::kDouble);
}

TEST(BindItems, RefusesWhatNoGroupHas) {
  const Schema schema = two_columns();
  EXPECT_EQ(bind_items(schema, {plain(0), aggregate(AggregateFunction::kCountRows, 0)}).error().sqlstate, "42803");
  EXPECT_EQ(bind_items(schema, {plain(1)}, {0}).error().sqlstate, "42803");
  Schema dates = schema;
  dates.columns[0].type = {TypeKind::kDate};
  EXPECT_EQ(bind_items(dates, {aggregate(AggregateFunction::kSum, 0)}).error().sqlstate, "42883");
}

TEST(AnswerMerger, AgreesWithThePlainDefinitionThroughTwoLevels) {
  Random random(61);
  for (int round = 0; round < 3'000; ++round) {
    const Schema schema = random.schema(4);
    const Selection selection = random_selection(random, schema);
    const std::vector<Type> types = partial_row_types(selection);
    // Nodes of segments of rows; few distinct rows, so that groups meet.
    Rows pool;
    for (int i = 0; i < 6; ++i) {
      pool.push_back(random.row(schema));
    }
    if (may_overflow(selection, pool)) {
      continue;
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
        segment_parts.emplace_back(segment, encode(types, partial_rows(selection, rows)));
      }
      node_parts.emplace_back(static_cast<uint32_t>(node),
                              merge(random, selection, segment_parts, AnswerForm::kPartial).rows);
    }
    const MergedRows merged = merge(random, selection, node_parts, AnswerForm::kFinal);
    const std::vector<Type> visible = final_types(selection);
    std::vector<std::string> made = lines(visible, decode(visible, merged));
    std::vector<std::string> expected = lines(visible, expected_answer(selection, segments));
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
  Selection selection =
      selection_of(schema, {aggregate(AggregateFunction::kCountRows, 0), aggregate(AggregateFunction::kSum, 1)});
  AnswerMerger merger(selection, AnswerForm::kFinal);
  const std::vector<Type> types = final_types(selection);
  EXPECT_EQ(show(types, decode(types, *merge_all(merger))), "0,NULL;");
  selection = selection_of(schema, {aggregate(AggregateFunction::kCountRows, 0), plain(0)}, {0});
  AnswerMerger grouped(selection, AnswerForm::kFinal);
  EXPECT_EQ(merge_all(grouped)->row_count, 0u);
}

TEST(AnswerMerger, NullNaNAndBothZerosAreOneGroupEach) {
  const Schema schema = two_columns();
  const Selection selection = selection_of(schema, {plain(0), aggregate(AggregateFunction::kCountRows, 0)}, {0});
  AnswerMerger merger(selection, AnswerForm::kFinal);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Rows rows = {{Value(), int64_t{1}}, {nan, int64_t{1}},  {0.0, int64_t{1}},
                     {-0.0, int64_t{1}},    {-nan, int64_t{1}}, {Value(), int64_t{1}}};
  for (uint32_t part = 0; part < rows.size(); ++part) {
    ASSERT_TRUE(merger.add(part, rows_of(encode(partial_row_types(selection), {rows[part]}))).has_value());
  }
  const std::vector<Type> types = final_types(selection);
  EXPECT_EQ(show(types, decode(types, *merge_all(merger))), "NULL,2;NaN,2;0,2;");
}

TEST(AnswerMerger, AGroupShowsTheZeroThatTheFirstPartHas) {
  const Schema schema = two_columns();
  const Selection selection = selection_of(schema, {plain(0), aggregate(AggregateFunction::kMax, 0)}, {0});
  const std::vector<Type> partial = partial_row_types(selection);
  for (const auto& [first, second, expected] : {std::tuple(-0.0, 0.0, "-0,0;"), std::tuple(0.0, -0.0, "0,-0;")}) {
    AnswerMerger merger(selection, AnswerForm::kFinal);
    ASSERT_TRUE(merger.add(7, rows_of(encode(partial, {{second, second}}))));
    ASSERT_TRUE(merger.add(3, rows_of(encode(partial, {{first, first}}))));
    const std::vector<Type> types = final_types(selection);
    EXPECT_EQ(show(types, decode(types, *merge_all(merger))), expected);
  }
}

TEST(AnswerMerger, FloatingSumsAreTheSameWhicheverPartsTheirValuesAreIn) {
  const Schema schema = two_columns();
  const Selection selection =
      selection_of(schema, {aggregate(AggregateFunction::kSum, 0), aggregate(AggregateFunction::kStddevSamp, 0)});
  std::vector<double> values = {-1e6, -1e6, 0.1, 1.0, 1.0, 1e6, 1e6};
  std::string first;
  do {
    AnswerMerger merger(selection, AnswerForm::kFinal);
    for (uint32_t part = 0; part * 2 < values.size(); ++part) {
      Rows rows;
      for (size_t at = part * 2; at < std::min<size_t>(part * 2 + 2, values.size()); ++at) {
        rows.push_back({values[at], Value()});
      }
      ASSERT_TRUE(merger.add(part, rows_of(encode(partial_row_types(selection), partial_rows(selection, rows)))));
    }
    const std::string rows = merge_all(merger)->rows;
    first = first.empty() ? rows : first;
    ASSERT_EQ(rows, first);
  } while (std::next_permutation(values.begin(), values.end()));
  const std::vector<Type> types = final_types(selection);
  EXPECT_EQ(std::get<double>(decode(types, {first, 1})[0][0]), 2.1);
}

TEST(AnswerMerger, KeepsTheBestOfManyUnderALimit) {
  const Schema schema = two_columns();
  Selection selection = selection_of(schema, {plain(1)});
  selection.order_by = {{0, {true, false}}};
  selection.limit = 3;
  selection.offset = 1;
  AnswerMerger merger(selection, AnswerForm::kFinal);
  const std::vector<Type> types = {{TypeKind::kInt}};
  for (int64_t i = 0; i < 50'000; ++i) {
    ASSERT_TRUE(merger.add(static_cast<uint32_t>(i % 7), rows_of(encode(types, {{i * 7'919 % 50'000}}))));
  }
  EXPECT_EQ(show(types, decode(types, *merge_all(merger))), "49998;49997;49996;");
}

}  // namespace
}  // namespace daedalus::semantics

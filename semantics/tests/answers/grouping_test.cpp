// Groups in several ways, and aggregates that are made of lists: however rows are cut into parts and merged.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "answer_rows.hpp"
#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/order.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;
using Row = std::vector<Value>;

struct KeyLess {
  bool operator()(const Row& left, const Row& right) const {
    return std::lexicographical_compare(
        left.begin(), left.end(), right.begin(), right.end(),
        [](const Value& one, const Value& other) { return compare_ordered(one, other, {}) < 0; });
  }
};

BoundExpression v_of(const Schema& schema) { return column_of(schema, 1); }

BoundExpression text_of_v(const Schema& schema) {
  return *make_call(FunctionId::kCast, {v_of(schema)}, {TypeKind::kText});
}

BoundExpression joined(const Schema& schema, bool is_distinct) {
  std::vector<BoundExpression> arguments{text_of_v(schema), make_constant({TypeKind::kText}, std::string(","))};
  AggregateInput input{.is_distinct = is_distinct};
  if (!is_distinct) {
    arguments.push_back(v_of(schema));
    input.order = {{.descending = true, .nulls_first = true}};
  }
  return *make_aggregate(AggregateFunction::kStringAgg, std::move(arguments), std::move(input));
}

/// k, GROUPING(k), count(*), count(DISTINCT v), sum(DISTINCT v), string_agg(v, ',' ORDER BY v DESC),
/// string_agg(DISTINCT v, ',') of ROLLUP (k).
Selection rollup() {
  const Schema schema = two_columns();
  const BoundExpression key = column_of(schema, 0);
  SelectList list;
  list.outputs = {{"k", key},
                  {"g", *make_aggregate(AggregateFunction::kGrouping, {key})},
                  {"c", *make_aggregate(AggregateFunction::kCountRows, {})},
                  {"d", *make_aggregate(AggregateFunction::kCount, {v_of(schema)}, {.is_distinct = true})},
                  {"s", *make_aggregate(AggregateFunction::kSum, {v_of(schema)}, {.is_distinct = true})},
                  {"a", joined(schema, false)},
                  {"b", joined(schema, true)}};
  list.group_by = {key};
  list.grouping_sets = {{0}, {}};
  return *bind_select(schema, std::move(list));
}

/// Gives what a segment makes of rows, from the plain definition.
MergedRows partial(const Selection& selection, const Rows& rows) {
  const Grouping& grouping = *selection.grouping;
  const std::vector<GroupSet> sets = group_sets(grouping);
  MergedRows made;
  for (size_t number = 0; number < sets.size(); ++number) {
    std::map<Row, Rows, KeyLess> groups;
    Row empty(1 + grouping.keys.size() + grouping.list_values.size());
    empty[0] = static_cast<int64_t>(number);
    if (sets[number].keys.empty()) {
      groups[empty] = {};
    }
    for (const Row& row : rows) {
      Row key = empty;
      for (const uint32_t place : sets[number].keys) {
        const bool is_own = place < grouping.keys.size();
        key[1 + place] =
            *evaluate(is_own ? grouping.keys[place] : grouping.list_values[place - grouping.keys.size()], row);
      }
      groups[key].push_back(row);
    }
    for (const auto& [key, members] : groups) {
      Row row = key;
      const bool is_list = sets[number].list.has_value();
      row.push_back(is_list ? Value() : Value(static_cast<int64_t>(members.size())));  // count(*), the only state.
      row.push_back(is_list ? Value(static_cast<int64_t>(members.size())) : Value());
      append_packed_row(partial_row_types(selection), row, made.rows);
      ++made.row_count;
    }
  }
  return made;
}

MergedRows merged(const Selection& selection, AnswerForm form, std::vector<MergedRows> parts) {
  AnswerMerger merger(selection, form);
  uint32_t number = 0;
  for (MergedRows& part : parts) {
    EXPECT_TRUE(merger.add(number++, std::move(part)).has_value());
  }
  return *merge_all(merger);
}

std::vector<std::string> texts(const Selection& selection, const MergedRows& rows) {
  std::vector<Type> types;
  for (const Column& column : final_columns(selection)) {
    types.push_back(column.type);
  }
  std::vector<std::string> made;
  PackedRows split(rows.rows);
  for (auto row = split.next(); row && row->has_value(); row = split.next()) {
    std::string text;
    const Row values = *read_packed_row(types, **row);
    for (size_t i = 0; i < values.size(); ++i) {
      text += (is_null(values[i]) ? "NULL" : format_text(types[i], values[i])) + "|";
    }
    made.push_back(std::move(text));
  }
  std::sort(made.begin(), made.end());
  return made;
}

TEST(Grouping, ListsBecomeAggregatesAtTheLastLevel) {
  const Selection selection = rollup();
  const Rows rows = {{1.0, int64_t{5}}, {1.0, int64_t{7}}, {1.0, int64_t{5}}, {Value(), int64_t{5}}};
  EXPECT_EQ(texts(selection, merged(selection, AnswerForm::kFinal, {partial(selection, rows)})),
            (std::vector<std::string>{"1|0|3|2|12|7,5,5|5,7|", "NULL|0|1|1|5|5|5|", "NULL|1|4|2|12|7,5,5,5|5,7|"}));
  EXPECT_EQ(texts(selection, merged(selection, AnswerForm::kFinal, {partial(selection, {})})),
            std::vector<std::string>{"NULL|1|0|0|NULL|NULL|NULL|"});
}

TEST(Grouping, AnswersAreTheSameFlatAndAsATreeHoweverRowsAreCut) {
  Random random(47);
  const Selection selection = rollup();
  for (int turn = 0; turn < 200; ++turn) {
    Rows all;
    std::vector<MergedRows> parts;
    for (int part = 0; part < 4; ++part) {
      Rows rows;
      for (int64_t count = random.between(0, 6); count > 0; --count) {
        const auto key = static_cast<double>(random.between(-1, 2));
        rows.push_back({key < 0 ? Value() : Value(key), random.between(0, 4)});
      }
      all.insert(all.end(), rows.begin(), rows.end());
      parts.push_back(partial(selection, rows));
    }
    const auto expected = texts(selection, merged(selection, AnswerForm::kFinal, {partial(selection, all)}));
    std::vector<MergedRows> nodes;
    nodes.push_back(merged(selection, AnswerForm::kPartial, {parts[0], parts[1]}));
    nodes.push_back(merged(selection, AnswerForm::kPartial, {parts[2], parts[3]}));
    ASSERT_EQ(texts(selection, merged(selection, AnswerForm::kFinal, std::move(parts))), expected);
    ASSERT_EQ(texts(selection, merged(selection, AnswerForm::kFinal, std::move(nodes))), expected);
  }
}

/// A month and 30 days are one group and one value among distinct ones, shown as whichever the parts bring first.
TEST(Grouping, EqualIntervalsBecomeOneGroupWhereGroupsAreMerged) {
  Schema schema;
  schema.table_name = "t";
  schema.columns = {{"span", Type{TypeKind::kInterval}, true, {}}};
  const BoundExpression span = column_of(schema, 0);
  SelectList list;
  list.outputs = {{"span", span},
                  {"c", *make_aggregate(AggregateFunction::kCountRows, {})},
                  {"d", *make_aggregate(AggregateFunction::kCount, {span}, {.is_distinct = true})},
                  {"s", *make_aggregate(AggregateFunction::kSum, {span}, {.is_distinct = true})}};
  list.group_by = {span};
  list.grouping_sets = {{0}, {}};
  const Selection selection = *bind_select(schema, std::move(list));
  const Value month = Interval{1, 0, 0};
  const Value days = Interval{0, 30, 0};
  const Value hour = Interval{0, 0, 3'600'000'000};
  const auto answer = [&](const Rows& first, const Rows& second) {
    return texts(selection,
                 merged(selection, AnswerForm::kFinal, {partial(selection, first), partial(selection, second)}));
  };
  EXPECT_EQ(answer({{month}, {hour}}, {{days}, {days}, {Value()}}),
            (std::vector<std::string>{"01:00:00|1|1|01:00:00|", "1 mon|3|1|1 mon|", "NULL|1|0|NULL|",
                                      "NULL|5|2|1 mon 01:00:00|"}));
  EXPECT_EQ(answer({{days}, {days}, {Value()}}, {{month}, {hour}}),
            (std::vector<std::string>{"01:00:00|1|1|01:00:00|", "30 days|3|1|30 days|", "NULL|1|0|NULL|",
                                      "NULL|5|2|30 days 01:00:00|"}));
}

/// 1.0 and 1.00 are one group and one value among distinct ones, shown as whichever the parts bring first.
TEST(Grouping, EqualNumericsBecomeOneGroupWhereGroupsAreMerged) {
  Schema schema;
  schema.table_name = "t";
  schema.columns = {{"n", Type{TypeKind::kNumeric}, true, {}}};
  const BoundExpression number = column_of(schema, 0);
  SelectList list;
  list.outputs = {{"n", number},
                  {"c", *make_aggregate(AggregateFunction::kCountRows, {})},
                  {"d", *make_aggregate(AggregateFunction::kSum, {number}, {.is_distinct = true})}};
  list.group_by = {number};
  list.grouping_sets = {{0}, {}};
  const Selection selection = *bind_select(schema, std::move(list));
  const Value one = Decimal{10, 1};
  const Value same = Decimal{100, 2};
  const Value third = Decimal{33, 2};
  const auto answer = [&](const Rows& first, const Rows& second) {
    return texts(selection,
                 merged(selection, AnswerForm::kFinal, {partial(selection, first), partial(selection, second)}));
  };
  EXPECT_EQ(answer({{one}, {third}}, {{same}, {Value()}}),
            (std::vector<std::string>{"0.33|1|0.33|", "1.0|2|1.0|", "NULL|1|NULL|", "NULL|4|1.33|"}));
  EXPECT_EQ(answer({{same}, {Value()}}, {{one}, {third}}),
            (std::vector<std::string>{"0.33|1|0.33|", "1.00|2|1.00|", "NULL|1|NULL|", "NULL|4|1.33|"}));
}

TEST(Grouping, RowsThatCannotBeAreRefused) {
  const Selection selection = rollup();
  const size_t columns = partial_row_types(selection).size();
  const auto refusal = [&](const std::map<size_t, Value>& values) {
    Row row(columns);
    for (const auto& [column, value] : values) {
      row[column] = value;
    }
    MergedRows rows;
    append_packed_row(partial_row_types(selection), row, rows.rows);
    rows.row_count = 1;
    AnswerMerger merger(selection, AnswerForm::kFinal);
    EXPECT_TRUE(merger.add(0, std::move(rows)).has_value());
    const auto result = merge_all(merger);
    return result ? std::string("accepted") : result.error().sqlstate;
  };
  const size_t lists = group_sets(*selection.grouping).size();
  EXPECT_EQ(refusal({}), "08P01");
  EXPECT_EQ(refusal({{0, static_cast<int64_t>(lists)}}), "08P01");
  EXPECT_EQ(refusal({{0, int64_t{-1}}}), "08P01");
  EXPECT_EQ(refusal({{0, int64_t{0}}, {1, 1.0}}), "08P01");  // Its count is NULL.
  EXPECT_EQ(refusal({{0, int64_t{2}}, {1, 1.0}}), "08P01");  // A list without a number of rows.
  EXPECT_EQ(refusal({{0, int64_t{2}}, {1, 1.0}, {columns - 1, int64_t{1}}}), "08P01");  // A list of no group.
  EXPECT_EQ(refusal({{0, int64_t{0}}, {1, 1.0}, {columns - 2, int64_t{3}}}), "accepted");
}

TEST(Grouping, AConstantWithinAnExpressionIsNoKey) {
  const BoundExpression three = make_constant({TypeKind::kBigint}, int64_t{3});
  SelectList list;
  list.outputs = {
      {"k", three},
      {"c", *make_call(FunctionId::kGreatest, {*make_aggregate(AggregateFunction::kCountRows, {}), three})}};
  list.group_by = {three};
  list.grouping_sets = {{0}, {}};
  const auto selection = bind_select(two_columns(), std::move(list));
  ASSERT_TRUE(selection);
  EXPECT_TRUE(selection->outputs[0].expression.is_input()) << "the key is NULL where a set lacks it";
  EXPECT_EQ(selection->outputs[1].expression.arguments[1], three);
}

TEST(Grouping, SetsAreBounded) {
  const Schema schema = two_columns();
  SelectList list;
  list.outputs = {{"c", *make_aggregate(AggregateFunction::kCount, {v_of(schema)}, {.is_distinct = true})}};
  list.group_by = {column_of(schema, 0)};
  list.grouping_sets.resize(kGroupSetsMax / 2, {0});
  SelectList more = list;
  EXPECT_TRUE(bind_select(schema, std::move(list)).has_value());
  more.grouping_sets.emplace_back();
  EXPECT_EQ(bind_select(schema, std::move(more)).error().sqlstate, "0A000");
}

}  // namespace
}  // namespace daedalus::semantics

// Updates of one cycle that get in each other's way, one example a test; update_model_test draws them at random.
#include <gtest/gtest.h>

#include <limits>

#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Assignment;
using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;

/// Every test runs with updates found through keys and by passes.
class UpdateOrderTest : public testing::TestWithParam<AccessPaths> {
 protected:
  static Row row(int64_t id, int64_t key) {
    Row values(test_schema().columns.size());
    values[kId] = id;
    values[kKey] = key;
    return values;
  }
  static Predicate key_is(int64_t key) { return where(kKey, Operator::kEqual, key); }
  static UpdatePart set_key(int64_t key, Predicate predicate) {
    return modify({{kKey, Assignment::Kind::kSet, key}}, std::move(predicate));
  }
  static UpdatePart add_one(uint32_t column, Predicate predicate) {
    return modify({{column, Assignment::Kind::kAdd, int64_t{1}}}, std::move(predicate));
  }

  /// All in one cycle, under ascending timestamps.
  std::vector<UpdateOutput> cycle(std::vector<UpdatePart> parts) {
    for (UpdatePart& part : parts) {
      EXPECT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, {std::move(part)}}));
    }
    const uint64_t before = segment_.statistics().cycles;
    EXPECT_TRUE(segment_.step({0}));
    EXPECT_EQ(segment_.statistics().cycles, before + 1);
    std::vector<UpdateOutput> outputs;
    while (const std::optional<Output> output = segment_.dequeue()) {
      outputs.push_back(std::get<UpdateOutput>(*output));
    }
    EXPECT_EQ(outputs.size(), parts.size());
    return outputs;
  }

  std::vector<uint64_t> matched(std::vector<UpdatePart> parts) {
    std::vector<uint64_t> counts;
    for (const UpdateOutput& output : cycle(std::move(parts))) {
      counts.push_back(output.rows_matched);
    }
    return counts;
  }

  /// All as one update.
  UpdateOutput together(std::vector<UpdatePart> parts) {
    EXPECT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, std::move(parts)}));
    EXPECT_TRUE(segment_.step({0}));
    return std::get<UpdateOutput>(*segment_.dequeue());
  }

  std::vector<Row> answer(const semantics::Selection& selection) {
    EXPECT_TRUE(segment_.enqueue(Query{QueryHandle{1}, std::make_shared<semantics::Selection>(selection)}));
    EXPECT_TRUE(segment_.step({0}));
    return decode(semantics::partial_row_types(selection), std::get<QueryOutput>(*segment_.dequeue()).rows);
  }

  Segment segment_{
      test_schema(), test_codec(), {.memory_bytes = 120'000, .chunk_rows = 64, .access_paths = GetParam()}};
  uint64_t timestamp_ = 0;
};

INSTANTIATE_TEST_SUITE_P(AccessPaths, UpdateOrderTest,
                         testing::Values(AccessPaths::kByCost, AccessPaths::kKeys, AccessPaths::kPasses));

using Counts = std::vector<uint64_t>;

TEST_P(UpdateOrderTest, AKeyThatAnUpdateGivesIsFoundByLaterOnesOnly) {
  static_cast<void>(cycle({insert_rows(test_schema(), {row(1, 1), row(2, 2)})}));
  EXPECT_EQ(matched({add_one(kBig, key_is(2)), set_key(2, key_is(1)), add_one(kBig, key_is(1)),
                     add_one(kBig, key_is(2)), set_key(3, key_is(2)), remove(key_is(2)), remove(key_is(3))}),
            (Counts{1, 1, 0, 2, 2, 0, 2}));
}

TEST_P(UpdateOrderTest, AKeyThatARangeOfRowsGetsIsFoundByLaterUpdates) {
  std::vector<Row> rows;
  for (int64_t id = 0; id < 200; ++id) {
    rows.push_back(row(id, id % 5));
  }
  static_cast<void>(cycle({insert_rows(test_schema(), rows)}));
  const Predicate upper_half = where(kId, Operator::kGreaterOrEqual, int64_t{100});
  EXPECT_EQ(matched({add_one(kBig, key_is(7)), set_key(7, upper_half), add_one(kBig, key_is(7)), set_key(4, key_is(7)),
                     remove(upper_half), remove(key_is(4)), remove({})}),
            (Counts{0, 100, 100, 100, 100, 20, 80}));
}

TEST_P(UpdateOrderTest, PartsOfOneUpdateSeeWhatThoseBeforeThemLeftAndAreCountedEach) {
  EXPECT_EQ(together({remove({}), insert_rows(test_schema(), {row(1, 1), row(2, 2)}), add_one(kBig, key_is(2)),
                      set_key(2, key_is(1)), add_one(kBig, key_is(1)), add_one(kBig, key_is(2)),
                      insert_rows(test_schema(), {row(3, 2)}), set_key(3, key_is(2)),
                      remove(where(kId, Operator::kLess, int64_t{2})), remove(key_is(2)), remove(key_is(3))})
                .part_rows,
            (Counts{0, 2, 1, 1, 0, 2, 1, 3, 1, 0, 2}));
  EXPECT_TRUE(together({insert_rows(test_schema(), {row(4, 1)})}).part_rows.empty()) << "one part is the whole";
}

TEST_P(UpdateOrderTest, TellsOnlyTheSumOfTooManyParts) {
  static_cast<void>(cycle({insert_rows(test_schema(), {row(1, 1)})}));
  std::vector<UpdatePart> parts(semantics::kCountedPartsMax, add_one(kBig, key_is(1)));
  EXPECT_EQ(together(parts).part_rows, Counts(semantics::kCountedPartsMax, 1));
  parts.push_back(add_one(kBig, key_is(1)));
  const UpdateOutput output = together(parts);
  EXPECT_EQ(output.rows_applied, semantics::kCountedPartsMax + 1);
  EXPECT_TRUE(output.part_rows.empty());
}

TEST_P(UpdateOrderTest, RowsOfAnEarlierUpdateAreMetByLaterOnesOfTheCycle) {
  EXPECT_EQ(matched({remove({}), add_one(kBig, key_is(1)), insert_rows(test_schema(), {row(1, 1), row(2, 1)}),
                     add_one(kBig, key_is(1)), remove(where(kId, Operator::kEqual, int64_t{2})),
                     insert_rows(test_schema(), {row(3, 1)}), set_key(2, key_is(1)), remove(key_is(1))}),
            (Counts{0, 0, 2, 2, 1, 1, 2, 0}));
  EXPECT_EQ(answer(select({kId, kKey})), (std::vector<Row>{{int64_t{1}, int64_t{2}}, {int64_t{3}, int64_t{2}}}));
}

TEST_P(UpdateOrderTest, ADeletedRowIsNotMetAgainAndItsSlotHoldsOnlyTheNewRow) {
  const uint64_t rows_max = segment_.statistics().rows_max;
  std::vector<Row> rows;
  for (uint64_t id = 0; id < rows_max; ++id) {
    rows.push_back(row(static_cast<int64_t>(id), 1));
  }
  static_cast<void>(cycle({insert_rows(test_schema(), rows)}));
  // The segment is full: the insert takes the slot of the row deleted before it, in the cycle after.
  EXPECT_EQ(matched({remove(where(kId, Operator::kEqual, int64_t{5})),
                     add_one(kBig, where(kId, Operator::kEqual, int64_t{5}))}),
            (Counts{1, 0}));
  EXPECT_EQ(matched({insert_rows(test_schema(), {row(5000, 9)}), add_one(kBig, key_is(9)), remove(key_is(9))}),
            (Counts{1, 1, 1}));
  const auto outputs = cycle({insert_rows(test_schema(), {row(5001, 9), row(5002, 9)})});
  EXPECT_EQ(outputs[0].rows_applied, 1u);
  EXPECT_EQ(outputs[0].refused_no_room, 1u);
  EXPECT_EQ(answer(select({kId}, key_is(9))), (std::vector<Row>{{int64_t{5001}}}));
}

TEST_P(UpdateOrderTest, NullsAreAssignedTestedAndLeftAloneBySums) {
  static_cast<void>(cycle({insert_rows(test_schema(), {row(1, 1), row(2, 2)})}));
  const Predicate no_day{{{{.column = kDay, .kind = Literal::Kind::kIsNull}}}};
  const auto set_day = [](Value day, Predicate predicate) {
    return modify({{kDay, Assignment::Kind::kSet, std::move(day)}}, std::move(predicate));
  };
  EXPECT_EQ(matched({set_day(int64_t{3}, key_is(1)), add_one(kDay, {}),
                     set_day(Value{}, where(kDay, Operator::kEqual, int64_t{4})), set_day(int64_t{0}, no_day),
                     remove(where(kDay, Operator::kLessOrEqual, int64_t{0}))}),
            (Counts{1, 2, 1, 2, 2}));
}

TEST_P(UpdateOrderTest, AnOverflowLeavesTheRowToTheNextUpdateAsItWas) {
  Row edge = row(1, 1);
  edge[kSmall] = int64_t{std::numeric_limits<int16_t>::max() - 1};
  static_cast<void>(cycle({insert_rows(test_schema(), {edge, row(2, 2)})}));
  const UpdatePart move =
      modify({{kSmall, Assignment::Kind::kAdd, int64_t{1}}, {kKey, Assignment::Kind::kSet, int64_t{3}}}, {});
  const auto outputs = cycle({move, set_key(4, key_is(3)), move, set_key(5, key_is(3))});
  EXPECT_EQ(outputs[0].rows_applied, 2u);
  EXPECT_EQ(outputs[1].rows_applied, 2u);
  EXPECT_EQ(outputs[2].rows_matched, 2u);
  EXPECT_EQ(outputs[2].rows_applied, 1u);
  EXPECT_EQ(outputs[2].refused_overflow, 1u);
  EXPECT_EQ(outputs[3].rows_matched, 1u);
  EXPECT_EQ(answer(select({kId, kKey, kSmall})),
            (std::vector<Row>{{int64_t{1}, int64_t{4}, int64_t{std::numeric_limits<int16_t>::max()}},
                              {int64_t{2}, int64_t{5}, Value{}}}));
}

TEST_P(UpdateOrderTest, APurgeTakesWholeChunksButNeitherNullsNorRowsThatCameAfterIt) {
  std::vector<Row> rows;
  for (int64_t id = 0; id < 192; ++id) {
    rows.push_back(row(id, 1));
    rows.back()[kDay] = id == 100 ? Value{} : Value{id / 64};
  }
  Row late = row(1000, 1);
  late[kDay] = int64_t{0};
  static_cast<void>(cycle({insert_rows(test_schema(), rows)}));
  const auto purge = [](int64_t day) { return remove(where(kDay, Operator::kLessOrEqual, day)); };
  EXPECT_EQ(matched({purge(0), insert_rows(test_schema(), {late}), purge(1), purge(0), purge(5)}),
            (Counts{64, 1, 64, 0, 64}));
  EXPECT_EQ(answer(select({kId})), (std::vector<Row>{{int64_t{100}}}));
  EXPECT_EQ(segment_.statistics().rows, 1u);
}

TEST_P(UpdateOrderTest, AListOfAnyLengthFindsEachOfItsRowsOnce) {
  std::vector<Row> rows;
  for (int64_t id = 0; id < 200; ++id) {
    rows.push_back(row(id, id / 2));
  }
  static_cast<void>(cycle({insert_rows(test_schema(), rows)}));
  for (const int64_t members : {2, 64, 65, 90}) {
    Literal list{.column = kKey, .kind = Literal::Kind::kIn};
    for (int64_t member = 0; member < members; ++member) {
      list.values.emplace_back(member);
    }
    EXPECT_EQ(matched({add_one(kBig, {{{list}}}),
                       add_one(kBig, {{{list}, {compare_literal(kId, Operator::kLess, int64_t{3})}}})}),
              (Counts{static_cast<uint64_t>(2 * members), 3}));
  }
}

TEST_P(UpdateOrderTest, UpdatesOfOneShapeAreAsGoodAsEachOnItsOwn) {
  // More than are weighed; most ask for one row, some for a value that half of the rows have.
  std::vector<Row> rows;
  for (int64_t id = 0; id < 400; ++id) {
    rows.push_back(row(id, id % 2 == 0 ? 1000 : id));
  }
  static_cast<void>(cycle({insert_rows(test_schema(), rows)}));
  std::vector<UpdatePart> parts;
  Counts expected;
  for (int64_t key = 0; key < 300; ++key) {
    const bool is_common = key % 50 == 49;
    parts.push_back(add_one(kBig, key_is(is_common ? 1000 : key)));
    expected.push_back(is_common ? 200 : key % 2 == 1 ? 1 : 0);
  }
  const Counts actual = matched(std::move(parts));
  for (size_t number = 0; number < expected.size(); ++number) {
    EXPECT_EQ(actual[number], expected[number]) << number;
  }
}

}  // namespace
}  // namespace daedalus::engine::test

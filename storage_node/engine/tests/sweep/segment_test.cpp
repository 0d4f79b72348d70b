// Tests what a segment promises, one promise a test.
#include "daedalus/engine/segment.hpp"

#include <gtest/gtest.h>

#include <cfloat>
#include <limits>

#include "plain_table.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Assignment;
using semantics::Operator;

class SegmentTest : public testing::Test {
 protected:
  /// One chunk of 64 rows unless the test says otherwise.
  explicit SegmentTest(SegmentOptions options = {.memory_bytes = 1, .chunk_rows = 64})
      : segment_(test_schema(), test_codec(), options) {}

  static Row row(int64_t id, int64_t key) {
    Row values(test_schema().columns.size());
    values[kId] = id;
    values[kKey] = key;
    return values;
  }

  static std::vector<Row> rows(int64_t first_id, int64_t count) {
    std::vector<Row> made;
    for (int64_t id = first_id; id < first_id + count; ++id) {
      made.push_back(row(id, id % 7));
    }
    return made;
  }

  UpdateOutput update(std::vector<UpdatePart> parts) {
    enqueue(std::move(parts));
    EXPECT_TRUE(segment_.step({0}));
    return std::get<UpdateOutput>(*segment_.dequeue());
  }

  void enqueue(std::vector<UpdatePart> parts) {
    EXPECT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, std::move(parts)}));
  }

  QueryOutput query(semantics::Selection selection) {
    enqueue(std::move(selection));
    EXPECT_TRUE(segment_.step({0}));
    return std::get<QueryOutput>(*segment_.dequeue());
  }

  void enqueue(semantics::Selection selection) {
    EXPECT_TRUE(
        segment_.enqueue(Query{QueryHandle{++handle_}, std::make_shared<semantics::Selection>(std::move(selection))}));
  }

  std::vector<Row> answer(const semantics::Selection& selection) {
    const QueryOutput output = query(selection);
    EXPECT_FALSE(output.error.has_value());
    return decode(semantics::partial_row_types(selection), output.rows);
  }

  std::vector<Output> drain() {
    while (segment_.step({0})) {
    }
    std::vector<Output> outputs;
    while (std::optional<Output> output = segment_.dequeue()) {
      outputs.push_back(std::move(*output));
    }
    return outputs;
  }

  Segment segment_;
  uint64_t timestamp_ = 0;
  uint64_t handle_ = 0;
};

TEST_F(SegmentTest, DoesNothingWithoutOperations) {
  EXPECT_FALSE(segment_.has_work());
  EXPECT_FALSE(segment_.step({0}));
  EXPECT_EQ(segment_.statistics().cycles, 0u);
  EXPECT_EQ(segment_.statistics().rows_max, 64u);
  EXPECT_GT(segment_.statistics().memory_bytes, 0u);
}

TEST_F(SegmentTest, EmptyTableAnswersNoRowsButOneRowOfAggregates) {
  EXPECT_TRUE(answer(select({kId})).empty());
  const std::vector<semantics::SelectItem> items = {aggregate_of(semantics::AggregateFunction::kCountRows, 0),
                                                    aggregate_of(semantics::AggregateFunction::kSum, kInt)};
  const std::vector<Row> counted = answer(selection_of(items));
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0], (Row{int64_t{0}, Value{}}));
  EXPECT_TRUE(answer(selection_of(items, {kKey})).empty());
}

TEST_F(SegmentTest, QueriesSeeThePrefixOfTheirWholeCycle) {
  enqueue(select({kId}));
  enqueue({insert_rows(test_schema(), rows(1, 1))});
  enqueue(select({kId}));
  enqueue({insert_rows(test_schema(), rows(2, 1))});
  const std::vector<Output> outputs = drain();
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(std::get<UpdateOutput>(outputs[0]).timestamp, Timestamp{1});
  EXPECT_EQ(std::get<UpdateOutput>(outputs[1]).timestamp, Timestamp{2});
  for (size_t place : {2u, 3u}) {
    EXPECT_EQ(std::get<QueryOutput>(outputs[place]).prefix, Timestamp{2});
    EXPECT_EQ(std::get<QueryOutput>(outputs[place]).row_count, 2u);
  }
  EXPECT_EQ(segment_.statistics().cycles, 1u);
  EXPECT_EQ(segment_.statistics().prefix, Timestamp{2});
}

TEST_F(SegmentTest, AnUpdateWithoutPartsMovesThePrefixOnly) {
  const UpdateOutput output = update({});
  EXPECT_EQ(output.rows_matched, 0u);
  EXPECT_EQ(segment_.statistics().prefix, Timestamp{1});
}

TEST_F(SegmentTest, PartsTakeEffectInOrder) {
  const UpdateOutput output =
      update({insert_rows(test_schema(), {row(1, 1), row(2, 2)}),
              modify({{kInt, Assignment::Kind::kSet, int64_t{5}}}, where(kKey, Operator::kEqual, int64_t{1})),
              remove(where(kInt, Operator::kEqual, int64_t{5})), insert_rows(test_schema(), {row(3, 1)})});
  EXPECT_EQ(output.rows_matched, 5u);
  EXPECT_EQ(output.rows_applied, 5u);
  EXPECT_EQ(answer(select({kId})), (std::vector<Row>{{int64_t{2}}, {int64_t{3}}}));
}

TEST_F(SegmentTest, ARowInsertedLaterInTheCycleIsNotTouchedByEarlierUpdates) {
  enqueue({modify({{kInt, Assignment::Kind::kSet, int64_t{5}}}, {})});
  enqueue({remove({})});
  enqueue({insert_rows(test_schema(), rows(1, 3))});
  const std::vector<Output> outputs = drain();
  EXPECT_EQ(std::get<UpdateOutput>(outputs[0]).rows_matched, 0u);
  EXPECT_EQ(std::get<UpdateOutput>(outputs[1]).rows_matched, 0u);
  EXPECT_EQ(answer(select({kInt})), (std::vector<Row>(3, Row{Value{}})));
}

TEST(SegmentWithKeys, LaterUpdatesFindRowsThatEarlierOnesOfTheirCycleMadeOrMoved) {
  Segment segment(test_schema(), test_codec(),
                  {.memory_bytes = 1, .chunk_rows = 64, .access_paths = AccessPaths::kKeys});
  const auto where_key = [](int64_t key) { return where(kKey, Operator::kEqual, key); };
  const auto move_key = [&](int64_t from, int64_t to) {
    return modify({{kKey, Assignment::Kind::kSet, to}}, where_key(from));
  };
  const auto add_one = [&](int64_t key) {
    return modify({{kBig, Assignment::Kind::kAdd, int64_t{1}}}, where_key(key));
  };
  Row row(test_schema().columns.size());
  row[kId] = int64_t{1};
  row[kKey] = int64_t{1};
  row[kBig] = int64_t{0};
  // 1 becomes 2, which is counted once although two lists find it, then comes back to 1 and is counted there.
  const std::vector<UpdatePart> parts = {insert_rows(test_schema(), {row}),
                                         add_one(1),
                                         move_key(1, 2),
                                         add_one(1),
                                         add_one(2),
                                         move_key(2, 1),
                                         add_one(1),
                                         remove(where_key(2))};
  const uint64_t matched[] = {1, 1, 1, 0, 1, 1, 1, 0};
  for (size_t part = 0; part < parts.size(); ++part) {
    ASSERT_TRUE(segment.enqueue(Update{Timestamp{part + 1}, {parts[part]}}));
  }
  ASSERT_TRUE(segment.enqueue(Query{QueryHandle{1}, std::make_shared<semantics::Selection>(select({kBig}))}));
  ASSERT_TRUE(segment.step({0}));
  for (const uint64_t expected : matched) {
    EXPECT_EQ(std::get<UpdateOutput>(*segment.dequeue()).rows_matched, expected);
  }
  const QueryOutput answer = std::get<QueryOutput>(*segment.dequeue());
  EXPECT_EQ(decode({{.kind = semantics::TypeKind::kBigint}}, answer.rows), (std::vector<Row>{{int64_t{3}}}));
}

TEST(SegmentOfManyChunks, PurgesADayWhereverItsRowsLieHoweverTheyCameThere) {
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 90'000, .chunk_rows = 64});
  ASSERT_GE(segment.statistics().rows_max, 256u);
  uint64_t timestamp = 0;
  const auto matched = [&](UpdatePart part) {
    EXPECT_TRUE(segment.enqueue(Update{Timestamp{++timestamp}, {std::move(part)}}));
    EXPECT_TRUE(segment.step({0}));
    return std::get<UpdateOutput>(*segment.dequeue()).rows_matched;
  };
  std::vector<Row> rows;
  for (int64_t id = 0; id < 256; ++id) {
    Row row(test_schema().columns.size());
    row[kId] = id;
    row[kKey] = id % 10;
    row[kDay] = id / 64;  // A day a chunk.
    rows.push_back(std::move(row));
  }
  EXPECT_EQ(matched(insert_rows(test_schema(), rows)), 256u);
  EXPECT_EQ(matched(remove(where(kDay, Operator::kLess, int64_t{0}))), 0u);
  EXPECT_EQ(matched(remove(where(kDay, Operator::kEqual, int64_t{1}))), 64u);
  EXPECT_EQ(matched(modify({{kDay, Assignment::Kind::kSet, int64_t{-5}}}, where(kId, Operator::kEqual, int64_t{200}))),
            1u);
  EXPECT_EQ(matched(remove(where(kDay, Operator::kLess, int64_t{0}))), 1u);
  EXPECT_EQ(matched(insert_rows(test_schema(), std::vector<Row>(rows.begin(), rows.begin() + 80))), 80u);
  EXPECT_EQ(matched(remove(where(kDay, Operator::kLessOrEqual, int64_t{0}))), 128u);
  EXPECT_EQ(matched(remove({})), 143u);
}

TEST_F(SegmentTest, AFullSegmentTakesWhatFitsAndRefusesTheRest) {
  const UpdateOutput output = update({insert_rows(test_schema(), rows(1, 70))});
  EXPECT_EQ(output.rows_matched, 70u);
  EXPECT_EQ(output.rows_applied, 64u);
  EXPECT_EQ(output.refused_no_room, 6u);
  EXPECT_EQ(segment_.statistics().rows, 64u);
  EXPECT_EQ(update({insert_rows(test_schema(), rows(100, 1))}).refused_no_room, 1u);
}

TEST_F(SegmentTest, RoomMadeByAnEarlierUpdateIsUsedWhetherOrNotTheyShareACycle) {
  static_cast<void>(update({insert_rows(test_schema(), rows(1, 64))}));
  enqueue({remove(where(kId, Operator::kLessOrEqual, int64_t{2}))});
  enqueue({insert_rows(test_schema(), rows(100, 3))});
  const std::vector<Output> outputs = drain();
  EXPECT_EQ(std::get<UpdateOutput>(outputs[1]).rows_applied, 2u);
  EXPECT_EQ(std::get<UpdateOutput>(outputs[1]).refused_no_room, 1u);
}

TEST_F(SegmentTest, RoomMadeByAnUpdateIsForLaterUpdates) {
  static_cast<void>(update({insert_rows(test_schema(), rows(1, 64))}));
  const UpdateOutput output = update({remove({}), insert_rows(test_schema(), rows(100, 1))});
  EXPECT_EQ(output.rows_applied, 64u);
  EXPECT_EQ(output.refused_no_room, 1u);
  EXPECT_EQ(update({insert_rows(test_schema(), rows(100, 64))}).rows_applied, 64u);
}

TEST_F(SegmentTest, OverflowLeavesTheWholeRowAsItWas) {
  Row edge = row(1, 1);
  edge[kSmall] = int64_t{32767};
  edge[kInt] = int64_t{1};
  static_cast<void>(update({insert_rows(test_schema(), {edge, row(2, 2)})}));
  const UpdateOutput output =
      update({modify({{kInt, Assignment::Kind::kSet, int64_t{9}}, {kSmall, Assignment::Kind::kAdd, int64_t{1}}}, {})});
  EXPECT_EQ(output.rows_matched, 2u);
  EXPECT_EQ(output.rows_applied, 1u);
  EXPECT_EQ(output.refused_overflow, 1u);
  EXPECT_EQ(answer(select({kInt, kSmall})), (std::vector<Row>{{int64_t{1}, int64_t{32767}}, {int64_t{9}, Value{}}}));
}

struct Overflow {
  uint32_t column;
  Value value;
  Value fits;
  Value overflows;
};

semantics::Decimal nines(uint32_t digits, int32_t scale, int sign) {
  semantics::BigInt value = boost::multiprecision::pow(semantics::BigInt{10}, digits) - 1;
  return {value * sign, scale};
}

TEST_F(SegmentTest, EveryTypeOverflowsAtItsOwnEdge) {
  semantics::Decimal beyond = nines(38, 4, -1);
  beyond.unscaled *= 2;
  semantics::Decimal far = nines(38, 4, 1);
  far.unscaled *= 1000;
  const std::vector<Overflow> cases = {
      {kSmall, int64_t{-32768}, int64_t{65535}, int64_t{-1}},
      {kInt, int64_t{INT32_MAX}, int64_t{0}, int64_t{1}},
      {kBig, int64_t{INT64_MIN}, int64_t{INT64_MAX}, int64_t{-1}},
      {kReal, static_cast<double>(FLT_MAX), 1.0, static_cast<double>(FLT_MAX)},
      {kDouble, DBL_MAX, std::numeric_limits<double>::infinity(), DBL_MAX},
      {kNumeric, nines(9, 2, 1), decimal(-1, 2), decimal(1, 2)},
      {kWide, nines(38, 4, 1), beyond, decimal(1, 4)},
      {kWide, nines(38, 4, -1), nines(38, 4, 1), far},
      {kDay, semantics::kDateDaysMax, int64_t{-1}, int64_t{1}},
      {kDay, semantics::kDateDaysMin, int64_t{1}, int64_t{-1}},
  };
  for (const Overflow& example : cases) {
    Row edge = row(1, 1);
    edge[example.column] = example.value;
    static_cast<void>(update({remove({}), insert_rows(test_schema(), {})}));
    static_cast<void>(update({insert_rows(test_schema(), {edge})}));
    EXPECT_EQ(update({modify({{example.column, Assignment::Kind::kAdd, example.overflows}}, {})}).refused_overflow, 1u)
        << test_schema().columns[example.column].name;
    EXPECT_EQ(update({modify({{example.column, Assignment::Kind::kAdd, example.fits}}, {})}).rows_applied, 1u)
        << test_schema().columns[example.column].name;
  }
}

TEST_F(SegmentTest, ALimitWithoutOrderStopsEarlyAndCountsTheOffset) {
  static_cast<void>(update({insert_rows(test_schema(), rows(1, 64))}));
  semantics::Selection selection = select({kId});
  selection.limit = 3;
  selection.offset = 2;
  EXPECT_EQ(query(selection).row_count, 5u);
  selection.limit = 0;
  EXPECT_EQ(query(selection).row_count, 0u);
  selection.limit = UINT64_MAX;
  EXPECT_EQ(query(selection).row_count, 64u);
}

TEST_F(SegmentTest, AnOrderWithALimitKeepsTheFirstRowsAndTheLowestSlotsOfTies) {
  static_cast<void>(update({insert_rows(test_schema(), rows(1, 64))}));
  semantics::Selection selection = select({kKey, kId});
  selection.limit = 11;
  selection.order_by = {{0, {.descending = true}}};
  const std::vector<Row> kept = answer(selection);
  ASSERT_EQ(kept.size(), 11u);
  for (const Row& each : kept) {
    EXPECT_GE(std::get<int64_t>(each[0]), 5);
  }
  EXPECT_EQ(kept.back(), (Row{int64_t{6}, int64_t{62}}));
  EXPECT_EQ(kept.front(), (Row{int64_t{5}, int64_t{5}}));
}

TEST_F(SegmentTest, AnAbortedOrLateQueryEndsInAnError) {
  static_cast<void>(update({insert_rows(test_schema(), rows(1, 64))}));
  const auto selection = std::make_shared<semantics::Selection>(select({kId}));
  const auto aborted = std::make_shared<std::atomic<bool>>(true);
  ASSERT_TRUE(segment_.enqueue(Query{QueryHandle{1}, selection, kNever, aborted}));
  ASSERT_TRUE(segment_.enqueue(Query{QueryHandle{2}, selection, Instant{100}, nullptr}));
  ASSERT_TRUE(segment_.enqueue(Query{QueryHandle{3}, selection, Instant{101}, nullptr}));
  ASSERT_TRUE(segment_.step({100}));
  for (const char* sqlstate : {"57014", "57014"}) {
    const auto output = std::get<QueryOutput>(*segment_.dequeue());
    ASSERT_TRUE(output.error.has_value());
    EXPECT_EQ(output.error->sqlstate, sqlstate);
    EXPECT_TRUE(output.rows.empty());
  }
  EXPECT_EQ(std::get<QueryOutput>(*segment_.dequeue()).row_count, 64u);
}

TEST_F(SegmentTest, StringsLongerThanTheirColumnCompareAsTheyShould) {
  Row text = row(1, 1);
  text[kChar] = std::string("abcde");
  static_cast<void>(update({insert_rows(test_schema(), {text})}));
  const std::string longer = "abcdef";
  const std::vector<std::pair<Operator, size_t>> cases = {{Operator::kEqual, 0},   {Operator::kNotEqual, 1},
                                                          {Operator::kLess, 1},    {Operator::kLessOrEqual, 1},
                                                          {Operator::kGreater, 0}, {Operator::kGreaterOrEqual, 0}};
  for (const auto& [op, matched] : cases) {
    EXPECT_EQ(answer(select({kId}, where(kChar, op, longer))).size(), matched) << static_cast<int>(op);
  }
}

TEST_F(SegmentTest, APrefixOfCharCountsItsPadding) {
  Row text = row(1, 1);
  text[kChar] = std::string("ab");
  text[kText] = std::string("ab");
  static_cast<void>(update({insert_rows(test_schema(), {text})}));
  const auto count = [&](uint32_t column, const std::string& prefix) {
    return answer(select({kId},
                         {{{{.column = column, .kind = semantics::Literal::Kind::kStartsWith, .values = {prefix}}}}}))
        .size();
  };
  EXPECT_EQ(count(kChar, "ab "), 1u);
  EXPECT_EQ(count(kChar, "ab   "), 1u);
  EXPECT_EQ(count(kChar, "ab    "), 0u);
  EXPECT_EQ(count(kText, "ab"), 1u);
  EXPECT_EQ(count(kText, "ab "), 0u);
  EXPECT_EQ(count(kText, ""), 1u);
}

class SmallAnswers : public SegmentTest {
 protected:
  SmallAnswers() : SegmentTest({.memory_bytes = 1, .chunk_rows = 64, .answer_bytes_max = 100}) {}
};

TEST_F(SmallAnswers, AnAnswerBeyondItsBoundIsRefused) {
  static_cast<void>(update({insert_rows(test_schema(), rows(1, 64))}));
  EXPECT_EQ(query(select({kId}, where(kId, Operator::kLess, int64_t{8}))).row_count, 7u);
  const QueryOutput refused = query(select({kId}));
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->sqlstate, "54000");
  EXPECT_TRUE(refused.rows.empty());
  EXPECT_EQ(refused.row_count, 0u);
}

TEST_F(SmallAnswers, GroupsBeyondTheirBoundAreRefused) {
  static_cast<void>(update({insert_rows(test_schema(), rows(1, 64))}));
  EXPECT_EQ(query(selection_of({{.name = "key", .column = kKey}}, {kKey})).row_count, 7u);
  const QueryOutput refused = query(selection_of({{.name = "id", .column = kId}}, {kId}));
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->sqlstate, "54000");
}

class NarrowSegment : public SegmentTest {
 protected:
  NarrowSegment()
      : SegmentTest({.memory_bytes = 1,
                     .chunk_rows = 64,
                     .operations_in_flight_max = 3,
                     .share_factor_max = 2,
                     .updates_per_cycle_max = 1}) {}
};

TEST_F(NarrowSegment, RefusesMoreOperationsThanMayBeUnderWayUntilAnOutputIsTaken) {
  for (int number = 0; number < 3; ++number) {
    enqueue(select({kId}));
  }
  EXPECT_EQ(segment_.statistics().queue_queries, 3u);
  const auto selection = std::make_shared<semantics::Selection>(select({kId}));
  EXPECT_FALSE(segment_.enqueue(Query{QueryHandle{9}, selection}));
  EXPECT_TRUE(segment_.step({0}));
  EXPECT_EQ(segment_.statistics().queue_queries, 1u);
  EXPECT_FALSE(segment_.enqueue(Query{QueryHandle{9}, selection}));
  EXPECT_TRUE(segment_.dequeue().has_value());
  EXPECT_TRUE(segment_.enqueue(Query{QueryHandle{9}, selection}));
  EXPECT_EQ(drain().size(), 3u);
}

TEST_F(NarrowSegment, ACycleCarriesNoMoreThanItsShare) {
  enqueue(std::vector<UpdatePart>{});
  enqueue(std::vector<UpdatePart>{});
  enqueue(select({kId}));
  EXPECT_EQ(segment_.statistics().queue_updates, 2u);
  EXPECT_TRUE(segment_.step({0}));
  EXPECT_EQ(segment_.statistics().prefix, Timestamp{1});
  EXPECT_TRUE(segment_.step({0}));
  EXPECT_EQ(segment_.statistics().prefix, Timestamp{2});
  EXPECT_FALSE(segment_.has_work());
}

TEST(SegmentMemoryTest, ARowTakesLessThanOnePointSixTimesItsRawBytes) {
  const Segment segment(test_schema(), test_codec(), {.memory_bytes = 256u << 20});
  const SegmentStatistics statistics = segment.statistics();
  uint32_t raw_bytes = 0;
  for (const semantics::Column& column : test_schema().columns) {
    raw_bytes += semantics::plane_width(column.type);
  }
  EXPECT_EQ(statistics.row_bytes, raw_bytes);
  EXPECT_GT(statistics.memory_ratio(), 1.0);
  EXPECT_LT(statistics.memory_ratio(), 1.6);
}

TEST_F(NarrowSegment, CycleTimesAreWhatTheScannerSays) {
  segment_.record_cycle_ns(7);
  segment_.record_cycle_ns(5);
  EXPECT_EQ(segment_.statistics().cycle_ns_last, 5u);
  EXPECT_EQ(segment_.statistics().cycle_ns_max, 7u);
  EXPECT_EQ(segment_.statistics().cycle_counts[0], 2u);
}

TEST_F(NarrowSegment, CyclesAreCountedByHowLongTheyTook) {
  EXPECT_EQ(cycle_bucket(0), 0u);
  EXPECT_EQ(cycle_bucket((1u << 14) - 1), 0u);
  for (uint32_t octave = 0; octave < 20; ++octave) {
    for (uint32_t eighth = 0; eighth < 8; ++eighth) {
      const uint64_t begin = uint64_t{8 + eighth} << (11 + octave);
      EXPECT_EQ(cycle_bucket(begin), 1 + 8 * octave + eighth) << begin;
      EXPECT_EQ(cycle_bucket(begin - 1), 8 * octave + eighth) << begin;
    }
  }
  EXPECT_EQ(cycle_bucket(UINT64_MAX), kCycleBuckets - 1);
  for (const uint64_t duration : {1'000'000u, 1'010'000u, 3'000'000u}) {
    segment_.record_cycle_ns(duration);
  }
  const SegmentStatistics statistics = segment_.statistics();
  EXPECT_EQ(statistics.cycle_counts[cycle_bucket(1'000'000)], 2u);
  EXPECT_EQ(statistics.cycle_counts[cycle_bucket(3'000'000)], 1u);
}

}  // namespace
}  // namespace daedalus::engine::test

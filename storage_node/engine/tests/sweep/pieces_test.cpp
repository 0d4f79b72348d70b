// Pieces: answers that end behind a slot once they have enough bytes, and leave what is behind it to slices.
#include <gtest/gtest.h>

#include <algorithm>

#include "daedalus/engine/segment.hpp"
#include "test_expressions.hpp"
#include "test_table.hpp"
#include "whole_answer.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Assignment;
using semantics::Operator;

/// Four chunks and more, of which three and a bit have rows: ids are slots. Answers leave whole, or in the smallest
/// parts.
class PiecesTest : public testing::TestWithParam<uint64_t> {
 protected:
  static constexpr int64_t kRows = 200;
  static constexpr int64_t kChunkRows = 64;
  /// Bounds what a row of an id may take before it is known what it takes.
  static constexpr uint64_t kRowBytesMax = 64;

  PiecesTest()
      : segment_(test_schema(), test_codec(),
                 {.memory_bytes = 180'000, .chunk_rows = kChunkRows, .answer_part_bytes = GetParam()}) {
    update({insert_rows(test_schema(), rows_of(kRows))});
    row_bytes_ = whole_answer(segment_, query_of(select({kId}))).rows.size() / kRows;
  }

  void update(std::vector<UpdatePart> parts) {
    ASSERT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, std::move(parts)}));
    while (segment_.step({0})) {  // A piece may have ended before its cycle.
    }
    ASSERT_TRUE(segment_.dequeue().has_value());
  }

  /// Counts one more update in the keys of these rows.
  void change(semantics::Predicate predicate) {
    update({modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, std::move(predicate))});
  }

  QueryOutput piece(semantics::Selection selection, uint64_t piece_bytes, std::optional<Timestamp> at = std::nullopt) {
    Query query = query_of(std::move(selection), at);
    query.piece_bytes = piece_bytes;
    return whole_answer(segment_, std::move(query));
  }

  /// The ids of the slices that follow.
  std::vector<int64_t> rest(semantics::Selection selection, std::optional<uint64_t> next, Timestamp at) {
    std::vector<int64_t> found;
    while (next) {
      selection.slice = {.first_slot = *next, .answer_bytes = 20 * row_bytes_};
      const QueryOutput output = whole_answer(segment_, query_of(selection, at));
      EXPECT_FALSE(output.error.has_value());
      const std::vector<int64_t> ids = ids_of(output);
      found.insert(found.end(), ids.begin(), ids.end());
      next = output.next_slot;
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// Selects ids whose keys are above that; of each row it is computed.
  static semantics::Selection of_keys_above(int64_t key) {
    semantics::Selection selection = select({kId});
    selection.residuals.push_back(
        call(">", call("+", semantics::column_of(test_schema(), kKey), number(1)), number(key + 1)));
    return selection;
  }

  Segment segment_;
  uint64_t timestamp_ = 0;
  uint64_t row_bytes_ = 0;
};

TEST_P(PiecesTest, EndWithTheRowThatReachesTheirBytesAsASliceFromTheFirstSlotOnDoes) {
  for (uint64_t bytes = 1; bytes < (kRows + 5) * row_bytes_; bytes += row_bytes_ / 2 + 1) {
    semantics::Selection slice = select({kId});
    slice.slice = {.first_slot = 0, .answer_bytes = bytes};
    const QueryOutput expected = whole_answer(segment_, query_of(slice));
    const QueryOutput output = piece(select({kId}), bytes);
    EXPECT_EQ(output.rows, expected.rows) << bytes;
    EXPECT_EQ(output.next_slot, expected.next_slot) << bytes;
  }
  EXPECT_EQ(piece(select({kId}), 1).next_slot, 1u);
}

TEST_P(PiecesTest, AreWholeWhereTheyMayBeLargerThanTheirRows) {
  for (const uint64_t bytes : {uint64_t{1} << 20, uint64_t{UINT64_MAX - 1}, uint64_t{UINT64_MAX}}) {
    const QueryOutput output = piece(select({kId}), bytes);
    EXPECT_EQ(ids_of(output), numbers_from(0, kRows));
    EXPECT_EQ(output.next_slot, std::nullopt);
  }
}

TEST_P(PiecesTest, EndAtOnceWhereNobodySeesAnEarlierMoment) {
  Query query = query_of(select({kId}));
  query.piece_bytes = 1;
  ASSERT_TRUE(segment_.enqueue(std::move(query)));
  ASSERT_TRUE(segment_.step({0}, {.chunks_max = 1}));
  EXPECT_TRUE(segment_.is_mid_cycle());
  const std::optional<Output> output = segment_.dequeue();
  ASSERT_TRUE(output.has_value());
  EXPECT_TRUE(std::get<QueryOutput>(*output).is_last);
}

TEST_P(PiecesTest, CountRowsThatQualifyThoughAPartOfTheConditionIsComputed) {
  const semantics::Selection selection = of_keys_above(50);
  const QueryOutput output = piece(selection, 10 * row_bytes_);
  EXPECT_EQ(ids_of(output), numbers_from(51, 61));
  EXPECT_EQ(output.next_slot, 61u);
  change({});
  const QueryOutput changed = piece(selection, 10 * row_bytes_, Timestamp{1});
  ASSERT_TRUE(changed.next_slot.has_value());
  std::vector<int64_t> all = ids_of(changed);
  const std::vector<int64_t> behind = rest(selection, changed.next_slot, Timestamp{1});
  all.insert(all.end(), behind.begin(), behind.end());
  EXPECT_EQ(all, numbers_from(51, kRows));
}

TEST_P(PiecesTest, OfWhoseRowsAllHaveChangedEndBehindAChunk) {
  change({});
  const QueryOutput output = piece(select({kId}), 10 * row_bytes_, Timestamp{1});
  EXPECT_EQ(ids_of(output), numbers_from(0, kChunkRows));
  EXPECT_EQ(output.next_slot, 64u);
  EXPECT_EQ(rest(select({kId}), output.next_slot, Timestamp{1}), numbers_from(kChunkRows, kRows));
}

TEST_P(PiecesTest, TakeBackRowsThatLieBehindWhereTheyEnd) {
  semantics::Predicate of_second_chunk = where(kId, Operator::kGreaterOrEqual, kChunkRows);
  of_second_chunk.clauses.push_back({compare_literal(kId, Operator::kLess, int64_t{100})});
  change(where(kId, Operator::kLess, int64_t{60}));
  change(of_second_chunk);
  change(where(kId, Operator::kGreater, int64_t{101}));
  for (const semantics::Selection& selection : {select({kId}), of_keys_above(-1)}) {
    const QueryOutput output = piece(selection, 10 * row_bytes_, Timestamp{1});
    EXPECT_EQ(output.row_count, static_cast<uint64_t>(kChunkRows));
    std::vector<int64_t> ids = ids_of(output);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, numbers_from(0, kChunkRows)) << "100 and 101 had been found before recent rows came";
    EXPECT_EQ(output.next_slot, 64u);
    EXPECT_EQ(rest(selection, output.next_slot, Timestamp{1}), numbers_from(kChunkRows, kRows));
  }
}

TEST_P(PiecesTest, HaveRecentRowsOfAllSlotsWhereThoseTakeLittle) {
  change(where(kId, Operator::kLess, int64_t{5}));
  change(where(kId, Operator::kGreaterOrEqual, int64_t{195}));
  const QueryOutput output = piece(select({kId}), kRows * kRowBytesMax, Timestamp{1});
  EXPECT_EQ(output.row_count, static_cast<uint64_t>(kRows));
  EXPECT_EQ(output.next_slot, std::nullopt);
}

TEST_P(PiecesTest, OfFewRowsAreWholeHoweverManyOthersHaveChanged) {
  change({});
  const auto id_is = [](int64_t id) { return select({kId}, where(kId, Operator::kEqual, id)); };
  for (const int64_t id : {int64_t{0}, int64_t{63}, int64_t{64}, kRows - 1}) {
    const QueryOutput output = piece(id_is(id), kRowBytesMax, Timestamp{1});
    EXPECT_EQ(ids_of(output), std::vector<int64_t>{id});
    EXPECT_EQ(output.next_slot, std::nullopt);
  }
}

/// The condition is computed for 1,024 rows of a chunk at a time where it is not wanted of many.
TEST(LargePieceTest, EndsOnceThoughRowsOfItsLastRecentChunkWaitToBeComputed) {
  constexpr int64_t kLargeChunkRows = 16'384;
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 9u << 20, .chunk_rows = kLargeChunkRows});
  const auto update = [&](uint64_t timestamp, UpdatePart part) {
    ASSERT_TRUE(segment.enqueue(Update{Timestamp{timestamp}, {std::move(part)}}));
    ASSERT_TRUE(segment.step({0}));
    ASSERT_TRUE(segment.dequeue().has_value());
  };
  ASSERT_GE(segment.statistics().rows_max, 2u * kLargeChunkRows);
  update(1, insert_rows(test_schema(), rows_of(2 * kLargeChunkRows)));
  update(2, modify({{kKey, Assignment::Kind::kAdd, int64_t{1}}}, {}));
  semantics::Selection selection = select({kId}, where(kId, Operator::kGreaterOrEqual, kLargeChunkRows - 84));
  selection.predicate.clauses.push_back({compare_literal(kId, Operator::kLess, kLargeChunkRows + 1'900)});
  selection.residuals.push_back(call(">", call("+", semantics::column_of(test_schema(), kKey), number(1)), number(0)));
  Query query = query_of(selection, Timestamp{1});
  query.piece_bytes = 1;
  const QueryOutput first = whole_answer(segment, std::move(query));
  EXPECT_EQ(ids_of(first), numbers_from(kLargeChunkRows - 84, kLargeChunkRows));
  EXPECT_EQ(first.next_slot, static_cast<uint64_t>(kLargeChunkRows));
}

INSTANTIATE_TEST_SUITE_P(WholeAndInParts, PiecesTest, testing::Values(UINT64_MAX, 1));

}  // namespace
}  // namespace daedalus::engine::test

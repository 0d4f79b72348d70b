// Slices: pieces of a segment as it lies in memory. Taken one after the other they are the table, whatever updates left
// where and however large a slice may be.
#include <gtest/gtest.h>

#include "daedalus/engine/segment.hpp"
#include "operation_mix.hpp"
#include "plain_table.hpp"
#include "test_table.hpp"
#include "whole_answer.hpp"

namespace daedalus::engine::test {
namespace {

QueryOutput ask(Segment& segment, semantics::Selection selection, std::optional<Timestamp> at = std::nullopt) {
  return whole_answer(segment, query_of(std::move(selection), at));
}

semantics::Selection slice_of(semantics::Selection selection, uint64_t first_slot, uint64_t answer_bytes) {
  selection.slice = {.first_slot = first_slot, .answer_bytes = answer_bytes};
  return selection;
}

/// Four chunks and more, of which three and a bit have rows: ids are slots.
class SliceTest : public testing::Test {
 protected:
  static constexpr int64_t kRows = 200;

  SliceTest() : segment_(test_schema(), test_codec(), {.memory_bytes = 180'000, .chunk_rows = 64}) {
    EXPECT_TRUE(segment_.enqueue(Update{Timestamp{1}, {insert_rows(test_schema(), rows_of(kRows))}}));
    EXPECT_TRUE(segment_.step({0}));
    EXPECT_TRUE(segment_.dequeue().has_value());
    row_bytes_ = ask(segment_, select({kId})).rows.size() / kRows;
  }

  QueryOutput slice(uint64_t first_slot, uint64_t answer_bytes, semantics::Predicate predicate = {}) {
    return ask(segment_, slice_of(select({kId}, std::move(predicate)), first_slot, answer_bytes));
  }

  Segment segment_;
  uint64_t row_bytes_ = 0;
};

TEST_F(SliceTest, HasTheRowsFromItsSlotOnAndEndsWithTheOneThatReachesItsBytes) {
  const QueryOutput first = slice(0, 10 * row_bytes_);
  EXPECT_EQ(ids_of(first), numbers_from(0, 10));
  EXPECT_EQ(first.next_slot, 10u);
  EXPECT_EQ(first.prefix, Timestamp{1});
  const QueryOutput over_a_chunk = slice(60, 10 * row_bytes_ - 1);
  EXPECT_EQ(ids_of(over_a_chunk), numbers_from(60, 70));
  EXPECT_EQ(over_a_chunk.next_slot, 70u);
  EXPECT_EQ(ids_of(slice(150, 1)), numbers_from(150, 151)) << "one row at least";
}

TEST_F(SliceTest, SaysThatNoRowsFollowTheLast) {
  const QueryOutput rest = slice(190, 1'000'000);
  EXPECT_EQ(ids_of(rest), numbers_from(190, kRows));
  EXPECT_EQ(rest.next_slot, std::nullopt);
  const QueryOutput exactly = slice(190, 10 * row_bytes_);
  EXPECT_EQ(exactly.next_slot, 200u) << "there are slots behind the last row";
  EXPECT_EQ(slice(200, 1).row_count, 0u);
  const QueryOutput beyond = slice(UINT64_MAX, 1);
  EXPECT_EQ(beyond.row_count, 0u);
  EXPECT_EQ(beyond.next_slot, std::nullopt);
}

TEST_F(SliceTest, CountsTheBytesOfRowsThatQualifyAlone) {
  const auto below_100 = where(kId, semantics::Operator::kLess, int64_t{100});
  const QueryOutput some = slice(95, 4 * row_bytes_, below_100);
  EXPECT_EQ(ids_of(some), numbers_from(95, 99));
  EXPECT_EQ(some.next_slot, 99u);
  EXPECT_EQ(ids_of(slice(99, 4 * row_bytes_, below_100)), numbers_from(99, 100));
}

TEST_F(SliceTest, ThatIsLargerThanAnAnswerMayBeIsRefusedAsAnyAnswer) {
  Segment small(test_schema(), test_codec(),
                {.memory_bytes = 1, .chunk_rows = 64, .answer_bytes_max = 100, .answer_owner = "node 7"});
  EXPECT_TRUE(small.enqueue(Update{Timestamp{1}, {insert_rows(test_schema(), rows_of(60))}}));
  EXPECT_TRUE(small.step({0}));
  EXPECT_TRUE(small.dequeue().has_value());
  semantics::Selection selection = select({kId});
  selection.slice = semantics::Slice{};
  const QueryOutput refused = ask(small, selection);
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->sqlstate, "54000");
  EXPECT_EQ(refused.error->message, "the answer is larger than answer_mib of node 7: 100 bytes");
  selection.slice->answer_bytes = 50;
  EXPECT_FALSE(ask(small, selection).error.has_value());
}

/// A segment and its plain twin after updates of all kinds, which leave holes and use slots again.
class SliceModelTest : public testing::TestWithParam<AccessPaths> {};

TEST_P(SliceModelTest, SlicesOneAfterTheOtherAreTheAnswer) {
  const uint64_t seed = test_seed();
  for (uint64_t round = 0; round < from_environment("DAEDALUS_SLICE_ROUNDS", 12); ++round) {
    Random random(seed + round);
    const uint64_t part_bytes = one_in(random, 2) ? 1 + below(random, 4000) : UINT64_MAX;
    Segment segment(test_schema(), test_codec(),
                    {.memory_bytes = 100'000 + below(random, 200'000),
                     .chunk_rows = 64,
                     .answer_part_bytes = part_bytes,
                     .access_paths = GetParam()});
    PlainTable plain(test_schema(), segment.statistics().rows_max);
    OperationMix mix(random);
    uint64_t timestamp = 0;
    for (uint64_t updates = 2 + below(random, 12); updates > 0; --updates) {
      const Update update{Timestamp{++timestamp}, updates % 3 == 0 ? std::vector<UpdatePart>{mix.insertion(150)}
                                                                   : std::vector<UpdatePart>{mix.part()}};
      static_cast<void>(plain.apply(update));
      ASSERT_TRUE(segment.enqueue(update));
      ASSERT_TRUE(segment.step({0}));
      ASSERT_TRUE(segment.dequeue().has_value());
    }
    semantics::Selection selection = select({kId, kName, kDouble}, {});
    if (!one_in(random, 3)) {
      selection.predicate = mix.query_predicate();
    }
    QueryOutput all;
    std::optional<uint64_t> next = 0;
    uint64_t slices = 0;
    while (next.has_value()) {
      QueryOutput output = ask(segment, slice_of(selection, *next, 1 + below(random, 1 + below(random, 20'000))));
      ASSERT_FALSE(output.error.has_value()) << output.error->message;
      ASSERT_TRUE(!output.next_slot.has_value() || *output.next_slot > *next) << "seed " << seed + round;
      ASSERT_TRUE(!output.next_slot.has_value() || output.row_count > 0) << "seed " << seed + round;
      all.rows += output.rows;
      all.row_count += output.row_count;
      all.prefix = output.prefix;
      next = output.next_slot;
      ++slices;
    }
    EXPECT_EQ(plain.fault(selection, all), "") << "seed " << seed + round << ", " << slices << " slices";
  }
}

TEST_P(SliceModelTest, APieceOrASliceAndThoseThatFollowAtItsMomentAreTheTableAtIt) {
  const uint64_t seed = test_seed();
  for (uint64_t round = 0; round < from_environment("DAEDALUS_SLICE_ROUNDS", 12); ++round) {
    Random random(seed + round);
    Segment segment(test_schema(), test_codec(),
                    {.memory_bytes = 100'000 + below(random, 200'000),
                     .chunk_rows = 64,
                     .answer_part_bytes = one_in(random, 2) ? 1 + below(random, 4000) : UINT64_MAX,
                     .access_paths = GetParam()});
    PlainTable plain(test_schema(), segment.statistics().rows_max);
    OperationMix mix(random);
    uint64_t timestamp = 0;
    const auto update = [&] {
      const Update next{Timestamp{++timestamp}, one_in(random, 3) ? std::vector<UpdatePart>{mix.insertion(150)}
                                                                  : std::vector<UpdatePart>{mix.part()}};
      static_cast<void>(plain.apply(next));
      ASSERT_TRUE(segment.enqueue(next));
      while (segment.step({0})) {
      }
      ASSERT_TRUE(segment.dequeue().has_value());
    };
    for (uint64_t updates = 2 + below(random, 8); updates > 0; --updates) {
      update();
    }
    const PlainTable then = plain;
    const Timestamp moment{timestamp};
    segment.keep_from(moment);
    for (uint64_t updates = below(random, 4); updates > 0; --updates) {
      update();
    }
    semantics::Selection selection = select({kId, kName, kDouble}, {});
    if (!one_in(random, 3)) {
      selection.predicate = mix.query_predicate();
    }
    QueryOutput all;
    for (std::optional<uint64_t> next = 0; next.has_value();) {
      const uint64_t bytes = 1 + below(random, 1 + below(random, 20'000));
      const bool is_piece = *next == 0 && one_in(random, 2);
      Query query = query_of(is_piece ? selection : slice_of(selection, *next, bytes), moment);
      query.piece_bytes = is_piece ? bytes : 0;
      QueryOutput output = whole_answer(segment, std::move(query));
      ASSERT_FALSE(output.error.has_value()) << output.error->message;
      ASSERT_EQ(output.prefix, moment);
      ASSERT_TRUE(!output.next_slot.has_value() || *output.next_slot > *next) << "seed " << seed + round;
      all.rows += output.rows;
      all.row_count += output.row_count;
      all.prefix = output.prefix;
      next = output.next_slot;
      if (one_in(random, 2)) {
        update();
      }
    }
    EXPECT_EQ(then.fault(selection, all), "") << "seed " << seed + round;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, SliceModelTest,
                         testing::Values(AccessPaths::kByCost, AccessPaths::kKeys, AccessPaths::kSketches,
                                         AccessPaths::kPasses));

}  // namespace
}  // namespace daedalus::engine::test

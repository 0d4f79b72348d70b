// Bounds of clustered columns never rule out a chunk that holds a match, nor take one whole that holds something else.
#include "chunk_bounds.hpp"

#include <gtest/gtest.h>

#include "daedalus/semantics/packed.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::one_in;
using test::Random;

class ChunkBoundsTest : public testing::Test {
 protected:
  /// Puts a row into a dead slot.
  void insert(uint32_t chunk, uint32_t row) {
    std::string packed;
    semantics::append_packed_row(semantics::column_types(test::test_schema()), test::random_row(random_, 1), packed);
    const auto* bytes = reinterpret_cast<const uint8_t*>(packed.data()) + sizeof(uint32_t);
    ASSERT_EQ(
        layout_.codec.store_row(layout_.codec.context, bytes, static_cast<uint32_t>(packed.size() - sizeof(uint32_t)),
                                store_.planes(chunk), store_.nulls(chunk), row),
        0);
    store_.mark_live(chunk, row);
    bounds_.on_insert(chunk, row);
  }

  void set_day(uint32_t chunk, uint32_t row, int32_t day) {
    std::memcpy(store_.planes(chunk)[test::kDay] + size_t{row} * sizeof day, &day, sizeof day);
    clear_bit(store_.nulls(chunk)[test::kDay], row);
    bounds_.on_write(chunk, row, test::kDay);
  }

  /// Few rows are live: bounds that mean something.
  void change_a_row(uint32_t chunk) {
    const auto row = static_cast<uint32_t>(below(random_, 3));
    if (!test_bit(store_.view(chunk).live, row)) {
      insert(chunk, row);
    } else if (one_in(random_, 3)) {
      store_.mark_dead(chunk, row);
    } else {
      set_day(chunk, row, static_cast<int32_t>(below(random_, 2000)) - 1000);
    }
  }

  /// One comparison, or two of one column or of two, joined either way.
  semantics::Predicate random_predicate() {
    const auto literal = [&] {
      const std::vector<uint32_t> columns = {test::kDay, test::kTime, test::kId, test::kSmall};
      const uint32_t column = columns[below(random_, columns.size())];
      if (one_in(random_, 8)) {
        const auto kind = one_in(random_, 2) ? semantics::Literal::Kind::kIsNull : semantics::Literal::Kind::kIsNotNull;
        return semantics::Literal{.column = column, .kind = kind};
      }
      const bool is_day = column == test::kDay && one_in(random_, 2);
      return test::compare_literal(
          column, static_cast<semantics::Operator>(1 + below(random_, 6)),
          is_day ? static_cast<int64_t>(below(random_, 2000)) - 1000 : test::random_value(random_, column));
    };
    switch (below(random_, 4)) {
      case 0:
        return {{{literal(), literal()}}};
      case 1:
        return {{{literal()}, {literal()}}};
      default:
        return {{{literal()}}};
    }
  }

  [[nodiscard]] std::pair<uint32_t, uint32_t> count(uint32_t chunk, const CompiledPredicate& predicate) const {
    const ChunkView view = store_.view(chunk);
    uint32_t matching = 0;
    for_each_bit(view.live, view.word_count(), [&](uint32_t row) { matching += predicate.matches(view, row) ? 1 : 0; });
    return {store_.live_rows(chunk), matching};
  }

  void delete_all(uint32_t chunk, const CompiledPredicate& predicate) {
    const ChunkView view = store_.view(chunk);
    std::vector<uint64_t> rows(view.word_count());
    SelectionScratch scratch(store_.chunk_rows());
    predicate.select(view, scratch, rows.data());
    EXPECT_EQ(store_.mark_dead(chunk, rows.data()), count_bits(rows.data(), view.word_count()));
    bounds_.on_delete_all(chunk, predicate);
  }

  Random random_{test::test_seed()};
  const TableLayout layout_{test::test_schema(), test::test_codec()};
  ChunkStore store_{layout_, 64, 200'000};
  ChunkBounds bounds_{layout_, store_};
};

TEST_F(ChunkBoundsTest, NeverRuleOutAChunkThatHoldsAMatchNorTakeOneWhole) {
  uint32_t ruled_out = 0;
  uint32_t taken_whole = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto chunk = static_cast<uint32_t>(below(random_, store_.chunk_count()));
    change_a_row(chunk);
    const CompiledPredicate predicate(layout_, random_predicate());
    const auto [live, matching] = count(chunk, predicate);
    if (live == 0) {
      continue;
    }
    const Reach reach = bounds_.reach(chunk, predicate);
    ASSERT_TRUE(reach != Reach::kNone || matching == 0) << "step " << step;
    ASSERT_TRUE(reach != Reach::kAll || matching == live) << "step " << step;
    ruled_out += reach == Reach::kNone ? 1 : 0;
    taken_whole += reach == Reach::kAll ? 1 : 0;
    if (one_in(random_, 4)) {
      delete_all(chunk, predicate);
    }
  }
  EXPECT_GT(ruled_out, 100u);
  EXPECT_GT(taken_whole, 100u);
}

TEST_F(ChunkBoundsTest, APurgeLeavesBoundsThatTheNextOnePassesBy) {
  for (uint32_t row = 0; row < 20; ++row) {
    insert(0, row);
    set_day(0, row, static_cast<int32_t>(row));
  }
  const auto day_at_most = [&](int64_t day) {
    return CompiledPredicate(layout_, test::where(test::kDay, semantics::Operator::kLessOrEqual, day));
  };
  EXPECT_EQ(bounds_.reach(0, day_at_most(5)), Reach::kSome);
  delete_all(0, day_at_most(5));
  EXPECT_EQ(bounds_.reach(0, day_at_most(5)), Reach::kNone);
  EXPECT_EQ(bounds_.reach(0, day_at_most(6)), Reach::kSome);
  set_day(0, 10, 3);
  EXPECT_EQ(bounds_.reach(0, day_at_most(5)), Reach::kSome);
}

TEST_F(ChunkBoundsTest, AColumnIsClusteredWhereChunksHoldNarrowPartsOfIt) {
  constexpr int32_t kDaysOfAChunk = 10;
  const uint32_t chunks = store_.chunk_count();
  ASSERT_GT(chunks, 4u);
  EXPECT_FALSE(bounds_.clustered()[test::kDay]) << "of no rows";
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    for (uint32_t row = 0; row < 20; ++row) {
      insert(chunk, row);
      set_day(chunk, row, kDaysOfAChunk * static_cast<int32_t>(chunk) + static_cast<int32_t>(row) % kDaysOfAChunk);
    }
    bounds_.on_load(chunk);
  }
  EXPECT_TRUE(bounds_.clustered()[test::kDay]);
  EXPECT_FALSE(bounds_.clustered()[test::kTime]) << "drawn at random";
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    set_day(chunk, 0, 0);
    set_day(chunk, 1, static_cast<int32_t>(chunks) * kDaysOfAChunk);
  }
  EXPECT_FALSE(bounds_.clustered()[test::kDay]);
}

}  // namespace
}  // namespace daedalus::engine

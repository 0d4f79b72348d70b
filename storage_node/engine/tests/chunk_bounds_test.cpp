// Bounds of dates never rule out a chunk that holds a row of the kind.
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

  void set_day(uint32_t chunk, uint32_t row) {
    const auto day = static_cast<int32_t>(below(random_, 2000)) - 1000;
    std::memcpy(store_.planes(chunk)[test::kDay] + size_t{row} * sizeof day, &day, sizeof day);
    clear_bit(store_.nulls(chunk)[test::kDay], row);
    bounds_.on_write(chunk, row, test::kDay);
  }

  [[nodiscard]] bool may_match(uint32_t chunk, const CompiledPredicate& predicate) const {
    return bounds_.reach(chunk, predicate) != Reach::kNone;
  }

  Random random_{test::test_seed()};
  const TableLayout layout_{test::test_schema(), test::test_codec()};
  ChunkStore store_{layout_, 64, 60'000};
  ChunkBounds bounds_{layout_, store_};
};

TEST_F(ChunkBoundsTest, NeverRuleOutAChunkThatHoldsAMatch) {
  uint32_t ruled_out = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto chunk = static_cast<uint32_t>(below(random_, store_.chunk_count()));
    const auto row = static_cast<uint32_t>(below(random_, 3));  // Few rows: bounds that mean something.
    if (!test_bit(store_.view(chunk).live, row)) {
      insert(chunk, row);
    } else if (one_in(random_, 3)) {
      store_.mark_dead(chunk, row);
    } else {
      set_day(chunk, row);
    }
    const uint32_t column = one_in(random_, 2) ? test::kDay : test::kTime;
    const auto op = static_cast<semantics::Operator>(1 + below(random_, 6));
    const semantics::Value value =
        one_in(random_, 2) ? static_cast<int64_t>(below(random_, 2000)) - 1000 : test::random_value(random_, column);
    const CompiledPredicate predicate(layout_, test::where(column, op, value));
    bool matches = false;
    for (uint32_t slot = 0; slot < 3; ++slot) {
      matches |= test_bit(store_.view(chunk).live, slot) && predicate.matches(store_.view(chunk), slot);
    }
    ASSERT_TRUE(may_match(chunk, predicate) || !matches) << "step " << step;
    ruled_out += may_match(chunk, predicate) ? 0 : 1;
  }
  EXPECT_GT(ruled_out, 100u);
}

}  // namespace
}  // namespace daedalus::engine

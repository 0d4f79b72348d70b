// The first rows under an order against sorting all of them.
#include "top_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "filled_store.hpp"
#include "on_every_instruction_set.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::FilledStore;
using test::one_in;
using test::Random;

semantics::Selection random_order(Random& random) {
  std::vector<uint32_t> columns;
  std::vector<semantics::OrderKey> order_by;
  for (uint64_t keys = 1 + below(random, 3); keys > 0; --keys) {
    order_by.push_back(
        {static_cast<uint32_t>(columns.size()), {.descending = one_in(random, 2), .nulls_first = one_in(random, 2)}});
    columns.push_back(static_cast<uint32_t>(below(random, test::test_schema().columns.size())));
  }
  semantics::Selection selection = test::select(columns);
  selection.order_by = std::move(order_by);
  if (one_in(random, 2)) {
    selection.ties_by = static_cast<uint32_t>(1 + below(random, selection.order_by.size()));
  }
  return selection;
}

/// The order of two slots by so many keys.
int compare(const FilledStore& filled, const semantics::Selection& selection, size_t keys, uint32_t left,
            uint32_t right) {
  for (size_t number = 0; number < keys; ++number) {
    const semantics::OrderKey& key = selection.order_by[number];
    const uint32_t column = selection.outputs[key.output].expression.input;
    const auto order = semantics::compare_ordered(filled.rows[left][column], filled.rows[right][column], key.order);
    if (order != 0) {
      return order < 0 ? -1 : 1;
    }
  }
  return 0;
}

/// The slots of the first rows, by slot among equals, and the ties of the last one where they are wanted.
std::vector<uint32_t> first_slots(const FilledStore& filled, const semantics::Selection& selection, uint32_t wanted) {
  std::vector<uint32_t> slots;
  for (uint32_t slot = 0; slot < filled.rows.size(); ++slot) {
    if (filled.is_live[slot]) {
      slots.push_back(slot);
    }
  }
  std::stable_sort(slots.begin(), slots.end(), [&](uint32_t left, uint32_t right) {
    return compare(filled, selection, selection.order_by.size(), left, right) < 0;
  });
  size_t count = std::min<size_t>(slots.size(), wanted);
  while (selection.ties_by > 0 && count > 0 && count < slots.size() &&
         compare(filled, selection, selection.ties_by, slots[count - 1], slots[count]) == 0) {
    ++count;
  }
  slots.resize(count);
  std::sort(slots.begin(), slots.end());
  return slots;
}

TEST(TopRowsTest, AreThoseThatSortingPutsFirst) {
  AnswerMemory memory(1u << 30);
  Random random(test::test_seed());
  for (const uint32_t live_percent : {100u, 60u, 2u, 0u}) {
    const FilledStore filled(random, one_in(random, 2) ? 64 : 2'112, 3, live_percent);
    for (int draw = 0; draw < 60; ++draw) {
      const semantics::Selection selection = random_order(random);
      const uint32_t sizes[] = {1, 2, 10, 700, 3'000, 10'000};
      const uint32_t wanted = sizes[below(random, 6)];
      const std::vector<uint32_t> expected = first_slots(filled, selection, wanted);
      for (const test::Feed how : test::kFeeds) {
        TopRows top(filled.layout, filled.store, selection, wanted, memory);
        test::feed(
            filled, how, random,
            [&](uint32_t chunk, const uint32_t* rows, uint32_t count) { EXPECT_TRUE(top.take(chunk, rows, count)); },
            [&](uint32_t chunk, const uint64_t* bitmap) { EXPECT_TRUE(top.take_selection(chunk, bitmap)); });
        ASSERT_EQ(top.finish(), expected);
      }
    }
  }
}

TEST(TopRowsTest, EveryRowMayPushOutAnEarlierOne) {
  AnswerMemory memory(1u << 30);
  Random random(test::test_seed());
  const FilledStore filled(random, 2'112, 3, 100);  // Its ids ascend with the slots.
  semantics::Selection selection = test::select({test::kId});
  selection.order_by = {{0, {.descending = true, .nulls_first = false}}};
  test::on_every_instruction_set([&] {
    for (const uint32_t wanted : {1u, 7u, 2'000u}) {
      TopRows top(filled.layout, filled.store, selection, wanted, memory);
      for (uint32_t chunk = 0; chunk < filled.store.chunk_count(); ++chunk) {
        ASSERT_TRUE(top.take_selection(chunk, filled.store.view(chunk).live));
      }
      std::vector<uint32_t> expected(wanted);
      std::iota(expected.begin(), expected.end(), filled.store.slot_count() - wanted);
      ASSERT_EQ(top.finish(), expected);
    }
  });
}

TEST(TopRowsTest, AskBeforeTheyKeepMoreAndGiveBack) {
  Random random(test::test_seed());
  const FilledStore filled(random, 2'112, 1, 100);
  semantics::Selection selection = test::select({test::kId});
  selection.order_by = {{0, {.descending = false, .nulls_first = false}}};
  AnswerMemory memory(4'096);
  {
    TopRows few(filled.layout, filled.store, selection, 3, memory);
    const uint32_t rows[] = {1, 2, 3, 4};
    ASSERT_TRUE(few.take(0, rows, 4));
    EXPECT_GT(memory.reserved(), 0u);
    TopRows many(filled.layout, filled.store, selection, 2'000, memory);
    EXPECT_FALSE(many.take_selection(0, filled.store.view(0).live));
    EXPECT_LE(memory.reserved(), 4'096u);
    EXPECT_EQ(few.finish(), (std::vector<uint32_t>{1, 2, 3}));
  }
  EXPECT_EQ(memory.reserved(), 0u);
}

}  // namespace
}  // namespace daedalus::engine

// Candidates found by sketches: pairs of bytes and windows of a row's bytes against their plain twins, and an index
// over operations against all of them asked one by one.
#include "sketch_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "kernels_window.hpp"
#include "on_every_instruction_set.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::one_in;
using test::Random;

/// Bytes of few different values or of all of them.
std::vector<uint8_t> random_bytes(Random& random, size_t count) {
  const uint64_t kinds = one_in(random, 3) ? 3 : one_in(random, 2) ? 40 : 256;
  std::vector<uint8_t> bytes(count);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(255 - below(random, kinds)); });
  return bytes;
}

TEST(PairKernels, AgreeWithTheirScalarTwin) {
  Random random(test::test_seed());
  std::vector<uint16_t> fast(65'536 + 64);
  std::vector<uint16_t> plain(fast.size());
  for (const uint32_t pairs : {0u, 1u, 60u, 256u, 257u, 1'024u, 2'000u, 20'000u}) {
    for (const uint32_t length : {0u, 1u, 63u, 64u, 65u, 1'000u, 16'384u, 65'536u}) {
      const size_t shift = below(random, 64);
      const std::vector<uint8_t> first = random_bytes(random, length + shift);
      const std::vector<uint8_t> second = one_in(random, 4) ? first : random_bytes(random, length + shift);
      PairFilter filter;
      for (uint32_t pair = 0; pair < pairs; ++pair) {
        const size_t row = length == 0 ? 0 : below(random, length);
        const bool is_there = length > 0 && one_in(random, 2);
        filter.add(is_there ? first[row + shift] : static_cast<uint8_t>(random()),
                   is_there ? second[row + shift] : static_cast<uint8_t>(random()));
      }
      const PairPlanes planes{first.data() + shift, second.data() + shift};
      AheadPlanes ahead;
      for (uint64_t added = below(random, AheadPlanes::kMax + 2); added > 0; --added) {
        ahead.add(planes.first);
      }
      const uint32_t count = list_pairs(planes, length, filter, fast.data(), ahead);
      ASSERT_EQ(count, scalar::list_pairs(planes, length, filter, plain.data()))
          << pairs << " pairs, " << length << " rows";
      ASSERT_TRUE(std::equal(fast.begin(), fast.begin() + count, plain.begin()));
    }
  }
}

TEST(PairKernels, AskAheadForAsManyPlanesAsThereIsRoomFor) {
  const std::vector<uint8_t> plane(64);
  AheadPlanes ahead;
  ahead.add(nullptr);
  EXPECT_EQ(ahead.count, 0u);
  for (uint32_t added = 0; added < AheadPlanes::kMax + 2; ++added) {
    ahead.add(plane.data() + added);
  }
  ASSERT_EQ(ahead.count, AheadPlanes::kMax);
  for (uint32_t place = 0; place < ahead.count; ++place) {
    EXPECT_EQ(ahead.planes[place], plane.data() + place);
    EXPECT_EQ(ahead.from(7).planes[place], plane.data() + place + 7);
  }
}

TEST(WindowKernels, AgreeWithTheirScalarTwin) {
  Random random(test::test_seed());
  constexpr uint32_t kRows = 300;
  constexpr uint32_t kQueries = 20;
  test::on_every_instruction_set([&] {
    for (uint32_t row_bytes = 1; row_bytes <= kRowSketchColumnsMax; row_bytes *= 2) {
      const std::vector<uint8_t> bytes = random_bytes(random, size_t{kRows} * row_bytes + 16);
      std::vector<SketchWindow> windows(kQueries);
      for (SketchWindow& window : windows) {
        for (uint64_t tests = below(random, 5); tests > 0; --tests) {
          const auto low = static_cast<uint8_t>(random());
          const auto high = static_cast<uint8_t>(low + below(random, 256 - low));
          static_cast<void>(window.narrow(static_cast<uint32_t>(below(random, row_bytes)), low, high));
        }
      }
      for (const uint32_t count : {0u, 1u, 23u, 25u, kRows}) {
        std::vector<Candidate> fast(count);
        std::vector<uint32_t> fast_rows(count);
        for (uint32_t position = 0; position < count; ++position) {
          fast_rows[position] = static_cast<uint32_t>(below(random, kRows));
          fast[position] = {fast_rows[position], static_cast<uint32_t>(below(random, kQueries))};
        }
        std::vector<Candidate> plain = fast;
        std::vector<uint32_t> plain_rows = fast_rows;
        const RowSketches sketches{bytes.data(), row_bytes};
        const uint32_t kept = keep_within(sketches, windows.data(), fast.data(), count);
        ASSERT_EQ(kept, scalar::keep_within(sketches, windows.data(), plain.data(), count));
        ASSERT_TRUE(std::equal(fast.begin(), fast.begin() + kept, plain.begin(), [](Candidate one, Candidate other) {
          return one.row == other.row && one.query == other.query;
        }));
        const uint32_t kept_rows = keep_within(sketches, windows[0], fast_rows.data(), count);
        ASSERT_EQ(kept_rows, scalar::keep_within(sketches, windows[0], plain_rows.data(), count));
        ASSERT_TRUE(std::equal(fast_rows.begin(), fast_rows.begin() + kept_rows, plain_rows.begin()));
      }
    }
  });
}

TEST(SketchWindows, NarrowToWhatAllClausesOfAColumnWant) {
  SketchWindow window;
  EXPECT_TRUE(window.narrow(3, 10, 20));
  EXPECT_TRUE(window.narrow(3, 15, 255));
  EXPECT_FALSE(window.narrow(3, 0, 14));  // Nothing is left: the clause has to be tested elsewhere.
  EXPECT_EQ(window.low[3], 15);
  EXPECT_EQ(window.span[3], 5);
  EXPECT_EQ(window.span[2], 255);
}

TEST(SketchIndexes, FindEveryRowThatSomebodyAsksFor) {
  Random random(test::test_seed());
  const TableLayout layout(test::test_schema(), test::test_codec());
  ChunkStore store(layout, 4'224, 1);
  const uint32_t row_count = store.chunk_rows();
  for (uint32_t row = 0; row < row_count; ++row) {
    if (!one_in(random, 10)) {
      store.mark_live(0, row);
    }
  }
  std::vector<uint16_t> room(row_count + 64);
  for (const uint32_t key_count : {1u, 30u, 400u, 9'000u}) {
    const std::vector<uint8_t> first = random_bytes(random, row_count);
    const std::vector<uint8_t> second = one_in(random, 2) ? first : random_bytes(random, row_count);
    SketchIndex index;
    std::set<std::tuple<uint8_t, uint8_t, uint32_t>> keys;
    for (uint32_t operation = 0; operation < key_count; ++operation) {
      for (uint64_t members = 1 + below(random, 3); members > 0; --members) {
        const size_t row = below(random, row_count);
        keys.emplace(first[row], second[row], operation);
        index.add(first[row], second[row], operation);
        index.add(first[row], second[row], operation);  // Asked for twice, found once.
      }
    }
    index.build();
    std::vector<std::pair<uint32_t, uint32_t>> found;
    index.probe(store.view(0), {first.data(), second.data()}, {}, room.data(),
                [&](uint32_t row, uint32_t operation) { found.emplace_back(row, operation); });
    std::vector<std::pair<uint32_t, uint32_t>> expected;
    for (uint32_t row = 0; row < row_count; ++row) {
      auto key = keys.lower_bound({first[row], second[row], 0});
      for (; key != keys.end() && std::get<0>(*key) == first[row] && std::get<1>(*key) == second[row]; ++key) {
        if (test_bit(store.view(0).live, row)) {
          expected.emplace_back(row, std::get<2>(*key));
        }
      }
    }
    ASSERT_EQ(found, expected) << key_count << " operations";
  }
}

}  // namespace
}  // namespace daedalus::engine

// Bitmaps over sketches against their plain twins, and ranges of buckets against values.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "clause_ranges.hpp"
#include "kernels_sketch.hpp"
#include "on_every_instruction_set.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::one_in;
using test::Random;

TEST(SketchKernels, MarkBytesAboveABoundAndInABucketAsTheirScalarTwins) {
  Random random(test::test_seed());
  std::vector<uint8_t> bytes(kSketchBlockRows + 64);
  test::on_every_instruction_set([&] {
    for (int draw = 0; draw < 50; ++draw) {
      const uint64_t span = one_in(random, 2) ? 256 : 4;
      std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(below(random, span) - 2); });
      const uint8_t* values = bytes.data() + below(random, 64);
      const auto bound = static_cast<uint8_t>(below(random, span) - 2);
      std::vector<uint64_t> fast(kSketchWords, 0x5555);
      std::vector<uint64_t> plain(kSketchWords, 0xaaaa);
      mark_above(values, bound, fast.data());
      scalar::mark_above(values, bound, plain.data());
      ASSERT_EQ(fast, plain) << "above " << int{bound};
      mark_equal(values, bound, fast.data());
      scalar::mark_equal(values, bound, plain.data());
      ASSERT_EQ(fast, plain) << "in " << int{bound};
    }
  });
}

TEST(SketchKernels, ChooseAndListRowsAsTheirScalarTwin) {
  Random random(test::test_seed());
  constexpr uint32_t kBitmaps = 12;
  std::vector<uint64_t> bitmaps(size_t{kBitmaps} * kSketchWords);
  std::vector<uint64_t> from(kSketchWords);
  test::on_every_instruction_set([&] {
    for (int draw = 0; draw < 200; ++draw) {
      const bool is_dense = one_in(random, 2);
      const auto word = [&] { return is_dense ? random() | random() : one_in(random, 9) ? random() : 0; };
      std::generate(bitmaps.begin(), bitmaps.end(), word);
      std::generate(from.begin(), from.end(), [&] { return one_in(random, 4) ? UINT64_MAX : word(); });
      std::vector<uint16_t> uses(kBitmaps);
      std::iota(uses.begin(), uses.end(), uint16_t{0});
      std::shuffle(uses.begin(), uses.end(), random);
      const auto within = static_cast<uint32_t>(below(random, 5));
      const auto without = static_cast<uint32_t>(below(random, 5));
      const BitmapChoice choice{bitmaps.data(), uses.data(), within, uses.data() + within, without};
      std::vector<uint64_t> fast(kSketchWords, 1);
      std::vector<uint64_t> plain(kSketchWords, 2);
      choose_rows(from.data(), choice, fast.data());
      scalar::choose_rows(from.data(), choice, plain.data());
      ASSERT_EQ(fast, plain);
      std::vector<uint32_t> fast_rows(kSketchBlockRows, 1);
      std::vector<uint32_t> plain_rows(kSketchBlockRows, 1);
      ASSERT_EQ(list_chosen_rows(from.data(), choice, 4096, fast_rows.data()),
                scalar::list_chosen_rows(from.data(), choice, 4096, plain_rows.data()));
      ASSERT_EQ(fast_rows, plain_rows);
    }
  });
}

TEST(ClauseRanges, AWideRangeHoldsTheNarrowOneAndSaysWhenItHoldsMore) {
  Random random(test::test_seed());
  const CodeRule rule = code_rule(Native::kInt32, 4);
  for (const uint64_t domain : {1u, 30u, 60u, 100u, 100'000u}) {
    std::vector<uint64_t> codes(2000);
    std::generate(codes.begin(), codes.end(), [&] {
      uint8_t bytes[16] = {};
      const auto value = static_cast<int32_t>(below(random, domain));
      std::memcpy(bytes, &value, sizeof value);
      return code_of(rule, bytes);
    });
    std::sort(codes.begin(), codes.end());
    const Histogram histogram(rule, codes, 2000, 1'000'000);
    const uint32_t bounds_max = one_in(random, 2) ? 64 : 32;
    std::vector<bool> bounds(256);
    for (int draw = 0; draw < 2000; ++draw) {
      const auto low = static_cast<uint8_t>(below(random, histogram.last_bucket() + 1));
      const auto high = static_cast<uint8_t>(low + below(random, histogram.last_bucket() + 1 - low));
      SketchRange range{.column = 0, .low = low, .high = high};
      const bool is_same = widen(histogram, bounds_max, range);
      ASSERT_LE(range.low, low);
      ASSERT_GE(range.high, high);
      ASSERT_LT(range.high, kNullBucket);
      const bool is_to_the_end = range.high >= histogram.last_bucket() && high == histogram.last_bucket();
      ASSERT_EQ(is_same, range.low == low && (range.high == high || is_to_the_end));
      bounds[range.high] = true;
      if (range.low > 0) {
        bounds[range.low - 1u] = true;
      }
    }
    EXPECT_LE(std::count(bounds.begin(), bounds.end(), true), bounds_max + 1);
    SketchRange null{.column = 0, .low = kNullBucket, .high = kNullBucket};
    EXPECT_TRUE(widen(histogram, bounds_max, null));
    EXPECT_EQ(null.low, kNullBucket);
  }
}

}  // namespace
}  // namespace daedalus::engine

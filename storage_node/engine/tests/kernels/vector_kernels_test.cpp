// Every vector kernel against its scalar twin, on every instruction set that the build carries and this machine has:
// types × lengths × misalignments × edges. Then what is built on them: histograms and indexes over keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "histogram.hpp"
#include "kernels_bitmap.hpp"
#include "kernels_probe.hpp"
#include "kernels_range.hpp"
#include "key_index.hpp"
#include "on_every_instruction_set.hpp"
#include "plane_shapes.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::kShapes;
using test::on_every_instruction_set;
using test::one_in;
using test::Random;
using test::Shape;

constexpr uint32_t kRoomBehind = 8;
constexpr uint32_t kShifts = 4;
constexpr uint32_t kPlaneLengths[] = {0, 1, 15, 63, 64, 65, 127, 128, 129, 200, 448, 1000};

/// Bytes with many equal values, zeros and the highest ones among them.
std::vector<uint8_t> random_plane(Random& random, Shape shape, uint32_t rows) {
  std::vector<uint8_t> plane(kShifts + size_t{rows} * shape.width + kRoomBehind);
  for (uint8_t& byte : plane) {
    constexpr uint8_t kBytes[] = {0, 1, 0x7f, 0x80, 0xff};
    byte = shape.native == Native::kBool ? static_cast<uint8_t>(below(random, 2)) : kBytes[below(random, 5)];
  }
  return plane;
}

/// The code of some row, one beside it, or an end of the scale.
uint64_t random_bound(Random& random, const CodeRule& rule, const uint8_t* value) {
  switch (below(random, 6)) {
    case 0:
      return 0;
    case 1:
      return UINT64_MAX;
    case 2:
      return code_of(rule, value) + 1;
    case 3:
      return code_of(rule, value) - 1;
    default:
      return code_of(rule, value);
  }
}

TEST(RangeKernels, AgreeWithTheirScalarTwin) {
  Random random(test::test_seed());
  on_every_instruction_set([&] {
    for (const Shape shape : kShapes) {
      const CodeRule rule = code_rule(shape.native, shape.width);
      for (const uint32_t length : kPlaneLengths) {
        const std::vector<uint8_t> plane = random_plane(random, shape, length);
        const uint8_t* values = plane.data() + below(random, kShifts);
        for (int draw = 0; draw < 12; ++draw) {
          const auto bound = [&] {
            static constexpr uint8_t kZeros[kRoomBehind * 3] = {};
            return random_bound(random, rule, length == 0 ? kZeros : values + below(random, length) * shape.width);
          };
          const CodeRange codes = {bound(), bound()};
          std::vector<uint64_t> fast(bitmap_words(length) + 1, 0x5555);
          std::vector<uint64_t> plain = fast;
          mark_code_range({values, shape.width}, length, rule, codes, fast.data());
          scalar::mark_code_range({values, shape.width}, length, rule, codes, plain.data());
          ASSERT_EQ(fast, plain) << "width " << shape.width << ", " << length << " rows";
        }
      }
    }
  });
}

/// Keys of one column or of two, whose rows are of different widths and at different alignments.
KeyPlanes random_key(Random& random, uint32_t length, std::vector<uint8_t> (&planes)[kKeyColumnsMax]) {
  KeyPlanes key{.count = 1 + static_cast<uint32_t>(below(random, kKeyColumnsMax))};
  for (uint32_t place = 0; place < key.count; ++place) {
    const Shape shape = kShapes[below(random, std::size(kShapes))];
    planes[place] = random_plane(random, shape, length);
    key.columns[place] = {planes[place].data() + below(random, kShifts), shape.width};
  }
  return key;
}

TEST(ProbeKernels, AgreeWithTheirScalarTwin) {
  Random random(test::test_seed());
  static ProbeScratch fast;
  static ProbeScratch plain;
  static RegisterFilter first;
  std::vector<uint32_t> lengths(std::begin(kPlaneLengths), std::end(kPlaneLengths));
  lengths.insert(lengths.end(), {kProbeRowsMax - 1, kProbeRowsMax});
  const auto agree = [&](auto probe) {
    for (int draw = 0; draw < 60; ++draw) {
      for (const uint32_t length : lengths) {
        std::vector<uint8_t> planes[kKeyColumnsMax];
        const KeyPlanes key = random_key(random, length, planes);
        for (const uint32_t bits : {32u, 4'096u, 131'072u}) {
          std::vector<uint32_t> words(bits / 32);
          const uint64_t kind = below(random, 4);  // Now and then a filter that passes every row, or none.
          std::generate(words.begin(), words.end(), [&] {
            return kind == 0 ? UINT32_MAX : kind == 1 ? 0 : static_cast<uint32_t>(random() & random());
          });
          const uint64_t dense = one_in(random, 2) ? random() : UINT64_MAX;
          std::generate(std::begin(first.bytes), std::end(first.bytes),
                        [&] { return static_cast<uint8_t>(random() & random() & dense); });
          const ProbeFilter filter = {words.data(), 32 - static_cast<uint32_t>(std::countr_zero(bits)),
                                      one_in(random, 3) ? nullptr : &first};
          const uint32_t count = probe(key, length, filter, fast);
          ASSERT_EQ(count, scalar::probe_keys(key, length, filter, plain)) << length << " rows";
          ASSERT_TRUE(std::equal(fast.rows, fast.rows + count, plain.rows));
          ASSERT_TRUE(std::equal(fast.hashes, fast.hashes + count, plain.hashes));
        }
      }
    }
  };
  on_every_instruction_set([&] { agree(generic::probe_keys); });
  agree(probe_keys);
}

TEST(Codes, KeepTheOrderOfPostgresql) {
  Random random(test::test_seed());
  const TableLayout layout(test::test_schema(), test::test_codec());
  const auto native = [&](const ColumnLayout& column, uint32_t number) {
    NativeBytes bytes;
    EXPECT_EQ(append_native(column, test::random_value(random, number), bytes), Fit::kInside);
    bytes.resize(bytes.size() + kRoomBehind);
    return bytes;
  };
  for (uint32_t number = 0; number < layout.columns.size(); ++number) {
    const ColumnLayout& column = layout.columns[number];
    for (int draw = 0; draw < 1000; ++draw) {
      const NativeBytes left = native(column, number);
      const NativeBytes right = native(column, number);
      const int order = compare_native(column, left.data(), right.data());
      const uint64_t left_code = code_of(column.code, left.data());
      const uint64_t right_code = code_of(column.code, right.data());
      ASSERT_FALSE(order < 0 ? left_code > right_code : order > 0 ? left_code < right_code : left_code != right_code);
      ASSERT_TRUE(!column.code.is_exact || order == 0 || left_code != right_code);
      if (column.code.is_exact && !column.code.is_floating) {
        const uint64_t raw = raw_of(column.code, left_code);
        ASSERT_EQ(std::memcmp(&raw, left.data(), column.width), 0);
      }
    }
  }
}

TEST(Histograms, NeverLoseAValueAndSayWhenTheyHoldNoOther) {
  Random random(test::test_seed());
  const CodeRule rule = code_rule(Native::kInt32, 4);
  for (const uint64_t domain : {1u, 2u, 100u, 127u, 128u, 300u, 100'000u}) {
    const auto draw = [&] {
      uint8_t bytes[16] = {};
      const auto value = static_cast<int32_t>(below(random, domain)) - 50;
      std::memcpy(bytes, &value, sizeof value);
      return code_of(rule, bytes);
    };
    std::vector<uint64_t> codes(2000);
    std::generate(codes.begin(), codes.end(), draw);
    std::sort(codes.begin(), codes.end());
    const Histogram histogram(rule, codes, 2500, 1'000'000);
    EXPECT_NEAR(histogram.null_share(), 0.2, 1e-9);
    for (int step = 0; step < 2000; ++step) {
      CodeRange range = {draw(), draw()};
      if (range.is_empty()) {
        std::swap(range.low, range.high);
      }
      const BucketRange buckets = histogram.buckets(range);
      const uint64_t code = draw();
      const bool within = range.low <= code && code <= range.high;
      const uint8_t bucket = histogram.bucket(code);
      const bool in_buckets = buckets.low <= bucket && bucket <= buckets.high;
      ASSERT_LT(bucket, kNullBucket);
      ASSERT_TRUE(in_buckets || !within);
      ASSERT_TRUE(!buckets.is_exact || in_buckets == within);
      const double share = histogram.share(range);
      ASSERT_TRUE(share >= 0 && share <= 1);
    }
  }
}

TEST(Histograms, HoldFewValuesExactlyWhicheverWayTheirRangesAreWritten) {
  const CodeRule rule = code_rule(Native::kInt32, 4);
  const auto code = [&](int32_t value) {
    uint8_t bytes[8] = {};
    std::memcpy(bytes, &value, sizeof value);
    return code_of(rule, bytes);
  };
  std::vector<uint64_t> codes(100, code(3));
  codes.resize(200, code(7));
  const Histogram histogram(rule, codes, 200, 200);
  EXPECT_TRUE(histogram.buckets({code(3), code(3)}).is_exact);
  EXPECT_TRUE(histogram.buckets({code(3), code(7)}).is_exact);
  EXPECT_TRUE(histogram.buckets({code(3) + 1, code(7)}).is_exact);  // Above 3, up to 7.
  EXPECT_TRUE(histogram.buckets({code(3), code(7) - 1}).is_exact);  // From 3, below 7.
  EXPECT_TRUE(histogram.buckets({0, code(7) - 1}).is_exact);
  EXPECT_TRUE(histogram.buckets({code(7) + 1, UINT64_MAX}).is_exact);
  EXPECT_FALSE(histogram.buckets({code(5), code(7)}).is_exact);  // Values between 3 and 7 share a bucket.
}

TEST(KeyIndexes, FindEveryRowThatSomebodyAsksFor) {
  Random random(test::test_seed());
  const TableLayout layout(test::test_schema(), test::test_codec());
  ChunkStore store(layout, 4'224, 1);  // Three blocks of a probe, the last one short.
  const uint32_t columns[] = {test::kKey, test::kChar};
  for (uint32_t row = 0; row < store.chunk_rows(); ++row) {
    const auto key = static_cast<int32_t>(below(random, 500));
    std::memcpy(store.planes(0)[columns[0]] + size_t{row} * 4, &key, sizeof key);
    store.planes(0)[columns[1]][size_t{row} * 5] = static_cast<uint8_t>('a' + below(random, 4));
    if (!one_in(random, 10)) {
      store.mark_live(0, row);
    }
  }
  static ProbeScratch scratch;
  for (const uint32_t key_count : {1u, 30u, 400u, 6'000u}) {
    for (const uint32_t column_count : {1u, 2u}) {
      KeyIndex index(layout, std::span(columns, column_count));
      std::vector<std::pair<uint64_t, uint64_t>> keys;
      for (uint32_t operation = 0; operation < key_count; ++operation) {
        keys.emplace_back(below(random, 600), 'a' + below(random, 5));
        index.add(std::vector<CodedValue>{{keys.back().first}, {keys.back().second}}, operation);
      }
      index.build();
      std::set<std::pair<uint32_t, uint32_t>> found;
      uint32_t last_row = 0;
      index.probe(store.view(0), scratch, [&](uint32_t row, uint32_t operation) {
        EXPECT_GE(row, last_row);
        last_row = row;
        EXPECT_TRUE(test_bit(store.view(0).live, row));
        EXPECT_TRUE(found.emplace(row, operation).second);
      });
      for (uint32_t row = 0; row < store.chunk_rows(); ++row) {
        const uint64_t key = load<uint32_t>(store.planes(0)[columns[0]] + size_t{row} * 4);
        const uint64_t text = store.planes(0)[columns[1]][size_t{row} * 5];
        const std::span<const uint32_t> asked = index.find(store.view(0), row);
        for (uint32_t operation = 0; operation < key_count; ++operation) {
          if (keys[operation].first == key && (column_count == 1 || keys[operation].second == text)) {
            ASSERT_TRUE(std::binary_search(asked.begin(), asked.end(), operation));
            ASSERT_EQ(found.contains({row, operation}), test_bit(store.view(0).live, row));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::engine
